"""Contact alone, and beside IPC Toolkit on the same inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import resile
from resile import contact

CUBE_POINTS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
CUBE_TRIANGLES = np.array(
    [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]
)  # fmt: skip
D_HAT = 0.05


def cubes(shift: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Two cubes, the second moved and turned a little so that no features are parallel."""
    angles = 0.2, 0.3
    turn = np.eye(3)
    for axis, angle in enumerate(angles):
        i, j = [k for k in range(3) if k != axis]
        own = np.eye(3)
        own[i, i] = own[j, j] = np.cos(angle)
        own[i, j], own[j, i] = -np.sin(angle), np.sin(angle)
        turn = own @ turn
    points = np.concatenate([CUBE_POINTS, CUBE_POINTS @ turn.T + shift])
    return points, np.concatenate([CUBE_TRIANGLES, CUBE_TRIANGLES + 8])


def near() -> tuple[contact.CollisionMesh, NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Cubes that begin apart and are 0.02 apart at the returned positions."""
    rest, triangles = cubes(np.array([0.1, 3.0, 0.05]))
    mesh = contact.CollisionMesh(rest, triangles)
    fall = np.zeros_like(rest)
    fall[8:, 1] = -1
    low, high = 0.0, 3.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        x = rest + middle * fall
        gap = 0.0 if mesh.intersects(x) else mesh.near(x, 5.0).distances(x).min()
        low, high = (middle, high) if gap > 0.02 else (low, middle)
    return mesh, rest, rest + low * fall, triangles


def test_the_gradient_is_that_of_the_energy_and_the_hessian_that_of_the_gradient() -> None:
    pytest.importorskip("scipy")
    mesh, _, x, _ = near()
    candidates = mesh.near(x, 2 * D_HAT)
    barrier = contact.BarrierPotential(D_HAT, 1e5)
    assert barrier.value(mesh, candidates, x) > 0
    gradient = barrier.gradient(mesh, candidates, x)
    matrix = contact.hessian(barrier, mesh, candidates, x)
    assert matrix.shape == (48, 48) and abs(matrix - matrix.T).max() == 0
    direction = np.random.default_rng(1).standard_normal(x.shape)
    direction /= np.abs(direction).max()
    eps = 1e-5
    moved = [x + k * eps * direction for k in (-2, -1, 1, 2)]
    weights = np.array([1, -8, 8, -1]) / (12 * eps)
    slope = weights @ [barrier.value(mesh, candidates, at) for at in moved]
    assert np.isclose(slope, np.sum(gradient * direction), rtol=1e-7)
    bend = np.tensordot(weights, [barrier.gradient(mesh, candidates, at) for at in moved], 1)
    assert np.allclose(bend.ravel(), matrix @ direction.ravel(), rtol=1e-6, atol=1e-6 * abs(bend).max())
    clamped = contact.hessian(barrier, mesh, candidates, x, projected=True)
    assert np.linalg.eigvalsh(clamped.toarray()).min() > -1e-9 * abs(clamped).max()


def test_forces_of_contact_cancel() -> None:
    mesh, _, x, _ = near()
    candidates = mesh.near(x, 2 * D_HAT)
    gradient = contact.BarrierPotential(D_HAT, 1e5).gradient(mesh, candidates, x)
    assert np.abs(gradient).max() > 0
    assert np.allclose(gradient.sum(axis=0), 0, atol=1e-9 * np.abs(gradient).max())


@pytest.mark.parametrize(
    ("call", "about"),
    [
        (lambda m, x: m.near(x[:3], 0.1), "shape"),
        (lambda m, x: m.near(x, 0.0), "positive"),
        (lambda m, x: m.near(x, float("nan")), "positive"),
        (lambda m, x: m.near(np.full_like(x, np.nan), 0.1), "finite"),
        (lambda m, x: contact.CollisionMesh(x, [[0, 1, 99]]), "99"),
        (lambda m, x: contact.CollisionMesh(x, [[0, 1, -1]]), "-1"),
        (lambda m, x: contact.CollisionMesh(x, [[0.5, 1, 2]]), "whole numbers"),
        (lambda m, x: contact.CollisionMesh(x, [[0, 1, 1]]), "triangle"),
        (lambda m, x: contact.BarrierPotential(-1, 1), "d_hat"),
    ],
)
def test_wrong_input_is_refused(call: Any, about: str) -> None:
    points, triangles = cubes(np.array([0.0, 3.0, 0.0]))
    mesh = contact.CollisionMesh(points, triangles)
    with pytest.raises(resile.ArgumentError, match=about):
        call(mesh, points)
    with pytest.raises(resile.UnknownNameError, match="ClampedLog"):
        contact.BarrierPotential(1, 1, "Clampedlog")


def test_distances_intersections_and_times_of_impact_beside_ipctk() -> None:
    ipctk = pytest.importorskip("ipctk")
    mesh, rest, x, triangles = near()
    theirs = ipctk.CollisionMesh(rest, ipctk.edges(triangles), triangles)
    found = ipctk.NormalCollisions()
    found.build(theirs, x, 2 * D_HAT)
    least = float(np.sqrt(found.compute_minimum_distance(theirs, x)))
    assert np.isclose(mesh.near(x, 2 * D_HAT).distances(x).min(), least, rtol=1e-12)
    for at in (rest, x, x - np.where(np.arange(16)[:, None] > 7, [0, 0.05, 0], 0.0)):
        assert mesh.intersects(at) == ipctk.has_intersections(theirs, at)
    down = rest.copy()
    down[8:, 1] -= 4
    ours = mesh.time_of_impact(rest, down)
    exact = ipctk.compute_collision_free_stepsize(theirs, rest, down)
    # Both are below the true fraction; ours leaves a tenth of the gap, theirs a fifth of the distance by default.
    gap = float(mesh.near(rest, 10).distances(rest).min())
    truth = float((rest[8, 1] - x[8, 1] + 0.02) / 4)
    assert 0 < ours < 1 and 0 < exact < 1 and gap > 0
    assert ours <= truth * 1.05 and exact <= truth * 1.05
    assert ours >= 0.8 * truth


@pytest.mark.parametrize("d", [0.001, 0.01, 0.03, 0.049])
def test_the_barrier_is_that_of_ipctk(d: float) -> None:
    ipctk = pytest.importorskip("ipctk")
    theirs = ipctk.ClampedLogBarrier()
    value, first, second = contact.barrier(d, D_HAT)
    scale = D_HAT * D_HAT
    assert np.isclose(scale * value, theirs(d, D_HAT), rtol=1e-12)
    assert np.isclose(scale * first, theirs.first_derivative(d, D_HAT), rtol=1e-12)
    assert np.isclose(scale * second, theirs.second_derivative(d, D_HAT), rtol=1e-12)


MU, SLIP = 0.3, 0.2


def rubbing() -> tuple[
    contact.CollisionMesh, contact.LaggedContacts, NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]
]:
    """The same cubes with friction, and where they are."""
    _, rest, x, triangles = near()
    mesh = contact.CollisionMesh(rest, triangles, friction=MU)
    barrier = contact.BarrierPotential(D_HAT, 1e5)
    return mesh, contact.LaggedContacts(mesh, mesh.near(x, 2 * D_HAT), barrier, x), rest, x, triangles


@pytest.mark.parametrize("speed", [0.0, 0.05, 0.19, 5.0])
def test_derivatives_of_friction_are_those_of_its_potential(speed: float) -> None:
    pytest.importorskip("scipy")
    mesh, lagged, _, x, _ = rubbing()
    assert len(lagged) > 0 and (lagged.limits() > 0).all() and lagged.limits().shape == (len(lagged),)
    friction = contact.FrictionPotential(SLIP)
    random = np.random.default_rng(2)
    v, direction = speed * random.standard_normal(x.shape), random.standard_normal(x.shape)
    eps = 1e-4
    moved = [v + k * eps * direction for k in (-2, -1, 1, 2)]
    weights = np.array([1, -8, 8, -1]) / (12 * eps)
    gradient = friction.gradient(mesh, lagged, v)
    slope = weights @ [friction.value(mesh, lagged, at) for at in moved]
    assert np.isclose(slope, np.sum(gradient * direction), rtol=1e-5, atol=1e-3)
    matrix = contact.hessian(friction, mesh, lagged, v)
    assert matrix.shape == (48, 48) and abs(matrix - matrix.T).max() < 1e-12 * abs(matrix).max()
    bend = np.tensordot(weights, [friction.gradient(mesh, lagged, at) for at in moved], 1).ravel()
    assert np.allclose(bend, matrix @ direction.ravel(), rtol=1e-3, atol=1e-3 * abs(bend).max())
    assert np.linalg.eigvalsh(matrix.toarray()).min() > -1e-9 * abs(matrix).max()


def test_friction_opposes_slip_with_its_limit() -> None:
    mesh, lagged, _, x, _ = rubbing()
    v = np.zeros_like(x)
    v[8:, 0] = 50
    force = -contact.FrictionPotential(SLIP).gradient(mesh, lagged, v)
    assert np.allclose(force.sum(axis=0), 0, atol=1e-9 * np.abs(force).max())
    assert force[8:, 0].sum() < 0
    # The tangent planes are a little inclined to the slip, so that the sum of the forces is a little shorter.
    assert 0.9 * lagged.limits().sum() < np.linalg.norm(force[8:].sum(axis=0)) <= lagged.limits().sum() * (1 + 1e-12)
    smooth = contact.CollisionMesh(x, mesh_triangles())
    barrier = contact.BarrierPotential(D_HAT, 1e5)
    assert len(contact.LaggedContacts(smooth, smooth.near(x, D_HAT), barrier, x)) == 0


def mesh_triangles() -> NDArray[np.int64]:
    return np.concatenate([CUBE_TRIANGLES, CUBE_TRIANGLES + 8])


def test_what_is_of_another_mesh_is_refused() -> None:
    mesh, lagged, rest, x, triangles = rubbing()
    other = contact.CollisionMesh(rest[:8], triangles[:12], friction=MU)
    candidates, barrier = mesh.near(x, D_HAT), contact.BarrierPotential(D_HAT, 1e5)
    for call in (
        lambda: barrier.value(other, candidates, x[:8]),
        lambda: barrier.gradient(other, candidates, x[:8]),
        lambda: contact.LaggedContacts(other, candidates, barrier, x[:8]),
        lambda: contact.FrictionPotential(SLIP).value(other, lagged, x[:8]),
        lambda: candidates.distances(x[:8]),
    ):
        with pytest.raises(resile.ArgumentError):
            call()
    for wrong in (-0.1, float("nan")):
        with pytest.raises(resile.ArgumentError, match="friction"):
            contact.CollisionMesh(rest, triangles, friction=wrong)
    with pytest.raises(resile.ArgumentError, match="slip_speed"):
        contact.FrictionPotential(0)


@pytest.mark.parametrize("speed", [0.0, 0.03, 0.15, 4.0])
def test_friction_is_that_of_ipctk_for_the_same_normal_force(speed: float) -> None:
    # Areas weigh the barrier differently there, so that forces are compared over the limit of the one contact: a corner above
    # the middle of a triangle.
    ipctk = pytest.importorskip("ipctk")
    pytest.importorskip("scipy")
    flat = [[0, 0, 0], [1, 0, 0.1], [0.1, 0, 1]]
    x = np.array(flat + [[0.3, 0.07, 0.3], [0.7, 0.6, 0.4], [0.2, 0.5, 0.8]])
    triangles = np.array([[0, 1, 2], [3, 4, 5]])
    mesh = contact.CollisionMesh(x, triangles, friction=MU)
    d_hat = 0.1
    ours = contact.LaggedContacts(mesh, mesh.near(x, d_hat), contact.BarrierPotential(d_hat, 1e5), x)
    theirs = ipctk.CollisionMesh(x, ipctk.edges(triangles), triangles)
    near = ipctk.NormalCollisions()
    near.build(theirs, x, d_hat)
    rubs = ipctk.TangentialCollisions()
    rubs.build(theirs, x, near, ipctk.BarrierPotential(d_hat, 1e5), MU)
    assert len(ours) == len(rubs) == 1
    limit = MU * rubs[0].normal_force_magnitude * rubs[0].weight
    mine, other = contact.FrictionPotential(SLIP), ipctk.FrictionPotential(SLIP)
    v = speed * np.random.default_rng(4).standard_normal(x.shape)
    scale = limit / ours.limits()[0]
    assert np.isclose(scale * mine.value(mesh, ours, v), other(rubs, theirs, v), rtol=1e-12)
    gradient = other.gradient(rubs, theirs, v).reshape(-1, 3)
    assert np.allclose(scale * mine.gradient(mesh, ours, v), gradient, rtol=0, atol=1e-12 * limit)
    hessian = other.hessian(rubs, theirs, v).toarray()
    matrix = scale * contact.hessian(mine, mesh, ours, v).toarray()
    assert np.allclose(matrix, hessian, rtol=0, atol=1e-12 * abs(hessian).max() + 1e-300)


@pytest.mark.parametrize(
    ("name", "value"), [("points", [-1]), ("points", [99]), ("points", [0.5]), ("width", -1.0), ("width", float("nan"))]
)
def test_wrong_points_and_widths_are_refused(name: str, value: Any) -> None:
    given = {"points": [0], "width": 0.01, name: value}
    with pytest.raises(resile.ArgumentError, match=name):
        contact.CollisionMesh(CUBE_POINTS, CUBE_TRIANGLES, **given)
