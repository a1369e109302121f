"""Execution of runs, and access to their output."""

from __future__ import annotations

import html
import json
import operator
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
from ._errors import ArgumentError, FileError, StepError, named_entry
from ._progress import Progress, Step, check_callback
from ._resile import Scene

if TYPE_CHECKING:
    import pandas
    import pyvista

StrPath = str | os.PathLike[str]

_TABLES = {
    "history": "every run has it",
    "bodies": "add `output: (tables: [Bodies])` to the scene",
    "poses": "add `output: (tables: [Poses])` to the scene",
    "contacts": "add `output: (tables: [Contacts])` to the scene",
    "momentum": "add `output: (tables: [Momentum])` to the scene",
    "probes": "add `output: (probes: [...])` to the scene",
    "path": "add `analysis: ArcLength(...)` to the scene",
    "modes": "`sim modes` writes it",
    "buckling": "`sim buckle` writes it",
    "profile": "`sim run --profile` writes it",
}
"""The tables of a run, and what makes a run write each."""


def as_scene(scene: Scene | StrPath) -> Scene:
    """Returns a scene as it is, and loads the scene of a file or the built-in scene of a name."""
    if isinstance(scene, Scene):
        return scene
    if isinstance(scene, (str, os.PathLike)):
        return Scene.load(scene)
    raise TypeError(f"a scene must be a resile.Scene, a path or a name, not {type(scene).__name__}")


def checked_folder(out: StrPath | None, resume: bool = False) -> Path | None:
    """The folder of the argument `out`. Raises `ArgumentError` if it is empty, or missing although a run is resumed."""
    if out is None:
        if resume:
            message = "without `out` there is no run to resume"
            raise ArgumentError("resume", "True", message, "give the folder of the run as `out`")
        return None
    if not os.fspath(out):
        raise ArgumentError("out", "", "the path of the folder is empty", 'the current folder is "."')
    return Path(out)


def create_folder(folder: Path) -> None:
    """Creates a folder and the folders above it. Raises `FileError` if the system refuses."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(str(folder), f"cannot create {folder}: {error.strerror}") from None


def refuse_link(folder: Path) -> None:
    """Raises `FileError` if a folder whose name this package chose is a link: the folder around it may have another
    owner."""
    if folder.is_symlink():
        message = f"{folder} is a link, and links inside of a folder are not followed"
        raise FileError(str(folder), message, "choose another folder")


class History(dict[str, NDArray[Any]]):
    """Columns of a table by their names: (rows,) arrays. Numbers are float64, NaN where a quantity does not apply. Names, such
    as the columns `body`, `island`, `probe`, `first` and `second`, and the reason `rest` are of the type `numpy.str_`, with
    empty texts where there is none; so are columns in which a cell is no number."""

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a data frame, with the column `time` as its index if there is one."""
        import pandas

        data_frame = pandas.DataFrame({name: column.copy() for name, column in self.items()})
        return data_frame.set_index("time") if "time" in data_frame else data_frame

    def __missing__(self, name: str) -> NDArray[Any]:
        return named_entry("column", name, dict(self))


class Frame:
    """Positions and fields of the bodies at one time of a run."""

    def __init__(self, run: Run, number: int) -> None:
        self._bodies = run._bodies()
        self._positions, self._fields = run._playback().frame(number)
        self.number = number
        self.time = float(run.times[number])

    def _range(self, body: str) -> slice:
        """The range of the vertices of a body in the arrays of the frame."""
        return slice(*named_entry("body", body, self._bodies)["vertices"])

    def positions(self, body: str | None = None) -> NDArray[np.float32]:
        """Positions (m) of the drawn vertices of a body, or of all bodies: (n, 3) float32, a read-only view."""
        return self._positions if body is None else self._positions[self._range(body)]

    def field(self, name: str, body: str | None = None) -> NDArray[np.float32]:
        """A field such as `velocity` at the drawn vertices of a body, or of all bodies: (n,) or (n, components) float32, a
        read-only view."""
        values = named_entry("field", name, self._fields)
        return values if body is None else values[self._range(body)]

    @property
    def fields(self) -> list[str]:
        """Names of the fields. The scene requests further fields by `output.fields`."""
        return list(self._fields)

    def __repr__(self) -> str:
        return f"<resile.Frame {self.number}, t = {self.time:.6g} s>"


class Frames(Sequence[Frame]):
    """The frames of a run; each is read when it is accessed."""

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
        number, count = operator.index(number), len(self)
        if not -count <= number < count:
            raise IndexError(f"there is no frame {number}; there are {count}")
        return Frame(self._run, number % count)


class Report(dict[str, Any]):
    """The report of the check of a run, as `sim verify --json` prints it."""

    @property
    def verdict(self) -> str:
        """`"apart"`, `"crossed"` or `"incomplete"`."""
        return str(self["verdict"])

    @property
    def ok(self) -> bool:
        """Whether every frame was read and has no intersections."""
        return self.verdict == "apart"


