#!/usr/bin/env bash
# PyBullet: with n substeps the reported contact, friction and motor forces are the true ones divided by n.
#
# `numSubSteps` of `setPhysicsEngineParameter` subdivides each step, for accuracy. The impulses of the last substep are then divided by the
# whole step: a body with a weight of 20 N that rests on the ground reports 10 N for two substeps, 5 N for four, 2 N for ten. So do
# the friction of a sliding body and the torque of a motor that holds a lever. The motion is right: the body slides with the
# acceleration that the true friction gives, and the force sensor of the joint reports the whole weight. A study of substeps
# thus shows contact forces that converge to nothing, and the limit of a gripper force is met n times too late.
# Source: pybullet 3.2.7 from PyPI, `getContactPoints`, `getJointState`.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check pybullet==3.2.7 numpy==2.4.6
"$place/env/bin/python" - 2>/dev/null <<'PY'
import numpy as np
import pybullet as p

STEP, MASS, GRAVITY, PUSH, FRICTION, ARM = 0.01, 2.0, 10.0, 8.0, 0.2, 0.5
WEIGHT = MASS * GRAVITY


def start(substeps):
    p.connect(p.DIRECT)
    p.setGravity(0, 0, -GRAVITY)
    p.setPhysicsEngineParameter(fixedTimeStep=STEP, numSubSteps=substeps)


def cube(substeps):
    """Normal force at rest; friction and acceleration of the pushed cube."""
    start(substeps)
    ground = p.createMultiBody(0, p.createCollisionShape(p.GEOM_BOX, halfExtents=[5, 5, 1]), basePosition=[0, 0, -1])
    body = p.createMultiBody(MASS, p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.5] * 3), basePosition=[0, 0, 0.5])
    p.changeDynamics(body, -1, lateralFriction=1.0, linearDamping=0, angularDamping=0)
    p.changeDynamics(ground, -1, lateralFriction=FRICTION)
    for _ in range(300):
        p.stepSimulation()
    normal = sum(contact[9] for contact in p.getContactPoints(body, ground))
    before = p.getBaseVelocity(body)[0][0]
    for _ in range(50):
        p.applyExternalForce(body, -1, [PUSH, 0, 0], p.getBasePositionAndOrientation(body)[0], p.WORLD_FRAME)
        p.stepSimulation()
    after = p.getBaseVelocity(body)[0][0]
    sides = [np.array(c[11]) * c[10] + np.array(c[13]) * c[12] for c in p.getContactPoints(body, ground)]
    p.disconnect()
    return normal, np.linalg.norm(sum(sides)), (after - before) / (50 * STEP)


def lever(substeps):
    """Torque of the motor that holds a horizontal lever, and the vertical force of the sensor in its joint."""
    start(substeps)
    body = p.createMultiBody(
        0, -1, -1, [0, 0, 1], linkMasses=[MASS], linkCollisionShapeIndices=[p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)],
        linkVisualShapeIndices=[-1], linkPositions=[[0, 0, 0]], linkOrientations=[[0, 0, 0, 1]],
        linkInertialFramePositions=[[ARM, 0, 0]], linkInertialFrameOrientations=[[0, 0, 0, 1]], linkParentIndices=[0],
        linkJointTypes=[p.JOINT_REVOLUTE], linkJointAxis=[[0, 1, 0]])
    p.setJointMotorControl2(body, 0, p.POSITION_CONTROL, targetPosition=0, force=1000)
    p.enableJointForceTorqueSensor(body, 0, True)
    for _ in range(300):
        p.stepSimulation()
    _, _, reaction, torque = p.getJointState(body, 0)
    p.disconnect()
    return abs(torque), reaction[2]


friction = FRICTION * WEIGHT
acceleration = (PUSH - friction) / MASS
for substeps in (1, 2, 4, 10):
    normal, side, accelerated = cube(substeps)
    torque, reaction = lever(substeps)
    print(f"{substeps:2} substeps: normal force {normal:6.3f} of {WEIGHT:g}, friction {side:5.3f} of {friction:g}, "
          f"acceleration {accelerated:.3f} of {acceleration:g}; motor torque {torque:6.3f} of {WEIGHT * ARM:g}, "
          f"sensor {reaction:.3f} of {WEIGHT:g}")
    assert np.isclose(accelerated, acceleration, rtol=1e-3) and np.isclose(reaction, WEIGHT, rtol=1e-3)
    reported, true = np.array([normal, side, torque]), np.array([WEIGHT, friction, WEIGHT * ARM])
    assert np.allclose(reported * substeps, true, rtol=1e-3), "the finding is out of date"
print("holds: reported forces are divided by the number of substeps")
PY
