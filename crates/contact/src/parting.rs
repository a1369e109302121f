//! Planes that part pairs of primitives, eight pairs at a time.
//!
//! Of the pairs whose boxes overlap, four in five are farther apart than anything asks for. A plane proves
//! that for a few products: if all of one piece lies beyond a plane and all of the other before it, the gap between,
//! measured along the plane's normal, is a lower bound of their distance, whatever the normal is. So the
//! normal may come from closest points that are found without a branch, in eight lanes of single precision, and where
//! these are poor nothing is lost but the proof: such a pair is measured as any other.
//!
//! # Rounding
//! Let `S` be the largest number in the rows of both pieces and in the offset between them, and `u = 2^-24`. A row
//! and an offset are rounded by `u S`, and with their sum and its difference from the first point a vector between two
//! points is wrong by `8 u S` a coordinate at most, `14 u S` in length. So are motions. Both together are less than the
//! [`ROUNDINGS`] that a distance gives away. Products with a normal and their sums are rounded in proportion
//! to the sums of coordinates of both factors, and these are taken off of each gap.

use crate::CollisionMesh;
use crate::distance::PairKind;
use crate::packed::{Packed, PackedPath};
use crate::sides;
use std::array::from_fn;
use std::iter;
use std::ops::RangeInclusive;
use wide::f32x8;

/// Pairs that are looked at together.
pub(crate) const LANES: usize = 8;

/// Roundings `u S` that a distance and a motion may be wrong by.
const ROUNDINGS: f64 = 32.0;

/// A rounding of single precision.
const UNIT: f64 = 0.5 * f32::EPSILON as f64;

/// What a gap along a normal may be wrong by, over the sums of coordinates of both.
const OF_PRODUCTS: f32 = 16.0 * f32::EPSILON;

/// Sizes (m) at which no product that matters overflows or underflows.
const ORDINARY: RangeInclusive<f64> = 1e-9..=1e9;

type Vector = [f32x8; 3];

