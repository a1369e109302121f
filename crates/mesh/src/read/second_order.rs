//! Second-order tetrahedra: which node stands in the middle of which edge, and how far from its middle.

use super::MeshFileError;
use resile_math::Vec3;
use std::collections::BTreeMap;
use std::fmt;

/// The order in which a format lists the middles of edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MiddleOrder {
    /// VTK and Medit: of the edges 01, 12, 02, 03, 13, 23.
    Vtk,
    /// Gmsh: of the edges 01, 12, 02, 03, 23, 13.
    Gmsh,
    /// `TetGen`: of the edges 23, 03, 01, 12, 13, 02.
    TetGen,
}

impl MiddleOrder {
    /// The corners that each middle lies between.
    fn edges(self) -> [[usize; 2]; 6] {
        match self {
            Self::Vtk => [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]],
            Self::Gmsh => [[0, 1], [1, 2], [0, 2], [0, 3], [2, 3], [1, 3]],
            Self::TetGen => [[2, 3], [0, 3], [0, 1], [1, 2], [1, 3], [0, 2]],
        }
    }
}

/// What a file says of the middles of edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SecondOrder {
    /// How many second-order tetrahedra there are.
    pub elements: usize,
    /// Nodes that are farther from the middle of their edge than rounding of single precision.
    pub curved: usize,
    /// The largest distance of a node from the middle of its edge (m).
    pub farthest: f64,
}

impl fmt::Display for SecondOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elements, curved, farthest } = *self;
        write!(f, "{elements} second-order tetrahedra, ")?;
        match curved {
            0 => write!(f, "whose edges are straight")?,
            // In single precision, whose digits are enough for people.
            _ => write!(
                f,
                "whose edges were straightened: {curved} mid-side nodes are off the middle, by up to {} m",
                farthest as f32
            )?,
        }
        write!(f, "; `elements: Quadratic` keeps nodes in the middles of edges")
    }
}

/// A node is in the middle of an edge if it is off by less than this share of the edge's length: a
/// few roundings in single precision.
const MIDPOINT_TOLERANCE: f64 = 1e-6;

/// Middles as the file numbers their nodes.
#[derive(Debug, Default)]
pub(super) struct Middles {
    /// The tetrahedron, the order, and the nodes.
    of_tets: Vec<(usize, MiddleOrder, [i64; 6])>,
}

impl Middles {
    /// Adds the middles of a tetrahedron; a file that lists other than six has none.
    pub(super) fn add(&mut self, tet: usize, order: MiddleOrder, nodes: &[i64]) {
        if let Ok(nodes) = <[i64; 6]>::try_from(nodes) {
            self.of_tets.push((tet, order, nodes));
        }
    }

    /// Gives nodes new numbers; the tetrahedron and the old number of one that has none.
    pub(super) fn renumber(
        &mut self,
        number: impl Fn(i64) -> Option<i64>,
    ) -> Result<(), (usize, i64)> {
        for (tet, _, nodes) in &mut self.of_tets {
            for node in nodes {
                *node = number(*node).ok_or((*tet, *node))?;
            }
        }
        Ok(())
    }

    /// Leaves those of some tetrahedra out, and gives the others new numbers.
    pub(super) fn keep(&mut self, number: impl Fn(usize) -> Option<usize>) {
        self.of_tets.retain_mut(|(tet, ..)| number(*tet).map(|new| *tet = new).is_some());
    }

    /// By places of nodes, with the corners of `tets`.
    pub(super) fn placed(
        &self,
        tets: &[[u32; 4]],
        place: impl Fn(i64) -> Option<u32>,
        (first, count): (i64, usize),
    ) -> Result<PlacedMiddles, MeshFileError> {
        let mut edges = BTreeMap::new();
        for &(element, order, nodes) in &self.of_tets {
            for ([a, b], index) in order.edges().into_iter().zip(nodes) {
                let last = first + count as i64 - 1;
                let out_of_range = MeshFileError::OutOfRange { element, index, first, last };
                let node = place(index).ok_or(out_of_range)?;
                let [a, b] = [a, b].map(|corner| tets[element][corner]);
                edges.insert(node, [a.min(b), a.max(b)]);
            }
        }
        Ok(PlacedMiddles { elements: self.of_tets.len(), edges })
    }
}

/// Middles by the places of their nodes in the file.
#[derive(Debug)]
pub(super) struct PlacedMiddles {
    elements: usize,
    /// The corners on either side of each.
    edges: BTreeMap<u32, [u32; 2]>,
}

impl PlacedMiddles {
    /// What there is to say of them; nothing without any.
    pub(super) fn report(&self, positions: &[Vec3]) -> Option<SecondOrder> {
        if self.elements == 0 {
            return None;
        }
        let mut report = SecondOrder { elements: self.elements, curved: 0, farthest: 0.0 };
        for (&node, ends) in &self.edges {
            let [a, b] = ends.map(|end| positions[end as usize]);
            let off = positions[node as usize].distance(0.5 * (a + b));
            report.curved += usize::from(off > MIDPOINT_TOLERANCE * a.distance(b));
            report.farthest = report.farthest.max(off);
        }
        Some(report)
    }

    /// Those that are no corners, with the numbers that corners have in the mesh.
    pub(super) fn of_mesh(self, vertices: &[Option<u32>]) -> Vec<(u32, [u32; 2])> {
        let number = |(node, [a, b]): (u32, [u32; 2])| {
            let [a, b] = [vertices[a as usize]?, vertices[b as usize]?];
            vertices[node as usize].is_none().then_some((node, [a, b]))
        };
        self.edges.into_iter().filter_map(number).collect()
    }
}
