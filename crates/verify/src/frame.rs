//! All tests of one frame.

use crate::boxes::{Bounds, overlapping};
use crate::depth::{half_spacing, parting, rounding};
use crate::inside::is_inside;
use crate::links::{far_apart, linking_number};
use crate::rods::{self, RodPiece};
use crate::rules::Colliders;
use crate::surface::{Face, Surfaces};
use crate::triangles::{Triangle, align, meet, place};
use glam::DVec3 as Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of crossings of a frame that are kept; all are counted.
pub(crate) const MAX_KEPT_CROSSINGS: usize = 10;

/// A plane of the scene.
#[derive(Debug)]
pub(crate) struct Plane {
    pub(crate) collider: u32,
    pub(crate) point: Vec3,
    /// Unit normal, towards the bodies.
    pub(crate) normal: Vec3,
}

/// Data shared by all frames.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) colliders: Colliders,
    pub(crate) surfaces: Surfaces,
    /// Segments of rods.
    pub(crate) pieces: Vec<RodPiece>,
    /// Radius of each body around its lines (m); zero except for rods.
    pub(crate) halves: Vec<f64>,
    /// Activation distance of contact (m).
    pub(crate) d_hat: f64,
    pub(crate) planes: Vec<Plane>,
    /// Points of the obstacles; they follow those of a frame.
    pub(crate) obstacle_points: Vec<[f32; 3]>,
    /// Points on surfaces of bodies and on rods, with the numbers of their bodies.
    pub(crate) corners: Vec<(u32, u32)>,
}

/// The two crossing primitives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Parts {
    /// Two triangles, by index in the surfaces.
    Triangles([usize; 2]),
    /// Two rod segments.
    Pieces([usize; 2]),
    /// A rod segment and a triangle.
    PieceAndTriangle { piece: usize, face: usize },
    /// A point of a body, and the number of a plane.
    Plane { point: u32, body: u32, plane: usize },
}

/// An intersection of two primitives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Overlap {
    pub(crate) parts: Parts,
    /// Position (m).
    pub(crate) place: Vec3,
    /// Length of the shortest translation that separates the primitives (m).
    pub(crate) depth: f64,
}

/// Findings in one frame.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Tested pairs of triangles (with overlapping boxes).
    pub(crate) pairs: u64,
    /// Tested pairs of rod segments, and of rod segments and triangles.
    pub(crate) rod_pairs: u64,
    /// Tests of a point against a plane.
    pub(crate) plane_tests: u64,
    /// The first crossings.
    pub(crate) crossings: Vec<Overlap>,
    /// Number of all crossings.
    pub(crate) crossing_count: u64,
    /// Largest depth of a crossing (m).
    pub(crate) deepest: f64,
    /// Intersecting pairs within the depth of rounding.
    pub(crate) touching: u64,
    /// Components that cross or touch, the smaller index first.
    pub(crate) meeting: BTreeSet<(u32, u32)>,
    /// Components inside others: `(inner, outer)`.
    pub(crate) inside: BTreeSet<(u32, u32)>,
    /// Linked components, the smaller index first, with the linking numbers of all their cycles.
    pub(crate) links: BTreeMap<(u32, u32), Vec<i64>>,
}

impl Setting {
    /// Radius of a body around its lines (m).
    pub(crate) fn half(&self, collider: u32) -> f64 {
        self.halves.get(collider as usize).copied().unwrap_or(0.0)
    }
}

impl Findings {
    /// Counts an overlap: as touching up to the depth `precision` (m), otherwise as a crossing.
    pub(crate) fn add(&mut self, overlap: Overlap, precision: f64) {
        if overlap.depth <= precision {
            self.touching += 1;
            return;
        }
        self.crossing_count += 1;
        self.deepest = self.deepest.max(overlap.depth);
        if self.crossings.len() < MAX_KEPT_CROSSINGS {
            self.crossings.push(overlap);
        }
    }
}

/// Tests a frame at `points`, which include those of obstacles.
pub(crate) fn check(setting: &Setting, points: &[[f32; 3]]) -> Findings {
    let mut findings = Findings::default();
    check_triangles(setting, points, &mut findings);
    rods::check(setting, points, &mut findings);
    check_planes(setting, points, &mut findings);
    check_nesting_and_links(setting, points, &mut findings);
    findings
}

/// The corners (m) of the triangle of these point indices.
pub(crate) fn corners(points: &[[f32; 3]], indices: [u32; 3]) -> Triangle {
    indices.map(|index| exact(points[index as usize]))
}

/// Converts exactly to double precision.
pub(crate) fn exact(point: [f32; 3]) -> Vec3 {
    Vec3::from_array(point.map(f64::from))
}

/// Bounding box of a triangle.
pub(crate) fn around(points: &[[f32; 3]], face: &Face) -> Bounds {
    Bounds::around(face.points.iter().map(|&index| &points[index as usize]))
}

