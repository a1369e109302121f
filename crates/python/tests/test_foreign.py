"""Files of other programs: scripts of IPC, problems of PolyFEM, decks of Abaqus."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest

import resile

ROOT = Path(__file__).resolve().parents[3]
DECK = ROOT / "crates" / "import" / "tests" / "decks" / "cube-pulled.inp"

SCRIPT = """energy NH
timeIntegration BE
time 0.1 0.02
density 900
stiffness 2e5 0.3
view orthographic
shapes input 1
meshes/cube.msh 0 1 0  0 0 0  1 1 1
ground 0.1 0
"""

PROBLEM = {
    "geometry": [
        {"mesh": "meshes/cube.msh", "volume_selection": 1, "transformation": {"translation": [0, 1, 0]}},
        {"type": "plane", "point": [0, 0, 0], "normal": [0, 1, 0], "is_obstacle": True},
    ],
    "contact": {"enabled": True, "dhat": 0.001},
    "time": {"tend": 0.1, "dt": 0.02},
    "materials": {"type": "NeoHookean", "E": 2e5, "nu": 0.3, "rho": 900},
    "boundary_conditions": {"rhs": [0, 9.81, 0]},
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """A script, a problem and a deck. The first two name a mesh in a folder beside them."""
    corners = np.array([[x, y, z] for z in (0, 0.1) for y in (0, 0.1) for x in (0, 0.1)])
    tets = [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]]
    (tmp_path / "meshes").mkdir()
    resile.mesh.TetMesh(corners, tets).write(tmp_path / "meshes" / "cube.msh")
    (tmp_path / "script.txt").write_text(SCRIPT)
    (tmp_path / "problem.json").write_text(json.dumps(PROBLEM))
    (tmp_path / "deck.inp").write_text(DECK.read_text())
    return {name: tmp_path / name for name in ("script.txt", "problem.json", "deck.inp")}


NAMES = ["script.txt", "problem.json", "deck.inp"]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", NAMES)
def test_foreign_files_run_as_scenes_and_are_pickled(
    files: dict[str, Path], name: str, tmp_path: Path
) -> None:
    scene = resile.Scene.load(files[name])
    assert scene.origin == files[name] and scene.name == files[name].stem
    assert scene.to_ron().lstrip().startswith(("//", "("))
    run = resile.run(files[name], progress=False, steps=2)
    assert run.summary["steps_done"] >= 1
    assert isinstance(scene.check(), list)
    for twin in (pickle.loads(pickle.dumps(scene)), copy.deepcopy(scene)):
        assert twin == scene and twin.origin == scene.origin
        twin["time.duration"] = scene.duration / 2
        again = resile.run(twin, progress=False, steps=2)
        assert np.array_equal(again.frames[0].positions(run.bodies[0]), run.frames[0].positions(run.bodies[0]))
    if name != "deck.inp":
        simulation = resile.Simulation(scene)
        simulation.step(1)
        assert simulation.steps == 1
        table = resile.sweep(scene, {"time.step": ["0.02", "0.01"]}, tmp_path / "sweep", progress=False)
        assert (tmp_path / "sweep" / "sweep.csv").read_text().count("complete") == 2, table


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.skipif("RESILE_SIM" not in os.environ, reason="RESILE_SIM does not name the program")
@pytest.mark.parametrize("name", NAMES)
def test_foreign_files_run_as_in_the_program(files: dict[str, Path], name: str, tmp_path: Path) -> None:
    program = [os.environ["RESILE_SIM"], "run", str(files[name]), "-o", str(tmp_path / "sim"), "-q"]
    subprocess.run(program, check=True, timeout=300, capture_output=True)
    run = resile.run(files[name], tmp_path / "python", progress=False)

    def history(folder: Path) -> list[list[str]]:
        rows = [line.split(",") for line in (folder / "history.csv").read_text().splitlines()]
        seconds = rows[0].index("seconds")
        return [row[:seconds] + row[seconds + 1 :] for row in rows]

    assert history(tmp_path / "sim") == history(run.folder)


def test_substitutes_are_warned_about_where_the_file_is_loaded(files: dict[str, Path]) -> None:
    with pytest.warns(UserWarning, match="problem.json: masses are those of nodes") as noted:
        resile.Scene.load(files["problem.json"])
    assert {str(warning.filename) for warning in noted} == {__file__}
    # A deck has no units, so that the magnitudes of its numbers mean nothing.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problems = resile.Scene.load(files["deck.inp"]).check()
    assert not [problem for problem in problems if "density is" in problem.message]


def test_features_without_counterpart_and_unknown_decks_are_refused(files: dict[str, Path], tmp_path: Path) -> None:
    problem = {**PROBLEM, "contact": {"enabled": True, "dhat": 0.001, "collision_mesh": {"enabled": True}}}
    problem["materials"] = {"type": "NoSuchLaw", "E": 1, "nu": 0.1, "rho": 1}
    files["problem.json"].write_text(json.dumps(problem))
    with pytest.raises(resile.FileError, match="problem.json.*NoSuchLaw"):
        resile.Scene.load(files["problem.json"])
    (tmp_path / "other.inp").write_text("something else\n")
    with pytest.raises(resile.FileError, match="HEADING"):
        resile.Scene.load(tmp_path / "other.inp")
