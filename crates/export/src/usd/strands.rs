//! Edges as curves.

use crate::part::Part;
use resile_math::Vec3;
use resile_mesh::{Polylines, StrandEnds};
use std::collections::BTreeSet;

/// Curves with the same kind of ends, by the vertices of their part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Strands {
    pub(super) ends: StrandEnds,
    /// Number of vertices of each curve.
    pub(super) counts: Vec<u32>,
    /// Vertices of all curves, curve by curve.
    pub(super) vertices: Vec<u32>,
}

/// Joins the edges of a part into curves, open ones before closed ones. Branching edges (springs) become curves
/// of two points.
pub(super) fn strands(part: &Part, positions: &[Vec3]) -> Vec<Strands> {
    if part.edges.is_empty() {
        return Vec::new();
    }
    let Ok(curves) = Polylines::from_segments(positions, &part.edges) else {
        let counts = vec![2; part.edges.len()];
        let vertices = part.edges.as_flattened().to_vec();
        return vec![Strands { ends: StrandEnds::Free, counts, vertices }];
    };
    // Node indices of curves count the vertices that edges use, in ascending order.
    let used: BTreeSet<u32> = part.edges.as_flattened().iter().copied().collect();
    let vertex_of_node: Vec<u32> = used.into_iter().collect();
    let strands_with_ends = |ends: StrandEnds| {
        let selected = || curves.strands.iter().filter(move |strand| strand.ends == ends);
        let nodes = selected().flat_map(|strand| &strand.nodes);
        Strands {
            ends,
            counts: selected().map(|strand| strand.nodes.len() as u32).collect(),
            vertices: nodes.map(|&node| vertex_of_node[node as usize]).collect(),
        }
    };
    let open_and_closed = [StrandEnds::Free, StrandEnds::Joined].map(strands_with_ends);
    open_and_closed.into_iter().filter(|strands| !strands.counts.is_empty()).collect()
}