/// Adds all pairs of triangles that intersect to `findings`, with their depths, and the number of pairs that were
/// tested.
fn check_triangles(setting: &Setting, points: &[[f32; 3]], findings: &mut Findings) {
    let Surfaces { faces, .. } = &setting.surfaces;
    let boxes: Vec<Bounds> = faces.iter().map(|face| around(points, face)).collect();
    let mut intersecting_pairs = Vec::new();
    overlapping(&boxes, &mut |i, j| {
        if !setting.colliders.apart(faces[i].collider, faces[j].collider) {
            return;
        }
        findings.pairs += 1;
        let (a, b, shared) = align(faces[i].points, faces[j].points);
        if meet(&corners(points, a), &corners(points, b), shared) {
            intersecting_pairs.push([i.min(j), i.max(j)]);
        }
    });
    intersecting_pairs.sort_unstable();
    for [i, j] in intersecting_pairs {
        let corner_indices = [i, j].map(|face| faces[face].points);
        let precision: f64 = corner_indices
            .map(|corners| rounding(corners.map(|index| points[index as usize])))
            .iter()
            .sum();
        let [a, b] = corner_indices.map(|indices| corners(points, indices));
        let depth = parting(&a, &b).length();
        let overlap = Overlap { parts: Parts::Triangles([i, j]), place: place(&a, &b), depth };
        findings.add(overlap, precision);
        findings.meeting.insert((faces[i].piece, faces[j].piece));
    }
}

/// Finds all points of bodies that are behind a plane.
fn check_planes(setting: &Setting, points: &[[f32; 3]], findings: &mut Findings) {
    for (index, plane) in setting.planes.iter().enumerate() {
        for &(point, body) in &setting.corners {
            if !setting.colliders.apart(body, plane.collider) {
                continue;
            }
            findings.plane_tests += 1;
            let rounded = points[point as usize];
            let place = exact(rounded);
            let height = plane.normal.dot(place - plane.point) - setting.half(body);
            if height > 0.0 {
                continue;
            }
            let displacement = Vec3::from_array(rounded.map(half_spacing)).dot(plane.normal.abs());
            // Rounding error of the height.
            let rounding =
                4.0 * f64::EPSILON * (place.abs() + plane.point.abs()).dot(plane.normal.abs());
            let parts = Parts::Plane { point, body, plane: index };
            findings.add(Overlap { parts, place, depth: -height }, displacement + rounding);
        }
    }
}

/// Adds the pairs of components of which one is inside the other, and those that are linked, to `findings`. The results
/// are meaningless for components that cross or touch.
fn check_nesting_and_links(setting: &Setting, points: &[[f32; 3]], findings: &mut Findings) {
    let Surfaces { faces, pieces } = &setting.surfaces;
    let component_bounds = |faces: &[Face]| {
        Bounds::around(faces.iter().flat_map(|f| f.points).map(|n| &points[n as usize]))
    };
    let boxes: Vec<Bounds> =
        pieces.iter().map(|piece| component_bounds(&faces[piece.faces.clone()])).collect();
    let first_point = |piece: usize| faces[pieces[piece].faces.start].points[0] as usize;
    overlapping(&boxes, &mut |i, j| {
        let (a, b) = (i.min(j), i.max(j));
        if !setting.colliders.apart(pieces[a].collider, pieces[b].collider) {
            return;
        }
        for (inner, outer) in [(a, b), (b, a)] {
            let point = &points[first_point(inner)];
            let may_contain = pieces[outer].closed && boxes[outer].contains(point);
            if may_contain && is_within(setting, points, *point, outer) {
                findings.inside.insert((inner as u32, outer as u32));
            }
        }
        let numbers = linking_numbers([&pieces[a].paths, &pieces[b].paths], points);
        if numbers.iter().any(|&number| number != 0) {
            findings.links.insert((a as u32, b as u32), numbers);
        }
    });
}

/// Whether a point is inside the closed component `outer`.
fn is_within(setting: &Setting, points: &[[f32; 3]], point: [f32; 3], outer: usize) -> bool {
    let Surfaces { faces, pieces } = &setting.surfaces;
    let surface = faces[pieces[outer].faces.clone()].iter();
    is_inside(exact(point), surface.map(|face| corners(points, face.points)))
}

/// The linking numbers of all pairs of cycles of two components.
fn linking_numbers([a, b]: [&[Vec<u32>]; 2], points: &[[f32; 3]]) -> Vec<i64> {
    let positions = |path: &[u32]| -> Vec<Vec3> {
        path.iter().map(|&point| exact(points[point as usize])).collect()
    };
    let pair_number = |a: &[u32], b: &[u32]| match far_apart(points, [a, b]) {
        true => 0,
        false => linking_number(&positions(a), &positions(b)),
    };
    a.iter().flat_map(|p| b.iter().map(move |q| pair_number(p, q))).collect()
}
