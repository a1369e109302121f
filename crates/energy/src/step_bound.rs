//! Step bounds that keep quantities such as distances positive.

use resile_system::{Path, Vec3};

/// The fraction of a distance, an area, a volume or an angle to a fold that remains after a step, so that energies are
/// never evaluated where these are zero: a rule of the fraction to the boundary (Nocedal & Wright 2006, *Numerical
/// Optimization*, section 19.2).
pub(crate) const KEPT_FRACTION: f64 = 0.1;

/// Returns the largest fraction, at most one, of the change of a quantity from `from` to `to` after which a tenth of
/// `from` remains. The quantity is taken to be linear along the step. Returns one if `from` is not positive.
fn admissible_fraction(from: f64, to: f64) -> f64 {
    let threshold = KEPT_FRACTION * from;
    if from > 0.0 && to < threshold { (from - threshold) / (from - to) } else { 1.0 }
}

/// Returns the largest fraction of the steps `paths`, at most one, that is admissible for all quantities
/// `quantity(x, k)`, `k < count`: each keeps a tenth of its positive initial value ([`admissible_fraction`]). The
/// quantities must be linear along a path.
pub(crate) fn max_step_fraction(
    paths: &[Path<'_>],
    count: usize,
    quantity: impl Fn(&[Vec3], usize) -> f64,
) -> f64 {
    let fraction = |path: &Path<'_>, k: usize| {
        admissible_fraction(quantity(path.from, k), quantity(path.to, k))
    };
    paths
        .iter()
        .flat_map(|path| (0..count).map(move |k| (path, k)))
        .fold(1.0, |smallest: f64, (path, k)| smallest.min(fraction(path, k)))
}
