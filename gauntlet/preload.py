"""What every child needs, imported once in the parent, so that forking a child for each model costs next to nothing.

One small function is compiled too, since most of Dynamo is imported by the first compilation.
"""

from __future__ import annotations

import gc
import logging
import os
import tempfile
import warnings
from typing import Any, List

_libraries: List[Any] = []  # PyTorch drops operators together with the object that defined them


def settle_environment() -> None:
    """Before torch is imported: one thread, no downloads, no pool of compile workers, quiet libraries."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "TORCHINDUCTOR_COMPILE_THREADS"):
        os.environ[name] = "1"
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"


def preload(libraries: bool = True) -> None:
    """Import PyTorch, and the libraries of models unless told otherwise."""
    settle_environment()
    import torch

    import depyf

    torch.set_num_threads(1)  # no pool of threads that a fork would lose
    warnings.simplefilter("ignore")
    if libraries:
        define_torchvision_operators()
        import timm
        import torchvision
        import transformers

        transformers.logging.set_verbosity_error()
        _libraries.extend([timm, torchvision])
    logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
    compiled = torch.compile(lambda x: (x + 1).sum(), backend="eager")
    with tempfile.TemporaryDirectory() as folder, torch.no_grad(), depyf.prepare_debug(folder):
        compiled(torch.ones(2))
    torch._dynamo.reset()
    gc.collect()
    gc.freeze()  # a collection in a child would touch, and so copy, all the memory that it shares with the parent


def define_torchvision_operators() -> None:
    """torchvision's Python code registers meta functions for operators of its library, which need not be there."""
    import torch

    library = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        if not hasattr(torch.ops.torchvision, name):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    _libraries.append(library)
