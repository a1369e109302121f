#!/usr/bin/env bash
# Newton: `edge_ke`, the bending stiffness of cloth, has another unit in each solver: 1 cm triangles bend 100 or 10000 times as easily.
#
# Two triangles share an edge of length l; one is held, the free corner of the other, at a height h above the edge, is pushed out of
# the plane. The moment about the edge divided by the angle is
#     SolverVBD            edge_ke l        (edge_ke in N)
#     SolverXPBD           edge_ke l h      (in N/m)
#     SolverSemiImplicit   edge_ke l^2 h    (in N/m^2)
# All three agree for triangles of 1 m. For those of 1 cm the same edge_ke gives 1e-2, 1e-4 and 1e-6 N m. The documentation names
# no unit and refers to the discrete shells of Grinspun et al. 2003, whose moment is proportional to l / h, as that of a plate is. No
# solver has it, so a finer mesh of the same sheet is softer in all of them.
# Source: newton 1.8.0 with warp-lang 1.19.0 from PyPI, on the processor; `ModelBuilder.add_edge`.
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

STIFFNESS, ANGLE, RATE = 1.0, 0.05, 10.0  # edge_ke, angle to reach, angular frequency of the hinge
SOLVERS = {  # constructor, step, number of steps, moment per angle for an edge of length l and corners at a height h
    "SolverVBD": (lambda model: SolverVBD(model, iterations=50), 0.05, 400, lambda l, h: STIFFNESS * l),
    "SolverXPBD": (lambda model: SolverXPBD(model, iterations=20), 0.05, 400, lambda l, h: STIFFNESS * l * h),
    "SolverSemiImplicit": (SolverSemiImplicit, 2e-3, 3000, lambda l, h: STIFFNESS * l**2 * h),
}


def stiffness(solver, l, h):
    """Moment about the edge over the angle, at rest."""
    make, step, steps, expected = SOLVERS[solver]
    force = expected(l, h) * ANGLE / h
    mass = expected(l, h) / (h * RATE) ** 2
    builder = newton.ModelBuilder(gravity=wp.vec3(0.0, 0.0, 0.0))
    for k, corner in enumerate([(l / 2, -h, 0.0), (l / 2, h, 0.0), (0.0, 0.0, 0.0), (l, 0.0, 0.0)]):
        # A radius below the distances: particles would push each other apart.
        builder.add_particle(wp.vec3(*corner), wp.vec3(0.0, 0.0, 0.0), mass if k == 1 else 0.0, radius=1e-3 * h)
    for end in (2, 3):  # two stiff springs keep the lengths of the sides
        builder.add_spring(1, end, 50 * mass * RATE**2, 2 * mass * RATE, 0)
    builder.add_edge(0, 1, 2, 3, edge_ke=STIFFNESS, edge_kd=0.0)
    builder.color(include_bending=True)
    model = builder.finalize()
    running, state, following, control = make(model), model.state(), model.state(), model.control()
    forces = np.zeros((4, 3), np.float32)
    forces[1, 2] = force
    # The explicit solver needs a drag to come to rest; at rest it is zero.
    drag = 0.5 * mass * RATE if solver == "SolverSemiImplicit" else 0.0
    for _ in range(steps):
        state.clear_forces()
        state.particle_f.assign(forces - drag * state.particle_qd.numpy())
        running.step(state, following, control, None, step)
        state, following = following, state
    _, y, z = state.particle_q.numpy()[1].astype(float)
    assert np.isclose(np.hypot(y, z), h, rtol=0.01), "the corner has left its circle"
    return force * y / np.arctan2(z, y)


for l, h in ((1.0, 1.0), (0.01, 0.01), (0.02, 0.01)):
    for solver in SOLVERS:
        found, expected = stiffness(solver, l, h), SOLVERS[solver][3](l, h)
        print(f"edge {l} m, height {h} m, {solver}: {found:.4g} N m per radian")
        assert np.isclose(found, expected, rtol=0.01), f"the bending stiffness of {solver} has changed from {expected}"
print("holds: edge_ke is multiplied by l, l h or l^2 h")
PY
