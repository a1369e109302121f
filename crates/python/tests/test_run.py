"""Runs and what they have written."""

from __future__ import annotations

import gc
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import resile

SAME = ["total", "kinetic", "momentum_x", "min_distance", "newton_iterations"]


def history_without_seconds(folder: Path) -> list[list[str]]:
    rows = [line.split(",") for line in (folder / "history.csv").read_text().splitlines()]
    seconds = rows[0].index("seconds")
    return [row[:seconds] + row[seconds + 1 :] for row in rows]


def test_a_run_tells_what_happened(scene: resile.Scene, tmp_path: Path) -> None:
    seen: list[int] = []
    run = resile.run(scene, tmp_path / "run", progress=lambda steps, *_: seen.append(steps))
    assert run.status == "complete" and run.summary["steps_done"] == 20
    assert seen[-1] == 20 and seen == sorted(seen)
    assert run.bodies == ["lower", "upper"]
    assert len(run.history["total"]) == 21 and run.history["total"].dtype == np.float64
    assert np.all(np.isfinite(run.history["total"]))
    with pytest.raises(resile.UnknownNameError, match='"kinetic"'):
        run.history["kinetik"]
    assert (tmp_path / "run" / "scene.ron").read_text() == scene.to_ron()
    assert resile.open_run(tmp_path / "run").summary == run.summary


def test_frames_are_views_that_keep_their_base(scene: resile.Scene) -> None:
    run = resile.run(scene, progress=False)
    frame = run.frames[-1]
    assert len(run.frames) == len(run.times) and frame.time == run.times[-1] == 0.2
    x = frame.positions("upper")
    assert x.shape == (8, 3) and x.dtype == np.float32
    assert x.base is not None and np.shares_memory(x, frame.positions())
    assert not x.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        x[0, 0] = 1
    mean = x.mean()
    del frame, run
    gc.collect()
    assert x.mean() == mean
    assert np.isfinite(x).all()


def test_names_and_numbers_of_frames_are_checked(scene: resile.Scene) -> None:
    run = resile.run(scene, progress=False)
    with pytest.raises(resile.UnknownNameError, match='did you mean "upper"'):
        run.frames[0].positions("uper")
    with pytest.raises(IndexError):
        run.frames[1000]
    with pytest.raises(IndexError):
        run.frames[-1000]
    with pytest.raises(resile.UnknownNameError):
        run.frames[0].field("stress", "upper")
    assert [frame.number for frame in run.frames[:2]] == [0, 1]
    assert run.triangles("upper").shape == (12, 3) and run.triangles("upper").max() == 7


def test_a_temporary_run_goes_with_its_object(scene: resile.Scene) -> None:
    run = resile.run(scene, progress=False)
    folder = run.folder
    assert folder.is_dir()
    del run
    gc.collect()
    assert not folder.exists()


def test_a_folder_with_a_run_is_not_overwritten(scene: resile.Scene, tmp_path: Path) -> None:
    resile.run(scene, tmp_path / "run", progress=False)
    with pytest.raises(resile.FileError, match="force=True"):
        resile.run(scene, tmp_path / "run", progress=False)
    with pytest.raises(resile.ArgumentError, match="either resumed or begun anew"):
        resile.run(scene, tmp_path / "run", resume=True, force=True)
    resile.run(scene, tmp_path / "run", force=True, progress=False)


def test_a_resumed_run_is_the_run(scene: resile.Scene, tmp_path: Path) -> None:
    resile.run(scene, tmp_path / "whole", progress=False)
    first = resile.run(scene, tmp_path / "parts", steps=7, progress=False)
    assert first.summary["steps_done"] == 7
    resile.run(scene, tmp_path / "parts", resume=True, progress=False)
    assert history_without_seconds(tmp_path / "parts") == history_without_seconds(tmp_path / "whole")
    scene["bodies.upper.friction"] = 0.1
    with pytest.raises(resile.FileError):
        resile.run(scene, tmp_path / "parts", resume=True, progress=False)


