"""What a tensor holds, in one line: for the report on the first bad value."""

from __future__ import annotations

from typing import Any, Iterator, List, Tuple

import torch


def tensors_in(value: Any) -> Iterator[Any]:
    """The tensors in a value, through lists, tuples and dicts."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item)


def described(tensor: Any) -> str:
    """Type, shape, and for floating-point values their range and how many are not numbers."""
    kind = f"{str(tensor.dtype).replace('torch.', '')}{list(tensor.shape)}"
    if tensor.is_meta or not tensor.numel():
        return kind
    if not (tensor.is_floating_point() or tensor.is_complex()):
        return f"{kind}, first {tensor.flatten()[0].item()}"
    values = tensor.detach().abs() if tensor.is_complex() else tensor.detach()
    values = values.to(torch.float64) if values.dtype != torch.float64 else values
    finite = values[torch.isfinite(values)]
    parts = [kind]
    if finite.numel():
        low, high, mean = finite.min().item(), finite.max().item(), finite.mean().item()
        parts.append(f"min {low:.6g}, max {high:.6g}, mean {mean:.6g}")
    nans, infs = int(torch.isnan(values).sum()), int(torch.isinf(values).sum())
    parts.append(f"{nans} nan, {infs} inf of {values.numel()}")
    return ", ".join(parts)


def lines_about(named: List[Tuple[str, Any]]) -> List[str]:
    """One line for each tensor of these named values; plain values as they are."""
    lines = []
    for name, value in named:
        tensors = list(tensors_in(value))
        if isinstance(value, torch.Tensor):
            lines.append(f"{name}: {described(value)}")
        elif tensors:
            lines.extend(f"{name}[{number}]: {described(tensor)}" for number, tensor in enumerate(tensors))
        elif isinstance(value, (int, float, bool, str)):
            lines.append(f"{name}: {value!r}")
    return lines
