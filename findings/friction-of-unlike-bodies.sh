#!/usr/bin/env bash
# Friction of two unlike bodies: MuJoCo, Newton, Drake, DART and PyBullet make six coefficients of the same two.
#
# Each body has its own coefficient; a block of coefficient a that slides on a plate of coefficient b is braked with
#     PyBullet a b,   DART min(a, b),   Drake 2 a b / (a + b),   Newton, SolverVBD sqrt(a b),   Newton, SolverXPBD (a + b) / 2,
#     MuJoCo max(a, b)
# times its weight. For 0.8 on 0.2 these are 0.16, 0.2, 0.32, 0.4, 0.5 and 0.8. A plate without friction brakes in MuJoCo with 0.8 and in
# SolverXPBD with 0.4. Bodies of equal coefficients agree except in PyBullet, where 0.5 on 0.5 is 0.25. So a comparison of
# engines with one coefficient in the scene, the usual one, does not show it, nor does a change of Newton's solver.
# Source: mujoco 4.0.0, pybullet 3.2.7, drake 1.51.1, dartpy 6.20.0, newton 1.8.0 with warp-lang 1.19.0 (on the processor) from PyPI.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check numpy==2.4.6 mujoco==4.0.0 pybullet==3.2.7 drake==1.51.1 dartpy==6.20.0 \
    newton==1.8.0 warp-lang==1.19.0
WARP_CACHE_PATH="$place/cache" "$place/env/bin/python" - 2>/dev/null <<'PY' | grep -v '^Module\|^Warp\|^   '
import numpy as np

GRAVITY, SPEED, STEP, SETTLE, SLIDE = 10.0, 4.0, 1e-3, 500, 200
HALF, MASS = (0.5, 0.5, 0.02), 1.0  # a flat block; in MuJoCo and Drake two joints keep it from turning


def coefficient(before, after):
    return (before - after) / (SLIDE * STEP) / GRAVITY


def with_mujoco(block, ground):
    import mujoco

    model = mujoco.MjModel.from_xml_string(f"""<mujoco>
      <option timestep="{STEP}" gravity="0 0 {-GRAVITY}" cone="elliptic"/>
      <worldbody>
        <geom type="plane" size="40 40 1" friction="{ground}"/>
        <body pos="0 0 {HALF[2]}"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
          <geom type="box" size="{HALF[0]} {HALF[1]} {HALF[2]}" friction="{block}" mass="{MASS}"/></body>
      </worldbody>
    </mujoco>""")
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, SETTLE)
    data.qvel[0] = SPEED
    mujoco.mj_step(model, data, SLIDE)
    before = data.qvel[0]
    mujoco.mj_step(model, data, SLIDE)
    return coefficient(before, data.qvel[0])


def with_pybullet(block, ground):
    import pybullet as p

    def steps():
        for _ in range(SLIDE):
            p.stepSimulation()

    p.connect(p.DIRECT)
    p.setGravity(0, 0, -GRAVITY)
    p.setPhysicsEngineParameter(fixedTimeStep=STEP)
    plate = p.createMultiBody(0, p.createCollisionShape(p.GEOM_BOX, halfExtents=[40, 40, 1]), basePosition=[0, 0, -1])
    body = p.createMultiBody(MASS, p.createCollisionShape(p.GEOM_BOX, halfExtents=HALF), basePosition=[0, 0, HALF[2]])
    p.changeDynamics(plate, -1, lateralFriction=ground)
    p.changeDynamics(body, -1, lateralFriction=block, linearDamping=0, angularDamping=0)
    steps()
    p.resetBaseVelocity(body, [SPEED, 0, 0], [0, 0, 0])
    steps()
    before = p.getBaseVelocity(body)[0][0]
    steps()
    after = p.getBaseVelocity(body)[0][0]
    p.disconnect()
    return coefficient(before, after)


def with_drake(block, ground):
    from pydrake.all import (AddMultibodyPlantSceneGraph, Box, CoulombFriction, DiagramBuilder, PrismaticJoint,
                             RigidTransform, Simulator, SpatialInertia, UnitInertia)

    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, STEP)
    plant.mutable_gravity_field().set_gravity_vector([0, 0, -GRAVITY])
    slider, body = (plant.AddRigidBody(name, SpatialInertia(mass, [0, 0, 0], UnitInertia.SolidBox(1, 1, 1)))
                    for name, mass in (("slider", 1e-6), ("block", MASS)))
    along = plant.AddJoint(PrismaticJoint("x", plant.world_frame(), slider.body_frame(), [1, 0, 0]))
    up = plant.AddJoint(PrismaticJoint("z", slider.body_frame(), body.body_frame(), [0, 0, 1]))
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform([0, 0, -1]), Box(80, 80, 2), "plate",
                                    CoulombFriction(ground, ground))
    plant.RegisterCollisionGeometry(body, RigidTransform(), Box(*(2 * np.array(HALF))), "block",
                                    CoulombFriction(block, block))
    plant.Finalize()
    simulator = Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    up.set_translation(context, HALF[2])
    simulator.AdvanceTo(SETTLE * STEP)
    along.set_translation_rate(context, SPEED)
    simulator.AdvanceTo((SETTLE + SLIDE) * STEP)
    before = along.get_translation_rate(context)
    simulator.AdvanceTo((SETTLE + 2 * SLIDE) * STEP)
    return coefficient(before, along.get_translation_rate(context))


