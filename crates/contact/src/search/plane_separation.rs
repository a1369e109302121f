//! Separating-plane test of pairs of primitives, eight pairs at a time.
//!
//! Four in five pairs with overlapping boxes are farther apart than required. A separating plane proves this with a
//! few products: the gap of two primitives along any unit normal is a lower bound of their distance. The normal may
//! therefore come from approximate closest points, computed without branches in eight lanes of single precision. If
//! these are inaccurate, only the proof fails, and the distance of the pair is computed as for any other.
//!
//! # Rounding
//! Let `S` be the largest absolute value in the rows of both primitives and in the offset between them, and
//! `u = 2^-24`. The rounding errors of a row and of an offset are `u S`. After their sum and its difference from
//! the first point, the error of a vector between two points is at most `8 u S` per coordinate and `14 u S` in
//! length. The same holds for motions. Both together are less than the allowance [`ERROR_UNITS`] of a distance.
//! Products with a normal and their sums have rounding errors proportional to the coordinate sums of both factors,
//! which are subtracted from each gap.

use crate::CollisionMesh;
use crate::ccd::CONSERVATIVE_GAP;
use crate::geometry::bvh::set_bits;
use crate::geometry::distance::PairKind;
use crate::geometry::packed::{Packed, PackedPath};
use crate::search::sides;
use std::array::from_fn;
use std::ops::RangeInclusive;
use wide::f32x8;

/// Number of pairs tested together.
pub(crate) const LANES: usize = 8;

/// Error bound of a distance plus a motion, in units of `u S`.
const ERROR_UNITS: f64 = 32.0;

/// Unit roundoff of single precision.
const UNIT_ROUNDOFF: f64 = 0.5 * f32::EPSILON as f64;

/// Error bound of a gap along a normal, relative to the product of the coordinate sums.
const PRODUCT_ERROR: f32 = 16.0 * f32::EPSILON;

/// Sizes (m) for which no relevant product overflows or underflows.
const SAFE_SIZES: RangeInclusive<f64> = 1e-9..=1e9;

/// Fraction of the distance that must remain so that a pair without thickness does not shorten the path: at a time
/// of impact, a tenth to two tenths of the gap remain.
const MIN_REMAINING_DISTANCE: f32 = 2.5 * CONSERVATIVE_GAP as f32;

type Vector = [f32x8; 3];

