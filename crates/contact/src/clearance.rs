//! Where a body cannot touch itself: a certificate for a surface on a path, and for parts of it.
//!
//! Most searches of a body against itself find only neighbours, as far apart as at rest. Let `D`
//! be the least distance at rest between primitives without a common point, `A(t)` the affine map
//! that is nearest to where the points are, and `delta` the farthest that any point is from its
//! image. All are known at both ends of a straight path and linear between, so that two
//! primitives are never nearer than `D sigma_min(A) - 2 delta`. Where that is not enough it still is
//! for most pairs: two primitives that stray by `delta_i` and `delta_j` are never nearer than
//! `D sigma_min(A) - delta_i - delta_j`, and a descent leaves alone what lies below two nodes of a tree
//! whose largest strays say so. This holds for solids, shells
//! and surfaces that hang on other nodes; it costs two passes over the points, a hundredth of a
//! descent in trees. Bounds by energy (Zheng and James 2012, *Energy-based self-collision
//! culling*) and by the change of normals (Volino and Magnenat-Thalmann 1994) have the same aim;
//! ours needs neither an elastic model nor a closed contour, and bounds distances, which contact
//! before touching asks for.
//!
//! With any rotation `Q`, `sigma_min(A)` is at least the least eigenvalue of the symmetric part of
//! `Q^T A`, a concave function of `A`: on the path it is least at an end. `Q` is the rotation
//! nearest to `A` half way. A body that turns by an angle loses by it only the cosine of its half.

use crate::CollisionMesh;
use crate::broad_phase::Task;
use crate::chunks::chunks;
use crate::collision_mesh::Strays;
use crate::distance::Closest;
use crate::narrow_phase::OnPath;
use crate::parting::LANES;
use crate::search::Budget;
use crate::shape::Shape;
use crate::sides;
use rayon::prelude::*;
use resile_math::lanes::Mat3x8;
use resile_math::polar::nearest_rotation;
use resile_math::small::SymmetricEigen;
use resile_math::{Mat3, Vec3, cholesky, outer};
use resile_watch::Interrupt;

/// Roundings of coordinates that are taken off: an image is a sum of a few products.
const ROUNDING: f64 = 1e-12;

/// The rest shape of a surface, as the certificate needs it.
#[derive(Debug)]
pub(crate) struct RestShape {
    /// The vertices (m) seen from their mean, in the order of the mesh's vertices.
    offsets: Vec<Vec3>,
    /// The inverse of the sum of `p p^T` over the offsets `p` (1/m^2).
    inverse: Mat3,
    /// At most the least distance (m) between primitives without a common point.
    distance: f64,
}

/// How near parts of a surface come to each other on a path.
#[derive(Debug)]
pub(crate) struct Clearance {
    /// The least distance (m) between the images of primitives without a common point.
    images: f64,
    /// How far each vertex is from its image at most (m).
    strays: Vec<f64>,
}

/// Where an affine map takes a surface, nearly.
struct Fit {
    map: Mat3,
    /// The squared distance of each vertex from its image (m^2).
    apart2: Vec<f64>,
    /// The largest coordinate (m).
    size: f64,
}

impl RestShape {
    /// That of the points `rest` (m). Nothing if they lie in a plane, where the map is not
    /// unique, or there are none. O(n log n).
    pub(crate) fn measured(mesh: &CollisionMesh, rest: &[Vec3]) -> Option<Self> {
        let (lowest, _) = mesh.lowest?;
        let vertices = mesh.vertices();
        let mean = vertices.iter().map(|&i| rest[i as usize]).sum::<Vec3>() / vertices.len() as f64;
        let offsets: Vec<Vec3> = vertices.iter().map(|&i| rest[i as usize] - mean).collect();
        let moments = offsets.iter().fold(Mat3::ZERO, |sum, &p| sum + outer(p, p));
        // Thinner than a thousandth of its length is as good as flat.
        let trace = moments.x_axis.x + moments.y_axis.y + moments.z_axis.z;
        cholesky(moments - Mat3::IDENTITY * (1e-6 * trace))?;
        let distance = least_distance(mesh, rest, lowest);
        Some(Self { offsets, inverse: moments.inverse(), distance })
    }