def test_a_run_is_the_same_on_any_number_of_threads(scene: resile.Scene, tmp_path: Path) -> None:
    for threads in (1, 2, 3):
        resile.run(scene, tmp_path / str(threads), threads=threads, progress=False)
    first, *others = (history_without_seconds(tmp_path / str(threads)) for threads in (1, 2, 3))
    assert all(other == first for other in others)


@pytest.mark.parametrize("threads", [0, -1, 10**6])
def test_impossible_numbers_of_threads_are_refused(scene: resile.Scene, threads: int) -> None:
    with pytest.raises((resile.ArgumentError, OverflowError)):
        resile.run(scene, threads=threads, progress=False)


def test_many_runs_are_the_runs_alone(scene: resile.Scene, tmp_path: Path) -> None:
    scenes = []
    for friction in (0.0, 0.2, 0.4):
        scene["bodies.upper.friction"] = friction
        scenes.append(resile.Scene.from_ron(scene.to_ron(), name=f"friction-{friction}"))
    ended: list[tuple[int, int]] = []
    runs = resile.run_many(scenes, tmp_path / "many", threads=2, progress=lambda *counts: ended.append(counts))
    assert ended[-1] == (3, 3)
    for number, one in enumerate(scenes):
        alone = resile.run(one, progress=False)
        made = runs[number]
        assert isinstance(made, resile.Run)
        assert history_without_seconds(made.folder) == history_without_seconds(alone.folder)
        assert made.summary["threads"] == 1 and made.summary["wall_seconds"] > 0


def test_one_failure_among_many_does_not_stop_the_others(scene: resile.Scene, tmp_path: Path) -> None:
    bad = resile.Scene.from_ron(scene.to_ron())
    bad["bodies.upper.placement.translate"] = (0, 0.1, 0)
    stuck = resile.Scene.from_ron(scene.to_ron())
    stuck.update({"solver.max_iterations": 1, "solver.max_halvings": 0, "solver.tolerance": 1e-12})
    for out in (None, tmp_path / "runs"):
        good, bent, failed, last = resile.run_many([scene, bad, stuck, scene], out, threads=2)
        for whole in (good, last):
            assert isinstance(whole, resile.Run) and whole.status == "complete"
        assert isinstance(bent, resile.SceneError)
        assert isinstance(failed, resile.StepError) and "could not be advanced" in str(failed)
        assert failed.run is not None and failed.run.status == "failed" and len(failed.run.frames) > 0
    assert resile.run_many([]) == []


def test_a_run_in_memory_saved_is_the_run_in_a_folder(scene: resile.Scene, tmp_path: Path) -> None:
    scene["output.fields"] = "[Displacement]"
    [made] = resile.run_many([scene], tmp_path / "many")
    [held] = resile.run_many([scene])
    assert isinstance(made, resile.Run) and isinstance(held, resile.Run)
    assert "in memory" in repr(held) and made.nbytes == 0
    saved = held.save(tmp_path / "saved")
    copied = made.save(tmp_path / "copied")
    names = sorted(path.relative_to(made.folder) for path in made.folder.rglob("*"))
    timed = {"history.csv", "summary.json", "checkpoint"}
    for copy in (saved, copied):
        assert names == sorted(path.relative_to(copy.folder) for path in copy.folder.rglob("*"))
        for name in names:
            if (copy.folder / name).is_file() and not (name.name in timed and copy is saved):
                assert (copy.folder / name).read_bytes() == (made.folder / name).read_bytes(), name
        assert history_without_seconds(copy.folder) == history_without_seconds(made.folder)
    assert held.nbytes == sum(path.stat().st_size for path in saved.folder.rglob("*") if path.is_file())
    with pytest.raises(resile.FileError, match="force=True"):
        held.save(tmp_path / "saved")
    held.save(tmp_path / "saved", force=True)


