//! What crosses the border of a system in a step: work in, dissipation out.
//!
//! Both are computed from forces and the displacement of the step, for every
//! integrator alike, so that *target = initial + added - dissipated* means the
//! same in all of them.

use crate::stage::Stage;
use resile_linalg::Vec3;
use resile_system::System;

/// A step already solved for: both ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path<'a> {
    pub(crate) from: &'a [Vec3],
    pub(crate) to: &'a [Vec3],
}

/// Energy (J) that friction and damping took from each body:
/// the dissipative force of the stage times the displacement of the step.
pub(crate) fn dissipated(system: &System, stage: &Stage, path: Path<'_>) -> Vec<f64> {
    if !system.dissipates() {
        return vec![0.0; system.bodies().len()];
    }
    let n = path.to.len();
    let velocity: Vec<Vec3> = (0..n).map(|i| stage.lag.velocity(i, path.to[i])).collect();
    let mut force = vec![Vec3::ZERO; n];
    system.add_dissipation_gradient(&velocity, 1.0, &mut force);
    system.sum_by_body(|i| force[i].dot(path.to[i] - path.from[i]))
}

/// Work (J) done on each body by moving targets and by the hand that moves
/// prescribed nodes, the latter by the trapezoidal rule over the forces
/// `[grad P(x_n), grad P(x_n+1)]` it has to overcome, where it moves anything.
pub(crate) fn work(
    system: &System,
    path: Path<'_>,
    times: [f64; 2],
    gradients: Option<[&[Vec3]; 2]>,
) -> Vec<f64> {
    let mut work = system.work_by_body(path.from, path.to, times);
    if let Some([start, end]) = gradients {
        let of_hand = system.sum_by_body(|i| match system.free()[i] {
            true => 0.0,
            false => 0.5 * (start[i] + end[i]).dot(path.to[i] - path.from[i]),
        });
        work.iter_mut().zip(of_hand).for_each(|(w, hand)| *w += hand);
    }
    work
}

/// `grad P(x)` (N) with all terms at the time they have.
pub(crate) fn potential_gradient(system: &System, x: &[Vec3]) -> Vec<Vec3> {
    let mut gradient = vec![Vec3::ZERO; x.len()];
    system.add_gradient(x, 1.0, &mut gradient);
    gradient
}
