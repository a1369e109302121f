#!/usr/bin/env bash
# FCL for Python: a sphere on a mesh has a negative penetration depth, and a mesh and a primitive are not in the order of the call.
#
# `collide(a, b)` returns contacts with a normal from `o1` to `o2` and a `penetration_depth` that is positive for primitives, for
# meshes, and for a mesh and a box. For a mesh and a sphere it is negative. For a mesh and a primitive, `o1` is the mesh even if it
# is the second argument: the normal then points from the second argument to the first. A penalty force `depth * normal` on the
# second body, right for boxes and spheres, attracts it for half of these calls: a gripper sticks to an object as soon as one of
# them becomes a mesh. The force is right for all pairs if it uses the absolute depth, and the geometry that `o1` names as the first.
# Source: python-fcl 0.7.0.11 from PyPI, `collide` of a small body that overlaps the top of a large one by 0.01.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check numpy==2.4.6 python-fcl==0.7.0.11
"$place/env/bin/python" - <<'PY'
import fcl
import numpy as np

OVERLAP, LOWER, UPPER = 0.01, 0.5, 0.1  # overlap and half edge lengths (the sphere has the radius UPPER)


def mesh(half):
    vertices = half * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    model = fcl.BVHModel()
    model.beginModel(len(vertices), len(triangles))
    model.addSubModel(vertices, triangles)
    model.endModel()
    return model


def box(half):
    return fcl.Box(2 * half, 2 * half, 2 * half)


def contacts(first, second):
    result = fcl.CollisionResult()
    fcl.collide(first, second, fcl.CollisionRequest(num_max_contacts=100, enable_contact=True), result)
    assert result.contacts
    return result.contacts


PAIRS = {  # lower body, upper body, depth * normal on the second argument for (lower, upper) and for (upper, lower), upwards
    "box, box": (box(LOWER), box(UPPER), 1, -1),
    "box, sphere": (box(LOWER), fcl.Sphere(UPPER), 1, -1),
    "mesh, mesh": (mesh(LOWER), mesh(UPPER), 1, -1),
    "mesh, box": (mesh(LOWER), box(UPPER), 1, 1),
    "box, mesh": (box(LOWER), mesh(UPPER), -1, -1),
    "mesh, sphere": (mesh(LOWER), fcl.Sphere(UPPER), -1, -1),
}
for name, (lower, upper, *expected) in PAIRS.items():
    below = fcl.CollisionObject(lower, fcl.Transform(np.zeros(3)))
    above = fcl.CollisionObject(upper, fcl.Transform(np.array([0.03, 0.02, LOWER + UPPER - OVERLAP])))
    found = []
    for first, second in ((below, above), (above, below)):
        deepest = max(contacts(first, second), key=lambda contact: abs(contact.penetration_depth))
        found.append(deepest.penetration_depth * deepest.normal[2])
        up = 1 if deepest.o1 is lower else -1  # from o1 to o2, whatever the order of the call
        assert np.isclose(abs(deepest.penetration_depth) * deepest.normal[2] * up, OVERLAP), name
    words = ["repels" if value * sign > 0 else "ATTRACTS" for value, sign in zip(found, (1, -1))]
    print(f"lower and upper body: {name:13} depth * normal_z {found[0]:+.3f} for (lower, upper) {words[0]:9}"
          f"{found[1]:+.3f} for (upper, lower) {words[1]}")
    assert np.allclose(found, np.array(expected) * OVERLAP), "the finding is out of date"
print("holds: a mesh and a primitive repel or attract by the order of the arguments")
PY