def test_a_run_in_memory_is_used_as_one_in_a_folder(scene: resile.Scene, tmp_path: Path) -> None:
    [made] = resile.run_many([scene], tmp_path / "many")
    [held] = resile.run_many([scene])
    assert isinstance(made, resile.Run) and isinstance(held, resile.Run)
    again = pickle.loads(pickle.dumps(held))
    for run in (held, again):
        assert run.summary["newton_iterations"] == made.summary["newton_iterations"]
        assert run.bodies == made.bodies and np.array_equal(run.times, made.times)
        assert np.array_equal(run.frames[-1].positions(), made.frames[-1].positions())
        for name, column in made.history.items():
            assert name == "seconds" or np.array_equal(run.history[name], column, equal_nan=True), name
        assert run.nbytes == held.nbytes > 1000
        with pytest.raises(resile.FileError, match="no table `probes`"):
            run.table("probes")
    # What needs a folder gets one, which goes with the object.
    assert held.verify().ok and held.render(tmp_path / "film.gif", size=(32, 24)).is_file()
    folder = held.folder
    assert folder.is_dir() and pickle.loads(pickle.dumps(held)).folder != folder
    del held, run
    gc.collect()
    assert not folder.exists()


def test_a_step_that_fails_is_an_exception_with_the_run(scene: resile.Scene) -> None:
    scene.update({"solver.max_iterations": 1, "solver.max_halvings": 0, "solver.tolerance": 1e-12})
    with pytest.raises(resile.StepError) as caught:
        resile.run(scene, progress=False)
    assert caught.value.run is not None and caught.value.run.status == "failed"
    assert caught.value.remedy
    simulation = resile.Simulation(scene)
    with pytest.raises(resile.StepError):
        simulation.step(20)
    before = simulation.steps
    assert before < 20 and np.isfinite(simulation.positions("upper")).all()


INTERRUPTED = """
import os, signal, sys, threading, time, resile
scene = resile.Scene.load("dice")
folder = sys.argv[1]
def hit(steps, *_):
    if steps >= 3:
        os.kill(os.getpid(), signal.SIGINT)
try:
    resile.run(scene, folder, progress=hit)
except KeyboardInterrupt as stop:
    print("resume=True" in "".join(stop.__notes__))
"""


def test_ctrl_c_leaves_a_run_that_can_be_resumed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(folder)], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.strip() == "True", done.stderr
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["status"] == "interrupted" and summary["steps_done"] >= 3
    dice = resile.Scene.load("dice")
    steps = summary["steps_done"] + 1
    resumed = resile.run(dice, folder, resume=True, steps=steps, progress=False)
    whole = resile.run(dice, tmp_path / "whole", steps=steps, progress=False)
    assert resumed.summary["steps_done"] == steps
    assert history_without_seconds(folder) == history_without_seconds(whole.folder)


def test_an_exception_in_progress_ends_the_run_in_order(scene: resile.Scene, tmp_path: Path) -> None:
    def refuse(*_: object) -> None:
        raise ZeroDivisionError("on purpose")

    with pytest.raises(ZeroDivisionError):
        resile.run(scene, tmp_path / "run", progress=refuse)
    assert (tmp_path / "run" / "checkpoint").is_file()


def test_frames_pass_the_independent_check(scene: resile.Scene) -> None:
    report = resile.run(scene, progress=False).verify()
    assert report.ok and report["frames"] > 1
    assert report["crossing_count"] == 0


