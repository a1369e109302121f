"""Sweeps: many runs of one scene, by any executor."""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from . import _tables
from ._designs import Values, runs_of, value_text
from ._errors import FileError, Problem, ResileError, SceneError, StepError
from ._resile import Scene
from ._run import Run, StrPath, as_scene, run

if TYPE_CHECKING:
    import pandas

_FORMAT = 1
_ATTEMPTS = 3
"""How often a run is submitted before it counts as failed: its worker was lost."""

_ATTEMPTS_OF_POOLS = 10
"""The same for processes that break their whole pool."""

_GLANCE = 0.02
"""Seconds between two looks at futures, or at a run that another process writes."""


class Future(Protocol):
    """What an executor returns."""

    def done(self) -> bool: ...
    def result(self) -> Any: ...
    def cancel(self) -> Any: ...


class Executor(Protocol):
    """Anything with the `submit` of `concurrent.futures`: Dask's `Client.get_executor()`, loky, mpi4py and so on."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future: ...


class Sweep:
    """The folder of a sweep, made by `resile.sweep` or `sim sweep`."""

    def __init__(self, folder: StrPath) -> None:
        self.folder = Path(folder)

    @property
    def table(self) -> list[dict[str, str]]:
        """The rows of `sweep.csv`: parameters, status, results and reason of each run, as text."""
        return _tables.read(self.folder / "sweep.csv")

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a data frame, with the number of the run as its index."""
        import pandas

        return pandas.read_csv(self.folder / "sweep.csv", index_col="run")

    def run(self, number: int) -> Run:
        """A run."""
        return Run(_place(self.folder, number))

    def __repr__(self) -> str:
        return f"<resile.Sweep {str(self.folder)!r}>"


