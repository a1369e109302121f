//! Uniform gravity.

use resile_system::{Energy, Hessian, Psd, Vec3};

/// `V(x) = -sum_i m_i g . x_i`: weight in a uniform field, zero at the origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Gravity {
    masses: Vec<f64>,
    acceleration: Vec3,
}

impl Gravity {
    /// Weight of nodes of mass `masses` (kg) in the field `acceleration` (m/s^2).
    pub fn new(masses: Vec<f64>, acceleration: Vec3) -> Self {
        Self { masses, acceleration }
    }
}

impl Energy for Gravity {
    fn name(&self) -> &str {
        "gravity"
    }

    fn value(&self, x: &[Vec3]) -> f64 {
        -self.masses.iter().zip(x).map(|(m, x)| m * self.acceleration.dot(*x)).sum::<f64>()
    }

    fn add_gradient(&self, _x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        for (out, mass) in out.iter_mut().zip(&self.masses) {
            *out -= self.acceleration * (scale * mass);
        }
    }

    /// Zero: the potential is linear.
    fn add_hessian(&self, _x: &[Vec3], _psd: Psd, _out: &mut Hessian<'_>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_force_is_the_weight_and_lifting_costs_mass_times_g_times_height() {
        let g = Vec3::new(0.5, -9.81, 0.0);
        let gravity = Gravity::new(vec![2.0, 3.0], g);
        let x = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(-4.0, 0.5, 1.0)];
        let mut gradient = [Vec3::X; 2];
        gravity.add_gradient(&x, 2.0, &mut gradient);
        assert_eq!(gradient, [Vec3::X - g * 4.0, Vec3::X - g * 6.0]);
        let lifted = x.map(|x| x + Vec3::Y);
        let work = gravity.value(&lifted) - gravity.value(&x);
        assert!((work - 5.0 * 9.81).abs() < 1e-12, "{work}");
    }
}
