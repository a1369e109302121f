//! Signed sums over the triangles, sides and corners near a vertex; see [`facets`](crate::geometry::facets).
//!
//! Most terms of a sum have the closest point of another term, with the opposite sign: over a flat region all but the
//! term of the nearest triangle cancel. Terms with the same closest feature are therefore added before evaluation. What
//! remains are pairs of the vertex with a triangle, an edge or a vertex, whose area is multiplied by the sum of their
//! coefficients. Negative sums occur in concave regions only.

use crate::geometry::distance::{Closest, Feature, PairKind};
use crate::geometry::facets::{Coefficients, SIDES};
use crate::geometry::point::{self, Point};
use crate::search::candidates::{Candidate, Candidates};
use rayon::prelude::*;
use resile_math::Vec3;
use std::borrow::Cow;

/// Positions of the points of the colliders and of the obstacles (m).
#[derive(Clone, Copy)]
pub(crate) struct PointPositions<'a> {
    pub(crate) moving: &'a [Vec3],
    pub(crate) fixed: &'a [Vec3],
}

/// Terms of a sum by closest feature.
#[derive(Default)]
struct FeatureTerms {
    /// Points of the closest feature, ascending, the last one repeated; kind; sum of coefficients; index of the pair.
    terms: Vec<([Point; 3], PairKind, i32, usize)>,
}

impl FeatureTerms {
    /// Adds a coefficient to the term of this feature.
    fn add(&mut self, points: [Point; 3], kind: PairKind, coefficient: i32, pair: usize) {
        let existing = self.terms.iter_mut().find(|term| term.0 == points && term.1 == kind);
        match existing {
            Some((.., sum, _)) => *sum += coefficient,
            None => self.terms.push((points, kind, coefficient, pair)),
        }
    }

    /// Adds a coefficient to the term of an edge.
    fn add_edge(&mut self, [p, q]: [Point; 2], coefficient: i32, pair: usize) {
        let (low, high) = (p.min(q), p.max(q));
        self.add([low, high, high], PairKind::VertexEdge, coefficient, pair);
    }

    /// Adds a coefficient to the term of a vertex.
    fn add_vertex(&mut self, p: Point, coefficient: i32, pair: usize) {
        self.add([p; 3], PairKind::VertexVertex, coefficient, pair);
    }
}

impl Candidates {
    /// `pairs` of these candidates with the terms of each signed sum replaced by its sum at `x`: pairs of features
    /// nearer than `d_hat`. Other pairs remain. O(n).
    pub(crate) fn summed<'a>(
        &self,
        pairs: &'a [Candidate],
        x: PointPositions<'_>,
        d_hat: f64,
    ) -> Cow<'a, [Candidate]> {
        if pairs.iter().all(|c| c.coefficients.is_none()) {
            return Cow::Borrowed(pairs);
        }
        let sum_chunk = |chunk: &[Candidate]| {
            let (mut out, mut terms) = (Vec::with_capacity(chunk.len()), FeatureTerms::default());
            for group in chunk.chunk_by(is_same_sum) {
                if group[0].coefficients.is_some() {
                    let min_separation = self.min_separation(&group[0]);
                    add_sum(
                        group,
                        x,
                        [min_separation, d_hat + min_separation],
                        &mut terms,
                        &mut out,
                    );
                } else {
                    out.extend_from_slice(group);
                }
            }
            out
        };
        let mut chunks = Vec::with_capacity(1 + pairs.len() / PAIRS_PER_CHUNK);
        let mut remaining = pairs;
        while !remaining.is_empty() {
            let chunk_end = (PAIRS_PER_CHUNK..remaining.len())
                .find(|&k| !is_same_sum(&remaining[k - 1], &remaining[k]));
            let (chunk, tail) = remaining.split_at(chunk_end.unwrap_or(remaining.len()));
            chunks.push(chunk);
            remaining = tail;
        }
        match chunks[..] {
            [chunk] => sum_chunk(chunk).into(),
            _ => chunks.par_iter().flat_map_iter(|chunk| sum_chunk(chunk)).collect(),
        }
    }
}

/// Least number of pairs that are summed by one thread.
const PAIRS_PER_CHUNK: usize = 512;

/// Whether consecutive pairs belong to one sum.
fn is_same_sum(a: &Candidate, b: &Candidate) -> bool {
    let key = |c: &Candidate| (c.kind, c.pair, c.points[0]);
    a.coefficients.is_some() && b.coefficients.is_some() && key(a) == key(b)
}

/// Adds the sum of a vertex over triangles of one collider to `out`. A triangle at most `range[0]` (m) away replaces
/// the sum: its energy is infinite. Triangles at least `range[1]` (m) away have none.
fn add_sum(
    group: &[Candidate],
    x: PointPositions<'_>,
    range: [f64; 2],
    terms: &mut FeatureTerms,
    out: &mut Vec<Candidate>,
) {
    let [touching2, active2] = range.map(|distance| distance * distance);
    terms.terms.clear();
    for (k, c) in group.iter().enumerate() {
        let positions = point::positions(c.points, x.moving, x.fixed);
        let closest = Closest::vertex_face(&positions);
        let distance2 = closest.distance2();
        if distance2 >= active2 {
            continue;
        }
        if distance2 <= touching2 {
            out.push(*c);
            continue;
        }
        let corner = |k: u8| c.points[usize::from(k)];
        match closest.feature {
            Feature::Plane(..) => {
                let [_, p, q, r] = c.points;
                terms.add([p, q, r], PairKind::VertexFace, 1, k);
            }
            Feature::PointLine(edge) => terms.add_edge(edge.map(corner), 1, k),
            Feature::Points => {
                let nearest = (1..4).find(|&k| closest.weights[k] != 0.0).unwrap_or(1);
                terms.add_vertex(c.points[nearest], 1, k);
            }
        }
        add_boundary(c, &positions, active2, k, terms);
    }
    let nonzero = terms.terms.iter().filter(|(.., coefficient, _)| *coefficient != 0);
    out.extend(nonzero.map(|&([p, q, r], kind, coefficient, k)| Candidate {
        points: [group[k].points[0], p, q, r],
        kind,
        area: group[k].area * f64::from(coefficient),
        ..group[k]
    }));
}

/// Adds the sides and corners of a triangle to the terms.
fn add_boundary(
    c: &Candidate,
    positions: &[Vec3; 4],
    active2: f64,
    k: usize,
    terms: &mut FeatureTerms,
) {
    let Some(Coefficients { sides, corners }) = c.coefficients else { return };
    for (coefficient, [p, q]) in sides.into_iter().zip(SIDES) {
        if coefficient == 0 {
            continue;
        }
        let to_side = [positions[0], positions[1 + p], positions[1 + q], positions[1 + q]];
        let closest = Closest::new(PairKind::VertexEdge, &to_side);
        if closest.distance2() >= active2 {
            continue;
        }
        let coefficient = i32::from(coefficient);
        match closest.feature {
            Feature::Points if closest.weights[1] != 0.0 => {
                terms.add_vertex(c.points[1 + p], coefficient, k);
            }
            Feature::Points => terms.add_vertex(c.points[1 + q], coefficient, k),
            _ => terms.add_edge([c.points[1 + p], c.points[1 + q]], coefficient, k),
        }
    }
    for (corner, coefficient) in (1..4).zip(corners) {
        if coefficient != 0 && positions[0].distance_squared(positions[corner]) < active2 {
            terms.add_vertex(c.points[corner], i32::from(coefficient), k);
        }
    }
}
