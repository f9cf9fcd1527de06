"""Cache entries and their guards: what PyTorch keeps of its compilations, and how it asks whether one fits."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, nullcontext
from types import CodeType
from typing import Any, Callable, ContextManager, Dict, Iterator, List, NamedTuple, Optional, Tuple


class Entry(NamedTuple):
    """A cache entry, read out while it was alive: the struct behind it may be freed by a reset."""

    compile_id: Optional[str]
    code: CodeType
    guards: Any


def cache_entries(code: CodeType) -> List[Entry]:
    """The cache entries of a code object, in the order in which PyTorch tries them.

    `guard_manager` holds the guards from 2.6 on, `check_fn` before; `compile_id` is there from 2.5 on.
    """
    entries = []
    for entry in live_entries(code):
        guards = getattr(entry, "guard_manager", None)
        if guards is None:
            check = getattr(entry, "check_fn", None)
            guards = getattr(check, "guard_manager", None) or check
        compile_id = getattr(entry, "compile_id", None)
        if compile_id is None:
            compile_id = str(getattr(entry, "trace_annotation", "")).rpartition(": ")[2] or None
        entries.append(Entry(None if compile_id is None else str(compile_id), entry.code, guards))
    return entries


def live_entries(code: CodeType) -> List[Any]:
    """The cache entries of a code object, the one that is tried first in front. 2.2+.

    An entry without code says that PyTorch gave the frame up.
    """
    from torch._dynamo import eval_frame

    return [entry for entry in eval_frame._debug_get_cache_entry_list(code) if entry.code is not None]


def entry_name(entry: Any) -> str:
    """The compile id of an entry, such as [0/1]; empty before 2.5, which do not keep it."""
    compile_id = getattr(entry, "compile_id", None)
    return "" if compile_id is None else f"[{compile_id}]"


def guard_text(guards: Any) -> str:
    """The guards of an entry as PyTorch prints them: a tree (2.4 and later), or a list of expressions (before)."""
    if hasattr(guards, "root") or type(guards).__name__ == "RootGuardManager":
        return str(guards)
    parts = getattr(guards, "verbose_code_parts", None) or getattr(guards, "code_parts", None) or []
    return "\n".join(f"+- GUARD: {part}" for part in parts)


def guard_globals(guards: Any) -> Dict[str, Any]:
    """The globals of the guarded function, where its compiled graphs and resume functions are installed."""
    scope = getattr(guards, "global_scope", None) or {}
    inner = scope.get("G") if isinstance(scope, dict) else None
    return inner if isinstance(inner, dict) else (scope if isinstance(scope, dict) else {})


def guards_of(entry: Any) -> Any:
    """What evaluates the guards of an entry: a guard manager (2.6+), before that a function over the frame's locals."""
    manager = getattr(entry, "guard_manager", None)
    return entry.check_fn if manager is None else manager


def guard_tree(entry: Any) -> Any:
    """The root of the tree of guard managers of an entry (2.6+), or None."""
    root = getattr(guards_of(entry), "root", None)
    return root if hasattr(root, "clone_manager") and hasattr(root, "get_leaf_guards") else None


def guard_check(entry: Any) -> Callable[[Dict[str, Any]], Any]:
    """The function that evaluates the guards of an entry on a frame's locals."""
    guards = guards_of(entry)
    root = guard_tree(entry)
    check: Callable[[Dict[str, Any]], Any] = getattr(guards if root is None else root, "check", guards)
    return check


def guards_hold(entry: Any, frame_locals: Dict[str, Any]) -> bool:
    """Whether the guards of an entry accept these locals. Evaluates them, and compiles nothing."""
    return bool(guard_check(entry)(frame_locals))


def deciding_guard_check(entry: Any) -> Callable[[Dict[str, Any]], Any]:
    """The function that evaluates those guards of an entry that tell it from the others: what is left of them inside
    guards_switched_off() (2.6+; before, all of them)."""
    check = getattr(getattr(guards_of(entry), "diff_guard_root", None), "check", None)
    return guard_check(entry) if check is None else check


def failing_guard(entry: Any, frame_locals: Dict[str, Any]) -> Optional[str]:
    """The guard of an entry that rejects these locals, as PyTorch words it; None when all hold.

    2.4+: the guards say it themselves; before, they are a function that keeps its conditions as texts.
    """
    guards = guards_of(entry)
    verbose = getattr(guards, "check_verbose", None)
    if verbose is None:
        return None if guards_hold(entry, frame_locals) else _failing_text(guards, frame_locals)
    info = verbose(frame_locals)
    if info.result:
        return None
    parts = [str(part).strip() for part in info.verbose_code_parts]
    return "; ".join(parts) or "a guard without a text"


