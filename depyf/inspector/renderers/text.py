"""Small pieces that all renderers share: headers of a fixed height, comments, and text that is certain to parse."""

from __future__ import annotations

import ast
import contextlib
import re
import textwrap
import warnings
from typing import List, Optional, Tuple

# what other people's text in our files may trip: PyTorch's unused names and imports and its tensor types in quotes, and
# names that exist only at run time
LINT = "# ruff: noqa: F401, F403, F405, F541, F722, F811, F821, F841"

HEADER_LINES = 7

_CLASS = re.compile(r"^(\s*)class ([^\s(:]*[^\s(:\w][^\s(:]*)\(", re.M)


def header(first: str, what: str, belongs: str, before: str, after: str) -> str:
    """Always HEADER_LINES lines, so that a file can be completed later without moving what debuggers look at."""
    lines = [
        f"# depyf: {one_line(first)}",
        f"# What: {one_line(what)}",
        f"# Belongs to: {one_line(belongs)}",
        f"# Before: {one_line(before) or 'see index.md'}",
        f"# After: {one_line(after) or 'see index.md'}",
        LINT,
        "",
    ]
    return "\n".join(lines) + "\n"


def one_line(text: str) -> str:
    return " ".join(text.split())


def values_text(old: Optional[str], new: Optional[str]) -> str:
    """What a guard expected and what it found, as far as it is known."""
    if new is None:
        return ""
    return f" (now {new})" if old is None else f" (was {old}, now {new})"


def commented(text: str, indent: str = "") -> str:
    return "".join(f"{indent}# {line}".rstrip() + "\n" for line in text.splitlines())


def parsed(text: str) -> ast.AST:
    """The tree of text, without warnings: those about strange escapes were the user's to see when the text was first compiled.

    Changing what is shown makes Python show other warnings twice, so only text that may have such escapes is treated so.
    """
    with warnings.catch_warnings() if "\\" in text else contextlib.nullcontext():
        if "\\" in text:
            warnings.simplefilter("ignore")
        tree: ast.AST = compile(text, "<depyf>", "exec", dont_inherit=True, flags=ast.PyCF_ONLY_AST)
    return tree


def syntax_error(text: str) -> Optional[str]:
    """Why text is not a Python module, or None. `nonlocal` outside a function counts, as it would when compiled."""
    try:
        parsed(text)
    except (SyntaxError, ValueError) as error:
        return str(error)
    except (RecursionError, MemoryError) as error:
        return type(error).__name__
    return None


def is_cut_out(text: str) -> bool:
    """Whether text is of the inside of a function: it parses, and says `return`, `yield` or `await` outside of any."""
    if syntax_error(text) is not None:
        return False
    pending: List[ast.AST] = [parsed(text)]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom, ast.Await)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            pending.extend(ast.iter_child_nodes(node))
    return False


def valid(text: str) -> str:
    """Text as it is when it parses, else as a comment that says why."""
    error = syntax_error(text)
    if error is None:
        return text if text.endswith("\n") else text + "\n"
    return f"# (not Python: {one_line(error)})\n" + commented(text)


def standing_alone(text: str, name: str) -> Tuple[str, int]:
    """A function that says `nonlocal`, with an enclosing function around it, and how many lines that puts above it.

    Any other text comes back as it is.
    """
    names = sorted({n.strip() for line in re.findall(r"^\s+nonlocal (.+)$", text, re.M) for n in line.split(",")})
    if not names or not _lacks_binding(text):
        return text, 0
    above = [f"def __around_{name}():", f"    {' = '.join(names)} = ...  # variables of the enclosing function"]
    return "\n".join(above) + "\n" + textwrap.indent(text, "    "), len(above)


def _lacks_binding(text: str) -> bool:
    try:
        compile(text, "<depyf>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return "nonlocal" in str(error.msg)
    except (ValueError, RecursionError, MemoryError):
        return False
    return False


def graph_text(text: str) -> str:
    """A graph as PyTorch prints it. Only its class may have a name that Python does not take, such as `<lambda>`."""
    text = _CLASS.sub(lambda match: f"{match.group(1)}class {re.sub(r'[^A-Za-z0-9_]', '_', match.group(2))}(", text)
    return valid(text.lstrip("\n"))


def exported_program(text: str) -> str:
    """What torch.export prints: its graph as Python, the signature and the constraints as comments behind it."""
    graph, found, rest = text.partition("Graph signature:")
    graph = textwrap.dedent(graph.partition("ExportedProgram:\n")[2] or graph).strip("\n")
    return graph + "\n" + ("\n" + commented(found + rest.rstrip()) if found else "")


def place(file: str, line: int) -> Tuple[str, str]:
    """(short form for people, the same with the whole path)."""
    short = re.split(r"[\\/]", file)[-1]
    return f"{short}:{line}", f"{file}:{line}"
