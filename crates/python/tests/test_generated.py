"""Laws that hold for every scene, on generated ones: nothing crosses, threads change no bit, and a run that was stopped goes on
as if it had not been."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import resile

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

EXAMPLES = settings(
    max_examples=12, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
SIZE = 0.1


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    """Numbers as a person writes them."""
    return st.integers(0, 100).map(lambda k: float(f"{low + (high - low) * k / 100:.4g}"))


def vectors(low: float, high: float) -> st.SearchStrategy[list[float]]:
    return st.lists(numbers(low, high), min_size=3, max_size=3)


MODELS = st.builds(
    lambda model, power, poisson: {model: {"young": float(f"{10**power:.3g}"), "poisson": poisson}},
    st.sampled_from(["NeoHookean", "StVK"]),
    numbers(4.5, 6),
    numbers(0.1, 0.4),
)
KINDS = st.one_of(
    st.builds(lambda n: {"shape": {"Box": {"size": [SIZE] * 3, "cells": [n] * 3}}}, st.integers(1, 2)),
    st.just({"shape": {"Sphere": {"radius": SIZE / 2, "subdivisions": 1}}, "kind": "Affine"}),
    st.just(
        {"shape": {"Sheet": {"size": [SIZE, SIZE], "cells": [3, 3]}}, "kind": {"Shell": {"thickness": 1e-3}}}
    ),
)
INTEGRATORS = st.sampled_from(["ImplicitEuler", "Bdf2", "TrBdf2", {"ASearch": {}}])


@st.composite
def scenes(draw: st.DrawFn) -> resile.Scene:
    """One to three bodies in a column of cells a body wide and more, thrown about above a floor."""
    bodies: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 3))):
        turn = {"axis": draw(st.sampled_from([[1, 0, 0], [0, 1, 0], [1, 2, 3]])), "degrees": draw(numbers(0, 90))}
        bodies.append(
            {
                "name": f"body {number}",
                **draw(KINDS),
                "material": "matter",
                "friction": draw(numbers(0, 0.8)),
                "placement": {"rotate": [turn], "translate": [draw(numbers(-0.03, 0.03)), 0.1 + 0.19 * number, 0]},
                "velocity": draw(vectors(-1, 1)),
                "angular_velocity": draw(vectors(-5, 5)),
            }
        )
    return resile.Scene.from_dict(
        {
            "version": 2,
            "materials": {"matter": {"density": draw(numbers(200, 2000)), "model": draw(MODELS)}},
            "bodies": bodies,
            "gravity": [0, -9.81, 0],
            "obstacles": [{"Plane": {"name": "floor", "point": [0, 0, 0], "normal": [0, 1, 0], "friction": 0.5}}],
            "contact": {"Barrier": {"d_hat": 1e-3, "kappa": 1e5, "friction_rule": "Mean"}},
            "integrator": draw(INTEGRATORS),
            "time": {"step": 0.01, "duration": 0.2},
        },
        name="generated",
    )


@EXAMPLES
@given(scene=scenes())
def test_nothing_crosses_and_neither_threads_nor_stops_change_a_bit(
    scene: resile.Scene, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("generated")
    run = resile.run(scene, folder / "one", progress=False, threads=1)
    assert run.status == "complete" and run.verify().ok
    same(run, resile.run(scene, folder / "two", progress=False, threads=2))
    stop = run.summary["steps_done"] // 2
    resile.run(scene, folder / "resumed", progress=False, threads=1, steps=stop)
    same(run, resile.run(scene, folder / "resumed", progress=False, threads=1, resume=True))


def same(one: resile.Run, other: resile.Run) -> None:
    for name, column in one.history.items():
        if name != "seconds":
            assert np.array_equal(column, other.history[name], equal_nan=True), name
    assert np.array_equal(one.frames[-1].positions(), other.frames[-1].positions())


@EXAMPLES
@given(scene=scenes())
def test_scenes_survive_the_way_through_their_text(scene: resile.Scene) -> None:
    assert resile.Scene.from_dict(scene.to_dict(), name="generated").to_dict() == scene.to_dict()
    assert resile.Scene.from_ron(scene.to_ron(), name="generated").to_dict() == scene.to_dict()
