#!/usr/bin/env bash
# scikit-fem: uniform refinement of tetrahedra flattens them, more with each level, and depends on how the body is turned in space.
#
# Each refined tetrahedron has an octahedron inside, which is cut along one of its three diagonals. Along the shortest, which the source
# means to choose, a regular tetrahedron has children of a lowest quality of 0.354 at every level (6 sqrt(2) volume / longest edge^3, 1 if
# regular). `MeshTet.refined` compares the lengths of the diagonals in x and y only. After five levels the quality is 0.027, or 0.017 if
# the same tetrahedron is turned by 20 degrees about x before, and the longest edge is 2.35 or 2.74 times that by the shortest
# diagonals: the mesh width is not divided by 32. A study of convergence changes the shape of the elements with their size, takes a wrong
# width for its orders, and is not invariant to rotation.
# Source: scikit-fem 12.0.2 from PyPI, `MeshTet.refined`.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check scikit-fem==12.0.2 numpy==2.4.6 scipy==1.17.1
"$place/env/bin/python" - <<'PY'
import numpy as np
import skfem

LEVELS = 5
EDGES = np.array([(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)])
REGULAR = np.array([[0, 0, 0], [1, 0, 0], [1 / 2, np.sqrt(3) / 2, 0], [1 / 2, np.sqrt(3) / 6, np.sqrt(2 / 3)]])
COS, SIN = np.cos(np.radians(20)), np.sin(np.radians(20))
TURNED = REGULAR @ np.array([[1, 0, 0], [0, COS, SIN], [0, -SIN, COS]])


def measure(corners):
    """Lowest quality and longest edge of tetrahedra of shape (n, 4, 3)."""
    lengths = np.linalg.norm(corners[:, EDGES[:, 0]] - corners[:, EDGES[:, 1]], axis=2).max(axis=1)
    volumes = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) / 6
    return np.min(6 * np.sqrt(2) * volumes / lengths**3), lengths.max()


def by_shortest(corners):
    """Children by the shortest diagonal in three dimensions."""
    children = []
    for p in corners:
        m = (p[EDGES[:, 0]] + p[EDGES[:, 1]]) / 2
        children += [(p[0], m[0], m[2], m[3]), (p[1], m[0], m[1], m[4]), (p[2], m[1], m[2], m[5]), (p[3], m[3], m[4], m[5])]
        octahedra = (((2, 4), (0, 1, 5, 3)), ((1, 3), (0, 4, 5, 2)), ((0, 5), (1, 4, 3, 2)))
        (i, j), ring = min(octahedra, key=lambda cut: np.linalg.norm(m[cut[0][0]] - m[cut[0][1]]))
        children += [(m[i], m[j], m[ring[k]], m[ring[k - 1]]) for k in range(4)]
    return np.array(children)


meshes = [skfem.MeshTet(points.T, np.arange(4)[:, None]) for points in (REGULAR, TURNED)]
shortest = REGULAR[None]
for level in range(1, LEVELS + 1):
    meshes = [mesh.refined() for mesh in meshes]
    shortest = by_shortest(shortest)
    quality, longest = measure(shortest)
    found = [measure(mesh.p.T[mesh.t.T]) for mesh in meshes]
    assert all(mesh.t.shape[1] == len(shortest) == 8**level for mesh in meshes)
    print(f"level {level}: shortest diagonals, quality {quality:.3f}", *(
        f"; {name} {q:.3f}, longest edge {edge / longest:.2f} of that" for name, (q, edge) in zip(("refined", "turned and refined"), found)
    ), sep="")
    assert np.isclose(quality, 0.3536, atol=1e-3)
assert found[0][0] < 0.03 and found[1][0] < 0.02, "the finding is out of date"
print("holds: refinement flattens tetrahedra, and depends on their orientation")
PY
