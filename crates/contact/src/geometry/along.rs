//! Neighbours along curves.
//!
//! Consecutive segments of a thick rod are closer than its thickness even if the rod is straight. They are not in
//! contact. The tightest possible bend of a rod is a circle whose diameter is the contact distance. Two points that
//! touch across this circle are separated by half its circumference along the rod, `pi / 2` times the contact
//! distance. Pairs that are closer than this along the rod are excluded; all other pairs repel each other.

use std::f64::consts::FRAC_PI_2;

/// Position of a point on its curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePlace {
    /// Index of the curve.
    pub curve: u32,
    /// Arc length of the point at rest (m).
    pub arc_length: f64,
    /// Length of a closed curve (m); infinite for an open one.
    pub closed_length: f64,
}

impl CurvePlace {
    /// Arc length between two positions (m), the shorter one on a closed curve; infinite between different curves.
    fn arc_length_to(&self, other: &Self) -> f64 {
        if self.curve != other.curve {
            return f64::INFINITY;
        }
        let direct = (self.arc_length - other.arc_length).abs();
        direct.min(self.closed_length - direct)
    }
}

/// Curve positions of all points of a mesh.
#[derive(Debug, Clone)]
pub(crate) struct Curves(pub(crate) Vec<CurvePlace>);

impl Curves {
    /// Whether primitives with these points are neighbours along a curve, for the contact distance `contact_distance`
    /// (m).
    pub(crate) fn are_neighbours(&self, a: &[u32], b: &[u32], contact_distance: f64) -> bool {
        let position = |&point: &u32| &self.0[point as usize];
        let pairs = a.iter().flat_map(|p| b.iter().map(move |q| (p, q)));
        let arc_length = pairs
            .map(|(p, q)| position(p).arc_length_to(position(q)))
            .fold(f64::INFINITY, f64::min);
        arc_length < FRAC_PI_2 * contact_distance
    }
}
