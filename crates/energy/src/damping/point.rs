//! Drag on a point.

use crate::anchor::{Anchor, AnchorError};
use resile_system::{Dissipation, DissipationPotential, Hessian, Mat3, Psd, Vec3};
use std::sync::Arc;

/// An invalid point or drag coefficient.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PointDragError {
    /// The anchor is not a valid point of the body.
    #[error("the point {cause}")]
    Point {
        /// The error of the point.
        cause: AnchorError,
    },
    /// The coefficient is negative or not finite.
    #[error("the drag is {coefficient} kg/s, but must be finite and not below zero")]
    Coefficient {
        /// The given value (kg/s).
        coefficient: f64,
    },
}

/// `D(v) = c/2 |v_p|^2`: viscous drag on one point p of a body, which may lie between nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct PointDrag {
    point: Anchor,
    coefficient: f64,
}

impl PointDrag {
    /// Drag on a point of a body of `nodes` nodes with the coefficient c (kg/s).
    ///
    /// # Errors
    /// If the point is not a point of the body, or the coefficient is negative or not finite.
    pub fn new(nodes: usize, point: Anchor, coefficient: f64) -> Result<Self, PointDragError> {
        point.check(nodes).map_err(|cause| PointDragError::Point { cause })?;
        if !(coefficient >= 0.0 && coefficient.is_finite()) {
            return Err(PointDragError::Coefficient { coefficient });
        }
        Ok(Self { point, coefficient })
    }
}

impl Dissipation for PointDrag {
    fn name(&self) -> &str {
        "point_drag"
    }

    fn lagged(&self, _x: &[Vec3]) -> Arc<dyn DissipationPotential> {
        Arc::new(self.clone())
    }
}

impl DissipationPotential for PointDrag {
    fn value(&self, _time: f64, v: &[Vec3]) -> f64 {
        0.5 * self.coefficient * self.point.at(v).length_squared()
    }

    fn add_gradient(&self, _time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let force = self.point.at(v) * (self.coefficient * scale);
        for &(node, weight) in &self.point.nodes {
            out[node] += force * weight;
        }
    }

    fn add_hessian(&self, _time: f64, _v: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        let nodes = &self.point.nodes;
        for (k, &(i, weight_i)) in nodes.iter().enumerate() {
            for &(j, weight_j) in &nodes[k..] {
                let entry = self.coefficient * weight_i * weight_j;
                out.add(i, j, Mat3::from_diagonal(Vec3::splat(entry)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_system::check::dissipation_derivatives;

    #[test]
    fn derivatives_equal_those_of_the_value() {
        let point = Anchor::new(vec![(0, 0.7), (2, -0.4), (1, 0.7)]);
        let drag = PointDrag::new(3, point, 4.0).expect("it is a point");
        let v = [Vec3::new(1.0, -2.0, 0.5), Vec3::new(0.2, 0.1, 3.0), Vec3::Y];
        let errors = dissipation_derivatives(&drag, &v, 1e-3).expect("it moves");
        assert!(errors.gradient < 1e-10 && errors.hessian < 1e-10, "{errors:?}");
    }

    #[test]
    fn invalid_points_and_coefficients_are_refused() {
        let sum = PointDrag::new(3, Anchor::new(vec![(0, 0.5)]), 1.0).expect_err("half a point");
        assert_eq!(sum, PointDragError::Point { cause: AnchorError::Weights { sum: 0.5 } });
        let negative = PointDrag::new(3, 0.into(), -1.0).expect_err("it would push");
        assert_eq!(negative, PointDragError::Coefficient { coefficient: -1.0 });
    }
}