    /// How near primitives without a common point come on the straight path of the mesh's points
    /// `from -> to` (m). Nothing if it is not finite. O(n).
    pub(crate) fn clearance(
        &self,
        vertices: &[u32],
        from: &[Vec3],
        to: &[Vec3],
    ) -> Option<Clearance> {
        let fits = [from, to].map(|x| self.fit(vertices, x));
        if !fits.iter().all(|fit| fit.map.is_finite()) {
            return None;
        }
        let half_way = (fits[0].map + fits[1].map) * 0.5;
        let turned = nearest_rotation(&Mat3x8::from_lanes(&[half_way; LANES])).lane(0).transpose();
        let least = fits.iter().map(|fit| {
            let map = turned * fit.map;
            let symmetric = (map + map.transpose()) * 0.5;
            let values = SymmetricEigen::new(&symmetric.to_cols_array_2d()).values;
            values.into_iter().fold(f64::INFINITY, f64::min)
        });
        let stretch = least.fold(f64::INFINITY, f64::min) - ROUNDING;
        let size = fits.iter().map(|fit| fit.size).fold(0.0, f64::max);
        let images = self.distance * stretch - 2.0 * ROUNDING * size;
        let [start, end] = fits.map(|fit| fit.apart2);
        let mut strays = start;
        strays.iter_mut().zip(end).for_each(|(stray, end)| *stray = stray.max(end).sqrt());
        Some(Clearance { images, strays })
    }

    /// The affine map nearest to where the vertices are, by least squares.
    fn fit(&self, vertices: &[u32], x: &[Vec3]) -> Fit {
        let at = || vertices.iter().map(|&i| x[i as usize]);
        let mean = at().sum::<Vec3>() / vertices.len() as f64;
        let pairs = || at().zip(&self.offsets);
        let moments = pairs().fold(Mat3::ZERO, |sum, (x, &p)| sum + outer(x - mean, p));
        let map = moments * self.inverse;
        let apart2 = pairs().map(|(x, &p)| (x - mean - map * p).length_squared()).collect();
        let size = at().map(|x| x.abs().max_element()).fold(0.0, f64::max);
        Fit { map, apart2, size }
    }
}

impl Clearance {
    /// A lower bound (m) of the distance between primitives without a common point; not positive if it
    /// says nothing.
    pub(crate) fn of_all(&self) -> f64 {
        self.images - 2.0 * self.strays.iter().copied().fold(0.0, f64::max)
    }

    /// For each node of the trees of `mesh`, how far its points stray at most, over how far two points
    /// may in all for their primitives to be farther apart than `distance` (m). Nothing if they may not.
    pub(crate) fn strays(&self, mesh: &CollisionMesh, distance: f64) -> Option<Strays> {
        let spare = self.images - distance;
        let mut of_points = vec![0.0; mesh.point_count()];
        for (&i, stray) in mesh.vertices().iter().zip(&self.strays) {
            of_points[i as usize] = stray / spare;
        }
        (spare > 0.0).then(|| mesh.largest(&of_points))
    }
}

