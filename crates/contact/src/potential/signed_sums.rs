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

/// Range of distances in which a pair is active.
#[derive(Clone, Copy)]
struct ActiveRange {
    /// Squared minimum separation (m^2).
    min_separation2: f64,
    /// Squared distance (m^2) below which the pair is active.
    activation_distance2: f64,
}

/// Term of a sum: a feature of the surface, paired with the vertex of the sum.
struct FeatureTerm {
    /// Points of the feature. Those of an edge or a vertex are ascending, with the last one repeated.
    points: [Point; 3],
    /// Kind of the pair of the vertex and the feature.
    kind: PairKind,
    /// Sum of the coefficients of all triangles with this feature.
    coefficient: i32,
    /// Index in the group of the candidate that contributed the feature first.
    candidate: usize,
}

/// Terms of a sum, one per feature.
#[derive(Default)]
struct FeatureTerms {
    terms: Vec<FeatureTerm>,
}

impl FeatureTerms {
    /// Adds the coefficient of a candidate to the term of a feature.
    fn add(&mut self, points: [Point; 3], kind: PairKind, coefficient: i32, candidate: usize) {
        match self.terms.iter_mut().find(|term| term.points == points && term.kind == kind) {
            Some(term) => term.coefficient += coefficient,
            None => self.terms.push(FeatureTerm { points, kind, coefficient, candidate }),
        }
    }

    /// Adds the coefficient of a candidate to the term of an edge.
    fn add_edge(&mut self, [p, q]: [Point; 2], coefficient: i32, candidate: usize) {
        let (low, high) = (p.min(q), p.max(q));
        self.add([low, high, high], PairKind::VertexEdge, coefficient, candidate);
    }

    /// Adds the coefficient of a candidate to the term of a vertex.
    fn add_vertex(&mut self, p: Point, coefficient: i32, candidate: usize) {
        self.add([p; 3], PairKind::VertexVertex, coefficient, candidate);
    }
}

impl Candidates {
    /// `pairs` of these candidates, with the terms of each signed sum replaced at the positions `x` by one pair per
    /// feature with a gap below `d_hat` (m) and a nonzero coefficient. Other pairs remain unchanged. O(n).
    pub(crate) fn summed<'a>(
        &self,
        pairs: &'a [Candidate],
        x: PointPositions<'_>,
        d_hat: f64,
    ) -> Cow<'a, [Candidate]> {
        if pairs.iter().all(|c| c.coefficients.is_none()) {
            return Cow::Borrowed(pairs);
        }
        let sum_chunk = |chunk: &[Candidate]| self.sum_chunk(chunk, x, d_hat);
        match chunks_of_whole_sums(pairs)[..] {
            [chunk] => sum_chunk(chunk).into(),
            ref chunks => {
                let sums: Vec<_> = chunks.par_iter().map(|chunk| sum_chunk(chunk)).collect();
                sums.concat().into()
            }
        }
    }

    /// [`summed`](Self::summed) for pairs that contain all terms of their sums.
    fn sum_chunk(&self, pairs: &[Candidate], x: PointPositions<'_>, d_hat: f64) -> Vec<Candidate> {
        let (mut out, mut terms) = (Vec::with_capacity(pairs.len()), FeatureTerms::default());
        for group in pairs.chunk_by(is_same_sum) {
            if group[0].coefficients.is_none() {
                out.extend_from_slice(group);
                continue;
            }
            let min_separation = self.min_separation(&group[0]);
            let [min_separation2, activation_distance2] =
                [min_separation, d_hat + min_separation].map(|distance| distance * distance);
            let range = ActiveRange { min_separation2, activation_distance2 };
            add_sum(group, x, range, &mut terms, &mut out);
        }
        out
    }
}

/// Chunks of at least [`PAIRS_PER_CHUNK`] consecutive pairs, except for the last one, that split no sum.
fn chunks_of_whole_sums(pairs: &[Candidate]) -> Vec<&[Candidate]> {
    let mut chunks = Vec::with_capacity(1 + pairs.len() / PAIRS_PER_CHUNK);
    let mut remaining = pairs;
    while !remaining.is_empty() {
        let chunk_end = (PAIRS_PER_CHUNK..remaining.len())
            .find(|&k| !is_same_sum(&remaining[k - 1], &remaining[k]));
        let (chunk, tail) = remaining.split_at(chunk_end.unwrap_or(remaining.len()));
        chunks.push(chunk);
        remaining = tail;
    }
    chunks
}

