"""Sweeps give the same table by any executor, also if workers are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import resile
from resile import _sweep

VARY = {"bodies.lower.friction": "0:0.8:3", "integrator": ["ImplicitEuler", "Bdf2"]}
RESULTS = ["total:final", "com_y:min", "newton:sum"]


class Serial:
    """Runs at once, in this process."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(function(*arguments))
        return future


@pytest.fixture
def longer(scene: resile.Scene) -> resile.Scene:
    """A scene of a hundred steps without frames."""
    scene.update({"time.duration": 1.0, "output.formats": []})
    return scene


def table(sweep: resile.Sweep) -> str:
    return (sweep.folder / "sweep.csv").read_text()


@pytest.fixture
def expected(longer: resile.Scene, tmp_path: Path) -> str:
    return table(resile.sweep(longer, VARY, tmp_path / "expected", results=RESULTS, executor=Serial()))


def killed_once(
    marker: str,
    function: Callable[..., Any],
    scene: resile.Scene,
    folder: str,
    number: int,
    fields: dict[str, str],
    steps: int | None,
    retry: bool,
) -> Any:
    """Does a run; the first one ends after five steps with SIGKILL, with a checkpoint and without a summary."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return function(scene, folder, number, fields, steps, retry)
    function(scene, folder, number, fields, 5, retry)
    (Path(folder) / "runs" / f"{number:06}" / "summary.json").unlink()
    os.kill(os.getpid(), signal.SIGKILL)


class KillsOnce:
    """An executor of which one worker kills itself in the middle of a run."""

    def __init__(self, executor: Any, marker: Path) -> None:
        self.executor, self.marker = executor, str(marker)

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        return self.executor.submit(killed_once, self.marker, function, *arguments)


def test_table_of_processes_is_that_of_one_process(
    longer: resile.Scene, expected: str, tmp_path: Path
) -> None:
    seen: list[tuple[int, int]] = []
    out = tmp_path / "processes"
    sweep = resile.sweep(
        longer, VARY, out, results=RESULTS, jobs=2, progress=lambda done, runs: seen.append((done, runs))
    )
    assert table(sweep) == expected
    assert seen[-1] == (6, 6)
    assert [row["status"] for row in sweep.table] == ["complete"] * 6
    assert sweep.run(3).summary["steps_done"] == 100
    assert [row["integrator"] for row in sweep.table] == ["ImplicitEuler", "Bdf2"] * 3
    before = [(out / "runs" / f"{k:06}" / "run.json").read_bytes() for k in range(6)]
    resile.sweep(longer, VARY, out, results=RESULTS, jobs=2)
    assert before == [(out / "runs" / f"{k:06}" / "run.json").read_bytes() for k in range(6)]


def program() -> list[str]:
    asked = os.environ.get("RESILE_SIM")
    return [asked] if asked else []


@pytest.mark.parametrize("sim", program())
def test_program_continues_a_sweep_of_python(
    sim: str, longer: resile.Scene, expected: str, tmp_path: Path
) -> None:
    out = tmp_path / "shared"
    longer_file = tmp_path / "longer.ron"
    longer_file.write_text(longer.to_ron())
    resile.sweep(resile.Scene.load(longer_file), VARY, out, results=RESULTS, executor=Serial())
    assert (out / "sweep.csv").read_text() == expected
    (out / "sweep.csv").unlink()
    (out / "runs" / "000001" / "summary.json").unlink()
    subprocess.run([sim, "sweep", str(out), "--quiet", "-j", "2"], check=True)
    assert (out / "sweep.csv").read_text() == expected


def test_killed_process_of_a_pool_loses_nothing(
    longer: resile.Scene, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "killed"
    monkeypatch.setenv("KILLED_ONCE", str(marker))
    monkeypatch.setattr(_sweep._RunQueue, "function", staticmethod(killed_by_environment))
    sweep = resile.sweep(longer, VARY, tmp_path / "pool", results=RESULTS, jobs=2)
    assert marker.exists()
    assert table(sweep) == expected


def killed_by_environment(*arguments: Any) -> Any:
    return killed_once(os.environ["KILLED_ONCE"], _sweep._execute_run, *arguments)


def test_broken_executor_of_the_caller_is_an_error_and_continues(
    longer: resile.Scene, expected: str, tmp_path: Path
) -> None:
    out, marker = tmp_path / "own", tmp_path / "killed"
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        with pytest.raises(Exception, match="have not ended") as caught:
            resile.sweep(longer, VARY, out, results=RESULTS, executor=KillsOnce(pool, marker))
    assert "sim sweep" in caught.value.__notes__[0]
    assert table(resile.sweep(longer, VARY, out, results=RESULTS, jobs=1)) == expected


@pytest.fixture
def on_path_of_workers(monkeypatch: pytest.MonkeyPatch) -> str:
    """This folder on the path of processes that begin, which import this module.

    Dask's `upload_file` would load a copy of it in this process, too, and `__file__` would be that of the copy.
    """
    path = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))
    monkeypatch.setenv("PYTHONPATH", path)
    return path


@pytest.mark.usefixtures("on_path_of_workers")
@pytest.mark.filterwarnings("default")
def test_dask_loses_nothing_if_a_worker_is_killed(
    longer: resile.Scene, expected: str, tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed")
    marker = tmp_path / "killed"
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster, distributed.Client(cluster) as client:
        executor = KillsOnce(client.get_executor(pure=False), marker)
        sweep = resile.sweep(longer, VARY, tmp_path / "dask", results=RESULTS, executor=executor)
    assert marker.exists()
    assert table(sweep) == expected


class Ray:
    """Ray's tasks as an executor."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        ray = pytest.importorskip("ray")
        return ray.remote(num_cpus=1, max_retries=3)(function).remote(*arguments).future()


