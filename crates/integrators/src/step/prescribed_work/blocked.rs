//! The work of prescribed nodes that are blocked before their targets.

use super::{Chord, target_gradients};
use resile_math::Vec3;
use resile_system::Path;

/// Potentials and gradients at one end of a path.
struct EndForces {
    /// Potential (J) of each body, at the time of the end of the step.
    potentials: Vec<f64>,
    /// Gradient (N) at each node, without the components in held directions.
    free_gradient: Vec<Vec3>,
    /// Gradient (N) over the free nodes of each body, with springs to moving targets at the time of this end.
    body_gradients: Vec<Vec3>,
}

impl Chord<'_> {
    /// The work (J) on each body from the change of its potential and the forces on its free nodes. Potentials are those of
    /// the end of the step, so that loads which depend on time do no work.
    pub(super) fn work_against_blocking_forces(&mut self) -> Vec<f64> {
        let ends = [0.0, 1.0].map(|fraction| self.end_forces(fraction));
        let [start, end] = &ends;
        let path = self.path;
        let free_power = |i: usize| {
            let mean_gradient = 0.5 * (start.free_gradient[i] + end.free_gradient[i]);
            mean_gradient.dot(path.to[i] - path.from[i])
        };
        let free_work = self.system.sum_by_body(free_power);
        let body_work = |b: usize| {
            let drift_gradient = 0.5 * (start.body_gradients[b] + end.body_gradients[b]);
            end.potentials[b] - start.potentials[b] - free_work[b]
                + self.drift[b].dot(drift_gradient)
        };
        (0..free_work.len()).map(body_work).collect()
    }

    /// The potentials and gradients at an end of the path, where the system is then prepared.
    fn end_forces(&mut self, fraction: f64) -> EndForces {
        let (x, time) = (self.positions_at(fraction), self.time_at(1.0));
        self.system.along(&[Path::at(&x)]);
        let system = &self.system;
        let gradient = system.gradient(time, &x);
        let free_gradient: Vec<Vec3> = gradient
            .iter()
            .enumerate()
            .map(|(i, gradient)| system.free_part(i, *gradient))
            .collect();
        let at_end = target_gradients(system, time, &x, self.times);
        let own = &self.target_gradients[usize::from(fraction == 1.0)];
        let body_gradient = |b: usize| {
            let sum: Vec3 = free_gradient[system.nodes(b)].iter().copied().sum();
            sum - at_end[b] + own[b]
        };
        let body_gradients = (0..system.bodies().len()).map(body_gradient).collect();
        let potentials = system.potential_by_body(time, &x);
        EndForces { potentials, free_gradient, body_gradients }
    }
}
