"""Sweeps: many runs of one scene with different values of its parameters, by any executor."""

from __future__ import annotations

import _thread
import copy
import json
import multiprocessing
import operator
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from . import _resile, _tables
from ._errors import ArgumentError, FileError, Problem, ResileError, SceneError, StepError
from ._progress import RunsEnded, runs_callback
from ._resile import Scene
from ._run import Run, StrPath, as_scene, checked_folder, create_folder, refuse_link, run
from ._value import value_text

if TYPE_CHECKING:
    import pandas

_FORMAT = 1
"""Version of the format of `sweep.json`."""

_MAX_ATTEMPTS = 3
"""Largest number of submissions of a run whose worker is lost; then the run counts as failed."""

_MAX_POOL_ATTEMPTS = 10
"""Largest number of submissions of a run if a lost worker breaks the whole pool."""

_POLL_INTERVAL = 0.02
"""Time (s) between two polls of futures, or of the lock of a run that another process writes."""


class Future(Protocol):
    """A future of an executor."""

    def done(self) -> bool: ...
    def result(self) -> Any: ...
    def cancel(self) -> Any: ...


class Executor(Protocol):
    """An executor with the method `submit` of `concurrent.futures`, such as those of Dask (`Client.get_executor()`), loky and
    mpi4py."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future: ...


class Sweep:
    """The results of a sweep in its folder, written by `resile.sweep` or `sim sweep`."""

    def __init__(self, folder: StrPath) -> None:
        self.folder = Path(folder)

    @property
    def table(self) -> list[dict[str, str]]:
        """The rows of `sweep.csv`: parameters, status, results and reason of each run, as text."""
        return _tables.read(self._table_path())

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a data frame, with the number of the run as its index."""
        import pandas

        return pandas.read_csv(self._table_path(), index_col="run")

    def _table_path(self) -> Path:
        """The path of the table. Raises `FileError` if there is none."""
        path = self.folder / "sweep.csv"
        if not path.is_file():
            message = f"{self.folder} has no table of a sweep"
            raise FileError(str(path), message, "resile.sweep writes it when all runs have ended")
        return path

    def run(self, number: int) -> Run:
        """The run with the index `number`, from 0."""
        if operator.index(number) < 0:
            raise IndexError(f"there is no run {number}")
        return Run(_run_folder(self.folder, number))

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
    results: str | Iterable[str] | None = None,
    steps: int | None = None,
    executor: Executor | None = None,
    jobs: int | None = None,
    retry: bool = False,
    progress: bool | RunsEnded | None = None,
) -> Sweep:
    """Runs a scene with many values of its parameters. The folder has the format of `sim sweep`, and the table has the same
    bits.

    `vary` maps paths such as `"bodies.die.friction"` to values: a list, or text such as `"0:1:20"` (20 equally spaced
    numbers), `"1e4:1e7:4:log"`, or an interval `"0:1"` for the designs `"random"` and `"latin-hypercube"`, which take
    `runs` samples from `seed`. `results` are columns of the history, or of a probe, with a statistic, such as
    `"total:final"` and `"probes.tip.uy:max"`.

    Without an `executor`, `jobs` processes of this machine execute the runs, with one thread each. An executor is any object
    with the method `submit` of `concurrent.futures`; its workers must have access to the folder `out`. The folder contains
    the whole state: after Ctrl-C, a lost worker or a killed process, the same call (or `sim sweep OUT`) continues the sweep
    and repeats no run that has ended; with `retry`, failed runs are repeated. A run whose worker is lost is submitted again
    and continues from its checkpoint. `steps` ends each run after this number of steps. `progress` is `True` for
    a progress line, or a function of the number of runs that have ended and the number of all runs. `sim sweep OUT
    --collect` draws the plots.
    """
    scene, folder = as_scene(scene), _sweep_folder(out)
    steps, runs, seed = _count("steps", steps), _count("runs", runs), _count("seed", seed) or 0
    jobs = _count("jobs", jobs, least=1)
    callback = runs_callback(progress, scene.name)
    refuse_link(folder / "runs")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise TypeError(f"an executor has a method submit, and {type(executor).__name__} has none")
    if not isinstance(vary, Mapping):
        raise TypeError(f"vary maps paths to values; it is no {type(vary).__name__}")
    vary_texts = [f"{path}={_values_text(path, values)}" for path, values in vary.items()]
    run_values = _resile.sweep_runs(scene, vary_texts, design, runs, seed)
    run_fields = [dict(zip(vary, values, strict=True)) for values in run_values]
    _check_scenes(scene, run_fields)
    first_scene = copy.copy(scene)
    first_scene.update(run_fields[0])
    if results is not None:
        results = [results] if isinstance(results, str) else list(results)
    samples = {} if runs is None else {"runs": runs, "seed": seed}
    plan = {
        "format": _FORMAT,
        "name": scene.name,
        "scene": str(os.path.abspath(scene.origin) if os.path.exists(scene.origin) else scene.origin),
        "set": [],
        "vary": vary_texts,
        "design": {"kind": design, **samples},
        "steps": steps,
        "results": _resile.sweep_results(first_scene, results),
    }
    for number in range(len(run_fields)):
        refuse_link(_run_folder(folder, number))
    _write_plan(folder, plan, scene.to_ron())
    queue = _RunQueue(scene, str(folder), run_fields, steps, retry, callback)
    if executor is None:
        queue.execute_in_processes(jobs or os.cpu_count() or 1)
    elif queue.execute(executor, queue.unfinished_runs()):
        error = BrokenExecutor("the executor is broken, and some runs have not ended")
        error.add_note(_continuation_note(folder))
        raise error
    _write(folder / "sweep.csv", _resile.sweep_table(folder, queue.broken))
    return Sweep(folder)


