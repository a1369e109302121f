"""A scene is the same however it is made: from RON, JSON or dicts, with overrides, or from the library."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import resile
from test_sweep import program, table

FIELDS: dict[str, Any] = {
    "version": 2,
    "materials": {"m": {"density": 1000, "model": {"NeoHookean": {"young": 1e5, "poisson": 0.3}}}},
    "bodies": [
        {
            "name": "cube",
            "shape": {"Box": {"size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}},
            "material": "m",
            "placement": {"translate": [0, 0.0508, 0]},
        }
    ],
    "obstacles": [{"Plane": {"name": "floor", "point": [0, 0, 0], "normal": [0, 1, 0]}}],
    "time": {"duration": 0.1},
}
"""A cube on a floor, whose contact has all defaults."""

TEXT = """(
    version: 2, // the text has a comment
    materials: {"m": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3))},
    bodies: [(name: "cube", shape: Box(size: (0.1, 0.1, 0.1), cells: (1, 1, 1)), material: "m",
        placement: (translate: (0, 0.0508, 0)))],
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0))],
    time: (duration: 0.1),
)"""


def from_file(folder: Path, name: str, text: str) -> resile.Scene:
    (folder / name).write_text(text)
    return resile.Scene.load(folder / name)


def with_overrides(_: Path) -> resile.Scene:
    scene = resile.Scene.from_dict({**FIELDS, "gravity": [0, 0, 0], "time": {"duration": 0.3}})
    scene["time.duration"] = 0.1
    del scene["gravity"]
    return scene


WAYS: dict[str, Callable[[Path], resile.Scene]] = {
    "RON": lambda _: resile.Scene.from_ron(TEXT),
    "RON file": lambda folder: from_file(folder, "scene.ron", TEXT),
    "JSON": lambda _: resile.Scene.from_json(json.dumps(FIELDS)),
    "JSON file": lambda folder: from_file(folder, "scene.json", json.dumps(FIELDS)),
    "JSON without its extension": lambda folder: from_file(folder, "scene.txt", json.dumps(FIELDS)),
    "dict": lambda folder: resile.Scene.from_dict(FIELDS, folder=folder),
    "dict of RON": lambda _: resile.Scene.from_dict(resile.Scene.from_ron(TEXT).to_dict()),
    "JSON of RON": lambda _: resile.Scene.from_json(resile.Scene.from_ron(TEXT).to_json()),
    "RON of dict": lambda _: resile.Scene.from_ron(resile.Scene.from_dict(FIELDS).to_ron()),
    "overrides": with_overrides,
}


def history(scene: resile.Scene, steps: int | None = None) -> bytes:
    columns = resile.run(scene, progress=False, steps=steps).history
    return b"".join(columns[name].tobytes() for name in columns if name != "seconds")


@pytest.mark.parametrize("way", [*WAYS, "library"])
def test_pickles_copies_and_sweeps_of_a_scene_are_the_scene(way: str, tmp_path: Path) -> None:
    scene = resile.Scene.load("first") if way == "library" else WAYS[way](tmp_path)
    expected = history(scene, 3)
    for other in (pickle.loads(pickle.dumps(scene)), copy.copy(scene), copy.deepcopy(scene)):
        assert other == scene and other.name == scene.name and other.to_ron() == scene.to_ron()
        assert history(other, 3) == expected
        assert pickle.loads(pickle.dumps(other)) == scene
    with resile.Simulation(scene) as simulation:
        simulation.step(2)
        with pickle.loads(pickle.dumps(simulation)) as again:
            simulation.step()
            again.step()
            assert np.array_equal(again.positions("cube"), simulation.positions("cube"))
    vary = {"bodies.cube.friction": [0.1, 0.2]}
    swept = resile.sweep(scene, vary, tmp_path / "sweep", steps=3, jobs=2)
    assert [row["status"] for row in swept.table] == ["complete"] * 2, swept.table
    own = resile.Scene.load("first") if way == "library" else resile.Scene.from_ron(TEXT)
    reference = resile.sweep(own, vary, tmp_path / "reference", steps=3, jobs=1)
    assert table(swept) == table(reference)


@pytest.mark.parametrize("way", WAYS)
def test_defaults_follow_the_fields_that_they_depend_on(way: str, tmp_path: Path) -> None:
    for path, value in [("materials.m.model.young", 1e8), ("bodies.cube.material", "steel")]:
        scene, expected = WAYS[way](tmp_path), resile.Scene.from_ron(TEXT)
        for changed in (scene, expected):
            assert changed.get("contact") is None
            changed[path] = value
        run, expected_run = (resile.run(s, progress=False, steps=5) for s in (scene, expected))
        assert history(scene, 5) == history(expected, 5)
        kappas = [resile.Scene.load(r.folder / "scene.ron").get("contact.kappa") for r in (run, expected_run)]
        assert kappas[0] == kappas[1] and float(str(kappas[0])) > 2e6


@pytest.mark.parametrize("way", WAYS)
def test_a_scene_has_the_fields_that_it_was_given(way: str, tmp_path: Path) -> None:
    scene = WAYS[way](tmp_path)
    assert scene.to_dict() == FIELDS
    assert json.loads(scene.to_json()) == FIELDS
    assert scene == resile.Scene.from_ron(scene.to_ron())
    for path in ("bodies.cube.attach", "bodies.cube.friction", "contact", "time.step", "solver"):
        assert path not in scene, path
    assert scene["bodies.cube.shape.size"] == (0.1, 0.1, 0.1)


def test_equal_dicts_give_equal_scenes() -> None:
    scene = resile.Scene.from_dict(FIELDS)
    assert scene == resile.Scene.from_dict(scene.to_dict())
    assert scene == resile.Scene.from_json(json.dumps(FIELDS, indent=3))


@pytest.mark.parametrize("sim", program())
def test_program_and_python_give_the_same_run_of_a_file(sim: str, tmp_path: Path) -> None:
    path = tmp_path / "cube.json"
    path.write_text(json.dumps(FIELDS))
    young = "materials.m.model.young=1e8"
    subprocess.run([sim, "run", path, "--set", young, "-o", tmp_path / "sim", "--quiet"], check=True)
    scene = resile.Scene.load(path)
    scene["materials.m.model.young"] = 1e8
    own = resile.run(scene, progress=False).history
    other = resile.open_run(tmp_path / "sim").history
    for name in own:
        assert name == "seconds" or np.array_equal(own[name], other[name], equal_nan=True), name
    # A file that `sim new` rewrites has the fields of the text alone, too.
    rewritten = tmp_path / "new.ron"
    subprocess.run([sim, "new", rewritten, "--from", path], check=True)
    assert resile.Scene.load(rewritten).to_dict() == FIELDS


@pytest.mark.parametrize("name", resile.scenes())
def test_dicts_keep_every_field_of_the_library(name: str) -> None:
    scene = resile.Scene.load(name)
    fields = scene.to_dict()
    if fields["version"] == 2:
        assert resile.Scene.from_dict(fields).to_dict() == fields


def test_none_is_an_omitted_field(tmp_path: Path) -> None:
    expected = history(resile.Scene.from_dict(FIELDS), 3)
    nothing = ["obstacles", "joints", "wind", "contact", "integrator", "solver", "initial", "output", "gravity"]
    optional = {name: None for name in nothing if name not in FIELDS}
    body = {**FIELDS["bodies"][0], "hold": None, "terms": None, "velocity": None, "friction": None, "kind": None}
    fields = {**FIELDS, **optional, "bodies": [body]}
    for way in (resile.Scene.from_dict(fields), from_file(tmp_path, "null.json", json.dumps(fields))):
        assert history(way, 3) == expected
        assert pickle.loads(pickle.dumps(way)) == way and way.to_dict() == fields
    scene = resile.Scene.from_ron(TEXT)
    for path in ("bodies.cube.hold", "bodies.cube.friction", "obstacles", "integrator", "bodies.cube.placement"):
        scene[path] = None
        assert scene[path] is None and path in scene
    with pytest.raises(resile.SceneError, match="bodies"):
        scene["bodies"] = None


def test_fields_are_removed() -> None:
    scene = resile.Scene.from_ron(TEXT)
    scene.update({"bodies.cube.friction": 0.1, "contact.kappa": 3e5, "bodies.cube.velocity": (1, 0, 0)})
    before = scene.to_ron()
    for path, about in [
        ("bodies", "bodies"),
        ("bodies.cube.name", "name"),
        ("bodies[0]", "bodies"),
        ("bodies.cube.hold", "no field"),
        ("bodies.nobody", "no field"),
        ("a..b", "no field"),
        ("", "no field"),
    ]:
        with pytest.raises((resile.SceneError, resile.ArgumentError), match=about):
            del scene[path]
        assert scene.to_ron() == before
    for path in ("bodies.cube.friction", "contact.kappa", "bodies.cube.velocity", "contact"):
        assert path in scene
        del scene[path]
        assert path not in scene and scene.get(path) is None
    assert scene.to_dict() == FIELDS and "// the text has a comment" in scene.to_ron()
    assert history(scene, 3) == history(resile.Scene.from_ron(TEXT), 3)
    # The removal is part of a pickle, too.
    assert pickle.loads(pickle.dumps(scene)) == scene
    with pytest.raises(TypeError):
        del scene[3]  # type: ignore[arg-type]
