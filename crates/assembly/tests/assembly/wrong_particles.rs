//! Messages for errors in scenes with particles, terms and damping.

use super::twin::assert_told_the_same;
use resile_assembly::build;
use resile_scene::text::{Diagnostic, SceneText};
use std::path::Path;

const SCENE: &str = include_str!("wrong_particles.ron");

fn shown(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// What is said of a scene when it is read and, if that goes well, when it is built.
fn verdict(scene: String) -> String {
    let text = SceneText::new("chain.ron", scene);
    match text.load() {
        Err(diagnostics) => {
            assert_told_the_same(text.text(), &diagnostics);
            shown(&diagnostics)
        }
        Ok(loaded) => match build(&loaded.scene, Path::new("/")) {
            Err(problems) => shown(&problems.iter().map(|p| text.diagnose(p)).collect::<Vec<_>>()),
            Ok(_) => shown(&loaded.warnings),
        },
    }
}

/// What is said with `wrong` in place of `right`, which must occur.
fn said(right: &str, wrong: &str) -> String {
    assert!(SCENE.contains(right), "{right}");
    verdict(SCENE.replacen(right, wrong, 1))
}

fn all(cases: &[(&str, &str, &str)]) -> String {
    let each = cases.iter().map(|(what, right, wrong)| format!("# {what}\n{}", said(right, wrong)));
    each.collect::<Vec<_>>().join("\n\n")
}

#[test]
fn unchanged_scene_is_valid() {
    assert_eq!(verdict(SCENE.to_owned()), "");
}

#[test]
fn mesh_options_of_particles_are_rejected() {
    let cases = [
        ("particles with a material", "velocities: [(0", "material: \"rubber\",\nvelocities: [(0"),
        ("particles with friction", "velocities: [(0", "friction: 0.3,\nvelocities: [(0"),
        (
            "particles with a row of frictions",
            "velocities: [(0",
            "repeat: Row(count: 2, step: (0, 0, 1), vary: [Friction(List([0, 1]))]),\nvelocities: [(0",
        ),
        ("particles in a pair", "Min)", "Min, pairs: [(a: \"chain\", b: \"floor\", friction: 1)])"),
        ("particles in a pair that is off", "Min)", "Min, exclude: [(\"bar\", \"cube\")])"),
        ("a mesh without a material", "material: \"rubber\",\n            placement", "placement"),
        (
            "a mesh with velocities of particles",
            "friction: 0.3",
            "velocities: [(0, 0, 1)], friction: 0.3",
        ),
        (
            "a mesh with a chain of springs",
            "friction: 0.3",
            "friction: 0.3, terms: [Springs(stiffness: 5, law: Hooke)]",
        ),
    ];
    insta::assert_snapshot!(all(&cases));
}

#[test]
fn mismatched_counts_and_nodes_are_rejected() {
    let cases = [
        ("a mass too few", "[0.1, 0.1, 0.2]", "[0.1, 0.1]"),
        ("no particles", "[(0, 0, 0), (0.1, 0, 0), (0.2, 0, 0)]", "[]"),
        ("a velocity too many", "(0, 0, 3)]", "(0, 0, 3), (0, 0, 0)]"),
        ("a line of one particle", "nodes: 11", "nodes: 1"),
        ("a line without length", "to: (0, 1.2, 0)", "to: (0, 0.2, 0)"),
        ("a spring to nowhere", "(1, 2)]", "(1, 3)]"),
        ("a spring from a node to itself", "(1, 2)]", "(2, 2)]"),
        ("a node that is not there", "nodes: [1, 2]", "nodes: [1, 5]"),
        ("a node named twice", "nodes: [1, 2]", "nodes: [2, 2]"),
        ("a list of no nodes", "nodes: [1, 2]", "nodes: []"),
        (
            "a node that a mesh has not",
            "friction: 0.3",
            "friction: 0.3, terms: [Cosine(axis: X, amplitude: 1, nodes: [99])]",
        ),
    ];
    insta::assert_snapshot!(all(&cases));
}

#[test]
fn impossible_terms_are_rejected() {
    let cases = [
        ("a misspelt term", "Springs(", "Spring("),
        ("a misspelt field", "stiffness: 500", "stifness: 500"),
        ("a law left out", ", law: Hooke", ""),
        ("another law", "law: Hooke", "law: StVenantKirchhoff"),
        ("square brackets for a pair", "[(0, 1), (1, 2)]", "[[0, 1], [1, 2]]"),
        ("an axis in lower case", "axis: Z", "axis: z"),
        ("a polynomial of nothing", "[0, 0, 2]", "[]"),
        (
            "damping that has nothing to act through",
            "Springs(pairs: [(0, 1), (1, 2)], stiffness: 500, rest_length: 0.09, law: Hooke),\n                Polynomial(axis: Z, coefficients: [0, 0, 2]",
            "Cosine(axis: Z, amplitude: 2",
        ),
        ("damping without a name", "Stiffness(time: 0.01)", "Stiffness(0.01)"),
        ("a bar across its axis", "Intervals(axis: Y", "Intervals(axis: X"),
        ("a bar listed backwards", "modulus: 500", "modulus: 500, nodes: [2, 1, 0]"),
        ("a bar behind its wall", "at: 0,", "at: 0.5,"),
        (
            "a particle in the centre of its field",
            "Polynomial(axis: Z, coefficients: [0, 0, 2], nodes: [1, 2])",
            "Central(center: (0.1, 0, 0), strength: 1)",
        ),
        (
            "gas around particles",
            "Polynomial(axis: Z, coefficients: [0, 0, 2], nodes: [1, 2])",
            "Gas(pressure: 1e5, outside: 1e5)",
        ),
        (
            "a gas that is not there at first",
            "Polynomial(axis: Z, coefficients: [0, 0, 2], nodes: [1, 2])",
            "Gas(pressure: 1e5, outside: 1e5, factor: Ramp(end: 1))",
        ),
        (
            "a liquid without density and gravity",
            "Polynomial(axis: Z, coefficients: [0, 0, 2], nodes: [1, 2])",
            "Hydrostatic(surface: (0, 0, 0), density: 0, gravity: (0, 0, 0))",
        ),
        (
            "a twist of particles on a line",
            "damping",
            "deform: [Stretch(axis: X, factor: 2), Twist(axis: Y, degrees: 90)],\ndamping",
        ),
    ];
    insta::assert_snapshot!(all(&cases));
}

#[test]
fn numbers_out_of_range_are_reported_together() {
    let wrong = SCENE
        .replace("masses: [0.1, 0.1, 0.2]", "masses: [0.1, 0, 0.2]")
        .replace("(0, 0, 3)", "(0, 0, inf)")
        .replace("stiffness: 500", "stiffness: -500")
        .replace("rest_length: 0.09", "rest_length: -0.09")
        .replace("[0, 0, 2]", "[0, NaN, 2]")
        .replace("time: 0.01", "time: -0.01")
        .replace("mass: 1", "mass: 0")
        .replace("modulus: 500", "modulus: 0")
        .replace("at: 0,", "at: inf,")
        .replace("kappa: 100", "kappa: 0")
        .replace("d_hat: 0.01", "d_hat: 0");
    let Err(diagnostics) = SceneText::new("chain.ron", wrong).load() else {
        panic!("eleven fields are wrong");
    };
    assert_eq!(diagnostics.len(), 11, "{}", shown(&diagnostics));
    insta::assert_snapshot!(shown(&diagnostics));
}

#[test]
fn contact_without_colliders_is_warned_about() {
    let only_particles = {
        let (before, cube) =
            SCENE.split_once("        (\n            name: \"cube\"").expect("it is there");
        let (_, after) = cube.split_once("    ],\n    gravity").expect("it is there");
        format!("{before}    ],\n    gravity{after}")
    };
    let without = SCENE
        .replace("contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Min)", "contact: Off");
    assert_ne!(without, SCENE);
    insta::assert_snapshot!([only_particles, without].map(verdict).join("\n\n"));
}
