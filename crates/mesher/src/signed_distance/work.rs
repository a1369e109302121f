//! Cost estimate of filling a surface.
//!
//! A query of the triangle tree visits some dozens of triangles if they are small compared with the
//! surface. If thousands of needles share a vertex, each query visits nearly all of them, and the work
//! grows quadratically with the file.

use super::SolidError;
use resile_math::{Aabb, Vec3};
use resile_mesh::{TriMesh, TriangleTree};

/// Largest number of triangle visits of a solid with more than 1000 visits per query: about a minute on one
/// core.
pub const MAX_VISITS: f64 = 2e9;

/// Visits per query up to which a surface is always accepted; a surface of even triangles needs some
/// hundred.
const ACCEPTED_VISITS: f64 = 1000.0;

/// Number of triangles at which sample queries run.
const SAMPLE_TRIANGLES: usize = 64;
/// Number of points along each side of the box at which sample queries run.
const SAMPLE_GRID_SIDE: usize = 4;

/// Triangle visits per second on one core: [`MAX_VISITS`] in about a minute.
const VISITS_PER_SECOND: f64 = MAX_VISITS / 60.0;

/// Largest number of visits of the sample queries.
const MAX_SAMPLE_VISITS: usize = 20_000_000;

/// Rejects a surface for which one query per triangle and `points` queries in its box would visit more
/// than [`MAX_VISITS`] triangles. Costs some hundred queries at most.
pub(super) fn check_cost(
    mesh: &TriMesh,
    tree: &TriangleTree,
    points: f64,
) -> Result<(), SolidError> {
    let count = mesh.triangles.len();
    let centroids = (0..count).step_by(count.div_ceil(SAMPLE_TRIANGLES)).map(|t| {
        let [a, b, c] = mesh.corners(t);
        (a + b + c) / 3.0
    });
    let visits = count as f64 * mean_visits(tree, centroids)
        + points * mean_visits(tree, grid_points(tree, SAMPLE_GRID_SIDE));
    let queries = count as f64 + points;
    let visits_per_query = visits / queries;
    if visits > MAX_VISITS && visits_per_query > ACCEPTED_VISITS {
        return Err(SolidError::TooMuchWork { queries, each: visits_per_query, triangles: count });
    }
    Ok(())
}

/// Estimated single-core time (s) of `points` queries in the box of a tree, from sample queries.
pub(super) fn estimated_seconds(tree: &TriangleTree, points: f64) -> f64 {
    points * mean_visits(tree, grid_points(tree, SAMPLE_GRID_SIDE)) / VISITS_PER_SECOND
}

/// A grid of `side`^3 points in the box of a tree.
fn grid_points(tree: &TriangleTree, side: usize) -> impl Iterator<Item = Vec3> {
    let Aabb { min, max } = tree.bounds();
    // Position along a side of the box, as a fraction.
    let fraction = move |k: usize| (k as f64 + 0.5) / side as f64;
    (0..side.pow(3)).map(move |k| {
        let fractions =
            Vec3::new(fraction(k % side), fraction(k / side % side), fraction(k / side.pow(2)));
        min + fractions * (max - min)
    })
}

/// Mean number of visits per query.
fn mean_visits(tree: &TriangleTree, points: impl Iterator<Item = Vec3>) -> f64 {
    let (mut queries, mut visits) = (0, 0);
    for point in points {
        queries += 1;
        visits += tree.visited_count(point);
        if visits > MAX_SAMPLE_VISITS {
            break;
        }
    }
    visits as f64 / f64::from(queries.max(1))
}
