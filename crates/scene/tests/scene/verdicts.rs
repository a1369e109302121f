//! A scene and the crate that computes with a number accept the same values.

use resile_math::parameters::NumberField;
use resile_scene::description::{Model, Scene, Scheme, Severity};
use std::ops::Range;

/// Below, at and above the bounds of all ranges.
const VALUES: [&str; 14] = [
    "-1",
    "-1e-9",
    "0",
    "1e-9",
    "0.5",
    "1",
    "1.000000001",
    "1.1",
    "2",
    "3",
    "5",
    "6",
    "inf",
    "NaN",
];

/// Methods that together have every number of [`Scheme::NUMBERS`], all in range.
const METHODS: [&str; 11] = [
    "RungeKutta(a: [[0.5]], b: [1])",
    "ThetaInner(theta: 0.5)",
    "ThetaOuter(theta: 0.5)",
    "Newmark(beta: 0.25, gamma: 0.5)",
    "GeneralizedAlpha(rho_inf: 0.5)",
    "Avf(quadrature: Gauss(nodes: 3))",
    "Avf(quadrature: NewtonCotes(nodes: 3))",
    "ASearch(alpha_min: 0.5, alpha_max: 1.1, control: Sparse(dead_band: 0.1), \
     correction: Resolved(c: 0.05), target: (scale: 1, ground: Some(Joules(0)), \
     decay: [(start: 0.5, tau: Some(2)), (start: 1.5, tau: None)]))",
    "ASearch(control: Filtered(gain: 0.1, memory: 0.2), correction: Split(elastic: 0.5), \
     target: (scale: 2, ground: Some(RestHeight(0.3))))",
    "Decoupled(method: RungeKutta(a: [[0.5]], b: [1]), \
     alpha: Search(alpha_min: 0.5, alpha_max: 1.1, target: (scale: 1, ground: Some(Joules(0)))))",
    "Blend(tolerance: 0.01)",
];

/// Laws that together have every number of [`Model::NUMBERS`], all in range.
const LAWS: [&str; 10] = [
    "NeoHookean(young: 5, poisson: 0.3)",
    "Corotated(young: 5, poisson: 0.3)",
    "Hencky(young: 5, poisson: 0.3)",
    "StVK(young: 5, poisson: 0.3)",
    "Linear(young: 5, poisson: 0.3)",
    "MooneyRivlin(c10: 2, c01: 0.4, bulk: 5)",
    "Yeoh(c10: 2, c20: 0.1, c30: 0.1, bulk: 5)",
    "Ogden(first: (2, 1.3), second: Some((2, 5)), third: Some((0.1, 2)), bulk: 5)",
    "Fibre(young: 5, poisson: 0.3, stiffness: 2, exponent: 0.1, direction: (0, 1, 0))",
    "Orthogonal(stiffness: 5)",
];

/// The places of the numbers of a text.
fn numbers(text: &str) -> Vec<Range<usize>> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !"._".contains(c));
    let words = words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let start = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    words.map(|word| start(word)..start(word) + word.len()).collect()
}

/// The texts in which one number has another value.
fn variations(text: &str) -> impl Iterator<Item = String> {
    let places = numbers(text).into_iter().flat_map(|p| VALUES.map(|value| (p.clone(), value)));
    places.map(move |(place, value)| {
        let mut changed = text.to_owned();
        changed.replace_range(place, value);
        changed
    })
}

/// Whether one of the texts has the number.
fn is_in(texts: &[&str], number: &NumberField) -> bool {
    let alternative = number.owner.split_once("::").map_or("", |(_, alternative)| alternative);
    let field = if number.field == "0" { String::new() } else { format!("{}: ", number.field) };
    texts.iter().any(|text| text.contains(&format!("{alternative}(")) && text.contains(&field))
}

/// A scene with this elastic law and this integrator; `None` if its text cannot be read.
fn scene(model: &str, integrator: &str) -> Option<Scene> {
    let text = format!(
        r#"(
            version: 2,
            materials: {{ "m": (density: 1000, model: {model}) }},
            bodies: [(name: "b", shape: Box(size: (1, 1, 1), cells: (1, 1, 1)), material: "m")],
            gravity: (0, -9.81, 0),
            contact: Off,
            integrator: {integrator},
            time: (step: 0.01, duration: 1),
        )"#
    );
    Scene::from_ron(&text).ok()
}

fn is_right(scene: &Scene) -> bool {
    scene.check().iter().all(|problem| problem.severity != Severity::Error)
}

/// Compares the verdicts of scenes and of their crate on variations of valid `texts`, which together have all `numbers`.
fn compare(
    texts: &[&str],
    numbers: &[NumberField],
    scene: impl Fn(&str) -> Option<Scene>,
    of_crate: impl Fn(&Scene) -> Result<(), String>,
) {
    for number in numbers {
        assert!(is_in(texts, number), "{number:?}");
    }
    let [mut accepted, mut refused] = [0, 0];
    for text in texts {
        assert!(scene(text).is_some_and(|scene| is_right(&scene)), "{text}");
        for changed in variations(text) {
            // A count that is not whole is refused before its range is checked.
            let Some(scene) = scene(&changed) else { continue };
            let verdict = of_crate(&scene);
            assert_eq!(is_right(&scene), verdict.is_ok(), "{changed}: {verdict:?}");
            *(if verdict.is_ok() { &mut accepted } else { &mut refused }) += 1;
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} accepted, {refused} refused");
}

#[test]
fn scene_and_integrators_accept_the_same_numbers() {
    let of_scene = |text: &str| scene("NeoHookean(young: 1e6, poisson: 0.3)", text);
    compare(&METHODS, &Scheme::NUMBERS, of_scene, |scene| {
        let method = scene.integrator.method();
        method.and_then(|method| method.check()).map_err(|e| e.to_string())
    });
}

#[test]
fn scene_and_materials_accept_the_same_numbers() {
    let of_scene = |text: &str| scene(text, "ImplicitEuler");
    compare(&LAWS, &Model::NUMBERS, of_scene, |scene| {
        scene.materials["m"].model.law().map(|_| ()).map_err(|e| e.to_string())
    });
}
