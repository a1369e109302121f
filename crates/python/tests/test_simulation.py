"""Stepping from Python."""

from __future__ import annotations

import copy
import gc
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import resile


def state(simulation: resile.Simulation) -> bytes:
    arrays = [simulation.positions(body) for body in simulation.bodies]
    arrays += [simulation.velocities(body) for body in simulation.bodies]
    return b"".join(array.tobytes() for array in arrays)


def test_steps_move_what_falls(scene: resile.Scene) -> None:
    simulation = resile.Simulation(scene)
    assert simulation.bodies == ["lower", "upper"]
    assert (simulation.steps, simulation.time, simulation.steps_asked) == (0, 0.0, 20)
    x, v = simulation.positions("upper"), simulation.velocities("upper")
    assert x.shape == v.shape == (8, 3) and x.dtype == np.float64
    assert not v.any()
    simulation.step()
    simulation.step(2)
    assert simulation.steps == 3 and simulation.time == 0.03
    assert (simulation.positions("upper")[:, 1] < x[:, 1]).all()
    assert np.isclose(simulation.masses("upper").sum(), 1.0)
    assert simulation.tetrahedra("upper").shape[1] == 4
    assert simulation.triangles("upper").shape == (12, 3)
    x[:] = np.nan
    assert np.isfinite(simulation.positions("upper")).all(), "arrays are copies"


def test_contact_forces_balance_and_are_told_by_pair_and_by_body(scene: resile.Scene) -> None:
    simulation = resile.Simulation(scene)
    contacts = simulation.contacts()
    assert len(contacts) == 0
    while len(contacts) < 2 and simulation.steps < 60:
        simulation.step()
        contacts = simulation.contacts()
    assert contacts.pairs.shape == (len(contacts), 2) and contacts.normal.shape == (len(contacts), 3)
    assert len(contacts) > 0 and (contacts.gaps > 0).all() and (contacts.gaps < 1e-3).all()
    total = np.zeros(3)
    for body in simulation.bodies:
        normal, friction = contacts.on(body)
        assert normal.shape == friction.shape == simulation.points(body).shape
        total += normal.sum(axis=0)
    # What the bodies do to each other cancels; what is left comes from the floor.
    floor = [k for k, names in enumerate(contacts.names) if names[1] == "floor"]
    assert np.allclose(total, contacts.normal[floor].sum(axis=0), atol=1e-9 * np.abs(contacts.normal).sum())
    with pytest.raises(resile.UnknownNameError):
        contacts.on("nothing")


def test_energies_add_up(scene: resile.Scene) -> None:
    simulation = resile.Simulation(scene)
    start = simulation.energies()
    simulation.step(15)
    energies = simulation.energies()
    assert np.isclose(energies["total"], energies["kinetic"] + energies["potential"])
    assert np.isclose(energies["potential"], sum(energies["terms"].values()))
    assert energies["start"] == start["total"]
    assert np.isclose(sum(energies["heat"].values()), energies["dissipated"])
    assert energies["min_distance"] > 0 and energies["min_det_f"] > 0


@pytest.mark.parametrize("integrator", ["ImplicitEuler", "Bdf2", "ASearch()", "A1", "TrBdf2"])
def test_saved_states_go_on_to_the_bit(scene: resile.Scene, integrator: str) -> None:
    scene["integrator"] = integrator
    simulation = resile.Simulation(scene)
    simulation.step(8)
    saved = simulation.save()
    simulation.step(8)
    end = state(simulation)
    simulation.load(saved)
    assert simulation.steps == 8
    simulation.step(8)
    assert state(simulation) == end
    other = resile.Simulation(scene)
    other.load(saved)
    other.step(8)
    assert state(other) == end and other.save() == simulation.save()


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_threads_do_not_change_a_bit(scene: resile.Scene, threads: int) -> None:
    one, some = resile.Simulation(scene, threads=1), resile.Simulation(scene, threads=threads)
    one.step(15)
    some.step(15)
    assert state(one) == state(some)


def test_a_copy_is_independent(scene: resile.Scene) -> None:
    simulation = resile.Simulation(scene)
    simulation.step(5)
    other = copy.deepcopy(simulation)
    assert state(other) == state(simulation)
    other.step(5)
    assert other.steps == 10 and simulation.steps == 5
    simulation.step(5)
    assert state(other) == state(simulation)


@pytest.mark.parametrize("damage", [b"", b"x" * 100, None])
def test_states_that_are_none_are_refused(scene: resile.Scene, damage: bytes | None) -> None:
    simulation = resile.Simulation(scene)
    if damage is None:
        saved = bytearray(simulation.save())
        saved[-1] ^= 1
        damage = bytes(saved)
    before = state(simulation)
    with pytest.raises(resile.ArgumentError):
        simulation.load(damage)
    assert state(simulation) == before
    other = resile.Scene.from_ron(scene.to_ron())
    other["bodies.upper.friction"] = 0.1
    with pytest.raises(resile.ArgumentError, match="scene"):
        simulation.load(resile.Simulation(other).save())