def test_a_film_a_picture_and_a_page(scene: resile.Scene, tmp_path: Path) -> None:
    run = resile.run(scene, progress=False)
    film = run.render(tmp_path / "film.mp4", size=(64, 48), fps=10)
    assert b"ftyp" in film.read_bytes()[:16]
    picture = run.render(tmp_path / "picture.png", at=0.1, size=(64, 48))
    cut = run.render(tmp_path / "cut.png", at=0.1, size=(64, 48), section=(1, 0, 0, 0))
    assert cut.read_bytes() != picture.read_bytes()
    assert picture.read_bytes().startswith(b"\x89PNG")
    page = run.view(tmp_path / "run.html")
    assert page.path.read_text().lower().startswith("<!doctype html>")
    assert page._repr_html_().startswith("<iframe srcdoc=")
    with pytest.raises(resile.FileError, match="force=True"):
        run.render(picture, at=0.1, size=(32, 24))
    assert run.render(picture, at=0.1, size=(32, 24), force=True).is_file()
    with pytest.raises(resile.ArgumentError):
        run.render(tmp_path / "film.avi")
    for name, value in [("size", (-64, 48)), ("size", (64,)), ("section", (0, 1, 0)), ("view", 1), ("range", (1, 2, 3))]:
        with pytest.raises(resile.ArgumentError, match=name):
            run.render(tmp_path / "other.mp4", **{name: value})
    for given in ([32, 24], np.array([32, 24])):
        assert run.render(tmp_path / "other.png", at=0, size=given, view=np.array([1, 1, 1]), force=True).is_file()
    with pytest.raises(resile.ArgumentError):
        run.render(tmp_path / "film.mp4", size=(0, 0))
    with pytest.raises(TypeError):
        run.render(tmp_path / "film.mp4", colour="body")


def test_the_history_is_a_data_frame(scene: resile.Scene) -> None:
    pandas = pytest.importorskip("pandas")
    run = resile.run(scene, progress=False)
    frame = run.history.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "time"
    assert np.array_equal(frame["total"].to_numpy(), run.history["total"])


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(resile.FileError):
        resile.open_run(tmp_path)
    with pytest.raises(resile.FileError):
        resile.verify(str(tmp_path))


def sim() -> Path | None:
    """The program, where it was built with the same compiler flags."""
    named = os.environ.get("RESILE_SIM", "")
    return Path(named) if named else None


@pytest.mark.skipif(sim() is None, reason="RESILE_SIM does not name the program")
@pytest.mark.parametrize("name", ["first", "cubes"])
def test_the_program_the_run_and_a_loop_of_steps_are_equal_to_the_bit(
    name: str, scene: resile.Scene, tmp_path: Path
) -> None:
    if name == "first":
        scene = resile.Scene.load("first")
        scene["time.duration"] = 0.3
    file = tmp_path / f"{name}.ron"
    file.write_text(scene.to_ron())
    program = sim()
    assert program is not None
    subprocess.run([program, "run", file, "-o", tmp_path / "sim", "-q"], check=True, timeout=300)
    run = resile.run(resile.Scene.load(file), tmp_path / "python", progress=False)
    assert history_without_seconds(tmp_path / "sim") == history_without_seconds(run.folder)
    for path in sorted((tmp_path / "sim" / "frames").iterdir()):
        assert path.read_bytes() == (run.folder / "frames" / path.name).read_bytes(), path.name
    simulation = resile.Simulation(resile.Scene.load(file))
    totals = [simulation.energies()["total"]]
    for _ in range(simulation.steps_asked):
        simulation.step()
        totals.append(simulation.energies()["total"])
    assert np.array_equal(np.array(totals), run.history["total"])
    for body in run.bodies:
        # Frames of a solid have the vertices of its boundary.
        drawn = simulation.points(body)[np.unique(simulation.triangles(body))]
        assert np.array_equal(drawn.astype(np.float32), run.frames[-1].positions(body))


def test_signals_are_listened_to_while_a_simulation_steps() -> None:
    code = """
import os, signal, threading, resile
simulation = resile.Simulation(resile.Scene.load("dice"))
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    simulation.step(100000)
except KeyboardInterrupt:
    steps = simulation.steps
    simulation.step()
    print(simulation.steps == steps + 1)
"""
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() == "True", done.stderr
    assert signal.SIGINT and time.monotonic() - began < 300


