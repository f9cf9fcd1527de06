"""The one exception that decompiling and decoding raise on purpose.

It says what was being done, on which code object, and at which offset and opcode, both as text for people and as
attributes for programs. Imports nothing of the package, so every stage may use it.
"""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union


class DecompilationError(Exception):
    """Bytecode could not be decoded or decompiled.

    The stage that fails may not know the whole context; an outer stage fills in what is missing with `located`.
    """

    def __init__(
        self,
        message: str,
        code_name: Optional[str] = None,
        offset: Optional[int] = None,
        opcode: Optional[Union[str, int]] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code_name = code_name
        self.offset = offset
        self.opcode = opcode

    def located(
        self,
        code_name: Optional[str] = None,
        offset: Optional[int] = None,
        opcode: Optional[Union[str, int]] = None,
    ) -> DecompilationError:
        """Fill in the context that is not known yet, and return self: `raise error.located(code.co_name)`."""
        if self.code_name is None:
            self.code_name = code_name
        if self.offset is None:
            # an opcode belongs to its offset: both come from the same place, or neither
            self.offset = offset
            self.opcode = opcode if self.opcode is None else self.opcode
        return self

    def __str__(self) -> str:
        place = []
        if self.code_name is not None:
            place.append(f"in code object {self.code_name!r}")
        if self.offset is not None:
            place.append(f"at offset {self.offset}")
        if self.opcode is not None:
            place.append(f"opcode {self.opcode}")
        return f"{self.message} ({', '.join(place)})" if place else self.message

    def __reduce__(self) -> Tuple[Any, ...]:
        # the default would lose the context when an error crosses a process boundary
        return type(self), (self.message, self.code_name, self.offset, self.opcode)
