//! Construction of collision meshes, with a search for the rest distance of their primitives.

use crate::chunks::chunks;
use crate::geometry::clearance::RestShape;
use crate::geometry::distance::Closest;
use crate::geometry::mesh_error::CollisionMeshError;
use crate::geometry::shape::Shape;
use crate::search::budget::Budget;
use crate::search::narrow_phase::PointPaths;
use crate::search::plane_separation::LANES;
use crate::search::sides;
use crate::search::task::Task;
use crate::{CollisionMesh, Embedding};
use rayon::prelude::*;
use resile_math::Vec3;
use resile_math::parameters::INPUT_ERROR;
use resile_watch::Interrupt;

impl CollisionMesh {
    /// A collision mesh of triangles with nodes at `rest` (m). Finds the edges, computes areas and builds the
    /// trees: O(n log n).
    ///
    /// # Errors
    /// If a triangle refers to a missing node, has no area or is not finite.
    pub fn new(rest: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, CollisionMeshError> {
        Self::with_codimensional(rest, triangles, &[], &[], 0.0)
    }

    /// A collision mesh with additional codimensional `edges` and `points`. Edges that belong to a triangle and
    /// points that belong to a triangle or an edge are ignored. `width` (m) determines the areas of codimensional
    /// primitives: an edge represents a strip of its length and this width, a point a square of this side. For a
    /// rod, `width` is its diameter.
    ///
    /// ```
    /// use resile_contact::{CollisionMesh, Vec3};
    ///
    /// // A rod of two segments, and a grain beside it.
    /// let rest = [Vec3::ZERO, Vec3::X, Vec3::X * 2.0, Vec3::Y];
    /// let mesh = CollisionMesh::with_codimensional(&rest, &[], &[[0, 1], [1, 2]], &[3], 0.01)?;
    /// assert_eq!(mesh.vertices(), [0, 1, 2, 3]);
    /// # Ok::<(), resile_contact::CollisionMeshError>(())
    /// ```
    ///
    /// # Errors
    /// As [`CollisionMesh::new`], and if an edge or a point refers to a missing node, an edge has no length, a
    /// position is not finite, or the width is not positive although it is needed.
    pub fn with_codimensional(
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        edges: &[[u32; 2]],
        points: &[u32],
        width: f64,
    ) -> Result<Self, CollisionMeshError> {
        let mut mesh = Self::unmeasured(rest, triangles, edges, points, width)?;
        mesh.rest_shape = RestShape::measured(&mesh, rest, |max_distance| {
            min_rest_distance(&mesh, rest, max_distance)
        });
        Ok(mesh)
    }

    /// A collision mesh of triangles with points at `rest` (m), embedded in the `nodes` nodes of a body.
    ///
    /// # Errors
    /// As [`CollisionMesh::new`], and if there is not one embedding per point, a point is embedded in a missing node, or
    /// its weights do not add up to one, to 1e-9.
    pub fn embedded(
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        embedding: Vec<Embedding>,
        nodes: usize,
    ) -> Result<Self, CollisionMeshError> {
        if embedding.len() != rest.len() {
            let (points, wanted) = (embedding.len(), rest.len());
            return Err(CollisionMeshError::WrongCount { points, wanted });
        }
        for (point, point_embedding) in embedding.iter().enumerate() {
            if let Some(&node) = point_embedding.nodes.iter().find(|&&node| node as usize >= nodes)
            {
                return Err(CollisionMeshError::NoSuchSupport { point, node, nodes });
            }
            let sum: f64 = point_embedding.weights.iter().sum();
            if !sum.is_finite() || (sum - 1.0).abs() > INPUT_ERROR {
                return Err(CollisionMeshError::NotAffine { point, sum });
            }
        }
        Ok(Self::new(rest, triangles)?.with_embedding(embedding, nodes))
    }
}

/// Smallest distance (m) between primitives without a common point at `rest`, at most `max_distance` (m).
fn min_rest_distance(mesh: &CollisionMesh, rest: &[Vec3], max_distance: f64) -> f64 {
    let shape = Shape::at_rest(mesh, rest);
    let task = Task::with_itself(&shape, max_distance);
    let mut tasks = Vec::new();
    task.push_all_kinds(&mut tasks);
    let path = PointPaths { from: rest, to: rest, fixed: &[] };
    let interrupt = Interrupt::new();
    let mut overlaps = Vec::new();
    let mut smallest = max_distance;
    for task in &tasks {
        task.list_overlaps(&Budget::unlimited(&interrupt), &mut overlaps);
        let chunks: Vec<&[[u32; 2]]> = chunks(&overlaps).collect();
        let min_distance =
            |chunk: &&[[u32; 2]]| min_distance_of_pairs(task, chunk, &path, smallest);
        smallest = chunks.par_iter().map(min_distance).reduce(|| smallest, f64::min);
    }
    smallest
}

/// Smallest distance (m) of the `pairs` of a task at the start of the path, at most `max_distance` (m).
fn min_distance_of_pairs(
    task: &Task<'_>,
    pairs: &[[u32; 2]],
    path: &PointPaths<'_>,
    max_distance: f64,
) -> f64 {
    let plane_separation = task.plane_separation(task.kind);
    let mut smallest = max_distance;
    for pairs in pairs.chunks(LANES) {
        for l in plane_separation.unseparated(pairs, smallest, 0.0) {
            let x = path.start(sides::points(task.kind, task.sides(), pairs[l]));
            smallest = smallest.min(Closest::new(task.kind, &x).distance());
        }
    }
    smallest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::distance::PairKind;
    use crate::{Candidates, CollisionScene};
    use proptest::prelude::*;
    use resile_math::{Mat3, Quat};
    use std::array;

    /// Points and triangles of a curved sheet, one metre wide, with this number of cells per side.
    fn sheet(cells: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let side = cells + 1;
        let point = |k: u32| {
            let (u, v) = (f64::from(k % side), f64::from(k / side));
            let (u, v) = (u / f64::from(cells), v / f64::from(cells));
            Vec3::new(u, v, 0.5 * u * u - 0.3 * u * v + 0.2 * (3.0 * v).sin())
        };
        let corners = (0..cells * side).filter(|k| k % side < cells);
        let two = |k: u32| [[k, k + 1, k + side], [k + 1, k + side + 1, k + side]];
        ((0..side * side).map(point).collect(), corners.flat_map(two).collect())
    }

    /// Smallest distance (m) of all pairs without a common point, by brute force.
    fn by_hand(mesh: &CollisionMesh, x: &[Vec3]) -> f64 {
        apart(mesh, x).into_iter().fold(f64::INFINITY, |least, (_, distance)| least.min(distance))
    }

    /// All pairs without a common point, with their distances (m).
    fn apart(mesh: &CollisionMesh, x: &[Vec3]) -> Vec<((PairKind, [u32; 4]), f64)> {
        let mut all = Vec::new();
        let mut add = |kind: PairKind, mut points: [u32; 4]| {
            let distance = Closest::new(kind, &points.map(|i| x[i as usize])).distance();
            points.sort_unstable();
            all.push(((kind, points), distance));
        };
        for (k, e) in mesh.edges().iter().enumerate() {
            for f in mesh.edges()[..k].iter().filter(|f| !f.iter().any(|i| e.contains(i))) {
                add(PairKind::EdgeEdge, [e[0], e[1], f[0], f[1]]);
            }
        }
        for &v in mesh.vertices() {
            for t in mesh.triangles().iter().filter(|t| !t.contains(&v)) {
                add(PairKind::VertexFace, [v, t[0], t[1], t[2]]);
            }
        }
        all
    }

    fn vector(most: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-most..most).prop_map(Vec3::from_array)
    }