def test_tables_that_a_run_lacks_are_told_with_what_the_scene_lacks(scene: resile.Scene, tmp_path: Path) -> None:
    held = resile.run_many([scene])[0]
    assert isinstance(held, resile.Run)
    for run in [resile.run(scene, tmp_path / "run", progress=False), held]:
        with pytest.raises(resile.FileError, match="no table `bodies`") as lacking:
            run.table("bodies")
        assert "tables: [Bodies]" in lacking.value.remedy and "/" not in str(lacking.value)
        with pytest.raises(resile.UnknownNameError, match="did you mean \"bodies\"") as unknown:
            run.table("bodys")
        assert "history" in unknown.value.known
    scene["output.tables"] = ["Bodies"]
    assert len(resile.run(scene, progress=False).table("bodies")["time"]) > 0


def test_a_run_is_not_replaced_by_itself(scene: resile.Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = resile.run(scene, tmp_path / "run", progress=False, steps=2)
    (tmp_path / "link").symlink_to(run.folder)
    monkeypatch.chdir(tmp_path)
    folders: list[Path | str] = [run.folder, Path("run"), "run/../run/", "link"]
    for folder in folders:
        with pytest.raises(resile.ArgumentError, match="another folder"):
            run.save(folder, force=True)
    assert len(resile.open_run("run").frames) == len(run.frames) > 0


def test_run_many_replaces_no_run_through_a_link(scene: resile.Scene, tmp_path: Path) -> None:
    own = resile.run(scene, tmp_path / "own", progress=False, steps=1)
    before = (own.folder / "history.csv").read_bytes()
    (tmp_path / "many").mkdir()
    (tmp_path / "many" / "1").symlink_to(own.folder)
    with pytest.raises(resile.FileError, match="1 is a link"):
        resile.run_many([scene, scene], tmp_path / "many", force=True, steps=2)
    assert (own.folder / "history.csv").read_bytes() == before
    assert not (tmp_path / "many" / "0").exists()


def test_messages_of_saving_and_loading_name_arguments_that_exist(scene: resile.Scene, tmp_path: Path) -> None:
    run = resile.run(scene, tmp_path / "run", progress=False, steps=1)
    held = resile.run_many([scene], steps=1)[0]
    assert isinstance(held, resile.Run)
    run.save(tmp_path / "other")
    for saved in (run, held):
        with pytest.raises(resile.FileError, match="already holds a run") as caught:
            saved.save(tmp_path / "other")
        assert "force=True" in str(caught.value)
        assert "resume" not in str(caught.value) and "`out`" not in str(caught.value)
    with pytest.raises(resile.ArgumentError) as refused:
        resile.Simulation(scene).load(b"abc")
    assert "force" not in str(refused.value) and "put back" not in str(refused.value)
    assert "save() of a simulation of the same scene" in str(refused.value)


def test_a_misspelt_scene_is_answered_with_the_likely_name() -> None:
    with pytest.raises(resile.FileError, match='did you mean "first"'):
        resile.Scene.load("frist")


@pytest.mark.parametrize("wrong", [0, None, b"upper", 1.5])
def test_names_and_indices_of_another_type_are_type_errors(scene: resile.Scene, wrong: Any) -> None:
    run = resile.run(scene, progress=False, steps=1)
    frame, contacts = run.frames[0], resile.Simulation(scene).contacts()
    for call in [run.table, run.history.__getitem__, run.triangles, frame.field, contacts.on]:
        with pytest.raises(TypeError, match="the name of a"):
            call(wrong)
    if wrong is not None:
        with pytest.raises(TypeError, match="the name of a body"):
            frame.positions(wrong)
    if wrong != 0:
        with pytest.raises(TypeError, match="integer"):
            run.frames[wrong]


def test_arguments_of_runs_are_not_ignored(scene: resile.Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wrong: dict[str, Any] = {"progress": 5, "resume": True, "out": "", "threads": 0, "steps": -1}
    for name, value in wrong.items():
        for call in (lambda **given: resile.run(scene, **given), lambda **given: resile.run_many([scene], **given)):
            with pytest.raises(TypeError if name == "progress" else resile.ArgumentError, match=name if name != "out" else "folder"):
                call(**{name: value})
    for scenes in (scene, "first"):
        with pytest.raises(TypeError, match="list of scenes"):
            resile.run_many(scenes)  # type: ignore[arg-type]
    (tmp_path / "file").touch()
    with pytest.raises(resile.ArgumentError, match="folder is empty"):
        resile.run_many([scene], steps=0)[0].save("")  # type: ignore[union-attr]
    with pytest.raises(resile.FileError, match="cannot create"):
        resile.run_many([scene], tmp_path / "file")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_a_message_about_a_lost_frame_names_arguments_of_python(scene: resile.Scene, tmp_path: Path) -> None:
    run = resile.run(scene, tmp_path / "run", progress=False, steps=2)
    for frame in (tmp_path / "run" / "frames").glob("frame_*"):
        frame.unlink()
    with pytest.raises(resile.FileError, match="force=True") as caught:
        run.frames[0].positions()
    assert "--force" not in str(caught.value)


def test_names_in_tables_are_texts(scene: resile.Scene, tmp_path: Path) -> None:
    names = ["7", 'a, "b"']
    scene["output"] = "(tables: [Bodies, Contacts, Momentum, Poses])"
    for place, name in zip(("lower", "upper"), names, strict=True):
        scene[f"bodies.{place}.name"] = json.dumps(name)
    scene["bodies[1].kind"] = "Affine"
    scene["output.probes"] = [{"name": "tip, top", "at": {"Point": {"body": "7", "point": [0, 0.11, 0]}}}]
    scene["bodies[0].velocity"] = (0, -1, 0)
    run = resile.run(scene, tmp_path / "run", progress=False)
    for source in (run, pickle.loads(pickle.dumps(run)), *resile.run_many([scene])):
        assert not isinstance(source, Exception)
        bodies = source.table("bodies")
        assert bodies["body"].dtype.kind == "U" and bodies["body"].tolist()[:2] == names
        assert set(bodies["island"]) <= set(names) and bodies["island"].shape == bodies["body"].shape
        assert bodies["rest"].dtype.kind == "U" and set(bodies["rest"]) <= {"", "slow", "unresolved"}
        # Columns behind a name with a comma have their own numbers.
        assert bodies["com_x"].dtype == bodies["step"].dtype == np.float64
        assert np.isfinite(bodies["com_y"]).all() and np.isnan(bodies["target"][0])
        upper = bodies["body"] == names[1]
        assert upper.sum() == 21 and np.allclose(bodies["com_y"][upper][0], 0.18)
        contacts = source.table("contacts")
        assert {"7", "floor"} <= {*contacts["first"], *contacts["second"]}
        for name in ("momentum", "poses"):
            assert set(source.table(name)["body"]) <= set(names), name
        probes = source.table("probes")
        assert set(probes["probe"]) == {"tip, top"} and np.allclose(probes["y"][0], 0.11)
        assert not bodies["body"].flags.writeable
        assert source.history["total"].dtype == np.float64


def test_tables_of_names_become_data_frames(scene: resile.Scene) -> None:
    pytest.importorskip("pandas")
    scene["output.tables"] = ["Bodies"]
    bodies = resile.run(scene, progress=False).table("bodies").to_pandas()
    upper = bodies[bodies.body == "upper"]
    assert len(upper) == 21 and upper.com_y.iloc[0] == pytest.approx(0.18)
    assert set(bodies.groupby("body").groups) == {"lower", "upper"}
