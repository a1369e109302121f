"""Runs: making them, and what they have written."""

from __future__ import annotations

import html
import json
import os
import shutil
import tempfile
import weakref
import webbrowser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from . import _resile
from ._errors import StepError, UnknownNameError
from ._progress import Progress, Step
from ._resile import Scene

if TYPE_CHECKING:
    import pandas
    import pyvista

StrPath = str | os.PathLike[str]


def as_scene(scene: Scene | StrPath) -> Scene:
    """A scene, or the scene of a file or of a name inside the library."""
    if isinstance(scene, Scene):
        return scene
    if isinstance(scene, (str, os.PathLike)):
        return Scene.load(scene)
    raise TypeError(f"a scene must be a resile.Scene, a path or a name, not {type(scene).__name__}")


class History(dict[str, NDArray[np.float64]]):
    """Columns of a table by their names, each (rows,) float64; NaN where a quantity does not apply."""

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a data frame, with `time` as its index where there is one."""
        import pandas

        frame = pandas.DataFrame({name: column.copy() for name, column in self.items()})
        return frame.set_index("time") if "time" in frame else frame

    def __missing__(self, name: str) -> NDArray[np.float64]:
        raise UnknownNameError("column", name, list(self))


class Frame:
    """What the bodies look like at one time."""

    def __init__(self, run: Run, number: int) -> None:
        self._bodies = run._bodies()
        self._positions, self._fields = run._playback().frame(number)
        self.number = number
        self.time = float(run.times[number])

    def _range(self, body: str) -> slice:
        try:
            return slice(*self._bodies[body]["vertices"])
        except KeyError:
            raise UnknownNameError("body", body, list(self._bodies)) from None

    def positions(self, body: str | None = None) -> NDArray[np.float32]:
        """Positions (m) of the drawn vertices of a body, or of all bodies: (n, 3) float32, a read-only view."""
        return self._positions if body is None else self._positions[self._range(body)]

    def field(self, name: str, body: str | None = None) -> NDArray[np.float32]:
        """A field such as `velocity` at these vertices: (n,) or (n, components) float32, a read-only view."""
        try:
            values = self._fields[name]
        except KeyError:
            raise UnknownNameError("field", name, list(self._fields)) from None
        return values if body is None else values[self._range(body)]

    @property
    def fields(self) -> list[str]:
        """Names of the fields; `output.fields` of the scene asks for more."""
        return list(self._fields)

    def __repr__(self) -> str:
        return f"<resile.Frame {self.number}, t = {self.time:.6g} s>"


class Frames(Sequence[Frame]):
    """The frames of a run; each is read when it is asked for."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __len__(self) -> int:
        return len(self._run.times)

    @overload
    def __getitem__(self, number: int) -> Frame: ...
    @overload
    def __getitem__(self, number: slice) -> list[Frame]: ...
    def __getitem__(self, number: int | slice) -> Frame | list[Frame]:
        if isinstance(number, slice):
            return [Frame(self._run, k) for k in range(*number.indices(len(self)))]
        count = len(self)
        if not -count <= number < count:
            raise IndexError(f"there is no frame {number}; there are {count}")
        return Frame(self._run, number % count)


class Report(dict[str, Any]):
    """What the check of a run found, as `sim verify --json` prints it."""

    @property
    def verdict(self) -> str:
        """`"apart"`, `"crossed"` or `"incomplete"`."""
        return str(self["verdict"])

    @property
    def ok(self) -> bool:
        """Whether every frame was read and has no intersections."""
        return self.verdict == "apart"