def test_states_can_be_set(scene: resile.Scene) -> None:
    simulation = resile.Simulation(scene)
    x = simulation.positions("upper") + [0, 0.1, 0]
    simulation.set_state("upper", positions=x, velocities=np.full((8, 3), [0.5, 0, 0]))
    assert np.array_equal(simulation.positions("upper"), x)
    simulation.step()
    assert np.allclose(simulation.velocities("upper")[:, 0], 0.5)


def test_a_body_follows_the_hand_and_its_work_is_booked(scene: resile.Scene) -> None:
    scene["gravity"] = (0, 0, 0)
    simulation = resile.Simulation(scene)
    start = simulation.points("upper")[0]
    for step in range(1, 31):
        simulation.pull("upper", 0, start + [0, 0.002 * step, 0])
        simulation.step()
    lifted = simulation.points("upper")[0] - start
    assert 0.02 < lifted[1] < 0.07 and simulation.energies()["work"] > 0
    simulation.let_go()
    simulation.step()
    for point, place in ((8, start), (0, [0, 0]), (0, [0, float("nan"), 0])):
        with pytest.raises(resile.ArgumentError):
            simulation.pull("upper", point, place)


@pytest.mark.parametrize(
    "positions",
    [
        np.zeros((7, 3)),
        np.zeros((8, 2)),
        np.zeros(24),
        np.full((8, 3), np.nan),
        np.full((8, 3), np.inf),
        "nonsense",
        [[1, 2], [3]],
        np.zeros((8, 3)),
        np.array([["a"] * 3] * 8),
    ],
)
def test_wrong_arrays_are_refused_and_change_nothing(scene: resile.Scene, positions: Any) -> None:
    simulation = resile.Simulation(scene)
    before = state(simulation)
    with pytest.raises(resile.ArgumentError) as caught:
        simulation.set_state("upper", positions)
    assert caught.value.path.startswith("positions")
    assert state(simulation) == before
    simulation.step()


def test_bodies_are_not_put_into_each_other(scene: resile.Scene) -> None:
    simulation = resile.Simulation(scene)
    before = state(simulation)
    with pytest.raises(resile.ArgumentError, match="intersect"):
        simulation.set_state("upper", simulation.positions("upper") - [0, 0.08, 0])
    assert state(simulation) == before


def test_unknown_names_are_told(scene: resile.Scene) -> None:
    simulation = resile.Simulation(scene)
    for call in (simulation.positions, simulation.velocities, simulation.masses, simulation.points):
        with pytest.raises(resile.UnknownNameError, match="upper"):
            call("uper")
    with pytest.raises(TypeError):
        simulation.positions(3)  # type: ignore[arg-type]
    with pytest.raises(resile.ArgumentError, match="n must not be negative"):
        simulation.step(-1)
    with pytest.raises(TypeError):
        simulation.step(1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        resile.Simulation("dice")  # type: ignore[arg-type]


def test_use_after_close_is_an_exception(scene: resile.Scene) -> None:
    with resile.Simulation(scene) as simulation:
        simulation.step()
        assert not simulation.closed
    assert simulation.closed and "closed" in repr(simulation)
    for call in (
        simulation.step,
        simulation.save,
        simulation.energies,
        simulation.contacts,
        lambda: simulation.positions("upper"),
        lambda: simulation.load(b""),
        lambda: simulation.time,
        lambda: copy.copy(simulation),
    ):
        with pytest.raises(resile.ClosedError):
            call()
    simulation.close()


def test_several_simulations_step_in_threads(scene: resile.Scene) -> None:
    simulations = [resile.Simulation(scene, threads=1 + k % 2) for k in range(4)]
    threads = [threading.Thread(target=simulation.step, args=(20,)) for simulation in simulations]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert len({state(simulation) for simulation in simulations}) == 1


def test_a_second_thread_is_refused_and_the_interpreter_is_free(scene: resile.Scene) -> None:
    simulation = resile.Simulation(resile.Scene.load("dice"), threads=1)
    began, errors = threading.Event(), []

    def work() -> None:
        began.set()
        simulation.step(3)

    thread = threading.Thread(target=work)
    thread.start()
    began.wait()
    looked = 0
    while thread.is_alive():
        looked += 1
        try:
            simulation.positions(simulation.bodies[0])
        except resile.BusyError as error:
            errors.append(error)
    thread.join()
    assert errors and looked > 1, "Python goes on while a step is taken"
    assert simulation.steps == 3


def test_memory_is_given_back(scene: resile.Scene) -> None:
    def used() -> int:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1])

    try:
        used()
    except OSError:
        pytest.skip("this system does not tell how much memory a program uses")
    for _ in range(10):
        resile.Simulation(scene, threads=1).step()
    gc.collect()
    before = used()
    for _ in range(40):
        resile.Simulation(scene, threads=1).step()
    gc.collect()
    assert used() - before < 2000, "pages"


