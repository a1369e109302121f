#!/usr/bin/env bash
# IPC Toolkit for Python: a flat frictionless plate pushes a point sideways, and up to six times as hard at a vertex as in a triangle.
#
# The barrier potential is a sum over the elements within `dhat`, so near an edge of a plane triangulation a point is pushed by two
# triangles, near a vertex by all around it. With the default collision set the force at the same gap is 1, 2 and 6 times that in
# the interior, and beside a vertex it has a tangential part of 28 % of the normal one, without friction. A body that slides or rests on
# the plate therefore finds a landscape of the mesh: it rests higher where it meets vertices, and slides down from them. Contact stiffness and
# pressure change by refinement in the same way. With `CollisionSetType.IMPROVED_MAX_APPROX` the force is that of the plane everywhere.
# The toolkit asks for area weighting with it; area weighting alone leaves the ratios as they are.
# Source: ipctk 1.6.1 from PyPI, `NormalCollisions` and `BarrierPotential`.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check ipctk==1.6.1 numpy==2.4.6
"$place/env/bin/python" - <<'PY'
import ipctk
import numpy as np

ipctk.set_logger_level(ipctk.LoggerLevel.error)
CELLS, GAP, DHAT = 6, 0.05, 0.1  # a plate of unit squares, each cut along its diagonal
NODES = CELLS + 1
plate = np.array([[x - CELLS // 2, y - CELLS // 2, 0.0] for y in range(NODES) for x in range(NODES)])
faces = np.array([t for j in range(CELLS) for i in range(CELLS) for a in [j * NODES + i]
                  for t in ((a, a + 1, a + NODES + 1), (a, a + NODES + 1, a + NODES))])
edges = ipctk.edges(faces)


def force(x, y, kind, weighted):
    """Force of the plate on a point at the height GAP."""
    vertices = np.vstack([plate, [x, y, GAP]])
    mesh = ipctk.CollisionMesh(vertices, edges, faces)
    collisions = ipctk.NormalCollisions()
    collisions.collision_set_type = kind
    collisions.use_area_weighting = weighted
    collisions.build(mesh, vertices, DHAT)
    return -ipctk.BarrierPotential(DHAT, 1.0).gradient(collisions, mesh, vertices)[-3:]


kinds = ipctk.NormalCollisions
PLACES = {"inside a triangle": (0.4, 0.2), "on an edge": (0.5, 0.0), "on a vertex": (0.0, 0.0), "beside a vertex": (0.03, 0.01)}
assert kinds().collision_set_type == kinds.IPC and not kinds().use_area_weighting
for label, kind, weighted in (("default", kinds.IPC, False), ("default, area weights", kinds.IPC, True),
                              ("improved max, area weights", kinds.IMPROVED_MAX_APPROX, True)):
    forces = {name: force(x, y, kind, weighted) for name, (x, y) in PLACES.items()}
    unit = forces["inside a triangle"][2]
    for name, (x, y, z) in forces.items():
        print(f"{label:26} {name:17} normal force {z / unit:.3f}, tangential force {np.hypot(x, y) / unit:.3f}")
    normal = np.array([f[2] for f in forces.values()]) / unit
    tangential = np.array([np.hypot(*f[:2]) for f in forces.values()]) / unit
    if kind == kinds.IPC:
        assert np.allclose(normal[:3], [1, 2, 6]) and normal[3] > 4.5, "the finding is out of date"
        assert np.allclose(tangential[:3], 0) and tangential[3] > 0.25 * normal[3], "the finding is out of date"
    else:
        assert np.allclose(normal, 1) and np.allclose(tangential, 0)
print("holds: the default force depends on the place in the triangulation")
PY
