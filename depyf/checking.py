"""Whether the laws of each stage are checked: DEPYF_CHECK=1, read once, since looking it up costs as much as a small stage."""

from __future__ import annotations

import os

laws = os.environ.get("DEPYF_CHECK") == "1"
