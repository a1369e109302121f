#!/usr/bin/env bash
# meshio 5.3.5 cannot read a .vtu file that VTK 9.5.2 wrote with a string array among its field data.
#
# VTK writes `vtkStringArray` as `<Array type="String" format="appended">`. meshio's VTU reader looks up every block of
# the appended data among the `DataArray` elements alone and ends with
#     RuntimeError: Could not find .//DataArray[@offset='0']
# before it has read points or cells, although VTK reads the file back. Names stored as numbers (UInt8) are read by both.
# Source: meshio 5.3.5, meshio/vtu/_vtu.py, the reader of raw appended data.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check vtk==9.5.2 meshio==5.3.5
"$place/env/bin/python" - "$place/names.vtu" <<'PY'
import sys
import meshio
import vtk

path = sys.argv[1]
points = vtk.vtkPoints()
for point in [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]:
    points.InsertNextPoint(*point)
grid = vtk.vtkUnstructuredGrid()
grid.SetPoints(points)
grid.InsertNextCell(vtk.VTK_TETRA, 4, [0, 1, 2, 3])


def write(array):
    grid.GetFieldData().Initialize()
    grid.GetFieldData().AddArray(array)
    writer = vtk.vtkXMLUnstructuredGridWriter()
    writer.SetFileName(path)
    writer.SetInputData(grid)
    writer.SetDataModeToAppended()
    writer.EncodeAppendedDataOff()
    writer.SetCompressorTypeToNone()
    writer.Write()


numbers = vtk.vtkUnsignedCharArray()
numbers.SetName("name")
for byte in b"die":
    numbers.InsertNextValue(byte)
write(numbers)
read = meshio.read(path)
print("name as bytes:", len(read.points), "points,", read.cells[0].type)
assert len(read.points) == 4

strings = vtk.vtkStringArray()
strings.SetName("name")
strings.InsertNextValue("die")
write(strings)
reader = vtk.vtkXMLUnstructuredGridReader()
reader.SetFileName(path)
reader.Update()
back = reader.GetOutput().GetFieldData().GetAbstractArray("name").GetValue(0)
print("name as a string: VTK reads", back)
assert back == "die"
try:
    meshio.read(path)
except RuntimeError as error:
    print("name as a string: meshio says", error)
    assert "Could not find" in str(error)
else:
    sys.exit("meshio reads the file now: the finding is out of date")
PY
