"""Many runs in one process."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from . import _resile
from ._resile import Scene
from ._run import Run, StrPath, as_scene, failed


def run_many(
    scenes: Iterable[Scene | StrPath],
    out: StrPath | None = None,
    *,
    threads: int | None = None,
    resume: bool = False,
    force: bool = False,
    steps: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Run | Exception]:
    """Runs scenes side by side in this process: each on one thread, `threads` at a time, with the same bits as alone.

    The runs are in `out/0`, `out/1` and so on, in the order of the scenes. On Linux the files of runs that end within a
    second are synced to disk together, before `progress` is called. Without `out` each run is in a temporary folder that
    is removed with its object and whose files are not synced. The result has a `Run` for each scene, or the exception with which it ended; one failure does not
    stop the others. `summary["wall_seconds"]` of a run is its own time. `progress` is called with the number of runs that
    have ended and of all runs. Ctrl-C ends all of them with checkpoints; with `out`, `resume=True` goes on.
    """
    all_scenes = [as_scene(scene) for scene in scenes]
    results: list[Run | Exception | None] = [None] * len(all_scenes)
    if out is None:
        folders = [Path(tempfile.mkdtemp(prefix="resile-")) for _ in all_scenes]
    else:
        width = len(str(max(len(all_scenes) - 1, 0)))
        folders = [Path(os.fspath(out)) / f"{number:0{width}}" for number in range(len(all_scenes))]
        Path(out).mkdir(parents=True, exist_ok=True)
    ended = 0

    def finished(number: int, error: Exception | None) -> None:
        nonlocal ended
        ended += 1
        results[number] = error if error is not None else _result(folders[number], out is None)
        if progress is not None:
            progress(ended, len(all_scenes))

    _resile.run_many(
        all_scenes,
        folders,
        finished,
        threads=threads,
        resume=resume,
        force=force,
        steps=steps,
        temporary=out is None,
    )
    return [result for result in results if result is not None]


def _result(folder: Path, temporary: bool) -> Run | Exception:
    made = Run(folder)
    if temporary:
        made._keep(folder)
    return made if made.status != "failed" else failed(made)