/// Two surfaces on a path, of which pairs of one kind are looked at.
pub(crate) struct Parting<'a> {
    kind: PairKind,
    meshes: [&'a CollisionMesh; 2],
    paths: [&'a PackedPath; 2],
    /// From what the first is seen from to what the second is.
    offset: Packed,
    /// What rounding may take away of a distance (m); infinite where nothing is known.
    rounding: f64,
}

/// Points 1, 2 and 3 of eight pairs, or how far they move, seen from point 0.
type Eight = [Vector; 3];

impl<'a> Parting<'a> {
    pub(crate) fn new(
        kind: PairKind,
        meshes: [&'a CollisionMesh; 2],
        paths: [&'a PackedPath; 2],
    ) -> Self {
        let [a, b] = paths;
        let offsets = [b.centre - a.centre, b.mean - a.mean];
        let between = offsets[0].abs().max(offsets[1].abs()).max_element();
        let size = a.size.max(b.size).max(between);
        let rounding = match ORDINARY.contains(&size) {
            true => ROUNDINGS * UNIT * size,
            false => f64::INFINITY,
        };
        let offset = offsets.map(|o| o.to_array().map(|x| f32x8::splat(x as f32)));
        Self { kind, meshes, paths, offset, rounding }
    }

    /// Which of `pairs`, eight at most, may come nearer than `distance` (m) on this fraction of the path, by
    /// their places among them, ascending.
    #[inline(always)]
    pub(crate) fn near(
        &self,
        pairs: &[[u32; 2]],
        distance: f64,
        fraction: f64,
    ) -> impl Iterator<Item = usize> + use<> {
        let [start, motion] = self.eight(pairs);
        let distance = (distance + self.rounding) * (1.0 + 8.0 * UNIT);
        let fraction = fraction * (1.0 + 8.0 * UNIT);
        let moved = fastest(self.kind, &motion);
        let reach = moved.mul_add(f32x8::splat(fraction as f32), f32x8::splat(distance as f32));
        let beyond = match self.kind {
            PairKind::EdgeEdge => edges_beyond(&start, reach),
            _ => vertices_beyond(&start, reach),
        };
        let mut near = !beyond & ((1 << pairs.len()) - 1);
        iter::from_fn(move || {
            let place = (near != 0).then(|| near.trailing_zeros() as usize);
            near &= near.wrapping_sub(1);
            place
        })
    }

    /// These pairs, the last one repeated where there are fewer: where their points are, and how they move.
    #[inline(always)]
    fn eight(&self, pairs: &[[u32; 2]]) -> [Eight; 2] {
        let mut corners = [[0; LANES]; 4];
        for l in 0..LANES {
            let pair = pairs[l.min(pairs.len() - 1)];
            let own = sides::corners(self.kind, self.meshes, pair);
            (0..4).for_each(|k| corners[k][l] = own[k]);
        }
        let of_second = if self.kind == PairKind::EdgeEdge { 2 } else { 1 };
        let origin = self.paths[0].lanes(corners[0]);
        let seen = |k: usize| match k < of_second {
            true => minus(&self.paths[0].lanes(corners[k]), &origin),
            false => minus(&plus(&self.paths[1].lanes(corners[k]), &self.offset), &origin),
        };
        let [a, b, c] = [seen(1), seen(2), seen(3)];
        [[a[0], b[0], c[0]], [a[1], b[1], c[1]]]
    }
}

/// The most (m) that any point of one piece moves against any point of the other.
#[inline(always)]
fn fastest(kind: PairKind, [a, b, c]: &Eight) -> f32x8 {
    let squares = match kind {
        PairKind::EdgeEdge => [square(b), square(c), square(&sub(b, a)), square(&sub(c, a))],
        _ => [square(a), square(b), square(c), f32x8::ZERO],
    };
    squares[0].fast_max(squares[1]).fast_max(squares[2].fast_max(squares[3])).sqrt()
}

/// Of edges from point 0 to 1 and from point 2 to 3 those that are farther apart than `reach` (m), a bit each.
#[inline(always)]
fn edges_beyond([u, w, end]: &Eight, reach: f32x8) -> u32 {
    let v = sub(end, w);
    let (uu, vv, uv) = (divisor(square(u)), divisor(square(&v)), dot(u, &v));
    let (uw, vw) = (dot(u, w), dot(&v, w));
    // The crossing point of both lines, clamped to one edge, to the other, and to the one again.
    let on_a = unit(uw.mul_sub(vv, uv * vw) / divisor(uu.mul_sub(vv, uv * uv)));
    let on_b = unit(on_a.mul_sub(uv, vw) / vv);
    let on_a = unit(on_b.mul_add(uv, uw) / uu);
    let normal = sub(&along(w, &v, on_b), &from_fn(|i| on_a * u[i]));
    let gap = dot(&normal, w).fast_min(dot(&normal, end)) - dot(&normal, u).fast_max(f32x8::ZERO);
    is_beyond(gap, &normal, &[*u, *w, *end], reach)
}

/// Of point 0 and triangles of points 1, 2 and 3 those that are farther apart than `reach` (m), a bit each;
/// an edge and a vertex are triangles of which the last point is repeated.
#[inline(always)]
fn vertices_beyond(corners: &Eight, reach: f32x8) -> u32 {
    let [a, b, c] = corners;
    let (ab, ac, bc) = (sub(b, a), sub(c, a), sub(c, b));
    let nearer = |p: Vector, q: Vector| {
        let nearer = square(&q).simd_lt(square(&p));
        from_fn(|i| nearer.select(q[i], p[i]))
    };
    let sides = [lowest(a, &ab), lowest(a, &ac), lowest(b, &bc)];
    let normal = nearer(nearer(sides[0], sides[1]), sides[2]);
    let gap = dot(&normal, a).fast_min(dot(&normal, b)).fast_min(dot(&normal, c));
    let of_sides = is_beyond(gap, &normal, corners, reach);
    let normal = cross(&ab, &ac);
    let [p, q, r] = [dot(&normal, a), dot(&normal, b), dot(&normal, c)];
    let gap = p.fast_min(q).fast_min(r).fast_max(-p.fast_max(q).fast_max(r));
    of_sides | is_beyond(gap, &normal, corners, reach)
}

/// Where a gap, times the length of the normal along which it was measured, is surely larger than
/// `reach` (m), a bit each; none where it is not a number.
#[inline(always)]
fn is_beyond(gap: f32x8, normal: &Vector, points: &Eight, reach: f32x8) -> u32 {
    let sum = |all: &Vector| all[0].abs() + all[1].abs() + all[2].abs();
    let coordinates = sum(&points[0]) + sum(&points[1]) + sum(&points[2]);
    let sure = gap - f32x8::splat(OF_PRODUCTS) * coordinates * sum(normal);
    sure.simd_gt(reach * square(normal).sqrt()).to_bitmask()
}

/// The point nearest to the origin of the segment that begins at `a` and goes on by `edge`.
#[inline(always)]
fn lowest(a: &Vector, edge: &Vector) -> Vector {
    along(a, edge, unit(-dot(a, edge) / divisor(square(edge))))
}

/// `a + s edge`.
#[inline(always)]
fn along(a: &Vector, edge: &Vector, s: f32x8) -> Vector {
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

/// The same, but something to divide by where it is zero.
#[inline(always)]
fn divisor(a: f32x8) -> f32x8 {
    a.fast_max(f32x8::splat(f32::MIN_POSITIVE))
}

/// Clamped to `[0, 1]`, and 0 where it is not a number.
#[inline(always)]
fn unit(a: f32x8) -> f32x8 {
    a.fast_max(f32x8::ZERO).fast_min(f32x8::ONE)
}
