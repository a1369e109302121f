#!/usr/bin/env bash
# pytetwild: all tetrahedra have negative volume by the convention of VTK, Gmsh and finite-element programs.
#
# The fourth corner lies on the side from which the first three are seen clockwise; VTK, Gmsh, Abaqus and MEDIT place it on
# the other. The mesh is sound: swapping two corners of every element makes all volumes positive. Solvers that do not
# check it report inverted elements or a negative Jacobian.
# Source: pytetwild 0.4.2 from PyPI (fTetWild), `tetrahedralize` of a cube with outward faces.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check pytetwild==0.4.2 pyvista==0.49.1 numpy==2.4.6
"$place/env/bin/python" - <<'PY'
import numpy as np
import pytetwild

points = np.array([[x, y, z] for z in (0.0, 1.0) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))])
faces = np.array([[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5],
                  [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7]], dtype=np.int32)
enclosed = np.linalg.det(points[faces]).sum() / 6
nodes, cells = pytetwild.tetrahedralize(points, faces, edge_length_fac=0.3)[:2]
volumes = np.linalg.det(nodes[cells[:, 1:]] - nodes[cells[:, :1]]) / 6
print(f"the surface encloses {enclosed:+.3f}; {len(cells)} tetrahedra, {np.sum(volumes < 0)} of negative volume, "
      f"sum {volumes.sum():+.3f}")
assert np.isclose(enclosed, 1) and np.all(volumes < 0) and np.isclose(volumes.sum(), -1, atol=0.01), \
    "the finding is out of date"
PY
