//! Small holes, closed.

use crate::TriMesh;
use crate::tri_mesh::triangle_area;
use resile_math::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Holes of more edges are left open: what closes them would be a guess about the shape.
pub const LARGEST_HOLE: usize = 40;

/// So are those whose patch would have more than this share of the area of their part of
/// the surface: a sheet has a rim, and closing it would make it a pouch.
pub const LARGEST_PATCH: f64 = 0.25;

/// What became of the holes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Closed {
    pub(super) closed: usize,
    pub(super) added: usize,
    pub(super) left: usize,
}

/// Closes holes of at most [`LARGEST_HOLE`] edges, each by the triangulation of its rim
/// that has the least area (Barequet and Sharir 1995, *Filling gaps in the boundary of a
/// polyhedron*).
///
/// The triangles at a hole must agree on their outside.
pub(super) fn close(mesh: &mut TriMesh) -> Closed {
    let mut edges: BTreeSet<[u32; 2]> = mesh.surface().edges.into_iter().collect();
    let mut parts = crate::parts::Parts::of(mesh.positions.len(), &mesh.triangles);
    let mut areas: BTreeMap<u32, f64> = BTreeMap::new();
    for &triangle in &mesh.triangles {
        *areas.entry(parts.find(triangle[0])).or_default() += area(mesh, &[triangle]);
    }
    let rims = rims(&mesh.triangles);
    let mut closed = Closed { left: rims.tangled, ..Closed::default() };
    for rim in &rims.loops {
        let most = LARGEST_PATCH * areas.get(&parts.find(rim[0])).copied().unwrap_or(0.0);
        let patch = (rim.len() <= LARGEST_HOLE)
            .then(|| patch(rim, &mesh.positions, &edges))
            .flatten()
            .filter(|patch| area(mesh, patch) <= most);
        let Some(patch) = patch else {
            closed.left += 1;
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

fn area(mesh: &TriMesh, triangles: &[[u32; 3]]) -> f64 {
    triangles.iter().map(|&t| triangle_area(&mesh.positions, t)).sum()
}

struct Rims {
    /// Each in the direction in which new triangles run along it.
    loops: Vec<Vec<u32>>,
    /// Ways along open edges that do not come back.
    tangled: usize,
}

/// Walks along the open edges. Where several holes meet at a vertex, a way that comes
/// back to a vertex it was at is cut off there, so that every loop is simple.
fn rims(triangles: &[[u32; 3]]) -> Rims {
    let mut uses: BTreeMap<[u32; 2], (usize, [u32; 2])> = BTreeMap::new();
    for &[a, b, c] in triangles {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            // Against the direction of the triangle that has it.
            uses.entry([from.min(to), from.max(to)]).or_insert((0, [to, from])).0 += 1;
        }
    }
    let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (_, [from, to]) in uses.into_values().filter(|(count, _)| *count == 1) {
        next.entry(from).or_default().push(to);
    }
    let mut rims = Rims { loops: Vec::new(), tangled: 0 };
    let starts: Vec<u32> = next.keys().copied().collect();
    for start in starts {
        let mut way = vec![start];
        while let Some(to) = way.last().and_then(|at| next.get_mut(at)).and_then(Vec::pop) {
            match way.iter().position(|&seen| seen == to) {
                Some(place) => {
                    rims.loops.push(way.split_off(place));
                    way.push(to);
                }
                None => way.push(to),
            }
        }
        rims.tangled += usize::from(way.len() > 1);
    }
    rims
}

/// The triangulation of a rim of the least area in which no triangle is flat and no
/// edge is there already; `None` if there is none. The cube of the number of edges.
fn patch(rim: &[u32], positions: &[Vec3], edges: &BTreeSet<[u32; 2]>) -> Option<Vec<[u32; 3]>> {
    let n = rim.len();
    if n < 3 {
        return None;
    }
    let free = |i: usize, j: usize| {
        let beside = j == i + 1 || (i == 0 && j == n - 1);
        beside || !edges.contains(&[rim[i].min(rim[j]), rim[i].max(rim[j])])
    };
    // least[i][j]: area of the best triangulation of the rim from i to j, and its apex.
    let mut least = vec![vec![(0.0, 0); n]; n];
    for span in 2..n {
        for i in 0..n - span {
            let j = i + span;
            let mut best = (f64::INFINITY, 0);
            for k in i + 1..j {
                let area = triangle_area(positions, [rim[i], rim[k], rim[j]]);
                let cost = least[i][k].0 + least[k][j].0 + area;
                if area > 0.0 && free(i, j) && cost < best.0 {
                    best = (cost, k);
                }
            }
            least[i][j] = best;
        }
    }
    if !least[0][n - 1].0.is_finite() {
        return None;
    }
    let mut triangles = Vec::with_capacity(n - 2);
    let mut open = vec![(0, n - 1)];
    while let Some((i, j)) = open.pop() {
        if j - i < 2 {
            continue;
        }
        let k = least[i][j].1;
        triangles.push([rim[i], rim[k], rim[j]]);
        open.extend([(i, k), (k, j)]);
    }
    Some(triangles)
}
