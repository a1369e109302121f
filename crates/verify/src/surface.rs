//! Surfaces of a frame: boundaries of tetrahedra, and triangles of surfaces.
//!
//! The triangles are grouped into *pieces*, connected components by shared vertices. If two surfaces do not
//! intersect, each piece of one lies on one side of each piece of the other, which the inside test requires. A
//! body may have several pieces (a hollow ball has two).

use crate::grid::{Cells, TETRAHEDRON, TRIANGLE};
use crate::links;
use std::ops::Range;

/// A triangle of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Face {
    /// Number of the body or the obstacle; obstacles are numbered after the bodies.
    pub(crate) collider: u32,
    /// Index in [`Surfaces::pieces`].
    pub(crate) piece: u32,
    /// Index in its file of the cell that contains it.
    pub(crate) cell: u32,
    /// Indices of its points; those of obstacles follow those of bodies.
    pub(crate) points: [u32; 3],
}

/// A connected component of a surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Component {
    pub(crate) collider: u32,
    /// Range of its triangles in [`Surfaces::faces`].
    pub(crate) faces: Range<usize>,
    /// Whether it separates space into inside and outside: every edge has an even number of
    /// triangles.
    pub(crate) closed: bool,
    /// Homology cycles, which can be linked with those of other pieces.
    pub(crate) paths: Vec<Vec<u32>>,
}

/// All surfaces of a frame and of obstacles.
#[derive(Debug)]
pub(crate) struct Surfaces {
    /// Triangles in the order of their pieces.
    pub(crate) faces: Vec<Face>,
    /// Pieces in the order of bodies and obstacles.
    pub(crate) pieces: Vec<Component>,
}

impl Surfaces {
    /// Triangles of a body or obstacle; empty if it has no surface.
    pub(crate) fn faces_of(&self, collider: u32) -> &[Face] {
        let start = self.faces.partition_point(|face| face.collider < collider);
        let end = self.faces.partition_point(|face| face.collider <= collider);
        &self.faces[start..end]
    }
}

/// Collects triangles before grouping.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    faces: Vec<Candidate>,
}

/// A face of a tetrahedron, or a triangle. Equal triangles are adjacent after sorting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    collider: u32,
    /// Point indices in ascending order.
    sorted: [u32; 3],
    /// Whether it is a face of a tetrahedron.
    of_tetrahedron: bool,
    cell: u32,
    points: [u32; 3],
}

impl Collected {
    /// Adds the triangles and the faces of tetrahedra of the bodies with numbers below `end_body`, in a grid whose
    /// points are numbered from `first_point` on.
    pub(crate) fn add(&mut self, cells: &Cells, first_point: u32, end_body: usize) {
        let colliding_cells =
            (0..).zip(cells.iter()).filter(|(_, cell)| (cell.body as usize) < end_body);
        for (index, cell) in colliding_cells {
            let of_tetrahedron = cell.kind == TETRAHEDRON;
            let corners: &[[usize; 3]] = match cell.kind {
                TRIANGLE => &[[0, 1, 2]],
                TETRAHEDRON => &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
                _ => &[],
            };
            for corners in corners {
                let points = corners.map(|k| cell.nodes[k] + first_point);
                let mut sorted = points;
                sorted.sort_unstable();
                self.faces.push(Candidate {
                    collider: cell.body,
                    sorted,
                    of_tetrahedron,
                    cell: index,
                    points,
                });
            }
        }
    }

    /// Finds the surface faces and their connected components. `point_count` is the number of points of all grids.
    pub(crate) fn surfaces(mut self, point_count: usize) -> Surfaces {
        self.faces.sort_unstable();
        let is_same =
            |a: &Candidate, b: &Candidate| a.collider == b.collider && a.sorted == b.sorted;
        let surface_face = |group: &[Candidate]| {
            let tet_count = group.iter().filter(|face| face.of_tetrahedron).count();
            // A face between two tetrahedra is interior.
            (tet_count % 2 == 1 || tet_count < group.len()).then_some(group[0])
        };
        let surface_candidates = self.faces.chunk_by(is_same).filter_map(surface_face);
        let mut faces: Vec<Face> = surface_candidates
            .map(|Candidate { collider, cell, points, .. }| Face {
                collider,
                piece: 0,
                cell,
                points,
            })
            .collect();
        let roots = roots(&faces, point_count);
        let key = |face: &Face| (face.collider, roots[face.points[0] as usize]);
        faces.sort_by_key(|face| (key(face), face.cell, face.points));
        let mut pieces = Vec::new();
        let mut end = 0;
        for group in faces.chunk_by_mut(|a, b| key(a) == key(b)) {
            group.iter_mut().for_each(|face| face.piece = pieces.len() as u32);
            let start = end;
            end += group.len();
            let (closed, paths) = (is_closed(group), links::paths(group));
            pieces.push(Component {
                collider: group[0].collider,
                faces: start..end,
                closed,
                paths,
            });
        }
        Surfaces { faces, pieces }
    }
}

/// Representative of the connected component of every point.
fn roots(faces: &[Face], points: usize) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..points as u32).collect();
    for face in faces {
        let [a, b, c] = face.points.map(|point| root(&mut parent, point));
        let smallest = a.min(b).min(c);
        for root in [a, b, c] {
            parent[root as usize] = smallest;
        }
    }
    (0..points as u32).map(|point| root(&mut parent, point)).collect()
}

/// Root of a point's tree, with path compression.
pub(crate) fn root(parent: &mut [u32], mut point: u32) -> u32 {
    while parent[point as usize] != point {
        let grandparent = parent[parent[point as usize] as usize];
        parent[point as usize] = grandparent;
        point = grandparent;
    }
    point
}

/// Whether every edge has an even number of triangles.
fn is_closed(faces: &[Face]) -> bool {
    let edges = |face: &Face| {
        let [a, b, c] = face.points;
        [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)])
    };
    let mut edges: Vec<[u32; 2]> = faces.iter().flat_map(edges).collect();
    edges.sort_unstable();
    edges.chunk_by(|a, b| a == b).all(|uses| uses.len() % 2 == 0)
}
