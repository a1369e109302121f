//! Uniform gravity.

use crate::schedule::{Schedule, between};
use resile_system::{Energy, Hessian, Psd, Vec3};

/// `P(x, t) = -sum_i m_i g(t) . x_i`: weight in a uniform field, zero at the origin. The
/// field may change at given times, for example to model a box that is turned over. O(nodes).
#[derive(Debug, Clone, PartialEq)]
pub struct Gravity {
    masses: Vec<f64>,
    schedule: Schedule<Vec3>,
}

impl Gravity {
    /// Weight of nodes of mass `masses` (kg) in the field `acceleration` (m/s^2).
    pub fn new(masses: Vec<f64>, acceleration: Vec3) -> Self {
        Self::scheduled(masses, Schedule::constant(acceleration))
    }

    /// As [`new`](Self::new), with a schedule of the field (m/s^2).
    pub fn scheduled(masses: Vec<f64>, schedule: Schedule<Vec3>) -> Self {
        Self { masses, schedule }
    }

    /// `sum_i m_i x_i` (kg m) at a fraction of the path from `from` to `to`.
    fn moment(&self, from: &[Vec3], to: &[Vec3], fraction: f64) -> Vec3 {
        let nodes = self.masses.iter().zip(from).zip(to);
        nodes.map(|((mass, from), to)| between(*from, *to, fraction) * *mass).sum()
    }
}

impl Energy for Gravity {
    fn name(&self) -> &str {
        "gravity"
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }

    fn next_change(&self, time: f64) -> f64 {
        self.schedule.next_change(time)
    }

    fn uniform_acceleration(&self, time: f64) -> Vec3 {
        self.schedule.at(time)
    }

    fn value(&self, time: f64, x: &[Vec3]) -> f64 {
        let g = self.schedule.at(time);
        -self.masses.iter().zip(x).map(|(m, x)| m * g.dot(*x)).sum::<f64>()
    }

    fn add_gradient(&self, time: f64, _x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let g = self.schedule.at(time);
        for (out, mass) in out.iter_mut().zip(&self.masses) {
            *out -= g * (scale * mass);
        }
    }

    /// Zero: the potential is linear.
    fn add_hessian(&self, _time: f64, _x: &[Vec3], _psd: Psd, _out: &mut Hessian<'_>) {}

    /// `sum (g_old - g_new) . sum_i m_i x_i` over the changes of the field.
    fn work(&self, from: &[Vec3], to: &[Vec3], times: [f64; 2]) -> f64 {
        self.schedule.work(times, |fraction, g| -g.dot(self.moment(from, to, fraction)))
    }
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
        gravity.add_gradient(0.0, &x, 2.0, &mut gradient);
        assert_eq!(gradient, [Vec3::X - g * 4.0, Vec3::X - g * 6.0]);
        let lifted = x.map(|x| x + Vec3::Y);
        let work = gravity.value(0.0, &lifted) - gravity.value(0.0, &x);
        assert!((work - 5.0 * 9.81).abs() < 1e-12, "{work}");
    }
}
