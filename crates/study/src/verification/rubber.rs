//! Laws of rubber in simple tension.

use super::mapped::{MappedSolid, Order, balance, is_at};
use super::{CaseOnMesh, VerificationEntry};
use crate::drive::StudyError;
use resile_energy::{Material, Ogden, Yeoh};
use resile_system::Vec3;

/// Bulk modulus (`MPa`), about 1e4 times the shear modulus, because the closed forms are for incompressible material.
const BULK: f64 = 5e3;
/// Stretch along the bar.
const STRETCH: f64 = 1.5;

/// The stretch of a bar under the nominal stress at which incompressible material has the stretch 1.5. An eighth of the
/// bar between planes of symmetry is meshed.
pub(super) fn uniaxial(_quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let bar = MappedSolid::new([2, 2, 2], Order::Quadratic, |unit| unit);
    let fixed_axes = |unit: Vec3| [is_at(unit.x, 0.0), is_at(unit.y, 0.0), is_at(unit.z, 0.0)];
    let far_corner = bar.node_at(Vec3::ONE);
    let entry = |(case, material, stress): (&'static str, Material, f64)| {
        let load = bar.traction(0, 1.0, Vec3::X * stress);
        let world = balance(bar.world(material, load, fixed_axes), case)?;
        Ok(CaseOnMesh { case, mesh: bar.description() }.entry(
            "stretch",
            world.state(0).positions[far_corner].x,
            STRETCH,
            1e-3,
        ))
    };
    laws().into_iter().map(entry).collect()
}

/// Case, law and nominal stress at the stretch [`STRETCH`] of incompressible material. The constants are those of
/// Ogden's terms, and of Yeoh's powers of the first invariant.
fn laws() -> [(&'static str, Material, f64); 3] {
    let terms = [(0.63, 1.3), (0.0012, 5.0), (-0.01, -2.0)];
    let coefficients = [0.17, -0.002, 3e-4];
    let stress_of_terms = |terms: &[(f64, f64)]| -> f64 {
        let stress_term = |(mu, alpha): &(f64, f64)| {
            mu * (libm::pow(STRETCH, alpha - 1.0) - libm::pow(STRETCH, -0.5 * alpha - 1.0))
        };
        terms.iter().map(stress_term).sum()
    };
    let invariant_excess = STRETCH * STRETCH + 2.0 / STRETCH - 3.0;
    let [a, b, c] = coefficients;
    let energy_derivative =
        a + 2.0 * b * invariant_excess + 3.0 * c * invariant_excess * invariant_excess;
    let mooney = Ogden::mooney_rivlin(0.18, 0.03, BULK);
    [
        (
            "Mooney-Rivlin rubber in tension",
            Material::Ogden(mooney),
            stress_of_terms(&[(0.36, 2.0), (-0.06, -2.0)]),
        ),
        (
            "Ogden rubber in tension (1972)",
            Material::Ogden(Ogden { terms, bulk: BULK }),
            stress_of_terms(&terms),
        ),
        (
            "Yeoh rubber in tension (1993)",
            Material::Yeoh(Yeoh { coefficients, bulk: BULK }),
            2.0 * (STRETCH - STRETCH.powi(-2)) * energy_derivative,
        ),
    ]
}
