"""Calling compiled code without its guards, and finding out what the guards cost. Needs PyTorch."""

from __future__ import annotations

from depyf.optimization.dispatcher import TorchCompileWrapperWithCustomDispatcher
from depyf.optimization.report import GuardCost, GuardReport, guard_report
from depyf.optimization.skipping import GuardPromiseBroken, skip_guards

__all__ = [
    "GuardCost",
    "GuardPromiseBroken",
    "GuardReport",
    "TorchCompileWrapperWithCustomDispatcher",
    "guard_report",
    "skip_guards",
]