def _sweep_folder(out: StrPath) -> Path:
    """The absolute path of the folder of a sweep, which processes with other current folders share."""
    if out is None:
        raise TypeError("a sweep needs a folder: `out`")
    return Path(os.path.abspath(checked_folder(out) or out))


def _count(name: str, value: int | None, least: int = 0) -> int | None:
    """The argument `name`, a whole number from `least` on with at most 64 bits, or `None`."""
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None
    if not least <= number < 2**64:
        message = f"{name} must be {least} or more" if number < least else f"{name} is too large"
        raise ArgumentError(name, str(number), f"{message}: {number}")
    return number


def _values_text(path: str, values: str | Iterable[Any]) -> str:
    """The values of the parameter `path` as text: a list is separated by commas."""
    if isinstance(values, str):
        return values
    if isinstance(values, (bytes, bytearray)) or not isinstance(values, Iterable):
        raise TypeError(f"the values of {path} must be a list or a str, not {type(values).__name__}")
    return ",".join(value_text(value) for value in values)


def _run_folder(folder: Path, number: int) -> Path:
    """The folder of the run with this index in the folder of the sweep."""
    return folder / "runs" / f"{number:06}"


def _continuation_note(folder: StrPath) -> str:
    """The note of an exception that ends a sweep early."""
    return f"to continue, call resile.sweep again, or: sim sweep {os.fspath(folder)}"


def _check_scenes(scene: Scene, run_fields: list[dict[str, str]]) -> None:
    """Raises one exception with the problems of the scenes of all runs, each with its values by their paths."""
    problems: dict[tuple[str, str, str], Problem] = {}

    def is_valid(changes: dict[str, str]) -> bool:
        try:
            copy.copy(scene).update(changes)
        except SceneError as error:
            for problem in error.problems:
                problems.setdefault((problem.path, problem.value, problem.message), problem)
            return False
        return True

    for changes in run_fields:
        if not is_valid(changes):
            # A path that does not exist in the scene hides the problems of the others.
            for path, value in changes.items():
                is_valid({path: value})
    if any(problem.severity == "error" for problem in problems.values()):
        raise SceneError(list(problems.values()))


