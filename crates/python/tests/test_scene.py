"""Scenes: reading, setting, refusing."""

from __future__ import annotations

import copy
import json
import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import resile


def test_scenes_inside_the_library_can_be_listed_and_loaded() -> None:
    names = resile.scenes()
    assert "dice" in names and "rods/knot" in names
    assert all(about for about in names.values())
    dice = resile.Scene.load("dice")
    assert dice.name == "dice" and dice.bodies == ["die"] and dice.step == 1 / 120


def test_a_file_is_read_as_it_is(tmp_path: Path, scene: resile.Scene) -> None:
    path = tmp_path / "mine.ron"
    path.write_text(scene.to_ron())
    assert resile.Scene.load(path).to_ron() == scene.to_ron()
    assert resile.Scene.load(str(path)).name == "mine"


def test_a_scene_of_version_1_is_told(tmp_path: Path, scene: resile.Scene) -> None:
    old = scene.to_ron().replace("version: 2", "version: 1")
    path = tmp_path / "old.ron"
    path.write_text(old)
    with pytest.warns(UserWarning, match="has version 1 of the format") as told:
        loaded = resile.Scene.load(path)
    assert told[0].filename == __file__
    assert loaded.to_ron() == old
    with pytest.warns(UserWarning, match="has version 1 of the format"):
        resile.Scene.from_json(scene.to_json().replace('"version": 2', '"version": 1'))


@pytest.mark.parametrize(
    ("path", "value", "text", "read"),
    [
        ("bodies.upper.friction", 0.3, "0.3", 0.3),
        ("bodies.upper.friction", 1, "1", 1),
        ("bodies[1].friction", np.float64(0.25), "0.25", 0.25),
        ("bodies[1].friction", np.longdouble(0.25), "0.25", 0.25),
        ("bodies.lower.shape.cells", (1, 2, 3), "(1, 2, 3)", (1, 2, 3)),
        ("gravity", np.array([0.0, -1.5, 0.0]), "(0.0, -1.5, 0.0)", (0.0, -1.5, 0.0)),
        ("time.step", "1/240", '"1/240"', "1/240"),
        ("time.step", Fraction(1, 240), '"1/240"', "1/240"),
        ("integrator", "Bdf2", "Bdf2", "Bdf2"),
        ("materials.rubber.model", "StVK(young: 2e5, poisson: 0.3)", "StVK(young: 2e5, poisson: 0.3)", None),
    ],
)
def test_what_is_set_is_written_and_read(
    scene: resile.Scene, path: str, value: object, text: str, read: object
) -> None:
    scene[path] = value
    assert scene.get(path) == text
    assert scene[path] == ({"StVK": {"young": 2e5, "poisson": 0.3}} if read is None else read)
    assert text in scene.to_ron() and "// Falls onto the first." in scene.to_ron()


def paths(fields: object, above: str = "") -> list[str]:
    """Every path of a scene, with the names of variants."""
    found = [above] if above else []
    if isinstance(fields, dict):
        for name, value in fields.items():
            name = f'"{name}"' if set(name) & set('.[]="') else name
            found += paths(value, f"{above}.{name}" if above else name)
    elif isinstance(fields, list):
        for index, value in enumerate(fields):
            found += paths(value, f"{above}[{index}]")
    return found


@pytest.mark.parametrize("name", resile.scenes())
def test_assigning_the_value_of_a_path_changes_nothing(name: str) -> None:
    scene = resile.Scene.load(name)
    before = scene.to_dict()
    for path in paths(before):
        changed = copy.copy(scene)
        changed[path] = scene[path]
        assert changed.to_dict() == before, path


def test_values_of_dicts_become_variants_words_texts_and_tuples(scene: resile.Scene) -> None:
    scene["contact"] = {"Barrier": {"d_hat": 1e-3, "kappa": 1e5, "friction_rule": "Mean"}}
    assert scene.get("contact") == "Barrier(d_hat: 0.001, kappa: 100000.0, friction_rule: Mean)"
    scene["bodies.lower.terms"] = [{"BodyForce": {"force": [0, "sin(t)", 0]}}]
    assert scene.get("bodies.lower.terms") == '[BodyForce(force: (0, "sin(t)", 0))]'
    scene["materials"] = {"rubber": scene["materials.rubber"]}
    assert scene["materials.rubber.model"] == {"NeoHookean": {"young": 1e5, "poisson": 0.3}}


def test_a_field_that_is_not_written_says_so(scene: resile.Scene) -> None:
    assert scene.get("solver.tolerance") is None
    with pytest.raises(resile.ArgumentError, match="no field `solver.tolerance`"):
        scene["solver.tolerance"]
    scene["solver.tolerance"] = 1e-4
    assert scene["solver.tolerance"] == 1e-4


@pytest.mark.parametrize(
    ("path", "value", "about", "remedy"),
    [
        ("bodies.upper.friction", -1, "zero or positive", None),
        ("bodies.upper.friction", float("nan"), "not a finite number", None),
        ("bodies.upper.friction", float("inf"), "not a finite number", None),
        ("bodies.upper.frictoin", 0.3, "frictoin", "friction"),
        ("bodies.upper.material", "ruber", 'no material named "ruber"', 'did you mean "rubber"?'),
        ("bodies.middle.friction", 0.3, "has no `middle`", "lower, upper"),
        ("time.step", -0.1, "positive", None),
        ("gravity", (0, 1), "gravity", None),
        ("a..b", 1, "is not a path", "path"),
    ],
)
def test_a_wrong_value_is_refused_and_changes_nothing(
    scene: resile.Scene, path: str, value: object, about: str, remedy: str | None
) -> None:
    before = scene.to_ron()
    with pytest.raises(resile.SceneError) as caught:
        scene.set(path, value)
    assert about in str(caught.value)
    assert remedy is None or remedy in caught.value.remedy
    assert scene.to_ron() == before
    assert isinstance(caught.value, ValueError)