class Page:
    """A page that plays a run. A notebook shows it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def open(self) -> bool:
        """Opens it in a browser; whether there is one."""
        return webbrowser.open(self.path.resolve().as_uri())

    def _repr_html_(self) -> str:
        page = html.escape(self.path.read_text(encoding="utf-8"), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:480px;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<resile.Page {self.path}>"


class Run:
    """A run in its folder, whoever made it: `resile.run`, `sim run` or another machine; or a run in memory."""

    def __init__(self, folder: StrPath | _resile.MemoryRun) -> None:
        self._memory = folder if isinstance(folder, _resile.MemoryRun) else None
        self._folder = None if isinstance(folder, _resile.MemoryRun) else Path(folder)
        self._read: _resile.Playback | None = None
        self.summary: dict[str, Any] = {}
        """`summary.json`: status, energy balance, counts, smallest distance."""
        summary = self._summary_text()
        if summary is not None:
            self.summary = json.loads(summary)
        else:
            # A folder that holds no run is refused here.
            self._playback()

    def _summary_text(self) -> str | None:
        if self._memory is not None:
            return self._memory.summary()
        path = self.folder / "summary.json"
        return path.read_text(encoding="utf-8") if path.is_file() else None

    @property
    def folder(self) -> Path:
        """The folder of the run. A run in memory is written to a temporary one, which goes with this object."""
        if self._folder is None:
            temporary = tempfile.mkdtemp(prefix="resile-")
            self._keep(temporary)
            self.save(temporary)
            self._folder = Path(temporary)
        return self._folder

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the files of a run in memory take; 0 for a run in a folder."""
        return 0 if self._memory is None else self._memory.nbytes

    def save(self, folder: StrPath, *, force: bool = False) -> Run:
        """Writes the run to a folder, with the files that it has when it is made there; `force=True` replaces a run there."""
        if self._memory is not None:
            self._memory.save(folder, force=force)
        else:
            _resile.copy_run(self.folder, folder, force=force)
        return Run(folder)

    def __getstate__(self) -> dict[str, Any]:
        # The temporary folder of a run in memory goes with this object.
        folder = self._folder if self._memory is None else None
        return {**self.__dict__, "_folder": folder, "_read": None}

    def _keep(self, until_gone: StrPath) -> Run:
        weakref.finalize(self, shutil.rmtree, until_gone, ignore_errors=True)
        return self

    def _playback(self) -> _resile.Playback:
        if self._read is None:
            self._read = _resile.Playback(self.folder) if self._memory is None else self._memory.playback()
        return self._read

    def _bodies(self) -> dict[str, dict[str, Any]]:
        return {body["name"]: body for body in self._playback().bodies}

    @property
    def status(self) -> str:
        """`"complete"`, `"interrupted"` or `"failed"`; empty while the run goes on elsewhere."""
        return str(self.summary.get("status", ""))

    @property
    def history(self) -> History:
        """`history.csv`: energies, momenta, iterations and the certificate of each step."""
        return self.table("history")

    def table(self, name: str) -> History:
        """A table of the run: `history`, `bodies`, `poses`, `contacts`, `momentum`, `probes`, `profile`.

        Cells that are no numbers are NaN.
        """
        if self._memory is not None:
            return History(self._memory.table(name))
        return History(_resile.read_table(self.folder / f"{name}.csv"))

    @property
    def bodies(self) -> list[str]:
        """Names of what the frames show."""
        return list(self._bodies())

    @property
    def times(self) -> NDArray[np.float64]:
        """Times (s) of the frames."""
        return self._playback().times

    @property
    def frames(self) -> Frames:
        """The frames; `run.frames[-1].positions("cube")`."""
        return Frames(self)

    def triangles(self, body: str) -> NDArray[np.int32]:
        """The triangles of a body as it is drawn: (m, 3) int32 numbers of its vertices."""
        try:
            triangles: NDArray[np.int32] = self._bodies()[body]["triangles"]
        except KeyError:
            raise UnknownNameError("body", body, self.bodies) from None
        return triangles

    def verify(self, *, threads: int | None = None) -> Report:
        """Checks every frame by exact arithmetic: that it has no intersections."""
        return Report(json.loads(_resile.verify(self.folder, threads=threads)))

    def render(self, path: StrPath | None = None, **options: Any) -> Path:
        """Makes a film (.mp4, .gif, .png) or, with `at=seconds`, a picture (.png); `film.mp4` in the folder by default.

        Options: `size=(1280, 720)`, `fps`, `speed`, `start`, `end`, `at`, `color="body"` or a field, `range`, `edges`,
        `section=(a, b, c, d)` (cuts away what has a x + b y + c z > d, in m), `view=(x, y, z)`, `orbit` (degrees),
        `follow` (a body), `text`, `energies`, `threads`.
        """
        name = "picture.png" if options.get("at") is not None else "film.mp4"
        target = self.folder / name if path is None else Path(path)
        _resile.render(self.folder, target, **options)
        return target

    def view(self, path: StrPath | None = None) -> Page:
        """Writes a page that plays the run, `view.html` in its folder by default. A notebook shows it."""
        target = self.folder / "view.html" if path is None else Path(path)
        _resile.write_page(self.folder, target)
        return Page(target)

    def to_pyvista(self, number: int = -1) -> pyvista.MultiBlock:
        """Frame `number` for PyVista: a block for each body and obstacle, with its fields."""
        import pyvista

        frame = self.frames[number]
        blocks = pyvista.MultiBlock()
        for name, body in self._bodies().items():
            surface = _polydata(frame.positions(name), body)
            for field in frame.fields:
                surface.point_data[field] = frame.field(field, name)
            blocks.append(surface, name)
        for still in self._playback().still:
            blocks.append(_polydata(still["positions"], still), still["name"])
        return blocks

    def __iter__(self) -> Iterator[Frame]:
        return iter(self.frames)

    def __repr__(self) -> str:
        place = "in memory" if self._folder is None else repr(str(self._folder))
        return f"<resile.Run {place}, {self.status or 'no summary'}>"


