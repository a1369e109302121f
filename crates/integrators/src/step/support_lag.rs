//! The work of accelerating supports on velocities that lag behind by half a step.
//!
//! The velocities of implicit Euler are those of the middle of a step, so an impulse `-h grad P` at its end leads from
//! the mean velocity of this step to that of the next one. It acts at the end, where the support is faster than on
//! average over the step, or moves in another direction. If a frame has the mean velocity V of the support, the energy
//! of a body that follows a support with the acceleration a grows by `h (a h / 2) . grad P` less than the work in
//! this frame. On a circle this is all the work that implicit Euler does, `m (V w h)^2 / 2` in each step.

use super::Step;
use resile_math::Vec3;

impl Step<'_> {
    /// The correction (J) of the work on each body by springs to moving targets, for velocities that lag behind by half
    /// a step, at the positions `x` (m) at the end.
    pub(crate) fn support_lag_work(&self, x: &[Vec3]) -> Vec<f64> {
        let [start, end] = [self.state.time, self.end_time];
        let mut work = vec![0.0; self.system.bodies().len()];
        for (b, work) in work.iter_mut().enumerate() {
            let nodes = self.system.nodes(b);
            for term in &self.system.bodies()[b].energies {
                let Some(mean) = term.support_velocity([start, end]) else { continue };
                let later = term.support_velocity([start + 0.5 * self.h, end]).unwrap_or(mean);
                let mut gradient = vec![Vec3::ZERO; nodes.len()];
                term.add_gradient(end, &x[nodes.clone()], 1.0, &mut gradient);
                let sum: Vec3 =
                    nodes.clone().zip(gradient).map(|(i, g)| self.system.free_part(i, g)).sum();
                // The velocity at the end exceeds the mean by twice what that of the second half does.
                *work += 2.0 * self.h * (later - mean).dot(sum);
            }
        }
        work
    }
}
