//! Closing of small holes.

use crate::TriMesh;
use crate::tri_mesh::triangle_area;
use resile_math::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Holes with more edges stay open: closing them would guess the shape.
pub const MAX_HOLE_EDGES: usize = 40;

/// Holes whose patch would exceed this fraction of the area of their component stay open: closing the
/// boundary of a sheet would make it a pouch.
pub const MAX_PATCH_FRACTION: f64 = 0.25;

/// Outcome of closing holes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ClosedHoles {
    /// Number of closed holes.
    pub(super) closed: usize,
    /// Number of added triangles.
    pub(super) added: usize,
    /// Number of holes that remain open.
    pub(super) left_open: usize,
}

/// Closes holes of at most [`MAX_HOLE_EDGES`] edges, each by the minimum-area triangulation of its
/// boundary loop (Barequet and Sharir 1995, *Filling gaps in the boundary of a polyhedron*). A hole stays open if the
/// triangulation has more than [`MAX_PATCH_FRACTION`] of the area of its component.
///
/// The triangles at a hole must be consistently oriented.
pub(super) fn close_holes(mesh: &mut TriMesh) -> ClosedHoles {
    let mut edges: BTreeSet<[u32; 2]> = mesh.surface().edges.into_iter().collect();
    let mut components = crate::parts::Parts::of_elements(mesh.positions.len(), &mesh.triangles);
    let mut component_areas: BTreeMap<u32, f64> = BTreeMap::new();
    for &triangle in &mesh.triangles {
        *component_areas.entry(components.find(triangle[0])).or_default() +=
            area(mesh, &[triangle]);
    }
    let boundary = boundary_loops(&mesh.triangles);
    let mut closed = ClosedHoles { left_open: boundary.tangled, ..ClosedHoles::default() };
    for cycle in &boundary.loops {
        let component_area = component_areas.get(&components.find(cycle[0])).copied();
        let max_area = MAX_PATCH_FRACTION * component_area.unwrap_or(0.0);
        let patch = (cycle.len() <= MAX_HOLE_EDGES)
            .then(|| minimum_area_patch(cycle, &mesh.positions, &edges))
            .flatten()
            .filter(|patch| area(mesh, patch) <= max_area);
        let Some(patch) = patch else {
            closed.left_open += 1;
            continue;
        };
        for &[a, b, c] in &patch {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                edges.insert([from.min(to), from.max(to)]);
            }
        }
        closed.closed += 1;
        closed.added += patch.len();
        mesh.triangles.extend(patch);
    }
    closed
}

/// Area (m^2) of some triangles over the vertices of a mesh.
fn area(mesh: &TriMesh, triangles: &[[u32; 3]]) -> f64 {
    triangles.iter().map(|&t| triangle_area(&mesh.positions, t)).sum()
}

/// Loops of boundary edges.
struct BoundaryLoops {
    /// Vertices of each loop, in the direction in which new triangles traverse it.
    loops: Vec<Vec<u32>>,
    /// Number of paths along boundary edges that do not close.
    tangled: usize,
}

/// Traces the boundary edges. Where several holes meet at a vertex, a path that returns to one of its
/// vertices is cut off there, so that every loop is simple.
fn boundary_loops(triangles: &[[u32; 3]]) -> BoundaryLoops {
    let mut half_edges: BTreeMap<[u32; 2], Vec<[u32; 2]>> = BTreeMap::new();
    for &[a, b, c] in triangles {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            half_edges.entry([from.min(to), from.max(to)]).or_default().push([from, to]);
        }
    }
    let mut successors: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for half_edges_of_edge in half_edges.into_values() {
        // The boundary loop runs opposite to the direction of its triangle.
        if let [[from, to]] = half_edges_of_edge[..] {
            successors.entry(to).or_default().push(from);
        }
    }
    let mut boundary = BoundaryLoops { loops: Vec::new(), tangled: 0 };
    let starts: Vec<u32> = successors.keys().copied().collect();
    for start in starts {
        let mut path = vec![start];
        while let Some(next_vertex) =
            path.last().and_then(|last| successors.get_mut(last)).and_then(Vec::pop)
        {
            match path.iter().position(|&vertex| vertex == next_vertex) {
                Some(index) => {
                    boundary.loops.push(path.split_off(index));
                    path.push(next_vertex);
                }
                None => path.push(next_vertex),
            }
        }
        boundary.tangled += usize::from(path.len() > 1);
    }
    boundary
}

/// The minimum-area triangulation of a boundary loop, by dynamic programming over subpolygons. It has no degenerate
/// triangles and adds no edge that is in `edges`; `None` if there is none. Cubic in the number of edges.
fn minimum_area_patch(
    cycle: &[u32],
    positions: &[Vec3],
    edges: &BTreeSet<[u32; 2]>,
) -> Option<Vec<[u32; 3]>> {
    let n = cycle.len();
    if n < 3 {
        return None;
    }
    let is_allowed = |i: usize, j: usize| {
        let is_boundary_edge = j == i + 1 || (i == 0 && j == n - 1);
        is_boundary_edge || !edges.contains(&[cycle[i].min(cycle[j]), cycle[i].max(cycle[j])])
    };
    // Entry (i, j) is the smallest area of a triangulation of the subpolygon from corner i to corner j, and `apexes`
    // has the third corner of its triangle at the edge from i to j.
    let mut min_areas = vec![vec![0.0; n]; n];
    let mut apexes = vec![vec![0; n]; n];
    for span in 2..n {
        for i in 0..n - span {
            let j = i + span;
            let (mut min_area, mut apex) = (f64::INFINITY, 0);
            for k in i + 1..j {
                let triangle_area = triangle_area(positions, [cycle[i], cycle[k], cycle[j]]);
                let area = min_areas[i][k] + min_areas[k][j] + triangle_area;
                if triangle_area > 0.0 && is_allowed(i, j) && area < min_area {
                    (min_area, apex) = (area, k);
                }
            }
            (min_areas[i][j], apexes[i][j]) = (min_area, apex);
        }
    }
    f64::is_finite(min_areas[0][n - 1]).then(|| triangles_with_apexes(cycle, &apexes))
}

/// The triangles of a triangulation of the polygon `cycle`. `apexes[i][j]` is the third corner of the triangle at the edge
/// from corner `i` to corner `j`.
fn triangles_with_apexes(cycle: &[u32], apexes: &[Vec<usize>]) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(cycle.len() - 2);
    let mut pending = vec![(0, cycle.len() - 1)];
    while let Some((i, j)) = pending.pop() {
        if j - i < 2 {
            continue;
        }
        let k = apexes[i][j];
        triangles.push([cycle[i], cycle[k], cycle[j]]);
        pending.extend([(i, k), (k, j)]);
    }
    triangles
}
