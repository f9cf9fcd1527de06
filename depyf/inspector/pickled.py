"""Code objects as dill dumps, for `log_bytecode`: also where dill does not know the code objects of the running CPython.

Whoever reads them uses `dill.load`, and gets a code object in either case.
"""

from __future__ import annotations

import marshal
from types import CodeType
from typing import Any, Callable, Tuple


class _Marshalled:
    """Is read back as the code object that it was made from."""

    def __init__(self, code: CodeType) -> None:
        self._data = marshal.dumps(code)

    def __reduce__(self) -> Tuple[Callable[..., Any], Tuple[bytes]]:
        return marshal.loads, (self._data,)


def dill_dump(code: CodeType) -> bytes:
    """May raise anything: without dill, and for constants that no pickler takes."""
    import dill

    try:
        dumped: bytes = dill.dumps(code)
    except AttributeError:  # dill reads an attribute that code objects of this CPython no longer have: 3.15, dill 0.4
        dumped = dill.dumps(_Marshalled(code))
    return dumped