/// Two surfaces on a path, with pairs of one kind to be tested.
pub(crate) struct PlaneSeparation<'a> {
    kind: PairKind,
    meshes: [&'a CollisionMesh; 2],
    paths: [&'a PackedPath; 2],
    /// Offset from the origins of the first path to those of the second.
    offset: Packed,
    /// Rounding error bound of a distance (m); infinite if nothing can be certified.
    rounding: f64,
}

/// Positions or displacements of points 1, 2 and 3 of eight pairs, relative to point 0.
type PointLanes = [Vector; 3];

impl<'a> PlaneSeparation<'a> {
    /// Prepares the test of pairs of one kind between the surfaces `meshes` on their packed paths.
    pub(crate) fn new(
        kind: PairKind,
        meshes: [&'a CollisionMesh; 2],
        paths: [&'a PackedPath; 2],
    ) -> Self {
        let [a, b] = paths;
        let offsets = [b.centre - a.centre, b.mean_displacement - a.mean_displacement];
        let origin_distance = offsets[0].abs().max(offsets[1].abs()).max_element();
        let max_entry = a.max_entry.max(b.max_entry).max(origin_distance);
        let rounding = match SAFE_SIZES.contains(&max_entry) {
            true => ERROR_UNITS * UNIT_ROUNDOFF * max_entry,
            false => f64::INFINITY,
        };
        let offset = offsets.map(|o| o.to_array().map(|x| f32x8::splat(x as f32)));
        Self { kind, meshes, paths, offset, rounding }
    }

    /// Indices in `pairs`, ascending, of those for which no plane proves that they stay farther apart than `distance`
    /// (m) on this fraction of the path. Takes one to eight pairs.
    #[inline(always)]
    pub(crate) fn unseparated(
        &self,
        pairs: &[[u32; 2]],
        distance: f64,
        fraction: f64,
    ) -> impl Iterator<Item = usize> + use<> {
        let [start, motion] = self.gather_pairs(pairs);
        let distance =
            f32x8::splat(((distance + self.rounding) * (1.0 + 8.0 * UNIT_ROUNDOFF)) as f32);
        let fraction = f32x8::splat((fraction * (1.0 + 8.0 * UNIT_ROUNDOFF)) as f32);
        let reach = max_relative_displacement(self.kind, &motion).mul_add(fraction, distance);
        let end = from_fn(|k| point_on_line(&start[k], &motion[k], fraction));
        let query = SeparationQuery { kind: self.kind, start, end, distance, reach };
        let separated = match self.kind {
            PairKind::EdgeEdge => query.separates_edges(),
            _ => query.separates_vertices(),
        };
        set_bits(!separated & ((1 << pairs.len()) - 1))
    }

    /// Initial positions and displacements of one to eight pairs; unused lanes repeat the last pair.
    #[inline(always)]
    fn gather_pairs(&self, pairs: &[[u32; 2]]) -> [PointLanes; 2] {
        let mut corners = [[0; LANES]; 4];
        for l in 0..LANES {
            let pair = pairs[l.min(pairs.len() - 1)];
            let pair_corners = sides::corners(self.kind, self.meshes, pair);
            (0..4).for_each(|k| corners[k][l] = pair_corners[k]);
        }
        let origin = self.paths[0].lanes(corners[0]);
        let [a, b, c] = [
            self.relative_points(1, corners[1], &origin),
            self.relative_points(2, corners[2], &origin),
            self.relative_points(3, corners[3], &origin),
        ];
        [[a[0], b[0], c[0]], [a[1], b[1], c[1]]]
    }

    /// Positions and displacements of point `k` of each of the eight pairs, relative to those of point 0, `origin`.
    #[inline(always)]
    fn relative_points(&self, k: usize, points: [u32; LANES], origin: &Packed) -> Packed {
        let points_of_first = if self.kind == PairKind::EdgeEdge { 2 } else { 1 };
        let points = match k < points_of_first {
            true => self.paths[0].lanes(points),
            false => plus(&self.paths[1].lanes(points), &self.offset),
        };
        minus(&points, origin)
    }
}

/// Largest relative displacement (m) between a point of one primitive and a point of the other.
#[inline(always)]
fn max_relative_displacement(kind: PairKind, [a, b, c]: &PointLanes) -> f32x8 {
    let squares = match kind {
        PairKind::EdgeEdge => [square(b), square(c), square(&sub(b, a)), square(&sub(c, a))],
        _ => [square(a), square(b), square(c), f32x8::ZERO],
    };
    let [p, q, r, s] = squares;
    p.fast_max(q).fast_max(r.fast_max(s)).sqrt()
}

/// Eight pairs on their paths, with the distance to be certified.
struct SeparationQuery {
    kind: PairKind,
    start: PointLanes,
    end: PointLanes,
    /// Distance to be exceeded (m).
    distance: f32x8,
    /// The distance plus the largest relative displacement (m).
    reach: f32x8,
}

impl SeparationQuery {
    /// Bit mask of the edge pairs (points 0, 1 and points 2, 3) that stay apart.
    #[inline(always)]
    fn separates_edges(&self) -> u32 {
        let [u, w, end] = &self.start;
        let v = sub(end, w);
        let (uu, vv, uv) = (positive_divisor(square(u)), positive_divisor(square(&v)), dot(u, &v));
        let (uw, vw) = (dot(u, w), dot(&v, w));
        // Closest points of both lines, clamped to one edge, to the other and to the first again.
        let s = clamp_to_unit(uw.mul_sub(vv, uv * vw) / positive_divisor(uu.mul_sub(vv, uv * uv)));
        let t = clamp_to_unit(s.mul_sub(uv, vw) / vv);
        let s = clamp_to_unit(t.mul_add(uv, uw) / uu);
        let normal = sub(&point_on_line(w, &v, t), &from_fn(|i| s * u[i]));
        let length = square(&normal).sqrt();
        self.is_separated(&normal, length, length)
    }

    /// Bit mask of the pairs of point 0 and the triangle of points 1, 2 and 3 that stay apart. Edges and vertices
    /// are triangles with the last point repeated.
    #[inline(always)]
    fn separates_vertices(&self) -> u32 {
        let [a, b, c] = &self.start;
        let (ab, ac, bc) = (sub(b, a), sub(c, a), sub(c, b));
        let nearer = |p: Vector, q: Vector| {
            let nearer = square(&q).simd_lt(square(&p));
            from_fn(|i| nearer.select(q[i], p[i]))
        };
        let sides =
            [nearest_to_origin(a, &ab), nearest_to_origin(a, &ac), nearest_to_origin(b, &bc)];
        let to_side = nearer(nearer(sides[0], sides[1]), sides[2]);
        let length = square(&to_side).sqrt();
        let face_normal = cross(&ab, &ac);
        let below = dot(&face_normal, a).simd_lt(f32x8::ZERO);
        let upwards = from_fn(|i| below.select(-face_normal[i], face_normal[i]));
        self.is_separated(&to_side, length, length)
            | self.is_separated(&upwards, square(&face_normal).sqrt(), length)
    }

    /// Bit mask of the pairs that a plane with this normal of this length proves to stay apart. Either the gap at
    /// the start exceeds the distance plus the largest displacement. Or the gaps at both ends exceed the distance
    /// and a quarter of `max_distance` (m), an upper bound of the initial distance. False for NaN.
    #[inline(always)]
    fn is_separated(&self, normal: &Vector, length: f32x8, max_distance: f32x8) -> u32 {
        let [start, end] = [&self.start, &self.end].map(|points| gap(self.kind, normal, points));
        let exceeds_displacement = start.simd_gt(self.reach * length);
        let required = self.distance.fast_max(f32x8::splat(MIN_REMAINING_DISTANCE) * max_distance);
        let exceeds_at_both_ends = start.fast_min(end).simd_gt(required * length);
        (exceeds_displacement | exceeds_at_both_ends).to_bitmask()
    }
}

/// Gaps of eight pairs along these normals, times the length of the normals, minus the rounding error bound.
#[inline(always)]
fn gap(kind: PairKind, normal: &Vector, [a, b, c]: &PointLanes) -> f32x8 {
    let sum = |v: &Vector| v[0].abs() + v[1].abs() + v[2].abs();
    let rounding = f32x8::splat(PRODUCT_ERROR) * (sum(a) + sum(b) + sum(c)) * sum(normal);
    let [p, q, r] = [dot(normal, a), dot(normal, b), dot(normal, c)];
    let gap = match kind {
        PairKind::EdgeEdge => q.fast_min(r) - p.fast_max(f32x8::ZERO),
        _ => p.fast_min(q).fast_min(r),
    };
    gap - rounding
}

/// Point nearest to the origin on the segment from `a` to `a + edge`.
#[inline(always)]
fn nearest_to_origin(a: &Vector, edge: &Vector) -> Vector {
    point_on_line(a, edge, clamp_to_unit(-dot(a, edge) / positive_divisor(square(edge))))
}

/// `a + s edge`.
#[inline(always)]
fn point_on_line(a: &Vector, edge: &Vector, s: f32x8) -> Vector {
    from_fn(|i| s.mul_add(edge[i], a[i]))
}

#[inline(always)]
fn dot(a: &Vector, b: &Vector) -> f32x8 {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

#[inline(always)]
fn square(a: &Vector) -> f32x8 {
    dot(a, a)
}

#[inline(always)]
fn cross(a: &Vector, b: &Vector) -> Vector {
    let minor = |i: usize, j: usize| a[i].mul_sub(b[j], a[j] * b[i]);
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

#[inline(always)]
fn sub(a: &Vector, b: &Vector) -> Vector {
    from_fn(|i| a[i] - b[i])
}

#[inline(always)]
fn minus(a: &Packed, b: &Packed) -> Packed {
    from_fn(|k| sub(&a[k], &b[k]))
}

#[inline(always)]
fn plus(a: &Packed, b: &Packed) -> Packed {
    from_fn(|k| from_fn(|i| a[k][i] + b[k][i]))
}

/// The value, raised to the smallest positive normal number for division.
#[inline(always)]
fn positive_divisor(a: f32x8) -> f32x8 {
    a.fast_max(f32x8::splat(f32::MIN_POSITIVE))
}

/// Clamps to `[0, 1]`; 0 for NaN.
#[inline(always)]
fn clamp_to_unit(a: f32x8) -> f32x8 {
    a.fast_max(f32x8::ZERO).fast_min(f32x8::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ccd::{max_relative_displacement, time_of_impact};
    use crate::geometry::distance::Closest;
    use proptest::prelude::*;
    use resile_math::{Aabb, Vec3};

    /// A mesh with two triangles, an edge without a triangle and a vertex without an edge.
    const POINTS: usize = 9;

    fn mesh() -> CollisionMesh {
        let rest: Vec<Vec3> = (0..POINTS as u32)
            .map(|k| Vec3::new(f64::from(k % 3), f64::from(k / 3), f64::from(k * k % 5)))
            .collect();
        let triangles = [[0, 1, 2], [3, 4, 5]];
        CollisionMesh::with_codimensional(&rest, &triangles, &[[6, 7]], &[8], 0.1).unwrap()
    }

    fn packed(mesh: &CollisionMesh, [from, to]: [&[Vec3]; 2]) -> PackedPath {
        let around = Aabb::of_points(from.iter().copied());
        let mean = (to[0] - from[0] + to[4] - from[4]) * 0.5;
        PackedPath::new(mesh, (around.min + around.max) * 0.5, mean, [from, to])
    }

    /// All pairs of a kind.
    fn pairs(kind: PairKind, mesh: &CollisionMesh) -> Vec<[u32; 2]> {
        let primitives = &mesh.primitives;
        let counts = match kind {
            PairKind::EdgeEdge => [primitives.edges.len(); 2],
            PairKind::VertexFace => [primitives.vertices.len(), primitives.triangles.len()],
            PairKind::VertexEdge => [primitives.vertices.len(), primitives.free_edges.len()],
            PairKind::VertexVertex => [primitives.free_points.len(); 2],
        }
        .map(|count| count as u32);
        (0..counts[0]).flat_map(|i| (0..counts[1]).map(move |j| [i, j])).collect()
    }

    const KINDS: [PairKind; 4] =
        [PairKind::EdgeEdge, PairKind::VertexFace, PairKind::VertexEdge, PairKind::VertexVertex];

    fn cloud() -> impl Strategy<Value = Vec<Vec3>> {
        let number = prop_oneof![8 => -1.0f64..1.0, 1 => Just(0.0), 1 => Just(0.5)];
        let point = [number.clone(), number.clone(), number].prop_map(Vec3::from_array);
        prop::collection::vec(point, POINTS)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn pairs_separated_by_a_plane_never_meet(
            [a, b] in [cloud(), cloud()],
            [going, coming] in [cloud(), cloud()],
            apart in -3.0f64..3.0,
            speed in prop_oneof![Just(0.0), 0.0f64..2.0],
            size in prop_oneof![Just(1.0), Just(1e-12), Just(1e-3), Just(1e4), Just(1e12)],
            origin in prop_oneof![Just(0.0), Just(1e3)],
            distance in 1e-3f64..0.5,
            fraction in prop_oneof![Just(1.0), 0.0f64..1.0],
        ) {
            let mesh = mesh();
            let at = |x: &[Vec3], shift: f64| -> Vec<Vec3> {
                x.iter().map(|x| (*x + Vec3::X * shift + Vec3::Y * origin) * size).collect()
            };
            let moved = |x: &[Vec3], by: &[Vec3]| -> Vec<Vec3> {
                x.iter().zip(by).map(|(x, by)| *x + *by * speed * size).collect()
            };
            let from = [at(&a, 0.0), at(&b, apart)];
            let to = [moved(&from[0], &going), moved(&from[1], &coming)];
            let paths = [0, 1].map(|k| packed(&mesh, [&from[k], &to[k]]));
            let distance = distance * size;
            for kind in KINDS {
                let plane_separation = PlaneSeparation::new(kind, [&mesh; 2], paths.each_ref());
                for pairs in pairs(kind, &mesh).chunks(LANES) {
                    let near: Vec<usize> = plane_separation.unseparated(pairs, distance, fraction).collect();
                    for l in (0..pairs.len()).filter(|l| !near.contains(l)) {
                        let corners = sides::corners(kind, [&mesh; 2], pairs[l]);
                        let second = if kind == PairKind::EdgeEdge { 2 } else { 1 };
                        let of = |x: &[Vec<Vec3>; 2]| -> [Vec3; 4] {
                            from_fn(|k| x[usize::from(k >= second)][corners[k] as usize])
                        };
                        let (start, end) = (of(&from), of(&to));
                        let on_way = |t: f64| from_fn(|k| start[k] + (end[k] - start[k]) * t);
                        for t in [0.0, 0.3, 0.6, 1.0] {
                            let x = on_way(t * fraction);
                            prop_assert!(Closest::new(kind, &x).distance() > distance);
                        }
                        // A pair farther apart than its displacement needs no certificate of the remaining gap.
                        let motion = from_fn(|k| end[k] - start[k]);
                        let reach = distance + fraction * max_relative_displacement(kind, &motion);
                        if Closest::new(kind, &start).distance() < reach {
                            let time = time_of_impact(kind, &start, &on_way(fraction), 0.0);
                            prop_assert_eq!(time, 1.0);
                        }
                    }
                }
            }
        }

        #[test]
        fn distant_pairs_are_separated(
            [a, b] in [cloud(), cloud()],
            going in cloud(),
            distance in 1e-3f64..0.5,
        ) {
            let mesh = mesh();
            // A displacement below a twentieth of the margin of the planes.
            let to: Vec<Vec3> = a.iter().zip(&going).map(|(x, by)| *x + *by * 0.01).collect();
            let paths = [packed(&mesh, [&a, &to]), packed(&mesh, [&b, &b])];
            for kind in KINDS {
                let plane_separation = PlaneSeparation::new(kind, [&mesh; 2], paths.each_ref());
                for pairs in pairs(kind, &mesh).chunks(LANES) {
                    for l in plane_separation.unseparated(pairs, distance, 1.0) {
                        let corners = sides::corners(kind, [&mesh; 2], pairs[l]);
                        let second = if kind == PairKind::EdgeEdge { 2 } else { 1 };
                        let of = |x: [&[Vec3]; 2]| -> [Vec3; 4] {
                            from_fn(|k| x[usize::from(k >= second)][corners[k] as usize])
                        };
                        let (start, end) = (of([&a, &b]), of([&to, &b]));
                        let motion = from_fn(|k| end[k] - start[k]);
                        let reach = distance + max_relative_displacement(kind, &motion);
                        let found = Closest::new(kind, &start).distance();
                        prop_assert!(found < 1.5 * reach, "{kind:?}: {found} for {reach}");
                    }
                }
            }
        }
    }
}
