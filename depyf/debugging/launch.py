"""`depyf.vscode(dir)`: a launch configuration for VS Code with which breakpoints in a dump are hit.

Adds to the project's .vscode/launch.json, whatever else stands there. Imports no torch.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any, Dict, List, Optional, Union

Directory = Union[str, "os.PathLike[str]"]
NAME = "depyf: step through compiled code"


def vscode(dump_src_dir: Directory, project: Optional[Directory] = None) -> str:
    """Add a launch configuration to the project (default: the current directory); gives back the path of launch.json.

    The configuration runs the file that is open in the editor. Its rule makes the files in `dump_src_dir` the user's own
    code for the debugger, wherever they are and whatever `justMyCode` and other rules say.
    """
    folder = os.path.join(os.path.abspath(os.fspath(project or os.curdir)), ".vscode")
    path = os.path.join(folder, "launch.json")
    content = _existing(path)
    others = [known for known in content["configurations"] if known.get("name") != NAME]
    content["configurations"] = [*others, configuration(dump_src_dir)]
    os.makedirs(folder, exist_ok=True)
    beside = f"{path}.{os.getpid()}.part"
    with open(beside, "w", encoding="utf-8") as stream:
        json.dump(content, stream, indent=4)
        stream.write("\n")
    os.replace(beside, path)
    return path


def configuration(dump_src_dir: Directory) -> Dict[str, Any]:
    """The configuration itself, for those who keep launch.json in another way."""
    return {
        "name": NAME,
        "type": "debugpy",
        "request": "launch",
        "program": "${file}",
        "console": "integratedTerminal",
        "justMyCode": True,
        "subProcess": False,  # Inductor asks subprocesses what the processor can do; under a debugger they fail
        "rules": rules(dump_src_dir),
    }


def rules(dump_src_dir: Directory) -> List[Dict[str, Any]]:
    """What makes debugpy take the dumped files for the user's own; the first rule that matches a file counts."""
    folder = os.path.abspath(os.fspath(dump_src_dir)).replace(os.sep, "/")
    return [{"path": f"{folder}/**", "include": True}]


def _existing(path: str) -> Dict[str, Any]:
    """What launch.json holds now. VS Code allows comments and trailing commas in it; comments are not kept."""
    try:
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
    except FileNotFoundError:
        return {"version": "0.2.0", "configurations": []}
    try:
        content = json.loads(_plain_json(text))
        content.setdefault("configurations", [])
        if not all(isinstance(known, dict) for known in content["configurations"]):
            raise ValueError("configurations are no objects")
    except (ValueError, AttributeError) as error:
        raise ValueError(
            f"{path} cannot be read as JSON ({error}), so it was left alone. Mend it, or add what "
            "depyf.debugging.launch.configuration(dump_src_dir) gives to its configurations."
        ) from error
    return content  # type: ignore[no-any-return]


def _plain_json(text: str) -> str:
    """Without comments and trailing commas; strings, which may hold both, are matched first and kept."""
    string = r'("(?:\\.|[^"\\])*")'
    text = re.sub(rf"{string}|//[^\n]*|/\*.*?\*/", lambda match: match[1] or "", text, flags=re.DOTALL)
    return re.sub(rf"{string}|,(?=\s*[\]}}])", lambda match: match[1] or "", text)
