"""From the name of an architecture to a tiny model in eval mode, and inputs that it is known to run with.

Names are `hf:<model type>` for transformers, `timm:<module>/<model>` for timm, `small:<name>` for models of our own. Nothing is
downloaded.
"""

from __future__ import annotations

import copy
import itertools
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Tuple

from gauntlet.inputs import Candidate, Inputs, candidates
from gauntlet.shrink import PROFILES, shrunk

SEED = 20
LARGEST = 80_000_000  # parameters
PATIENCE = 40.0  # seconds after which no further configuration is tried
SHAPES = ((2, 8), (3, 12), (3, 8), (2, 12))  # batch and length: the usual ones, and others


class DoesNotRun(Exception):
    """The architecture does not run eagerly in any way that was tried; the message has the likeliest reason."""


@dataclass
class Built:
    """How to make a model again and again in the same state, and inputs and shapes that it runs with."""

    make: Callable[[], Any]
    model: Any
    label: str
    candidate: Candidate

    def shapes(self) -> List[Tuple[int, int]]:
        """The first shape, and another one that the eager model takes too."""
        others = (s for s in SHAPES[1:] if _problem_with(self.fresh(), self.candidate, s) is None)
        return [SHAPES[0], *itertools.islice(others, 1)]

    def fresh(self) -> Any:
        """A new model with the first one's values, since a model may change as it runs."""
        import torch

        torch.manual_seed(SEED)
        model = self.make()
        with torch.no_grad():
            for mine, first in zip([*model.parameters(), *model.buffers()], self._values):
                mine.copy_(first)
        return model

    def __post_init__(self) -> None:
        self._values = [t.detach().clone() for t in [*self.model.parameters(), *self.model.buffers()]]

    def inputs(self, shape: Tuple[int, int]) -> Inputs:
        import torch

        torch.manual_seed(SEED)
        return self.candidate.make(*shape)


def build(name: str) -> Built:
    library, _, rest = name.partition(":")
    return _built_from({"hf": _transformers_models, "timm": _timm_models, "small": _small_models}[library](rest))


def _built_from(attempts: Iterator[Any]) -> Built:
    import torch

    problems: List[Tuple[int, str]] = []
    started = time.monotonic()
    for attempt in attempts:
        if problems and time.monotonic() - started > PATIENCE:
            break
        if isinstance(attempt, str):
            problems.append((0, attempt))
            continue
        label, make, model, tries = attempt
        for candidate in tries:
            problem = _problem_with(model, candidate, SHAPES[0])
            if problem is None:
                torch.manual_seed(SEED)
                return Built(make, make(), label, candidate)
            problems.append((1, problem))
    best = max(problems, key=lambda p: p[0], default=(0, "there is no model class for it"))
    raise DoesNotRun(best[1])


def _problem_with(model: Any, candidate: Candidate, shape: Tuple[int, int]) -> Any:
    """None if the eager model runs with these inputs, otherwise why not."""
    import torch

    try:
        torch.manual_seed(SEED)
        inputs = candidate.make(*shape)
        with torch.no_grad():
            model(**copy.deepcopy(inputs))
    except Exception as error:
        return f"{candidate.label}: {one_line(error)}"
    return None


def one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:160]}"


def _transformers_models(model_type: str) -> Iterator[Any]:
    """Models by profile, or a text that says why one could not be built."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    try:
        config_class = CONFIG_MAPPING[model_type]
        default: Dict[str, Any] = config_class().to_dict()
        classes = _model_classes(config_class, model_type)
    except Exception as error:
        yield one_line(error)
        return
    for profile in PROFILES:
        for model_class in classes:
            try:
                make = _maker(model_class, config_class, shrunk(default, profile))
                model = make()
            except Exception as error:
                yield f"{model_class.__name__}, {profile.name}: {one_line(error)}"
                continue
            yield f"{model_class.__name__}, {profile.name}", make, model, candidates(model)


def _model_classes(config_class: Any, model_type: str) -> List[Any]:
    from transformers.models.auto import modeling_auto

    found: List[Any] = []
    for mapping in ("MODEL_MAPPING", "MODEL_FOR_CAUSAL_LM_MAPPING", "MODEL_FOR_PRETRAINING_MAPPING"):
        try:
            value = getattr(modeling_auto, mapping)[config_class]
        except KeyError:
            continue
        found += [c for c in (value if isinstance(value, tuple) else (value,)) if c not in found]
    return found[:2]


def _maker(model_class: Any, config_class: Any, values: Dict[str, Any]) -> Callable[[], Any]:
    import torch

    with torch.device("meta"):
        parameters = sum(p.numel() for p in model_class(config_class(**copy.deepcopy(values))).parameters())
    if parameters > LARGEST:
        raise ValueError(f"{parameters:,} parameters are too many")
    return lambda: finite(model_class(config_class(**copy.deepcopy(values)))).eval()


def finite(model: Any) -> Any:
    """Memory that no initialisation filled gets small random values."""
    import torch

    with torch.no_grad():
        for tensor in [*model.parameters(), *model.buffers()]:
            if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
                tensor.normal_(0.0, 0.02)
    return model


def _small_models(name: str) -> Iterator[Any]:
    from gauntlet.small import small_models  # needs PyTorch when it is imported, and few need it

    return small_models(name)


def _timm_models(rest: str) -> Iterator[Any]:
    import timm
    import torch

    _, _, name = rest.rpartition("/")
    for options in ({"img_size": 64}, {}):
        try:
            with torch.device("meta"):
                parameters = sum(p.numel() for p in timm.create_model(name, pretrained=False, **options).parameters())
            if parameters > LARGEST:
                raise ValueError(f"{parameters:,} parameters are too many")
            make = _timm_maker(name, options)
            model = make()
        except Exception as error:
            yield f"{name}: {one_line(error)}"
            continue
        config = model.default_cfg if isinstance(getattr(model, "default_cfg", None), dict) else {}
        sizes = [64, *(config.get("input_size") or (3, 224, 224))[-1:]]
        yield f"{name}, {options or 'as configured'}", make, model, _timm_candidates(sizes)


def _timm_maker(name: str, options: Dict[str, Any]) -> Callable[[], Any]:
    import timm

    return lambda: finite(timm.create_model(name, pretrained=False, **options)).eval()


def _timm_candidates(sizes: List[int]) -> Iterator[Candidate]:
    import torch

    for size in sizes:
        yield Candidate(f"x 3x{size}x{size}", (("x", lambda b, n, s=size: torch.randn(b, 3, s, s)),))
