"""Frames of every kind of body, read by meshio, by VTK's XML reader (ParaView's) and by pyvista, and compared with each
other and with the arrays of `sim export -f npz`: frames.py RUN ARRAYS"""

import os
import re
import sys
import xml.etree.ElementTree as ElementTree

import meshio
import numpy
import pyvista
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

RUN, TRUTH = sys.argv[1], numpy.load(sys.argv[2])
FRAMES = os.path.join(RUN, "frames")
TETRAHEDRON, TRIANGLE, LINE, VERTEX = 10, 5, 3, 1
NAMES = {"tetra": TETRAHEDRON, "triangle": TRIANGLE, "line": LINE, "vertex": VERTEX}
# The cells of each body, and how many nodes.
KINDS = {
    "solid": ({TETRAHEDRON}, 12),
    "quadratic": ({TETRAHEDRON}, 27),
    "filled one": ({TETRAHEDRON, TRIANGLE}, None),
    "affine": ({TRIANGLE}, 42),
    "shell": ({TRIANGLE}, 9),
    "cloth": ({TRIANGLE}, 9),
    "rod": ({LINE}, 3),
    "chain": ({LINE}, 3),
    "dust": ({VERTEX}, 2),
    "ram": ({TRIANGLE}, 8),
    "step": ({TRIANGLE}, 8),
    "floor": ({TRIANGLE}, 4),
}


def texts(array):
    return bytes(numpy.asarray(array, dtype=numpy.uint8)).decode().split("\0")[:-1]


def by_meshio(file):
    """Points, point data, and cells as (kind, corners, body), in the order of the file."""
    grid = meshio.read(file)
    cells = []
    for block, bodies in zip(grid.cells, grid.cell_data["body"]):
        bodies = numpy.ravel(bodies)
        cells += [(NAMES[block.type], tuple(map(int, c)), int(b)) for c, b in zip(block.data, bodies)]
    return grid.points, grid.point_data, cells, grid.field_data


def cells_of(grid):
    """Of a grid of VTK, which pyvista's is, too."""
    bodies = vtk_to_numpy(grid.GetCellData().GetArray("body"))
    cells = []
    for number in range(grid.GetNumberOfCells()):
        ids = grid.GetCell(number).GetPointIds()
        corners = tuple(ids.GetId(k) for k in range(ids.GetNumberOfIds()))
        cells.append((grid.GetCellType(number), corners, int(bodies[number])))
    return cells


def by_vtk(file):
    reader = vtkXMLUnstructuredGridReader()
    assert reader.CanReadFile(file)
    reader.SetFileName(file)
    reader.Update()
    assert reader.GetErrorCode() == 0, reader.GetErrorCode()
    grid = reader.GetOutput()
    data = grid.GetPointData()
    arrays = [data.GetArray(k) for k in range(data.GetNumberOfArrays())]
    fields = grid.GetFieldData()
    field_data = {a.GetName(): vtk_to_numpy(a) for a in map(fields.GetArray, range(fields.GetNumberOfArrays()))}
    point_data = {array.GetName(): vtk_to_numpy(array) for array in arrays}
    return vtk_to_numpy(grid.GetPoints().GetData()), point_data, cells_of(grid), field_data


def by_pyvista(file):
    grid = pyvista.read(file)
    point_data = {name: numpy.asarray(grid.point_data[name]) for name in grid.point_data}
    return grid.points, point_data, cells_of(grid), grid.field_data


def check_same(file):
    """What the three readers agree on."""
    points, point_data, cells, field_data = by_vtk(file)
    assert len(points) and len(cells)
    for read in [by_meshio, by_pyvista]:
        others, other_data, other_cells, other_fields = read(file)
        assert (numpy.asarray(others) == points).all(), (file, read)
        assert set(other_data) == set(point_data)
        for name, values in point_data.items():
            # meshio has columns where others have lists.
            other = numpy.reshape(other_data[name], values.shape)
            assert (other == values).all(), (file, read, name)
        # meshio lists cells by kind.
        assert sorted(other_cells) == sorted(cells), (file, read)
        for name in ["body_name", "body_role"]:
            assert texts(other_fields[name]) == texts(field_data[name]), (file, read)
    return points, point_data, cells, field_data


def check_bodies(found, sample, seen):
    """The kinds of cells of each body, and where what is drawn of it is."""
    points, point_data, cells, field_data = found
    numbers, names, roles = field_data["body_number"], texts(field_data["body_name"]), texts(field_data["body_role"])
    of = {name: set() for name in names}
    nodes = {name: set() for name in names}
    skins = {names[k]: int(n) for k, n in enumerate(numbers) if roles[k] == "skin"}
    name_of = {int(number): name for number, name in zip(numbers, names)}
    for kind, corners, body in cells:
        name = name_of[body]
        of[name].add(kind)
        if skins.get(name, body) == body and not (kind == TETRAHEDRON and name in skins):
            nodes[name].update(corners)
    for name in of:
        kinds, count = KINDS[name]
        assert of[name] == kinds, (name, of[name])
        assert count is None or len(nodes[name]) == count, (name, len(nodes[name]))
        drawn = TRUTH[re.sub(r"[^\w.-]", "_", name) + ".positions"]
        drawn = drawn[min(sample, len(drawn) - 1)]
        own = points[sorted(nodes[name])]
        # Exports have of solids their boundary alone.
        assert all((own == p).all(axis=1).any() for p in drawn), name
        assert len(own) >= len(drawn), name
        seen.add(name)
    if "velocity" in point_data:
        assert point_data["velocity"].shape == (len(points), 3)
        assert point_data["cauchy_stress"].shape == (len(points), 6)
        assert point_data["von_mises"].shape == (len(points),)


# The index, as ParaView reads it: which files there are at which times.
collection = ElementTree.parse(os.path.join(FRAMES, "frames.pvd")).getroot()
entries = [(float(e.get("timestep")), int(e.get("part")), e.get("file")) for e in collection.iter("DataSet")]
times = sorted({time for time, _, _ in entries})
assert numpy.allclose(times, TRUTH["times"])
reader = pyvista.get_reader(os.path.join(FRAMES, "frames.pvd"))
assert numpy.allclose(reader.time_values, times)
seen = set()
for sample, time in enumerate(times):
    files = [file for at, _, file in entries if at == time]
    assert len(files) == 3, files
    for file in files:
        check_bodies(check_same(os.path.join(FRAMES, file)), sample, seen)
    reader.set_active_time_value(time)
    blocks = reader.read()
    assert sum(block.n_cells for block in blocks) == sum(len(by_vtk(os.path.join(FRAMES, f))[2]) for f in files)
    frame = by_vtk(os.path.join(FRAMES, files[0]))[3]
    assert abs(frame["TimeValue"][0] - time) < 1e-12
assert seen == set(KINDS), set(KINDS) - seen
print("the same")
