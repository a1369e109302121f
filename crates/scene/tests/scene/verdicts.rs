//! A scene and the crate that computes with a number accept the same values.

use resile_integrators::{NUMBERS, NumberField};
use resile_scene::description::{Scene, Severity};
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

/// Methods that together have every number of [`NUMBERS`], all in range.
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

/// A scene with this integrator; `None` if its text cannot be read.
fn with_integrator(text: &str) -> Option<Scene> {
    let scene = format!(
        r#"(
            version: 2,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) }},
            bodies: [(name: "b", shape: Box(size: (1, 1, 1), cells: (1, 1, 1)), material: "m")],
            gravity: (0, -9.81, 0),
            contact: Off,
            integrator: {text},
            time: (step: 0.01, duration: 1),
        )"#
    );
    Scene::from_ron(&scene).ok()
}

fn is_right(scene: &Scene) -> bool {
    scene.check().iter().all(|problem| problem.severity != Severity::Error)
}

#[test]
fn scene_and_integrators_accept_the_same_numbers() {
    for number in &NUMBERS {
        assert!(is_in(&METHODS, number), "{number:?}");
    }
    let [mut accepted, mut refused] = [0, 0];
    for text in METHODS {
        assert!(with_integrator(text).is_some_and(|scene| is_right(&scene)), "{text}");
        for changed in variations(text) {
            // A count that is not whole is refused before its range is checked.
            let Some(scene) = with_integrator(&changed) else { continue };
            let of_crate = scene.integrator.method().and_then(|method| method.check());
            assert_eq!(is_right(&scene), of_crate.is_ok(), "{changed}: {of_crate:?}");
            *(if of_crate.is_ok() { &mut accepted } else { &mut refused }) += 1;
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} accepted, {refused} refused");
}