def _write_plan(folder: Path, plan: dict[str, Any], text: str) -> None:
    """Writes the plan and the text of the scene. Raises `FileError` if the folder contains another sweep."""
    plan_path, scene_path = folder / "sweep.json", folder / "scene.ron"
    if plan_path.is_file():
        existing = json.loads(plan_path.read_text(encoding="utf-8"))
        fixed_keys = ("format", "vary", "design", "steps")
        different = [key for key in fixed_keys if existing.get(key) != plan[key]]
        if scene_path.read_text(encoding="utf-8") != text:
            different.insert(0, "scene")
        if different:
            message = f"{folder} holds another sweep ({', '.join(different)} differ)"
            raise FileError(str(folder), message, "choose another folder")
        # The text of the scene contains the values of `sim sweep --set`, too.
        plan = {**plan, "set": existing.get("set", []), "name": existing["name"], "scene": existing["scene"]}
    elif folder.exists() and any(folder.iterdir()):
        raise FileError(str(folder), f"{folder} is not empty and holds no sweep", "choose another folder")
    create_folder(folder / "runs")
    _write(scene_path, text)
    _write(plan_path, json.dumps(plan, indent=2, ensure_ascii=False) + "\n")


def _write(path: Path, text: str) -> None:
    """Replaces a file atomically."""
    handle, temporary = tempfile.mkstemp(prefix=".sim-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _is_locked(folder: Path) -> bool:
    """Whether another process writes the run. A worker that lost its sweep stops after the current step."""
    try:
        import fcntl

        with open(folder / "lock", "a") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except ImportError:
        pass
    return False


class _Worker:
    """A worker process of a sweep. When the sweep is interrupted or its process is killed, the run in progress ends with a
    checkpoint and no other begins."""

    is_stopping: ClassVar[bool] = False
    """Whether the sweep ended; never in processes of other executors."""
    is_running: ClassVar[bool] = False
    """Whether a run is in progress."""
    is_interrupted: ClassVar[bool] = False
    """Whether the run in progress was interrupted."""

    @classmethod
    def begin(cls, stop: Event) -> None:
        """Prepares this process; its sweep sets `stop` when it is interrupted."""
        # Ctrl-C in a terminal reaches workers, too. Between runs it must not end the process.
        signal.signal(signal.SIGINT, cls.interrupt_run)

        def end_with_parent() -> None:
            parent = multiprocessing.parent_process()
            if parent is not None:
                parent.join()
                cls.end_runs()
                # The main thread waits for a run from its parent.
                os._exit(1)

        def end_when_stopped() -> None:
            stop.wait()
            cls.end_runs()

        for watch in (end_with_parent, end_when_stopped):
            threading.Thread(target=watch, daemon=True).start()

    @classmethod
    def end_runs(cls) -> None:
        """Interrupts the run in progress and waits for its end."""
        cls.is_stopping = True
        # A run may begin just now.
        time.sleep(_POLL_INTERVAL)
        while cls.is_running:
            _thread.interrupt_main()
            time.sleep(_POLL_INTERVAL)

    @classmethod
    def interrupt_run(cls, *_: Any) -> None:
        """Raises `KeyboardInterrupt` in the run in progress, once."""
        cls.is_stopping = True
        if cls.is_running and not cls.is_interrupted:
            cls.is_interrupted = True
            raise KeyboardInterrupt


def _execute_run(
    scene: Scene, folder: str, number: int, fields: dict[str, str], steps: int | None, retry: bool
) -> str:
    """Executes the run with this index in a process of the executor, unless it has ended. Returns its state."""
    run_folder = _run_folder(Path(folder), number)
    refuse_link(run_folder)
    if _Worker.is_stopping:
        return _tables.outcome(run_folder).state
    run_folder.mkdir(exist_ok=True)
    while _is_locked(run_folder):
        time.sleep(_POLL_INTERVAL)
    outcome = _tables.outcome(run_folder)
    if outcome.is_final and not (retry and outcome.state == "failed"):
        return outcome.state
    (run_folder / "failure.json").unlink(missing_ok=True)
    try:
        changed = copy.copy(scene)
        changed.update(fields)
        resume = (run_folder / "checkpoint").is_file()
        # A run that was killed before its first checkpoint is restarted.
        force = not resume and (run_folder / "history.csv").is_file()
        _Worker.is_running, _Worker.is_interrupted = True, False
        run(changed, run_folder, progress=False, resume=resume, force=force, threads=1, steps=steps)
    except SceneError as error:
        # A repetition would fail in the same way.
        errors = [p for p in error.problems if p.severity == "error"]
        reason = "; ".join(f"{p.path}: {p.message}" if p.path else p.message for p in errors)
        _write(run_folder / "failure.json", json.dumps({"reason": reason}, ensure_ascii=False) + "\n")
    except StepError:
        # The summary contains the reason.
        pass
    finally:
        _Worker.is_running = False
    return _tables.outcome(run_folder).state


class _RunQueue:
    """The runs of a sweep that are submitted to executors."""

    function = staticmethod(_execute_run)

    def __init__(
        self,
        scene: Scene,
        folder: str,
        run_fields: list[dict[str, str]],
        steps: int | None,
        retry: bool,
        progress: RunsEnded | None,
    ) -> None:
        self.scene, self.folder, self.run_fields = scene, folder, run_fields
        self.steps, self.retry, self.progress = steps, retry, progress
        self.attempts: dict[int, int] = {}
        """Number of submissions that ended with an exception, by the index of the run."""
        self.broken: dict[int, str] = {}
        """Reasons of the runs whose worker was lost too often, by the index of the run."""

    def unfinished_runs(self) -> list[int]:
        """Indices of the runs that have not ended, or are repeated because they failed."""

        def is_unfinished(number: int) -> bool:
            outcome = _tables.outcome(_run_folder(Path(self.folder), number))
            return not outcome.is_final or (self.retry and outcome.state == "failed")

        return [number for number in range(len(self.run_fields)) if is_unfinished(number)]

    def execute_in_processes(self, jobs: int) -> None:
        """Executes all unfinished runs in this number of processes."""
        runs = self.unfinished_runs()
        # A killed process breaks its pool; a new pool executes the remaining runs.
        while runs:
            # Processes that are spawned copy neither threads nor locks of this process.
            context = multiprocessing.get_context("spawn")
            stop = context.Event()
            pool = ProcessPoolExecutor(
                min(jobs, len(runs)), mp_context=context, initializer=_Worker.begin, initargs=(stop,)
            )
            with pool:
                try:
                    runs = self.execute(pool, runs)
                except BaseException:
                    stop.set()
                    raise

    def execute(self, executor: Executor, runs: list[int]) -> list[int]:
        """Submits the runs with these indices and waits for them. Returns those that a broken executor has not executed."""
        waiting: list[int] = list(runs)
        unexecuted: list[int] = []
        submitted: dict[int, Future] = {}
        try:
            while waiting or submitted:
                while waiting:
                    number = waiting.pop(0)
                    arguments = (self.scene, self.folder, number, self.run_fields[number], self.steps, self.retry)
                    try:
                        submitted[number] = executor.submit(self.function, *arguments)
                    except BrokenExecutor:
                        unexecuted += [number, *waiting]
                        waiting = []
                for number in [number for number, future in submitted.items() if future.done()]:
                    error = _exception(submitted.pop(number))
                    if error is not None and self._should_retry(number, error):
                        (unexecuted if isinstance(error, BrokenExecutor) else waiting).append(number)
                    if self.progress is not None:
                        run_count = len(self.run_fields)
                        ended = run_count - len(waiting) - len(submitted) - len(unexecuted)
                        self.progress(ended, run_count)
                if submitted:
                    time.sleep(_POLL_INTERVAL)
        except BaseException as error:
            for future in submitted.values():
                future.cancel()
            error.add_note(_continuation_note(self.folder))
            raise
        return unexecuted

    def _should_retry(self, number: int, error: BaseException) -> bool:
        """Whether a run whose submission ended with this exception is submitted again, because its worker was lost."""
        self.attempts[number] = self.attempts.get(number, 0) + 1
        # One lost process breaks its whole pool, so most runs of the pool are not the cause.
        max_attempts = _MAX_POOL_ATTEMPTS if isinstance(error, BrokenExecutor) else _MAX_ATTEMPTS
        if not isinstance(error, ResileError) and self.attempts[number] < max_attempts:
            return True
        self.broken[number] = str(error) or type(error).__name__
        return False


def _exception(future: Future) -> BaseException | None:
    """The exception with which a future ended; `None` if it has a result."""
    try:
        future.result()
    except Exception as error:
        return error
    return None
