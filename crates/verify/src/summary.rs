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

    /// Adds the next frame.
    pub(crate) fn add(&mut self, number: u64, frame: &Frame, tested: Result<Tested, FrameError>) {
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
        let room = MAX_KEPT_CROSSINGS - self.report.crossings.len();
        for overlap in findings.crossings.iter().take(room) {
            let crossing = self.crossing(number, frame.time, overlap);
            self.report.crossings.push(crossing);
        }
        self.add_passages(number, frame.time, &findings);
        self.add_between(number, &between);
        self.first.get_or_insert(findings);
    }

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

    fn add_passages(&mut self, number: u64, time: f64, now: &Findings) {
        let Some(first) = &self.first else { return };
        let sided = now.inside.symmetric_difference(&first.inside).map(|pair| {
            (*pair, if now.inside.contains(pair) { Change::Entered } else { Change::Left })
        });
        let linked = now.links.keys().chain(first.links.keys());
        let relinked = linked.filter(|pair| now.links.get(pair) != first.links.get(pair));
        let changes = sided.chain(relinked.map(|pair| (*pair, Change::Relinked)));
        for ((a, b), change) in changes {
            let pair = (a.min(b), a.max(b));
            // Containment and linking are undefined for intersecting surfaces.
            let meet = now.meeting.contains(&pair) || first.meeting.contains(&pair);
            if meet || !self.passed.insert(pair) {
                continue;
            }
            let [name, through] = [a, b].map(|piece| {
                let collider = self.setting.surfaces.pieces[piece as usize].collider;
                self.setting.colliders.name(collider).to_owned()
            });
            self.report.passages.push(Passage { frame: number, time, name, through, change });
        }
    }

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
        for what in &between.unchecked {
            *self.unchecked.entry(*what).or_default() += 1;
        }
    }

    /// Describes a crossing by the names and element numbers of both parts.
    fn crossing(&self, frame: u64, time: f64, overlap: &Overlap) -> Crossing {
        let Setting { colliders: names, surfaces, planes, .. } = self.setting;
        let (colliders, parts) = match overlap.parts {
            Parts::Triangles(numbers) => {
                let faces = numbers.map(|number| &surfaces.faces[number]);
                (faces.map(|face| face.collider), faces.map(|face| self.triangle(face)))
            }
            Parts::Pieces(numbers) => {
                let pieces = numbers.map(|number| &self.setting.pieces[number]);
                (pieces.map(|piece| piece.collider), pieces.map(rod_piece))
            }
            Parts::PieceAndTriangle { piece, face } => {
                let (piece, face) = (&self.setting.pieces[piece], &surfaces.faces[face]);
                ([piece.collider, face.collider], [rod_piece(piece), self.triangle(face)])
            }
            Parts::Plane { point, body, plane } => {
                let vertex = Part { cell: None, points: vec![point] };
                let nothing = Part { cell: None, points: Vec::new() };
                ([body, planes[plane].collider], [vertex, nothing])
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

    /// A triangle by the numbers in its own file.
    fn triangle(&self, face: &Face) -> Part {
        let local = |point: u32| if point < self.points { point } else { point - self.points };
        Part { cell: Some(face.cell), points: face.points.map(local).to_vec() }
    }
}

/// Points of rods are points of frames.
fn rod_piece(piece: &RodPiece) -> Part {
    Part { cell: Some(piece.cell), points: piece.points.to_vec() }
}
