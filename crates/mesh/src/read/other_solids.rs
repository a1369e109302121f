//! Solid elements other than linear tetrahedra: treatment, and their fraction of the volume.

use super::left_out::{LeftOut, list};
use super::second_order::MidpointOffset;
use resile_math::Vec3;
use std::collections::BTreeMap;
use std::fmt;

/// Treatment of files that have solid elements other than tetrahedra.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherSolidPolicy {
    /// Divide hexahedra, prisms and pyramids into tetrahedra, and refuse files with others.
    Divide,
    /// Refuse the file, because the body would have holes without them.
    Refuse,
    /// Skip and count them; the caller accepts the holes.
    LeaveOut,
}

/// Missing parts of a solid: its elements other than tetrahedra.
#[derive(Debug, Clone, PartialEq)]
pub struct Holes {
    /// Skipped elements, by kind in alphabetical order.
    pub others: Vec<LeftOut>,
    /// Fraction of the volume of all solid elements that is skipped, from 0 to 1, with straight edges between corners.
    /// `None` if one of them has an unknown corner arrangement, or refers to a node that does not exist.
    pub share: Option<f64>,
}

impl fmt::Display for Holes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "left out {}", list(&self.others))?;
        if let Some(share) = self.share {
            write!(f, ", {:.1} % of the volume", 100.0 * share)?;
        }
        write!(f, ": the solid has holes where they were")
    }
}

/// Midside nodes that were dropped with the division of their elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DroppedMidsideNodes {
    /// Number of nodes.
    pub nodes: usize,
    /// Nodes farther from the midpoint of their edge than single-precision rounding.
    pub curved: usize,
    /// Largest distance of a node from the midpoint of its edge in the unit of the file.
    pub farthest: f64,
}

impl DroppedMidsideNodes {
    /// Counts and measures the midside nodes of some elements; `None` if there are none.
    pub(super) fn measure(
        elements: &[OtherSolid],
        position: impl Fn(i64) -> Option<Vec3>,
    ) -> Option<Self> {
        let mut offsets: BTreeMap<i64, MidpointOffset> = BTreeMap::new();
        for element in elements {
            for &node in &element.middles {
                if let Some(offset) = element.offset_from_edge(node, &position) {
                    offsets.entry(node).or_insert(offset);
                }
            }
        }
        let farthest =
            offsets.values().fold(0.0_f64, |farthest, offset| farthest.max(offset.distance));
        let curved = offsets.values().filter(|offset| offset.is_curved).count();
        (!offsets.is_empty()).then_some(Self { nodes: offsets.len(), curved, farthest })
    }
}

/// Elements that became tetrahedra.
#[derive(Debug, Clone, PartialEq)]
pub struct Divided {
    /// The elements, by kind in alphabetical order.
    pub others: Vec<LeftOut>,
    /// Number of their tetrahedra.
    pub tets: usize,
    /// Number of elements whose corners the file lists in the opposite orientation.
    pub reversed: usize,
    /// Number of elements with flat or inverted tetrahedra: concave, flat or twisted ones.
    pub folded: usize,
    /// Midside nodes of second-order elements, which the tetrahedra do not have.
    pub middles: Option<DroppedMidsideNodes>,
}

impl fmt::Display for Divided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "divided {} into {} tetrahedra", list(&self.others), self.tets)?;
        if self.reversed > 0 {
            write!(f, "; the corners of {} are listed in the opposite order", self.reversed)?;
        }
        if self.folded > 0 {
            let (are, have) = if self.folded == 1 { ("is", "has") } else { ("are", "have") };
            let folded = self.folded;
            write!(
                f,
                "; {folded} {are} concave, flat or twisted and {have} flat or inverted tetrahedra"
            )?;
        }
        match self.middles {
            Some(DroppedMidsideNodes { nodes, curved: 0, .. }) => {
                write!(f, "; their {nodes} mid-side nodes are dropped: all edges are straight")
            }
            // Printed in single precision, which is enough for a message.
            Some(DroppedMidsideNodes { nodes, curved, farthest }) => write!(
                f,
                "; of their {nodes} mid-side nodes, which are dropped, {curved} are off the middle of their edge, by up to {} in \
                 the unit of the file: curved edges become straight, as second-order tetrahedra would not",
                farthest as f32
            ),
            None => Ok(()),
        }
    }
}

