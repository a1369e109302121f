#!/usr/bin/env bash
# Pinocchio: bodies of a MuJoCo file lose their masses: each mesh weighs 1 kg, geometry that does not collide or is in a <frame> nothing.
#
# Without <inertial>, the inertia of a MuJoCo body follows from its geoms. `buildModelFromMJCF` gives a mesh the mass 1, the centre of mass
# at the origin of the geom and the moments of inertia 1 about it, whatever its shape, `density` and `mass`. A geom with contype and
# conaffinity 0 is taken for decoration: in MuJoCo it has a mass. A geom inside a <frame> is skipped. `settotalmass` and the gravity of
# <option> are ignored. There is no warning. Boxes and other primitives agree to rounding, so that a check with these shows nothing.
# Bodies with an <inertial> of their own agree as well, whatever their geoms.
# Source: pin 4.1.0 and mujoco 4.0.0 from PyPI.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check pin==4.1.0 mujoco==4.0.0 numpy==2.4.6
"$place/env/bin/python" - <<'PY'
import mujoco
import numpy as np
import pinocchio

EDGES, CENTRE = np.array([0.2, 0.4, 0.6]), np.array([1.0, 0.0, 0.0])
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
with open("box.obj", "w") as file:
    for corner in ((x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)):
        print("v", *(CENTRE + corner * EDGES / 2), file=file)
    for a, b, c, d in QUADS:
        print("f", a + 1, b + 1, c + 1, file=file)
        print("f", a + 1, c + 1, d + 1, file=file)
BOX = '<geom type="box" size="0.1 0.2 0.3" pos="1 0 0" {}/>'
MESH = '<geom type="mesh" mesh="box" {}/>'
GIVEN = '<inertial pos="1 0 0" mass="48" diaginertia="2.08 1.6 0.8"/>'
CASES = {  # geoms, mass and moment of inertia about the hinge by Pinocchio (None: those of MuJoCo)
    "box": (BOX.format(""), None),
    "mesh": (MESH.format(""), (1, 1)),
    "mesh, density 10": (MESH.format('density="10"'), (1, 1)),
    "mesh, mass 3": (MESH.format('mass="3"'), (1, 1)),
    "mesh and <inertial>": (GIVEN + MESH.format(""), None),
    "box, does not collide": (BOX.format('contype="0" conaffinity="0"'), (0, 0)),
    "box in a <frame>": (f"<frame>{BOX.format('')}</frame>", (0, 0)),
}
for name, (geoms, expected) in CASES.items():
    with open("body.xml", "w") as file:
        file.write(f'<mujoco><option gravity="0 0 -1.62"/><asset><mesh name="box" file="box.obj"/></asset><worldbody>'
                   f'<body name="arm"><joint type="hinge" axis="0 1 0"/>{geoms}</body></worldbody></mujoco>')
    theirs = mujoco.MjModel.from_xml_path("body.xml")
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    inertia = np.zeros((1, 1))
    mujoco.mj_fullM(theirs, data, inertia)
    model = pinocchio.buildModelFromMJCF("body.xml")
    of_mujoco = np.array([theirs.body_mass[1], inertia[0, 0]])
    of_pinocchio = np.array([model.inertias[1].mass, pinocchio.crba(model, model.createData(), np.zeros(1))[0, 0]])
    print(f"{name:21}: MuJoCo {of_mujoco[0]:6.2f} kg, {of_mujoco[1]:6.2f} kg m^2; "
          f"Pinocchio {of_pinocchio[0]:6.2f} kg, {of_pinocchio[1]:6.2f} kg m^2")
    assert np.allclose(of_pinocchio, of_mujoco if expected is None else expected, rtol=1e-4), "the finding is out of date"
    assert np.isclose(model.gravity.linear[2], -9.81) and np.isclose(theirs.opt.gravity[2], -1.62)
print("holds: Pinocchio keeps the masses of primitives that collide, and loses the others")
PY
