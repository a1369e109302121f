"""Many runs in one process."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from . import _resile
from ._progress import RunsEnded, runs_callback
from ._resile import MemoryRun, Scene
from ._run import Run, StrPath, as_scene, checked_folder, create_folder, refuse_link, step_error


def run_many(
    scenes: Iterable[Scene | StrPath],
    out: StrPath | None = None,
    *,
    threads: int | None = None,
    resume: bool = False,
    force: bool = False,
    steps: int | None = None,
    progress: bool | RunsEnded | None = None,
) -> list[Run | Exception]:
    """Runs scenes in parallel in this process: each on one thread, `threads` at a time, with the same bits as alone.

    The result has a `Run` for each scene, in the order of the scenes, or the exception with which it ended; a failure does
    not stop the other runs. `summary["wall_seconds"]` of a run is its own time. `progress` is `True` for a progress line,
    or a function of the number of runs that have ended and the number of all runs. `steps` ends each run after this number of
    steps.

    Without `out` the runs are held in memory, `run.nbytes` each; `run.save(folder)` writes a run to a folder. With `out` they
    are in the folders `out/0`, `out/1` and so on; Ctrl-C then ends all runs with checkpoints, and `resume=True` continues
    them. On Linux the files of runs that end within a second are synced to disk together, before `progress` is called.
    """
    if isinstance(scenes, (Scene, str, os.PathLike)):
        raise TypeError("run_many runs a list of scenes: [scene]")
    out_folder = checked_folder(out, resume)
    callback = runs_callback(progress, "run_many")
    all_scenes = [as_scene(scene) for scene in scenes]
    results: list[Run | Exception | None] = [None] * len(all_scenes)
    folders: list[Path] | None = None
    if out_folder is not None:
        width = len(str(max(len(all_scenes) - 1, 0)))
        folders = [out_folder / f"{number:0{width}}" for number in range(len(all_scenes))]
        create_folder(out_folder)
        for folder in folders:
            refuse_link(folder)
    ended = 0

    def finished(number: int, result: Exception | MemoryRun | None) -> None:
        nonlocal ended
        ended += 1
        source = result if folders is None or isinstance(result, Exception) else folders[number]
        results[number] = _result(source) if isinstance(source, (Path, MemoryRun)) else source
        if callback is not None:
            callback(ended, len(all_scenes))

    _resile.run_many(
        all_scenes,
        folders,
        finished,
        threads=threads,
        resume=resume,
        force=force,
        steps=steps,
    )
    return [result for result in results if result is not None]


def _result(source: Path | MemoryRun) -> Run | Exception:
    """The run in a folder or in memory, or the exception with which it ended."""
    finished_run = Run(source)
    return finished_run if finished_run.status != "failed" else step_error(finished_run)
