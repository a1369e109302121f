//! Sums over groups of elements, in parallel and with equal bits for any number of threads.

use rayon::prelude::*;

/// Minimum number of groups per parallel task.
const GROUPS_PER_TASK: usize = 64;

/// The sum of `value` over all groups with their indices, added in their order.
pub(super) fn sum<G: Sync>(groups: &[G], value: impl Fn((usize, &G)) -> f64 + Sync) -> f64 {
    let groups = groups.par_iter().enumerate().with_min_len(GROUPS_PER_TASK);
    groups.map(&value).collect::<Vec<f64>>().iter().sum()
}

/// As [`sum`], for a function that changes groups.
pub(super) fn sum_mut<G: Send>(
    groups: &mut [G],
    value: impl Fn((usize, &mut G)) -> f64 + Sync,
) -> f64 {
    let groups = groups.par_iter_mut().enumerate().with_min_len(GROUPS_PER_TASK);
    groups.map(&value).collect::<Vec<f64>>().iter().sum()
}