    /// A rotation by at most this angle (rad), combined with at most this stretch.
    fn map(angle: f64, stretch: f64) -> impl Strategy<Value = Mat3> {
        (vector(angle), prop::array::uniform3(vector(stretch))).prop_map(|(turn, [a, b, c])| {
            Mat3::from_quat(Quat::from_scaled_axis(turn))
                * (Mat3::IDENTITY + Mat3::from_cols(a, b, c))
        })
    }

    #[test]
    fn rest_distance_equals_the_exhaustive_minimum() {
        let (rest, triangles) = sheet(5);
        let mesh = CollisionMesh::new(&rest, &triangles).expect("it is a sheet");
        let shape = mesh.rest_shape.as_ref().expect("it is not flat");
        let lowest = mesh.lowest.expect("it has triangles").height;
        assert_eq!(shape.distance, by_hand(&mesh, &rest).min(lowest));
        assert!(shape.distance > 0.9 * lowest, "{} of {lowest}", shape.distance);
    }

    #[test]
    fn flat_surface_has_no_certificate() {
        let (mut rest, triangles) = sheet(3);
        rest.iter_mut().for_each(|x| x.z = 0.3 * x.x);
        let mesh = CollisionMesh::new(&rest, &triangles).expect("it is a sheet");
        assert!(mesh.rest_shape.is_none());
    }