class Page:
    """An HTML page that plays a run. Notebooks display it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def open(self) -> bool:
        """Opens the page in a browser. Returns whether a browser was found."""
        return webbrowser.open(self.path.resolve().as_uri())

    def _repr_html_(self) -> str:
        page = html.escape(self.path.read_text(encoding="utf-8"), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:480px;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<resile.Page {self.path}>"


class Run:
    """The output of a run in its folder, written by `resile.run` or `sim run` on any machine, or of a run in memory."""

    def __init__(self, folder: StrPath | _resile.MemoryRun) -> None:
        self._memory = folder if isinstance(folder, _resile.MemoryRun) else None
        self._folder = None if isinstance(folder, _resile.MemoryRun) else Path(folder)
        self._is_temporary = False
        """Whether the folder is removed with this object."""
        self._cached_playback: _resile.Playback | None = None
        self.summary: dict[str, Any] = {}
        """`summary.json`: status, energy balance, counts, smallest distance."""
        summary_text = self._summary_text()
        if summary_text is not None:
            self.summary = json.loads(summary_text)
        else:
            # This raises an error if the folder contains no run.
            self._playback()

    def _summary_text(self) -> str | None:
        """The text of `summary.json`; `None` if the run has none."""
        if self._memory is not None:
            return self._memory.summary()
        path = self.folder / "summary.json"
        return path.read_text(encoding="utf-8") if path.is_file() else None

    @property
    def folder(self) -> Path:
        """The folder of the run. A run in memory is written to a temporary folder, which is removed with this object."""
        if self._folder is None:
            temporary = tempfile.mkdtemp(prefix="resile-")
            self._remove_with_object(temporary)
            self.save(temporary)
            self._folder = Path(temporary)
        return self._folder

    @property
    def nbytes(self) -> int:
        """Memory of the files of a run in memory (bytes); 0 for a run in a folder."""
        return 0 if self._memory is None else self._memory.nbytes

    def save(self, folder: StrPath, *, force: bool = False) -> Run:
        """Writes the files of the run to another folder; `force=True` replaces a run there. Returns the run in that folder."""
        checked_folder(folder)
        if self._folder is not None and os.path.exists(folder) and os.path.samefile(self._folder, folder):
            message = f"the files of the run are in {os.fspath(folder)}"
            raise ArgumentError("folder", os.fspath(folder), message, "choose another folder")
        if self._memory is not None:
            self._memory.save(folder, force=force)
        else:
            _resile.copy_run(self.folder, folder, force=force)
        return Run(folder)

    def __getstate__(self) -> dict[str, Any]:
        # A temporary folder is removed with this object, so a pickle has the files themselves.
        memory = _resile.MemoryRun.read(self.folder) if self._is_temporary and self._memory is None else self._memory
        state = {"_memory": memory, "_folder": self._folder if memory is None else None, "_is_temporary": False}
        return {**self.__dict__, **state, "_cached_playback": None}

    def _remove_with_object(self, temporary_folder: StrPath) -> None:
        """Removes a folder when this object is garbage-collected."""
        self._is_temporary = True
        weakref.finalize(self, shutil.rmtree, temporary_folder, ignore_errors=True)

    def _playback(self) -> _resile.Playback:
        """The frames, opened at the first call."""
        if self._cached_playback is None:
            self._cached_playback = _resile.Playback(self.folder) if self._memory is None else self._memory.playback()
        return self._cached_playback

    def _bodies(self) -> dict[str, dict[str, Any]]:
        """The bodies of the frames by their names."""
        return {body["name"]: body for body in self._playback().bodies}

    @property
    def status(self) -> str:
        """`"complete"`, `"interrupted"` or `"failed"`; empty while another process executes the run."""
        return str(self.summary.get("status", ""))

    @property
    def history(self) -> History:
        """`history.csv`: energies (J), momenta, iterations and the certificate of each step."""
        return self.table("history")

    def table(self, name: str) -> History:
        """A table of the run: `history`, `bodies`, `poses`, `contacts`, `momentum`, `probes`, `path`, `modes`, `buckling`,
        `profile`.

        Numbers are float64, NaN where a quantity does not apply; names are `numpy.str_`. A table that the run does not have raises `FileError`, whose remedy says what the
        scene lacks.
        """
        remedy = named_entry("table", name, _TABLES)
        file = f"{name}.csv"
        exists = (self.folder / file).is_file() if self._memory is None else self._memory.has_file(file)
        if not exists:
            raise FileError(file, f"the run has no table `{name}`", remedy)
        return History(_resile.read_table(self.folder / file) if self._memory is None else self._memory.table(name))

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies and moving obstacles in frames."""
        return list(self._bodies())

    @property
    def times(self) -> NDArray[np.float64]:
        """Times (s) of the frames."""
        return self._playback().times

    @property
    def frames(self) -> Frames:
        """The frames, such as `run.frames[-1].positions("cube")`."""
        return Frames(self)

    def triangles(self, body: str) -> NDArray[np.int32]:
        """The triangles of the drawn surface of a body: (m, 3) int32 indices of its vertices."""
        triangles: NDArray[np.int32] = named_entry("body", body, self._bodies())["triangles"]
        return triangles

    def verify(self, *, threads: int | None = None) -> Report:
        """Checks by exact arithmetic that no frame has intersections."""
        return Report(json.loads(_resile.verify(self.folder, threads=threads)))

    def render(self, path: StrPath | None = None, **options: Any) -> Path:
        """Writes a film (.mp4, .gif, .png) or, with `at=seconds`, a picture (.png). By default the file is `film.mp4` or
        `picture.png` in the folder of the run. `force=True` replaces an existing file. Returns its path.

        Options: `size=(1280, 720)`, `fps`, `speed`, `start`, `end`, `at`, `color="body"` or a field, `range`, `edges`,
        `section=(a, b, c, d)` (cuts away what has a x + b y + c z > d, in m), `view=(x, y, z)`, `orbit` (degrees),
        `follow` (a body), `text`, `energies`, `force`, `threads`.
        """
        name = "picture.png" if options.get("at") is not None else "film.mp4"
        target = self.folder / name if path is None else Path(path)
        _resile.render(self.folder, target, **options)
        return target

    def view(self, path: StrPath | None = None) -> Page:
        """Writes an HTML page that plays the run, by default `view.html` in its folder. Notebooks display the page."""
        target = self.folder / "view.html" if path is None else Path(path)
        _resile.write_page(self.folder, target)
        return Page(target)

    def to_pyvista(self, number: int = -1) -> pyvista.MultiBlock:
        """The frame with the index `number` for PyVista: a block for each body and obstacle, with its fields."""
        import pyvista

        frame = self.frames[number]
        blocks = pyvista.MultiBlock()
        for name, body in self._bodies().items():
            surface = _polydata(frame.positions(name), body)
            for field in frame.fields:
                surface.point_data[field] = frame.field(field, name)
            blocks.append(surface, name)
        for obstacle in self._playback().still:
            blocks.append(_polydata(obstacle["positions"], obstacle), obstacle["name"])
        return blocks

    def __iter__(self) -> Iterator[Frame]:
        return iter(self.frames)

    def __repr__(self) -> str:
        place = "in memory" if self._folder is None else repr(str(self._folder))
        return f"<resile.Run {place}, {self.status or 'no summary'}>"


