"""Meshes as arrays: reading, writing, inspection, repair and filling with tetrahedra.

    from resile import mesh

    surface = mesh.read("bunny.obj")                     # a TriMesh
    solid = mesh.fill(surface, tets=20000)               # a TetMesh
    solid.attach(scene, "bunny.msh")                     # File("bunny.msh") in the scene is this mesh
"""

from __future__ import annotations

import json
import tempfile
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _resile
from ._errors import FileError
from ._resile import Scene
from ._run import StrPath


@dataclass(eq=False)
class Group:
    """A named part of a mesh."""

    nodes: NDArray[np.int32]
    """(k,) int32 indices of points, ascending."""
    elements: NDArray[np.int32]
    """(k,) int32 indices of cells, ascending; empty for a group of faces or of points alone."""
    faces: NDArray[np.int32]
    """(k, 3) int32 indices of points: faces that the file of a solid has beside its tetrahedra."""

    def __init__(self, nodes: ArrayLike, elements: ArrayLike = (), faces: ArrayLike = ()) -> None:
        self.nodes = np.asarray(nodes, dtype=np.int32)
        self.elements = np.asarray(elements, dtype=np.int32)
        self.faces = np.asarray(faces, dtype=np.int32).reshape(-1, 3)


@dataclass(eq=False)
class _Mesh:
    points: NDArray[np.float64]
    """(n, 3) float64, metres."""
    cells: NDArray[np.int32]
    """(m, k) int32 indices of points."""
    notes: list[str] = field(default_factory=list)
    """Notes on data that were omitted or changed when the mesh was read or generated."""
    groups: dict[str, Group] = field(default_factory=dict)
    """Groups by name, which holds and loads of a scene refer to. Their indices are those of `points` and `cells`."""
    cell_data: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    """(m,) float64 arrays by name: a number for each tetrahedron of the file. They are not written."""
    point_data: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    """(n,) float64 arrays by name: a number for each point. They are not written."""
    curved_edges: NDArray[np.int32] = field(default_factory=lambda: np.empty((0, 2), np.int32))
    """(c, 2) int32 indices of points: edges of second-order tetrahedra whose midpoint is not that of a straight line."""
    midpoints: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 3)))
    """(c, 3) float64, metres: the node in the middle of each curved edge."""

    kind: ClassVar[str]
    corners: ClassVar[int]
    """Number of corners of each cell."""

    def __init__(
        self,
        points: ArrayLike,
        cells: ArrayLike,
        notes: list[str] | None = None,
        *,
        groups: dict[str, Group] | None = None,
        cell_data: dict[str, NDArray[np.float64]] | None = None,
        point_data: dict[str, NDArray[np.float64]] | None = None,
        curved_edges: ArrayLike = (),
        midpoints: ArrayLike = (),
    ) -> None:
        self.points, self.cells = _resile.mesh_arrays(self.corners, points, cells)
        self.notes = notes or []
        self.groups, self.cell_data, self.point_data = groups or {}, cell_data or {}, point_data or {}
        self.curved_edges = np.asarray(curved_edges, dtype=np.int32).reshape(-1, 2)
        self.midpoints = np.asarray(midpoints, dtype=np.float64).reshape(-1, 3)

    def _attributes(self) -> Any:
        """What the mesh has beside points and cells, as the compiled module takes it."""
        groups = [(name, group.nodes, group.elements, group.faces) for name, group in self.groups.items()]
        data = (list(self.cell_data.items()), list(self.point_data.items()))
        return (groups, *data, self.curved_edges, self.midpoints)

    def write(self, path: StrPath) -> None:
        """Writes the mesh with its groups and curved edges in the format of the extension of `path`. A `UserWarning` says what
        is not written: data of cells and points, and what the format does not hold."""
        lost = _resile.write_mesh(path, self.kind, self.points, self.cells, self._attributes())
        if lost:
            warnings.warn(f"{Path(path).name}: {'; '.join(lost)}", UserWarning, stacklevel=2)

    def info(self) -> dict[str, Any]:
        """Counts, sizes (m), volume (m^3), quality, defects and groups of the mesh, as `sim info --json` prints them for a
        file."""
        info = _resile.mesh_info(self.kind, self.points, self.cells, self._attributes())
        parsed: dict[str, Any] = json.loads(info)
        return parsed

    def to_bytes(self, ending: str | None = None) -> bytes:
        """The contents of a file of the mesh in the format of the extension `ending`, such as `".obj"`; warns as `write`."""
        extension = ending or self._default_extension
        if not isinstance(extension, str):
            raise TypeError(f"the extension must be a str, not {type(extension).__name__}")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"mesh.{extension.removeprefix('.')}"
            try:
                self.write(path)
            except FileError as error:
                raise FileError(path.name, error.message.replace(str(path), path.name), error.remedy) from None
            return path.read_bytes()

    def attach(self, scene: Scene, name: str) -> None:
        """Attaches the mesh to a scene as the file `name`, to which `File("name")` in the scene refers; warns as `write`.
        `scene.attach(name, Path(file).read_bytes())` attaches a file with its data."""
        scene.attach(name, self.to_bytes(Path(name).suffix))

    _default_extension: ClassVar[str]

    def __repr__(self) -> str:
        return f"<resile.mesh.{type(self).__name__}, {len(self.points)} points, {len(self.cells)} cells>"


