"""Tiny configurations: the default configuration of an architecture with every size made small, by the name of the field.

Pure functions on the nested dict that a configuration gives. What a field means is guessed from its name; a guess that does
not fit makes the model fail to build, and the next profile is tried.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Container, Dict, List, Optional, Tuple


@dataclass(frozen=True)
class Profile:
    """How far to shrink. None leaves the sizes of that kind as they are."""

    name: str
    hidden: Optional[int] = 64
    heads: Optional[int] = 4
    key_value_heads: Optional[int] = 2
    head_dim: Optional[int] = 16
    intermediate: Optional[int] = 64
    layers: int = 2
    vocabulary: Optional[int] = 512
    image_patches: Optional[int] = 4
    lists: bool = True


PROFILES = (
    Profile("tiny"),
    Profile("tiny, heads as wide as configured", key_value_heads=4, head_dim=None),
    Profile("two wide heads", hidden=256, heads=2, key_value_heads=2, head_dim=128),
    Profile("tiny, all heads with keys", key_value_heads=4),
    Profile("tiny, images as configured", image_patches=None),
    Profile("small heads as configured", heads=None, key_value_heads=None, head_dim=None, hidden=None, image_patches=None),
    Profile("few layers only", None, None, None, None, None, 2, None, None, False),
    Profile("layers as configured", None, None, None, None, None, 99, None, None, False),
)

_DROPPED = {"transformers_version", "id2label", "label2id", "_name_or_path", "architectures", "dtype", "torch_dtype"}
_BY_STAGE = {"stage_names", "out_features", "out_indices", "_out_features", "_out_indices"}  # where stages are layers
_DROPPED |= {"per_layer_config"}  # follows from the number of layers
_LAYERS = re.compile(
    r"^(num_hidden_layers|num_layers|n_layers?|depth|layers|(\w+_)?(encoder|decoder)_layers|num_(encoder|decoder)_layers|"
    r"(\w+_)?num_hidden_layers|num_hidden_layers_\w+|num_blocks|n_layer|resampler_depth|num_res_blocks|num_lstm_layers|"
    r"\w+_num_layers|num_\w+_layers|\w+_depth)$"
)
_NOT_LAYERS = re.compile(r"(feat_extract|upsample|kv_shared|nextn|adapter|conv|dense|window|fpn|iou|head_depth|max_depth|residual)")
_HIDDEN = re.compile(
    r"^(hidden_size|d_model|n_embd|embed_dim|dim|hidden_dim|embedding_size|projection_dim|output_dim|out_hidden_size|"
    r"encoder_hidden_size|decoder_hidden_size|\w+_hidden_size|hidden_size_\w+|word_embed_proj_dim|model_dim|text_embed_dim|"
    r"vision_output_dim|embedding_dim|d_embed|emb_dim|dim_model|lm_hidden_size|encoder_width|vision_width)$"
)
_INTERMEDIATE = re.compile(
    r"^(\w*intermediate_size|(\w+_)?ffn_dim|d_ff|d_inner|mlp_dim|n_inner|ffn_hidden_size|moe_intermediate_size|dim_feedforward|"
    r"feed_forward_size|ffn_size|linear_units|iou_head_hidden_dim|shared_intermediate_size)$"
)
_HEADS = re.compile(r"^(num_attention_heads|n_heads?|num_heads|\w*attention_heads|attention_heads|encoder_n_heads|index_n_heads)$")
_EXPERTS = re.compile(r"^(num_experts|n_routed_experts|num_local_experts|moe_num_experts|num_moe_experts)$")
_FEW = {"num_experts_per_tok": 2, "n_group": 1, "topk_group": 1, "moe_k": 2, "moe_topk": 2, "index_topk": 4, "num_queries": 8,
        "num_experts_per_token": 2, "moe_top_k": 2, "attn_layer_period": 2, "attn_layer_offset": 1, "expert_layer_period": 2,
        "expert_layer_offset": 1, "entity_vocab_size": 64, "entity_emb_size": 32}  # fmt: skip
_AT_MOST = {
    "max_position_embeddings": 512, "n_positions": 512, "max_source_positions": 512, "max_target_positions": 512,
    "codebook_size": 64, "q_lora_rank": 16, "kv_lora_rank": 16, "n_shared_experts": 1, "first_k_dense_replace": 1,
    "num_codebooks": 4, "vocab_size_per_layer_input": 512, "hidden_size_per_layer_input": 16, "num_image_tokens": 16,
    "num_latents": 8, "query_pre_attn_scalar": 16, "num_frames": 4, "rotary_dim": 16, "num_kv_shared_layers": 0,
    "mamba_n_heads": 8, "mamba_d_head": 16, "prediction_length": 4,
}  # fmt: skip
_WITHOUT_DEFAULT = {"head_dim": 16, "vocab_size": 64, "prediction_length": 4}
_INDEX_LISTS = re.compile(r"(indexes|indices|idxs|index|_layers|layer_ids?)$")
_TOKEN = re.compile(r"(_token_id|_token_index|_token|_id)$")


def shrunk(default: Dict[str, Any], profile: Profile) -> Dict[str, Any]:
    """The keyword arguments for a configuration class, from what its default instance holds."""
    return _shrunk(default, profile, _smallest_vocabulary(default, profile))


def _smallest_vocabulary(values: Dict[str, Any], profile: Profile) -> int:
    sizes = [v for k, v in values.items() if k == "vocab_size" and isinstance(v, int)]
    sizes += [_smallest_vocabulary(v, profile) for v in values.values() if isinstance(v, dict)]
    return min([*sizes, profile.vocabulary or 10**9])


def _shrunk(values: Dict[str, Any], profile: Profile, vocabulary: int) -> Dict[str, Any]:
    in_stages = isinstance(values.get("depths"), (list, tuple))
    kept, layers = ([], 0) if in_stages else _kept_layers(values, profile)
    patch = _patch_of(values)
    out: Dict[str, Any] = {}
    tokens = iter(range(5, 500))
    for name, value in values.items():
        if name in _DROPPED or (name in _BY_STAGE and not in_stages and "num_hidden_layers" in values):
            continue
        if in_stages and name in ("num_layers", "num_hidden_layers"):
            out[name] = value
            continue
        if isinstance(value, dict):
            out[name] = _shrunk(value, profile, vocabulary) if "model_type" in value else value
        elif value is None and name in _WITHOUT_DEFAULT and profile.hidden is not None:
            out[name] = _WITHOUT_DEFAULT[name]
        elif isinstance(value, bool) or value is None:
            out[name] = value
        elif isinstance(value, int):
            out[name] = _number(name, value, profile, len(kept) if kept else profile.layers, patch, values)
            if _TOKEN.search(name) and value >= vocabulary:
                out[name] = next(tokens)
        elif isinstance(value, (list, tuple)):
            out[name] = _sequence(name, list(value), profile, kept, layers)
        else:
            out[name] = value
    return out


def _kept_layers(values: Dict[str, Any], profile: Profile) -> Tuple[List[int], int]:
    """Which layers stay: one of each kind that a list by layer tells apart, at least as many as the profile wants."""
    count = next((values[n] for n in ("num_hidden_layers", "num_layers", "n_layer") if isinstance(values.get(n), int)), 0)
    by_layer = [v for v in values.values() if isinstance(v, (list, tuple)) and len(v) == count and count > 2]
    kinds: Dict[Any, int] = {}
    for layer in range(count):
        kinds.setdefault(tuple(str(v[layer]) for v in by_layer if isinstance(v[layer], str)), layer)
    kept = sorted(kinds.values())[: max(profile.layers, 4)]
    kept += [layer for layer in range(count) if layer not in kept][: max(0, profile.layers - len(kept))]
    return (sorted(kept), count) if by_layer else ([], count)


def _patch_of(values: Dict[str, Any]) -> int:
    patch = values.get("patch_size")
    if isinstance(patch, (list, tuple)) and patch and isinstance(patch[-1], int):
        return int(patch[-1])
    return patch if isinstance(patch, int) and patch > 0 else 0


def _number(name: str, value: int, profile: Profile, layers: int, patch: int, names: Container[str] = ()) -> int:
    if _LAYERS.match(name) and not _NOT_LAYERS.search(name):
        return min(value, layers)
    if name == "num_heads" and "expand" in names and profile.heads:
        return min(value, 2 * profile.heads)  # of a state space, which is twice as wide
    if name == "num_key_value_heads":
        return min(value, profile.key_value_heads or value)
    sizes = [
        (name == "vocab_size", profile.vocabulary), (bool(_HEADS.match(name)), profile.heads),
        (bool(_HIDDEN.match(name)), profile.hidden), (bool(_INTERMEDIATE.match(name)), profile.intermediate),
        (name in ("head_dim", "d_kv", "qk_nope_head_dim", "v_head_dim", "global_head_dim"), profile.head_dim),
    ]  # fmt: skip
    for fits, size in sizes:
        if fits:
            return min(value, size or value)
    if name == "image_size" and profile.image_patches:
        return min(value, patch * profile.image_patches if patch > 4 else 64)
    if _EXPERTS.match(name):
        return min(value, 4)
    if profile.hidden is not None:
        return min(value, _FEW.get(name, _AT_MOST.get(name, value)))
    return value


def _sequence(name: str, value: List[Any], profile: Profile, kept: List[int], layers: int) -> List[Any]:
    if kept and len(value) == layers:
        return [value[layer] for layer in kept]
    if name in ("depths", "num_blocks", "blocks_per_stage", "layers", "stage_num_blocks") and profile.layers < 9:
        return [min(v, 1) if isinstance(v, int) else v for v in value]
    if kept and _INDEX_LISTS.search(name) and all(isinstance(v, int) for v in value) and "out_" not in name:
        return [v for v in value if v < len(kept)]
    if name == "image_size" and profile.image_patches and len(value) == 2:
        return [min(v, 64) for v in value]
    return value
