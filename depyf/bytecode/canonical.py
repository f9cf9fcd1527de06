"""The canonical instruction set: what every CPython from 3.8 to 3.15 is lowered to.

This file is the vocabulary between `decode` and everything after it. No later stage knows versions:
a new CPython means new lowering tables, and not one line in the proof or in the decompiler.

The canonical stack is the interpreter's stack, slot by slot, with its NULLs, so that the depths in
an exception table mean the same before and after lowering. `[a, b] -> [c]` below has the top of the
stack on the right. What a version keeps in one slot and another in two is an argument of the op.

Stack and constants (no effect on the program)
  CONST value            [] -> [value]
  BUILTIN name           [] -> [interpreter object]   AssertionError, __build_class__, all, any, tuple, list, set, ...
  NULL                   [] -> [NULL]
  COPY n                 push a copy of the n-th slot from the top, 1 = top
  SWAP n                 exchange the top with the n-th slot, n >= 2
  POP                    [value] -> []
Variables (by name: a name means one slot of the frame; `.0` and other illegal names included)
  LOAD_LOCAL name        [] -> [value]            raises where unbound
  LOAD_CLEAR name        [] -> [value or NULL]    and unbinds the local; saves it around an inlined comprehension
  STORE_LOCAL name       [value or NULL] -> []    storing NULL unbinds
  DELETE_LOCAL name
  MAKE_CELL name         the local's value moves into a new cell (prologue, or an inlined comprehension)
  LOAD_CELL, STORE_CELL, DELETE_CELL name         through the cell (cell and free variables)
  LOAD_CLOSURE name      [] -> [the cell itself]
  LOAD_LOCALS            [] -> [the namespace of a class body]
  LOAD_DICT_OR_CELL name     [mapping] -> [value]
  LOAD_DICT_OR_GLOBAL name   [mapping] -> [value]
  LOAD_GLOBAL, STORE_GLOBAL, DELETE_GLOBAL name;  LOAD_NAME, STORE_NAME, DELETE_NAME name
Attributes and items
  LOAD_ATTR name         [object] -> [value]      methods too: a NULL that the version pushes beside it is a NULL op
  STORE_ATTR name        [value, object] -> []
  DELETE_ATTR name       [object] -> []
  LOAD_ITEM              [object, key] -> [value]
  STORE_ITEM             [value, object, key] -> []
  DELETE_ITEM            [object, key] -> []
  SUPER                  [super, class, self] -> [super object]   `super()` without arguments, fused by the compiler
  LOAD_SPECIAL name      [object] -> [function, self]             only where no ENTER could be folded
Operators
  UNARY op               '-', '+', '~'
  NOT                    [bool or object] -> [bool]   tests truth, then inverts
  TRUTH                  [object] -> [bool]           also before each BRANCH of a version whose jumps test truth
  BINARY op, INPLACE op  '+', '-', '*', '@', '/', '//', '%', '**', '<<', '>>', '&', '^', '|'
  COMPARE op             '<', '<=', '==', '!=', '>', '>='
  IS inverted            [a, b] -> [bool]     inverted: True for `is not`
  CONTAINS inverted      [a, b] -> [bool]     a in b
Building
  BUILD_TUPLE n, BUILD_LIST n, BUILD_SET n, BUILD_STRING n, BUILD_SLICE n (2 or 3)
  BUILD_MAP n                [k1, v1, ..., kn, vn] -> [dict]
  BUILD_CONST_KEY_MAP n      [v1, ..., vn, tuple of keys] -> [dict]
  BUILD_UNPACK (kind, n)     3.8: 'list', 'tuple', 'set', 'map', 'tuple_call', 'map_call'; n evaluated iterables at once
  LIST_APPEND i, SET_ADD i   [.., container, .., item] -> [.., container, ..]   the container is the i-th slot after the pop
  MAP_ADD i                  [.., dict, .., key, value]
  LIST_EXTEND i, SET_UPDATE i, DICT_UPDATE i, DICT_MERGE i
  LIST_TO_TUPLE              [list] -> [tuple]
  UNPACK n                   [iterable] -> [vn, ..., v1]     v1 on top
  UNPACK_EX (before, after)  [iterable] -> [.., v1]          one more slot for the starred list
  CONVERT c                  [value] -> [str]    c in 's', 'r', 'a'
  FORMAT has_spec            [value] or [value, spec] -> [str]
  BUILD_INTERPOLATION (conversion or None, has_spec)   [value, text, (spec)] -> [interpolation]
  BUILD_TEMPLATE             [strings, interpolations] -> [template]
Calls. `null` says where the version keeps the slot for self: NONE, BELOW the callable (3.11, 3.12, methods before), or
ABOVE it (3.13+). BELOW: [x, y, args]: x NULL: y(args), else x(y, args). ABOVE: [x, y, args]: y NULL: x(args), else x(y, args).
  CALL (n, null)             n arguments
  CALL_KW (n, null)          the same with a constant tuple of keyword names on top of the arguments
  CALL_EX (has_kwargs, null) [callable.., args, (kwargs)] -> [value]; kwargs may be NULL
  MAKE_FUNCTION fields       [fields.., code] -> [function]    fields: a tuple of names out of FUNCTION_FIELDS, in stack order
  SET_FUNCTION_FIELD field   [value, function] -> [function]
  INTRINSIC (name, n)        n values -> one; names as in CPython without INTRINSIC_: TYPEVAR, TYPEALIAS, SUBSCRIPT_GENERIC, ...
  PRINT                      [value] -> []     an expression statement at the interactive prompt
Imports and class bodies
  IMPORT (name, lazy)        [level, fromlist] -> [module]   lazy: False, or True for 3.15's `lazy import`, or None where 3.15
                             forbids laziness (in functions and try statements, and for `*`)
  IMPORT_FROM name           [module] -> [module, value]
  IMPORT_STAR                [module] -> []
  SETUP_ANNOTATIONS
Iteration, generators, coroutines
  ITER slots                 [iterable] -> [iterator] or [iterator, NULL] (slots 2, 3.15)
  YIELD_FROM_ITER slots      [iterable] -> [iterator]       GET_YIELD_FROM_ITER
  AWAITABLE where            [object] -> [awaitable]        where: 0 await, 1 async with enter, 2 async with exit
  AITER, ANEXT               [object] -> [aiter];  [aiter] -> [aiter, awaitable]
  YIELD                      [value] -> [sent]
  YIELD_FROM slots           [iterator, (NULL), value sent first] -> [result]   the whole SEND loop
  GENERATOR leaks            the frame becomes a generator here (3.11+); no stack effect: the pushed None is popped at once.
                             Since 3.15 a generator expression gets its iterator ([.0] -> ITER) before this, not in its caller.
                             leaks: False; True only where 3.12+ lacks the handler that turns StopIteration into RuntimeError
With
  ENTER slots                [manager] -> [exit, value] or [exit, self, value] (slots 2, 3.14+)
  ENTER_ASYNC slots          [manager] -> [aexit, (self), awaitable of aenter]
  WITH_EXCEPT (exit, slots)  push exit(type, value, traceback); `exit` is the depth from the top (1 = top) of the exit function, with its
                             self one slot above it when slots is 2. The exception is the top (3.11+) or the top three slots (before)
Exceptions. A handler is entered with the stack cut to its depth, then (lasti) if it asks for it, then the exception.
  EXC_ENTER                  [exc] -> [prev tb, prev value, prev type, tb, value, type]   first op of each handler up to 3.10
  PUSH_EXC                   [exc] -> [prev, exc]     and exc becomes the current exception
  POP_EXCEPT slots           [prev (1 or 3 slots)] -> []    the previous exception is current again
  EXC_MATCH                  [exception or its type, pattern] -> [bool]
  EG_MATCH                   [exc, pattern] -> [rest or None, match or None]
  PREP_RERAISE_STAR          [original, list] -> [exc or None]
Match
  MATCH_MAPPING, MATCH_SEQUENCE   [s] -> [s, bool]
  MATCH_KEYS                 [s, keys] -> [s, keys, values or None]
  MATCH_CLASS n              [s, class, names] -> [attributes or None]
  GET_LEN                    [s] -> [s, len]
  COPY_DICT_WITHOUT_KEYS     [s, keys] -> [s, dict]    (3.10)
Terminators, the last instruction of a block. Successors stand in the block, not in the instruction.
  FALL                       goes on to the next block; made where a block ends because another begins
  JUMP                       successors (target,)
  BRANCH jumps_on            [bool] -> []     successors (when true, when false); True if the jump, not the fall-through, is taken on true
  NEXT (slots, pops)         [iterator, (NULL)] -> successors (body, exhausted): body gets [iterator, (NULL), value];
                             exhausted has the iterator's slots popped if `pops`, else still there
  RETURN                     [value] -> leaves
  RAISE n                    n of 0, 1, 2: [exception, cause]
  RERAISE (slots, lasti)     [exc (1 slot), or tb, value, type (3 slots)] -> raises it again; lasti: whether a saved position is restored
  END_ASYNC_FOR slots        [aiter, exc ...] (all `slots` popped) successors (target,) if exc is StopAsyncIteration, else raises it again
"""