@pytest.mark.filterwarnings("default")
def test_ray_loses_nothing_if_a_worker_is_killed(
    longer: resile.Scene, expected: str, tmp_path: Path, on_path_of_workers: str
) -> None:
    ray = pytest.importorskip("ray")
    marker = tmp_path / "killed"
    environment = {"env_vars": {"PYTHONPATH": on_path_of_workers}}
    ray.init(num_cpus=2, include_dashboard=False, runtime_env=environment)
    try:
        sweep = resile.sweep(
            longer, VARY, tmp_path / "ray", results=RESULTS, executor=KillsOnce(Ray(), marker)
        )
    finally:
        ray.shutdown()
    assert marker.exists()
    assert table(sweep) == expected


def test_mistakes_are_raised_before_a_run(longer: resile.Scene, tmp_path: Path) -> None:
    with pytest.raises(resile.SceneError) as caught:
        resile.sweep(longer, {"bodies.nobody.friction": "0:1:2", "integrator": ["Bdf9"]}, tmp_path / "a")
    assert "nobody" in str(caught.value) and "Bdf9" in str(caught.value)
    with pytest.raises(resile.ArgumentError, match="requires a number of runs"):
        resile.sweep(longer, {"time.step": "0.01:0.02"}, tmp_path / "a", design="random")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"design": "triangle"}, "no design `triangle`; known: grid"),
        ({"runs": 3}, "the values determine the number of runs"),
        ({"vary": {"time.step": "0.01:0.02"}}, 'design="random"'),
        ({"vary": {"time.step": "0.01:0.02:x"}}, "`x` is not a whole number"),
        ({"vary": {"time.step": []}}, "a value is missing"),
        ({"vary": {"time.step": "1,2", "gravity[1]": "1,2,3"}, "design": "zip"}, "3 values, but the first"),
        ({"vary": {}, "design": "zip"}, "no parameter is varied"),
        ({"vary": {"gravity[1]": "1,2", "gravity": ["(0, 1, 0)"]}}, r"`gravity\[1\]` is varied, but `gravity` replaces it"),
    ]
    for arguments, message in wrong:
        with pytest.raises(resile.ArgumentError, match=message) as refused:
            resile.sweep(longer, **{"vary": VARY, "out": tmp_path / "a", **arguments})
        assert "--" not in str(refused.value)
    with pytest.raises(resile.ArgumentError, match="median"):
        resile.sweep(longer, VARY, tmp_path / "a", results=["total:median"])
    assert not (tmp_path / "a").exists()
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "notes.txt").write_text("mine")
    with pytest.raises(resile.FileError, match="holds no sweep"):
        resile.sweep(longer, VARY, tmp_path / "b")


MILLIMETRES = """(
    version: 2,
    units: Millimetres,
    materials: {"rubber": (density: 1e-9, model: NeoHookean(young: 0.1, poisson: 0.3))},
    bodies: [(name: "die", shape: Box(size: (100, 100, 100), cells: (1, 1, 1)), material: "rubber",
        placement: (translate: (0, 60, 0)))],
    gravity: (0, -9810, 0),
    time: (step: "1/100", duration: 0.05),
    output: (formats: [], probes: [(name: "tip", at: Node(body: "die", node: 7))]),
)"""


