"""Outcomes of the runs of a sweep, and its table."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """The state of a run according to its folder."""

    state: str
    """`complete`, `failed`, `interrupted` or `not_run`."""
    steps: int | None = None
    """Number of steps; `None` without a summary."""
    reason: str = ""
    """Reason of a failure."""

    @property
    def is_final(self) -> bool:
        return self.state in ("complete", "failed")


def outcome(folder: Path) -> Outcome:
    """Reads the outcome of a run from its folder."""
    failure_path, summary_path = folder / "failure.json", folder / "summary.json"
    if failure_path.is_file():
        return Outcome("failed", reason=json.loads(failure_path.read_text(encoding="utf-8"))["reason"])
    if summary_path.is_file():
        summary: dict[str, Any] = json.loads(summary_path.read_text(encoding="utf-8"))
        return Outcome(summary["status"], summary["steps_done"], summary["reason"])
    return Outcome("interrupted" if (folder / "checkpoint").is_file() else "not_run")


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a table, as text."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
