#!/usr/bin/env bash
# IPC Toolkit for Python: `compute_minimum_distance` returns the square of the distance.
#
# The documentation of the function says "the minimum distance between any non-adjacent elements". Two parallel triangles
# 0.01 apart give 1e-4. All distances of the toolkit are squared, those of `point_triangle_distance` and its kin included,
# while `dhat`, which they are compared with in user code, is a length. A study of gaps that takes the value for a length
# reports penetration-free gaps of a hundredth of the true ones, and a `dhat` chosen from it has the wrong order of magnitude.
# Source: ipctk 1.6.1 from PyPI.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check ipctk==1.6.1
"$place/env/bin/python" - <<'PY'
import ipctk
import numpy as np

GAP = 0.01
lower = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
upper = np.array([[0.2, 0.2, GAP], [1.2, 0.2, GAP], [0.2, 1.2, GAP]])
vertices, faces = np.vstack([lower, upper]), np.array([[0, 1, 2], [3, 4, 5]])
mesh = ipctk.CollisionMesh(vertices, ipctk.edges(faces), faces)
collisions = ipctk.NormalCollisions()
collisions.build(mesh, vertices, 0.1)
found = collisions.compute_minimum_distance(mesh, vertices)
of_point = ipctk.point_triangle_distance(upper[0], *lower)
print(f"gap {GAP}: compute_minimum_distance {found:.3g}, point_triangle_distance {of_point:.3g}")
assert np.isclose(found, GAP**2) and np.isclose(of_point, GAP**2), "the distance is no longer squared"
print("holds: distances are squared")
PY
