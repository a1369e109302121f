//! What crosses the border of a system in a step from outside: the work of prescribed motions and
//! moving targets, for every integrator alike, so that *target = initial + added -
//! dissipated* means the same in all of them.

use crate::prescribed_work;
use resile_system::{Path, Prepared};

/// Work (J) done on each body by moving targets and by the motions of prescribed
/// nodes. Where any of these move, the system is afterwards prepared at the end.
pub(crate) fn work(system: &mut Prepared<'_>, path: Path<'_>, times: [f64; 2]) -> Vec<f64> {
    let mut work = system.work_by_body(path.from, path.to, times);
    if system.is_driven() {
        let of_prescribed = prescribed_work::work(system, path, times);
        work.iter_mut().zip(of_prescribed).for_each(|(work, of_prescribed)| *work += of_prescribed);
    }
    work
}