from __future__ import annotations

from itertools import chain
from typing import Any, Dict, List, Optional, Set, Tuple

NONE, BELOW, ABOVE = "none", "below", "above"

FUNCTION_FIELDS = ("defaults", "kwdefaults", "annotations", "closure", "annotate", "qualname")

TERMINATORS = frozenset(("FALL", "JUMP", "BRANCH", "NEXT", "RETURN", "RAISE", "RERAISE", "END_ASYNC_FOR"))


class FreeName(str):
    """The name of a free variable, where a local or cell variable of the frame has the same: two slots, told apart by this type."""


class Instruction:
    """One canonical instruction. Several may share the offset of the instruction they were lowered from."""

    __slots__ = ("op", "arg", "offset", "line")

    def __init__(self, op: str, arg: Any, offset: int, line: Optional[int]) -> None:
        self.op = op
        self.arg = arg
        self.offset = offset
        self.line = line

    def __repr__(self) -> str:
        return f"{self.offset}: {self.op}" + ("" if self.arg is None else f" {self.arg!r}")


class Handler:
    """Where an exception goes: the target block, the depth the stack is cut to, and whether lasti is pushed."""

    __slots__ = ("target", "depth", "lasti", "index")

    def __init__(self, target: Block, depth: int, lasti: bool, index: int) -> None:
        self.target = target
        self.depth = depth
        self.lasti = lasti
        self.index = index

    def __repr__(self) -> str:
        return (
            f"Handler({self.index} -> block {self.target.index}, depth {self.depth}{', lasti' if self.lasti else ''})"
        )


