//! Whether two pieces stay apart, in integers of any size: nothing is rounded.
//!
//! Coordinates are integers times a power of two, and times dyadic fractions. A plane that
//! separates two pieces at two times separates them between, since their points go straight; so a
//! path is cut in halves until each piece of it has its plane, or its middle has none: then the pieces meet.
//! Where a fixed plane proves nothing, one whose normal is linear in time may: each gap along it is a quadratic
//! polynomial and not below the smallest of its Bernstein coefficients.

use num_bigint::{BigInt, Sign};
use resile_contact::Vec3;
use resile_contact::distance::PairKind;

type Point = [BigInt; 3];

/// So many pieces of a path are looked at before it is given up: what is not proved fails the law.
const PIECES: usize = 20_000;

/// A pair of pieces whose points go straight.
pub(crate) struct Oracle {
    kind: PairKind,
    start: [Point; 4],
    motion: [Point; 4],
    min_separation: BigInt,
    /// Bits of the largest coordinate, which is the unit of reported distances.
    size: i64,
}

/// `ticks / 2^bits`.
#[derive(Clone)]
pub(crate) struct Time {
    ticks: BigInt,
    bits: u64,
}

impl From<f64> for Time {
    fn from(time: f64) -> Self {
        let (ticks, exponent) = decoded(time);
        Self { ticks: BigInt::from(ticks), bits: exponent.unsigned_abs().into() }
    }
}

impl Time {
    fn between(a: &Self, b: &Self) -> Self {
        let bits = a.bits.max(b.bits);
        Self { ticks: a.ticks_of(bits) + b.ticks_of(bits), bits: bits + 1 }
    }

    fn ticks_of(&self, bits: u64) -> BigInt {
        &self.ticks << (bits - self.bits)
    }
}

impl Oracle {
    pub(crate) fn new(
        kind: PairKind,
        from: &[Vec3; 4],
        to: &[Vec3; 4],
        min_separation: f64,
    ) -> Self {
        let numbers = from.iter().chain(to).flat_map(|x| x.to_array()).chain([min_separation]);
        let exponents = numbers.filter(|&x| x != 0.0).map(|x| decoded(x).1);
        let unit = exponents.min().unwrap_or(0);
        let integer = |x: f64| {
            let (mantissa, exponent) = decoded(x);
            if mantissa == 0 { BigInt::ZERO } else { BigInt::from(mantissa) << (exponent - unit) }
        };
        let points = |x: &[Vec3; 4]| x.map(|x| x.to_array().map(integer));
        let [start, end] = [points(from), points(to)];
        let bits = start.iter().chain(&end).flatten().map(BigInt::bits).max();
        Self {
            kind,
            motion: std::array::from_fn(|k| minus(&end[k], &start[k])),
            start,
            min_separation: integer(min_separation),
            size: bits.unwrap_or(0) as i64,
        }
    }

    /// Whether it is proved that the pieces stay farther apart than the minimum separation up to a
    /// time, this one included.
    pub(crate) fn stay_apart_until(&self, time: f64) -> bool {
        let (start, end) = (Time::from(0.0), Time::from(time));
        let apart = |time: &Time| self.directions(time).iter().any(|n| self.separates(n, time));
        if !apart(&start) || !apart(&end) {
            return false;
        }
        let mut open = vec![(start, end)];
        for _ in 0..PIECES {
            let Some((a, b)) = open.pop() else { return true };
            let middle = Time::between(&a, &b);
            let planes = self.directions(&middle);
            if !planes.iter().any(|n| self.separates(n, &middle)) {
                return false;
            }
            let proves = |n: &Point| self.separates(n, &a) && self.separates(n, &b);
            let proved_at = |time: &Time| self.directions(time).iter().any(proves);
            let rotates = || self.rotating_plane_separates(&a, &b);
            if !planes.iter().any(proves) && !proved_at(&a) && !proved_at(&b) && !rotates() {
                open.extend([(middle.clone(), b), (a, middle)]);
            }
        }
        false
    }

    /// The distance at a time less the minimum separation, over a power of two that is between one and
    /// two times the largest coordinate: rounded at the end only.
    pub(crate) fn gap(&self, time: f64) -> f64 {
        let time = Time::from(time);
        let shift = self.size + time.bits as i64;
        let gaps = self.directions(&time).into_iter().map(|n| {
            let bits = n.iter().map(BigInt::bits).max().unwrap_or(0) as i64;
            let length = n.iter().map(|c| rounded(c, bits).powi(2)).sum::<f64>().sqrt();
            rounded(&self.gap_along(&n, &time), shift + bits) / length
        });
        gaps.fold(0.0, f64::max) - rounded(&self.min_separation, self.size)
    }

    fn separates(&self, normal: &Point, time: &Time) -> bool {
        let gap = self.gap_along(normal, time);
        let least = &self.min_separation << time.bits;
        gap.sign() == Sign::Plus && &gap * &gap > &least * &least * dot(normal, normal)
    }

