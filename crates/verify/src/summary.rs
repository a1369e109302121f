//! Accumulation of the findings of all frames in order.

use crate::between::Between;
use crate::frame::{Findings, MAX_KEPT_CROSSINGS, Overlap, Parts, Setting};
use crate::index::Frame;
use crate::report::{
    Change, Crossing, Part, Passage, Reason, Report, Sweep, Unchecked, Unreadable, Verdict,
};
use crate::rods::RodPiece;
use crate::surface::Face;
use crate::{FrameError, Tested, Verifier};
use std::collections::{BTreeMap, BTreeSet};

/// The report of the frames so far.
pub(crate) struct Summary<'a> {
    setting: &'a Setting,
    /// Number of points of a frame, without those of obstacles.
    points: u32,
    report: Report,
    /// Findings of the first readable frame, the reference for later ones.
    first: Option<Findings>,
    /// Pairs of components whose passage is already reported.
    passed: BTreeSet<(u32, u32)>,
    /// Number of intervals in which a collider was not tested.
    unchecked: BTreeMap<(u32, Reason), u64>,
}

impl<'a> Summary<'a> {
    /// A summary without frames.
    pub(crate) fn new(verifier: &'a Verifier) -> Self {
        let setting = &verifier.setting;
        let closed = setting.surfaces.pieces.iter().filter(|piece| piece.closed).count();
        let report = Report {
            verdict: Verdict::Incomplete,
            frames: 0,
            triangles: setting.surfaces.faces.len() as u64,
            rod_pieces: setting.pieces.len() as u64,
            pairs: 0,
            rod_pairs: 0,
            plane_tests: 0,
            closed_pieces: closed as u64,
            open_pieces: (setting.surfaces.pieces.len() - closed) as u64,
            crossing_count: 0,
            crossings: Vec::new(),
            deepest: 0.0,
            touching: 0,
            passages: Vec::new(),
            intervals: 0,
            poses: 0,
            sweep_count: 0,
            sweeps: Vec::new(),
            unchecked: Vec::new(),
            unreadable: Vec::new(),
            unnamed_files: verifier.index.unnamed as u64,
        };
        let points = verifier.points as u32;
        let (passed, unchecked) = (BTreeSet::new(), BTreeMap::new());
        Self { setting, points, report, first: None, passed, unchecked }
    }

    /// Adds the next frame with the results of its tests, or the reason why it cannot be read.
    pub(crate) fn add(
        &mut self,
        frame_index: u64,
        frame: &Frame,
        tested: Result<Tested, FrameError>,
    ) {
        let Tested { findings, between } = match tested {
            Ok(tested) => tested,
            Err(error) => {
                let (file, reason) = (frame.file.clone(), error.to_string());
                return self.report.unreadable.push(Unreadable { file, reason });
            }
        };
        self.report.frames += 1;
        self.report.pairs += findings.pairs;
        self.report.rod_pairs += findings.rod_pairs;
        self.report.plane_tests += findings.plane_tests;
        self.report.crossing_count += findings.crossing_count;
        self.report.deepest = self.report.deepest.max(findings.deepest);
        self.report.touching += findings.touching;
        let remaining_count = MAX_KEPT_CROSSINGS - self.report.crossings.len();
        for overlap in findings.crossings.iter().take(remaining_count) {
            let crossing = self.crossing(frame_index, frame.time, overlap);
            self.report.crossings.push(crossing);
        }
        self.add_passages(frame_index, frame.time, &findings);
        self.add_between(frame_index, &between);
        self.first.get_or_insert(findings);
    }

    /// The report with its verdict.
    pub(crate) fn report(mut self) -> Report {
        let name = |collider| self.setting.colliders.name(collider).to_owned();
        let unchecked = self.unchecked.iter().map(|(&(collider, reason), &intervals)| Unchecked {
            name: name(collider),
            reason,
            intervals,
        });
        self.report.unchecked = unchecked.collect();
        let Report { crossing_count, sweep_count, .. } = self.report;
        let has_findings = crossing_count + sweep_count > 0 || !self.report.passages.is_empty();
        self.report.verdict = match (has_findings, self.report.unreadable.is_empty()) {
            (true, _) => Verdict::Crossed,
            (false, true) => Verdict::Apart,
            (false, false) => Verdict::Incomplete,
        };
        self.report
    }

