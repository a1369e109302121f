//! Forces that a program sets between steps.

use resile_system::{Dissipation, DissipationPotential, Hessian, Psd, Vec3};
use std::sync::Arc;

/// `D(v) = -sum_i f_i . v_i`: the negative power of given forces, one per node (N).
///
/// Forces that change between steps have no potential, so the ledger books their work as negative heat, like
/// that of wind. [`Force`](crate::Force) has a potential and a schedule. O(nodes).
#[derive(Debug, Clone, PartialEq)]
pub struct SuppliedForces {
    forces: Vec<Vec3>,
}

impl SuppliedForces {
    /// A force (N) for each node of a body.
    pub fn new(forces: Vec<Vec3>) -> Self {
        Self { forces }
    }
}

impl Dissipation for SuppliedForces {
    fn name(&self) -> &str {
        "supplied_forces"
    }

    fn lagged(&self, _x: &[Vec3]) -> Arc<dyn DissipationPotential> {
        Arc::new(self.clone())
    }
}

impl DissipationPotential for SuppliedForces {
    fn value(&self, _time: f64, v: &[Vec3]) -> f64 {
        -self.forces.iter().zip(v).map(|(force, v)| force.dot(*v)).sum::<f64>()
    }

    fn add_gradient(&self, _time: f64, _v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        out.iter_mut().zip(&self.forces).for_each(|(out, force)| *out -= *force * scale);
    }

    /// Zero: the potential is linear.
    fn add_hessian(&self, _time: f64, _v: &[Vec3], _psd: Psd, _out: &mut Hessian<'_>) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_system::check::dissipation_derivatives;

    #[test]
    fn derivatives_equal_those_of_the_value() {
        let forces = SuppliedForces::new(vec![Vec3::new(1.0, -2.0, 0.5), Vec3::Z * 3.0]);
        let v = [Vec3::new(0.2, 0.1, 3.0), Vec3::new(-1.0, 0.4, 0.0)];
        let errors = dissipation_derivatives(&forces, &v, 1e-3).expect("it moves");
        assert!(errors.gradient < 1e-10 && errors.hessian == 0.0, "{errors:?}");
    }
}