def _polydata(positions: NDArray[np.float32], body: dict[str, Any]) -> pyvista.PolyData:
    """The triangles and edges of a body with these vertex positions (m); points if it has neither."""
    import pyvista

    def padded(cells: NDArray[np.int32]) -> NDArray[np.int32] | None:
        """The cell array of PyVista: each cell is preceded by its number of vertices."""
        if not len(cells):
            return None
        return np.insert(cells, 0, cells.shape[1], axis=1).ravel()

    triangles, edges = padded(body["triangles"]), padded(body["edges"])
    points = np.array(positions)
    if triangles is None and edges is None:
        return pyvista.PolyData(points)
    return pyvista.PolyData(points, faces=triangles, lines=edges)


def open_run(folder: StrPath) -> Run:
    """Opens the run in a folder that `resile.run` or `sim run` wrote."""
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
    """Runs a scene to its end and writes the same files as `sim run`, with the same bits.

    `out` is the folder of the run; by default it is a temporary folder that is removed with the returned object.
    `resume=True` continues from the checkpoint in the folder; `force=True` replaces the run there. `steps` ends the run after
    this number of steps. `progress` is `True` for a progress line, `False` for none, or a function of the number of steps, the
    requested number of steps, the time (s), the Newton iterations, the energy (J) and the expected energy (J; `None` along an
    equilibrium path). The function is called up to twenty times a second and after the last step, not for each step:
    `run.history` and `Simulation` have all.

    The interpreter is released during the run. Ctrl-C ends the run after the last complete step with a checkpoint and raises
    `KeyboardInterrupt`, whose notes say how to resume the run. A step that fails raises `StepError`; its attribute `run` is
    the run up to the last valid state.
    """
    scene, out_folder = as_scene(scene), checked_folder(out, resume)
    if not isinstance(progress, bool):
        check_callback(progress)
    folder = Path(tempfile.mkdtemp(prefix="resile-")) if out_folder is None else out_folder
    bar = Progress(scene.name) if progress is True else None
    callback = progress if callable(progress) else bar
    try:
        _resile.run(
            scene,
            folder,
            resume=resume,
            force=force,
            threads=threads,
            steps=steps,
            progress=callback,
            temporary=out_folder is None,
        )
    except BaseException as error:
        if (folder / "checkpoint").is_file():
            error.add_note(f"to go on: resile.run(scene, {str(folder)!r}, resume=True)")
        elif out_folder is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        if bar is not None:
            bar.close()
    finished_run = Run(folder)
    if out_folder is None:
        finished_run._remove_with_object(folder)
    if finished_run.status == "failed":
        raise step_error(finished_run)
    return finished_run


def step_error(failed_run: Run) -> StepError:
    """The exception of a run of which a step failed."""
    remedy = "take a smaller time.step or a larger solver.max_halvings, and look at the last frame"
    error = StepError(failed_run.summary["steps_done"] + 1, failed_run.summary["reason"], remedy)
    error.run = failed_run
    return error
