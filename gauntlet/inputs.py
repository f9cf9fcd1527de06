"""Inputs that an architecture may take, guessed from the signature of its forward method and its configuration.

A candidate is a function of a batch size and a length, so that the same inputs can be made again in other shapes. Whether
a candidate is right, the eager model says.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Set, Tuple

Inputs = Dict[str, Any]
Maker = Callable[[int, int], Any]


@dataclass(frozen=True)
class Candidate:
    """Makers of tensors by parameter name; `label` says in words what they are."""

    label: str
    makers: Tuple[Tuple[str, Maker], ...]

    def make(self, batch: int, length: int) -> Inputs:
        return {name: maker(batch, length) for name, maker in self.makers}


def configurations(config: Any) -> List[Any]:
    """A configuration and those nested in it, outermost first."""
    found = [config]
    for value in vars(config).values():
        if hasattr(value, "model_type") and hasattr(value, "to_dict"):
            found += configurations(value)
    return found


def first(config: Any, names: Tuple[str, ...], default: Any) -> Any:
    for part in configurations(config):
        for name in names:
            value = getattr(part, name, None)
            if value is not None and not isinstance(value, (bool, str)):
                return value
    return default


def parameters(model: Any) -> Set[str]:
    return set(inspect.signature(model.forward).parameters)


def _required(model: Any) -> List[str]:
    """Parameters that must be given and that are words or masks by their name."""
    found = inspect.signature(model.forward).parameters.values()
    asked = [p.name for p in found if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return [name for name in asked if name.endswith(("_ids", "_mask"))]


def candidates(model: Any) -> Iterator[Candidate]:
    """Likely inputs first. The same parameter may be tried in several shapes."""
    taken = parameters(model)
    required = _required(model)
    config = model.config
    main = getattr(model, "main_input_name", "input_ids")
    mains = [main] + [n for n in _MAINS if n in taken and n != main]
    if "grid_thw" in taken:
        yield from _patches(taken, config)
    for name in mains:
        if name not in taken:
            continue
        for label, maker in _makers(name, config):
            yield from _with_companions(f"{name} {label}", [(name, maker)], taken, required, config)
    if "input_ids" in taken and "pixel_values" in taken:
        for _, text in _makers("input_ids", config):
            for label, image in _makers("pixel_values", config):
                pair = [("input_ids", text), ("pixel_values", image)]
                yield from _with_companions(f"input_ids and pixel_values {label}", pair, taken, required, config)


def _patches(taken: Set[str], config: Any) -> Iterator[Candidate]:
    """Images cut into rows of pixels, with a grid that says how many there are: time, height and width."""
    import torch

    patch = first(config, ("patch_size",), 14)
    channels = first(config, ("in_channels", "in_chans", "num_channels"), 3)
    frames = first(config, ("temporal_patch_size",), 1)
    grid = ("grid_thw", lambda b, n: torch.tensor([[1, 4, 4]] * b))
    for name in ("hidden_states", "pixel_values"):
        for width in (channels * frames * patch * patch, channels * patch * patch):
            if name in taken:
                rows = (name, lambda b, n, w=width: _floats(16 * b, w))
                yield Candidate(f"{name} patches, grid_thw", (rows, grid))
    if "pixel_values" in taken:
        rows = ("pixel_values", lambda b, n: _floats(16 * b, channels, patch, patch))
        yield Candidate("pixel_values patches in planes, grid_thw", (rows, grid))


def _with_companions(
    label: str, makers: List[Tuple[str, Maker]], taken: Set[str], required: List[str], config: Any
) -> Iterator[Candidate]:
    ids = _ids(config)
    asked = [name for name in required if name not in dict(makers)]
    for name in asked:
        makers = [*makers, (name, ids if name.endswith("_ids") else _ones)]
    yield Candidate(", ".join([label, *asked]), tuple(makers))
    if "decoder_input_ids" in taken:
        yield Candidate(label + ", decoder_input_ids", (*makers, ("decoder_input_ids", ids)))
    if "bbox" in taken:
        yield Candidate(label + ", bbox", (*makers, ("bbox", _boxes)))
    if "attention_mask" in taken:
        yield Candidate(label + ", attention_mask", (*makers, ("attention_mask", _ones)))
    if "token_type_ids" in taken and "input_ids" in dict(makers):
        yield Candidate(label + ", token_type_ids", (*makers, ("token_type_ids", _zeros)))


_MAINS = ("input_ids", "pixel_values", "input_features", "input_values", "pixel_values_videos", "inputs", "inputs_embeds",
          "past_values", "audio_values", "hidden_states", "spectrogram", "audio_codes", "features")  # fmt: skip


def _makers(name: str, config: Any) -> List[Tuple[str, Maker]]:
    known = {
        "input_ids": _texts, "decoder_input_ids": _texts, "pixel_values": _images, "input_features": _sounds,
        "input_values": _sounds, "pixel_values_videos": _videos, "inputs": _anything, "inputs_embeds": _vectors,
        "past_values": _series, "audio_values": _sounds, "hidden_states": _vectors, "spectrogram": _sounds,
        "audio_codes": _codes, "features": _sounds,
    }  # fmt: skip
    return known.get(name, _anything)(config)


def _ids(config: Any) -> Maker:
    import torch

    size = first(config, ("vocab_size", "n_vocab", "codebook_size"), 64)
    size = size if isinstance(size, int) and size > 0 else 64
    reserved = {
        v for part in configurations(config) for k, v in vars(part).items()
        if isinstance(v, int) and k.endswith(("_id", "_index", "_token"))
    }  # fmt: skip
    free = [i for i in range(min(size, 600)) if i not in reserved][-64:] or [0]
    return lambda batch, length: torch.tensor(free)[torch.randint(0, len(free), (batch, length))]


def _texts(config: Any) -> List[Tuple[str, Maker]]:
    import torch

    plain = _ids(config)
    books = first(config, ("num_codebooks", "n_codebooks", "num_quantizers"), 0)
    out = [("tokens", plain)]
    if isinstance(books, int) and books > 1:
        out.append(("tokens by codebook", lambda b, n: torch.stack([plain(b, n) for _ in range(books)], dim=-1)))
        out.append(("codebooks in rows", lambda b, n: plain(b * books, n)))
    return out


def _floats(*shape: int) -> Any:
    import torch

    return torch.randn(*shape)


def _images(config: Any) -> List[Tuple[str, Maker]]:
    channels = first(config, ("num_channels", "in_channels", "in_chans", "num_input_channels"), 3)
    channels = channels if isinstance(channels, int) else 3
    sizes: List[int] = []
    for size in (first(config, ("image_size", "img_size", "input_size"), None), 64, 224, 32, 128, 256):
        if isinstance(size, dict):
            size = next(iter(size.values()), None)
        if isinstance(size, (list, tuple)):
            size = size[0] if size else None
        if isinstance(size, int) and 8 <= size <= 512 and size not in sizes:
            sizes.append(size)
    frames = first(config, ("num_frames", "temporal_patch_size"), 4)
    frames = frames if isinstance(frames, int) else 4
    out: List[Tuple[str, Maker]] = []
    for size in sizes:
        out.append((f"{channels}x{size}x{size}", lambda b, n, s=size: _floats(b, channels, s, s)))
    for size in sizes[:2]:
        out.append((f"{frames} frames {size}", lambda b, n, s=size: _floats(b, frames, channels, s, s)))
    return out


def _videos(config: Any) -> List[Tuple[str, Maker]]:
    size = first(config, ("image_size", "crop_size"), 64)
    size = size if isinstance(size, int) else 64
    frames = first(config, ("num_frames", "frames_per_clip"), 4)
    frames = frames if isinstance(frames, int) else 4
    return [(f"{frames} frames {size}", lambda b, n: _floats(b, frames, 3, size, size))]


def _sounds(config: Any) -> List[Tuple[str, Maker]]:
    bins = first(config, ("num_mel_bins", "n_mels", "input_dim", "feature_size", "mel_dim", "input_feat_per_channel"), 80)
    bins = bins if isinstance(bins, int) else 80
    frames = first(config, ("max_source_positions",), 512)
    frames = 2 * (frames if isinstance(frames, int) else 512)
    width = first(config, ("feature_projection_input_dim", "model_in_dim"), 160)
    return [
        ("samples", lambda b, n: _floats(b, 4000 + 320 * n)),
        ("one channel of samples", lambda b, n: _floats(b, 1, 4000 + 320 * n)),
        ("frames by bins", lambda b, n: _floats(b, 64 + 8 * n, bins)),
        ("bins by frames", lambda b, n: _floats(b, bins, frames)),
        ("bins by few frames", lambda b, n: _floats(b, bins, 64 + 8 * n)),
        ("frames by projected bins", lambda b, n: _floats(b, 64 + 8 * n, width)),
        ("frames by default bins", lambda b, n: _floats(b, 1024, 128)),
        ("an image of bins", lambda b, n: _floats(b, 1, 1024, bins)),
    ]


def _vectors(config: Any) -> List[Tuple[str, Maker]]:
    width = first(config, ("hidden_size", "d_model", "n_embd", "input_dim", "embed_dim"), 64)
    return [("vectors", lambda b, n: _floats(b, n, width)), ("vectors in front", lambda b, n: _floats(b, width, n))]


def _series(config: Any) -> List[Tuple[str, Maker]]:
    length = first(config, ("context_length",), 32)
    width = first(config, ("num_input_channels", "input_size"), 1)
    return [
        ("a series", lambda b, n: _floats(b, length, width)),
        ("a flat series", lambda b, n: _floats(b, length)),
        ("series in a list", lambda b, n: [_floats(length) for _ in range(b)]),
    ]


def _codes(config: Any) -> List[Tuple[str, Maker]]:
    import torch

    books = first(config, ("num_codebooks", "n_codebooks", "num_quantizers"), 4)
    plain = _ids(config)
    return [
        ("codes", lambda b, n: torch.stack([plain(b, n) for _ in range(books)], dim=1)),
        ("codes last", lambda b, n: torch.stack([plain(b, n) for _ in range(books)], dim=2)),
    ]


def _anything(config: Any) -> List[Tuple[str, Maker]]:
    return _texts(config) + _images(config)[:2] + _vectors(config)


def _ones(batch: int, length: int) -> Any:
    import torch

    return torch.ones(batch, length, dtype=torch.long)


def _zeros(batch: int, length: int) -> Any:
    import torch

    return torch.zeros(batch, length, dtype=torch.long)


def _boxes(batch: int, length: int) -> Any:
    import torch

    corner = torch.randint(0, 50, (batch, length, 2))
    return torch.cat([corner, corner + torch.randint(1, 50, (batch, length, 2))], dim=-1)
