"""The names of all architectures there are to try: the model types of transformers, and one small model a family of timm."""

from __future__ import annotations

from typing import Dict, List


def transformers_names() -> List[str]:
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

    return [f"hf:{name}" for name in sorted(MODEL_MAPPING_NAMES)]


def timm_names() -> List[str]:
    """The model with the shortest name among those of each module, since small ones tend to have short names."""
    import timm
    from timm.models import list_modules

    small = ("tiny", "small", "nano", "pico", "atto", "femto", "micro", "mini", "xs", "_s", "18", "b0", "050")
    chosen: Dict[str, str] = {}
    for module in list_modules():
        names = timm.list_models(module=module)
        if names:
            chosen[module] = min(names, key=lambda n: (not any(s in n for s in small), len(n), n))
    return [f"timm:{module}/{name}" for module, name in sorted(chosen.items())]


def all_names() -> List[str]:
    return transformers_names() + timm_names()
