//! What crosses the border of a system in a step from outside: the work of hands and
//! moving targets, for every integrator alike, so that *target = initial + added -
//! dissipated* means the same in all of them.

use resile_linalg::Vec3;
use resile_system::System;

/// A step already solved for: both ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path<'a> {
    pub(crate) from: &'a [Vec3],
    pub(crate) to: &'a [Vec3],
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
