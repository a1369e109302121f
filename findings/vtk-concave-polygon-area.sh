#!/usr/bin/env bash
# VTK and trimesh: the area of a concave polygon depends on its first corner, and one mesh has two areas in VTK.
#
# A wall of 4 x 3 m with a doorway of 1 x 2 m is one polygon of eight corners and 10 m^2. `vtkCellSizeFilter` (`area` and
# `compute_cell_sizes` of PyVista) adds the absolute areas of a fan from the first corner: 12 to 17 m^2, by the corner with
# which the file begins. Triangles of the same polygon by `vtkTriangleFilter` (`triangulate`) and
# `vtkPolygon.ComputeArea` have 10 m^2. trimesh reads the face as that fan, so its area is wrong, too, and the doorway is
# closed for its ray casts. Neither warns. Masses of shells and pressures from such areas are wrong by up to 70 %.
# Source: vtk 9.7.2, pyvista 0.49.1 and trimesh 5.2.0 from PyPI.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check numpy==2.4.6 vtk==9.7.2 pyvista==0.49.1 trimesh==5.2.0
"$place/env/bin/python" - <<'PY'
import io

import numpy as np
import pyvista as pv
import trimesh
import vtk

wall = [(0, 0), (1.5, 0), (1.5, 2), (2.5, 2), (2.5, 0), (4, 0), (4, 3), (0, 3)]
fans = []
for first in range(len(wall)):
    corners = np.array([(*corner, 0.0) for corner in np.roll(wall, -first, axis=0)], float)
    polygon = pv.PolyData(corners, faces=[8, *range(8)])
    by_filter = polygon.compute_cell_sizes()["Area"][0]
    by_triangles = polygon.triangulate().area
    by_polygon = vtk.vtkPolygon.ComputeArea(polygon.GetPoints(), 8, list(range(8)), [0.0, 0.0, 0.0])
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "f 1 2 3 4 5 6 7 8\n"
    by_trimesh = trimesh.load(io.BytesIO(text.encode()), file_type="obj", process=False).area
    print(f"first corner {first}: filter {by_filter:.0f}, triangles {by_triangles:.0f}, polygon {by_polygon:.0f}, "
          f"trimesh {by_trimesh:.0f} m^2")
    assert np.isclose([by_triangles, by_polygon], 10).all() and np.isclose(by_filter, by_trimesh)
    fans.append(by_filter)
assert np.allclose(fans, [17, 14, 12, 12, 14, 17, 15, 15])
print("holds: areas of concave polygons are those of a fan from the first corner")
PY
