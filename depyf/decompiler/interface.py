"""`decompile` and `Decompiler`: what users call."""

from __future__ import annotations

from types import CodeType
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

from depyf.errors import DecompilationError

from .emit import Emitted
from .marks import offset_in
from .nesting.classes import class_tree, functions_of
from .pipeline import DEFAULT_PREFIX
from .readings import Readings, Search, all_plain
from .recompiling.qualified import with_qualified_names
from .recompiling.recompile import compile_back, made_like
from .trees import Options, code_of, emit_object, emit_tree


class LineMapping(NamedTuple):
    """One line of the decompiled text: the bytecode offsets it came from, and their lines in the original source.

    `code` is the code object that the offsets are in. A line that holds a lambda has one entry for each code object."""

    line: int
    offsets: List[int]
    source_lines: List[int]
    code: CodeType


class Source(str):
    """Decompiled text. `verdict` says whether it is proven equal to the bytecode (None: nobody asked)."""

    verdict: Any = None
    _decompiler: Optional[Decompiler] = None

    @property
    def line_map(self) -> List[LineMapping]:
        """Each line of the text with the bytecode it came from; made when it is asked for."""
        if self._decompiler is None:
            raise DecompilationError("the line map was left behind when the text was copied to another process: decompile it here")
        return self._decompiler.line_map

    def __reduce__(self) -> Any:
        # code objects cannot be pickled, but a pool of processes should be able to hand its texts back
        return _received, (str(self), self.verdict)


def _received(text: str, verdict: Any) -> Source:
    source = Source(text)
    source.verdict = verdict
    return source


class Decompiler:
    """Decompiles one code object or callable.

    After `decompile`, `verdict` holds the proof's verdict if it was asked for, and `line_map` says which line of
    the text came from which bytecode."""

    def __new__(cls, code: Any) -> Decompiler:
        if isinstance(code, type) and cls is Decompiler:
            return super().__new__(ClassDecompiler)
        return super().__new__(cls)

    def __init__(self, code: Any) -> None:
        self.obj = code
        self.code = code_of(code)
        self.verdict: Any = None
        self._emitted: Optional[Emitted] = None
        self._codes: List[CodeType] = []
        self._readings: Readings = {}  # of what is not read in the ordinary way

    def decompile(
        self,
        indentation: int = 4,
        temp_prefix: str = DEFAULT_PREFIX,
        overwite_fn_name: Optional[str] = None,
        *,
        verify: bool = False,
        annotations: bool = False,
        drop_unread: bool = False,
        plain: bool = False,
    ) -> str:
        """The source text. With `verify`, it is compiled back and compared with the bytecode: see `verdict`.

        Where a text cannot be made, or is not proven, functions are decompiled plainly: nothing is concluded from lines, and values
        have names; then, like modules and classes, they are read in other ways. `plain` asks for plain functions at once.
        `drop_unread` is for code that a program made: what it stores in locals and never reads is left out."""
        options = Options(indentation, temp_prefix, overwite_fn_name, annotations, drop_unread)
        self._emitted = self._emit(options._replace(readings=self._all_plain())) if plain else self._emit_somehow(options)
        if verify:
            self.verdict = self._prove()
            if not self.verdict:
                self._emit_otherwise(options)
        return self._emitted.text

    def _emit(self, options: Options) -> Emitted:
        self._codes, self._readings = [], options.readings
        return emit_object(self.obj, self.code, options, self._codes)

    def _emit_somehow(self, options: Options) -> Emitted:
        try:
            return self._emit(options)
        except DecompilationError as problem:
            try:
                return self._emit(options._replace(readings=self._all_plain()))
            except DecompilationError:
                raise problem from None  # of the text that a person would have written

    def _emit_otherwise(self, options: Options) -> None:
        """What is not proven, in another way, if that is proven; otherwise the text stays."""
        before = self._emitted, self._codes, self._readings, self.verdict
        for readings in self._other_readings():
            try:
                self._emitted = self._emit(options._replace(readings=readings))
            except DecompilationError:
                continue  # the next one may have a text
            self.verdict = self._prove()
            if self.verdict:
                return
        self._emitted, self._codes, self._readings, self.verdict = before

    def _all_plain(self) -> Readings:
        return all_plain(self.code)

    def _other_readings(self) -> Iterator[Readings]:
        """One after the other, as long as the text is not proven."""
        search = Search(self.code)
        while search.go_on(self._compiled_like()):
            yield dict(search.readings)

    def _compiled_like(self) -> Optional[CodeType]:
        try:
            return made_like_name(self.compile(), self.code)
        except DecompilationError:
            return None

    def _prove(self) -> Any:
        from depyf.proof import UNKNOWN, Verdict
        from depyf.proof import verify as prove

        try:
            compiled = self.compile()
        except DecompilationError as problem:
            return Verdict(UNKNOWN, str(problem))
        return prove(self.code, made_like_name(compiled, self.code))

    def compile(self, filename: str = "<decompiled>") -> CodeType:
        """The code object that the decompiled text compiles to."""
        emitted = self._emitted if self._emitted is not None else self._decompiled()
        return compile_back(emitted.text, self.code, emitted.objects, emitted.renamed, filename)

    def _decompiled(self) -> Emitted:
        self.decompile()
        assert self._emitted is not None
        return self._emitted

    @property
    def line_map(self) -> List[LineMapping]:
        """Each line of the text with the bytecode offsets it came from and their original source lines."""
        from depyf.bytecode.lines import line_of_each_offset

        emitted = self._emitted if self._emitted is not None else self._decompiled()
        lines = [line_of_each_offset(code) for code in self._codes]
        result = []
        for number, marks in enumerate(emitted.line_offsets, 1):
            by_code: Dict[int, List[int]] = {0: []} if not marks and lines else {}
            for mark in marks:
                index, offset = offset_in(mark)
                by_code.setdefault(index, []).append(offset)
            for index, offsets in by_code.items():
                found = {lines[index].get(offset) for offset in offsets} - {None}
                sources = sorted(line for line in found if line is not None)
                result.append(LineMapping(number, offsets, sources, self._codes[index]))
        return result

    @staticmethod
    def supported_opnames() -> List[str]:
        """The opcodes of the running CPython that the decompiler knows."""
        from depyf.bytecode.support import supported_opnames

        return supported_opnames()

    @classmethod
    def decompile_and_compile_like(
        cls,
        code_to_decompile: CodeType,
        reference_code: CodeType,
        indentation: int = 4,
        temp_prefix: str = DEFAULT_PREFIX,
        filepath_template: Optional[str] = None,
    ) -> CodeType:
        """Decompiles, writes the text to a file if a path is given, and compiles it so that it can stand in.

        The result has the reference's name, arguments, cell and free variables and flags. It is proven equal to
        `code_to_decompile`; if it cannot be, DecompilationError says why. `%s` in the path is the function's name."""
        from depyf.proof import verify as prove

        decompiler = cls(code_to_decompile)
        name = "".join(c if c.isalnum() or c == "_" else "_" for c in reference_code.co_name)
        path = filepath_template
        if path is not None:
            path = path % name if "%s" in path else path
        for proven in (False, True):  # at first without asking for a plainer text
            text = decompiler.decompile(indentation, temp_prefix, name, verify=proven)
            if path is not None:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            made = made_like(decompiler.compile(path or "<decompiled>"), reference_code, path)
            decompiler.verdict = prove(code_to_decompile, made)
            if decompiler.verdict:
                return made
        raise DecompilationError(f"not proven equal: {decompiler.verdict}", code_name=code_to_decompile.co_name)


