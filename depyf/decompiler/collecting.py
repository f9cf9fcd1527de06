"""No search for garbage while a text is made: all that the stages make is in use until the text is done.

The collector would go through some hundred thousand nodes again and again and find nothing, for up to a tenth of the time.
"""

from __future__ import annotations

import gc
from types import TracebackType
from typing import Optional, Type


class CollectorPaused:
    """A `with` block in which the collector does not start by itself; afterwards it is as it was."""

    def __enter__(self) -> None:
        self.was_enabled = gc.isenabled()
        gc.disable()

    def __exit__(
        self, kind: Optional[Type[BaseException]], problem: Optional[BaseException], traceback: Optional[TracebackType]
    ) -> None:
        if self.was_enabled:
            gc.enable()
