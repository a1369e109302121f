//! What crosses the border of a system in a step from outside: the work of hands and
//! moving targets, for every integrator alike, so that *target = initial + added -
//! dissipated* means the same in all of them.

use crate::hands;
use resile_math::Vec3;
use resile_system::System;

/// A step already solved for: both ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path<'a> {
    pub(crate) from: &'a [Vec3],
    pub(crate) to: &'a [Vec3],
}

/// Work (J) done on each body by moving targets and by the hands that move prescribed
/// nodes. Where hands move anything, the system can afterwards be evaluated at the end.
pub(crate) fn work(system: &mut System, path: Path<'_>, times: [f64; 2]) -> Vec<f64> {
    let mut work = system.work_by_body(path.from, path.to, times);
    if system.is_driven() {
        let of_hands = hands::work(system, path, times);
        work.iter_mut().zip(of_hands).for_each(|(work, of_hands)| *work += of_hands);
    }
    work
}

/// `grad P(x)` (N) with all terms at the time they have.
pub(crate) fn potential_gradient(system: &System, x: &[Vec3]) -> Vec<Vec3> {
    let mut gradient = vec![Vec3::ZERO; x.len()];
    system.add_gradient(x, 1.0, &mut gradient);
    gradient
}
