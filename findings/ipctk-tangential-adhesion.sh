#!/usr/bin/env bash
# IPC Toolkit for Python: tangential adhesion does not depend on the adhesive force, and vanishes at a slip of two slip speeds.
#
# `TangentialCollisions.build` takes a normal potential and a coefficient, as for friction, whose limit is the coefficient times the
# present normal force and which stays at its limit when surfaces slip. With a `NormalAdhesionPotential` the limit is the coefficient
# times `Y eps_c / (2 dhat_p)` at every gap below `dhat_a`: the derivative by the squared distance at `dhat_p`, a force per length. At
# dhat_p = 1 mm it is 500 to 4000 times the coefficient times the present adhesive force, changes with the unit of length, and jumps to
# zero at `dhat_a`, where the adhesive force has vanished. Beyond one slip speed `eps_a` the force falls, and from two on it is zero: a
# body that slips fast feels nothing. With a coefficient meant as one of friction, bodies cannot be sheared off.
# Source: ipctk 1.6.1 from PyPI, `NormalAdhesionPotential`, `TangentialCollisions` and `TangentialAdhesionPotential`.
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
DHAT_P, DHAT_A, YOUNG, EPS_C, COEFFICIENT, EPS_A = 1e-3, 2e-3, 1000.0, 0.5, 0.5, 1e-2
SLIPS = (0.5, 1.0, 1.5, 2.0, 10.0)  # over EPS_A
triangle = np.array([[-3.0, -3.0, 0.0], [3.0, -3.0, 0.0], [0.0, 3.0, 0.0]])
faces = np.array([[0, 1, 2]])


def forces(gap):
    """Adhesive force on a point above the triangle, and its tangential adhesion at the SLIPS."""
    vertices = np.vstack([triangle, [0.0, 0.0, gap]])
    mesh = ipctk.CollisionMesh(vertices, ipctk.edges(faces), faces)
    collisions = ipctk.NormalCollisions()
    collisions.build(mesh, vertices, DHAT_A)
    adhesion = ipctk.NormalAdhesionPotential(DHAT_P, DHAT_A, YOUNG, EPS_C)
    tangential = ipctk.TangentialCollisions()
    tangential.build(mesh, vertices, collisions, adhesion, COEFFICIENT)
    potential = ipctk.TangentialAdhesionPotential(EPS_A)
    resisting = []
    for slip in SLIPS:
        velocities = np.zeros_like(vertices)
        velocities[-1, 0] = slip * EPS_A
        resisting.append(potential.gradient(tangential, mesh, velocities)[-3])
    return adhesion.gradient(collisions, mesh, vertices)[-1], resisting


limit = COEFFICIENT * YOUNG * EPS_C / (2 * DHAT_P)
for gap in (0.5e-3, 1.0e-3, 1.3e-3, 1.6e-3, 1.9e-3):
    normal, resisting = forces(gap)
    by_slip = ", ".join(f"{slip:g}: {force:.0f}" for slip, force in zip(SLIPS, resisting))
    print(f"gap {gap * 1e3:.1f} mm: adhesive force {normal:5.1f} N, coefficient times it {COEFFICIENT * normal:5.1f} N; by slip over eps_a {by_slip} N")
    assert np.isclose(resisting[1], limit), "the finding is out of date"
    assert np.allclose(resisting[2:], [0.75 * limit, 0.0, 0.0], atol=1e-6 * limit), "the finding is out of date"
    assert resisting[1] > 400 * COEFFICIENT * normal
print(f"holds: the limit is {limit:.0f} N at every gap, and the force is zero from two slip speeds on")
PY
