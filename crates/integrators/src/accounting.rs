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

/// What hands have to overcome at one end of a step.
#[derive(Debug)]
pub(crate) struct Hands {
    /// `grad P` (N).
    gradient: Vec<Vec3>,
    /// What scripted bodies do to each body if they are moved as in this step (J).
    of_scripted: Vec<f64>,
}

impl Hands {
    /// At `x`, where nodes that are not solved for are `moved` (m) in the step.
    pub(crate) fn at(system: &System, x: &[Vec3], moved: &[Vec3]) -> Self {
        let gradient = potential_gradient(system, x);
        Self { gradient, of_scripted: system.scripted_power(x, moved) }
    }
}

/// Work (J) done on each body by moving targets and by the hands that move prescribed
/// nodes, the latter by the trapezoidal rule over the forces they have to overcome at both
/// ends, where they move anything. A hand's work is booked to the body whose node it
/// holds, that of a scripted body to the bodies it pushes: it has no energy itself.
pub(crate) fn work(
    system: &System,
    path: Path<'_>,
    times: [f64; 2],
    hands: Option<[&Hands; 2]>,
) -> Vec<f64> {
    let mut work = system.work_by_body(path.from, path.to, times);
    if let Some([start, end]) = hands {
        let of_hand = system.sum_by_body(|i| match system.free()[i] {
            true => 0.0,
            false => 0.5 * (start.gradient[i] + end.gradient[i]).dot(path.to[i] - path.from[i]),
        });
        for (b, work) in work.iter_mut().enumerate() {
            if !system.bodies()[b].is_scripted() {
                *work += of_hand[b] + 0.5 * (start.of_scripted[b] + end.of_scripted[b]);
            }
        }
    }
    work
}

/// `grad P(x)` (N) with all terms at the time they have.
pub(crate) fn potential_gradient(system: &System, x: &[Vec3]) -> Vec<Vec3> {
    let mut gradient = vec![Vec3::ZERO; x.len()];
    system.add_gradient(x, 1.0, &mut gradient);
    gradient
}
