"""Domain randomisation: 200 worlds with materials, friction and starts of their own, in one process.

`resile.run_many` makes the runs, each on one thread. A world depends only on the seed and its number, so a world of interest is
made again alone, to the bit.

    python randomise.py
"""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import NDArray

import resile

SCENE = resile.Scene.from_ron(
    """(
    version: 2,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3))},
    bodies: [(
        name: "cube", shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)), material: "rubber", friction: 0.5,
        placement: (rotate: [(axis: (0, 1, 0), degrees: 0)], translate: (0, 0.07, 0)), velocity: (1, 0, 0),
    )],
    gravity: (0, -9.81, 0),
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 1)],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
    integrator: ImplicitEuler,
    time: (step: "1/100", duration: 0.3),
    output: (formats: []),
)""",
    name="slide",
)


def parameters(number: int, seed: int = 0) -> dict[str, float]:
    """Random values of the scene of a world, by the paths of their fields."""
    generator = np.random.default_rng([seed, number])
    return {
        "materials.rubber.density": generator.uniform(800, 1200),
        "materials.rubber.model.young": 10 ** generator.uniform(4.5, 6),
        "bodies.cube.friction": generator.uniform(0.05, 0.9),
        "bodies.cube.placement.rotate[0].degrees": generator.uniform(0, 90),
        "bodies.cube.velocity[0]": generator.uniform(0.5, 2),
    }


def world(number: int, seed: int = 0) -> resile.Scene:
    """The scene of a world."""
    scene = copy.copy(SCENE)
    scene.update(parameters(number, seed))
    return scene


def distances(count: int, threads: int | None = None) -> NDArray[np.float64]:
    """How far (m) the cube of each world slides; NaN where a run failed."""
    runs = resile.run_many([world(number) for number in range(count)], threads=threads)
    slid = [np.nan if isinstance(run, Exception) else run.history["com_x"][-1] for run in runs]
    return np.array(slid)


if __name__ == "__main__":
    slid = distances(200)
    friction = np.array([parameters(number)["bodies.cube.friction"] for number in range(200)])
    speed = np.array([parameters(number)["bodies.cube.velocity[0]"] for number in range(200)])
    print(f"{np.isfinite(slid).sum()} of 200 worlds; the cubes slid {np.nanmin(slid):.3f} to {np.nanmax(slid):.3f} m")
    relative_distance = slid / (speed * 0.3)
    correlation = np.corrcoef(friction, relative_distance)[0, 1]
    print(f"correlation of friction and the distance over that without friction: {correlation:.2f}")
