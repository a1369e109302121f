//! Neighbours along curves.
//!
//! Pieces of a thick rod that follow each other are nearer than its thickness, however straight it
//! is. They are no contact. A rod cannot be bent to a circle narrower than itself, on which two places that
//! touch across are half the circumference apart along it: `pi / 2` times the distance at which they touch.
//! So pairs that are nearer than that along the rod are left out, and those farther away repel each other as
//! any.

use std::f64::consts::FRAC_PI_2;

/// Where a point is on its curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePlace {
    /// The number of the curve.
    pub curve: u32,
    /// The length along it to the point, at rest (m).
    pub at: f64,
    /// Once around a closed curve (m); infinite for an open one.
    pub around: f64,
}

impl CurvePlace {
    /// The length between two places of one curve (m), the shorter way around; infinite between curves.
    fn between(&self, other: &Self) -> f64 {
        if self.curve != other.curve {
            return f64::INFINITY;
        }
        let one_way = (self.at - other.at).abs();
        one_way.min(self.around - one_way)
    }
}

/// The places of all points of a mesh.
#[derive(Debug)]
pub(crate) struct Curves(pub(crate) Vec<CurvePlace>);

impl Curves {
    /// Whether primitives of these points are neighbours along a curve if they touch at a distance of
    /// `touching` (m).
    pub(crate) fn are_neighbours(&self, a: &[u32], b: &[u32], touching: f64) -> bool {
        let at = |&point: &u32| &self.0[point as usize];
        let pairs = a.iter().flat_map(|p| b.iter().map(move |q| (p, q)));
        let between = pairs.map(|(p, q)| at(p).between(at(q))).fold(f64::INFINITY, f64::min);
        between < FRAC_PI_2 * touching
    }
}
