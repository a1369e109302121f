"""Meshes as arrays: reading, writing, inspecting, mending and filling.

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
from ._resile import Scene
from ._run import StrPath


@dataclass(eq=False)
class _Mesh:
    points: NDArray[np.float64]
    """(n, 3) float64, metres."""
    cells: NDArray[np.int32]
    """(m, k) int32 numbers of points."""
    notes: list[str] = field(default_factory=list)
    """What was left out or changed where it was read or made."""

    kind: ClassVar[str]
    corners: ClassVar[int]

    def __init__(self, points: ArrayLike, cells: ArrayLike, notes: list[str] | None = None) -> None:
        self.points = np.array(points, dtype=np.float64)
        self.cells = np.array(cells).reshape(-1, self.corners) if np.size(cells) == 0 else np.array(cells)
        self.notes = notes or []

    def write(self, path: StrPath) -> None:
        """Writes the mesh as the ending of `path` says."""
        _resile.write_mesh(path, self.kind, self.points, self.cells)

    def info(self) -> dict[str, Any]:
        """What the mesh is like: sizes, volume, quality, defects, as `sim info --json` tells of a file."""
        told: dict[str, Any] = json.loads(_resile.mesh_info(self.kind, self.points, self.cells))
        return told

    def to_bytes(self, ending: str | None = None) -> bytes:
        """The contents of a file of the mesh."""
        ending = ending or self._ending
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"mesh{ending}"
            self.write(path)
            return path.read_bytes()

    def attach(self, scene: Scene, name: str) -> None:
        """Makes `File("name")` in a scene this mesh."""
        scene.attach(name, self.to_bytes(Path(name).suffix))

    _ending: ClassVar[str]

    def __repr__(self) -> str:
        return f"<resile.mesh.{type(self).__name__}, {len(self.points)} points, {len(self.cells)} cells>"


class TetMesh(_Mesh):
    """A solid: points (n, 3) in metres and tetrahedra (m, 4)."""

    kind = "solid"
    corners = 4
    _ending = ".msh"

    @property
    def volumes(self) -> NDArray[np.float64]:
        """The volume (m^3) of each tetrahedron: (m,) float64, negative of one that is inside out."""
        a, b, c, d = (self.points[self.cells[:, k]] for k in range(4))
        volumes: NDArray[np.float64] = np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) / 6
        return volumes


class TriMesh(_Mesh):
    """A surface: points (n, 3) in metres and triangles (m, 3)."""

    kind = "surface"
    corners = 3
    _ending = ".obj"


class Curves(_Mesh):
    """Curves: points (n, 3) in metres and pieces (m, 2); each point lies on one curve."""

    kind = "curves"
    corners = 2
    _ending = ".obj"


_KINDS: dict[str, type[TetMesh | TriMesh | Curves]] = {"solid": TetMesh, "surface": TriMesh, "curves": Curves}


def read(path: StrPath) -> TetMesh | TriMesh | Curves:
    """Reads a mesh: .obj, .stl, .ply, .off, .vtp, .msh, .vtu, .vtk, .mesh, .node and .ele."""
    (kind, points, cells), notes = _resile.read_mesh(path)
    return _KINDS[kind](points, cells, notes)


def _remade(mesh: TriMesh, ending: str, **options: Any) -> TetMesh | TriMesh | Curves:
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "before.obj", Path(folder) / f"after{ending}"
        mesh.write(before)
        notes = _resile.remesh(before, after, **options)
        made = read(after)
    made.notes = notes
    return made


def repair(surface: TriMesh) -> TriMesh:
    """Mends a surface: welds vertices at one place, drops triangles without area, turns them outwards, closes holes of up
    to 40 edges. `notes` says what was done and what is left."""
    made = _remade(surface, ".obj", repair=True)
    assert isinstance(made, TriMesh)
    return made


def fill(
    surface: TriMesh,
    *,
    size: float | None = None,
    tets: int | None = None,
    grade: int | None = None,
    creases: float | None = None,
    threads: int | None = None,
) -> TetMesh:
    """Fills a closed surface with tetrahedra of edge length `size` (m), or with about `tets` of them (20,000).

    `grade` is how often cells may double in size away from the surface, `creases` the angle (degrees) from which edges
    are kept. The surface may have small holes and parts that overlap.
    """
    made = _remade(surface, ".msh", size=size, tets=tets, grade=grade, creases=creases, threads=threads)
    assert isinstance(made, TetMesh)
    return made


__all__ = ["Curves", "TetMesh", "TriMesh", "fill", "read", "repair"]
