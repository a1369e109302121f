"""Arrays that others take over, frames in PyVista, and other threads and interpreters."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import resile


@pytest.fixture
def run(scene: resile.Scene) -> resile.Run:
    return resile.run(scene, progress=False, threads=1)


def test_frames_become_blocks_of_pyvista(run: resile.Run) -> None:
    if find_spec("pyvista") is None:
        pytest.skip("frames were NOT GIVEN to PyVista: it is not installed")
    for number in (0, -1):
        frame = run.frames[number]
        blocks: Any = run.to_pyvista(number)
        assert blocks.keys()[:2] == run.bodies == ["lower", "upper"]
        assert "floor" in blocks.keys()
        for body in run.bodies:
            block = blocks[body]
            assert np.array_equal(block.points, frame.positions(body))
            assert np.array_equal(block.regular_faces, run.triangles(body))
            assert np.array_equal(block.point_data["velocity"], frame.field("velocity", body))
            assert block.is_manifold and block.n_open_edges == 0
            assert np.isclose(block.volume, 0.001, rtol=0.3)
    before = run.frames[0].positions("upper").copy()
    changed: Any = run.to_pyvista(0)["upper"]
    changed.points[:] = 0
    assert np.array_equal(run.frames[0].positions("upper"), before), "PyVista has a copy"
    with pytest.raises(IndexError):
        run.to_pyvista(len(run.frames))


def test_dlpack_shares_memory_and_keeps_it(scene: resile.Scene) -> None:
    simulation = resile.Simulation(scene, threads=1)
    own = simulation.positions("upper")
    shared = np.from_dlpack(own)
    assert own.__dlpack_device__() == (1, 0) and np.shares_memory(own, shared)
    expected = own.copy()
    simulation.step()
    assert np.array_equal(shared, expected), "a step does not move what was returned"
    del own
    simulation.close()
    gc.collect()
    assert np.array_equal(shared, expected)


def test_frames_by_dlpack_outlive_the_run_and_stay_read_only(run: resile.Run) -> None:
    view: Any = run.frames[-1].positions("upper")
    expected = view.copy()
    shared: Any = np.from_dlpack(view)
    assert np.shares_memory(view, shared) and not shared.flags.writeable
    del run, view
    gc.collect()
    assert np.array_equal(shared, expected)
    # Old consumers cannot be told that memory is read-only, so NumPy refuses them.
    with pytest.raises(BufferError):
        shared.__dlpack__()


def test_frames_outlive_their_files(scene: resile.Scene) -> None:
    run = resile.run(scene, progress=False, threads=1)
    frame, folder = run.frames[0], run.folder
    expected = frame.positions().copy()
    del run
    gc.collect()
    assert not folder.exists(), "a temporary folder goes with its run"
    assert np.array_equal(frame.positions(), expected)


def test_a_frame_of_a_folder_that_went_is_an_exception(run: resile.Run) -> None:
    for file in (run.folder / "frames").rglob("*"):
        if file.is_file():
            file.unlink()
    with pytest.raises(resile.FileError):
        resile.open_run(run.folder).frames[0].positions()


def test_closing_while_another_thread_steps_is_refused_or_takes_effect() -> None:
    simulation = resile.Simulation(resile.Scene.load("first"), threads=1)
    ended: list[BaseException | None] = []

    def work() -> None:
        try:
            for _ in range(30):
                simulation.step()
            ended.append(None)
        except BaseException as error:
            ended.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    busy = 0
    while not simulation_closed(simulation):
        try:
            simulation.close()
        except resile.BusyError:
            busy += 1
    thread.join(120)
    assert not thread.is_alive() and ended
    assert ended[0] is None or isinstance(ended[0], resile.ClosedError)


def simulation_closed(simulation: resile.Simulation) -> bool:
    try:
        simulation.steps
    except resile.ClosedError:
        return True
    except resile.BusyError:
        pass
    return False


def test_runs_and_scenes_are_used_by_threads_at_once(run: resile.Run, scene: resile.Scene) -> None:
    results: list[Any] = []

    def work() -> None:
        own = resile.run(scene, progress=False, threads=1, steps=3)
        results.append((run.frames[-1].positions().tobytes(), scene.to_ron(), own.history["total"][3]))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert len(results) == 4 and len(set(results)) == 1


SUBINTERPRETER = """
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
import resile
interpreter = interpreters.create()
script = '''
try:
    import resile
    print("imported", len(resile.scenes()) > 0)
except ImportError as error:
    print("refused", error)
'''
result = interpreters.run_string(interpreter, script)
print("ended", result)
resile.Simulation(resile.Scene.load("first"), threads=1).step()
print("usable")
"""


def test_another_interpreter_of_the_process_is_refused_or_works() -> None:
    done = subprocess.run([sys.executable, "-c", SUBINTERPRETER], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "refused" in done.stdout or "imported True" in done.stdout
    assert "ended None" in done.stdout and "usable" in done.stdout


INTERRUPTED = """
import os, signal, sys, threading, resile
run = resile.open_run(sys.argv[1])
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    getattr(run, sys.argv[2])(*sys.argv[3:])
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(("work", "file"), [("verify", None), ("view", "view.html"), ("render", "film.mp4")])
def test_ctrl_c_ends_work_on_the_frames_of_a_run(
    scene: resile.Scene, tmp_path: Path, work: str, file: str | None
) -> None:
    run = resile.run(scene, tmp_path / "run", progress=False, threads=1, steps=2)
    # Many frames of one file, which would take many minutes.
    frame = '<DataSet timestep="{}" part="0" file="frame_000000.vtu"/>\n'
    frames = "".join(frame.format(0.005 * k) for k in range(500_000))
    index = run.folder / "frames" / "frames.pvd"
    before, after = index.read_text().split("<Collection>")[0], "</Collection>\n</VTKFile>\n"
    index.write_text(f"{before}<Collection>\n{frames}{after}")
    arguments = [str(run.folder), work] + ([str(tmp_path / file)] if file else [])
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *arguments], capture_output=True, text=True, timeout=45
    )
    assert done.stdout.strip() == "interrupted", done.stderr
    assert file is None or not (tmp_path / file).exists()