def test_an_error_carries_path_value_and_remedy(scene: resile.Scene) -> None:
    with pytest.raises(resile.SceneError) as caught:
        scene["bodies.upper.material"] = "ruber"
    error = caught.value
    assert error.path == "bodies[1].material"
    assert error.value == "ruber"
    assert error.remedy == 'did you mean "rubber"?'
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.problems == error.problems


def test_all_that_is_wrong_is_told_at_once(scene: resile.Scene) -> None:
    text = scene.to_ron().replace("friction: 0.4", "friction: -1").replace("density: 1000", "density: 0")
    with pytest.raises(resile.SceneError) as caught:
        resile.Scene.from_ron(text)
    paths = {problem.path for problem in caught.value.problems}
    assert len(paths) >= 4, paths


def test_several_fields_are_set_together_or_not_at_all(scene: resile.Scene) -> None:
    scene.update({"bodies.upper.friction": 0.1, "bodies.lower.friction": 0.2})
    assert scene["bodies.upper.friction"] == 0.1
    before = scene.to_ron()
    with pytest.raises(resile.SceneError):
        scene.update({"bodies.upper.friction": 0.5, "bodies.lower.friction": -1})
    assert scene.to_ron() == before


@pytest.mark.parametrize("value", [object(), {1: 2}, 1j, b"x"])
def test_values_of_other_types_are_refused(scene: resile.Scene, value: object) -> None:
    with pytest.raises((resile.ArgumentError, TypeError)):
        scene.set("bodies.upper.friction", value)


def test_endless_values_are_refused(scene: resile.Scene) -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(resile.ArgumentError, match="nested too deeply"):
        scene.set("gravity", endless)


@pytest.mark.parametrize("arguments", [(3,), (None,), (b"x",)])
def test_wrong_types_are_type_errors(arguments: tuple[object, ...]) -> None:
    with pytest.raises(TypeError):
        resile.Scene.load(*arguments)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        resile.run(*arguments)  # type: ignore[arg-type]


def test_a_missing_file_says_where_scenes_are() -> None:
    with pytest.raises(resile.FileError, match="resile.scenes") as caught:
        resile.Scene.load("nowhere.ron")
    assert isinstance(caught.value, OSError)
    with pytest.raises(resile.FileError, match="rods/knot"):
        resile.Scene.load("knot")


def test_scenes_can_be_copied_and_pickled(scene: resile.Scene) -> None:
    scene["bodies.upper.friction"] = 0.125
    for other in (pickle.loads(pickle.dumps(scene)), copy.copy(scene), copy.deepcopy(scene)):
        assert other == scene and other.name == "cubes"
        other["bodies.upper.friction"] = 0.25
        assert scene["bodies.upper.friction"] == 0.125 and other != scene


def test_a_scene_checks_what_is_built(scene: resile.Scene) -> None:
    assert scene.check() == []
    scene["bodies.upper.placement.translate"] = (0, 0.1, 0)
    with pytest.raises(resile.SceneError, match="intersect"):
        scene.check()
    with pytest.raises(resile.SceneError, match="intersect"):
        resile.Simulation(scene)


def test_exceptions_are_one_family() -> None:
    for name in resile.__all__:
        thing = getattr(resile, name)
        if isinstance(thing, type) and issubclass(thing, Exception):
            assert issubclass(thing, resile.ResileError)


def test_dicts_and_json_give_the_same_scene(scene: resile.Scene, tmp_path: Path) -> None:
    fields = scene.to_dict()
    assert fields == json.loads(scene.to_json())
    fields["gravity"] = np.array([0.0, -1.5, 0.0])
    fields["time"]["step"] = Fraction(1, 240)
    changed = resile.Scene.from_dict(fields, name="cubes")
    assert changed.name == "cubes" and changed.step == 1 / 240 and changed["gravity"] == (0.0, -1.5, 0.0)
    path = tmp_path / "cubes.json"
    path.write_text(changed.to_json())
    assert resile.Scene.load(path) == changed
    changed["bodies.upper.friction"] = 0.125
    assert changed.to_dict()["bodies"][1]["friction"] == 0.125
    same = resile.Scene.from_json(scene.to_json())
    same_run, own_run = (resile.Simulation(s) for s in (same, scene))
    for simulation in (same_run, own_run):
        simulation.step(3)
    assert np.array_equal(same_run.positions("upper"), own_run.positions("upper"))


def test_wrong_dicts_are_refused_with_the_place(scene: resile.Scene) -> None:
    fields = scene.to_dict()
    fields["bodies"][0]["frition"] = 0.3
    with pytest.raises(resile.SceneError, match="frition"):
        resile.Scene.from_dict(fields)
    with pytest.raises(TypeError, match="no values of type object"):
        resile.Scene.from_dict({"version": object()})
    for wrong in ("", "{", "[]", "null", '{"version": 1}'):
        with pytest.raises(resile.SceneError):
            resile.Scene.from_json(wrong)


def test_a_scene_knows_which_fields_it_has(scene: resile.Scene) -> None:
    assert "bodies.upper.friction" in scene and "bodies.upper" in scene
    assert "bodies.upper.kind" not in scene and "bodies.nobody" not in scene and "" not in scene


def test_messages_about_fields_name_calls_of_python(scene: resile.Scene) -> None:
    for path, value in [("", 1), ("gravity", "(0, 1")]:
        with pytest.raises(resile.SceneError) as caught:
            scene.set(path, value)
        assert "--set" not in str(caught.value)
