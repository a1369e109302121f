#!/usr/bin/env bash
# gpytoolbox: the von Mises stress of `linear_elasticity` is the true one over sqrt(2), and its external forces are accelerations.
#
# The documentation promises "per-element Von Mises stresses" and takes `fext`, a "matrix of external forces (for example, gravity
# or a load)", a row for each vertex. A square in pure shear of stress t has the von Mises stress sqrt(3) t in plane stress and plane
# strain alike; the function returns sqrt(3 / 2) t, so that material seems to yield at 1.41 times the load. `fext` is multiplied by
# the mass matrix: it is a force per mass, and the same load on a side of a clamped square bends it a quarter as far on a mesh of
# half the edge length. With each force divided by the mass of its vertex the deflections converge.
# Source: gpytoolbox 0.3.8 from PyPI.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check gpytoolbox==0.3.8 numpy==2.4.6 scipy==1.17.1
"$place/env/bin/python" - <<'PY'
import gpytoolbox
import numpy as np

BULK, SHEAR = 3.0, 1.0


def square(n):
    vertices, triangles = gpytoolbox.regular_square_mesh(n)
    return (vertices + 1) / 2, triangles


def solve(n, held, at_held, loads, still):
    vertices, triangles = square(n)
    moved, von_mises = gpytoolbox.linear_elasticity(
        vertices, triangles, still, fext=loads, bb=held, bc=at_held, K=BULK, mu=SHEAR, dt=1e4)
    return moved.reshape(2, -1).T, von_mises


# Pure shear: the boundary is led, so the strain is uniform and the stress is SHEAR times the angle.
vertices, triangles = square(9)
angle = 1e-2
sheared = angle * vertices[:, ::-1] * [1, 0]
held = np.unique(gpytoolbox.boundary_vertices(triangles))
moved, von_mises = solve(9, held, sheared[held], 0 * vertices, sheared)
assert np.allclose(moved, sheared)
exact = np.sqrt(3) * SHEAR * angle
print(f"pure shear: von Mises stress {exact:.5f}, returned {von_mises.min():.5f} to {von_mises.max():.5f}, "
      f"ratio {von_mises.max() / exact:.4f}")
assert np.allclose(von_mises / exact, np.sqrt(0.5)), "the von Mises stress has changed"

# A square that is clamped at x = 0 and pulled upwards along x = 1 by a total force of 1e-3, half a share at each corner.
raw, weighted = [], []
for n in (9, 17, 33):
    vertices, triangles = square(n)
    held, edge = np.flatnonzero(vertices[:, 0] == 0), np.flatnonzero(vertices[:, 0] == 1)
    forces = 0 * vertices
    forces[edge, 1] = 1e-3 / (n - 1) * np.where(vertices[edge, 1] % 1 == 0, 0.5, 1)
    assert np.isclose(forces.sum(), 1e-3)
    mass = gpytoolbox.linear_elasticity_stiffness(vertices, triangles, K=BULK, mu=SHEAR)[4]
    assert np.isclose(mass.diagonal().sum(), mass.sum()), "the mass matrix is no longer diagonal"
    masses = mass.diagonal().reshape(2, -1).T
    for found, loads in ((raw, forces), (weighted, forces / masses)):
        found.append(solve(n, held, 0 * vertices[held], loads, 0 * vertices)[0][edge, 1].mean())
    print(f"{n} x {n} vertices: the side moves by {raw[-1]:.3e} with fext = force, {weighted[-1]:.3e} with fext = force / mass")
assert all(3.5 < a / b < 4.5 for a, b in zip(raw, raw[1:])), "fext has changed"
assert all(0.9 < a / b < 1.0 for a, b in zip(weighted, weighted[1:])), "fext has changed"
print("holds: stresses are divided by sqrt(2), loads are multiplied by masses")
PY
