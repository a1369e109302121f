//! Pressure inside a closed surface.

use crate::factor::Factor;
use crate::gather::Gather;
use crate::schedule::between;
use crate::triangles::{TriangleError, check, sides};
use resile_math::cross_matrix;
use resile_system::{Energy, Hessian, Mat3, Psd, Vec3};
use std::collections::BTreeMap;

/// A surface that holds no pressure.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PressureError {
    /// There is no surface.
    #[error("a surface without triangles holds no pressure")]
    Empty,
    /// A triangle has no three nodes.
    #[error(transparent)]
    Triangle(#[from] TriangleError),
    /// An edge has a triangle on one side only.
    #[error(
        "the surface is open: only triangle {triangle} has the edge from node {from} to node {to}"
    )]
    Open {
        /// The triangle, counted from zero.
        triangle: usize,
        /// Where the edge begins, in the order of that triangle.
        from: u32,
        /// Where it ends.
        to: u32,
    },
    /// Two triangles run along an edge in the same sense, so they do not face the same
    /// side; or more than two meet there.
    #[error(
        "triangles {triangles:?} both run from node {from} to node {to}: turn one, or part the surface"
    )]
    Unoriented {
        /// The triangles, counted from zero.
        triangles: [usize; 2],
        /// Where the edge begins, in the order of both.
        from: u32,
        /// Where it ends.
        to: u32,
    },
    /// The pressure is not finite.
    #[error("the pressure is {pressure} Pa, but must be finite")]
    NotFinite {
        /// What was given (Pa).
        pressure: f64,
    },
}

/// `P(x, t) = -s(t) p vol(x)`: the pressure p inside a closed surface over that outside,
/// whatever the volume (a leaking balloon on a pump), times a schedule s.
///
/// The volume is that of the cones from one point to all triangles, by the divergence
/// theorem a cubic polynomial of the positions. Its gradient at a node is a third of the
/// area vectors around it. In the second derivative the point of the cones cancels and
/// only the two ends of an edge are coupled, by `d2vol/da db = [d - c]_x / 6`, where
/// (a, b, c) and (b, a, d) are the triangles at the edge; the diagonal is zero.
///
/// # Projection
/// With a zero diagonal the matrix has as much negative curvature as positive. Under
/// [`Psd::Clamp`] all of it is left out. What could be kept in closed form is the
/// clamp of each edge: half its block B, and half of `(B B^T)^(1/2)` at both ends. That is
/// an upper bound, but one that resists translation, and that every edge around a node
/// adds to. What zero neglects is of the order of `p l` (l an edge length)
/// and lies along the surface: normal to it a volume under pressure has negative
/// curvature. A membrane that carries the pressure has a tension of the order of `p R` (R
/// the radius of curvature), whose own stiffness is kept, and along itself is stiffer
/// still. Newton's method thus sees too little stiffness by a fraction of the order of
/// `l / R`. Surfaces without any stiffness of their own need time steps in which inertia exceeds `p l`.
///
/// O(triangles). Values and gradients are shared by the threads of the rayon pool they are
/// called in, with the same bits for any number of them.
#[derive(Debug, Clone)]
pub struct Pressure {
    triangles: Vec<[usize; 3]>,
    gather: Gather<3>,
    /// For each edge (a, b) the corners (c, d) opposite to it, of which c belongs to the
    /// triangle that runs from a to b.
    edges: Vec<[usize; 4]>,
    pressure: f64,
    schedule: Factor,
    /// s at the time last set.
    factor: f64,
}

impl Pressure {
    /// `pressure` p (Pa) behind `triangles` of a body of `node_count` nodes, times the
    /// `schedule`; at first as at time zero. The corners of a triangle turn
    /// counter-clockwise seen from outside; a surface inside out is sucked where it should
    /// be blown.
    ///
    /// # Errors
    /// No triangle; the first triangle without three nodes; the first edge that has not one
    /// triangle on each side; a pressure that is not finite.
    pub fn new(
        node_count: usize,
        triangles: &[[u32; 3]],
        pressure: f64,
        schedule: impl Into<Factor>,
    ) -> Result<Self, PressureError> {
        if !pressure.is_finite() {
            return Err(PressureError::NotFinite { pressure });
        }
        if triangles.is_empty() {
            return Err(PressureError::Empty);
        }
        check(node_count, triangles)?;
        let edges = edges(triangles)?;
        let gather = Gather::of(triangles);
        let triangles = triangles.iter().map(|t| t.map(|node| node as usize)).collect();
        let schedule = schedule.into();
        let factor = schedule.at(0.0);
        Ok(Self { triangles, gather, edges, pressure, schedule, factor })
    }

    /// The volume (m^3) inside the surface where node `i` is at `at(i)`. The cones start at
    /// a node: from a distant point they would be large and cancel.
    fn volume(&self, at: impl Fn(usize) -> Vec3 + Sync) -> f64 {
        let Some(apex) = self.triangles.first().map(|t| at(t[0])) else { return 0.0 };
        let cone = |number: usize| {
            let [a, b, c] = self.triangles[number].map(|node| at(node) - apex);
            a.dot(b.cross(c))
        };
        self.gather.sum(cone) / 6.0
    }
}

pub(crate) fn edges(triangles: &[[u32; 3]]) -> Result<Vec<[usize; 4]>, PressureError> {
    // For each directed edge its triangle and the corner opposite to it.
    let mut runs: BTreeMap<(u32, u32), (usize, u32)> = BTreeMap::new();
    for (triangle, &corners) in triangles.iter().enumerate() {
        for (from, to, opposite) in sides(corners) {
            if let Some((other, _)) = runs.insert((from, to), (triangle, opposite)) {
                return Err(PressureError::Unoriented { triangles: [other, triangle], from, to });
            }
        }
    }
    let mut edges = Vec::with_capacity(runs.len() / 2);
    for (&(from, to), &(triangle, c)) in &runs {
        match runs.get(&(to, from)) {
            None => return Err(PressureError::Open { triangle, from, to }),
            Some(&(_, d)) if from < to => edges.push([from, to, c, d].map(|node| node as usize)),
            Some(_) => {}
        }
    }
    Ok(edges)
}

impl Energy for Pressure {
    fn name(&self) -> &str {
        "pressure"
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }

    fn set_time(&mut self, time: f64) {
        self.factor = self.schedule.at(time);
    }

    fn next_change(&self, time: f64) -> f64 {
        self.schedule.next_change(time)
    }

    fn value(&self, x: &[Vec3]) -> f64 {
        -self.factor * self.pressure * self.volume(|node| x[node])
    }

    fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let sixth = scale * self.factor * self.pressure / 6.0;
        self.gather.add_gradients(out, |number| {
            let [a, b, c] = self.triangles[number];
            [-((x[b] - x[a]).cross(x[c] - x[a]) * sixth); 3]
        });
    }

    fn add_hessian(&self, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        let sixth = self.factor * self.pressure / 6.0;
        for &[a, b, c, d] in &self.edges {
            // The pairs have to be the same in every call.
            let block = match psd {
                Psd::Exact => cross_matrix((x[c] - x[d]) * sixth),
                Psd::Clamp => Mat3::ZERO,
            };
            out.add(a, b, block);
        }
    }

    /// `sum (s_old - s_new) p vol` over its changes.
    fn work(&self, from: &[Vec3], to: &[Vec3], times: [f64; 2]) -> f64 {
        self.schedule.work(times, |fraction, factor| {
            -factor * self.pressure * self.volume(|node| between(from[node], to[node], fraction))
        })
    }
}
