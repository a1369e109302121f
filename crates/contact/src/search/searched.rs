//! Paths for which candidates were searched, stored in debug builds to detect evaluation elsewhere.

use resile_math::Vec3;

/// Largest distance of an evaluation from a searched path, relative to the `d_hat` of the search. Missing pairs have
/// less than 1e-11 of the energy `kappa d_hat area`, so rounding and finite differences are tolerated.
#[cfg(debug_assertions)]
const PATH_TOLERANCE: f64 = 1e-4;

/// Rounding error of a position relative to the largest coordinate, with a margin.
#[cfg(debug_assertions)]
const COORDINATE_TOLERANCE: f64 = 1e3 * f64::EPSILON;

/// Collision-free parts of straight paths, by the positions of points at both ends.
#[derive(Debug, Clone, Default)]
pub(crate) struct SearchedPaths {
    #[cfg(debug_assertions)]
    paths: Vec<Path>,
}

#[cfg(debug_assertions)]
#[derive(Debug, Clone)]
struct Path {
    from: Vec<Vec3>,
    to: Vec<Vec3>,
    d_hat: f64,
}

#[cfg(debug_assertions)]
impl SearchedPaths {
    /// The part of a straight path up to the fraction `collision_free`, searched for gaps below `d_hat` (m).
    pub(crate) fn of_path(from: &[Vec3], to: &[Vec3], collision_free: f64, d_hat: f64) -> Self {
        let reached = from.iter().zip(to).map(|(x, y)| *x + (*y - *x) * collision_free);
        Self { paths: vec![Path { from: from.to_vec(), to: reached.collect(), d_hat }] }
    }

    /// Adds the paths of another search.
    pub(crate) fn extend(&mut self, other: Self) {
        self.paths.extend(other.paths);
    }

    /// Panics if points at `x` (m) are on none of the paths that were searched for `d_hat` (m) or more. Candidates
    /// without a path are not checked; their validity is the caller's responsibility.
    #[track_caller]
    pub(crate) fn assert_contains(&self, x: &[Vec3], d_hat: f64) {
        let is_searched =
            self.paths.is_empty() || self.paths.iter().any(|path| path.contains(x, d_hat));
        assert!(
            is_searched,
            "contact is evaluated at positions that its candidates were not searched for"
        );
    }
}

#[cfg(debug_assertions)]
impl SearchedPaths {
    /// Panics if the start of a straight path (m), or the point at this fraction of it, is on none of the searched paths.
    #[track_caller]
    pub(crate) fn assert_contains_path(&self, from: &[Vec3], to: &[Vec3], fraction: f64) {
        let reached: Vec<Vec3> =
            from.iter().zip(to).map(|(x, y)| *x + (*y - *x) * fraction).collect();
        self.assert_contains(from, 0.0);
        self.assert_contains(&reached, 0.0);
    }
}

#[cfg(debug_assertions)]
impl Path {
    /// Whether `x` is on the path, with all points at the same fraction of it, up to [`PATH_TOLERANCE`] and to the
    /// margin that a search for a larger distance than `d_hat` (m) leaves. Positions that overflow count as on the path:
    /// their energy is not finite, so the line search rejects them.
    fn contains(&self, x: &[Vec3], d_hat: f64) -> bool {
        if d_hat > self.d_hat || x.len() != self.from.len() {
            return false;
        }
        let point_paths = || self.from.iter().zip(&self.to);
        let max_displacement =
            point_paths().map(|(a, b)| (*b - *a).abs().max_element()).fold(0.0, f64::max);
        // Scaled by the longest displacement, so that squares cannot overflow.
        let scaled =
            |v: Vec3| if max_displacement > 0.0 { v / max_displacement } else { Vec3::ZERO };
        let length2: f64 = point_paths().map(|(a, b)| scaled(*b - *a).length_squared()).sum();
        let projection: f64 =
            point_paths().zip(x).map(|((a, b), x)| scaled(*x - *a).dot(scaled(*b - *a))).sum();
        let fraction = if length2 > 0.0 { (projection / length2).clamp(0.0, 1.0) } else { 0.0 };
        // Two points that each move by `margin` along each axis approach by at most the difference of both `d_hat`.
        let margin = (self.d_hat - d_hat) / (2.0 * 3.0_f64.sqrt());
        // The rounding error of points of an affine body is that of its farthest node.
        let max_coordinate =
            point_paths().map(|(a, b)| a.abs().max(b.abs()).max_element()).fold(0.0, f64::max);
        point_paths().zip(x).all(|((a, b), x)| {
            let deviation = (*x - (*a + (*b - *a) * fraction)).abs().max_element();
            deviation.is_nan()
                || deviation
                    <= margin + PATH_TOLERANCE * self.d_hat + COORDINATE_TOLERANCE * max_coordinate
        })
    }
}

#[cfg(not(debug_assertions))]
impl SearchedPaths {
    pub(crate) fn of_path(_: &[Vec3], _: &[Vec3], _: f64, _: f64) -> Self {
        Self {}
    }

    pub(crate) fn extend(&mut self, _: Self) {}

    #[inline]
    pub(crate) fn assert_contains(&self, _: &[Vec3], _: f64) {}

    #[inline]
    pub(crate) fn assert_contains_path(&self, _: &[Vec3], _: &[Vec3], _: f64) {}
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;

    fn straight(length: f64) -> SearchedPaths {
        let from = [Vec3::ZERO, Vec3::new(0.0, 0.1, 0.0)];
        let to = from.map(|x| x + Vec3::new(length, -2.0 * length, 0.0));
        SearchedPaths::of_path(&from, &to, 1.0, 1e-3)
    }

    fn middle(length: f64) -> [Vec3; 2] {
        [Vec3::ZERO, Vec3::new(0.0, 0.1, 0.0)].map(|x| x + Vec3::new(0.5 * length, -length, 0.0))
    }

    #[test]
    fn path_contains_its_midpoint() {
        for length in [0.0, 1e-300, 1e-3, 1e60, 1e190, 1e307, 1e308] {
            straight(length).assert_contains(&middle(length), 1e-3);
        }
    }

    #[test]
    fn path_tolerance_covers_rounding_of_the_farthest_point() {
        let from = [Vec3::ZERO, Vec3::new(4e9, 0.0, 0.0)];
        let searched = SearchedPaths::of_path(&from, &from.map(|x| x + Vec3::ONE), 1.0, 1e-3);
        searched.assert_contains(&[Vec3::new(1e-6, 0.0, 0.0), from[1]], 1e-3);
    }

    #[test]
    fn search_with_a_larger_d_hat_holds_beside_its_path() {
        let off = Vec3::new(0.0, 0.0, 2.8e-4);
        straight(1.0).assert_contains(&middle(1.0).map(|x| x + off), 1e-8);
    }

    #[test]
    #[should_panic(expected = "not searched for")]
    fn positions_beyond_the_margin_of_a_search_are_detected() {
        let off = Vec3::new(0.0, 0.0, 1.5e-4);
        straight(1.0).assert_contains(&middle(1.0).map(|x| x + off), 5e-4);
    }

    #[test]
    #[should_panic(expected = "not searched for")]
    fn positions_off_a_path_are_detected() {
        straight(1.0).assert_contains(&middle(1.0).map(|x| x + Vec3::new(0.0, 0.0, 1e-6)), 1e-3);
    }

    #[test]
    #[should_panic(expected = "not searched for")]
    fn points_at_unequal_fractions_of_a_path_are_detected() {
        let [a, b] = middle(1.0);
        straight(1.0).assert_contains(&[a, b + Vec3::new(0.1, -0.2, 0.0)], 1e-3);
    }
}