ENDLESS = """
import os, signal, sys, threading, time, resile
scene = resile.Scene.load("dice")
# A step of a million substeps.
scene.update({
    "integrator": "ImplicitEuler", "time.step": 1, "time.duration": 10,
    "time.adaptive": "Doubling(error: 1e-12, shortest: 1e-6)",
})
if sys.argv[1] == "limit":
    scene["solver.max_seconds_per_step"] = 0.5
simulation = resile.Simulation(scene)
before = simulation.save()
if sys.argv[1] == "signal":
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    simulation.step()
except (KeyboardInterrupt, resile.StepError) as error:
    print(type(error).__name__, time.monotonic() - began < 20, simulation.save() == before, error)
"""


@pytest.mark.parametrize(("end", "raised"), [("signal", "KeyboardInterrupt"), ("limit", "StepError")])
def test_a_long_step_ends_by_ctrl_c_and_at_its_limit(end: str, raised: str) -> None:
    done = subprocess.run([sys.executable, "-c", ENDLESS, end], capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith(f"{raised} True True"), done.stdout + done.stderr
    if end == "limit":
        assert "solver.max_seconds_per_step allows 0.5 s" in done.stdout
        assert "raise the limit" in done.stdout and "max_halvings" not in done.stdout


def test_a_load_step_that_fails_is_a_step_error(scene: resile.Scene) -> None:
    scene.update({"analysis": "Static", "solver.max_iterations": 1, "solver.tolerance": 1e-14})
    with pytest.raises(resile.StepError):
        resile.Simulation(scene).step()


@pytest.mark.parametrize("count", [-1, 10**20])
def test_counts_out_of_range_are_errors_with_the_name_of_the_argument(scene: resile.Scene, count: int) -> None:
    simulation = resile.Simulation(scene)
    point = simulation.points("upper")[0]
    calls: dict[str, Callable[[], Any]] = {
        "n": lambda: simulation.step(count),
        "point": lambda: simulation.pull("upper", count, point),
        "threads": lambda: resile.Simulation(scene, threads=count),
        "steps": lambda: resile.run(scene, progress=False, steps=count),
    }
    for name, call in calls.items():
        with pytest.raises(resile.ArgumentError) as caught:
            call()
        assert caught.value.path == name and str(count) in str(caught.value)
    with pytest.raises(resile.ArgumentError, match="threads"):
        resile.run_many([scene], threads=count)
    with pytest.raises(TypeError, match="'n'"):
        simulation.step("many")  # type: ignore[arg-type]
    assert simulation.steps == 0


def test_a_drag_begins_at_the_point_after_loading(scene: resile.Scene) -> None:
    dragged, fresh = resile.Simulation(scene), resile.Simulation(scene)
    start = dragged.save()
    dragged.pull("upper", 0, (0.2, 0.3, 0.1))
    dragged.step()
    dragged.load(start)
    for simulation in (dragged, fresh):
        simulation.pull("upper", 0, (0.1, 0.2, 0))
        simulation.step()
    assert dragged.save() == fresh.save()


@pytest.mark.parametrize("hold", [None, '[(region: Plane(point: (0, 0.011, 0), normal: (0, -1, 0)), motion: Fixed, until: 0.02)]'])
def test_a_state_that_cannot_be_loaded_changes_nothing(scene: resile.Scene, hold: str | None) -> None:
    if hold is not None:
        scene["bodies.lower.hold"] = hold
    simulation = resile.Simulation(scene)
    simulation.step(3)
    state = simulation.save()
    with pytest.raises(resile.ArgumentError):
        simulation.load(state[:-1])
    assert simulation.save() == state


def test_arrays_of_another_type_are_refused_and_not_rounded(scene: resile.Scene) -> None:
    simulation = resile.Simulation(scene)
    positions = simulation.positions("upper")
    with pytest.raises(resile.ArgumentError, match="real numbers, but is of complex128"):
        simulation.set_state("upper", positions * (1 + 1e-3j))
    cases: list[tuple[Any, str]] = [(0.5, r"\(\)"), (positions.ravel(), r"\(24,\)"), (positions[:2], r"\(2, 3\)")]
    for wrong, shape in cases:
        with pytest.raises(resile.ArgumentError, match=f"has {shape}"):
            simulation.set_state("upper", wrong)
    for given in (positions.astype(">f8"), np.asfortranarray(positions), positions.tolist(), np.repeat(positions, 2, 0)[::2]):
        simulation.set_state("upper", given)
        assert np.array_equal(simulation.positions("upper"), positions)


def test_bytes_are_taken_from_any_buffer(scene: resile.Scene) -> None:
    simulation = resile.Simulation(scene)
    simulation.step(2)
    state = simulation.save()
    for given in (bytearray(state), memoryview(state), np.frombuffer(state, np.uint8)):
        simulation.step()
        simulation.load(given)  # type: ignore[arg-type]
        assert simulation.save() == state
    for wrong in ("text", None, [1, 256], 5):
        with pytest.raises(TypeError, match="state must be bytes"):
            simulation.load(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="contents must be bytes"):
            scene.attach("a.msh", wrong)  # type: ignore[arg-type]
