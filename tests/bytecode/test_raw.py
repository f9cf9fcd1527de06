"""Raw decoding: arguments, offsets, jumps and lines agree with `dis`; damaged code is refused where it is damaged."""

from __future__ import annotations

import dis

import pytest

from depyf.bytecode import graph_of
from depyf.bytecode.positions import spans
from depyf.bytecode.raw import decode
from depyf.errors import DecompilationError
from tests.bytecode.helpers import VERSION, codes, compiled
from tests.bytecode.test_mangled import stand_in

LONG = "def f(x):\n" + "".join(f"    if a{n} == x:\n        x = {n}.5\n" for n in range(400)) + "    return x\n"


def plain(code):
    """dis without what decoding joins or skips."""
    return [i for i in dis.get_instructions(code) if i.opname not in ("EXTENDED_ARG", "CACHE")]


@pytest.mark.parametrize("module", [dis, pytest], ids=["dis", "pytest"])
def test_agrees_with_dis(module):
    with open(module.__file__, "rb") as file:
        top = compile(file.read(), module.__file__, "exec", dont_inherit=True)
    for code in codes(top):
        raw = decode(code, VERSION)
        expected = plain(code)
        assert raw.offsets == [i.offset for i in expected]
        assert raw.ops == [i.opcode for i in expected]
        assert [arg for arg, i in zip(raw.args, expected) if i.arg is not None] == [
            i.arg for i in expected if i.arg is not None
        ]


def test_extended_arguments_are_joined():
    raw = decode(compiled(LONG), VERSION)
    assert max(raw.args) > 255
    graph_of(compiled(LONG))


def test_jumps_go_to_the_first_extended_argument():
    code = compiled(LONG)
    raw = decode(code, VERSION)
    assert any(raw.starts[target] * 2 != raw.offsets[target] for target in raw.targets.values())
    jumps = {i.offset: i.argval for i in plain(code) if i.opcode in dis.hasjrel + dis.hasjabs and i.arg is not None}
    for index, target in raw.targets.items():
        assert jumps[raw.offsets[index]] == raw.starts[target] * 2


def test_lines_agree_with_dis():
    code = compiled(
        "def f(x):\n    y = (x +\n        1)\n\n    for z in y:\n        print(z,\n          x)\n    return y\n"
    )
    raw = decode(code, VERSION)
    starts = dict(dis.findlinestarts(code))
    line = None
    for index, offset in enumerate(raw.offsets):
        line = starts.get(offset, line)
        assert raw.lines[index] == line


def test_columns_are_given_where_there_are_any():
    code = compiled("def f(x):\n    return x.attribute + 1\n")
    found = list(spans(code))
    if VERSION < (3, 11):
        assert found == []
    else:
        assert (2, 11, len("x.attribute")) in found
        assert all(line in (1, 2) and column >= 0 and width >= 0 for line, column, width in found)


def test_truncated_code():
    code = compiled("def f(x):\n    return x.attribute\n")
    if VERSION >= (3, 11):
        # not a real code object: reading co_code of one that ends inside its caches writes past the end of memory
        cut = stand_in(code, co_code=code.co_code[: code.co_code.index(bytes([dis.opmap["LOAD_ATTR"]])) + 4])
        message = "middle of an instruction"
    else:
        cut = code.replace(co_code=code.co_code[:-2])
        message = "runs off the end"
    with pytest.raises(DecompilationError, match=message) as caught:
        graph_of(cut)
    assert caught.value.code_name == "f" and caught.value.offset is not None


def test_code_that_ends_in_an_extended_argument():
    code = compiled("def f(x):\n    return x\n")
    with pytest.raises(DecompilationError, match="middle of an instruction"):
        graph_of(code.replace(co_code=code.co_code + bytes([dis.opmap["EXTENDED_ARG"], 0])))


def test_empty_code():
    code = compiled("def f(x):\n    return x\n")
    try:
        empty = code.replace(co_code=b"")
    except ValueError:
        pytest.skip("this CPython refuses to make such a code object")
    with pytest.raises(DecompilationError, match="no instruction"):
        graph_of(empty)


def test_unknown_opcode():
    code = compiled("def f(x):\n    return x\n")
    unused = max(set(range(1, 255)) - set(dis.opmap.values()))
    broken = code.replace(co_code=bytes([unused, 0]) + code.co_code)
    with pytest.raises(DecompilationError, match="unknown opcode") as caught:
        graph_of(broken)
    # since 3.11 the interpreter itself shows an opcode that it does not know as 0
    assert caught.value.offset == 0 and caught.value.opcode == broken.co_code[0]


def test_jump_into_nowhere():
    code = compiled("def f(x):\n    while x:\n        x = g(x)\n    return x\n")
    raw = decode(code, VERSION)
    index = max(raw.targets)
    data = bytearray(code.co_code)
    data[raw.offsets[index] + 1] = 251
    with pytest.raises(DecompilationError, match="where no instruction starts") as caught:
        graph_of(code.replace(co_code=bytes(data)))
    assert caught.value.offset == raw.offsets[index]


@pytest.mark.skipif(VERSION < (3, 12), reason="needs a forward jump over an instruction with caches")
def test_jump_into_the_middle_of_an_instruction():
    code = compiled("def f(x):\n    if x:\n        x.a\n    return x\n")
    raw = decode(code, VERSION)
    (index,) = raw.targets
    data = bytearray(code.co_code)
    data[raw.offsets[index] + 1] -= 2
    with pytest.raises(DecompilationError, match="where no instruction starts"):
        graph_of(code.replace(co_code=bytes(data)))