def sweep(
    scene: Scene | StrPath,
    vary: Mapping[str, str | Iterable[Any]],
    out: StrPath,
    *,
    design: str = "grid",
    runs: int | None = None,
    seed: int = 0,
    results: Iterable[str] | None = None,
    steps: int | None = None,
    executor: Executor | None = None,
    jobs: int | None = None,
    retry: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Runs a scene with many values of its parameters. The folder is that of `sim sweep`, and the table the same, to the bit.

    `vary` maps paths such as `"bodies.die.friction"` to values: a list, or text such as `"0:1:20"` (20 equally spaced
    numbers), `"1e4:1e7:4:log"`, or an interval `"0:1"` for the designs `"random"` and `"latin-hypercube"`, which take
    `runs` samples from `seed`. `results` are columns of the history with a statistic, such as `"total:final"`.

    Without an `executor` the runs are in `jobs` processes of this machine, with one thread each. An executor is anything
    with the `submit` of `concurrent.futures`; its workers must reach the folder `out`. The folder holds the whole state:
    after Ctrl-C, a lost worker or a killed process the same call (or `sim sweep OUT`) continues, and repeats no run that
    has ended. A run whose worker is lost is submitted again and continues from its checkpoint. `progress` is called with
    the number of runs that have ended and of all runs. `sim sweep OUT --collect` draws the plots.
    """
    scene, folder = as_scene(scene), Path(os.path.abspath(os.fspath(out)))
    texts = {path: _text(values) for path, values in vary.items()}
    parameters = {path: Values.parse(path, text) for path, text in texts.items()}
    planned = runs_of(parameters, design, runs, seed)
    asked = list(_tables.DEFAULT if results is None else results)
    wanted = _tables.measures(asked)
    fields = [dict(zip(parameters, values, strict=True)) for values in planned]
    _check(scene, fields)
    samples = {} if runs is None else {"runs": runs, "seed": seed}
    plan = {
        "format": _FORMAT,
        "name": scene.name,
        "scene": str(os.path.abspath(scene.origin) if os.path.exists(scene.origin) else scene.origin),
        "set": [],
        "vary": [f"{path}={text}" for path, text in texts.items()],
        "design": {"kind": design, **samples},
        "steps": steps,
        "results": asked,
    }
    _begin(folder, plan, scene.to_ron())
    work = _Work(scene, str(folder), fields, steps, retry, progress)
    if executor is None:
        work.in_processes(jobs or os.cpu_count() or 1)
    elif work.submit_all(executor, work.open_runs()):
        error = BrokenExecutor("the executor is broken, and some runs have not ended")
        error.add_note(_continue(folder))
        raise error
    _write(folder / "sweep.csv", _tables.table(folder, list(parameters), planned, wanted, work.broken))
    return Sweep(folder)


def _text(values: str | Iterable[Any]) -> str:
    return values if isinstance(values, str) else ",".join(value_text(value) for value in values)


def _place(folder: Path, number: int) -> Path:
    return folder / "runs" / f"{number:06}"


def _continue(folder: StrPath) -> str:
    return f"to continue, call resile.sweep again, or: sim sweep {os.fspath(folder)}"


def _check(scene: Scene, fields: list[dict[str, str]]) -> None:
    """Raises the problems of the scenes of all runs at once."""
    found: dict[tuple[str, str, str], Problem] = {}

    def look(changes: dict[str, str]) -> bool:
        try:
            copy.copy(scene).update(changes)
        except SceneError as error:
            for problem in error.problems:
                found.setdefault((problem.path, problem.value, problem.message), problem)
            return False
        return True

    for changes in fields:
        if not look(changes):
            # One that has no place in the scene hides the others.
            for path, value in changes.items():
                look({path: value})
    if any(problem.severity == "error" for problem in found.values()):
        raise SceneError(list(found.values()))


def _begin(folder: Path, plan: dict[str, Any], text: str) -> None:
    """Writes the plan, or finds the same one."""
    place, scene = folder / "sweep.json", folder / "scene.ron"
    if place.is_file():
        known = json.loads(place.read_text(encoding="utf-8"))
        fixed = ("format", "vary", "design", "steps")
        different = [key for key in fixed if known.get(key) != plan[key]]
        if scene.read_text(encoding="utf-8") != text:
            different.insert(0, "scene")
        if different:
            message = f"{folder} holds another sweep ({', '.join(different)} differ)"
            raise FileError(str(folder), message, "choose another folder")
        # What `sim sweep --set` set is in the text of the scene, too.
        plan = {**plan, "set": known.get("set", []), "name": known["name"], "scene": known["scene"]}
    elif folder.exists() and any(folder.iterdir()):
        raise FileError(str(folder), f"{folder} is not empty and holds no sweep", "choose another folder")
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    _write(scene, text)
    _write(place, json.dumps(plan, indent=2, ensure_ascii=False) + "\n")


def _write(path: Path, text: str) -> None:
    """Replaces a file in one step."""
    handle, temporary = tempfile.mkstemp(prefix=".sim-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _is_locked(folder: Path) -> bool:
    """Whether another process writes the run: one that lost its sweep stops after a step."""
    try:
        import fcntl

        with open(folder / "lock", "a") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except ImportError:
        pass
    return False


def _work(scene: Scene, folder: str, number: int, fields: dict[str, str], steps: int | None, retry: bool) -> str:
    """Takes a run to its end, in a process of the executor, unless another one has. Returns its state."""
    place = _place(Path(folder), number)
    place.mkdir(exist_ok=True)
    while _is_locked(place):
        time.sleep(_GLANCE)
    found = _tables.outcome(place)
    if found.is_final and not (retry and found.state == "failed"):
        return found.state
    (place / "failure.json").unlink(missing_ok=True)
    try:
        changed = copy.copy(scene)
        changed.update(fields)
        resume = (place / "checkpoint").is_file()
        # One that was killed before its first checkpoint begins anew.
        force = not resume and (place / "history.csv").is_file()
        run(changed, place, progress=False, resume=resume, force=force, threads=1, steps=steps)
    except SceneError as error:
        # A repetition would be refused in the same way.
        told = [p for p in error.problems if p.severity == "error"]
        reason = "; ".join(f"{p.path}: {p.message}" if p.path else p.message for p in told)
        _write(place / "failure.json", json.dumps({"reason": reason}, ensure_ascii=False) + "\n")
    except StepError:
        # The summary has the reason.
        pass
    return _tables.outcome(place).state


class _Work:
    """Runs that are not finished, given to executors."""

    function = staticmethod(_work)

    def __init__(
        self,
        scene: Scene,
        folder: str,
        fields: list[dict[str, str]],
        steps: int | None,
        retry: bool,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self.scene, self.folder, self.fields = scene, folder, fields
        self.steps, self.retry, self.progress = steps, retry, progress
        self.attempts: dict[int, int] = {}
        self.broken: dict[int, str] = {}

    def open_runs(self) -> list[int]:
        def is_open(number: int) -> bool:
            found = _tables.outcome(_place(Path(self.folder), number))
            return not found.is_final or (self.retry and found.state == "failed")

        return [number for number in range(len(self.fields)) if is_open(number)]

    def in_processes(self, jobs: int) -> None:
        runs = self.open_runs()
        # A process that is killed breaks its pool; a new pool takes what is left.
        while runs:
            # Neither threads nor locks of this process are copied.
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(min(jobs, len(runs)), mp_context=context) as pool:
                runs = self.submit_all(pool, runs)

    def submit_all(self, executor: Executor, runs: list[int]) -> list[int]:
        """Submits runs and waits for them; returns those that a broken executor has not taken to their end."""
        waiting: list[int] = list(runs)
        left: list[int] = []
        submitted: dict[int, Future] = {}
        try:
            while waiting or submitted:
                while waiting:
                    number = waiting.pop(0)
                    arguments = (self.scene, self.folder, number, self.fields[number], self.steps, self.retry)
                    try:
                        submitted[number] = executor.submit(self.function, *arguments)
                    except BrokenExecutor:
                        left += [number, *waiting]
                        waiting = []
                for number in [number for number, future in submitted.items() if future.done()]:
                    error = _error(submitted.pop(number))
                    if error is not None and self._again(number, error):
                        (left if isinstance(error, BrokenExecutor) else waiting).append(number)
                    if self.progress is not None:
                        all_runs = len(self.fields)
                        self.progress(all_runs - len(waiting) - len(submitted) - len(left), all_runs)
                if submitted:
                    time.sleep(_GLANCE)
        except BaseException as error:
            for future in submitted.values():
                future.cancel()
            error.add_note(_continue(self.folder))
            raise
        return left

    def _again(self, number: int, error: BaseException) -> bool:
        """Whether a run that ended with an exception is tried again: its worker was lost."""
        self.attempts[number] = self.attempts.get(number, 0) + 1
        # One process breaks its whole pool, so most of its runs are not to blame.
        most = _ATTEMPTS_OF_POOLS if isinstance(error, BrokenExecutor) else _ATTEMPTS
        if not isinstance(error, ResileError) and self.attempts[number] < most:
            return True
        self.broken[number] = str(error) or type(error).__name__
        return False


def _error(future: Future) -> BaseException | None:
    try:
        future.result()
    except Exception as error:
        return error
    return None