class TetMesh(_Mesh):
    """A solid: points (n, 3) in metres and tetrahedra (m, 4)."""

    kind = "solid"
    corners = 4
    _default_extension = ".msh"

    @property
    def volumes(self) -> NDArray[np.float64]:
        """The volume (m^3) of each tetrahedron: (m,) float64, negative for an inverted tetrahedron."""
        a, b, c, d = (self.points[self.cells[:, k]] for k in range(4))
        volumes: NDArray[np.float64] = np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) / 6
        return volumes


class TriMesh(_Mesh):
    """A surface: points (n, 3) in metres and triangles (m, 3)."""

    kind = "surface"
    corners = 3
    _default_extension = ".obj"


class Curves(_Mesh):
    """Curves: points (n, 3) in metres and segments (m, 2); each point is on one curve."""

    kind = "curves"
    corners = 2
    _default_extension = ".obj"


_KINDS: dict[str, type[TetMesh | TriMesh | Curves]] = {"solid": TetMesh, "surface": TriMesh, "curves": Curves}


def read(path: StrPath) -> TetMesh | TriMesh | Curves:
    """Reads a mesh file in the format of its extension: .obj, .stl, .ply, .off, .vtp, .msh, .vtu, .vtk, .mesh, .node, .ele;
    with its groups, data and curved edges."""
    (kind, points, cells), (groups, cell_data, point_data, edges, midpoints), notes = _resile.read_mesh(path)
    return _KINDS[kind](
        points,
        cells,
        notes,
        groups={name: Group(*indices) for name, *indices in groups},
        cell_data={name: np.asarray(values) for name, values in cell_data},
        point_data={name: np.asarray(values) for name, values in point_data},
        curved_edges=edges,
        midpoints=midpoints,
    )


def _remeshed(mesh: TriMesh, extension: str, **options: Any) -> TetMesh | TriMesh | Curves:
    """The result of `remesh` in the format of this extension, with its notes."""
    if not isinstance(mesh, TriMesh):
        raise TypeError(f"a surface is a TriMesh, not a {type(mesh).__name__}")
    with tempfile.TemporaryDirectory() as folder:
        input_path, output_path = Path(folder) / "before.obj", Path(folder) / f"after{extension}"
        lost = _resile.write_mesh(input_path, mesh.kind, mesh.points, mesh.cells, mesh._attributes())
        notes = lost + _resile.remesh(input_path, output_path, **options)
        result = read(output_path)
    result.notes = notes
    return result


def repair(surface: TriMesh) -> TriMesh:
    """Repairs a surface: welds coincident vertices, removes triangles without area, orients the triangles outwards, and
    closes holes of up to 40 edges. `notes` of the result lists the changes and the remaining defects."""
    repaired = _remeshed(surface, ".obj", repair=True)
    assert isinstance(repaired, TriMesh)
    return repaired


def fill(
    surface: TriMesh,
    *,
    size: float | None = None,
    tets: int | None = None,
    grade: int | None = None,
    creases: float | None = None,
    threads: int | None = None,
) -> TetMesh:
    """Fills a closed surface with tetrahedra of edge length `size` (m), or with about `tets` tetrahedra (default: 20,000).

    `grade` is the number of times that the edge length may double away from the surface. Edges with a larger angle between
    their faces than `creases` (degrees) are preserved. The surface may have small holes and overlapping parts.
    """
    filled = _remeshed(surface, ".msh", size=size, tets=tets, grade=grade, creases=creases, threads=threads)
    assert isinstance(filled, TetMesh)
    return filled


__all__ = ["Curves", "Group", "TetMesh", "TriMesh", "fill", "read", "repair"]
