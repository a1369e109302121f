//! Accelerating supports: the changes of their velocities, and their work on velocities that lag behind by half a step.
//!
//! The velocities of implicit Euler are those of the middle of a step, so an impulse `-h grad P` at its end leads from
//! the mean velocity of this step to that of the next one. It acts at the end, where the velocity of the support exceeds
//! its mean V over the step by `a h / 2`, with the acceleration a. In a frame with the velocity V, the energy of a body
//! that follows the support therefore changes by `h (a h / 2) . grad P`, a negative amount, in addition to the work
//! in that frame. On a circle with the angular velocity w this is `-m (V w h)^2 / 2` in each step.

use super::Step;
use super::co_moving::support_velocity;
use resile_math::Vec3;
use resile_system::{Energy, Links, Prepared};

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

    /// The velocity (m/s) of the support of each body at the end of the step to `x` (m), where the system must be prepared,
    /// minus its mean velocity, for the groups of `links`; empty if nothing moves.
    pub(crate) fn support_velocity_changes(&self, x: &[Vec3], links: &Links) -> Vec<Vec3> {
        let [start, end] = [self.state.time, self.end_time()];
        if !self.system.is_driven() && !self.system.has_moving_support([start, end]) {
            return Vec::new();
        }
        let times = [start + 0.5 * self.h, end];
        // The velocity at the end exceeds the mean by twice what that of the second half does.
        let mut velocities = vec![Vec3::ZERO; x.len()];
        self.set_prescribed_velocities(0.75, &mut velocities);
        let mut support_links = Links::new(links.body_count()).with_velocities(velocities.clone());
        self.system.link(x, &mut support_links);
        let mut changes = vec![Vec3::ZERO; links.body_count()];
        for group in links.groups() {
            let later = support_velocity(&self.system, &support_links, &velocities, &group, times);
            let Some(later) = later else { continue };
            group.iter().for_each(|&b| changes[b] = 2.0 * (later - self.co_moving.velocity(b)));
        }
        changes
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
