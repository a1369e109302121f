"""Worker processes: no method of starting them hangs."""

from __future__ import annotations

import copy
import gc
import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import resile

FORK = """
import os, sys, warnings, resile
warnings.simplefilter("ignore")
scene = resile.Scene.from_ron(sys.stdin.read())
resile.run(scene, progress=False, threads=2)
simulation = resile.Simulation(scene, threads=2)
simulation.step()
child = os.fork()
if child == 0:
    # Beyond the pool of the parent, whose threads are not here.
    simulation.step()
    own = resile.run(scene, progress=False, threads=2)
    own.verify()
    code = 0 if own.status == "complete" and resile.default_threads() == 1 else 1
    del own, simulation
    sys.exit(code)
_, status = os.waitpid(child, 0)
simulation.step()
print(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_child_after_fork_works_and_ends(scene: resile.Scene) -> None:
    # The watchdog: a hang is a failure of this test, and not of the whole of CI.
    done = subprocess.run(
        [sys.executable, "-c", FORK], input=scene.to_ron(), capture_output=True, text=True, timeout=20 * 6
    )
    assert done.stdout.strip() == "0", done.stderr


def total(scene: resile.Scene) -> tuple[float, int]:
    """The energy at the end, and how many threads a worker takes."""
    run = resile.run(scene, progress=False)
    return float(run.history["total"][-1]), resile.default_threads()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_every_way_to_start_workers_gives_the_same(scene: resile.Scene, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    alone, _ = total(scene)
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as workers:
        results = list(workers.map(total, [scene] * 4, timeout=240))
    assert results == [(alone, 1)] * 4


def run_without_folder(scene: resile.Scene) -> resile.Run:
    return resile.run(scene, progress=False, steps=3)


def test_a_run_without_folder_outlives_its_worker(scene: resile.Scene) -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as workers:
        run = workers.submit(run_without_folder, scene).result(timeout=240)
    here = run_without_folder(scene)
    copied = copy.copy(here)
    expected, frame = here.history["total"], here.frames[-1].positions()
    del here
    gc.collect()
    for other in (run, copied):
        assert np.array_equal(other.history["total"], expected)
        assert np.array_equal(other.frames[-1].positions(), frame)
        assert other.verify().ok


def continued(simulation: resile.Simulation) -> tuple[bytes, resile.Simulation]:
    simulation.step(3)
    return simulation.save(), simulation


@pytest.mark.parametrize("integrator", ["ASearch()", "Bdf2"])
def test_a_worker_continues_a_simulation_bitwise_equal(scene: resile.Scene, integrator: str) -> None:
    scene["integrator"] = integrator
    simulation = resile.Simulation(scene)
    simulation.step(4)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as workers:
        state, returned = workers.submit(continued, simulation).result(timeout=240)
    simulation.step(3)
    assert simulation.save() == state == returned.save()
    simulation.close()
    with pytest.raises(resile.ClosedError):
        pickle.dumps(simulation)


def test_the_environment_determines_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESILE_THREADS", "3")
    assert resile.default_threads() == 3
    for wrong in ["zero", "0", "-1", "2.5", "1025"]:
        monkeypatch.setenv("RESILE_THREADS", wrong)
        with pytest.raises(resile.ArgumentError, match="RESILE_THREADS"):
            resile.default_threads()
    monkeypatch.setenv("RESILE_THREADS", "")
    assert resile.default_threads() >= 1
