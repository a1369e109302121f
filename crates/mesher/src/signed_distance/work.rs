//! How much work a surface makes, before it is done.
//!
//! The tree of triangles answers a question after a look at some dozens of them, if they are
//! short beside the surface. Where thousands of needles meet in one vertex, each question is
//! one to nearly all of them, and work grows with the square of the file.

use super::SolidError;
use resile_math::{Aabb, Vec3};
use resile_mesh::{TriMesh, TriangleTree};

/// The most looks at triangles that a solid may take of which a question takes more than
/// 1000: about a minute of one core.
pub const MOST_LOOKS: f64 = 2e9;

/// A surface of which a question takes no more looks is never refused: one of even triangles takes
/// some hundred.
const EVEN: f64 = 1000.0;

/// At how many triangles, and at how many places along each side of the box, questions are
/// tried.
const PROBES: [usize; 2] = [64, 4];

/// How many looks a core takes in a second: [`MOST_LOOKS`] in about a minute.
const LOOKS_IN_A_SECOND: f64 = MOST_LOOKS / 60.0;

/// No more looks than this are taken to find out how many there will be.
const ENOUGH: usize = 20_000_000;

/// Refuses a surface for which one question for every triangle and `points` questions in its box
/// take more than [`MOST_LOOKS`] looks at triangles. Costs some hundred questions at most.
pub(super) fn refuse_too_much(
    mesh: &TriMesh,
    tree: &TriangleTree,
    points: f64,
) -> Result<(), SolidError> {
    let count = mesh.triangles.len();
    let [triangles, side] = PROBES;
    let middles = (0..count).step_by(count.div_ceil(triangles)).map(|t| {
        let [a, b, c] = mesh.corners(t);
        (a + b + c) / 3.0
    });
    let looks =
        count as f64 * mean_looks(tree, middles) + points * mean_looks(tree, places(tree, side));
    let questions = count as f64 + points;
    let each = looks / questions;
    if looks > MOST_LOOKS && each > EVEN {
        return Err(SolidError::TooMuchWork { questions, each, triangles: count });
    }
    Ok(())
}

/// Seconds of one core for so many questions in the box of a tree, by the number of triangles that
/// some of them look at.
pub(super) fn seconds(tree: &TriangleTree, points: f64) -> f64 {
    points * mean_looks(tree, places(tree, PROBES[1])) / LOOKS_IN_A_SECOND
}

/// Places all over the box of a tree, so many along each side.
fn places(tree: &TriangleTree, side: usize) -> impl Iterator<Item = Vec3> {
    let Aabb { min, max } = tree.bounds();
    let share = move |k: usize| (k as f64 + 0.5) / side as f64;
    (0..side.pow(3)).map(move |k| {
        let at = Vec3::new(share(k % side), share(k / side % side), share(k / side.pow(2)));
        min + at * (max - min)
    })
}

/// Of one question.
fn mean_looks(tree: &TriangleTree, places: impl Iterator<Item = Vec3>) -> f64 {
    let (mut asked, mut looks) = (0, 0);
    for place in places {
        asked += 1;
        looks += tree.looks(place);
        if looks > ENOUGH {
            break;
        }
    }
    looks as f64 / f64::from(asked.max(1))
}
