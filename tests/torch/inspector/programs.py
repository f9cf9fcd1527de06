"""Small programs, one for each kind of thing that torch.compile is used on. Each returns tensors to compare.

A program takes `compile`, which is `torch.compile` with a backend, and must be deterministic.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
from typing import Any, Callable, Dict, List

import torch

Compile = Callable[..., Any]
Point = collections.namedtuple("Point", "x y")
PROGRAMS: Dict[str, Callable[[Compile], List[Any]]] = {}


def program(function: Callable[[Compile], List[Any]]) -> Callable[[Compile], List[Any]]:
    PROGRAMS[function.__name__] = function
    return function


def tensor(*shape: int, grad: bool = False) -> torch.Tensor:
    count = 1
    for size in shape:
        count *= size
    return (torch.arange(count, dtype=torch.float32).reshape(shape) / 7 - 1).requires_grad_(grad)


@program
def graph_break_on_data(compile: Compile) -> List[Any]:
    def toy(a: Any, b: Any) -> Any:
        x = a / (torch.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b

    compiled = compile(toy)
    return [
        compiled(tensor(10), tensor(10)),
        compiled(tensor(10), -tensor(10).abs()),
        compiled(tensor(10), tensor(10).abs()),
    ]


@program
def method_and_attributes(compile: Compile) -> List[Any]:
    class Scaler:
        def __init__(self) -> None:
            self.factor = 3
            self.calls = 0

        def scale(self, x: Any, *more: Any, by: float = 2.0, **options: Any) -> Any:
            self.calls += 1
            print("", end="")
            return x * self.factor * by + sum(more) + len(options)

    scaler = Scaler()
    compiled = compile(scaler.scale)
    results = [compiled(tensor(4)), compiled(tensor(4), tensor(4), by=1.0, extra=1)]
    return [*results, torch.tensor(scaler.calls)]


@program
def module_training(compile: Compile) -> List[Any]:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    compiled = compile(model)
    compiled(tensor(3, 4)).pow(2).mean().backward()
    return [parameter.grad.clone() for parameter in model.parameters() if parameter.grad is not None]


@program
def dynamic_shapes(compile: Compile) -> List[Any]:
    def scaled(x: Any, n: int) -> Any:
        return x * x.shape[0] + n

    compiled = compile(scaled)
    return [compiled(tensor(size), size) for size in (3, 4, 5)]


@program
def marked_dynamic(compile: Compile) -> List[Any]:
    compiled = compile(lambda x: x.reshape(-1) + x.shape[0], dynamic=True)
    return [compiled(tensor(3, 2)), compiled(tensor(5, 4))]


@program
def closure_with_nonlocal(compile: Compile) -> List[Any]:
    count = 0
    bias = tensor(3)

    def counted(x: Any) -> Any:
        nonlocal count
        count += 1
        torch._dynamo.graph_break()
        return x + bias + count

    compiled = compile(counted)
    return [compiled(tensor(3)), compiled(tensor(3)), torch.tensor(count)]


@program
def inner_functions(compile: Compile) -> List[Any]:
    def outer(x: Any) -> Any:
        y = x * 2

        def inner(z: Any) -> Any:
            return z + y

        torch._dynamo.graph_break()
        return inner(x) * sum(inner(value) for value in [x, y])

    return [compile(outer)(tensor(4))]


@program
def generator(compile: Compile) -> List[Any]:
    def pieces(x: Any) -> Any:
        for index in range(3):
            yield x + index

    def total(x: Any) -> Any:
        return sum(pieces(x))

    return [compile(total)(tensor(4))]


@program
def containers_and_strings(compile: Compile) -> List[Any]:
    @dataclasses.dataclass
    class Pair:
        left: Any
        right: Any

    def build(x: Any, names: Any) -> Any:
        table = {name: x + index for index, name in enumerate(names)}
        torch._dynamo.graph_break()
        pair = Pair(table["a"], [value * 2 for value in table.values()])
        return pair.left, pair.right, f"{len(table)} of {x.dtype}", {*names}

    left, right, text, names = compile(build)(tensor(3), ("a", "b"))
    return [left, *right, text, sorted(names)]


@program
def context_managers(compile: Compile) -> List[Any]:
    @contextlib.contextmanager
    def nothing() -> Any:
        yield 1

    def guarded(x: Any) -> Any:
        with torch.no_grad():
            y = x * 2
            torch._dynamo.graph_break()
            y = y + 1
        with nothing() as one:
            z = y + one
        return z

    return [compile(guarded)(tensor(4, grad=True))]


@program
def exceptions(compile: Compile) -> List[Any]:
    def careful(x: Any, fail: bool) -> Any:
        try:
            y = x + 1
            if fail:
                raise ValueError("no")
        except ValueError:
            y = x - 1
        finally:
            x = x * 2
        torch._dynamo.graph_break()
        return y * x

    compiled = compile(careful)
    return [compiled(tensor(4), False), compiled(tensor(4), True)]


@program
def loop_with_breaks(compile: Compile) -> List[Any]:
    def one_step(x: Any, index: int) -> Any:
        return x.sin() + index

    def loop(x: Any) -> Any:  # Dynamo runs such a frame as it is, and compiles what it calls
        for index in range(3):
            x = one_step(x, index)
            if x.sum() > 100:
                break
            torch._dynamo.graph_break()
        return x

    return [compile(loop)(tensor(4))]


@program
def nested_compiles(compile: Compile) -> List[Any]:
    inner = compile(lambda x: x.sin() + 1)

    def outer(x: Any) -> Any:
        y = inner(x * 2)
        print("", end="")
        return inner(y) * 3

    return [compile(outer)(tensor(4))]


@program
def graph_break_in_called_function(compile: Compile) -> List[Any]:
    def called(x: Any) -> Any:
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    def caller(x: Any) -> Any:
        return called(x) + called(x * 3)

    return [compile(caller)(tensor(4))]


@program
def one_value_twice(compile: Compile) -> List[Any]:
    """After the break Dynamo copies the value on the stack, and both copies outlive the variable it came from."""

    def masks(x: torch.Tensor) -> Any:
        y = x + 1
        torch._dynamo.graph_break()
        mask = y > 1
        return mask, mask

    def function(x: torch.Tensor) -> Any:
        one, other = masks(x)
        return one.float() + other.float()

    compiled = compile(function)
    return [compiled(tensor(3)), compiled(tensor(2, 2))]


@program
def variables_that_only_the_graph_needs(compile: Compile) -> List[Any]:
    """The transformed code has cells and free variables that nothing in it uses any more."""

    def scaled(x: torch.Tensor) -> Any:
        factor, offset = 2.5, 1
        parts = [part * factor + offset for part in x.unbind(-1)]
        (lambda: factor)()
        return torch.stack(parts)

    def checked(forbidden: str, message: str) -> Any:
        def decorator(function: Any) -> Any:
            def wrapper(*args: Any, **named: Any) -> Any:
                if forbidden in named:
                    raise ValueError(message)
                return function(*args, **named)

            return wrapper

        return decorator

    @checked("other", "not this one")
    def broken(x: torch.Tensor, scale: Any = None) -> torch.Tensor:
        y = x + 1
        torch._dynamo.graph_break()
        return y * scale

    return [compile(scaled)(tensor(3, 2)), compile(broken)(tensor(3), scale=tensor(3))]


@program
def higher_order(compile: Compile) -> List[Any]:
    def choose(x: Any) -> Any:
        return torch.cond(x.sum() > 0, lambda v: v.cos(), lambda v: v.sin(), (x,))

    compiled = compile(choose)
    return [compiled(tensor(4)), compiled(tensor(4) + 5)]


@program
def exported(compile: Compile) -> List[Any]:
    class Model(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x.relu() + 1

    exported_program = torch.export.export(Model(), (tensor(4),), strict=True)
    return [exported_program.module()(tensor(4))]


@program
def compiled_autograd(compile: Compile) -> List[Any]:
    compiled = compile(lambda x, y: (x.cos() * y).sum())
    x = tensor(4, grad=True)
    loss = compiled(x, tensor(4))
    module = torch._dynamo.compiled_autograd
    enable = getattr(module, "_enable", None) or module.enable  # the second name before 2.6
    with enable(compile):
        loss.backward()
    return [loss.detach(), x.grad]


@program
def in_place_and_views(compile: Compile) -> List[Any]:
    def update(x: Any, out: List[Any]) -> Any:
        x[0] = 5
        out.append(x.view(-1)[1:])
        x.add_(1)
        torch._dynamo.graph_break()
        out[0].mul_(2)
        return x

    x, out = tensor(4), []
    result = compile(update)(x, out)
    return [result, x, *out]


@program
def constants_of_all_kinds(compile: Compile) -> List[Any]:
    def made(x: Any) -> Any:
        torch._dynamo.graph_break()
        y = torch.zeros(3, dtype=torch.float64, device=torch.device("cpu"))
        return x.to(y.dtype) + y, torch.float32, x.device, slice(1, 2), float("inf"), -0.0, 1j, ..., None

    values = compile(made)(tensor(3))
    return [values[0], *map(repr, values[1:])]


@program
def recompiled_for_values(compile: Compile) -> List[Any]:
    def powered(x: Any, mode: str) -> Any:
        return x.sin() if mode == "sin" else x.cos()

    compiled = compile(powered)
    return [compiled(tensor(3), mode) for mode in ("sin", "cos", "sin")]


@program
def decorated_and_partial(compile: Compile) -> List[Any]:
    import functools

    def base(x: Any, scale: float, *, shift: Any = None) -> Any:
        print("", end="")
        return x * scale if shift is None else x * scale + shift

    compiled = compile(functools.partial(base, scale=2.0))
    return [compiled(tensor(3)), compiled(tensor(3), shift=tensor(3))]


@program
def training_step(compile: Compile) -> List[Any]:
    """Frames that PyTorch gives up have cache entries without code."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)  # with momentum, 2.2 does not compile it

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    compiled = compile(step)
    return [compiled(tensor(4, 3), tensor(4, 1)) for _ in range(2)] + [p.detach() for p in model.parameters()]


@program
def breaks_in_comprehensions(compile: Compile) -> List[Any]:
    """The resume functions keep the start of their function, with another number of cells, where nothing reaches it."""

    def shifted(x: Any, by: int) -> Any:
        torch._dynamo.graph_break()
        return x + by

    def total(x: Any) -> Any:
        parts = [shifted(x, index) for index in range(3)]
        return sum({index: part * 2 for index, part in enumerate(parts)}.values()), {float(part.sum()) for part in parts}

    return list(compile(total)(tensor(3)))


@program
def named_tuples_in_and_out(compile: Compile) -> List[Any]:
    """Dynamo calls an object that is a constant of the code."""

    def moved(point: Point, by: Any) -> Any:
        found = Point(point.x + 1, point.y * by)
        torch._dynamo.graph_break()
        return Point(found.x * 2, found.y), point  # 2.9 does not compile _replace

    found, point = compile(moved)(Point(tensor(2), tensor(2)), 3)
    return [*found, *point, type(found).__name__]
