"""Meshes as arrays: reading, writing, inspection, repair and filling with tetrahedra.

    from resile import mesh

    surface = mesh.read("bunny.obj")                     # a TriMesh
    solid = mesh.fill(surface, tets=20000)               # a TetMesh
    solid.attach(scene, "bunny.msh")                     # File("bunny.msh") in the scene is this mesh
"""

from __future__ import annotations

import json
import tempfile
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
class _Mesh:
    points: NDArray[np.float64]
    """(n, 3) float64, metres."""
    cells: NDArray[np.int32]
    """(m, k) int32 indices of points."""
    notes: list[str] = field(default_factory=list)
    """Notes on data that were omitted or changed when the mesh was read or generated."""

    kind: ClassVar[str]
    corners: ClassVar[int]
    """Number of corners of each cell."""

    def __init__(self, points: ArrayLike, cells: ArrayLike, notes: list[str] | None = None) -> None:
        self.points, self.cells = _resile.mesh_arrays(self.corners, points, cells)
        self.notes = notes or []

    def write(self, path: StrPath) -> None:
        """Writes the mesh in the format of the extension of `path`."""
        _resile.write_mesh(path, self.kind, self.points, self.cells)

    def info(self) -> dict[str, Any]:
        """Counts, sizes (m), volume (m^3), quality and defects of the mesh, as `sim info --json` prints them for a file."""
        info: dict[str, Any] = json.loads(_resile.mesh_info(self.kind, self.points, self.cells))
        return info

    def to_bytes(self, ending: str | None = None) -> bytes:
        """The contents of a file of the mesh in the format of the extension `ending`, such as `".obj"`."""
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
        """Attaches the mesh to a scene as the file `name`, to which `File("name")` in the scene refers."""
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
    """Reads a mesh file in the format of its extension: .obj, .stl, .ply, .off, .vtp, .msh, .vtu, .vtk, .mesh, .node, .ele."""
    (kind, points, cells), notes = _resile.read_mesh(path)
    return _KINDS[kind](points, cells, notes)


def _remeshed(mesh: TriMesh, extension: str, **options: Any) -> TetMesh | TriMesh | Curves:
    """The result of `remesh` in the format of this extension, with its notes."""
    if not isinstance(mesh, TriMesh):
        raise TypeError(f"a surface is a TriMesh, not a {type(mesh).__name__}")
    with tempfile.TemporaryDirectory() as folder:
        input_path, output_path = Path(folder) / "before.obj", Path(folder) / f"after{extension}"
        mesh.write(input_path)
        notes = _resile.remesh(input_path, output_path, **options)
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


__all__ = ["Curves", "TetMesh", "TriMesh", "fill", "read", "repair"]
