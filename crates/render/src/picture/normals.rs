//! Normals that are smooth but for creases.

use super::mesh::Triangle;
use glam::Vec3;
use std::collections::BTreeMap;

/// Faces that meet at more than this angle (40 degrees) are not smoothed into each other.
const CREASE_COSINE: f32 = 0.766;

/// Which corners of triangles share a normal, as found in one state of a body. It is kept while the
/// body deforms, so that no crease comes and goes.
#[derive(Debug, Clone)]
pub struct Creases {
    triangles: Vec<Triangle>,
    /// How many normals there are.
    normals: usize,
}

impl Creases {
    /// Finds the creases of a surface. Costs a sort of its edges.
    pub fn find(positions: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        // Corners that share a normal are joined along each smooth edge, at both of its ends.
        let mut joined: Vec<u32> = (0..3 * triangles.len() as u32).collect();
        let faces: Vec<Vec3> = triangles.iter().map(|t| face(positions, t)).collect();
        for sides in edges(triangles).values() {
            for pair in sides.windows(2) {
                let [a, b] = [pair[0], pair[1]];
                let smooth = cosine(faces[a.triangle], faces[b.triangle]) > CREASE_COSINE;
                // Two that go round in opposite ways have no common outside.
                if smooth && a.from == b.to {
                    join(&mut joined, a.corners[0], b.corners[1]);
                    join(&mut joined, a.corners[1], b.corners[0]);
                }
            }
        }
        let mut numbers = BTreeMap::new();
        let mut number = |corner: usize| {
            let next = numbers.len() as u32;
            *numbers.entry(root(&mut joined, corner as u32)).or_insert(next)
        };
        let with_normals = |(t, &points): (usize, &[u32; 3])| Triangle {
            points,
            normals: [0, 1, 2].map(|k| number(3 * t + k)),
        };
        let triangles = triangles.iter().enumerate().map(with_normals).collect();
        Self { triangles, normals: numbers.len() }
    }

    /// The triangles, with the numbers of their normals.
    pub fn triangles(&self) -> &[Triangle] {
        &self.triangles
    }

    /// The normals of a state: means of the faces around, each with its angle as its weight.
    pub fn normals(&self, positions: &[Vec3]) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; self.normals];
        for triangle in &self.triangles {
            let corners = triangle.points.map(|point| positions[point as usize]);
            let face = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
            for k in 0..3 {
                let [at, next, last] = [0, 1, 2].map(|j| corners[(k + j) % 3]);
                let angle = cosine(next - at, last - at).clamp(-1.0, 1.0).acos();
                normals[triangle.normals[k] as usize] += angle * face;
            }
        }
        normals.iter().map(|normal| normal.normalize_or(Vec3::Y)).collect()
    }
}

/// A triangle at an edge, which it goes along from one point to the other.
#[derive(Debug, Clone, Copy)]
struct Side {
    triangle: usize,
    from: u32,
    to: u32,
    /// Its corners at both points.
    corners: [u32; 2],
}

fn edges(triangles: &[[u32; 3]]) -> BTreeMap<[u32; 2], Vec<Side>> {
    let mut edges: BTreeMap<[u32; 2], Vec<Side>> = BTreeMap::new();
    for (triangle, points) in triangles.iter().enumerate() {
        for k in 0..3 {
            let ends = [k, (k + 1) % 3];
            let [from, to] = ends.map(|k| points[k]);
            let corners = ends.map(|k| (3 * triangle + k) as u32);
            let side = Side { triangle, from, to, corners };
            edges.entry([from.min(to), from.max(to)]).or_default().push(side);
        }
    }
    edges
}

fn face(positions: &[Vec3], points: &[u32; 3]) -> Vec3 {
    let [a, b, c] = points.map(|point| positions[point as usize]);
    (b - a).cross(c - a)
}

fn cosine(a: Vec3, b: Vec3) -> f32 {
    let lengths = (a.length_squared() * b.length_squared()).sqrt();
    if lengths > 0.0 { a.dot(b) / lengths } else { 1.0 }
}

fn root(joined: &mut [u32], mut corner: u32) -> u32 {
    while joined[corner as usize] != corner {
        joined[corner as usize] = joined[joined[corner as usize] as usize];
        corner = joined[corner as usize];
    }
    corner
}

fn join(joined: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(joined, a), root(joined, b));
    joined[a.max(b) as usize] = a.min(b);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip of two squares that meet at this angle (rad), the second one turned up.
    fn bent(angle: f32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let far = Vec3::new(1.0 + angle.cos(), angle.sin(), 0.0);
        let row = |z: f32| [Vec3::ZERO, Vec3::X, far].map(|p| p + z * Vec3::NEG_Z);
        let points = [row(0.0), row(1.0)].concat();
        (points, vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]])
    }

    #[test]
    fn edges_of_a_box_are_kept_and_those_of_a_ball_are_not() {
        let (points, triangles) = bent(1.0);
        let sharp = Creases::find(&points, &triangles);
        let normals = sharp.normals(&points);
        let at = |t: usize, k: usize| normals[sharp.triangles()[t].normals[k] as usize];
        assert!(at(0, 1).distance(Vec3::Y) < 1e-6, "the first square is flat to its edge");
        let second = Vec3::new(-1f32.sin(), 1f32.cos(), 0.0);
        assert!(at(2, 0).distance(second) < 1e-6 && at(3, 2).distance(second) < 1e-6);

        let (points, triangles) = bent(0.5);
        let smooth = Creases::find(&points, &triangles);
        let normals = smooth.normals(&points);
        let at = |t: usize, k: usize| normals[smooth.triangles()[t].normals[k] as usize];
        let middle = Vec3::new(-0.25f32.sin(), 0.25f32.cos(), 0.0);
        for (t, k) in [(0, 1), (2, 0)] {
            // Angles of 90 degrees on the one side, and of 45 and 45 on the other.
            assert!(at(t, k).distance(middle) < 1e-6, "{}", at(t, k));
        }
        // A crease stays one when the body is straightened.
        assert_eq!(sharp.normals(&bent(0.0).0).len(), sharp.normals(&bent(1.0).0).len());
    }

    #[test]
    fn the_two_sides_of_a_fold_have_no_common_normal() {
        let points = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::new(0.5, 0.0, -1.0)];
        // The second triangle goes round the other way.
        let creases = Creases::find(&points, &[[0, 1, 2], [0, 1, 3]]);
        assert_eq!(creases.normals(&points).len(), 6);
    }
}
