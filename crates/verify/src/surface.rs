//! The triangles of a frame: boundaries of tetrahedra, and triangles as they are.
//!
//! They are grouped in *pieces*: a piece is what hangs together by shared vertices. Two
//! surfaces that do not meet are each on one side of the other piece by piece, which is what the
//! inside test needs; a body may have several (a hollow ball has two).

use crate::grid::{Cells, TETRAHEDRON, TRIANGLE};
use crate::links;
use std::ops::Range;

/// A triangle of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Face {
    /// Number of the body, or of the obstacle, which are numbered after the bodies.
    pub(crate) collider: u32,
    /// Index in [`Surfaces::pieces`].
    pub(crate) piece: u32,
    /// The cell it belongs to, as in its file.
    pub(crate) cell: u32,
    /// Numbers of its points; those of obstacles follow those of bodies.
    pub(crate) points: [u32; 3],
}

/// Triangles that hang together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) collider: u32,
    /// Its triangles in [`Surfaces::faces`].
    pub(crate) faces: Range<usize>,
    /// Whether it parts space into an inside and an outside: every edge has an even number
    /// of triangles.
    pub(crate) closed: bool,
    /// Paths on it that can be linked with those of others.
    pub(crate) paths: Vec<Vec<u32>>,
}

#[derive(Debug)]
pub(crate) struct Surfaces {
    /// In the order of their pieces.
    pub(crate) faces: Vec<Face>,
    /// In the order of bodies and obstacles.
    pub(crate) pieces: Vec<Piece>,
}

impl Surfaces {
    /// The triangles of a body or obstacle, none if it has no surface.
    pub(crate) fn faces_of(&self, collider: u32) -> &[Face] {
        let start = self.faces.partition_point(|face| face.collider < collider);
        let end = self.faces.partition_point(|face| face.collider <= collider);
        &self.faces[start..end]
    }
}

/// Collects triangles before they are grouped.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    faces: Vec<Candidate>,
}

/// A face of a tetrahedron, or a triangle. What sorts side by side is the same triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    collider: u32,
    sorted: [u32; 3],
    of_tetrahedron: bool,
    cell: u32,
    points: [u32; 3],
}

impl Collected {
    /// Adds the cells of the bodies below `limit` of a grid whose points are numbered from `first` on.
    pub(crate) fn add(&mut self, cells: &Cells, first: u32, limit: usize) {
        let counted = (0..).zip(cells.iter()).filter(|(_, cell)| (cell.body as usize) < limit);
        for (number, cell) in counted {
            let of_tetrahedron = cell.kind == TETRAHEDRON;
            let corners: &[[usize; 3]] = match cell.kind {
                TRIANGLE => &[[0, 1, 2]],
                TETRAHEDRON => &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
                _ => &[],
            };
            for corners in corners {
                let points = corners.map(|k| cell.nodes[k] + first);
                let mut sorted = points;
                sorted.sort_unstable();
                self.faces.push(Candidate {
                    collider: cell.body,
                    sorted,
                    of_tetrahedron,
                    cell: number,
                    points,
                });
            }
        }
    }

    /// Finds the surfaces among `points` points.
    pub(crate) fn surfaces(mut self, points: usize) -> Surfaces {
        self.faces.sort_unstable();
        let same = |a: &Candidate, b: &Candidate| a.collider == b.collider && a.sorted == b.sorted;
        let on_surface = |group: &[Candidate]| {
            let tets = group.iter().filter(|face| face.of_tetrahedron).count();
            // A face between two tetrahedra is inside.
            (tets % 2 == 1 || tets < group.len()).then_some(group[0])
        };
        let kept = self.faces.chunk_by(same).filter_map(on_surface);
        let mut faces: Vec<Face> = kept
            .map(|Candidate { collider, cell, points, .. }| Face {
                collider,
                piece: 0,
                cell,
                points,
            })
            .collect();
        let roots = roots(&faces, points);
        let key = |face: &Face| (face.collider, roots[face.points[0] as usize]);
        faces.sort_by_key(|face| (key(face), face.cell, face.points));
        let mut pieces = Vec::new();
        let mut end = 0;
        for group in faces.chunk_by_mut(|a, b| key(a) == key(b)) {
            group.iter_mut().for_each(|face| face.piece = pieces.len() as u32);
            let start = end;
            end += group.len();
            let (closed, paths) = (is_closed(group), links::paths(group));
            pieces.push(Piece { collider: group[0].collider, faces: start..end, closed, paths });
        }
        Surfaces { faces, pieces }
    }
}

/// For every point one of those that it hangs together with, the same for all of them.
fn roots(faces: &[Face], points: usize) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..points as u32).collect();
    for face in faces {
        let [a, b, c] = face.points.map(|point| root(&mut parent, point));
        let least = a.min(b).min(c);
        for root in [a, b, c] {
            parent[root as usize] = least;
        }
    }
    (0..points as u32).map(|point| root(&mut parent, point)).collect()
}

/// Of the tree of points that a point is in, which becomes flatter on the way.
pub(crate) fn root(parent: &mut [u32], mut point: u32) -> u32 {
    while parent[point as usize] != point {
        let above = parent[parent[point as usize] as usize];
        parent[point as usize] = above;
        point = above;
    }
    point
}

fn is_closed(faces: &[Face]) -> bool {
    let edges = |face: &Face| {
        let [a, b, c] = face.points;
        [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)])
    };
    let mut edges: Vec<[u32; 2]> = faces.iter().flat_map(edges).collect();
    edges.sort_unstable();
    edges.chunk_by(|a, b| a == b).all(|same| same.len() % 2 == 0)
}