/// The least distance (m) between primitives without a common point at `rest`, or `most` (m) if
/// that is less.
fn least_distance(mesh: &CollisionMesh, rest: &[Vec3], most: f64) -> f64 {
    let shape = Shape::resting(mesh, rest);
    let task = Task::with_itself(&shape, most);
    let mut tasks = Vec::new();
    task.list_into(&mut tasks);
    let path = OnPath { from: rest, to: rest, fixed: &[] };
    let interrupt = Interrupt::new();
    let mut pairs = Vec::new();
    tasks.iter().fold(most, |most, task| {
        task.overlaps(&Budget::endless(&interrupt), &mut pairs);
        let least = |chunk: &[[u32; 2]]| {
            let parting = task.parting(task.kind);
            chunk.chunks(LANES).fold(most, |least, pairs| {
                let near = parting.near(pairs, least, 0.0);
                let distance = |l: usize| {
                    let x = path.start(sides::points(task.kind, task.sides(), pairs[l]));
                    Closest::new(task.kind, &x).distance()
                };
                near.map(distance).fold(least, f64::min)
            })
        };
        let chunks: Vec<&[[u32; 2]]> = chunks(&pairs).collect();
        chunks.par_iter().map(|chunk| least(chunk)).reduce(|| most, f64::min)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::PairKind;
    use crate::{Candidates, CollisionScene};
    use proptest::prelude::*;
    use resile_math::Quat;
    use std::array;

    /// Points and triangles of a curved sheet of some cells a side, one metre wide.
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

    /// The least distance (m) of all pairs without a common point, one by one.
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

    /// A rotation by up to so many radians, and a stretch by up to this much.
    fn map(angle: f64, stretch: f64) -> impl Strategy<Value = Mat3> {
        (vector(angle), prop::array::uniform3(vector(stretch))).prop_map(|(turn, [a, b, c])| {
            Mat3::from_quat(Quat::from_scaled_axis(turn))
                * (Mat3::IDENTITY + Mat3::from_cols(a, b, c))
        })
    }

    #[test]
    fn the_distance_at_rest_is_the_least() {
        let (rest, triangles) = sheet(5);
        let mesh = CollisionMesh::new(&rest, &triangles).expect("it is a sheet");
        let shape = mesh.rest_shape.as_ref().expect("it is not flat");
        let lowest = mesh.lowest.expect("it has triangles").0;
        assert_eq!(shape.distance, by_hand(&mesh, &rest).min(lowest));
        assert!(shape.distance > 0.9 * lowest, "{} of {lowest}", shape.distance);
    }

    #[test]
    fn what_is_flat_has_no_certificate() {
        let (mut rest, triangles) = sheet(3);
        rest.iter_mut().for_each(|x| x.z = 0.3 * x.x);
        let mesh = CollisionMesh::new(&rest, &triangles).expect("it is a sheet");
        assert!(mesh.rest_shape.is_none());
    }

    proptest! {
        #[test]
        fn no_pair_is_nearer_anywhere_on_the_path(
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
            let clearance = shape.clearance(mesh.vertices(), &ends[0], &ends[1]).expect("it is finite").of_all();
            for t in [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0] {
                let x: Vec<Vec3> = ends[0].iter().zip(&ends[1]).map(|(&a, &b)| a + t * (b - a)).collect();
                let least = by_hand(&mesh, &x);
                prop_assert!(clearance <= least, "{} of {} at {}", clearance, least, t);
            }
        }

        /// What a search of a body against itself leaves alone is far apart: all that comes near is listed, in
        /// states where the whole is not certified.
        #[test]
        fn parts_that_are_left_alone_are_apart(
            [start, end] in prop::array::uniform2(map(0.6, 0.1)),
            noise in prop::collection::vec([vector(1.0), vector(1.0)], 36),
            bent in 0_usize..36, scale in 0.0..0.1, near in 0.1..0.9,
        ) {
            let (rest, triangles) = sheet(5);
            let mesh = CollisionMesh::new(&rest, &triangles).expect("it is a sheet");
            let shape = mesh.rest_shape.as_ref().expect("it is not flat");
            // One corner is bent away, the others stray little.
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
        fn what_turns_as_a_whole_is_certified_up_to_the_cosine_of_half_its_angle(
            turn in vector(0.8), far in vector(1e2),
        ) {
            let (rest, triangles) = sheet(5);
            let mesh = CollisionMesh::new(&rest, &triangles).expect("it is a sheet");
            let shape = mesh.rest_shape.as_ref().expect("it is not flat");
            let rotation = Quat::from_scaled_axis(turn);
            let to: Vec<Vec3> = rest.iter().map(|&p| rotation * p + far).collect();
            let clearance = shape.clearance(mesh.vertices(), &rest, &to).map_or(0.0, |c| c.of_all());
            let expected = shape.distance * (0.5 * turn.length()).cos();
            prop_assert!((clearance - expected).abs() < 1e-8, "{} of {}", clearance, expected);
        }
    }

    /// Here both pieces stray as far as any point does, and towards each other.
    #[test]
    fn pieces_that_stray_towards_each_other_are_nearer_by_both_strays() {
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
                    shape.clearance(mesh.vertices(), &rest, &to).map_or(0.0, |c| c.of_all());
                let least = by_hand(&mesh, &to);
                assert!(clearance <= least, "{clearance} of {least}");
            }
        }
        assert!(near > 10, "{near}");
    }

    #[test]
    fn a_path_that_is_not_finite_has_no_certificate() {
        let (rest, triangles) = sheet(3);
        let mesh = CollisionMesh::new(&rest, &triangles).expect("it is a sheet");
        let shape = mesh.rest_shape.as_ref().expect("it is not flat");
        for wrong in [f64::NAN, f64::INFINITY, 1e308] {
            let mut to = rest.clone();
            to[3].y = wrong;
            let clearance =
                shape.clearance(mesh.vertices(), &rest, &to).map_or(0.0, |c| c.of_all());
            assert!(clearance <= 0.0, "{wrong}: {clearance}");
        }
    }
}
