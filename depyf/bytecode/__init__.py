"""Code object -> canonical instructions -> protected ranges -> control-flow graph; the only place that knows versions.

`graph_of` is the way in; `canonical` is the vocabulary of what comes out, `dominators` and `laws` work on that.
"""

from __future__ import annotations

from depyf.bytecode.canonical import Block, Graph, Handler, Instruction
from depyf.bytecode.describe import describe
from depyf.bytecode.graph import graph_of

__all__ = ["Block", "Graph", "Handler", "Instruction", "describe", "graph_of"]
