//! The manufactured solution of `PolyFEM`: the body force of a scene balances the stress of the prescribed displacement.

use crate::files::Files;
use resile_expression::{Expression, Grammar};
use resile_math::{Mat3, Vec3};

/// Young's modulus of which Lamé's constants are those below, with Poisson's ratio 0.3.
const YOUNG: f64 = 5.2;
const LAMBDA: f64 = 3.0;
const MU: f64 = 2.0;
const TIME: f64 = 0.7;
/// Step of central differences, of which the relative error is of the order of its square.
const STEP: f64 = 1e-4;
/// Relative tolerance of second differences: rounding of 1e-16 over the square of [`STEP`], times ten.
const TOLERANCE: f64 = 1e-7;

/// A field of the scene with three components in quotes.
struct Components([Expression; 3]);

impl Components {
    /// The three quoted texts after a word of a scene.
    fn after(scene: &str, word: &str) -> Self {
        let rest = scene.split(word).nth(1).expect("the word is in the scene");
        let texts: Vec<&str> = rest.split('"').skip(1).step_by(2).take(3).collect();
        let parsed = |text: &&str| Expression::parse(text, Grammar::Scene).unwrap();
        let components: Vec<Expression> = texts.iter().map(parsed).collect();
        Self(components.try_into().expect("three components"))
    }

    fn at(&self, position: Vec3) -> Vec3 {
        Vec3::from_array(self.0.each_ref().map(|f| f.at(position.to_array(), TIME)))
    }

    /// Deformation gradient of this displacement, by central differences.
    fn deformation_gradient(&self, position: Vec3) -> Mat3 {
        let column = |axis: Vec3| {
            axis + (self.at(position + STEP * axis) - self.at(position - STEP * axis))
                / (2.0 * STEP)
        };
        Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z))
    }

    /// Divergence of a stress of this displacement, by central differences.
    fn divergence(&self, stress: &dyn Fn(Mat3) -> Mat3, position: Vec3) -> Vec3 {
        let derivative = |axis: Vec3| {
            let stress_at =
                |sign: f64| stress(self.deformation_gradient(position + sign * STEP * axis)) * axis;
            (stress_at(1.0) - stress_at(-1.0)) / (2.0 * STEP)
        };
        derivative(Vec3::X) + derivative(Vec3::Y) + derivative(Vec3::Z)
    }
}

/// First Piola-Kirchhoff stress by the deformation gradient.
type Stress = fn(Mat3) -> Mat3;

fn trace(m: Mat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

fn linear(f: Mat3) -> Mat3 {
    let strain = 0.5 * (f + f.transpose()) - Mat3::IDENTITY;
    LAMBDA * trace(strain) * Mat3::IDENTITY + 2.0 * MU * strain
}

fn neo_hookean(f: Mat3) -> Mat3 {
    let inverse_transpose = f.inverse().transpose();
    MU * (f - inverse_transpose) + LAMBDA * f.determinant().ln() * inverse_transpose
}

fn saint_venant(f: Mat3) -> Mat3 {
    let strain = 0.5 * (f.transpose() * f - Mat3::IDENTITY);
    f * (LAMBDA * trace(strain) * Mat3::IDENTITY + 2.0 * MU * strain)
}

#[test]
fn body_force_balances_the_stress_of_the_displacement() {
    let laws: [(&str, Stress); 3] =
        [("LinearElasticity", linear), ("NeoHookean", neo_hookean), ("SaintVenant", saint_venant)];
    for (law, stress) in laws {
        let text = format!(
            r#"{{"geometry": {{"mesh": "meshes/cube.msh"}}, "preset_problem": {{"type": "ElasticExact"}},
            "materials": {{"type": "{law}", "E": {YOUNG}, "nu": 0.3, "rho": 1}}, "time": {{"dt": 1, "tend": 1}}}}"#
        );
        let scene = Files::new().scene("a.json", &text);
        let displacement = Components::after(&scene, "Displacement(");
        let force = Components::after(&scene, "BodyForce(");
        for at in [Vec3::new(0.3, 0.8, 0.5), Vec3::new(0.9, 0.1, 0.7)] {
            let residual = force.at(at) + displacement.divergence(&stress, at);
            assert!(
                residual.length() < TOLERANCE * force.at(at).length().max(1.0),
                "{law}: {residual}"
            );
        }
    }
}
