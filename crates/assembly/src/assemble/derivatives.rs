//! The derivatives of every term of every study scene, against finite differences.

use super::body::place_body;
use super::shape::Meshes;
use resile_math::Vec3;
use resile_scene::text::SceneText;
use resile_system::Body;
use resile_system::check::{
    DerivativeErrors, Vacuous, dissipation_derivatives, energy_derivatives,
};
use std::path::{Path, PathBuf};

/// Steps of the finite differences (m): terms vary over a metre or over a millimetre.
const STEPS: [f64; 4] = [1e-3, 1e-4, 1e-5, 1e-6];
/// Tolerance of errors, relative to the largest entry.
const TOLERANCE: f64 = 1e-6;

/// Pseudo-random numbers between -1 and 1.
fn noise(count: usize) -> Vec<Vec3> {
    let at = |k: usize| (1.0 + 7.3 * k as f64).sin();
    (0..count).map(|i| Vec3::new(at(3 * i), at(3 * i + 1), at(3 * i + 2))).collect()
}

/// Perturbed initial states, and the same states next to a wall at x = 0: 4 mm in front of it barriers are active, 1 mm
/// behind it penalties.
fn test_positions(start: &[Vec3]) -> Vec<Vec<Vec3>> {
    let perturbed: Vec<Vec3> =
        start.iter().zip(noise(start.len())).map(|(x, n)| *x + 2e-4 * n).collect();
    let min_x = perturbed.iter().fold(f64::INFINITY, |min, x| min.min(x.x));
    let shifted = |to: f64| perturbed.iter().map(|x| *x + (to - min_x) * Vec3::X).collect();
    vec![perturbed.clone(), shifted(4e-3), shifted(-1e-3)]
}

/// The best of several step sizes, limited by truncation and rounding.
fn best(errors: impl Fn(f64) -> Result<DerivativeErrors, Vacuous>) -> Option<DerivativeErrors> {
    let max_error = |e: &DerivativeErrors| e.gradient.max(e.hessian);
    let results = STEPS.iter().filter_map(|&eps| errors(eps).ok());
    results
        .filter(|e| max_error(e).is_finite())
        .min_by(|a, b| max_error(a).total_cmp(&max_error(b)))
}

fn are_small(errors: &DerivativeErrors) -> bool {
    errors.gradient < TOLERANCE && errors.hessian < TOLERANCE
}

/// Checks all terms of a body and returns their number.
fn check(body: &Body, start: &[Vec3], scene: &str) -> usize {
    let positions = test_positions(start);
    for term in &body.energies {
        let first_active =
            positions.iter().find_map(|x| best(|eps| energy_derivatives(&**term, x, eps)));
        let errors =
            first_active.unwrap_or_else(|| panic!("{scene}: {} is active nowhere", term.name()));
        assert!(are_small(&errors), "{scene}: {}: {errors:?}", term.name());
    }
    for law in &body.dissipations {
        let term = law.lagged(&positions[0]);
        let v = noise(start.len());
        let errors = best(|eps| dissipation_derivatives(&*term, &v, eps)).expect("it is active");
        assert!(are_small(&errors), "{scene}: {}: {errors:?}", law.name());
    }
    body.energies.len() + body.dissipations.len()
}

#[test]
fn terms_of_study_scenes_have_the_derivatives_of_their_values() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/study");
    let entries = std::fs::read_dir(&folder).expect("the scenes are there");
    let paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    let mut terms = 0;
    for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "ron")) {
        let text = std::fs::read_to_string(path).expect("it can be read");
        let name = path.to_string_lossy();
        let scene = SceneText::new(name.clone(), text).load().expect("it is good").scene;
        for expanded in scene.expand() {
            let placed = place_body(&expanded, &scene, &mut Meshes::new(&folder, scene.units))
                .expect("it is good");
            let (body, state) = placed.into_parts();
            terms += check(&body, &state.positions, &name);
        }
    }
    assert!(terms >= 20, "{terms} terms");
}