def with_dart(block, ground):
    import dartpy

    world = dartpy.World() if hasattr(dartpy, "World") else dartpy.simulation.World()
    dynamics = getattr(dartpy, "dynamics", dartpy)
    world.setGravity([0, 0, -GRAVITY])
    world.setTimeStep(STEP)

    def add(name, half, height, friction, free):
        skeleton = dynamics.Skeleton(name)
        joint, body = skeleton.createFreeJointAndBodyNodePair() if free else skeleton.createWeldJointAndBodyNodePair()
        shape = body.createShapeNode(dynamics.BoxShape(2 * np.array(half)))
        shape.createCollisionAspect()
        shape.createDynamicsAspect()
        shape.getDynamicsAspect().setFrictionCoeff(friction)
        if free:
            skeleton.setPositions([0, 0, 0, 0, 0, height])
        else:
            place = dartpy.math.Isometry3()
            place.set_translation([0, 0, height])
            joint.setTransformFromParentBodyNode(place)
        world.addSkeleton(skeleton)
        return skeleton

    add("plate", (40, 40, 1), -1, ground, False)
    body = add("block", HALF, HALF[2], block, True)
    for _ in range(SETTLE):
        world.step()
    body.setVelocities([0, 0, 0, SPEED, 0, 0])
    speeds = []
    for _ in range(2):
        for _ in range(SLIDE):
            world.step()
        speeds.append(body.getVelocities()[3])
    return coefficient(*speeds)


def with_newton(solver, block, ground):
    import warp as wp

    wp.config.quiet = True
    import newton

    stiff = dict(ke=1e4, kd=200.0, kf=1e4)
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, -GRAVITY))
    config = newton.ModelBuilder.ShapeConfig
    builder.add_ground_plane(cfg=config(mu=ground, **stiff))
    body = builder.add_body(xform=wp.transform((0.0, 0.0, HALF[2]), wp.quat_identity()))
    builder.add_shape_box(body, hx=HALF[0], hy=HALF[1], hz=HALF[2], cfg=config(mu=block, density=float(MASS / (8 * np.prod(HALF))), **stiff))
    builder.color()
    model = builder.finalize(device="cpu")
    method, control = getattr(newton.solvers, solver)(model), model.control()
    pipeline = newton.CollisionPipeline(model)
    contacts, states = pipeline.contacts(), [model.state(), model.state()]

    def advance(steps):
        for _ in range(steps):
            states[0].clear_forces()
            pipeline.collide(states[0], contacts)
            method.step(states[0], states[1], control, contacts, STEP)
            states.reverse()
        return float(states[0].body_qd.numpy()[0, 0])

    advance(SETTLE)
    states[0].body_qd.assign(np.array([[SPEED, 0, 0, 0, 0, 0]], np.float32))
    return coefficient(advance(SLIDE), advance(SLIDE))


ENGINES = {  # name, friction of the pair (a, b)
    "PyBullet": (with_pybullet, "a b", lambda a, b: a * b),
    "DART": (with_dart, "min(a, b)", min),
    "Drake": (with_drake, "2 a b / (a + b)", lambda a, b: 2 * a * b / (a + b)),
    "Newton, SolverVBD": (lambda *pair: with_newton("SolverVBD", *pair), "sqrt(a b)", lambda a, b: np.sqrt(a * b)),
    "Newton, SolverXPBD": (lambda *pair: with_newton("SolverXPBD", *pair), "(a + b) / 2", lambda a, b: (a + b) / 2),
    "MuJoCo": (with_mujoco, "max(a, b)", max),
}
PAIRS = (0.5, 0.5), (0.8, 0.2), (0.8, 0.0)
for name, (measure, law, expected) in ENGINES.items():
    found = [measure(*pair) for pair in PAIRS]
    print(f"{name:18}  " + "  ".join(f"{pair}: {value:.3f}" for pair, value in zip(PAIRS, found)) + f"  {law}", flush=True)
    assert np.allclose(found, [expected(*pair) for pair in PAIRS], atol=0.03), "the finding is out of date"
print("holds: six combinations of the same two coefficients")
PY
