"""Breaks a logical line that is too long, inside brackets only, so that its meaning stays the same.

Works on the fragments the writer made of the line: brackets, commas and operators are fragments of their own, and a
string literal is one fragment. A bracket that must be broken gets its contents on lines of their own; those are broken
at the operator that binds least, commas first, as long as they are too long. Every range of fragments is scanned once
for each level of brackets around it.
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Sequence, Tuple

from .chunks import Formatted, cut, is_cuttable

CLOSING = frozenset(")]}")
OPENING = frozenset(["(", "[", "{", "**{"])
COMMA = ", "
COMMA_PRIORITY = 100
LOGIC_PRIORITY = 65
MANY_ITEMS = 12  # from this many on, short items share lines
SHORT_ITEM = 10

# where a line inside brackets may be broken: after a comma, before the others
PRIORITIES: Dict[str, int] = {
    COMMA: COMMA_PRIORITY,
    " for ": 90,
    " async for ": 90,
    " if": 90,  # of a comprehension
    " if ": 80,
    " else ": 80,
    " or ": 70,
    " and ": LOGIC_PRIORITY,
    **dict.fromkeys([f" {op} " for op in ("<", ">", "<=", ">=", "==", "!=", "is", "is not", "in", "not in")], 60),
    " | ": 50,
    " ^ ": 49,
    " & ": 48,
    " << ": 47,
    " >> ": 47,
    " + ": 46,
    " - ": 46,
    **dict.fromkeys([" * ", " / ", " // ", " % ", " @ "], 45),
}


class Group(NamedTuple):
    """Brackets at fragments `start` and `end`; or, when `virtual`, brackets that are only written if broken."""

    start: int
    end: int
    virtual: bool

    @property
    def inside(self) -> Tuple[int, int]:
        return (self.start, self.end) if self.virtual else (self.start + 1, self.end)

    @property
    def after(self) -> int:
        return self.end if self.virtual else self.end + 1


class Line(NamedTuple):
    """Fragments that start a line of their own; `tail` is written behind them."""

    start: int
    end: int
    indent: str
    tail: str
    bracketed: bool


class Rest(NamedTuple):
    """What follows a broken bracket on the line of its closing half."""

    line: Line
    groups: List[Group]
    broken: int  # the number of the group that was broken, -1 before the first


class Breaker:
    """Breaks one logical line. `lines` holds (text, number of fragments written so far)."""

    def __init__(
        self,
        fragments: List[str],
        optional: Sequence[Tuple[int, int]],
        formatted: Formatted,
        step: str,
        width: int,
    ) -> None:
        self.fragments = fragments
        self.formatted = formatted
        self.step = step
        self.width = width
        self.optional = dict(optional)
        self.at: List[int] = [0]  # the width of all fragments before each
        self.closing: Dict[int, int] = {}
        self.opening: Dict[int, int] = {}
        self.lines: List[Tuple[str, int]] = []
        self.buffer: List[str] = []
        self.column = 0
        self.measure()

    def measure(self) -> None:
        total, opened, at = 0, [], self.at
        for index, fragment in enumerate(self.fragments):
            # a text of several lines fits on none
            total += len(fragment) if "\n" not in fragment else max(self.width, len(fragment))
            at.append(total)
            if fragment in OPENING:
                opened.append(index)
            elif fragment in CLOSING:
                self.opening[index] = opened.pop()
                self.closing[self.opening[index]] = index

    def run(self, indent: str) -> None:
        pending: List[object] = [Line(0, len(self.fragments), indent, "", False)]
        while pending:
            item = pending.pop()
            if isinstance(item, Line):
                self.break_line(item, pending)
            elif isinstance(item, Rest):
                self.go_on(item, pending)

    # ------------------------------------------------------------ one line

    def break_line(self, line: Line, pending: List[object]) -> None:
        start, end, indent, tail, bracketed = line
        if self.at[end] - self.at[start] + len(indent) + len(tail) <= self.width:
            self.add(self.flat(start, end), indent)
            self.flush(end, tail)
            return
        if bracketed:
            priority, places = self.delimiters(start, end)
            if places:
                pending.extend(reversed(self.pieces(line, priority, places)))
                return
        self.column = len(indent)
        self.go_on(Rest(line, self.groups(line), -1), pending)

    def pieces(self, line: Line, priority: int, places: List[int]) -> List[Line]:
        """The line broken at the given delimiters."""
        start, end, indent, tail, _ = line
        result: List[Line] = []
        if priority == COMMA_PRIORITY:
            if self.is_table(start, end, places):
                places = self.filled(line, places)
            for place in places:
                result.append(Line(start, place, indent, ",", True))
                start = place + 1
            result.append(Line(start, end, indent, "," if not tail else tail, True))
        else:
            for place in places:
                if place > start:
                    result.append(Line(start, place, indent, "", True))
                start = place
            result.append(Line(start, end, indent, tail, True))
        return result

    def is_table(self, start: int, end: int, places: List[int]) -> bool:
        """Whether the items between commas are many and short, such as numbers: then they share lines."""
        if len(places) + 1 < MANY_ITEMS:
            return False
        at = self.at
        for place in (*places, end):
            if at[place] - at[start] > SHORT_ITEM:
                return False
            start = place + 1
        return True

    def filled(self, line: Line, places: List[int]) -> List[int]:
        """The commas to break at so that each line takes as many items as fit."""
        at, room = self.at, self.width - len(line.indent) - 1
        result: List[int] = []
        start, before = line.start, -1
        for place in (*places, line.end):
            if at[place] - at[start] > room and before >= 0:
                result.append(before)
                start = before + 1
            before = place
        return result

    def go_on(self, rest: Rest, pending: List[object]) -> None:
        """Write a line from one of its brackets on, and break the first one that does not fit before the next."""
        line, groups, broken = rest
        fragments, at = self.fragments, self.at
        if broken < 0:
            position = line.start
        else:
            group = groups[broken]
            self.add(")" if group.virtual else fragments[group.end], line.indent)
            position = group.after
        for number in range(broken + 1, len(groups)):
            group = groups[number]
            if number + 1 < len(groups):  # with the next opening bracket, which is one character
                needed = at[groups[number + 1].start] - at[position] + 1
            else:
                needed = at[line.end] - at[position] + len(line.tail)
            if self.column + needed <= self.width:
                continue  # up to the next bracket it fits: go on there
            first, last = group.inside
            self.add(self.flat(position, first) + ("(" if group.virtual else ""), line.indent)
            self.flush(first, "")
            pending.append(Rest(line, groups, number))
            pending.append(Line(first, last, line.indent + self.step, "", True))
            return
        if line.bracketed and self.is_too_long(position, line):
            self.cut_literal(position, line)
        else:
            self.add(self.flat(position, line.end), line.indent)
        self.flush(line.end, line.tail)

    def is_too_long(self, position: int, line: Line) -> bool:
        """Whether the rest of a line is too long, and ends in a literal that can be cut."""
        if self.column + self.at[line.end] - self.at[position] + len(line.tail) <= self.width:
            return False
        return line.end > position and self.is_cuttable(line.end - 1)

    def cut_literal(self, position: int, line: Line) -> None:
        """Write the rest of a line with its last literal in pieces, one below the other."""
        last = line.end - 1
        before = self.flat(position, last)
        if before.endswith(("=", ": ")):  # a keyword or key: the pieces stand in parentheses behind it
            self.add(before + "(", line.indent)
            self.flush(last, "")
            indent = line.indent + self.step
            for piece in cut(self.fragments[last], self.width - len(indent), self.width - len(indent), self.formatted):
                self.add(piece, indent)
                self.flush(line.end, "")
            self.add(")", line.indent)
            return
        self.add(before, line.indent)
        room = self.width - len(line.indent) - len(line.tail)
        pieces = cut(self.fragments[last], self.width - self.column - len(line.tail), room, self.formatted)
        for number, piece in enumerate(pieces):
            if number:
                self.flush(line.end, "")
            self.add(piece, line.indent)

    # ------------------------------------------------------------ what may be broken

    def delimiters(self, start: int, end: int) -> Tuple[int, List[int]]:
        """The highest priority among the delimiters outside of inner brackets, and where those of it are."""
        fragments, closing = self.fragments, self.closing
        best, index = 0, start
        places: List[int] = []
        while index < end:
            if index in closing:
                index = closing[index]
            else:
                priority = PRIORITIES.get(fragments[index], 0)
                if priority and priority >= best and index > start:
                    if priority > best:
                        best, places = priority, []
                    places.append(index)
            index += 1
        return best, places

    def groups(self, line: Line) -> List[Group]:
        """The brackets of a line that are worth breaking, from left to right, without those inside of others."""
        result: List[Group] = []
        closing, optional = self.closing, {} if line.bracketed else self.optional
        index, end, indent = line.start, line.end, len(line.indent)
        while index < end:
            if index in optional and self.is_worth_adding(index, optional[index], indent):
                result.append(Group(index, optional[index], True))
                index = optional[index]
                continue
            if self.is_long_receiver(index, line):
                result.append(Group(index, index + 1, True))
            elif index in closing:
                if self.is_worth_breaking(index + 1, closing[index], indent):
                    result.append(Group(index, closing[index], False))
                index = closing[index]
            index += 1
        return result

    def is_cuttable(self, index: int) -> bool:
        return is_cuttable(self.fragments[index], self.formatted)

    def is_long_receiver(self, index: int, line: Line) -> bool:
        """Whether this is a literal too long for its line, with a method behind it: "...".format(...)."""
        if index + 1 >= line.end or not self.fragments[index + 1].startswith("."):
            return False
        too_long = self.at[index + 1] - self.at[line.start] + len(line.indent) > self.width
        return too_long and self.is_cuttable(index)

    def is_worth_breaking(self, start: int, end: int, indent: int) -> bool:
        """Not for next to nothing, nor for what would be too long on a line of its own."""
        size = self.at[end] - self.at[start]
        if size <= len(self.step):
            return False
        if size + indent + len(self.step) <= self.width:
            return True
        return any(f in PRIORITIES or f in OPENING or is_cuttable(f, self.formatted) for f in self.fragments[start:end])

    def is_worth_adding(self, start: int, end: int, indent: int) -> bool:
        """Whether to put a whole expression in parentheses rather than to break one of its own brackets."""
        priority, places = self.delimiters(start, end)
        if not places:
            if self.at[start] + indent >= self.width:
                return False  # the line is too long before it
            for index in range(start, end):
                closing = self.closing.get(index, -1)
                if closing > index + 1 and self.at[index + 1] + indent <= self.width:
                    return False  # a bracket of its own can be broken, and starts on this line
            fits = self.at[end] - self.at[start] + indent + len(self.step) <= self.width
            return fits or self.is_cuttable(end - 1)
        last = self.opening.get(end - 1, -1)
        if len(places) == 1 and priority < LOGIC_PRIORITY and last > places[0]:
            # such as `text % (...)`: if what stands before the last bracket fits, only that one is broken
            broken = self.is_worth_breaking(last + 1, end - 1, indent)
            return not broken or self.at[last + 1] + indent > self.width
        return True

    # ------------------------------------------------------------ text

    def flat(self, start: int, end: int) -> str:
        return "".join(self.fragments[start:end])

    def add(self, text: str, indent: str) -> None:
        """Append to the current line; an operator that starts a line loses the space before it."""
        if not self.buffer:
            text = indent + text.lstrip(" ")
            self.column = 0
        self.buffer.append(text)
        newline = text.rfind("\n")
        self.column = self.column + len(text) if newline < 0 else len(text) - newline - 1

    def flush(self, upto: int, tail: str) -> None:
        for line in ("".join(self.buffer) + tail).split("\n"):
            self.lines.append((line, upto))
        self.buffer = []
        self.column = 0


def fits_around_texts(fragments: List[str], column: int, width: int) -> bool:
    """Whether a line that holds one text of several lines fits before and after it."""
    texts = 0
    for fragment in fragments:
        if "\n" in fragment:
            texts += 1
            if texts > 1 or column + fragment.find("\n") > width:
                return False
            column = len(fragment) - fragment.rfind("\n") - 1
        else:
            column += len(fragment)
        if column > width:
            return False
    return True


def break_line(
    fragments: List[str],
    marks: List[int],
    optional: Sequence[Tuple[int, int]],
    formatted: Formatted,
    indent: str,
    step: str,
    width: int,
) -> Tuple[List[str], List[List[int]]]:
    """The physical lines of a logical one, and the marks that belong to each."""
    breaker = Breaker(fragments, optional, formatted, step, width)
    breaker.run(indent)
    texts: List[str] = []
    shares: List[List[int]] = []
    position = 0
    for text, upto in breaker.lines:
        first = position
        while position < len(marks) and marks[position] < upto:
            position += 2
        texts.append(text)
        shares.append(marks[first:position])
    if position < len(marks):
        shares[-1] = shares[-1] + marks[position:]
    return texts, shares
