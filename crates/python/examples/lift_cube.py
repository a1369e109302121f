"""A Gymnasium environment: two plates lift a soft cube.

The cube lies on a floor between two stiff plates. An action moves the plates; the cube comes along if they press it hard
enough, which friction decides. Each step of the environment is one step of `resile.Simulation` with targets for the plates.

    pip install gymnasium
    python lift_cube.py

* **action** (2,) in [-1, 1]: how the plates move: towards each other (at up to 0.1 m/s each), and up (at up to 0.2 m/s).
* **observation** (8,): half the distance between the plates (m), their height (m), position (m) and velocity (m/s) of the
  cube's centre of mass.
* **reward**: by how much the centre of mass rose in this step, in units of the height to which it is to be lifted: the rewards
  of an episode add up to 1 when the cube is there. A squeeze costs nothing; a cube that slips gives back what it earned.
* **terminated**: the centre of mass is `LIFT` above its start. **truncated**: after 150 steps (1.5 s), or if a step fails.
* **reset**: the cube is displaced by up to 5 mm between the plates, and its friction is drawn from [0.6, 1.0].
"""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

import resile

LIFT = 0.05  # height to lift the cube (m)
STEPS = 150
SPEEDS = np.array([0.1, 0.2])  # of the plates: inwards, upwards (m/s)
INNERMOST, OUTERMOST, HIGHEST = 0.045, 0.08, 0.12  # bounds of the plates (m)

SCENE = resile.Scene.from_ron(
    """(
    version: 2,
    materials: {"foam": (density: 200, model: NeoHookean(young: 5e4, poisson: 0.3))},
    bodies: [(
        name: "cube", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), material: "foam", friction: 0.8,
        placement: (translate: (0, 0.0505, 0)),
    )],
    gravity: (0, -9.81, 0),
    obstacles: [
        Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.3),
        Shape(name: "left", shape: Box(size: (0.01, 0.08, 0.12), cells: (1, 1, 1)), friction: 0.8,
            placement: (translate: (-0.065, 0.06, 0)), motion: Fixed),
        Shape(name: "right", shape: Box(size: (0.01, 0.08, 0.12), cells: (1, 1, 1)), friction: 0.8,
            placement: (translate: (0.065, 0.06, 0)), motion: Fixed),
    ],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
    integrator: ImplicitEuler,
    time: (step: "1/100", duration: 1.5),
)""",
    name="lift",
)


class LiftCube(gymnasium.Env[NDArray[np.float64], NDArray[np.float32]]):
    """Two plates that lift a soft cube; the text at the top of the file says what is observed and rewarded."""

    metadata = {"render_modes": []}

    def __init__(self) -> None:
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        low = [INNERMOST, 0.0, -1.0, -1.0, -1.0, -50.0, -50.0, -50.0]
        high = [OUTERMOST, HIGHEST, 1.0, 1.0, 1.0, 50.0, 50.0, 50.0]
        self.observation_space = spaces.Box(np.array(low), np.array(high), dtype=np.float64)
        self.simulation: resile.Simulation | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float64], dict[str, Any]]:
        super().reset(seed=seed)
        offset, friction = self.np_random.uniform(-0.005, 0.005), self.np_random.uniform(0.6, 1.0)
        scene = copy.copy(SCENE)
        scene.update(
            {
                "bodies.cube.placement.translate": (offset, 0.0505, 0),
                "bodies.cube.friction": friction,
                "obstacles.left.friction": friction,
                "obstacles.right.friction": friction,
            }
        )
        self.close()
        self.simulation = resile.Simulation(scene, threads=1)
        self.start = {side: self.simulation.positions(side) for side in ("left", "right")}
        self.mass = self.simulation.masses("cube")[:, None]
        self.inwards, self.upwards, self.steps = 0.0, 0.0, 0
        self.rest = self.height = self.centre("positions")[1]
        return self.observation(), {"friction": friction}

    def step(
        self, action: NDArray[np.float32]
    ) -> tuple[NDArray[np.float64], float, bool, bool, dict[str, Any]]:
        assert self.simulation is not None, "call reset() first"
        inward_step, upward_step = np.clip(np.asarray(action, dtype=float), -1, 1) * SPEEDS * self.simulation.h
        self.inwards = float(np.clip(self.inwards + inward_step, 0.06 - OUTERMOST, 0.06 - INNERMOST))
        self.upwards = float(np.clip(self.upwards + upward_step, 0, HIGHEST - 0.06))
        for side, sign in (("left", 1), ("right", -1)):
            self.simulation.set_targets(side, self.start[side] + [sign * self.inwards, self.upwards, 0])
        failure = None
        try:
            self.simulation.step()
        except resile.StepError as error:
            failure = str(error)
        self.steps += 1
        before, self.height = self.height, self.centre("positions")[1]
        terminated = bool(self.height - self.rest > LIFT)
        truncated = self.steps >= STEPS or failure is not None
        info = {"failure": failure} if failure else {}
        return self.observation(), float((self.height - before) / LIFT), terminated, truncated, info

    def close(self) -> None:
        if self.simulation is not None:
            self.simulation.close()
            self.simulation = None

    def centre(self, quantity: str) -> NDArray[np.float64]:
        """Mean of the `positions` (m) or `velocities` (m/s) of the cube, weighted by mass."""
        values: NDArray[np.float64] = getattr(self.simulation, quantity)("cube")
        return np.asarray((self.mass * values).sum(axis=0) / self.mass.sum())

    def observation(self) -> NDArray[np.float64]:
        """The observation (8,) of the present state."""
        plates = [0.06 - self.inwards, 0.06 + self.upwards]
        return np.concatenate([plates, self.centre("positions"), self.centre("velocities")])


def script(step: int) -> NDArray[np.float32]:
    """Action of a step: presses for 20 steps, then lifts."""
    return np.array([1, 0] if step < 20 else [0, 0.5], dtype=np.float32)


if __name__ == "__main__":
    env = LiftCube()
    observation, info = env.reset(seed=0)
    rewards, done = 0.0, False
    while not done:
        observation, reward, terminated, truncated, info = env.step(script(env.steps))
        rewards, done = rewards + reward, terminated or truncated
    print(f"{env.steps} steps, reward {rewards:.3f}, height {observation[3]:.3f} m, {'lifted' if terminated else 'not lifted'}")
    env.close()
