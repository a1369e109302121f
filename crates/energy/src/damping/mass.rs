//! Damping of all motion, including rigid motion.

use resile_system::{Dissipation, DissipationPotential, Hessian, Mat3, Psd, Vec3};
use std::sync::Arc;

/// `D(v) = c/2 sum_i |v_i|^2`: the ether drag of BLEND, eq. 31. The drag force of a node does
/// not depend on its mass.
#[derive(Debug, Clone, PartialEq)]
pub struct EtherDrag {
    node_count: usize,
    coefficient: f64,
}

impl EtherDrag {
    /// Drag on all of `node_count` nodes with the coefficient c (kg/s), not negative.
    pub fn new(node_count: usize, coefficient: f64) -> Self {
        Self { node_count, coefficient }
    }
}

impl Dissipation for EtherDrag {
    fn name(&self) -> &str {
        "ether drag"
    }

    fn lagged(&self, _x: &[Vec3]) -> Arc<dyn DissipationPotential> {
        Arc::new(self.clone())
    }
}

impl DissipationPotential for EtherDrag {
    fn value(&self, _time: f64, v: &[Vec3]) -> f64 {
        0.5 * self.coefficient * v.iter().map(|v| v.length_squared()).sum::<f64>()
    }

    fn add_gradient(&self, _time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let c = scale * self.coefficient;
        out.iter_mut().zip(v).for_each(|(out, v)| *out += *v * c);
    }

    fn add_hessian(&self, _time: f64, _v: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        let block = Mat3::from_diagonal(Vec3::splat(self.coefficient));
        (0..self.node_count).for_each(|i| out.add(i, i, block));
    }
}

/// `D(v) = eta/2 sum_i m_i |v_i|^2`: the mass part of Rayleigh's damping (AVF, section 4). The velocity of a free
/// body decays as `exp(-eta t)`, in all modes equally.
#[derive(Debug, Clone, PartialEq)]
pub struct MassDamping {
    masses: Vec<f64>,
    rate: f64,
}

impl MassDamping {
    /// Damping of nodes of mass `masses` (kg) at the rate eta (1/s), not negative.
    pub fn new(masses: Vec<f64>, rate: f64) -> Self {
        Self { masses, rate }
    }
}

impl Dissipation for MassDamping {
    fn name(&self) -> &str {
        "mass damping"
    }

    fn lagged(&self, _x: &[Vec3]) -> Arc<dyn DissipationPotential> {
        Arc::new(self.clone())
    }
}

impl DissipationPotential for MassDamping {
    fn value(&self, _time: f64, v: &[Vec3]) -> f64 {
        let twice_kinetic: f64 =
            self.masses.iter().zip(v).map(|(m, v)| m * v.length_squared()).sum();
        0.5 * self.rate * twice_kinetic
    }

    fn add_gradient(&self, _time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        for ((out, v), m) in out.iter_mut().zip(v).zip(&self.masses) {
            *out += *v * (scale * self.rate * m);
        }
    }

    fn add_hessian(&self, _time: f64, _v: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        for (i, m) in self.masses.iter().enumerate() {
            out.add(i, i, Mat3::from_diagonal(Vec3::splat(self.rate * m)));
        }
    }
}
