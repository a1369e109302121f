"""The table of a sweep, as the crate `resile-sweep` writes it, to the bit."""

from __future__ import annotations

import csv
import functools
import json
import operator
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._designs import pieces, positional
from ._errors import ArgumentError

DEFAULT = (
    "total:final", "kinetic:final", "total:max", "com_x:final", "com_y:final", "com_z:final",
    "min_distance:min", "min_det_f:min", "newton:sum",
)  # fmt: skip
_FORMS = (
    "results are `COLUMN:STATISTIC`, with a column of history.csv and final, min, max, mean, sum or a time in seconds, "
    "such as 'total:final'"
)
_FORMULA = "=+-@\t\r\n＝＋－＠"


@dataclass(frozen=True)
class Measure:
    """A column of the history, reduced to one number."""

    column: str
    statistic: str | float

    def __str__(self) -> str:
        told = self.statistic if isinstance(self.statistic, str) else f"at_{positional(self.statistic)}"
        return f"{self.column}_{told}"

    def of(self, history: dict[str, list[float | None]]) -> float | None:
        """Its value; `None` without such a column or without values."""
        cells = history.get(self.column)
        if cells is None:
            return None
        if not isinstance(self.statistic, str):
            return _at(history["time"], cells, self.statistic)
        values = [value for value in cells if value is not None]
        if not values:
            return None
        if self.statistic in ("min", "max"):
            numbers = [value for value in values if value == value]
            return (min if self.statistic == "min" else max)(numbers) if numbers else values[-1]
        if self.statistic in ("mean", "sum"):
            # Python's `sum` compensates rounding errors, and the program does not.
            total = functools.reduce(operator.add, values)
            return total / len(values) if self.statistic == "mean" else total
        return values[-1]


def _at(times: list[float | None], values: list[float | None], wanted: float) -> float | None:
    points = [(t, v) for t, v in zip(times, values, strict=True) if t is not None and v is not None]
    after = next((k for k, (t, _) in enumerate(points) if t >= wanted), None)
    if after is None:
        return None
    end, last = points[after]
    if end == wanted:
        return last
    if after == 0:
        return None
    begin, first = points[after - 1]
    return first + (last - first) * ((wanted - begin) / (end - begin))


def measures(results: Iterable[str]) -> list[Measure]:
    """Measures from text such as `total:final`; a column alone is its last value."""
    found: list[Measure] = []
    for text in (piece for result in results for piece in pieces(result, ",")):
        column, _, statistic = (part.strip() for part in text.partition(":"))
        if not column:
            raise ArgumentError("results", text, "a column is missing", _FORMS)
        if column == "seconds":
            message = "`seconds` differs in each repetition, and the table of a sweep does not"
            raise ArgumentError("results", text, message, "the wall time is in `run.summary`")
        kind: str | float = statistic or "final"
        if kind not in ("final", "min", "max", "mean", "sum"):
            try:
                kind = float(kind)
            except ValueError:
                raise ArgumentError("results", text, f"`{statistic}` is no statistic", _FORMS) from None
            if not 0.0 <= kind < float("inf"):
                raise ArgumentError("results", text, f"`{statistic}` is no statistic", _FORMS)
        if (measure := Measure(column, kind)) not in found:
            found.append(measure)
    return found


@dataclass(frozen=True)
class Outcome:
    """What became of a run, as its folder says."""

    state: str
    steps: int | None = None
    reason: str = ""

    @property
    def is_final(self) -> bool:
        return self.state in ("complete", "failed")


def outcome(folder: Path) -> Outcome:
    """Reads the folder of a run."""
    failure, summary = folder / "failure.json", folder / "summary.json"
    if failure.is_file():
        return Outcome("failed", reason=json.loads(failure.read_text(encoding="utf-8"))["reason"])
    if summary.is_file():
        read: dict[str, Any] = json.loads(summary.read_text(encoding="utf-8"))
        return Outcome(read["status"], read["steps_done"], read["reason"])
    return Outcome("interrupted" if (folder / "checkpoint").is_file() else "not_run")


def _history(folder: Path) -> dict[str, list[float | None]]:
    text = (folder / "history.csv").read_text(encoding="utf-8")
    header, *rows = text[: text.rindex("\n")].split("\n")
    cells = [row.split(",") for row in rows]
    return {
        name: [float(row[k]) if row[k] else None for row in cells] for k, name in enumerate(header.split(","))
    }


def cell(text: str) -> str:
    """Text as a cell: no formula of a spreadsheet, quoted where it must be."""
    text = f"'{text}" if text[:1] and text[0] in _FORMULA else text
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n\r') else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def table(
    folder: Path, paths: list[str], runs: list[tuple[str, ...]], results: list[Measure], broken: dict[int, str]
) -> str:
    """The table as CSV; `broken` has reasons of runs whose worker was lost."""
    names = [cell(str(measure)) for measure in results]
    lines = [",".join(["run", *map(cell, paths), "status", "steps", "time", *names, "reason"])]
    for run, values in enumerate(runs):
        place = folder / "runs" / f"{run:06}"
        found = outcome(place)
        numbers: list[float | None] = [None] * len(results)
        time: float | None = None
        if found.steps is not None:
            history = _history(place)
            time = history["time"][-1] if history["time"] else None
            if found.state == "complete":
                numbers = [measure.of(history) for measure in results]
        if run in broken:
            found = Outcome("failed", found.steps, broken[run])
        written = ["" if number is None else positional(number) for number in [time, *numbers]]
        cells = [value if _is_number(value) else cell(value) for value in values]
        steps = "" if found.steps is None else str(found.steps)
        lines.append(",".join([str(run), *cells, found.state, steps, *written, cell(found.reason)]))
    return "\n".join(lines) + "\n"


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a table, as text."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