    proptest! {
        #[test]
        fn certified_distance_holds_along_the_path(
            [start, end] in prop::array::uniform2(map(0.6, 0.1)),
            far in vector(1e3),
            noise in prop::collection::vec([vector(0.02), vector(0.02)], 36),
            scale in 0.0..1.0,
        ) {
            let (rest, triangles) = sheet(5);
            let mesh = CollisionMesh::new(&rest, &triangles).expect("it is a sheet");
            let shape = mesh.rest_shape.as_ref().expect("it is not flat");
            let ends: [Vec<Vec3>; 2] = [0, 1].map(|end_of_path| {
                let map = [start, end][end_of_path];
                let moved = rest.iter().zip(&noise);
                moved.map(|(&p, noise)| map * p + far + scale * noise[end_of_path]).collect()
            });
            let clearance = shape.clearance(mesh.vertices(), &ends[0], &ends[1]).expect("it is finite").min_distance();
            for t in [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0] {
                let x: Vec<Vec3> = ends[0].iter().zip(&ends[1]).map(|(&a, &b)| a + t * (b - a)).collect();
                let least = by_hand(&mesh, &x);
                prop_assert!(clearance <= least, "{} of {} at {}", clearance, least, t);
            }
        }

        /// A self-collision search lists all near pairs, in states where the body as a whole is not certified.
        #[test]
        fn skipped_parts_are_apart(
            [start, end] in prop::array::uniform2(map(0.6, 0.1)),
            noise in prop::collection::vec([vector(1.0), vector(1.0)], 36),
            bent in 0_usize..36, scale in 0.0..0.1, near in 0.1..0.9,
        ) {
            let (rest, triangles) = sheet(5);
            let mesh = CollisionMesh::new(&rest, &triangles).expect("it is a sheet");
            let shape = mesh.rest_shape.as_ref().expect("it is not flat");
            // One corner is bent away, the others deviate little.
            let ends: [Vec<Vec3>; 2] = [0, 1].map(|end_of_path| {
                let map = [start, end][end_of_path];
                let stray = |k: usize| if k == bent { scale } else { 0.02 * scale };
                let moved = rest.iter().zip(&noise).enumerate();
                moved.map(|(k, (&p, noise))| map * p + stray(k) * noise[end_of_path]).collect()
            });
            let d_hat = near * shape.distance;
            let scene = CollisionScene::of_meshes([CollisionMesh::new(&rest, &triangles).expect("as before")]);
            let search = Candidates::search(&scene, &ends[0], &ends[1], d_hat);
            let listed = search.candidates.iter().map(|c| {
                let mut points: [u32; 4] = array::from_fn(|k| c.moving_points()[k].map_or(0, |i| i as u32));
                points.sort_unstable();
                (c.kind(), points)
            });
            let listed: Vec<(PairKind, [u32; 4])> = listed.collect();
            for t in [0.0, 0.25, 0.5, 0.75, 1.0] {
                let t = t * search.collision_free;
                let x: Vec<Vec3> = ends[0].iter().zip(&ends[1]).map(|(&a, &b)| a + t * (b - a)).collect();
                for (pair, distance) in apart(&mesh, &x) {
                    prop_assert!(distance >= d_hat || listed.contains(&pair), "{:?} at {}", pair, t);
                }
            }
        }

        #[test]
        fn rigid_rotation_is_certified_up_to_the_cosine_of_half_its_angle(
            turn in vector(0.8), far in vector(1e2),
        ) {
            let (rest, triangles) = sheet(5);
            let mesh = CollisionMesh::new(&rest, &triangles).expect("it is a sheet");
            let shape = mesh.rest_shape.as_ref().expect("it is not flat");
            let rotation = Quat::from_scaled_axis(turn);
            let to: Vec<Vec3> = rest.iter().map(|&p| rotation * p + far).collect();
            let clearance = shape.clearance(mesh.vertices(), &rest, &to).map_or(0.0, |c| c.min_distance());
            let expected = shape.distance * (0.5 * turn.length()).cos();
            prop_assert!((clearance - expected).abs() < 1e-8, "{} of {}", clearance, expected);
        }
    }

    /// Both pieces have the largest deviation, towards each other.
    #[test]
    fn deviations_of_two_parts_add() {
        let (rest, triangles) = sheet(5);
        let mesh = CollisionMesh::new(&rest, &triangles).expect("it is a sheet");
        let shape = mesh.rest_shape.as_ref().expect("it is not flat");
        let mut near = 0;
        for &v in mesh.vertices() {
            for t in mesh.triangles().iter().filter(|t| !t.contains(&v)) {
                let points = [v, t[0], t[1], t[2]].map(|i| rest[i as usize]);
                let apart = Closest::new(PairKind::VertexFace, &points).difference;
                if apart.length() > 1.2 * shape.distance {
                    continue;
                }
                near += 1;
                let mut to = rest.clone();
                to[v as usize] -= apart * 0.4;
                t.iter().for_each(|&i| to[i as usize] += apart * 0.4);
                let clearance =
                    shape.clearance(mesh.vertices(), &rest, &to).map_or(0.0, |c| c.min_distance());
                let least = by_hand(&mesh, &to);
                assert!(clearance <= least, "{clearance} of {least}");
            }
        }
        assert!(near > 10, "{near}");
    }

    #[test]
    fn non_finite_path_has_no_certificate() {
        let (rest, triangles) = sheet(3);
        let mesh = CollisionMesh::new(&rest, &triangles).expect("it is a sheet");
        let shape = mesh.rest_shape.as_ref().expect("it is not flat");
        for wrong in [f64::NAN, f64::INFINITY, 1e308] {
            let mut to = rest.clone();
            to[3].y = wrong;
            let clearance =
                shape.clearance(mesh.vertices(), &rest, &to).map_or(0.0, |c| c.min_distance());
            assert!(clearance <= 0.0, "{wrong}: {clearance}");
        }
    }
}
