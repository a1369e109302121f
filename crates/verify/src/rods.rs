//! Tests of rods.
//!
//! The distance of the axes of two rods must be at least the sum of their radii, and that of a rod's axis
//! and a surface at least its radius. Neighbouring segments of one rod are exempt: their arc-length distance
//! is less than half a circle around the contact distance, times a factor for stretch.

use crate::boxes::{Bounds, overlapping};
use crate::depth::half_spacing;
use crate::distance::{segment_distance, segment_triangle_distance};
use crate::frame::{Findings, Overlap, Parts, Setting, around, corners, exact};
use crate::grid::{Cells, LINE};
use glam::DVec3 as Vec3;
use std::f64::consts::FRAC_PI_2;

/// Largest stretch of a rod for which the definition of neighbours holds.
const MAX_STRETCH: f64 = 1.2;

/// A segment of a rod.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RodPiece {
    pub(crate) collider: u32,
    /// Index of its cell in the file.
    pub(crate) cell: u32,
    /// Point indices of the ends.
    pub(crate) points: [u32; 2],
    /// Index of the first segment of its curve.
    curve: u32,
    /// The interval of arc length of the segment (m).
    arc_interval: [f64; 2],
    /// Length of a closed curve (m); infinite for an open one.
    closed_length: f64,
}

impl RodPiece {
    /// Arc length between two segments of a curve (m).
    fn arc_distance(&self, other: &Self) -> f64 {
        if self.curve != other.curve {
            return f64::INFINITY;
        }
        let pairs =
            self.arc_interval.iter().flat_map(|s| other.arc_interval.map(|t| (s - t).abs()));
        pairs
            .map(|distance| distance.min(self.closed_length - distance))
            .fold(f64::INFINITY, f64::min)
    }
}

/// The segments of all rods, in order along their curves, with arc lengths (m) at the positions `points` (m). `halves`
/// are the half thicknesses (m) of bodies, positive for rods. A curve is closed if its last segment ends at its first
/// point.
pub(crate) fn pieces(cells: &Cells, points: &[[f32; 3]], halves: &[f64]) -> Vec<RodPiece> {
    let is_rod = |body: u32| halves.get(body as usize).is_some_and(|&half| half > 0.0);
    let mut pieces: Vec<RodPiece> = Vec::new();
    let mut first_of_curve = 0;
    for (cell, entry) in (0..).zip(cells.iter()) {
        let (LINE, &[a, b]) = (entry.kind, entry.nodes) else { continue };
        if !is_rod(entry.body) {
            continue;
        }
        let length = exact(points[a as usize]).distance(exact(points[b as usize]));
        let previous =
            pieces.last().filter(|last| last.collider == entry.body && last.points[1] == a);
        let (curve, arc_start) = match previous {
            Some(last) => (last.curve, last.arc_interval[1]),
            None => {
                first_of_curve = pieces.len();
                (first_of_curve as u32, 0.0)
            }
        };
        pieces.push(RodPiece {
            collider: entry.body,
            cell,
            points: [a, b],
            curve,
            arc_interval: [arc_start, arc_start + length],
            closed_length: f64::INFINITY,
        });
        let curve_pieces = &mut pieces[first_of_curve..];
        if curve_pieces[0].points[0] == b && curve_pieces.len() > 1 {
            let closed_length = arc_start + length;
            curve_pieces.iter_mut().for_each(|piece| piece.closed_length = closed_length);
        }
    }
    pieces
}

/// Adds all overlaps of two rod segments, and of a rod segment and a triangle, to `findings`, and the number of pairs
/// that were tested.
pub(crate) fn check(setting: &Setting, points: &[[f32; 3]], findings: &mut Findings) {
    let (pieces, faces) = (&setting.pieces, &setting.surfaces.faces);
    if pieces.is_empty() {
        return;
    }
    let half = |collider: u32| setting.half(collider);
    let piece_bounds = |piece: &RodPiece| {
        let ends = piece.points.iter().map(|&point| &points[point as usize]);
        Bounds::around(ends).wider((half(piece.collider) as f32).next_up())
    };
    let boxes: Vec<Bounds> = pieces
        .iter()
        .map(piece_bounds)
        .chain(faces.iter().map(|face| around(points, face)))
        .collect();
    let mut candidates = Vec::new();
    overlapping(&boxes, &mut |i, j| {
        let (i, j) = (i.min(j), i.max(j));
        if i >= pieces.len() {
            return;
        }
        let other_collider = match j.checked_sub(pieces.len()) {
            None => pieces[j].collider,
            Some(face) => faces[face].collider,
        };
        if setting.colliders.apart(pieces[i].collider, other_collider) {
            candidates.push([i, j]);
        }
    });
    candidates.sort_unstable();
    for [i, j] in candidates {
        let overlap = match j.checked_sub(pieces.len()) {
            None => pair_overlap(setting, [i, j], points),
            Some(face) => face_overlap(setting, [i, face], points),
        };
        if let Some((overlap, precision)) = overlap {
            findings.rod_pairs += 1;
            if overlap.depth > 0.0 {
                findings.add(overlap, precision);
            }
        }
    }
}

/// The overlap of two segments and its precision (m); `None` for neighbours.
fn pair_overlap(
    setting: &Setting,
    pair: [usize; 2],
    points: &[[f32; 3]],
) -> Option<(Overlap, f64)> {
    let [a, b] = pair.map(|k| &setting.pieces[k]);
    let radii = setting.half(a.collider) + setting.half(b.collider);
    let shared = a.points.iter().any(|point| b.points.contains(point));
    let touching = radii + setting.d_hat;
    if shared || a.arc_distance(b) < MAX_STRETCH * FRAC_PI_2 * touching {
        return None;
    }
    let ends = |piece: &RodPiece| piece.points.map(|point| exact(points[point as usize]));
    let (distance, place) = segment_distance(ends(a), ends(b));
    let parts = Parts::Pieces(pair);
    let precision = rounding(points, &a.points) + rounding(points, &b.points);
    Some((Overlap { parts, place, depth: radii - distance }, precision))
}

/// The overlap of a segment and a triangle and its precision (m).
fn face_overlap(
    setting: &Setting,
    [piece, face]: [usize; 2],
    points: &[[f32; 3]],
) -> Option<(Overlap, f64)> {
    let (rod_piece, triangle) = (&setting.pieces[piece], &setting.surfaces.faces[face]);
    let ends = rod_piece.points.map(|point| exact(points[point as usize]));
    let (distance, place) = segment_triangle_distance(ends, corners(points, triangle.points));
    let parts = Parts::PieceAndTriangle { piece, face };
    let precision = rounding(points, &rod_piece.points) + rounding(points, &triangle.points);
    Some((Overlap { parts, place, depth: setting.half(rod_piece.collider) - distance }, precision))
}

/// Largest displacement of any of these points by rounding to single precision (m).
fn rounding(points: &[[f32; 3]], indices: &[u32]) -> f64 {
    let displacement =
        |&index: &u32| Vec3::from_array(points[index as usize].map(half_spacing)).length();
    indices.iter().map(displacement).fold(0.0, f64::max)
}