def _polydata(positions: NDArray[np.float32], body: dict[str, Any]) -> pyvista.PolyData:
    import pyvista

    def cells(rows: NDArray[np.int32]) -> NDArray[np.int32] | None:
        if not len(rows):
            return None
        return np.insert(rows, 0, rows.shape[1], axis=1).ravel()

    triangles, edges = cells(body["triangles"]), cells(body["edges"])
    points = np.array(positions)
    if triangles is None and edges is None:
        return pyvista.PolyData(points)
    return pyvista.PolyData(points, faces=triangles, lines=edges)


def open_run(folder: StrPath) -> Run:
    """The run in a folder, as `resile.run` or `sim run` wrote it."""
    return Run(folder)


def run(
    scene: Scene | StrPath,
    out: StrPath | None = None,
    *,
    progress: bool | Step = True,
    resume: bool = False,
    force: bool = False,
    threads: int | None = None,
    steps: int | None = None,
) -> Run:
    """Runs a scene to its end, as `sim run` does: the same files, the same bits.

    `out` is the folder; without it the run is in a temporary folder that goes with the returned object. `resume=True` goes
    on from the checkpoint in the folder, `force=True` replaces the run there. `progress` is `False` for silence, or a
    function of steps, steps asked, time (s), Newton iterations, energy (J), expected energy (J). `steps` ends the run
    early.

    The interpreter is released while it works. Ctrl-C ends the run after the last whole step with a checkpoint and raises
    `KeyboardInterrupt`, whose notes say how to resume it. A step that fails raises `StepError`; its `run` is what was
    written.
    """
    scene = as_scene(scene)
    temporary = tempfile.mkdtemp(prefix="resile-") if out is None else None
    folder = Path(temporary or os.fspath(out))  # type: ignore[arg-type]
    bar = Progress(scene.name) if progress is True else None
    told = bar if bar is not None else (progress if callable(progress) else None)
    try:
        _resile.run(scene, folder, resume=resume, force=force, threads=threads, steps=steps, progress=told)
    except BaseException as error:
        if (folder / "checkpoint").is_file():
            error.add_note(f"to go on: resile.run(scene, {str(folder)!r}, resume=True)")
        elif temporary:
            shutil.rmtree(temporary, ignore_errors=True)
        raise
    finally:
        if bar is not None:
            bar.close()
    made = Run(folder)
    if temporary:
        made._keep(temporary)
    if made.status == "failed":
        raise failed(made)
    return made


def failed(made: Run) -> StepError:
    """The exception of a run that failed."""
    remedy = "take a smaller time.step or a larger solver.max_halvings, and look at the last frame"
    failure = StepError(made.summary["steps_done"] + 1, made.summary["reason"], remedy)
    failure.run = made
    return failure
