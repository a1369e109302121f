//! The undeformed triangles, in groups of eight.

use crate::shell::ShellError;
use crate::triangles;
use resile_math::Vec3;
use resile_math::lanes::{self, LANES, Lane, Vec3x8, scale, scale_add};
use std::array::from_fn;

/// Triangles whose area is below this fraction of the squared longest edge are degenerate: the
/// inverse of the edge matrix would be inaccurate.
const MIN_RELATIVE_AREA: f64 = 1e-10;

/// Eight triangles: nodes and rest shape.
///
/// In a frame of the rest triangle with its first axis along the first edge, the
/// matrix of the two edges from node 0 is upper triangular, and so is its inverse.
#[derive(Debug, Clone)]
pub(super) struct TriangleGroup {
    pub(super) nodes: [[u32; 3]; LANES],
    /// Number of triangles in the group; the lanes after them hold copies of weight zero.
    pub(super) count: usize,
    /// The inverse of the edges: entries (1, 1), (1, 2), (2, 2). Its rows are the
    /// gradients of the shape functions of nodes 1 and 2.
    pub(super) inverse: [Lane; 3],
    /// Rest area (m^2) times stiffness factor and thickness ratio; zero in lanes that are copies.
    pub(super) area: Lane,
    /// The stiffness factor of each triangle.
    pub(super) factor: Lane,
    /// The thickness of each triangle over that of the sheet.
    pub(super) thickness: Lane,
}

impl TriangleGroup {
    /// The edges from node 0 to nodes 1 and 2.
    #[inline(always)]
    pub(super) fn edges(&self, x: &[Vec3]) -> [Vec3x8; 2] {
        lanes::edges(x, &self.nodes)
    }

    /// The columns of the deformation gradient.
    #[inline(always)]
    pub(super) fn deformation_gradient(&self, x: &[Vec3]) -> [Vec3x8; 2] {
        let [a, b] = self.edges(x);
        let [r, q, w] = self.inverse;
        [scale(r, &a), scale_add(q, &a, &scale(w, &b))]
    }
}

/// The groups of a mesh, in the order of its triangles.
pub(super) fn groups(
    rest: &[Vec3],
    triangles: &[[u32; 3]],
) -> Result<Vec<TriangleGroup>, ShellError> {
    check(rest, triangles)?;
    Ok(triangles.chunks(LANES).map(|chunk| group(rest, chunk)).collect())
}

/// Returns an error for positions that are not finite, invalid nodes and degenerate triangles.
pub(in crate::shell) fn check(rest: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), ShellError> {
    if let Some((node, &position)) = rest.iter().enumerate().find(|(_, p)| !p.is_finite()) {
        return Err(ShellError::NotFinite { node, position });
    }
    triangles::check(rest.len(), triangles)?;
    let mut degenerate = Vec::new();
    for (triangle, nodes) in triangles.iter().enumerate() {
        let [a, b, c] = nodes.map(|node| rest[node as usize]);
        let area = 0.5 * (b - a).cross(c - a).length();
        let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
        // The comparison is also false for NaN.
        let has_area = area > MIN_RELATIVE_AREA * longest;
        if !has_area {
            degenerate.push((triangle, area));
        }
    }
    match degenerate.first() {
        Some(&(triangle, area)) => {
            Err(ShellError::NoArea { triangle, area, count: degenerate.len() })
        }
        None => Ok(()),
    }
}

/// A group of up to eight triangles; unused lanes repeat the last triangle with area zero.
fn group(rest: &[Vec3], triangles: &[[u32; 3]]) -> TriangleGroup {
    let count = triangles.len();
    let shapes: [TriangleShape; LANES] = from_fn(|l| shape(rest, triangles[l.min(count - 1)]));
    TriangleGroup {
        nodes: from_fn(|l| triangles[l.min(count - 1)]),
        count,
        inverse: from_fn(|k| Lane::new(from_fn(|l| shapes[l].inverse[k]))),
        area: Lane::new(from_fn(|l| if l < count { shapes[l].area } else { 0.0 })),
        factor: Lane::ONE,
        thickness: Lane::ONE,
    }
}

/// The rest shape of a triangle.
struct TriangleShape {
    /// Entries (1, 1), (1, 2), (2, 2) of the inverse of the edge matrix (1/m).
    inverse: [f64; 3],
    /// Area (m^2).
    area: f64,
}

/// The rest shape of a triangle with nodes at `rest` (m).
fn shape(rest: &[Vec3], triangle: [u32; 3]) -> TriangleShape {
    let [a, b, c] = triangle.map(|node| rest[node as usize]);
    let (first, second) = (b - a, c - a);
    let length = first.length();
    let foot = first.dot(second) / length;
    let twice_area = first.cross(second).length();
    let height = twice_area / length;
    let inverse = [length.recip(), -foot / twice_area, height.recip()];
    TriangleShape { inverse, area: 0.5 * twice_area }
}
