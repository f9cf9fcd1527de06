"""Functions that were compiled before entering are dumped from their cache entries."""

from __future__ import annotations

from typing import Any

import torch

import depyf
from depyf.compatibility.behaviours import present
from tests.torch.inspector import support


def toy(a: Any, b: Any) -> Any:
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def test_eager(tmp_path: Any) -> None:
    compiled = torch.compile(toy, backend="eager")
    for sign in (1, -1):
        compiled(torch.ones(10), sign * torch.ones(10))
    support.dumped(tmp_path, lambda: compiled(torch.ones(10), torch.ones(10)))
    data = support.session(tmp_path)
    assert data["problems"] == []
    names = support.names(tmp_path)
    assert "full_code_for_toy_0.py" in names
    assert sum(name.startswith("__transformed_code_") for name in names) == 3
    assert sum("Captured_Graph" in name for name in names) == 3
    support.assert_python(tmp_path)
    text = support.read(tmp_path, "full_code_for_toy_0.py")
    assert support.checks_tensor(text, "a") and "def __resume_at_" in text and "torch.abs" in text
    first = support.read(tmp_path, "__transformed_code_0_for_toy.py").splitlines()[0]
    assert "NOT LINKED: compiled before prepare_debug was entered" in first


def test_inductor_kernels(tmp_path: Any) -> None:
    compiled = torch.compile(lambda x: x.sin() * 2)
    compiled(torch.ones(10))
    support.dumped(tmp_path, lambda: None)
    stages = {name.split(".")[1] for name in support.names(tmp_path) if name.startswith("__compiled_fn_")}
    assert "kernel_0" in stages
    assert ("AFTER_POST_GRAD" in stages) == present("post_grad_text_of_entries")
    support.assert_python(tmp_path)


def test_what_this_folder_already_has_is_not_dumped_again(tmp_path: Any) -> None:
    compiled = torch.compile(toy, backend="eager")
    with depyf.prepare_debug(tmp_path):
        compiled(torch.ones(10), torch.ones(10))
    before = support.names(tmp_path)
    linked = all(code["linked"] for code in support.codes(tmp_path))
    with depyf.prepare_debug(tmp_path):
        compiled(torch.ones(10), torch.ones(10))
    if linked:
        assert support.names(tmp_path) == before
