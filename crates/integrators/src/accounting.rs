//! What crosses the border of a system in a step from outside: the work of hands and
//! moving targets, for every integrator alike, so that *target = initial + added -
//! dissipated* means the same in all of them.

use crate::hands;
use resile_system::{Prepared, Way};

/// Work (J) done on each body by moving targets and by the hands that move prescribed
/// nodes. Where hands move anything, the system is afterwards prepared at the end.
pub(crate) fn work(system: &mut Prepared<'_>, path: Way<'_>, times: [f64; 2]) -> Vec<f64> {
    let mut work = system.work_by_body(path.from, path.to, times);
    if system.is_driven() {
        let of_hands = hands::work(system, path, times);
        work.iter_mut().zip(of_hands).for_each(|(work, of_hands)| *work += of_hands);
    }
    work
}