@pytest.mark.parametrize("sim", program())
@pytest.mark.parametrize("design", ["grid", "zip", "random", "latin-hypercube"])
def test_runs_of_every_design_are_those_of_the_program(
    sim: str, scene: resile.Scene, design: str, tmp_path: Path
) -> None:
    samples: dict[str, Any] = {} if design in ("grid", "zip") else {"runs": 3, "seed": 7}
    count = "" if samples else ":3"
    vary = {"materials.rubber.model.young": f"1e4:1e7{count}:log", "bodies.upper.friction": f"0:0.7{count}"}
    sweep = resile.sweep(scene, vary, tmp_path / "python", design=design, steps=0, executor=Serial(), **samples)
    (tmp_path / "scene.ron").write_text(scene.to_ron())
    options = [f"--vary={path}={values}" for path, values in vary.items()]
    options += [f"--{name}={value}" for name, value in {"design": design, "steps": 0, **samples}.items()]
    program_folder = str(tmp_path / "program")
    subprocess.run([sim, "sweep", str(tmp_path / "scene.ron"), "-o", program_folder, "--quiet", *options], check=True)
    assert (tmp_path / "program" / "sweep.csv").read_text() == table(sweep)


@pytest.mark.parametrize("sim", program())
def test_results_of_probes_in_other_units_are_those_of_the_program(sim: str, tmp_path: Path) -> None:
    scene = resile.Scene.from_ron(MILLIMETRES)
    results = ["total:final", "probes.tip.uy:min,probes.tip.y:0.025"]
    sweep = resile.sweep(scene, {"gravity[1]": [-9810, -1620]}, tmp_path / "mm", results=results, executor=Serial())
    expected = table(sweep)
    assert "total_final [mJ],probes.tip.uy_min [mm]" in expected.splitlines()[0]
    assert all(float(row["probes.tip.uy_min [mm]"]) < -1 for row in sweep.table)
    (sweep.folder / "sweep.csv").unlink()
    subprocess.run([sim, "sweep", str(sweep.folder), "--collect", "--quiet"], check=True)
    assert table(sweep) == expected


def test_misspelt_columns_of_results_are_refused_before_a_run(scene: resile.Scene, tmp_path: Path) -> None:
    for results, name in [("tota:final", "total"), (["probes.tip.x"], "known")]:
        with pytest.raises(resile.UnknownNameError, match=name):
            resile.sweep(scene, {"gravity[1]": [-9.81]}, tmp_path / "sweep", results=results)
    assert not (tmp_path / "sweep").exists()


INTERRUPTED = """
import os, signal, sys, threading, time
from pathlib import Path
import resile

def interrupt():
    while len(list(Path("sweep/runs").glob("*/history.csv"))) < 2:
        time.sleep(0.05)
    if sys.argv[1] == "group":
        os.killpg(0, signal.SIGINT)
    else:
        os.kill(os.getpid(), getattr(signal, sys.argv[1]))

if __name__ == "__main__":
    threading.Thread(target=interrupt).start()
    try:
        resile.sweep("endless.ron", {"gravity[1]": "-10:-9:6"}, "sweep", jobs=2)
    except KeyboardInterrupt as error:
        print(error.__notes__[0])
"""


@pytest.mark.skipif(os.name == "nt", reason="there are no groups of processes")
@pytest.mark.parametrize("end", ["group", "SIGINT", "SIGKILL"])
def test_the_end_of_a_sweep_ends_its_runs_and_begins_no_others(
    scene: resile.Scene, end: str, tmp_path: Path
) -> None:
    # More steps than the test has time.
    scene.update({"time.duration": 1e6, "output.formats": []})
    (tmp_path / "endless.ron").write_text(scene.to_ron())
    (tmp_path / "interrupted.py").write_text(INTERRUPTED)
    done = subprocess.run(
        [sys.executable, "interrupted.py", end],
        capture_output=True, text=True, timeout=120, cwd=tmp_path, start_new_session=True,
    )  # fmt: skip
    if end != "SIGKILL":
        assert done.stdout.startswith("to continue, call resile.sweep again"), done.stdout + done.stderr
        assert not done.stderr
    # The output ends with the last worker, which has it from its parent.
    summaries = sorted((tmp_path / "sweep" / "runs").glob("*/summary.json"))
    assert [json.loads(path.read_text())["status"] for path in summaries] == ["interrupted"] * 2


