"""What a model gave, as a flat list of named values whose bits can be compared.

Follows containers, dataclasses and plain objects such as caches of keys and values; objects that are not containers once.
"""

from __future__ import annotations

import struct
from typing import Any, Dict, List, Optional, Set, Tuple

Flat = List[Tuple[str, Any]]


def flattened(value: Any) -> Flat:
    """(path, bits) of everything in `value`; tensors become (dtype, shape, bytes)."""
    found: Flat = []
    _walk("", value, found, set())
    return found


def _walk(path: str, value: Any, found: Flat, seen: Set[int]) -> None:
    import torch

    if isinstance(value, torch.Tensor):
        found.append((path, bits(value)))
    elif isinstance(value, float):
        found.append((path, struct.pack("<d", value).hex()))  # a NaN equals itself, and 0.0 is not -0.0
    elif value is None or isinstance(value, (bool, int, str, bytes, complex)):
        found.append((path, value))
    elif id(value) not in seen:
        seen.add(id(value))
        for name, part in _parts(value):
            _walk(f"{path}.{name}" if path else name, part, found, seen)
        if isinstance(value, (list, tuple, dict)):
            seen.discard(id(value))  # the same tuple twice, or two equal ones: that is one and the same to everybody


def _parts(value: Any) -> List[Tuple[str, Any]]:
    if isinstance(value, dict):
        return [(str(key), part) for key, part in value.items()]
    if isinstance(value, (list, tuple)):
        return [(str(number), part) for number, part in enumerate(value)]
    if isinstance(value, type) or callable(value):
        return []
    attributes: Dict[str, Any] = getattr(value, "__dict__", {})
    return [(name, part) for name, part in sorted(attributes.items()) if not name.startswith("__")]


def bits(tensor: Any) -> Tuple[str, Tuple[int, ...], bytes]:
    import torch

    plain = tensor.detach()
    if plain.layout != torch.strided:
        plain = plain.to_dense()
    flat = plain.resolve_conj().resolve_neg().contiguous().reshape(-1)
    return str(tensor.dtype), tuple(tensor.shape), bytes(flat.view(torch.uint8).numpy()) if flat.numel() else b""


def difference(expected: Flat, found: Flat) -> Optional[str]:
    """None if they are the same bit by bit, otherwise where they part."""
    if [path for path, _ in expected] != [path for path, _ in found]:
        return f"{len(expected)} values against {len(found)}, or other names"
    for (path, one), (_, other) in zip(expected, found):
        if one != other or type(one) is not type(other):
            return f"{path or 'the output'} differs"
    return None


def tensors(value: Any) -> List[Any]:
    """The tensors in `value` that gradients can flow into."""
    import torch

    found: List[Any] = []
    pending, seen = [value], set()
    while pending:
        current = pending.pop(0)
        if isinstance(current, torch.Tensor):
            found += [current] if current.requires_grad and current.is_floating_point() else []
        elif id(current) not in seen and not isinstance(current, (int, float, str, bytes, type(None))):
            seen.add(id(current))
            pending += [part for _, part in _parts(current)]
    return found