    /// Adds changes of containment and linking relative to the first readable frame.
    fn add_passages(&mut self, frame_index: u64, time: f64, current: &Findings) {
        let Some(first) = &self.first else { return };
        let containment = current.inside.symmetric_difference(&first.inside).map(|pair| {
            (*pair, if current.inside.contains(pair) { Change::Entered } else { Change::Left })
        });
        let linked = current.links.keys().chain(first.links.keys());
        let relinked = linked.filter(|pair| current.links.get(pair) != first.links.get(pair));
        let changes = containment.chain(relinked.map(|pair| (*pair, Change::Relinked)));
        for ((a, b), change) in changes {
            let pair = (a.min(b), a.max(b));
            // Containment and linking are undefined for intersecting surfaces.
            let intersects = current.meeting.contains(&pair) || first.meeting.contains(&pair);
            if intersects || !self.passed.insert(pair) {
                continue;
            }
            let [name, through] = [a, b].map(|piece| {
                let collider = self.setting.surfaces.pieces[piece as usize].collider;
                self.setting.colliders.name(collider).to_owned()
            });
            self.report.passages.push(Passage { frame: frame_index, time, name, through, change });
        }
    }

    /// Adds the findings between a frame and the previous one.
    fn add_between(&mut self, frame: u64, between: &Between) {
        self.report.intervals += u64::from(between.moved);
        self.report.poses += between.poses;
        self.report.sweep_count += between.swept.len() as u64;
        let room = MAX_KEPT_CROSSINGS - self.report.sweeps.len();
        for (colliders, swept) in between.swept.iter().take(room) {
            self.report.sweeps.push(Sweep {
                frame,
                time: swept.time,
                names: colliders.map(|collider| self.setting.colliders.name(collider).to_owned()),
                place: swept.place.to_array(),
                depth: swept.depth,
                allowed: swept.allowed,
            });
        }
        for unchecked in &between.unchecked {
            *self.unchecked.entry(*unchecked).or_default() += 1;
        }
    }

    /// Describes a crossing by the names and element indices of both parts.
    fn crossing(&self, frame: u64, time: f64, overlap: &Overlap) -> Crossing {
        let Setting { colliders: names, surfaces, planes, .. } = self.setting;
        let (colliders, parts) = match overlap.parts {
            Parts::Triangles(indices) => {
                let faces = indices.map(|index| &surfaces.faces[index]);
                (faces.map(|face| face.collider), faces.map(|face| self.triangle(face)))
            }
            Parts::Pieces(indices) => {
                let pieces = indices.map(|index| &self.setting.pieces[index]);
                (pieces.map(|piece| piece.collider), pieces.map(rod_piece))
            }
            Parts::PieceAndTriangle { piece, face } => {
                let (piece, face) = (&self.setting.pieces[piece], &surfaces.faces[face]);
                ([piece.collider, face.collider], [rod_piece(piece), self.triangle(face)])
            }
            Parts::Plane { point, body, plane } => {
                let vertex = Part { cell: None, points: vec![point] };
                let plane_part = Part { cell: None, points: Vec::new() };
                ([body, planes[plane].collider], [vertex, plane_part])
            }
        };
        Crossing {
            frame,
            time,
            names: colliders.map(|collider| names.name(collider).to_owned()),
            parts,
            place: overlap.place.to_array(),
            depth: overlap.depth,
        }
    }

    /// A triangle, by its cell and point indices in its own file.
    fn triangle(&self, face: &Face) -> Part {
        let local = |point: u32| if point < self.points { point } else { point - self.points };
        Part { cell: Some(face.cell), points: face.points.map(local).to_vec() }
    }
}

/// A rod segment, by its cell and point indices, which are those of the frame.
fn rod_piece(piece: &RodPiece) -> Part {
    Part { cell: Some(piece.cell), points: piece.points.to_vec() }
}