    /// Whether a plane separates the pieces whose normal is linear in time between the normals of the same features at
    /// both times.
    fn rotating_plane_separates(&self, a: &Time, b: &Time) -> bool {
        let bits = a.bits.max(b.bits);
        let [a, b] = [a, b].map(|time| Time { ticks: time.ticks_of(bits), bits });
        let (first, last) = (self.directions(&a), self.directions(&b));
        let least = &self.min_separation << bits;
        let separates = |(n, m): (&Point, &Point)| {
            let longest = dot(n, n).max(dot(m, m));
            let exceeds = |gap: &BigInt, factor: u32| {
                gap.sign() == Sign::Plus && gap * gap > &least * &least * &longest * factor
            };
            let (ahead, behind) = self.sides();
            ahead.iter().all(|&i| {
                behind.iter().all(|&j| {
                    let [from, to] =
                        [&a, &b].map(|time| minus(&self.place(i, time), &self.place(j, time)));
                    // Twice the middle coefficient.
                    let middle = dot(n, &to) + dot(m, &from);
                    exceeds(&dot(n, &from), 1) && exceeds(&middle, 4) && exceeds(&dot(m, &to), 1)
                })
            })
        };
        first.len() == last.len() && first.iter().zip(&last).any(separates)
    }

    /// The least gap along a direction, times its length and the ticks of the time.
    fn gap_along(&self, normal: &Point, time: &Time) -> BigInt {
        let (ahead, behind) = self.sides();
        let height = |k: &usize| dot(normal, &self.place(*k, time));
        let (lowest, highest) = (ahead.iter().map(height).min(), behind.iter().map(height).max());
        lowest.expect("a point") - highest.expect("a point")
    }

    /// The points of the piece to which normals point, and of the other.
    fn sides(&self) -> (&'static [usize], &'static [usize]) {
        match self.kind {
            PairKind::VertexFace => (&[0], &[1, 2, 3]),
            PairKind::EdgeEdge => (&[2, 3], &[0, 1]),
            PairKind::VertexEdge => (&[0], &[1, 2]),
            PairKind::VertexVertex => (&[0], &[1]),
        }
    }

    fn place(&self, k: usize, time: &Time) -> Point {
        std::array::from_fn(|c| (&self.start[k][c] << time.bits) + &self.motion[k][c] * &time.ticks)
    }

    /// The directions across all pairs of features, of which one has the distance for its gap.
    fn directions(&self, time: &Time) -> Vec<Point> {
        let x: [Point; 4] = std::array::from_fn(|k| self.place(k, time));
        let (first, second): (&[usize], &[usize]) = match self.kind {
            PairKind::VertexFace => (&[1, 2, 3], &[0]),
            PairKind::EdgeEdge => (&[0, 1], &[2, 3]),
            PairKind::VertexEdge => (&[1, 2], &[0]),
            PairKind::VertexVertex => (&[1], &[0]),
        };
        let edges = |piece: &[usize]| -> Vec<(usize, Point)> {
            let pairs = piece.iter().flat_map(|&i| piece.iter().map(move |&j| (i, j)));
            pairs.filter(|(i, j)| i < j).map(|(i, j)| (i, minus(&x[j], &x[i]))).collect()
        };
        let (edges_of_first, edges_of_second) = (edges(first), edges(second));
        let mut all = Vec::new();
        for &i in first {
            all.extend(second.iter().map(|&j| minus(&x[j], &x[i])));
        }
        for (i, edge) in &edges_of_first {
            all.extend(second.iter().map(|&j| across(&minus(&x[j], &x[*i]), edge)));
        }
        for (j, edge) in &edges_of_second {
            all.extend(first.iter().map(|&i| across(&minus(&x[*j], &x[i]), edge)));
        }
        let normal = match self.kind {
            PairKind::VertexFace => cross(&edges_of_first[0].1, &edges_of_first[1].1),
            PairKind::EdgeEdge => cross(&edges_of_first[0].1, &edges_of_second[0].1),
            PairKind::VertexEdge | PairKind::VertexVertex => [BigInt::ZERO; 3],
        };
        all.push(normal.clone().map(|c| -c));
        all.push(normal);
        all.retain(|n| n.iter().any(|c| *c != BigInt::ZERO));
        all
    }
}

/// Mantissa and exponent of a number.
fn decoded(x: f64) -> (i64, i32) {
    let biased = (x.to_bits() >> 52 & 0x7ff) as i32;
    let fraction = (x.to_bits() & ((1 << 52) - 1)) as i64;
    let mantissa = if biased == 0 { fraction } else { fraction | 1 << 52 };
    (if x < 0.0 { -mantissa } else { mantissa }, biased.max(1) - 1075)
}

/// An integer over `2^shift`.
fn rounded(x: &BigInt, shift: i64) -> f64 {
    let beyond = x.bits().saturating_sub(63);
    let leading = i64::try_from(x >> beyond).expect("63 bits and a sign");
    leading as f64 * 2f64.powi((beyond as i64 - shift) as i32)
}

fn minus(a: &Point, b: &Point) -> Point {
    std::array::from_fn(|k| &a[k] - &b[k])
}

fn dot(a: &Point, b: &Point) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn cross(a: &Point, b: &Point) -> Point {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| &a[i] * &b[j] - &a[j] * &b[i])
}

/// The part of a vector across an edge, times the square of the edge's length.
fn across(v: &Point, edge: &Point) -> Point {
    let (square, along) = (dot(edge, edge), dot(edge, v));
    std::array::from_fn(|k| &v[k] * &square - &edge[k] * &along)
}
