#!/usr/bin/env bash
# FCL for Python: continuous collision of two meshes by conservative advancement finds no impact, also of thick bodies.
#
# `ContinuousCollisionRequest` selects conservative advancement and translation unless told otherwise. A box meets a plate
# after 2/3 of its path. As primitives of FCL the time is exact; as two `BVHModel` meshes of the same shapes the result is
# "no collision", and FCL prints no warning. The naive solver finds an impact, at a sampled time at which the bodies
# overlap already (7/9 with ten samples), so a robot that moves until that time is inside the plate.
# Conservative advancement is known as a method that cannot miss an impact, and meshes are the common case.
# Source: python-fcl 0.7.0.11 from PyPI.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check numpy==2.4.6 python-fcl==0.7.0.11
"$place/env/bin/python" - <<'PY'
import fcl
import numpy as np

BOX, PLATE = np.array([0.02, 0.02, 0.02]), np.array([0.5, 0.5, 0.2])  # half extents
GAP, PATH = 0.2, 0.3


def mesh(half):
    vertices = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    model = fcl.BVHModel()
    model.beginModel(len(vertices), len(triangles))
    model.addSubModel(vertices, triangles)
    model.endModel()
    return model


def time_of_contact(shape, solver):
    height = BOX[2] + PLATE[2] + GAP
    moving = fcl.CollisionObject(shape(BOX), fcl.Transform(np.array([0.1, 0.05, height])))
    fixed = fcl.CollisionObject(shape(PLATE))
    end = fcl.Transform(np.array([0.1, 0.05, height - PATH]))
    request = fcl.ContinuousCollisionRequest(ccd_solver_type=solver, num_max_iterations=10)
    result = fcl.ContinuousCollisionResult()
    fcl.continuousCollide(moving, end, fixed, fcl.Transform(), request, result)
    return result.is_collide, result.time_of_contact


advancement = fcl.CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT
assert fcl.ContinuousCollisionRequest().ccd_solver_type == advancement
primitives = time_of_contact(lambda half: fcl.Box(*(2 * half)), advancement)
meshes = time_of_contact(mesh, advancement)
sampled = time_of_contact(mesh, fcl.CCDSolverType.CCDC_NAIVE)
print(f"exact {GAP / PATH:.4f}")
for name, (hit, time) in (("boxes, advancement", primitives), ("meshes, advancement", meshes), ("meshes, naive", sampled)):
    print(f"{name}: {'impact' if hit else 'no impact'}, time {time:.4f}")
assert primitives[0] and abs(primitives[1] - GAP / PATH) < 1e-3
assert not meshes[0], "an impact of meshes is found now"
assert sampled[0] and sampled[1] > GAP / PATH + 0.05
print("holds: conservative advancement finds no impact of two meshes")
PY
