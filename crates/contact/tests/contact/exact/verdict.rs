//! What is asked of a time of impact.

use super::families::Query;
use super::oracle::Oracle;
use resile_contact::ccd::{CONSERVATIVE_GAP, time_of_impact};

/// Gaps above this fraction of the largest coordinate are to be used up.
const WIDE: f64 = 1e-6;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Proved, and as late as promised.
    Good,
    /// The pieces meet by then, or that they do not is not proved.
    Unsafe,
    /// Proved, but more than twice the gap to be left is left a millionth of the path later.
    Early,
}

pub(crate) fn verdict(query: &Query) -> Verdict {
    let Query { kind, from, to, min_separation } = query;
    let time = time_of_impact(*kind, from, to, *min_separation);
    let oracle = Oracle::new(*kind, from, to, *min_separation);
    let safe = time == 0.0 || (0.0..=1.0).contains(&time) && oracle.stay_apart_until(time);
    if !safe {
        return Verdict::Unsafe;
    }
    let gap = oracle.gap(0.0);
    let allowed = 2.0 * CONSERVATIVE_GAP * gap * (1.0 + 1e-6);
    let used = || [time, time + 1e-6].iter().any(|&t| oracle.gap(t) <= allowed);
    if time == 1.0 || gap <= WIDE || used() { Verdict::Good } else { Verdict::Early }
}
