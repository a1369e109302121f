"""Meshes as arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import resile
from resile import mesh

TETS = np.array([[0, 1, 2, 4], [1, 3, 2, 7], [1, 2, 4, 7], [1, 5, 7, 4], [2, 4, 7, 6]])
CUBE = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)


def cube() -> mesh.TetMesh:
    """A unit cube of five tetrahedra."""
    made = mesh.TetMesh(CUBE, TETS)
    made.cells = np.where((made.volumes < 0)[:, None], made.cells[:, [0, 2, 1, 3]], made.cells)
    return made


def test_a_solid_is_written_and_read(tmp_path: Path) -> None:
    solid = cube()
    assert np.isclose(solid.volumes.sum(), 1) and (solid.volumes > 0).all()
    solid.write(tmp_path / "cube.msh")
    again = mesh.read(tmp_path / "cube.msh")
    assert isinstance(again, mesh.TetMesh)
    assert np.array_equal(again.points, solid.points) and np.array_equal(again.cells, solid.cells)
    told = solid.info()
    assert told["kind"] == "solid" and np.isclose(told["volume"], 1)


def test_a_surface_is_mended_and_filled() -> None:
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    triangles = np.array([t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])])
    open_box = mesh.TriMesh(CUBE, triangles[1:])
    mended = mesh.repair(open_box)
    assert len(mended.cells) == 12 and any("hole" in note for note in mended.notes)
    solid = mesh.fill(mended, size=0.25)
    assert np.isclose(solid.volumes.sum(), 1, rtol=0.05) and (solid.volumes > 0).all()
    with pytest.raises(resile.ArgumentError, match="twice"):
        mesh.fill(mended, size=0.25, tets=100)
    with pytest.raises(resile.ArgumentError):
        mesh.fill(mended, size=-1)


def test_a_scene_takes_a_mesh_from_memory(scene: resile.Scene) -> None:
    solid = cube()
    solid.points = 0.1 * solid.points - 0.05
    scene["bodies.upper.shape"] = 'File("mine.msh")'
    with pytest.raises(resile.SceneError, match="mine.msh"):
        resile.Simulation(scene)
    solid.attach(scene, "mine.msh")
    simulation = resile.Simulation(scene)
    assert simulation.positions("upper").shape == (8, 3)
    simulation.step()
    # The mesh goes along with the scene.
    import pickle

    again = resile.Simulation(pickle.loads(pickle.dumps(scene)))
    again.step()
    assert np.array_equal(again.positions("upper"), simulation.positions("upper"))
    with pytest.raises(resile.ArgumentError, match="plain name"):
        scene.attach("../mine.msh", b"")


@pytest.mark.parametrize(
    ("points", "cells"),
    [
        (CUBE[:, :2], TETS),
        (CUBE, TETS[:, :3]),
        (CUBE, TETS + 1),
        (CUBE, -TETS),
        (CUBE, TETS * 1.5),
        (np.full_like(CUBE, np.inf), TETS),
    ],
)
def test_wrong_arrays_are_refused(points: object, cells: object, tmp_path: Path) -> None:
    with pytest.raises(resile.ArgumentError):
        mesh.TetMesh(points, cells)  # type: ignore[arg-type]
    changed = cube()
    changed.points, changed.cells = points, cells  # type: ignore[assignment]
    with pytest.raises(resile.ArgumentError):
        changed.write(tmp_path / "cube.msh")
    assert not (tmp_path / "cube.msh").exists()


def test_arrays_of_meshes_have_the_types_that_are_documented() -> None:
    given: list[Any] = [TETS.tolist(), TETS.astype(np.uint8), []]
    for cells in given:
        solid = mesh.TetMesh(CUBE.tolist(), cells)
        assert solid.points.dtype == np.float64 and solid.cells.dtype == np.int32
        assert solid.cells.shape == (len(cells), 4) and solid.volumes.shape == (len(cells),)


def test_messages_about_meshes_name_what_python_has() -> None:
    tet = mesh.TetMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]])
    surface = mesh.TriMesh(tet.points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    for size in (-1.0, 0.3, 1e-9):
        with pytest.raises(resile.ArgumentError) as caught:
            mesh.fill(surface, size=size)
        assert not any(word in str(caught.value) for word in ("before.obj", "--", "`sim "))
    with pytest.raises(resile.FileError, match="mesh.foo: meshes are not written"):
        surface.to_bytes(".foo")
    assert surface.to_bytes("obj") == surface.to_bytes()
    for call in (mesh.fill, mesh.repair):
        with pytest.raises(TypeError, match="a surface is a TriMesh"):
            call(tet)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="extension must be a str"):
        surface.to_bytes(5)  # type: ignore[arg-type]


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(resile.FileError):
        mesh.read(tmp_path / "nothing.msh")
    with pytest.raises(resile.FileError, match="known are"):
        mesh.read(tmp_path / "mesh.docx")
    with pytest.raises(resile.FileError):
        cube().write(tmp_path / "cube.docx")


GMSH = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
2 1 "fixed face"
3 2 "core"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 0.1 0 0
3 0 0.1 0
4 0 0 0.1
5 0.1 0.1 0.1
$EndNodes
$Elements
4
1 2 2 1 1 1 2 3
2 2 2 1 1 1 2 4
3 4 2 2 1 1 2 3 4
4 4 2 3 1 2 3 4 5
$EndElements
"""
"""Two tetrahedra with a group of faces and one of cells."""

