"""A handful of small models written here, shaped like the large families, for tests that must not need another library.

A decoder with rotary positions, grouped keys and a cache object; an encoder with masks; routed experts; a residual
network; an encoder with a decoder; a recurrent state. Their outputs are as varied as those of the libraries.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import torch
from torch import nn
from torch.nn import functional as F

from gauntlet.inputs import Candidate

WIDTH, HEADS, WORDS = 16, 2, 32


class Cache:
    """Keys and values by layer, filled by the forward pass."""

    def __init__(self) -> None:
        self.keys: List[torch.Tensor] = []
        self.values: List[torch.Tensor] = []

    def update(self, key: torch.Tensor, value: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        self.keys.append(key)
        self.values.append(value)
        return key, value


@dataclass
class Output:
    hidden: torch.Tensor
    cache: Optional[Cache] = None
    extras: Dict[str, torch.Tensor] = field(default_factory=dict)


def rotated(x: torch.Tensor) -> torch.Tensor:
    positions = torch.arange(x.shape[-2], device=x.device).to(x.dtype)
    frequencies = 1.0 / (100.0 ** (torch.arange(0, x.shape[-1], 2).to(x.dtype) / x.shape[-1]))
    angles = torch.outer(positions, frequencies).repeat(1, 2)
    left, right = x.chunk(2, dim=-1)
    return x * angles.cos() + torch.cat((-right, left), dim=-1) * angles.sin()


class Attention(nn.Module):
    def __init__(self, causal: bool, key_heads: int = HEADS) -> None:
        super().__init__()
        self.causal, self.key_heads, self.size = causal, key_heads, WIDTH // HEADS
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, key_heads * self.size)
        self.value = nn.Linear(WIDTH, key_heads * self.size)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor, memory: Optional[torch.Tensor] = None, mask: Any = None, cache: Any = None) -> Any:
        source = x if memory is None else memory
        batch = x.shape[0]
        query = self.query(x).view(batch, -1, HEADS, self.size).transpose(1, 2)
        key = self.key(source).view(batch, -1, self.key_heads, self.size).transpose(1, 2)
        value = self.value(source).view(batch, -1, self.key_heads, self.size).transpose(1, 2)
        if self.causal:
            query, key = rotated(query), rotated(key)
        if cache is not None:
            key, value = cache.update(key, value)
        repeats = HEADS // self.key_heads
        key, value = (t.repeat_interleave(repeats, dim=1) if repeats > 1 else t for t in (key, value))
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=self.causal and mask is None)
        return self.out(mixed.transpose(1, 2).reshape(batch, -1, WIDTH))


class Experts(nn.Module):
    """Each word goes to its best expert."""

    def __init__(self, count: int = 3) -> None:
        super().__init__()
        self.router = nn.Linear(WIDTH, count)
        self.experts = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(count))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weights, chosen = self.router(x).softmax(-1).max(-1)
        out = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            out = out + torch.where((chosen == number).unsqueeze(-1), expert(x) * weights.unsqueeze(-1), 0.0)
        return out


class Layer(nn.Module):
    def __init__(self, causal: bool, key_heads: int = HEADS, experts: bool = False, crossing: bool = False) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3))
        self.attention = Attention(causal, key_heads)
        self.crossing = Attention(False) if crossing else None
        self.inner: nn.Module = Experts() if experts else nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))

    def forward(self, x: torch.Tensor, memory: Any = None, mask: Any = None, cache: Any = None) -> torch.Tensor:
        x = x + self.attention(self.norms[0](x), mask=mask, cache=cache)
        if self.crossing is not None:
            x = x + self.crossing(self.norms[1](x), memory)
        return x + self.inner(self.norms[2](x))


class Decoder(nn.Module):
    def __init__(self, experts: bool = False) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.ModuleList(Layer(True, 1, experts) for _ in range(2))

    def forward(self, input_ids: torch.Tensor, use_cache: bool = True) -> Output:
        cache = Cache() if use_cache else None
        x = self.words(input_ids)
        for layer in self.layers:
            x = layer(x, cache=cache)
        return Output(x @ self.words.weight.T, cache)


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(64, WIDTH)
        self.layers = nn.ModuleList(Layer(False) for _ in range(2))
        self.dropout = nn.Dropout(0.1)

    def forward(self, input_ids: torch.Tensor, attention_mask: Optional[torch.Tensor] = None) -> Dict[str, Any]:
        x = self.dropout(self.words(input_ids) + self.places(torch.arange(input_ids.shape[1], device=input_ids.device)))
        mask = None if attention_mask is None else attention_mask[:, None, None, :].to(torch.bool)
        states = [x]
        for layer in self.layers:
            states.append(layer(states[-1], mask=mask))
        return {"last": states[-1], "pooled": states[-1][:, 0].tanh(), "states": tuple(states)}


class Translator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.encoder = nn.ModuleList(Layer(False) for _ in range(2))
        self.decoder = nn.ModuleList(Layer(True, crossing=True) for _ in range(2))

    def forward(self, input_ids: torch.Tensor, decoder_input_ids: torch.Tensor, **options: Any) -> Tuple[torch.Tensor, ...]:
        memory = self.words(input_ids)
        for layer in self.encoder:
            memory = layer(memory)
        x = self.words(decoder_input_ids)
        for layer in self.decoder:
            x = layer(x, memory)
        return (x, memory) if options.get("return_memory", True) else (x,)


class Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(x + self.norm(self.second(F.relu(self.first(x)))))


class Pictures(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, stride=2)
        self.stages = nn.Sequential(*(nn.Sequential(Residual(8), nn.AvgPool2d(2)) for _ in range(2)))
        self.head = nn.Linear(8, 5)

    def forward(self, pixel_values: torch.Tensor) -> torch.Tensor:
        return self.head(self.stages(self.stem(pixel_values)).mean((2, 3)))


class Cell(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate, self.candidate = nn.Linear(2 * WIDTH, WIDTH), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor, state: torch.Tensor) -> torch.Tensor:
        both = torch.cat((x, state), dim=-1)
        gate = self.gate(both).sigmoid()
        return gate * state + (1 - gate) * self.candidate(both).tanh()


class Recurrent(nn.Module):
    """A loop over time in Python, which Dynamo unrolls."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.cells = nn.ModuleList([Cell()])
        self.norm = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH))

    def forward(self, input_ids: torch.Tensor) -> List[torch.Tensor]:
        x = self.words(input_ids)
        state = x.new_zeros(x.shape[0], WIDTH)
        states = []
        for time in range(min(x.shape[1], 4)):
            state = self.norm(self.cells[0](x[:, time], state))
            states.append(state)
        return states


def _ids(batch: int, length: int) -> torch.Tensor:
    return torch.randint(0, WORDS, (batch, length))


def _mask(batch: int, length: int) -> torch.Tensor:
    return (torch.arange(length) < length - 1).long().repeat(batch, 1)


_IDS = ("input_ids", _ids)
SMALL: Dict[str, Tuple[Callable[[], nn.Module], Tuple[Tuple[str, Any], ...]]] = {
    "decoder": (Decoder, (_IDS,)),
    "experts": (lambda: Decoder(experts=True), (_IDS,)),
    "encoder": (Encoder, (_IDS, ("attention_mask", _mask))),
    "translator": (Translator, (_IDS, ("decoder_input_ids", _ids))),
    "pictures": (Pictures, (("pixel_values", lambda b, n: torch.randn(b, 3, 16 + n, 16 + n)),)),
    "recurrent": (Recurrent, (_IDS,)),
}


def small_models(name: str) -> Iterator[Any]:
    make, makers = SMALL[name]
    yield name, lambda: make().eval(), make().eval(), iter([Candidate(", ".join(n for n, _ in makers), makers)])
