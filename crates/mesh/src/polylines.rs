//! Polylines: strands, cables, hair.

use resile_math::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Vertices and the curves through them. Every vertex lies on exactly one curve, once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Polylines {
    /// Vertex positions (m).
    pub positions: Vec<Vec3>,
    /// The curves.
    pub strands: Vec<Strand>,
}

/// A polyline as a list of vertex indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strand {
    /// Vertices from one end to the other, or once around a closed curve.
    pub nodes: Vec<u32>,
    /// Whether the curve is open or closed.
    pub ends: StrandEnds,
}

/// Topology of a curve's ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrandEnds {
    /// Open curve.
    Free,
    /// Closed curve: the last vertex is connected to the first.
    Joined,
}

/// Errors of polylines. Vertices and curves are counted from zero.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum PolylineError {
    /// A segment refers to a vertex that does not exist.
    #[error("piece {piece} ends at vertex {node}, but there are {nodes} vertices")]
    NoSuchNode {
        /// Index of the segment, from zero.
        piece: usize,
        /// Index of the missing vertex.
        node: u32,
        /// Number of vertices.
        nodes: usize,
    },
    /// More than two segments share a vertex.
    #[error("{pieces} pieces meet in vertex {node}: a curve has no branches")]
    Branch {
        /// Index of the vertex.
        node: u32,
        /// Number of segments at the vertex.
        pieces: usize,
    },
    /// Two consecutive vertices coincide.
    #[error("vertices {} and {} follow each other and are both at {position}", nodes[0], nodes[1])]
    NoLength {
        /// Indices of the two vertices.
        nodes: [u32; 2],
        /// Their common position (m).
        position: Vec3,
    },
    /// A curve with too few vertices.
    #[error("curve {strand} has {nodes} vertices; an open one needs 2, a closed one 3")]
    TooShort {
        /// Index of the curve.
        strand: usize,
        /// Number of its vertices.
        nodes: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {node} is at {position}")]
    NotFinite {
        /// Index of the vertex.
        node: usize,
        /// Position of the vertex (m).
        position: Vec3,
    },
    /// There are no curves.
    #[error("there are no curves")]
    Nothing,
}

impl Strand {
    /// Whether the curve is closed.
    pub fn is_closed(&self) -> bool {
        self.ends == StrandEnds::Joined
    }

    /// Segments of the curve, in order.
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let count = self.nodes.len();
        let segment_count = if self.is_closed() { count } else { count.saturating_sub(1) };
        (0..segment_count).map(move |i| [self.nodes[i], self.nodes[(i + 1) % count]])
    }

    /// Consecutive vertex triples in order: the vertices at which the curve can bend, with their neighbours.
    pub fn corners(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        let count = self.nodes.len();
        let corner_count = if self.is_closed() { count } else { count.saturating_sub(2) };
        (0..corner_count).map(move |i| [0, 1, 2].map(|k| self.nodes[(i + k) % count]))
    }

    /// Length of the curve (m) for vertex positions `x`.
    pub fn length(&self, x: &[Vec3]) -> f64 {
        self.edges().map(|[a, b]| x[a as usize].distance(x[b as usize])).sum()
    }
}

impl Polylines {
    /// Creates a single curve through `points`, in their order.
    pub fn from_points(points: Vec<Vec3>, ends: StrandEnds) -> Self {
        let nodes = (0..points.len() as u32).collect();
        Self { positions: points, strands: vec![Strand { nodes, ends }] }
    }

    /// Joins segments, in any order and direction, into curves. Unused vertices are dropped, and the others keep their
    /// order. A repeated segment counts once. An open curve begins at the end with the lower index. A closed one begins
    /// at its lowest vertex, towards the lower of its neighbours. O(n log n).
    ///
    /// # Errors
    /// If a segment refers to a vertex that does not exist or joins a vertex with itself, or if more than two segments
    /// share a vertex; otherwise as [`check`](Self::check).
    pub fn from_segments(positions: &[Vec3], segments: &[[u32; 2]]) -> Result<Self, PolylineError> {
        let mut neighbours: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (piece, &[a, b]) in segments.iter().enumerate() {
            if let Some(node) = [a, b].into_iter().find(|&n| n as usize >= positions.len()) {
                return Err(PolylineError::NoSuchNode { piece, node, nodes: positions.len() });
            }
            if a == b {
                let position = positions[a as usize];
                return Err(PolylineError::NoLength { nodes: [a, b], position });
            }
            for (from, to) in [(a, b), (b, a)] {
                let adjacent = neighbours.entry(from).or_default();
                if !adjacent.contains(&to) {
                    adjacent.push(to);
                }
            }
        }
        let branching_node = neighbours.iter().find(|(_, adjacent)| adjacent.len() > 2);
        if let Some((&node, adjacent)) = branching_node {
            return Err(PolylineError::Branch { node, pieces: adjacent.len() });
        }
        neighbours.values_mut().for_each(|adjacent| adjacent.sort_unstable());
        let nodes: Vec<u32> = neighbours.keys().copied().collect();
        let index = |node: u32| nodes.partition_point(|&other| other < node) as u32;
        let mut strands = trace_strands(&neighbours);
        strands.iter_mut().flat_map(|s| &mut s.nodes).for_each(|node| *node = index(*node));
        let positions = nodes.iter().map(|&node| positions[node as usize]).collect();
        let curves = Self { positions, strands };
        curves.check()?;
        Ok(curves)
    }