VTK = """# vtk DataFile Version 3.0
mesh
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 4 double
0 0 0 1 0 0 0 1 0 0 0 1
CELLS 1 5
4 0 1 2 3
CELL_TYPES 1
10
CELL_DATA 1
SCALARS E double 1
LOOKUP_TABLE default
2.5
POINT_DATA 4
SCALARS w double 1
LOOKUP_TABLE default
0 0.25 0.5 1
"""
"""A tetrahedron with data of its cell and of its points."""


def test_groups_of_a_file_are_read_written_and_attached(scene: resile.Scene, tmp_path: Path) -> None:
    (tmp_path / "two.msh").write_text(GMSH)
    solid = mesh.read(tmp_path / "two.msh")
    assert {"fixed face", "core"} <= set(solid.groups)
    face, core = solid.groups["fixed face"], solid.groups["core"]
    assert face.nodes.tolist() == [0, 1, 2, 3] and face.faces.shape == (2, 3) and len(face.elements) == 0
    assert core.elements.tolist() == [0] and core.nodes.tolist() == [0, 1, 2, 3]
    assert all(a.dtype == np.int32 for a in (face.nodes, face.faces, core.elements))
    info = solid.info()
    assert "core" in [group["name"] for group in info["groups"]]
    assert [group["name"] for group in info["boundary"]["groups"]] == ["fixed face"]
    for name in ("again.msh", "again.vtu"):
        solid.write(tmp_path / name)
        again = mesh.read(tmp_path / name)
        assert set(solid.groups) <= set(again.groups), name
        assert again.groups["fixed face"].nodes.tolist() == [0, 1, 2, 3]
        assert again.groups["core"].elements.tolist() == [0]
    scene["bodies.upper.shape"] = 'File("two.msh")'
    scene["bodies.upper.hold"] = [{"region": {"Group": "fixed face"}, "motion": "Fixed"}]
    solid.attach(scene, "two.msh")
    with resile.Simulation(scene) as simulation:
        before = simulation.positions("upper")
        simulation.step(3)
        moved = np.linalg.norm(simulation.positions("upper") - before, axis=1)
    assert (moved[:4] == 0).all() and moved[4] > 0


def test_data_of_a_file_is_read_and_its_loss_is_said(tmp_path: Path) -> None:
    (tmp_path / "data.vtk").write_text(VTK)
    solid = mesh.read(tmp_path / "data.vtk")
    assert solid.cell_data["E"].tolist() == [2.5]
    assert solid.point_data["w"].tolist() == [0, 0.25, 0.5, 1]
    assert solid.info()["cell_data"] == ["E"]
    with pytest.warns(UserWarning, match="data are not written: E, w"):
        solid.write(tmp_path / "again.msh")
    with pytest.warns(UserWarning, match="data are not written"):
        solid.to_bytes()


def test_midpoints_of_curved_edges_are_read_and_written(tmp_path: Path) -> None:
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    curved = mesh.TetMesh(points, [[0, 1, 2, 3]], curved_edges=[[1, 0]], midpoints=[[0.5, -0.1, -0.1]])
    straight = mesh.TetMesh(points, [[0, 1, 2, 3]])
    assert curved.info()["curved_volume"] > straight.info()["volume"]
    for name in ("curved.msh", "curved.vtu"):
        curved.write(tmp_path / name)
        again = mesh.read(tmp_path / name)
        assert len(again.points) == 4 and again.curved_edges.tolist() == [[0, 1]], name
        assert again.midpoints.tolist() == [[0.5, -0.1, -0.1]] and again.midpoints.dtype == np.float64
        assert again.info()["curved_volume"] == curved.info()["curved_volume"]
    with pytest.warns(UserWarning, match="straightened"):
        curved.write(tmp_path / "straight.mesh")


@pytest.mark.parametrize(
    ("attributes", "about"),
    [
        ({"groups": {"a": mesh.Group([8])}}, "groups"),
        ({"groups": {"a": mesh.Group([0], [5])}}, "elements"),
        ({"groups": {"a": mesh.Group([0], faces=[[0, 1, 9]])}}, "faces"),
        ({"cell_data": {"E": np.ones(4)}}, "cell_data"),
        ({"point_data": {"w": np.ones((8, 2))}}, "point_data"),
        ({"curved_edges": [[0, 1]]}, "midpoints"),
        ({"curved_edges": [[0, 9]], "midpoints": [[0, 0, 0]]}, "curved_edges"),
    ],
)
def test_wrong_attributes_of_meshes_are_refused(attributes: Any, about: str, tmp_path: Path) -> None:
    wrong = mesh.TetMesh(CUBE, TETS, **attributes)
    with pytest.raises(resile.ArgumentError, match=about):
        wrong.write(tmp_path / "cube.msh")
    with pytest.raises(resile.ArgumentError, match=about):
        wrong.info()