/// Minimum number of pairs summed by one thread at a time.
const PAIRS_PER_CHUNK: usize = 512;

/// Whether consecutive pairs belong to one sum.
fn is_same_sum(a: &Candidate, b: &Candidate) -> bool {
    let key = |c: &Candidate| (c.kind, c.pair, c.points[0]);
    a.coefficients.is_some() && b.coefficients.is_some() && key(a) == key(b)
}

/// Adds the sum of a vertex over the triangles of one collider, paired with it in `group`, to `out`. `terms` is scratch
/// memory. A triangle that the vertex touches is added itself, since its energy is infinite.
fn add_sum(
    group: &[Candidate],
    x: PointPositions<'_>,
    range: ActiveRange,
    terms: &mut FeatureTerms,
    out: &mut Vec<Candidate>,
) {
    terms.terms.clear();
    for (index, candidate) in group.iter().enumerate() {
        let positions = point::positions(candidate.points, x.moving, x.fixed);
        let closest = Closest::vertex_face(&positions);
        let distance2 = closest.distance2();
        if distance2 >= range.activation_distance2 {
            continue;
        }
        if distance2 <= range.min_separation2 {
            out.push(*candidate);
            continue;
        }
        add_triangle(candidate, index, &closest, terms);
        add_boundary(candidate, index, &positions, range.activation_distance2, terms);
    }
    let nonzero = terms.terms.iter().filter(|term| term.coefficient != 0);
    out.extend(nonzero.map(|term| {
        let first = &group[term.candidate];
        let [p, q, r] = term.points;
        Candidate {
            points: [first.points[0], p, q, r],
            kind: term.kind,
            area: first.area * f64::from(term.coefficient),
            ..*first
        }
    }));
}

/// Adds one to the coefficient of the feature of the triangle of a candidate that contains the `closest` point. `index` is
/// that of the candidate in its group.
fn add_triangle(candidate: &Candidate, index: usize, closest: &Closest, terms: &mut FeatureTerms) {
    let corner = |k: u8| candidate.points[usize::from(k)];
    match closest.feature {
        Feature::Plane(..) => {
            let [_, p, q, r] = candidate.points;
            terms.add([p, q, r], PairKind::VertexFace, 1, index);
        }
        Feature::PointLine(edge) => terms.add_edge(edge.map(corner), 1, index),
        Feature::Points => {
            let nearest = (1..4).find(|&k| closest.weights[k] != 0.0).unwrap_or(1);
            terms.add_vertex(candidate.points[nearest], 1, index);
        }
    }
}

/// Adds the coefficients of the sides and corners of the triangle of a candidate to the terms of the features that contain
/// their closest points, if these are nearer to the vertex than the activation distance. `index` is that of the candidate
/// in its group, and `positions` are those of its points (m).
fn add_boundary(
    candidate: &Candidate,
    index: usize,
    positions: &[Vec3; 4],
    activation_distance2: f64,
    terms: &mut FeatureTerms,
) {
    let Some(Coefficients { sides, corners }) = candidate.coefficients else { return };
    let points = candidate.points;
    for (coefficient, [p, q]) in sides.into_iter().zip(SIDES) {
        if coefficient == 0 {
            continue;
        }
        let vertex_and_side = [positions[0], positions[1 + p], positions[1 + q], positions[1 + q]];
        let closest = Closest::new(PairKind::VertexEdge, &vertex_and_side);
        if closest.distance2() >= activation_distance2 {
            continue;
        }
        let coefficient = i32::from(coefficient);
        match closest.feature {
            Feature::Points if closest.weights[1] != 0.0 => {
                terms.add_vertex(points[1 + p], coefficient, index);
            }
            Feature::Points => terms.add_vertex(points[1 + q], coefficient, index),
            _ => terms.add_edge([points[1 + p], points[1 + q]], coefficient, index),
        }
    }
    for (corner, coefficient) in (1..4).zip(corners) {
        let distance2 = positions[0].distance_squared(positions[corner]);
        if coefficient != 0 && distance2 < activation_distance2 {
            terms.add_vertex(points[corner], i32::from(coefficient), index);
        }
    }
}