class Block:
    """A basic block: `instructions`, the last of which is the terminator, and where control goes from there.

    All of a block's instructions share one handler. `depth` is the stack depth on entry, handler pushes included.
    `copy` tells copies of one bytecode range apart (3.8 runs one `finally` body for several exits): 0 is the first.
    """

    __slots__ = ("index", "instructions", "successors", "handler", "depth", "copy", "predecessors")

    def __init__(self, index: int) -> None:
        self.index = index
        self.instructions: List[Instruction] = []
        self.successors: Tuple[Block, ...] = ()
        self.handler: Optional[Handler] = None
        self.depth = 0
        self.copy = 0
        self.predecessors: List[Block] = []

    @property
    def terminator(self) -> Instruction:
        return self.instructions[-1]

    @property
    def offset(self) -> int:
        return self.instructions[0].offset

    def __repr__(self) -> str:
        return f"Block {self.index} @{self.offset} -> {[b.index for b in self.successors]}"


_NONE: List[Block] = []  # of a graph that was released


class Graph:
    """The control-flow graph of one code object: reachable blocks in bytecode order, the entry first.

    `predecessors` of a block are its normal ones; handler edges are found through `handlers` and `block.handler`.
    `dead` lists the offsets of unreachable raw instructions, and `folded` of those that became part of another or
    of nothing (NOP, the rest of a SEND loop, ...), so that nothing is dropped silently. `unreached` are the blocks of what
    is dead: no part of the graph, but they tell what else was written on a line. `ops` are the operations there
    were when the graph was made: who looks for an operation that is not among them need not look at any block.
    `lines` has the source line of each code unit. `places` are kept for who asks for columns, see `positions`.
    """

    __slots__ = ("code", "blocks", "handlers", "dead", "folded", "ops", "unreached", "places", "lines")

    def __init__(
        self, code: Any, blocks: List[Block], handlers: List[Handler], dead: List[int], folded: List[int]
    ) -> None:
        self.unreached: List[Block] = []
        self.lines: List[Optional[int]] = []
        self.places: Optional[Dict[int, Tuple[int, ...]]] = None
        self.code = code
        self.blocks = blocks
        self.handlers = handlers
        self.dead = dead
        self.folded = folded
        self.ops = frozenset([instruction.op for block in blocks for instruction in block.instructions])

    def release(self) -> None:
        """Nobody looks at the blocks any more: without what leads from one to another they are freed as soon as that is true,
        and leave nothing for the garbage collector to search for."""
        for block in chain(self.blocks, self.unreached):
            block.successors = ()
            block.predecessors = _NONE
            block.handler = None

    def reached(self) -> Set[Block]:
        """The blocks that can be reached from the entry, by jumps and by exceptions."""
        seen = {self.blocks[0]}
        work = [self.blocks[0]]
        while work:
            block = work.pop()
            for target in [*block.successors, block.handler.target] if block.handler else block.successors:
                if target not in seen:
                    seen.add(target)
                    work.append(target)
        return seen
