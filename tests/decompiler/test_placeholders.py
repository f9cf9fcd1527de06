"""Objects as constants, as PyTorch's code has them, wherever a literal would make the compiler warn."""

from __future__ import annotations

import types
import warnings
from typing import Any

import pytest

from depyf.decompiler import Decompiler
from depyf.proof import verify


class Thing:
    def __call__(self, value: Any) -> Any:
        return value

    def __getitem__(self, key: Any) -> Any:
        return key


@pytest.mark.parametrize("expression", ["'thing'(a)", "'thing'[a:]", "a is 'thing'", "'thing' is not a", "a < 'thing' is a"])
def test_objects_that_are_called_indexed_and_compared_raise_no_warning(expression: str) -> None:
    namespace: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(f"def f(a):\n    return {expression}\n", namespace)
    code: types.CodeType = namespace["f"].__code__
    code = code.replace(co_consts=tuple(Thing() if constant == "thing" else constant for constant in code.co_consts))
    decompiler = Decompiler(code)
    decompiler.decompile()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert verify(code, decompiler.compile())
