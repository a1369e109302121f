#!/usr/bin/env bash
# meshio: a symmetric stress converted from .vtu to XDMF has other components in VTK: hydrostatic pressure becomes shear.
#
# VTK keeps the six components of a symmetric tensor as xx yy zz xy yz xz. meshio reads them from a .vtu and writes them unchanged with
# AttributeType Tensor6, whose order is xx xy xz yy yz zz. VTK's reader (that of ParaView) follows the latter and expands to nine
# components. A pressure p then has the stresses xx = xy = xz = p and no others: the von Mises stress is sqrt(7) p = 2.65 p in
# place of 0. meshio reads its own file back unchanged, so a round trip does not show it. The tensor is right if it is written with
# nine components, or reordered by [0, 3, 5, 1, 4, 2] before.
# Source: meshio 5.3.5 and vtk 9.7.2 (`vtkXdmfReader`) from PyPI.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check meshio==5.3.5 vtk==9.7.2 numpy==2.4.6 h5py==3.16.0
"$place/env/bin/python" - <<'PY'
import meshio
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

POINTS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


def von_mises(matrix):
    deviator = matrix - np.trace(matrix) / 3 * np.eye(3)
    return np.sqrt(1.5 * np.sum(deviator**2))


def read(reader, path):
    """Stress of the first cell as a matrix."""
    reader = reader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutputDataObject(0)
    values = vtk_to_numpy(data.GetCellData().GetArray("stress"))[0]
    if len(values) == 9:
        return values.reshape(3, 3)
    xx, yy, zz, xy, yz, xz = values
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


for name, stress in (("pressure 1", [1.0, 1, 1, 0, 0, 0]), ("tension 1 along z", [0.0, 0, 1, 0, 0, 0])):
    meshio.Mesh(POINTS, [("tetra", [[0, 1, 2, 3]])], cell_data={"stress": [np.array([stress])]}).write("body.vtu")
    mesh = meshio.read("body.vtu")
    mesh.write("body.xdmf")
    assert np.array_equal(meshio.read("body.xdmf").cell_data["stress"][0], [stress])
    before, after = read(vtkXMLUnstructuredGridReader, "body.vtu"), read(vtkXdmfReader, "body.xdmf")
    shown = [f"{'xyz'[i]}{'xyz'[j]} = {after[i, j]:g}" for i in range(3) for j in range(i, 3) if after[i, j]]
    print(f"{name}: .vtu von Mises {von_mises(before):.3f}, .xdmf von Mises {von_mises(after):.3f}, components {', '.join(shown)}")
    assert np.allclose(after[np.triu_indices(3)], stress), "the finding is out of date"
    mesh.cell_data["stress"][0] = mesh.cell_data["stress"][0][:, [0, 3, 5, 1, 4, 2]]
    mesh.write("ordered.xdmf")
    assert np.allclose(read(vtkXdmfReader, "ordered.xdmf"), before)
print("holds: the six components are written in the order of VTK and read in that of XDMF")
PY
