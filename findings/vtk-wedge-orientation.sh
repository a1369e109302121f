#!/usr/bin/env bash
# VTK: no order of the corners of a wedge has both a positive volume and outward faces.
#
# With the corners in the order of Gmsh, Abaqus and CGNS (the fourth corner above the first, the first triangle seen
# anticlockwise from inside), the volume of vtkCellSizeFilter and the scaled Jacobian of vtkCellQuality are positive, but
# the faces of vtkWedge, and so the surface that vtkDataSetSurfaceFilter extracts, have normals that point inwards. With the
# order of the documentation of vtkWedge (the normal of the first triangle points outwards) the normals are right, and
# volume and Jacobian are negative. Tetrahedra, hexahedra and pyramids have one order that satisfies both. So a sign test
# of volumes accepts meshes of wedges whose extracted surface is inside out, as pressure loads and shading show.
# Source: vtk 9.7.2 and pyvista 0.49.1 from PyPI.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check numpy==2.4.6 vtk==9.7.2 pyvista==0.49.1
"$place/env/bin/python" - <<'PY'
import numpy as np
import pyvista as pv
import vtk


def measure(points, corners, cell_type):
    grid = pv.UnstructuredGrid(np.array([len(corners), *corners]), np.array([cell_type]), np.asarray(points, float))
    surface = grid.extract_surface(algorithm="dataset_surface").compute_normals(
        cell_normals=True, point_normals=False, consistent_normals=False, auto_orient_normals=False)
    outward = surface.cell_centers().points - grid.points.mean(axis=0)
    dots = np.sum(outward * surface["Normals"], axis=1)
    assert (dots > 0).all() or (dots < 0).all()
    volume = grid.compute_cell_sizes()["Volume"][0]
    jacobian = grid.cell_quality("scaled_jacobian")["scaled_jacobian"][0]
    return volume, jacobian, bool((dots > 0).all())


wedge = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]]
cube = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
rows = {
    "wedge, order of Gmsh and Abaqus": measure(wedge, [0, 1, 2, 3, 4, 5], vtk.VTK_WEDGE),
    "wedge, order of the documentation": measure(wedge, [0, 2, 1, 3, 5, 4], vtk.VTK_WEDGE),
    "hexahedron": measure(cube, range(8), vtk.VTK_HEXAHEDRON),
}
for name, (volume, jacobian, outward) in rows.items():
    print(f"{name}: volume {volume:.3f}, scaled Jacobian {jacobian:.3f}, normals {'outward' if outward else 'inward'}")
gmsh, documented, hexahedron = rows.values()
assert gmsh[0] > 0 and gmsh[1] > 0 and not gmsh[2]
assert documented[0] < 0 and documented[1] < 0 and documented[2]
assert hexahedron[0] > 0 and hexahedron[2]
print("holds: a wedge has either a positive volume or outward faces")
PY
