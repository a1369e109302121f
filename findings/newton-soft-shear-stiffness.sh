#!/usr/bin/env bash
# Newton: one `k_mu` of a tetrahedron is a different shear modulus in each solver, and in SolverXPBD it is none for small shear.
#
# The documentation calls `k_mu` and `k_lambda` the Lame parameters of the element, in Pa, whatever the solver. A tetrahedron is
# held at its base and pushed sideways at its tip. By linear elasticity the tip moves by force * height^2 / (k_mu * volume). It
# does with SolverVBD. With SolverSemiImplicit it moves by 4/3 of that, because k_mu enters the stable Neo-Hookean energy
# unconverted: the shear modulus is 3/4 k_mu. With SolverXPBD it moves by 0.135 in place of 0.001, and by 0.288 in place of 0.01.
# It is at rest where the energy
#     volume / 2 (k_mu (tr(F^T F) - 3)^2 + k_lambda (det F - 1)^2)
# balances the force. Shear enters that energy with the fourth power only, so for small strains the body resists changes of
# volume alone, as a liquid does. Sag, frequencies and grips that were tuned with one solver do not carry over to another.
# Source: newton 1.8.0 with warp-lang 1.19.0 from PyPI, on the processor; `ModelBuilder.add_tetrahedron`, `Model.tet_materials`.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check newton==1.8.0 warp-lang==1.19.0 numpy==2.4.6
WARP_CACHE_PATH="$place/cache" "$place/env/bin/python" - <<'PY'
import numpy as np
import warp as wp

wp.config.quiet = True
import newton
from newton.solvers import SolverSemiImplicit, SolverVBD, SolverXPBD

MODULUS, VOLUME = 1e4, 1 / 6  # both Lame parameters, a corner of the unit cube
CORNERS = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
SOLVERS = {  # constructor, step, number of steps, damping
    "SolverVBD": (lambda model: SolverVBD(model, iterations=20), 1 / 60, 300, 0.0),
    "SolverSemiImplicit": (SolverSemiImplicit, 1e-3, 3000, 200.0),
    "SolverXPBD": (lambda model: SolverXPBD(model, iterations=20), 1 / 60, 1500, 0.0),
}


def moved(solver, force):
    """Displacement of the tip at rest under a force along x."""
    make, step, steps, damping = SOLVERS[solver]
    builder = newton.ModelBuilder(gravity=wp.vec3(0.0, 0.0, 0.0))
    for k, corner in enumerate(CORNERS):
        builder.add_particle(wp.vec3(*corner), wp.vec3(0.0, 0.0, 0.0), float(k == 3), radius=1e-3)
    builder.add_tetrahedron(0, 1, 2, 3, k_mu=MODULUS, k_lambda=MODULUS, k_damp=damping)
    builder.color()
    model = builder.finalize()
    running, state, following, control = make(model), model.state(), model.state(), model.control()
    forces = np.zeros((4, 3), np.float32)
    forces[3, 0] = force
    for _ in range(steps):
        state.clear_forces()
        state.particle_f.assign(forces)
        running.step(state, following, control, None, step)
        state, following = following, state
    assert np.abs(state.particle_qd.numpy()).max() < 1e-3, "the tip is not at rest"
    return state.particle_q.numpy()[3].astype(float) - CORNERS[3]


for solver in SOLVERS:
    for linear in (1e-3, 1e-2):
        force = linear * MODULUS * VOLUME
        x, _, z = moved(solver, force)
        print(f"{solver}: the tip moves by {x:.5f}, {x / linear:.2f} times what linear elasticity gives with k_mu")
        if solver == "SolverVBD":
            assert np.isclose(x / linear, 1, rtol=0.01), "the shear modulus of SolverVBD has changed"
        elif solver == "SolverSemiImplicit":
            assert np.isclose(x / linear, 4 / 3, rtol=0.01), "the shear modulus of SolverSemiImplicit has changed"
        else:
            # F has the last column (x, 0, 1 + z), so tr(F^T F) - 3 = stretch and det F - 1 = z.
            stretch = x**2 + (1 + z) ** 2 - 1
            pull = VOLUME * np.array([2 * MODULUS * stretch * x, 2 * MODULUS * stretch * (1 + z) + MODULUS * z])
            print(f"    derivative of the energy over the force, along and across it: {pull / force}")
            assert np.allclose(pull / force, [1, 0], atol=0.02) and x / linear > 20, "SolverXPBD has changed"
print("holds: the shear modulus is k_mu in SolverVBD, 3/4 k_mu in SolverSemiImplicit, 0 in SolverXPBD")
PY
