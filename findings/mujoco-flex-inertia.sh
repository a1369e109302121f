#!/usr/bin/env bash
# MuJoCo: an elastic cube made by flexcomp has the moment of inertia of a larger cube, because each vertex has the same mass.
#
# Finite elements give a vertex the mass of its share of the volume, so a corner of a regular grid weighs an eighth of an
# inner vertex. In a flexcomp the mass is divided by the number of vertices. With n vertices along an edge the moments of
# inertia are (n + 1) / (n - 1) times those of the solid: 3 times for n = 2, 1.67 for n = 4, still 1.22 for n = 10. Periods
# of rotation, impacts and vibrations follow. On an unstructured mesh the centre of mass moves towards where the mesh is fine.
# Source: mujoco 4.0.0 from PyPI, flexcomp of dimension 3.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check mujoco==4.0.0 numpy==2.4.6
"$place/env/bin/python" - 2>/dev/null <<'PY'
import mujoco
import numpy as np

EDGE = 0.3
fails = True
for n in (2, 4, 10):
    model = mujoco.MjModel.from_xml_string(f"""<mujoco>
      <worldbody>
        <flexcomp name="cube" type="grid" count="{n} {n} {n}" spacing="{EDGE / (n - 1)} {EDGE / (n - 1)} {EDGE / (n - 1)}"
                  dim="3" mass="1" radius="0.001"><elasticity young="1e4" poisson="0.3"/></flexcomp>
      </worldbody>
    </mujoco>""")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    masses = model.body_mass[model.flex_vertbodyid]
    x = data.flexvert_xpos - np.average(data.flexvert_xpos, axis=0, weights=masses)
    inertia = (masses * (x[:, 0] ** 2 + x[:, 1] ** 2)).sum()
    solid = masses.sum() * EDGE**2 / 6
    print(f"{n} vertices along an edge: masses {masses.min():.5f} to {masses.max():.5f}, inertia {inertia / solid:.4f} of the cube")
    fails &= np.isclose(masses.min(), masses.max()) and np.isclose(inertia / solid, (n + 1) / (n - 1), rtol=1e-6)
assert fails, "the finding is out of date"
PY
