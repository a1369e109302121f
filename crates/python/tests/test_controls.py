"""Targets and forces that are set from step to step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import resile

RAM = """(
    version: 2,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3))},
    bodies: [(
        name: "block", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), material: "rubber", friction: 0.4,
        hold: [(region: Plane(point: (0.049, 0, 0), normal: (1, 0, 0)), motion: Fixed)],
    )],
    gravity: (0, 0, 0),
    obstacles: [Shape(
        name: "ram", shape: Box(size: (0.02, 0.2, 0.2), cells: (1, 1, 1)), friction: 0.4,
        placement: (translate: (-0.065, 0, 0)), motion: Move(velocity: (0.1, 0, 0)),
    )],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ImplicitEuler,
    time: (step: "1/100", duration: 0.2),
)"""
FREE = """(
    version: 2,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3))},
    bodies: [(name: "block", shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)), material: "rubber")],
    gravity: (0, -10, 0),
    contact: Off,
    integrator: ImplicitEuler,
    time: (step: "1/100", duration: 0.2),
)"""


def ram(integrator: str = "ImplicitEuler", moves: bool = True) -> resile.Scene:
    scene = resile.Scene.from_ron(RAM, name="ram")
    scene["integrator"] = integrator
    if not moves:
        scene["obstacles.ram.motion"] = "Fixed"
    return scene


def advance(simulation: resile.Simulation, start: NDArray[np.float64], last: int) -> None:
    """Moves the ram as the scene does, up to this step."""
    while simulation.steps < last:
        simulation.set_targets("ram", start + [0.1 * simulation.h * (simulation.steps + 1), 0, 0])
        simulation.step()


@pytest.mark.parametrize("integrator", ["ImplicitEuler", "Bdf2", "TrBdf2", "ASearch()"])
def test_targets_move_an_obstacle_as_a_motion_in_the_scene_does(integrator: str) -> None:
    scripted = resile.Simulation(ram(integrator), threads=1)
    driven = resile.Simulation(ram(integrator, moves=False), threads=1)
    scripted.step(20)
    advance(driven, driven.positions("ram"), 20)
    assert np.allclose(driven.positions("ram"), scripted.positions("ram"), rtol=0, atol=1e-12)
    off = np.abs(driven.positions("block") - scripted.positions("block")).max()
    moved = np.abs(scripted.positions("block") - resile.Simulation(ram()).positions("block")).max()
    # The work of the ram is the same, too: both presses are one up to the tolerance of the solver.
    assert moved > 2e-3 and off < 1e-3 * moved, (off, moved)
    work = [simulation.energies()["work"] for simulation in (scripted, driven)]
    assert work[0] > 0 and np.isclose(work[0], work[1], rtol=1e-2)


def test_targets_move_held_nodes_and_only_these() -> None:
    simulation = resile.Simulation(ram(moves=False), threads=1)
    start = simulation.positions("block")
    held = start[:, 0] > 0.049
    for step in range(1, 11):
        simulation.set_targets("block", start + [0, 0.001 * step, 0])
        simulation.step()
    assert np.allclose(simulation.positions("block")[held], start[held] + [0, 0.01, 0], rtol=0, atol=1e-12)
    free = simulation.positions("block")[~held] - start[~held]
    assert (free[:, 1] < 0.01).any() and (free[:, 1] > 0).any()
    simulation.step(5)
    assert np.allclose(simulation.positions("block")[held], start[held] + [0, 0.01, 0], rtol=0, atol=1e-12)


def test_what_targets_moved_stays_there_in_a_loaded_state() -> None:
    simulation = resile.Simulation(ram(moves=False), threads=1)
    start = simulation.positions("ram")
    advance(simulation, start, 8)
    saved, at = simulation.save(), simulation.positions("ram")
    advance(simulation, start, 14)
    end = simulation.positions("block")
    simulation.load(saved)
    other = simulation.copy()
    for again in (simulation, other):
        assert np.array_equal(again.positions("ram"), at)
        advance(again, start, 14)
        assert np.array_equal(again.positions("block"), end), "a one-step method goes on to the bit"
    simulation.load(saved)
    simulation.step(3)
    assert np.array_equal(simulation.positions("ram"), at)


def test_a_loaded_start_moves_as_the_scene_says() -> None:
    simulation = resile.Simulation(ram(), threads=1)
    saved, start = simulation.save(), simulation.positions("ram")
    simulation.set_targets("ram", start)
    simulation.step(3)
    simulation.load(saved)
    simulation.step(20)
    scripted = resile.Simulation(ram(), threads=1)
    scripted.step(20)
    assert np.array_equal(simulation.positions("block"), scripted.positions("block"))


def test_an_obstacle_that_cannot_get_there_leaves_the_state_as_it_was() -> None:
    simulation = resile.Simulation(ram(moves=False), threads=1)
    before = simulation.positions("block")
    start = simulation.positions("ram")
    simulation.set_targets("ram", start + [0.3, 0, 0])
    with pytest.raises(resile.StepError):
        simulation.step()
    assert np.array_equal(simulation.positions("block"), before)
    simulation.set_targets("ram", start + [0.001, 0, 0])
    simulation.step()
    assert simulation.steps == 1


@pytest.mark.parametrize("integrator", ["ImplicitEuler", "Bdf2", "ASearch()"])
def test_forces_balance_weight(integrator: str) -> None:
    scene = resile.Scene.from_ron(FREE, name="free")
    scene["integrator"] = integrator
    simulation = resile.Simulation(scene, threads=1)
    start, mass = simulation.positions("block"), simulation.masses("block")
    simulation.set_forces("block", mass[:, None] * [0, 10, 0])
    simulation.step(10)
    assert np.allclose(simulation.positions("block"), start, rtol=0, atol=1e-9)


def test_forces_give_a_free_body_their_impulse_and_their_work_is_booked() -> None:
    scene = resile.Scene.from_ron(FREE, name="free")
    scene["gravity"] = (0, 0, 0)
    simulation = resile.Simulation(scene, threads=1)
    mass = simulation.masses("block")[:, None]
    impulse = 0.0
    for step in range(10):
        force = 3.0 * (step + 1)
        simulation.set_forces("block", mass / mass.sum() * [force, 0, 0])
        simulation.step()
        impulse += force * simulation.h
    assert np.isclose((mass * simulation.velocities("block")).sum(axis=0)[0], impulse, rtol=1e-9)
    # Implicit Euler loses h f v / 2 of each step, so heat with the opposite sign is the work of v at the end of steps.
    energies = simulation.energies()
    assert energies["dissipated"] < 0
    assert energies["kinetic"] <= -energies["dissipated"] < 1.3 * energies["kinetic"]
    simulation.set_forces("block", np.zeros((8, 3)))
    before = simulation.velocities("block")
    simulation.step(3)
    assert np.allclose(simulation.velocities("block"), before, rtol=1e-9)


def test_forces_and_the_hand_act_together_and_end_apart() -> None:
    scene = resile.Scene.from_ron(FREE, name="free")
    scene["gravity"] = (0, 0, 0)
    mass = resile.Simulation(scene).masses("block")[:, None]

    def steps(push: bool, pull: bool) -> NDArray[np.float64]:
        simulation = resile.Simulation(scene, threads=1)
        place = simulation.points("block")[0]
        if pull:
            simulation.pull("block", 0, place)
        if push:
            simulation.set_forces("block", mass * [1, 0, 0])
        simulation.step(3)
        if pull:
            simulation.let_go()
        before = simulation.velocities("block")
        simulation.step(3)
        gained: NDArray[np.float64] = (mass * (simulation.velocities("block") - before)).sum(axis=0)
        return gained

    # What is left after the hand let go is the force alone: 1 N for 0.03 s.
    assert np.allclose(steps(push=True, pull=True), [0.03, 0, 0], atol=1e-9)
    assert np.allclose(steps(push=False, pull=True), 0, atol=1e-9)


@pytest.mark.parametrize(
    ("call", "about"),
    [
        (lambda s: s.set_targets("block", np.zeros((3, 3))), "shape"),
        (lambda s: s.set_targets("ram", np.full((4, 3), np.nan)), "finite"),
        (lambda s: s.set_forces("block", np.full((27, 3), np.inf)), "finite"),
        (lambda s: s.set_forces("block", [1, 2, 3]), "shape"),
        (lambda s: s.set_forces("ram", np.zeros((4, 3))), "prescribed"),
    ],
)
def test_wrong_controls_are_refused(call: Any, about: str) -> None:
    simulation = resile.Simulation(ram(), threads=1)
    with pytest.raises(resile.ArgumentError, match=about):
        call(simulation)
    simulation.step()
    free = resile.Simulation(resile.Scene.from_ron(FREE, name="free"), threads=1)
    with pytest.raises(resile.ArgumentError, match="no node of \"block\""):
        free.set_targets("block", free.positions("block"))
    with pytest.raises(resile.UnknownNameError):
        free.set_forces("rock", np.zeros((8, 3)))
    free.close()
    with pytest.raises(resile.ClosedError):
        free.set_forces("block", np.zeros((8, 3)))
