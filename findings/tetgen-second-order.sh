#!/usr/bin/env bash
# TetGen lists the mid-side nodes of second-order tetrahedra in an order that neither VTK nor Gmsh has.
#
# With corners 0 to 3, nodes 4 to 9 of an element of ten nodes lie on the edges
#     TetGen            23 03 01 12 13 02
#     VTK, Abaqus       01 12 02 03 13 23
#     Gmsh              01 12 02 03 23 13
# All files look alike: ten numbers a line. Read in the wrong order, an element still has its corners and its volume; only its
# edges bend to the wrong places.
# Source: tetgen 0.8.4 from PyPI, tetrahedralize(order=2).
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check tetgen==0.8.4 numpy==2.4.6
"$place/env/bin/python" - <<'PY'
from itertools import combinations

import numpy as np
import tetgen

points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
nodes, elements = tetgen.TetGen(points, faces).tetrahedralize(order=2)[:2]
[element] = elements
corners = nodes[element[:4]]
order = [
    f"{a}{b}"
    for middle in element[4:]
    for a, b in combinations(range(4), 2)
    if np.allclose(nodes[middle], (corners[a] + corners[b]) / 2)
]
print("TetGen", " ".join(order))
assert order == ["23", "03", "01", "12", "13", "02"], "the finding is out of date"
PY