def test_failed_run_has_its_reason(scene: resile.Scene, tmp_path: Path) -> None:
    scene.update({"bodies.lower.velocity": (0, -5, 0), "solver.max_halvings": 0, "output.formats": []})
    vary = {"solver.max_iterations": [1, 50]}
    sweep = resile.sweep(scene, vary, tmp_path / "failed", executor=Serial())
    first, second = sweep.table
    assert first["status"] == "failed" and first["reason"] and not first["total_final"]
    assert second["status"] == "complete" and not second["reason"]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"steps": -1}, resile.ArgumentError),
        ({"steps": 1.5}, TypeError),
        ({"seed": "a"}, TypeError),
        ({"seed": -1}, resile.ArgumentError),
        ({"runs": 2.0}, TypeError),
        ({"jobs": 0}, resile.ArgumentError),
        ({"jobs": 1.5}, TypeError),
        ({"executor": 5}, TypeError),
        ({"progress": 5}, TypeError),
        ({"results": 5}, TypeError),
        ({"results": [5]}, TypeError),
        ({"vary": ["a"]}, TypeError),
        ({"vary": {"gravity[1]": -9.81}}, TypeError),
        ({"vary": {"gravity[1]": b"0:1:2"}}, TypeError),
        ({"out": ""}, resile.ArgumentError),
    ],
)
def test_arguments_of_sweeps_are_not_ignored(
    scene: resile.Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: dict[str, Any], error: type[Exception]
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = {"vary": {"gravity[1]": [-9.81]}, "out": "sweep", **wrong}
    with pytest.raises(error):
        resile.sweep(scene, **arguments)
    assert not list(tmp_path.iterdir())


def test_integers_of_numpy_are_integers(scene: resile.Scene, tmp_path: Path) -> None:
    sweep = resile.sweep(
        scene, {"gravity[1]": "-10:-9"}, tmp_path / "sweep", design="random", executor=Serial(),
        runs=np.int64(2), seed=np.uint8(3), steps=np.int32(1),  # type: ignore[arg-type]
    )  # fmt: skip
    assert [row["steps"] for row in sweep.table] == ["1", "1"]
    with pytest.raises(IndexError):
        sweep.run(-1)
    with pytest.raises(resile.FileError, match="no table of a sweep"):
        resile.Sweep(tmp_path / "other").to_pandas()


@pytest.mark.parametrize("progress", [True, False, None])
def test_progress_may_be_a_boolean(
    progress: bool | None, longer: resile.Scene, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vary = {"bodies.lower.friction": [0.1, 0.2]}
    sweep = resile.sweep(longer, vary, tmp_path / "sweep", steps=1, executor=Serial(), progress=progress)
    assert len(sweep.table) == 2
    assert len(resile.run_many([longer, longer], steps=1, progress=progress)) == 2
    # A progress line is for terminals.
    assert capsys.readouterr().err == ""
    with pytest.raises(TypeError, match="True, False or a function"):
        resile.run_many([longer], progress=3)  # type: ignore[arg-type]


def test_progress_of_runs_is_displayed(capsys: pytest.CaptureFixture[str]) -> None:
    from resile._progress import RunsProgress

    line = RunsProgress("dice")
    line.in_terminal = True
    for ended in range(4):
        line(ended, 3)
    written = capsys.readouterr().err
    assert "dice: 0 of 3 runs" in written and written.endswith("dice: 3 of 3 runs, 0 s left\n")


@pytest.mark.parametrize("linked", ["runs/000001", "runs"])
def test_links_in_the_folder_of_a_sweep_are_not_followed(
    linked: str, longer: resile.Scene, tmp_path: Path
) -> None:
    own, out = tmp_path / "own", tmp_path / "sweep"
    resile.run(longer, own / "000001", progress=False, steps=1)
    (own / "000001" / "checkpoint").unlink()
    before = (own / "000001" / "history.csv").read_bytes()
    (out / "runs").mkdir(parents=True)
    if linked == "runs":
        (out / "runs").rmdir()
    (out / linked).symlink_to(own if linked == "runs" else own / "000001")
    with pytest.raises(resile.FileError, match="is a link"):
        resile.sweep(longer, {"bodies.lower.friction": [0, 1]}, out, steps=2, executor=Serial())
    assert (own / "000001" / "history.csv").read_bytes() == before
