//! The volume inside a closed surface.

use crate::gather::Gather;
use crate::pressure::PressureError;
use crate::triangles::{Side, check, sides};
use resile_math::cross_matrix;
use resile_system::{Hessian, Vec3};
use std::collections::BTreeMap;

/// A closed triangle mesh and its enclosed volume.
#[derive(Debug, Clone)]
pub(crate) struct ClosedSurface {
    triangles: Vec<[usize; 3]>,
    gather: Gather<3>,
    /// For each edge (a, b) the opposite corners (c, d); the triangle of c contains the directed
    /// edge from a to b.
    edges: Vec<[usize; 4]>,
}

impl ClosedSurface {
    /// Triangles of a body of `node_count` nodes, counter-clockwise seen from outside.
    pub(crate) fn new(node_count: usize, triangles: &[[u32; 3]]) -> Result<Self, PressureError> {
        if triangles.is_empty() {
            return Err(PressureError::Empty);
        }
        check(node_count, triangles)?;
        let edges = edges(triangles)?;
        let gather = Gather::unchecked(triangles);
        let triangles = triangles.iter().map(|t| t.map(|node| node as usize)).collect();
        Ok(Self { triangles, gather, edges })
    }

    /// Indices of the nodes of the surface, ascending.
    pub(crate) fn nodes(&self) -> Vec<usize> {
        let mut nodes: Vec<usize> = self.triangles.as_flattened().to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// The volume (m^3) with node `i` at `position(i)`, as a sum over cones whose common apex is a node, because cones
    /// from a distant apex are large and cancel.
    pub(crate) fn volume(&self, position: impl Fn(usize) -> Vec3 + Sync) -> f64 {
        let Some(apex) = self.triangles.first().map(|t| position(t[0])) else { return 0.0 };
        let cone = |triangle: usize| {
            let [a, b, c] = self.triangles[triangle].map(|node| position(node) - apex);
            a.dot(b.cross(c))
        };
        self.gather.sum(cone) / 6.0
    }

    /// `out += scale dvol/dx`.
    pub(crate) fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let sixth = scale / 6.0;
        self.gather.add_gradients(out, |triangle| {
            let [a, b, c] = self.triangles[triangle];
            [(x[b] - x[a]).cross(x[c] - x[a]) * sixth; 3]
        });
    }

    /// Adds `scale d2vol/dx2`, with the same pairs in every call.
    pub(crate) fn add_hessian(&self, x: &[Vec3], scale: f64, out: &mut Hessian<'_>) {
        for &[a, b, c, d] in &self.edges {
            out.add(a, b, cross_matrix((x[d] - x[c]) * (scale / 6.0)));
        }
    }
}

/// For each edge (a, b), with a < b, the nodes `[a, b, c, d]`: c and d are the opposite corners of the triangles that
/// contain the directed edges from a to b and from b to a. Returns an error if the surface is open or not oriented.
pub(crate) fn edges(triangles: &[[u32; 3]]) -> Result<Vec<[usize; 4]>, PressureError> {
    // Maps each directed edge to its triangle and the opposite corner.
    let mut half_edges: BTreeMap<(u32, u32), (usize, u32)> = BTreeMap::new();
    for (triangle, &corners) in triangles.iter().enumerate() {
        for Side { from, to, opposite } in sides(corners) {
            if let Some((other, _)) = half_edges.insert((from, to), (triangle, opposite)) {
                return Err(PressureError::Unoriented { triangles: [other, triangle], from, to });
            }
        }
    }
    let mut edges = Vec::with_capacity(half_edges.len() / 2);
    for (&(from, to), &(triangle, c)) in &half_edges {
        match half_edges.get(&(to, from)) {
            None => return Err(PressureError::Open { triangle, from, to }),
            Some(&(_, d)) if from < to => edges.push([from, to, c, d].map(|node| node as usize)),
            Some(_) => {}
        }
    }
    Ok(edges)
}