/// Corner arrangement of a solid element. Gmsh, VTK and Medit number the corners alike, before other nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    Tetrahedron,
    Hexahedron,
    /// VTK's voxel, whose nodes are in rows.
    Voxel,
    Prism,
    Pyramid,
    /// An arbitrary polyhedron.
    Polyhedron,
}

impl Shape {
    /// Number of corners; 0 for a polyhedron, whose number is arbitrary.
    fn corner_count(self) -> usize {
        match self {
            Self::Tetrahedron => 4,
            Self::Hexahedron | Self::Voxel => 8,
            Self::Prism => 6,
            Self::Pyramid => 5,
            Self::Polyhedron => 0,
        }
    }

    /// Edges by their corners.
    fn edges(self) -> &'static [[usize; 2]] {
        match self {
            Self::Tetrahedron => &[[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]],
            Self::Hexahedron => &[
                [0, 1],
                [1, 2],
                [2, 3],
                [3, 0],
                [4, 5],
                [5, 6],
                [6, 7],
                [7, 4],
                [0, 4],
                [1, 5],
                [2, 6],
                [3, 7],
            ],
            Self::Prism => {
                &[[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [0, 3], [1, 4], [2, 5]]
            }
            Self::Pyramid => &[[0, 1], [1, 2], [2, 3], [3, 0], [0, 4], [1, 4], [2, 4], [3, 4]],
            Self::Voxel | Self::Polyhedron => &[],
        }
    }

    /// Tetrahedra that fill the shape.
    fn tets(self) -> &'static [[usize; 4]] {
        match self {
            Self::Tetrahedron => &[[0, 1, 2, 3]],
            Self::Hexahedron => &[
                [0, 1, 2, 6],
                [0, 2, 3, 6],
                [0, 3, 7, 6],
                [0, 7, 4, 6],
                [0, 4, 5, 6],
                [0, 5, 1, 6],
            ],
            Self::Voxel => &[
                [0, 1, 3, 7],
                [0, 3, 2, 7],
                [0, 2, 6, 7],
                [0, 6, 4, 7],
                [0, 4, 5, 7],
                [0, 5, 1, 7],
            ],
            Self::Prism => &[[0, 1, 2, 5], [0, 1, 5, 4], [0, 4, 5, 3]],
            Self::Pyramid => &[[0, 1, 2, 4], [0, 2, 3, 4]],
            Self::Polyhedron => &[],
        }
    }
}

/// A solid element, with its first nodes as numbered in the file.
#[derive(Debug)]
pub(super) struct OtherSolid {
    shape: Shape,
    pub(super) corners: [i64; 8],
    /// The nodes of edges of a second-order element, which follow the corners.
    middles: Vec<i64>,
    /// The first node that is not in the file, in a format with arbitrary node numbers.
    unknown: Option<i64>,
}

/// Stands for a missing corner.
const NO_NODE: i64 = -1;

impl OtherSolid {
    /// An element of these nodes. Missing corners become [`NO_NODE`].
    pub(super) fn new(shape: Shape, nodes: &[i64]) -> Self {
        let mut corners = [NO_NODE; 8];
        corners.iter_mut().zip(nodes).for_each(|(corner, &node)| *corner = node);
        let (first, count) = (shape.corner_count(), shape.edges().len());
        // Elements of third order have other nodes there.
        let is_second_order = match shape {
            Shape::Hexahedron => matches!(nodes.len(), 20 | 24 | 27),
            Shape::Prism => matches!(nodes.len(), 15 | 18),
            Shape::Pyramid => matches!(nodes.len(), 13 | 14),
            Shape::Tetrahedron | Shape::Voxel | Shape::Polyhedron => false,
        };
        let middles = match is_second_order {
            true => nodes[first..first + count].to_vec(),
            false => Vec::new(),
        };
        Self { shape, corners, middles, unknown: None }
    }

