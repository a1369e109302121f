//! Removal of degenerate (zero-area) triangles.

use super::TracedSurface;
use crate::TriMesh;
use resile_math::Vec3;
use std::collections::BTreeMap;

/// A triangle is degenerate if its height is less than this fraction of its longest side: rounding
/// of three collinear points.
const DEGENERATE_RATIO: f64 = 1e-10;

/// Largest number of attempted flips per degenerate triangle, on average.
const MAX_FLIPS_PER_TRIANGLE: usize = 4;

/// Removes degenerate triangles. Deleting one would open a slit along its three edges, so its longest
/// edge is flipped with the neighbour there. If there is no unique neighbour, or the new edge exists
/// already, the triangle is deleted. Returns the numbers of flipped and deleted triangles.
pub(super) fn remove_flat(surface: &mut TracedSurface) -> [usize; 2] {
    let mesh = &mut surface.mesh;
    let mut flat: Vec<u32> =
        (0..mesh.triangles.len() as u32).filter(|&t| is_degenerate(mesh, t)).collect();
    if flat.is_empty() {
        return [0, 0];
    }
    let mut edges = EdgeTriangles::new(mesh);
    let mut flipped_count = 0;
    // A flip may make the neighbour degenerate in turn, so the number of attempts is bounded.
    let mut remaining_attempts = MAX_FLIPS_PER_TRIANGLE * flat.len();
    let mut unflippable = Vec::new();
    while let Some(triangle) = flat.pop() {
        if !is_degenerate(mesh, triangle) {
            continue;
        }
        remaining_attempts = remaining_attempts.saturating_sub(1);
        let flipped_neighbour = match remaining_attempts {
            0 => None,
            _ => flip_longest_edge(mesh, &mut edges, triangle),
        };
        match flipped_neighbour {
            Some(neighbour) => {
                flipped_count += 1;
                flat.extend([triangle, neighbour]);
            }
            None => unflippable.push(triangle),
        }
    }
    unflippable.retain(|&t| is_degenerate(mesh, t));
    unflippable.sort_unstable();
    unflippable.dedup();
    surface.retain(|index, _| unflippable.binary_search(&(index as u32)).is_err());
    [flipped_count, unflippable.len()]
}

/// Whether the height of a triangle is at most `DEGENERATE_RATIO` of its longest side.
fn is_degenerate(mesh: &TriMesh, triangle: u32) -> bool {
    let corners = mesh.corners(triangle as usize);
    let [a, b, c] = corners;
    let longest = side_lengths(corners).into_iter().fold(0.0, f64::max);
    (b - a).cross(c - a).length() <= DEGENERATE_RATIO * longest * longest
}

/// Lengths (m) of the sides opposite to each corner.
fn side_lengths([a, b, c]: [Vec3; 3]) -> [f64; 3] {
    [b.distance(c), c.distance(a), a.distance(b)]
}

/// Indices of the triangles at each edge, whose key has the smaller vertex first.
struct EdgeTriangles(BTreeMap<[u32; 2], Vec<u32>>);

impl EdgeTriangles {
    /// Enters all triangles of a mesh.
    fn new(mesh: &TriMesh) -> Self {
        let mut edges = Self(BTreeMap::new());
        (0..).zip(&mesh.triangles).for_each(|(index, &t)| edges.add(index, t));
        edges
    }

    /// Adds a triangle to its three edges.
    fn add(&mut self, index: u32, [a, b, c]: [u32; 3]) {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            self.0.entry([from.min(to), from.max(to)]).or_default().push(index);
        }
    }

    /// Removes a triangle from its three edges.
    fn remove(&mut self, index: u32, [a, b, c]: [u32; 3]) {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            if let Some(triangles) = self.0.get_mut(&[from.min(to), from.max(to)]) {
                triangles.retain(|&t| t != index);
            }
        }
    }

    fn triangles_at(&self, a: u32, b: u32) -> &[u32] {
        self.0.get(&[a.min(b), a.max(b)]).map_or(&[], Vec::as_slice)
    }
}

/// Flips the longest edge of a degenerate triangle, so that the neighbour across that edge gets its opposite vertex.
/// Returns the neighbour; `None` if there is no unique, consistently oriented one, or the new edge exists already.
fn flip_longest_edge(mesh: &mut TriMesh, edges: &mut EdgeTriangles, triangle: u32) -> Option<u32> {
    let triangle_nodes = mesh.triangles[triangle as usize];
    let sides = side_lengths(mesh.corners(triangle as usize));
    let k = (0..3).max_by(|&i, &j| sides[i].total_cmp(&sides[j])).unwrap_or(0);
    let [c, a, b] = [triangle_nodes[k], triangle_nodes[(k + 1) % 3], triangle_nodes[(k + 2) % 3]];
    let &[first, second] = edges.triangles_at(a, b) else { return None };
    let neighbour = if first == triangle { second } else { first };
    let neighbour_nodes = mesh.triangles[neighbour as usize];
    let j = (0..3).find(|&j| neighbour_nodes[j] != a && neighbour_nodes[j] != b)?;
    let d = neighbour_nodes[j];
    // An inconsistently oriented neighbour traverses the edge in the same direction.
    let is_consistent = neighbour_nodes[(j + 1) % 3] == b;
    if !is_consistent || d == c || !edges.triangles_at(c, d).is_empty() {
        return None;
    }
    let [new_triangle, new_neighbour] = [[c, a, d], [b, c, d]];
    edges.remove(triangle, triangle_nodes);
    edges.remove(neighbour, neighbour_nodes);
    mesh.triangles[triangle as usize] = new_triangle;
    mesh.triangles[neighbour as usize] = new_neighbour;
    edges.add(triangle, new_triangle);
    edges.add(neighbour, new_neighbour);
    Some(neighbour)
}
