//! The work of accelerating supports on velocities that lag behind by half a step.
//!
//! The velocities of implicit Euler are those of the middle of a step, so an impulse `-h grad P` at its end leads from
//! the mean velocity of this step to that of the next one. It acts at the end, where the velocity of the support exceeds
//! its mean V over the step by `a h / 2`, with the acceleration a. In a frame with the velocity V, the energy of a body
//! that follows the support therefore changes by `h (a h / 2) . grad P`, a negative amount, in addition to the work
//! in that frame. On a circle with the angular velocity w this is `-m (V w h)^2 / 2` in each step.

use super::Step;
use resile_math::Vec3;
use resile_system::{Energy, Prepared};

impl Step<'_> {
    /// The correction (J) of the work on each body by springs to moving targets, for velocities that lag behind by half
    /// a step, at the positions `x` (m) at the end.
    pub(crate) fn support_lag_work(&self, x: &[Vec3]) -> Vec<f64> {
        let [start, end] = [self.state.time, self.end_time];
        let term_work = |b: usize, term: &dyn Energy| {
            let mean = term.support_velocity([start, end])?;
            let later = term.support_velocity([start + 0.5 * self.h, end])?;
            // The velocity at the end exceeds the mean by twice what that of the second half does.
            let end_displacement = 2.0 * self.h * (later - mean);
            Some(end_displacement.dot(support_gradient(&self.system, b, term, end, x)))
        };
        let body_work = |b: usize| {
            let terms = self.system.bodies()[b].energies.iter();
            terms.filter_map(|term| term_work(b, term.as_ref())).sum()
        };
        (0..self.system.bodies().len()).map(body_work).collect()
    }
}

/// The gradient (N) of a `term` that ties a body to its support, summed over the free nodes of the body, at the `time` (s)
/// and the positions `x` (m).
pub(super) fn support_gradient(
    system: &Prepared<'_>,
    body: usize,
    term: &dyn Energy,
    time: f64,
    x: &[Vec3],
) -> Vec3 {
    let nodes = system.nodes(body);
    let mut gradient = vec![Vec3::ZERO; nodes.len()];
    term.add_gradient(time, &x[nodes.clone()], 1.0, &mut gradient);
    nodes.zip(gradient).map(|(i, gradient)| system.free_part(i, gradient)).sum()
}