class ClassDecompiler(Decompiler):
    """Decompiles a class that exists: each of its functions. Its verdict is EQUAL if all of theirs are."""

    def __init__(self, code: type) -> None:
        self.obj = code
        self.verdict: Any = None
        self._emitted: Optional[Emitted] = None
        self._codes: List[CodeType] = []
        self._readings: Readings = {}  # of what is not read in the ordinary way

    def _emit(self, options: Options) -> Emitted:
        self._codes, self._readings = [], options.readings
        return emit_tree(lambda: class_tree(self.obj, options, self._codes), options, self.obj.__name__)

    def _prove(self) -> Any:
        from depyf.proof import EQUAL, UNKNOWN, Verdict

        self._needed: Readings = {}
        for method in functions_of(self.obj):
            one = Decompiler(method.function)
            one.decompile(verify=True)
            if not one.verdict:
                return Verdict(one.verdict.status, f"{method.name}: {one.verdict.reason}")
            self._needed.update(one._readings)
        if any(self._readings.get(code) != reading for code, reading in self._needed.items()):
            return Verdict(UNKNOWN, "the text has functions that are only proven where they are read in another way")
        return Verdict(EQUAL, "each function of the class is")

    def _all_plain(self) -> Readings:
        plain: Readings = {}
        for method in functions_of(self.obj):
            plain.update(all_plain(method.function.__code__))
        return plain

    def _other_readings(self) -> Iterator[Readings]:
        yield self._needed  # each function was decompiled by itself to be proven

    def compile(self, filename: str = "<decompiled>") -> CodeType:
        raise DecompilationError(f"the body of class {self.obj.__name__} has run and left no code to compare with")


def made_like_name(compiled: CodeType, code: CodeType) -> CodeType:
    compiled = with_qualified_names(compiled, code)
    fields: Dict[str, Any] = {"co_name": code.co_name}
    if hasattr(code, "co_qualname"):
        fields["co_qualname"] = code.co_qualname
    return compiled.replace(**fields)


def decompile(
    obj: Any,
    indentation: int = 4,
    temp_prefix: str = DEFAULT_PREFIX,
    overwite_fn_name: Optional[str] = None,
    *,
    verify: bool = False,
    annotations: bool = False,
) -> Source:
    """The Python source of a function, method, code object, class, partial, generator or callable object.

    With `verify=True` the result's `verdict` says whether it is proven equal to the bytecode. `annotations=True` shows
    a function's own annotations too."""
    decompiler = Decompiler(obj)
    text = decompiler.decompile(
        indentation, temp_prefix, overwite_fn_name, verify=verify, annotations=annotations
    )
    source = Source(text)
    source.verdict = decompiler.verdict
    source._decompiler = decompiler
    return source
