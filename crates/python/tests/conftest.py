"""Scenes that tests share."""

from __future__ import annotations

import pytest

import resile

CUBES = """(
    version: 2,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3))},
    bodies: [
        (name: "lower", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), material: "rubber", friction: 0.4,
         placement: (translate: (0, 0.06, 0))),
        // Falls onto the first.
        (name: "upper", shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)), material: "rubber", friction: 0.4,
         placement: (translate: (0.01, 0.18, 0.02))),
    ],
    gravity: (0, -9.81, 0),
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.4)],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ASearch(),
    time: (step: "1/100", duration: 0.2),
)"""


@pytest.fixture
def scene() -> resile.Scene:
    """Two small cubes that fall: 20 steps."""
    return resile.Scene.from_ron(CUBES, name="cubes")