    /// Checks that there are curves, that an open one has at least two vertices and a closed one three, that every
    /// segment has a length, and that all coordinates are finite.
    ///
    /// # Errors
    /// The first violation.
    pub fn check(&self) -> Result<(), PolylineError> {
        if self.strands.is_empty() {
            return Err(PolylineError::Nothing);
        }
        let non_finite = self.positions.iter().position(|position| !position.is_finite());
        if let Some(node) = non_finite {
            return Err(PolylineError::NotFinite { node, position: self.positions[node] });
        }
        for (strand, curve) in self.strands.iter().enumerate() {
            let (nodes, min_nodes) = (curve.nodes.len(), if curve.is_closed() { 3 } else { 2 });
            if nodes < min_nodes {
                return Err(PolylineError::TooShort { strand, nodes });
            }
        }
        let position_of = |node: u32| self.positions[node as usize];
        match self.edges().find(|&[a, b]| position_of(a) == position_of(b)) {
            Some(nodes) => Err(PolylineError::NoLength { nodes, position: position_of(nodes[0]) }),
            None => Ok(()),
        }
    }

    /// Segments of all curves, curve by curve.
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.strands.iter().flat_map(Strand::edges)
    }

    /// Tributary length (m) of each vertex: half of the length of its segments.
    pub fn lengths(&self) -> Vec<f64> {
        let mut lengths = vec![0.0; self.positions.len()];
        for [a, b] in self.edges().map(|edge| edge.map(|node| node as usize)) {
            let half = 0.5 * self.positions[a].distance(self.positions[b]);
            lengths[a] += half;
            lengths[b] += half;
        }
        lengths
    }
}

/// Extracts the curves of a graph without branches, given by the neighbours of each node: open ones first, then closed
/// ones.
fn trace_strands(neighbours: &BTreeMap<u32, Vec<u32>>) -> Vec<Strand> {
    let mut visited: BTreeSet<u32> = BTreeSet::new();
    let mut strands = Vec::new();
    for ends in [StrandEnds::Free, StrandEnds::Joined] {
        for (&first, adjacent) in neighbours {
            let is_start = ends == StrandEnds::Joined || adjacent.len() == 1;
            if !is_start || !visited.insert(first) {
                continue;
            }
            let mut nodes = vec![first];
            let mut current = first;
            while let Some(&next) = neighbours[&current].iter().find(|next| !visited.contains(next))
            {
                visited.insert(next);
                nodes.push(next);
                current = next;
            }
            strands.push(Strand { nodes, ends });
        }
    }
    strands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(count: usize) -> Vec<Vec3> {
        (0..count).map(|i| Vec3::new(i as f64, (i * i) as f64, 0.0)).collect()
    }

    #[test]
    fn unordered_segments_join_to_curves() {
        let pieces = [[6, 5], [0, 3], [3, 1], [5, 7], [7, 6], [8, 9], [3, 1]];
        let built = Polylines::from_segments(&points(10), &pieces).unwrap();
        // Vertices 2 and 4 are on no curve.
        let nodes: Vec<_> = built.strands.iter().map(|s| (s.nodes.clone(), s.ends)).collect();
        let expected = [
            (vec![0, 2, 1], StrandEnds::Free),
            (vec![6, 7], StrandEnds::Free),
            (vec![3, 4, 5], StrandEnds::Joined),
        ];
        assert_eq!(nodes, expected);
        assert_eq!(built.positions[3], points(10)[5]);
        assert_eq!(built.edges().count(), 2 + 1 + 3);
        let total: f64 = built.strands.iter().map(|s| s.length(&built.positions)).sum();
        assert!((built.lengths().iter().sum::<f64>() - total).abs() < 1e-12);
    }

    #[test]
    fn invalid_curves_are_rejected() {
        let of = |pieces: &[[u32; 2]]| Polylines::from_segments(&points(5), pieces).unwrap_err();
        assert_eq!(of(&[[0, 1], [0, 2], [0, 3]]), PolylineError::Branch { node: 0, pieces: 3 });
        assert_eq!(of(&[[0, 9]]), PolylineError::NoSuchNode { piece: 0, node: 9, nodes: 5 });
        assert!(matches!(of(&[[1, 1]]), PolylineError::NoLength { .. }));
        assert_eq!(of(&[]), PolylineError::Nothing);
        let twice = Polylines::from_points(vec![Vec3::X, Vec3::Y, Vec3::Y], StrandEnds::Free);
        assert!(matches!(twice.check(), Err(PolylineError::NoLength { nodes: [1, 2], .. })));
        let short = Polylines::from_points(vec![Vec3::X, Vec3::Y], StrandEnds::Joined);
        assert_eq!(short.check(), Err(PolylineError::TooShort { strand: 0, nodes: 2 }));
    }
}
