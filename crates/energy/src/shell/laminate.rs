//! Sheets of several layers.

use super::material::{PlaneLame, PlateStiffness};
use super::{SheetMaterial, ShellError};

/// Bending moments per stretching below this fraction of stretching stiffness times thickness are rounding.
const COUPLING_TOLERANCE: f64 = 1e-9;

/// The stiffness of bonded isotropic layers in plane stress, by classical laminate theory (Jones 1999, *Mechanics of
/// Composite Materials*, section 4.2): with `Q = E/(1 - nu^2) [1, nu]` of each layer, from `z_0` to `z_1` over the
/// middle of the stack,
///
/// ```text
///   A = sum Q (z_1 - z_0),   B = sum Q (z_1^2 - z_0^2)/2,   D = sum Q (z_1^3 - z_0^3)/3
/// ```
///
/// Stacks whose stretching and bending are coupled (B other than zero) are refused. Layers that are symmetric about the
/// middle have no coupling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Laminate {
    plane: PlaneLame,
    plate: PlateStiffness,
    thickness: f64,
}

impl Laminate {
    /// The stiffness of layers, listed from one surface to the other.
    ///
    /// # Errors
    /// No layers, layers whose stretching and bending are coupled, or a resulting stiffness out of range.
    pub fn new(layers: &[SheetMaterial]) -> Result<Self, ShellError> {
        let thickness: f64 = layers.iter().map(SheetMaterial::thickness).sum();
        // A, B and D.
        let (mut stretching, mut coupling, mut bending) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        let mut bottom = -0.5 * thickness;
        for layer in layers {
            let top = bottom + layer.thickness();
            let axial = layer.young() / (1.0 - layer.poisson() * layer.poisson());
            for (k, q) in [axial, axial * layer.poisson()].into_iter().enumerate() {
                stretching[k] += q * (top - bottom);
                coupling[k] += q * (top * top - bottom * bottom) / 2.0;
                bending[k] += q * (top.powi(3) - bottom.powi(3)) / 3.0;
            }
            bottom = top;
        }
        let max_coupling = coupling.iter().fold(0.0_f64, |max, b| max.max(b.abs()));
        let relative_coupling = max_coupling / (stretching[0] * thickness);
        // The comparison is also false for NaN, which results if there are no layers.
        let is_symmetric = relative_coupling <= COUPLING_TOLERANCE;
        if !is_symmetric {
            return Err(ShellError::Unsymmetric { coupling: relative_coupling });
        }
        let plane_poisson = stretching[1] / stretching[0];
        let plate_poisson = bending[1] / bending[0];
        Ok(Self {
            plane: PlaneLame::from_stretching(
                stretching[0] * (1.0 - plane_poisson * plane_poisson),
                plane_poisson,
            )?,
            plate: PlateStiffness::new(bending[0], plate_poisson)?,
            thickness,
        })
    }

    /// The stretching stiffness, in plane stress.
    pub fn plane(&self) -> PlaneLame {
        self.plane
    }

    /// The bending stiffness.
    pub fn plate(&self) -> PlateStiffness {
        self.plate
    }

    /// The sum of the thicknesses (m).
    pub fn thickness(&self) -> f64 {
        self.thickness
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(young: f64, poisson: f64, thickness: f64) -> SheetMaterial {
        SheetMaterial::new(young, poisson, thickness).expect("parameters in range")
    }

    #[test]
    fn layers_of_one_material_are_one_sheet() {
        let one = sheet(3.0, 0.3, 0.6);
        let three = Laminate::new(&[0.1, 0.4, 0.1].map(|t| sheet(3.0, 0.3, t))).unwrap();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-14 * b, "{a} {b}");
        near(three.plane().mu(), one.plane().mu());
        near(three.plane().lambda(), one.plane().lambda());
        near(three.plate().rigidity(), one.flexural_rigidity());
        near(three.plate().poisson(), 0.3);
        near(three.thickness(), 0.6);
    }

    /// Faces on a core without stiffness: `D = E t (h + t)^2 / 2 + E t^3 / 6`, for nu = 0.
    #[test]
    fn a_sandwich_has_the_stiffness_of_its_faces() {
        let (t, h) = (0.1, 0.4);
        let sandwich =
            Laminate::new(&[sheet(2.0, 0.0, t), sheet(1e-12, 0.0, h), sheet(2.0, 0.0, t)]).unwrap();
        let expected = 2.0 * t * (h + t) * (h + t) / 2.0 + 2.0 * t.powi(3) / 6.0;
        assert!((sandwich.plate().rigidity() / expected - 1.0).abs() < 1e-10);
        assert!((sandwich.plane().mu() / (2.0 * 0.2 / 2.0) - 1.0).abs() < 1e-10);
    }

    #[test]
    fn stacks_that_bend_when_they_are_stretched_are_refused() {
        let two = Laminate::new(&[sheet(1.0, 0.3, 0.1), sheet(2.0, 0.3, 0.1)]);
        assert!(matches!(two, Err(ShellError::Unsymmetric { coupling }) if coupling > 0.05));
        let unlike = Laminate::new(&[sheet(1.0, 0.3, 0.1), sheet(1.0, 0.0, 0.1)]);
        assert!(matches!(unlike, Err(ShellError::Unsymmetric { .. })));
        assert!(Laminate::new(&[]).is_err());
    }
}
