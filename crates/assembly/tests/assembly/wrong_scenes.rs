//! Messages for errors in scenes.
//!
//! Every case is `dice.ron` as it stood when this was written, with one piece of
//! text replaced; what the snapshots show is meant to be read.

use super::twin::assert_told_the_same;
use resile_assembly::build;
use resile_scene::text::{Diagnostic, SceneText};
use std::path::Path;

const SCENE: &str = include_str!("../../../scene/tests/scene/wrong_scenes.ron");

fn shown(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// What is said of the scene with `wrong` in place of `right`, which must occur.
fn said(right: &str, wrong: &str) -> String {
    assert!(SCENE.contains(right), "{right}");
    let scene = SCENE.replacen(right, wrong, 1);
    let output = match SceneText::new("dice.ron", &*scene).load() {
        Err(diagnostics) => diagnostics,
        Ok(loaded) => loaded.warnings,
    };
    assert_told_the_same(&scene, &output);
    shown(&output)
}

#[test]
fn unknown_names_are_rejected_with_the_existing_ones() {
    let cases = [
        ("a misspelt field", "decay:", "deacy:"),
        ("a misspelt field of a nested struct", "tau: 6", "tua: 6"),
        ("a field of another format", "young: 3e5", "E: 3e5"),
        ("a misspelt integrator", "ASearch(", "ASerch("),
        ("an alternative in lower case", "Min", "min"),
        ("an alternative in quotes", "Min", "\"Min\""),
        ("an unknown material", "material: \"rubber\"", "material: \"ruber\""),
        ("a material without quotes", "material: \"rubber\"", "material: rubber"),
        ("an unknown body in a pair", "Min", "Min, exclude: [(\"die[9]\", \"flor\")]"),
    ];
    insta::assert_snapshot!(all(&cases));
}

#[test]
fn all_missing_fields_of_a_struct_are_named_at_once() {
    let told = said("NeoHookean(young: 3e5, poisson: 0.3)", "NeoHookean()");
    assert!(told.contains("the fields `poisson`, `young` are missing in `NeoHookean`"), "{told}");
    assert!(told.contains("add `poisson: ..., young: ...`"), "{told}");
    let told = said("(density: 1000, model: NeoHookean(young: 3e5, poisson: 0.3))", "()");
    assert!(told.contains("the fields `density`, `model` are missing in `Material`"), "{told}");
    for scene in ["(version: 2)", "{\"version\": 2}"] {
        let told = shown(&SceneText::new("scene", scene).load().expect_err("fields are missing"));
        assert!(told.contains("the fields `bodies`, `time` are missing in `Scene`"), "{told}");
    }
}

#[test]
fn integers_with_a_point_are_rejected_as_such() {
    // In JSON they are integers.
    let in_ron = |right: &str, wrong: &str| {
        assert!(SCENE.contains(right), "{right}");
        let scene = SCENE.replacen(right, wrong, 1);
        shown(&SceneText::new("dice.ron", scene).load().expect_err("it is refused"))
    };
    let cells = "cells: (8, 8, 8)";
    for wrong in ["cells: (2.0, 8, 8)", "cells: (8, 2.0, 8)", "cells: (8, 8, 2.0)"] {
        let told = in_ron(cells, wrong);
        assert!(told.contains("expected a non-negative integer, found `2.0`"), "{told}");
        assert!(told.contains("write 2, without a point"), "{told}");
    }
    let told = in_ron("count: 8", "count: 8e0");
    assert!(told.contains("expected a non-negative integer, found `8e0`"), "{told}");
    let told = in_ron(cells, "cells: (8, 8, 8, 2.0)");
    assert!(told.contains("too many values"), "{told}");
    let told = in_ron("gravity: (0, -9.8, 0)", "gravity: (0, -9.8, 0, 4.5)");
    assert!(told.contains("too many values"), "{told}");
}

#[test]
fn the_remedy_for_text_in_single_quotes_has_double_ones() {
    let told = said("name: \"floor\"", "name: 'floor'");
    assert!(told.contains("expected text in quotes, found `'floor'`"), "{told}");
    assert!(told.contains("write \"floor\""), "{told}");
}

#[test]
fn missing_and_duplicate_fields_are_named() {
    let cases = [
        ("no version", "version: 2,", ""),
        ("another version", "version: 2", "version: 3"),
        ("a missing field", ", duration: 6", ""),
        ("a missing field of a variant", ", poisson: 0.3", ""),
        ("a variant without its fields", "NeoHookean(young: 3e5, poisson: 0.3)", "NeoHookean"),
        ("a variant with fields it has not", "ASearch(", "A1("),
        ("a decay without its time", ", tau: 6", ""),
        ("a decay without a ground", "ground: RestHeight(0.05),", ""),
        ("a doubled field", "poisson: 0.3", "poisson: 0.3, poisson: 0.2"),
        ("a doubled name", "name: \"floor\"", "name: \"die\""),
    ];
    insta::assert_snapshot!(all(&cases));
}

#[test]
fn values_of_the_wrong_type_are_rejected_with_the_expected_type() {
    let cases = [
        ("text for a number", "tau: 6", "tau: \"six\""),
        ("a fraction for a whole number", "count: 8", "count: 8.5"),
        ("a negative count", "count: 8", "count: -8"),
        ("a number for a vector", "gravity: (0, -9.8, 0)", "gravity: -9.8"),
        ("square brackets for a vector", "(0.3, 0, 0)", "[0.3, 0, 0]"),
        ("two of three numbers", "(0.3, 0, 0)", "(0.3, 0)"),
        ("four of three numbers", "(0.3, 0, 0)", "(0.3, 0, 0, 1)"),
        ("a fraction without quotes", "\"1/120\"", "1/120"),
        ("a step that is no step", "\"1/120\"", "\"120 Hz\""),
        ("a unit behind a number", "degrees: 20", "degrees: 20°"),
        ("a number for a series", "Friction(Power(from: 0, to: 1, exponent: 2))", "Friction(0.5)"),
        ("a field name where there is none", "RestHeight(0.05)", "RestHeight(height: 0.05)"),
    ];
    insta::assert_snapshot!(all(&cases));
}

#[test]
fn numbers_out_of_range_are_reported_together() {
    let wrong = SCENE
        .replace("density: 1000", "density: -1000")
        .replace("poisson: 0.3", "poisson: 0.5")
        .replace("cells: (8, 8, 8)", "cells: (8, 0, 8)")
        .replace("(0.3, 0, 0)", "(NaN, 0, 0)")
        .replace("normal: (0, 1, 0)", "normal: (0, 0, 0)")
        .replace("d_hat: 1e-3", "d_hat: 0")
        .replace("duration: 6", "duration: inf")
        .replace("degrees: Linear(from: 5, to: 40)", "degrees: List([1, 2, 3])");
    let Err(diagnostics) = SceneText::new("dice.ron", wrong).load() else {
        panic!("eight fields are wrong");
    };
    assert_eq!(diagnostics.len(), 8);
    insta::assert_snapshot!(shown(&diagnostics));
}

#[test]
fn impossible_fibres_are_rejected() {
    let model = "NeoHookean(young: 3e5, poisson: 0.3)";
    let fibre = |fields: &str| format!("Fibre(young: 3e5, poisson: 0.3, {fields})");
    let cases = [
        ("no direction", fibre("stiffness: 1e5")),
        ("a direction of no length", fibre("stiffness: 1e5, direction: (0, 0, 0)")),
        ("a direction that is not finite", fibre("stiffness: 1e5, direction: (inf, 0, 0)")),
        ("negative numbers", fibre("stiffness: -1, exponent: -2, direction: (1, 0, 0)")),
    ];
    let cases = cases.each_ref().map(|(what, wrong)| (*what, model, &wrong[..]));
    insta::assert_snapshot!(all(&cases));
}

#[test]
fn impossible_plasticity_is_rejected() {
    let right = "model: NeoHookean(young: 3e5, poisson: 0.3)";
    let hencky = |flow: &str| {
        format!("model: Hencky(young: 3e5, poisson: 0.3), plasticity: VonMises({flow})")
    };
    let good = hencky("yield_stress: 1e3");
    let cases = [
        ("another law", format!("{right}, plasticity: VonMises(yield_stress: 1e3)")),
        ("no yield stress", hencky("hardening: 1")),
        ("numbers out of range", hencky("yield_stress: 0, hardening: -1")),
        ("damping by the stiffness", format!("{good}, damping: [Stiffness(time: 1e-3)]")),
    ];
    let cases = cases.each_ref().map(|(what, wrong)| (*what, right, &wrong[..]));
    let whole = said(right, &good);
    assert_eq!(whole, "", "what can be");
    let scene = SCENE.replacen(right, &good, 1);
    let output = |with: &str| {
        let mut text = SceneText::new("dice.ron", scene.clone());
        text.set(with).unwrap_or_else(|error| panic!("{error}"));
        shown(&text.load().expect_err("it cannot be"))
    };
    let others =
        ["bodies.die.kind=Affine", "solver=(method: LocalGlobal())"].map(output).join("\n\n");
    insta::assert_snapshot!(format!("{}\n\n{others}", all(&cases)));
}

#[test]
fn syntax_errors_have_a_likely_cause() {
    let cases = [
        ("a missing comma", "velocity: (0.3, 0, 0),", "velocity: (0.3, 0, 0)"),
        ("a missing bracket", "duration: 6)", "duration: 6"),
        ("an equals sign", "kappa: 1e5", "kappa = 1e5"),
        ("an open quote", "\"die\"", "\"die"),
        ("the wrong bracket", "obstacles: [", "obstacles: ("),
    ];
    insta::assert_snapshot!(all(&cases));
}

#[test]
fn missing_comma_is_reported_at_its_place() {
    let cases = [
        ("before a comment", "gravity: (0, -9.8, 0),", "gravity: (0, -9.8, 0) // down"),
        ("before two comments", "exponent: 2)),\n", "exponent: 2)) /* quadratic */\n"),
        ("in a list of numbers", "(0.3, 0, 0)", "(0.3 0, 0)"),
        ("behind text that looks like a comment", "\"die\",", "\"// die\" // the die"),
    ];
    insta::assert_snapshot!(all(&cases));
}

#[test]
fn errors_of_names_and_types_are_reported_together() {
    let wrong = [
        ("young:", "yuong:"),
        ("name: \"die\"", "nmae: \"die\""),
        ("Box(size", "Bax(size"),
        ("degrees: 20", "degrees: 20°"),
        ("count: 8", "count: 8.5"),
        ("Friction(Power", "Frition(Power"),
        ("gravity: (0, -9.8, 0),", "gravity: (0, -9.8),"),
        ("friction_rule: Min", "friction_rule: Min, d_hta: 1"),
        ("tau: 6", "tua: 6"),
        ("ground: RestHeight(0.05),", ""),
        ("duration: 6", "durration: 6, duraton: 7"),
    ];
    let text = wrong.iter().fold(SCENE.to_owned(), |scene, (right, wrong)| {
        assert!(scene.contains(right), "{right}");
        scene.replacen(right, wrong, 1)
    });
    let Err(diagnostics) = SceneText::new("dice.ron", text).load() else {
        panic!("much is wrong");
    };
    insta::assert_snapshot!(shown(&diagnostics));
}

#[test]
fn reported_errors_are_limited_to_twenty() {
    let text = SCENE.replace("velocity: (0.3, 0, 0),", &"velosity: 1, ".repeat(50));
    let Err(diagnostics) = SceneText::new("dice.ron", text).load() else { panic!("it is wrong") };
    assert_eq!(diagnostics.len(), 20);
}

#[test]
fn implausible_numbers_are_warned_about_with_the_likely_cause() {
    let cases = [
        ("millimetres", "size: (0.1, 0.1, 0.1)", "size: (100, 100, 100)"),
        ("megapascals", "young: 3e5", "young: 0.3"),
        ("grams per cubic centimetre", "density: 1000", "density: 1"),
        ("gravity upwards", "-9.8", "9.8"),
        ("a large d_hat", "d_hat: 1e-3", "d_hat: 1e-2"),
        ("a large step", "\"1/120\"", "0.5"),
    ];
    insta::assert_snapshot!(all(&cases));
}

#[test]
fn overrides_are_checked_and_named_in_errors() {
    let said = |argument: &str| {
        let mut text = SceneText::new("dice.ron", SCENE);
        match text.set(argument).map_err(|error| vec![*error]).and_then(|()| text.load()) {
            Err(diagnostics) => shown(&diagnostics),
            Ok(_) => panic!("{argument} must be refused"),
        }
    };
    let cases = [
        "integrator.tua=3",
        "integrator.alpha_max=high",
        "materials.rubber.model.poisson=0.7",
        "materials.ruber.density=3",
        "bodies[3].friction=1",
        "bodies.dice.friction=1",
        "contact.friction_rule.a=1",
        "solver.tolerence=1e-3",
        "time.step=1, duration: 2",
        "time.step",
        "[=3",
    ];
    let all: Vec<_> = cases.iter().map(|case| said(case)).collect();
    insta::assert_snapshot!(all.join("\n\n"));
}

fn all(cases: &[(&str, &str, &str)]) -> String {
    let each = cases.iter().map(|(what, right, wrong)| format!("# {what}\n{}", said(right, wrong)));
    each.collect::<Vec<_>>().join("\n\n")
}

#[test]
fn error_positions_of_damaged_scenes_are_within_the_file() {
    let places: Vec<usize> = SCENE.char_indices().map(|(at, _)| at).collect();
    let mut refused = 0;
    for &at in &places {
        let (before, after) = SCENE.split_at(at);
        let next = after.chars().next().map_or(0, char::len_utf8);
        let damaged = [before.to_owned(), format!("{before}{}", &after[next..])];
        let inserted = ["(", ")", "\"", "é\t", "-", "]", "x", "/*"];
        let inserted = inserted.iter().map(|piece| format!("{before}{piece}{after}"));
        for text in damaged.into_iter().chain(inserted) {
            let lines: Vec<_> = text.split('\n').map(|line| line.chars().count()).collect();
            let Err(diagnostics) = SceneText::new("dice.ron", text).load() else { continue };
            refused += 1;
            for Diagnostic { line, column, message, .. } in diagnostics {
                assert!(
                    lines.get(line - 1).is_some_and(|length| column <= length + 1),
                    "{message}"
                );
                assert!(!message.is_empty(), "something must be said");
            }
        }
    }
    assert!(refused > places.len(), "{refused} of {} places", places.len());
}

#[test]
fn impossible_shapes_are_reported_with_numbers_out_of_range() {
    let more = "obstacles: [
        Shape(name: \"ring\", shape: Torus(ring_radius: 1, tube_radius: 0.1, around_ring: 20, around_tube: 2), friction: 1),
        Mesh(name: \"wall\", file: \"missing.obj\", friction: 1),";
    let wrong = SCENE
        .replace("d_hat: 1e-3", "d_hat: -1")
        .replace("cells: (8, 8, 8)", "cells: (8, 0, 8)")
        .replace("obstacles: [", more);
    let scene = SceneText::new("dice.ron", wrong).read().expect("its words are right");
    let problems = build(&scene, Path::new("no such folder")).expect_err("four things are wrong");
    let paths: Vec<&str> = problems.iter().map(|problem| &problem.path[..]).collect();
    // The box is not told of a second time.
    let expected = [
        "bodies[0].shape.cells[1]",
        "obstacles[0].shape.around_tube",
        "contact.d_hat",
        "obstacles[1].file",
    ];
    assert_eq!(paths, expected, "{problems:?}");
}
