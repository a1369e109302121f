"""Elastic and stiff bodies in contact: nothing passes through anything, and energy does what you say.

    import resile

    scene = resile.Scene.load("first")          # or a file: "my.ron"
    scene["bodies.cube.friction"] = 0.3
    run = resile.run(scene, "out/first")
    run.history.to_pandas()[["kinetic", "total"]].plot()
    run.render("first.mp4")

    sim = resile.Simulation(scene)             # or step by step
    sim.step(10)
    sim.positions("cube")                      # (n, 3) float64, metres

SI units, y up. No result depends on the number of threads.
"""

from __future__ import annotations

from . import contact, mesh
from ._errors import (
    ArgumentError,
    BusyError,
    ClosedError,
    FileError,
    Problem,
    ResileError,
    SceneError,
    StepError,
    UnknownNameError,
)
from ._many import run_many
from ._resile import Scene, Simulation, __version__
from ._resile import scenes as _scenes
from ._results import Contacts
from ._run import Frame, Frames, History, Page, Report, Run, StrPath, open_run, run
from ._sweep import Sweep, sweep
from ._threads import default_threads


def scenes() -> dict[str, str]:
    """The built-in scenes: a one-sentence description of each by its name, which `Scene.load` accepts."""
    return dict(_scenes())


def verify(folder: StrPath, *, threads: int | None = None) -> Report:
    """Checks by exact arithmetic that no frame of the run in a folder has intersections."""
    return Run(folder).verify(threads=threads)


__all__ = [
    "ArgumentError",
    "BusyError",
    "ClosedError",
    "Contacts",
    "FileError",
    "Frame",
    "Frames",
    "History",
    "Page",
    "Problem",
    "Report",
    "ResileError",
    "Run",
    "Scene",
    "SceneError",
    "Simulation",
    "StepError",
    "Sweep",
    "UnknownNameError",
    "__version__",
    "contact",
    "default_threads",
    "mesh",
    "open_run",
    "run",
    "run_many",
    "scenes",
    "sweep",
    "verify",
]