    /// Offset of a midside node from the nearest midpoint of an edge; `None` if it or all edges lack a position. All
    /// edges are compared, because formats differ in their order.
    fn offset_from_edge(
        &self,
        node: i64,
        position: impl Fn(i64) -> Option<Vec3>,
    ) -> Option<MidpointOffset> {
        let point = position(node)?;
        let offset = |edge: &[usize; 2]| {
            let [a, b] = edge.map(|corner| position(self.corners[corner]));
            Some(MidpointOffset::new(point, [a?, b?]))
        };
        let offsets = self.shape.edges().iter().filter_map(offset);
        offsets.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    /// Renumbers the corners; nodes without a new number become no node.
    pub(super) fn renumber(&mut self, number: impl Fn(i64) -> Option<i64>) {
        for corner in &mut self.corners[..self.shape.corner_count()] {
            let new = number(*corner);
            if new.is_none() && *corner != NO_NODE {
                self.unknown = self.unknown.or(Some(*corner));
            }
            *corner = new.unwrap_or(NO_NODE);
        }
        self.middles.iter_mut().for_each(|node| *node = number(*node).unwrap_or(NO_NODE));
    }

    /// The first node that does not exist among the corners: `Some(None)` if too few nodes are listed, and `None` if
    /// all corners exist.
    pub(super) fn missing(&self, exists: impl Fn(i64) -> bool) -> Option<Option<i64>> {
        let used_corners = &self.corners[..self.shape.corner_count()];
        let missing = *used_corners.iter().find(|corner| !exists(**corner))?;
        Some(self.unknown.or((missing != NO_NODE).then_some(missing)))
    }

    pub(super) fn shape(&self) -> Shape {
        self.shape
    }

    /// Volume of the element; `None` if a corner is missing.
    pub(super) fn volume(&self, position: impl Fn(i64) -> Option<Vec3>) -> Option<f64> {
        let tets = self.shape.tets();
        let mut six_volumes = 0.0;
        for tet in tets {
            let [a, b, c, d] = tet.map(|corner| position(self.corners[corner]));
            let a = a?;
            six_volumes += (b? - a).cross(c? - a).dot(d? - a);
        }
        (!tets.is_empty()).then_some(six_volumes.abs() / 6.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Corner `k` of a unit cube: bits 1, 2 and 4 select the sides along x, y and z.
    fn corner(k: i64) -> Option<Vec3> {
        let at = |bit: i64| f64::from(u8::from(k & bit != 0));
        (0..8).contains(&k).then(|| Vec3::new(at(1), at(2), at(4)))
    }

    #[test]
    fn element_volumes_equal_those_of_unit_cube_parts() {
        let volume = |shape, nodes: &[i64]| OtherSolid::new(shape, nodes).volume(corner);
        let near = |found: Option<f64>, expected: f64| {
            assert!(found.is_some_and(|v| (v - expected).abs() < 1e-15), "{found:?}, {expected}");
        };
        near(volume(Shape::Hexahedron, &[0, 1, 3, 2, 4, 5, 7, 6]), 1.0);
        near(volume(Shape::Voxel, &[0, 1, 2, 3, 4, 5, 6, 7]), 1.0);
        near(volume(Shape::Prism, &[0, 1, 2, 4, 5, 6]), 0.5);
        near(volume(Shape::Pyramid, &[0, 1, 3, 2, 4]), 1.0 / 3.0);
        // Ten nodes, of which the first four are the corners; negative orientation.
        near(volume(Shape::Tetrahedron, &[1, 0, 2, 4, 7, 7, 7, 7, 7, 7]), 1.0 / 6.0);
        assert_eq!(volume(Shape::Polyhedron, &[0, 1, 2, 4]), None);
        assert_eq!(volume(Shape::Tetrahedron, &[0, 1, 2, 8]), None, "a node that is not there");
        assert_eq!(volume(Shape::Tetrahedron, &[0, 1, 2]), None, "a corner too few");
    }
}
