#!/usr/bin/env bash
# meshio mistakes one array of a raw appended .vtu for another, for files that VTK itself has written.
#
# Before it decodes raw appended data, meshio turns it into base64: in file order it looks for the first <DataArray> whose
# `offset` equals the position of the next block, and overwrites that attribute by the position in base64. An overwritten
# offset may equal that of a later block, whose own element is then not found. A vector and then a scalar of doubles at the
# points, with 4-byte headers and no compression, always collide: the block after them begins at
#     (24 n + 4) + (8 n + 4) = 32 n + 8 = 4 ceil((24 n + 4) / 3),
# where the scalar now begins in base64. Points are read from the scalar, and reading fails for every number of points n.
# A scalar before the vector, base64 data, or a compressor avoid it.
# Source: vtk 9.7.2 (vtkXMLUnstructuredGridWriter, vtkXMLUnstructuredGridReader) and meshio 5.3.5 from PyPI.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check vtk==9.7.2 meshio==5.3.5 numpy==2.4.6
"$place/env/bin/python" - "$place/grid.vtu" <<'PY'
import sys

import meshio
import numpy as np
import vtk
from vtk.util.numpy_support import numpy_to_vtk

FILE = sys.argv[1]


def write(n, names):
    grid, points, corners = vtk.vtkUnstructuredGrid(), vtk.vtkPoints(), vtk.vtkIdList()
    points.SetDataTypeToDouble()
    for k in range(n):
        points.InsertNextPoint(k == 1, k == 2, k if k > 2 else 0)
    grid.SetPoints(points)
    for k in range(4):
        corners.InsertNextId(k)
    grid.InsertNextCell(vtk.VTK_TETRA, corners)
    fields = {"displacement": np.ones((n, 3)), "temperature": np.full(n, 300.0)}
    for name in names:
        array = numpy_to_vtk(fields[name], deep=True)
        array.SetName(name)
        grid.GetPointData().AddArray(array)
    writer = vtk.vtkXMLUnstructuredGridWriter()
    writer.SetFileName(FILE)
    writer.SetInputData(grid)
    writer.SetDataModeToAppended()
    writer.EncodeAppendedDataOff()
    writer.SetCompressorTypeToNone()
    writer.SetHeaderTypeToUInt32()
    writer.Write()


def vtk_reads():
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(FILE)
    reader.Update()
    return reader.GetOutput().GetNumberOfPoints()


def meshio_reads():
    try:
        return len(meshio.read(FILE).points)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


fails = True
for n in (4, 5, 6, 100):
    write(n, ["displacement", "temperature"])
    told = meshio_reads()
    print(f"{n} points, vector before scalar: VTK {vtk_reads()}, meshio {told}")
    fails &= vtk_reads() == n and isinstance(told, str)
    write(n, ["temperature", "displacement"])
    print(f"{n} points, scalar before vector: VTK {vtk_reads()}, meshio {meshio_reads()}")
    fails &= meshio_reads() == n
assert fails, "the finding is out of date"
PY
