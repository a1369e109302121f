"""The examples do what they say."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import resile

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def example(name: str, needs: str = "numpy") -> ModuleType:
    """The module of an example."""
    pytest.importorskip(needs)
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_randomised_worlds_all_run_and_are_the_same_alone() -> None:
    randomise = example("randomise")
    count = 24
    slid = randomise.distances(count, threads=2)
    assert np.isfinite(slid).all() and len(set(slid)) == count
    alone = resile.run(randomise.world(7), progress=False, threads=1)
    assert alone.history["com_x"][-1] == slid[7]
    # Friction takes v^2 / (2 mu g) at most, and what is not stopped goes as far as it would without friction.
    for number in range(count):
        drawn = randomise.parameters(number)
        assert 0 < slid[number] < drawn["bodies.cube.velocity[0]"] * 0.3 + 0.01

def test_a_modulus_and_a_friction_are_recovered_from_a_recording() -> None:
    identify = example("identify", "optuna")
    found, distance = identify.identify(identify.recording())
    assert abs(found["young"] / identify.TRUE["young"] - 1) < 0.03
    assert abs(found["friction"] - identify.TRUE["friction"]) < 0.01
    # What is left is the noise, and not much more.
    assert distance < 1.5 * identify.NOISE


@pytest.mark.filterwarnings("default")
def test_the_environment_passes_the_checker_of_gymnasium() -> None:
    lift = example("lift_cube", "gymnasium")
    from gymnasium.utils.env_checker import check_env

    check_env(lift.LiftCube(), skip_render_check=True)


def test_plates_that_press_lift_the_cube_and_others_do_not() -> None:
    lift = example("lift_cube", "gymnasium")
    env = lift.LiftCube()

    def episode(presses: bool, seed: int) -> tuple[float, bool, list[float]]:
        observations = [env.reset(seed=seed)[0]]
        total, done, lifted = 0.0, False, False
        while not done:
            action = lift.script(env.steps)
            if not presses:
                action[0] = 0
            observation, reward, lifted, truncated, info = env.step(action)
            assert "failure" not in info and env.observation_space.contains(observation)
            observations.append(observation)
            total, done = total + reward, lifted or truncated
        return total, lifted, [float(row[3]) for row in observations]

    total, lifted, heights = episode(presses=True, seed=3)
    assert lifted and total > 1
    assert np.isclose(total, (heights[-1] - heights[0]) / lift.LIFT)
    assert episode(presses=True, seed=3)[2] == heights, "a seed gives the same episode to the bit"
    total, lifted, _ = episode(presses=False, seed=3)
    assert not lifted and abs(total) < 0.1
    env.close()
