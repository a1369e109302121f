//! Norms of displacements.

use resile_import::DisplacementNorms;
use resile_math::Vec3;
use resile_mesh::generate::BoxGrid;

/// The rule integrates squares of linear gradients exactly: u = (x^2, 0, 0) has |grad u|^2 = 4 x^2. The square of u has
/// degree four, which the rule does not integrate exactly.
#[test]
fn norms_of_quadratic_elements_contain_their_curvature() {
    let mesh = BoxGrid { cells: [2, 2, 2], size: Vec3::ONE }.build().unwrap().quadratic();
    let bent: Vec<Vec3> =
        mesh.positions.iter().map(|p| *p + Vec3::new(p.x * p.x, 0.0, 0.0)).collect();
    let mut norms = DisplacementNorms::default();
    norms.add_quadratic(&mesh.elements, &mesh.positions, &bent);
    let xs = || mesh.positions.iter().map(|p| p.x);
    let [low, high] = [xs().fold(f64::INFINITY, f64::min), xs().fold(f64::NEG_INFINITY, f64::max)];
    let integral = 4.0 / 3.0 * (high.powi(3) - low.powi(3));
    assert!((norms.h1_semi().powi(2) - integral).abs() < 1e-14, "{}", norms.h1_semi());
    let fourth_powers = 0.2 * (high.powi(5) - low.powi(5));
    assert!((norms.l2().powi(2) - fourth_powers).abs() < 2e-2 * fourth_powers, "{}", norms.l2());
}