def _failing_text(guards: Any, frame_locals: Dict[str, Any]) -> str:
    scope = {**getattr(guards, "closure_vars", {}), "L": frame_locals}
    # the one check that can say more than that it failed, under a name of its own
    scope["___check_tensors"] = scope.get("___check_tensors_verbose") or scope.get("___check_tensors")
    for text in _texts(guards):
        try:
            result = eval(text, getattr(guards, "global_scope", {}), scope)
            if isinstance(result, str) or not result:
                return str(result or text).strip()
        except Exception:  # a text that is for people only
            continue
    return "a guard (this PyTorch release does not say which)"


def failed_guards(code: Any, frame_locals: Any) -> List[str]:
    """For each entry of a code object, the guard that rejects a frame with these locals."""
    found: List[str] = []
    values: Dict[str, Any] = dict(frame_locals)
    for entry in live_entries(code):
        guard = failing_guard(entry, values)
        if guard is not None:
            found.append(f"{entry_name(entry)} {guard}".strip())
    return found


def guard_texts(entry: Any) -> List[str]:
    """The guards of an entry as texts, for releases whose tree cannot be copied (2.4 and 2.5) or that have none (before)."""
    guards = guards_of(entry)
    root = getattr(guards, "root", None)
    texts = _texts(guards)
    if texts or not hasattr(root, "get_leaf_guards"):
        return texts
    # 2.4 keeps them in the tree alone
    leaves = [leaf for node in guard_nodes(root) for leaf in node.get_leaf_guards()]
    return [str(part) for leaf in leaves for part in leaf.verbose_code_parts()]


def guard_nodes(node: Any) -> Iterator[Any]:
    """The nodes of a tree in the order in which they are copied and evaluated."""
    yield node
    pairs = getattr(node, "get_key_value_managers", None)
    if pairs is not None:
        for _, (key, value) in sorted(pairs().items()):
            for child in (key, value):
                if child is not None:
                    yield from guard_nodes(child)
    for child in node.get_child_managers():
        yield from guard_nodes(child)


def _texts(guards: Any) -> List[str]:
    texts = getattr(guards, "verbose_code_parts", None) or getattr(guards, "code_parts", None) or []
    return [str(text) for text in texts]


@contextmanager
def as_in_a_call(context: Any) -> Iterator[None]:
    """Where guards are to be evaluated outside of a call of what torch.compile made.

    Before 2.4 one of them asks which backend the running call belongs to, and in 2.2 one which configuration; since then
    PyTorch compares these itself.
    """
    from torch._dynamo import eval_frame

    with ExitStack() as stack:
        callback = getattr(context, "callback", None)
        wrapper = getattr(eval_frame, "backend_cache_wrapper", None)  # 2.2: a context manager
        if wrapper is not None and callback is not None:
            stack.enter_context(wrapper(callback))
        manager = getattr(eval_frame, "backend_cache_manager", None)  # 2.3: a function that gives back one to undo it
        if manager is not None and callback is not None:
            stack.callback(manager(callback)())
        restore = getattr(eval_frame, "restore_guarded_dynamo_config", None)
        if restore is not None and getattr(context, "save_config", False):
            stack.enter_context(restore(context.first_ctx, context.saved_config_and_hash, context.nopython))
        yield


def guards_switched_off() -> ContextManager[Any]:
    """Inside it, torch.compile evaluates only the guards that tell its entries apart (2.6+; before, nothing changes)."""
    import torch.compiler

    set_stance = getattr(torch.compiler, "set_stance", None)
    if set_stance is None:
        return nullcontext()
    return set_stance(skip_guard_eval_unsafe=True)  # type: ignore[no-any-return]


def resume_code(value: Any) -> Optional[CodeType]:
    """The code of a resume function, from what is installed under its name.

    That is a function, or, where the function has free variables, a function that makes it out of their cells (2.9), or the
    code itself (before).
    """
    if isinstance(value, CodeType):
        return value
    code = getattr(value, "__code__", None)
    if isinstance(code, CodeType) and "resume_in_" not in code.co_name:
        for cell in getattr(value, "__closure__", None) or ():
            try:
                if isinstance(cell.cell_contents, CodeType):
                    return cell.cell_contents
            except ValueError:  # an empty cell
                continue
    return code if isinstance(code, CodeType) else None


def transformed_codes() -> List[Tuple[CodeType, CodeType]]:
    """(original, transformed) for every transformed code object that is alive in this process."""
    from torch._dynamo import utils

    table = utils.orig_code_map
    pairs = []
    for key, original in list(table.values.items()):
        reference = table.refs.get(key)
        transformed = None if reference is None else reference()
        if isinstance(transformed, CodeType) and isinstance(original, CodeType):
            pairs.append((original, transformed))
    return pairs
