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

from ._designs import positional, split_outside_brackets
from ._errors import ArgumentError

DEFAULT_RESULTS = (
    "total:final", "kinetic:final", "total:max", "com_x:final", "com_y:final", "com_z:final",
    "min_distance:min", "min_det_f:min", "newton:sum",
)  # fmt: skip
_RESULT_FORMS = (
    "results are `COLUMN:STATISTIC`, with a column of history.csv and final, min, max, mean, sum or a time in seconds, "
    "such as 'total:final'"
)
_FORMULA_STARTS = "=+-@\t\r\n＝＋－＠"
"""First characters of a cell that spreadsheets take for a formula."""


@dataclass(frozen=True)
class Measure:
    """A column of the history with a statistic that reduces it to one number."""

    column: str
    statistic: str | float
    """`final`, `min`, `max`, `mean`, `sum`, or a time (s)."""

    def __str__(self) -> str:
        name = self.statistic if isinstance(self.statistic, str) else f"at_{positional(self.statistic)}"
        return f"{self.column}_{name}"

    def evaluate(self, history: dict[str, list[float | None]]) -> float | None:
        """The value of the measure; `None` if the history has no such column or the column has no values."""
        cells = history.get(self.column)
        if cells is None:
            return None
        if not isinstance(self.statistic, str):
            return _interpolate(history["time"], cells, self.statistic)
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


def _interpolate(times: list[float | None], values: list[float | None], time: float) -> float | None:
    """The value at a time (s), interpolated linearly; `None` outside of the times with values."""
    points = [(t, v) for t, v in zip(times, values, strict=True) if t is not None and v is not None]
    upper = next((k for k, (t, _) in enumerate(points) if t >= time), None)
    if upper is None:
        return None
    end_time, end_value = points[upper]
    if end_time == time:
        return end_value
    if upper == 0:
        return None
    start_time, start_value = points[upper - 1]
    return start_value + (end_value - start_value) * ((time - start_time) / (end_time - start_time))


def measures(results: Iterable[str]) -> list[Measure]:
    """Parses measures such as `total:final`, without repetitions. A column without a statistic stands for its last value."""
    parsed: list[Measure] = []
    for text in (part for result in results for part in split_outside_brackets(result, ",")):
        column, _, statistic = (part.strip() for part in text.partition(":"))
        if not column:
            raise ArgumentError("results", text, "a column is missing", _RESULT_FORMS)
        if column == "seconds":
            message = "`seconds` differs in each repetition, and the table of a sweep does not"
            raise ArgumentError("results", text, message, "the wall time is in `run.summary`")
        name_or_time: str | float = statistic or "final"
        if name_or_time not in ("final", "min", "max", "mean", "sum"):
            try:
                name_or_time = float(name_or_time)
            except ValueError:
                raise ArgumentError("results", text, f"`{statistic}` is no statistic", _RESULT_FORMS) from None
            if not 0.0 <= name_or_time < float("inf"):
                raise ArgumentError("results", text, f"`{statistic}` is no statistic", _RESULT_FORMS)
        if (measure := Measure(column, name_or_time)) not in parsed:
            parsed.append(measure)
    return parsed


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


def _history(folder: Path) -> dict[str, list[float | None]]:
    """The columns of `history.csv`; empty cells are `None`."""
    text = (folder / "history.csv").read_text(encoding="utf-8")
    # A line that is not complete is left out.
    header, *rows = text[: text.rindex("\n")].split("\n")
    cells = [row.split(",") for row in rows]
    return {
        name: [float(row[k]) if row[k] else None for row in cells] for k, name in enumerate(header.split(","))
    }


def cell(text: str) -> str:
    """Text as a cell of CSV: formulas of spreadsheets get an apostrophe, and separators are quoted."""
    escaped = f"'{text}" if text[:1] and text[0] in _FORMULA_STARTS else text
    return '"' + escaped.replace('"', '""') + '"' if any(c in escaped for c in ',"\n\r') else escaped


def _is_number(text: str) -> bool:
    """Whether a text is a number without digit separators."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def table(
    folder: Path, paths: list[str], runs: list[tuple[str, ...]], results: list[Measure], broken: dict[int, str]
) -> str:
    """The table of a sweep as CSV, with a row for each run.

    `paths` are those of the parameters, and `runs` has their values for each run. `broken` has the reasons of the runs
    whose worker was lost, by the index of the run.
    """
    result_names = [cell(str(measure)) for measure in results]
    lines = [",".join(["run", *map(cell, paths), "status", "steps", "time", *result_names, "reason"])]
    for run, values in enumerate(runs):
        run_folder = folder / "runs" / f"{run:06}"
        run_outcome = outcome(run_folder)
        result_values: list[float | None] = [None] * len(results)
        time: float | None = None
        if run_outcome.steps is not None:
            history = _history(run_folder)
            time = history["time"][-1] if history["time"] else None
            if run_outcome.state == "complete":
                result_values = [measure.evaluate(history) for measure in results]
        if run in broken:
            run_outcome = Outcome("failed", run_outcome.steps, broken[run])
        number_cells = ["" if number is None else positional(number) for number in [time, *result_values]]
        parameter_cells = [value if _is_number(value) else cell(value) for value in values]
        steps = "" if run_outcome.steps is None else str(run_outcome.steps)
        cells = [str(run), *parameter_cells, run_outcome.state, steps, *number_cells, cell(run_outcome.reason)]
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a table, as text."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
