//! Step bounds that keep quantities such as distances positive.

use resile_system::{Path, Vec3};

/// The fraction of a distance, an area, a volume or an angle to a fold that remains after a step, so that energies are
/// never evaluated where these are zero: a rule of the fraction to the boundary (Nocedal & Wright 2006, *Numerical
/// Optimization*, section 19.2).
pub(crate) const KEPT_FRACTION: f64 = 0.1;

/// Largest fraction of the straight path `from -> to` after which a tenth of `from` remains; one if
/// `from` is not positive.
pub(crate) fn fraction(from: f64, to: f64) -> f64 {
    let threshold = KEPT_FRACTION * from;
    if from > 0.0 && to < threshold { (from - threshold) / (from - to) } else { 1.0 }
}

/// The smallest [`fraction`] over the quantities `quantity(x, k)`, `k < count`, on all paths.
pub(crate) fn bound(
    paths: &[Path<'_>],
    count: usize,
    quantity: impl Fn(&[Vec3], usize) -> f64,
) -> f64 {
    let path_bound =
        |path: &Path<'_>, k: usize| fraction(quantity(path.from, k), quantity(path.to, k));
    paths
        .iter()
        .flat_map(|path| (0..count).map(move |k| (path, k)))
        .fold(1.0, |smallest: f64, (path, k)| smallest.min(path_bound(path, k)))
}
