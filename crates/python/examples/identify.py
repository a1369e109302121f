"""Recovers Young's modulus and the coefficient of friction of a cube from a recording of its motion.

A rubber cube is thrown onto a floor, on which it bounces and slides. The recording is made here, with the true values and with
measurement noise: positions of the eight corners, 50 times a second. Optuna's TPE sampler then looks for the
values of which a simulation comes nearest to it. The seed is fixed, so every run prints the same.

    pip install optuna
    python identify.py
"""

from __future__ import annotations

import copy

import numpy as np
import optuna
from numpy.typing import NDArray

import resile

TRUE = {"young": 4e4, "friction": 0.35}
NOISE = 0.5e-3  # standard deviation of a measured coordinate (m)

SCENE = resile.Scene.from_ron(
    """(
    version: 2,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3))},
    bodies: [(
        name: "cube", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), material: "rubber", friction: 0.5,
        placement: (translate: (0, 0.07, 0)), velocity: (1.2, -1, 0),
    )],
    gravity: (0, -9.81, 0),
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.5)],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min),
    integrator: ImplicitEuler,
    time: (step: "1/200", duration: 0.4),
)""",
    name="thrown cube",
)


def motion(young: float, friction: float) -> NDArray[np.float64]:
    """Positions (m) of the corners of the cube, (frames, 8, 3), 50 a second.

    `young` is Young's modulus (Pa), `friction` the coefficient.
    """
    scene = copy.copy(SCENE)
    scene.update({"materials.rubber.model.young": young, "bodies.cube.friction": friction})
    with resile.Simulation(scene, threads=1) as simulation:
        rest = simulation.positions("cube")
        is_corner = np.isclose(np.abs(rest - rest.mean(axis=0)), 0.05).all(axis=1)
        frames = []
        for _ in range(20):
            simulation.step(4)
            frames.append(simulation.positions("cube")[is_corner])
    return np.array(frames)


def recording() -> NDArray[np.float64]:
    """The measured motion."""
    exact = motion(**TRUE)
    return exact + np.random.default_rng(1).normal(scale=NOISE, size=exact.shape)


def identify(measured: NDArray[np.float64], seed: int = 0) -> tuple[dict[str, float], float]:
    """The parameters that explain the measured motion, and how far (m, root mean square) it is from theirs.

    40 trials over wide ranges find the neighbourhood, 40 more search it.
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    best = search(measured, {"young": (1e4, 2e5), "friction": (0.0, 1.0)}, 40, seed).best_params
    young, friction = best["young"], best["friction"]
    narrow_ranges = {"young": (0.5 * young, 2 * young), "friction": (0.9 * friction, 1.1 * friction)}
    study = search(measured, narrow_ranges, 40, seed + 1)
    return study.best_params, study.best_value


def search(
    measured: NDArray[np.float64], ranges: dict[str, tuple[float, float]], trials: int, seed: int
) -> optuna.Study:
    """The study of a number of trials with parameters in these ranges."""

    def distance(trial: optuna.Trial) -> float:
        young = trial.suggest_float("young", *ranges["young"], log=True)
        friction = trial.suggest_float("friction", *ranges["friction"])
        return float(np.sqrt(np.mean((motion(young, friction) - measured) ** 2)))

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(distance, n_trials=trials)
    return study


if __name__ == "__main__":
    found, distance = identify(recording())
    for name, true in TRUE.items():
        print(f"{name}: {found[name]:.4g}, truly {true:.4g}")
    print(f"distance {distance * 1e3:.3f} mm, noise {NOISE * 1e3:.3f} mm")
