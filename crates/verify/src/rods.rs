//! Tests of rods.
//!
//! The distance of the axes of two rods must be at least the sum of their radii, and that of a rod's axis
//! and a surface at least its radius. Neighbouring segments of one rod are exempt: their arc-length distance
//! is less than half a circle around the contact distance, times a factor for stretch.

use crate::boxes::{Bounds, overlapping};
use crate::depth::half_spacing;
use crate::distance::{of_segment_and_triangle, of_segments};
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
    pub(crate) points: [u32; 2],
    curve: u32,
    /// Its interval of arc length (m).
    along: [f64; 2],
    /// Length of a closed curve (m); infinite for an open one.
    around: f64,
}

impl RodPiece {
    /// Arc length between two segments of a curve (m).
    fn between(&self, other: &Self) -> f64 {
        if self.curve != other.curve {
            return f64::INFINITY;
        }
        let pairs = self.along.iter().flat_map(|s| other.along.map(|t| (s - t).abs()));
        pairs.map(|way| way.min(self.around - way)).fold(f64::INFINITY, f64::min)
    }
}

/// The segments of all rods, in order along their curves, with arc lengths at the positions `points`. `halves` are the
/// half thicknesses (m) of bodies, positive for rods.
pub(crate) fn pieces(cells: &Cells, points: &[[f32; 3]], halves: &[f64]) -> Vec<RodPiece> {
    let is_rod = |body: u32| halves.get(body as usize).is_some_and(|&half| half > 0.0);
    let mut pieces: Vec<RodPiece> = Vec::new();
    let mut start = 0;
    for (cell, entry) in (0..).zip(cells.iter()) {
        let (LINE, &[a, b]) = (entry.kind, entry.nodes) else { continue };
        if !is_rod(entry.body) {
            continue;
        }
        let length = exact(points[a as usize]).distance(exact(points[b as usize]));
        let follows =
            pieces.last().filter(|last| last.collider == entry.body && last.points[1] == a);
        let (curve, from) = match follows {
            Some(last) => (last.curve, last.along[1]),
            None => {
                start = pieces.len();
                (start as u32, 0.0)
            }
        };
        pieces.push(RodPiece {
            collider: entry.body,
            cell,
            points: [a, b],
            curve,
            along: [from, from + length],
            around: f64::INFINITY,
        });
        if pieces[start].points[0] == b && pieces.len() > start + 1 {
            let around = pieces[pieces.len() - 1].along[1];
            pieces[start..].iter_mut().for_each(|piece| piece.around = around);
        }
    }
    pieces
}

/// Tests all pairs of segments, and of segments and triangles.
pub(crate) fn check(setting: &Setting, points: &[[f32; 3]], findings: &mut Findings) {
    let (pieces, faces) = (&setting.pieces, &setting.surfaces.faces);
    if pieces.is_empty() {
        return;
    }
    let half = |collider: u32| setting.half(collider);
    let of_piece = |piece: &RodPiece| {
        let ends = piece.points.iter().map(|&point| &points[point as usize]);
        Bounds::around(ends).wider((half(piece.collider) as f32).next_up())
    };
    let boxes: Vec<Bounds> =
        pieces.iter().map(of_piece).chain(faces.iter().map(|face| around(points, face))).collect();
    let mut near = Vec::new();
    overlapping(&boxes, &mut |i, j| {
        let (i, j) = (i.min(j), i.max(j));
        if i >= pieces.len() {
            return;
        }
        let other = match j.checked_sub(pieces.len()) {
            None => pieces[j].collider,
            Some(face) => faces[face].collider,
        };
        if setting.colliders.apart(pieces[i].collider, other) {
            near.push([i, j]);
        }
    });
    near.sort_unstable();
    for [i, j] in near {
        let overlap = match j.checked_sub(pieces.len()) {
            None => pair(setting, [i, j], points),
            Some(face) => with_face(setting, [i, face], points),
        };
        if let Some((overlap, precision)) = overlap {
            findings.rod_pairs += 1;
            if overlap.depth > 0.0 {
                findings.add(overlap, precision);
            }
        }
    }
}

/// Two segments with their overlap; `None` for neighbours.
fn pair(setting: &Setting, pair: [usize; 2], points: &[[f32; 3]]) -> Option<(Overlap, f64)> {
    let [a, b] = pair.map(|k| &setting.pieces[k]);
    let radii = setting.half(a.collider) + setting.half(b.collider);
    let shared = a.points.iter().any(|point| b.points.contains(point));
    let touching = radii + setting.d_hat;
    if shared || a.between(b) < MAX_STRETCH * FRAC_PI_2 * touching {
        return None;
    }
    let ends = |piece: &RodPiece| piece.points.map(|point| exact(points[point as usize]));
    let (distance, place) = of_segments(ends(a), ends(b));
    let parts = Parts::Pieces(pair);
    let precision = rounding(points, &a.points) + rounding(points, &b.points);
    Some((Overlap { parts, place, depth: radii - distance }, precision))
}

/// A segment and a triangle with their overlap.
fn with_face(
    setting: &Setting,
    [piece, face]: [usize; 2],
    points: &[[f32; 3]],
) -> Option<(Overlap, f64)> {
    let (rod_piece, triangle) = (&setting.pieces[piece], &setting.surfaces.faces[face]);
    let ends = rod_piece.points.map(|point| exact(points[point as usize]));
    let (distance, place) = of_segment_and_triangle(ends, corners(points, triangle.points));
    let parts = Parts::PieceAndTriangle { piece, face };
    let precision = rounding(points, &rod_piece.points) + rounding(points, &triangle.points);
    Some((Overlap { parts, place, depth: setting.half(rod_piece.collider) - distance }, precision))
}

/// Largest displacement of any of these points by rounding to single precision (m).
fn rounding(points: &[[f32; 3]], numbers: &[u32]) -> f64 {
    let moved =
        |&number: &u32| Vec3::from_array(points[number as usize].map(half_spacing)).length();
    numbers.iter().map(moved).fold(0.0, f64::max)
}
