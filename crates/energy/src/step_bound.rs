//! How far a positive number may go towards zero in one step.

use resile_system::{Vec3, Way};

/// What must be kept of a distance, so that a barrier is never met at zero.
const KEPT: f64 = 0.1;

/// Largest fraction of the straight way `from -> to` after which a tenth of `from`
/// is left. A number that is not positive at the start is not guarded.
pub(crate) fn fraction(from: f64, to: f64) -> f64 {
    let least = KEPT * from;
    if from > 0.0 && to < least { (from - least) / (from - to) } else { 1.0 }
}

/// The least [`fraction`] over the numbers `at(x, k)`, `k < count`, on all ways.
pub(crate) fn bound(ways: &[Way<'_>], count: usize, at: impl Fn(&[Vec3], usize) -> f64) -> f64 {
    let of = |way: &Way<'_>, k: usize| fraction(at(way.from, k), at(way.to, k));
    ways.iter()
        .flat_map(|way| (0..count).map(move |k| (way, k)))
        .fold(1.0, |least: f64, (way, k)| least.min(of(way, k)))
}
