//! Tests kinematic bodies between two frames.
//!
//! The prescribed poses are sampled so densely that no point of a kinematic body moves by more than `d_hat`
//! between two samples; arc and chord then differ only to second order. At each pose the triangles of the body
//! are tested against those of all others at the positions from `paths`. An intersection deeper than rounding,
//! play and the permitted deviation from an arc is a defect: by the argument of `depth`, any position within
//! the play would also intersect.

use crate::boxes::{Bounds, overlapping};
use crate::depth::parting;
use crate::frame::{Setting, around, exact};
use crate::kinematic::{Kinematic, Map};
use crate::paths::{Path, Script, TimedFrame, roundings};
use crate::report::Reason;
use crate::surface::Face;
use crate::triangles::{Shared, Triangle, meet, place};
use glam::DVec3 as Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of poses of a kinematic body between two frames.
const MAX_POSES: f64 = 4096.0;
/// Number of poses per search for pairs.
const POSES_PER_SEARCH: usize = 16;
/// Permitted deviation of a run from an arc, relative to `d_hat`. The steps of a run replace arcs by chords that
/// deviate by at most this.
const ARC_TOLERANCE: f64 = 0.25;

/// The deepest intersection of a pair between two frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Swept {
    /// Time (s).
    pub(crate) time: f64,
    /// Position (m).
    pub(crate) place: Vec3,
    /// Length of the shortest translation that separates the two triangles (m).
    pub(crate) depth: f64,
    /// Largest depth that is not a defect (m).
    pub(crate) allowed: f64,
}

/// Findings between two frames.
#[derive(Debug, Default)]
pub(crate) struct Between {
    /// Whether a kinematic body moved.
    pub(crate) moved: bool,
    /// Number of tested poses.
    pub(crate) poses: u64,
    /// The deepest intersection of each pair, a kinematic body first.
    pub(crate) swept: BTreeMap<[u32; 2], Swept>,
    /// Colliders that could not be tested.
    pub(crate) unchecked: BTreeSet<(u32, Reason)>,
}

impl Between {
    /// Adds an intersection. Two kinematic bodies are found twice, once in each order, and merged into one pair.
    fn add(&mut self, [kinematic, other]: [u32; 2], swept: Swept) {
        match self.swept.get_mut(&[other, kinematic]) {
            Some(known) => *known = deeper(*known, swept),
            None => drop(self.swept.insert([kinematic, other], swept)),
        }
    }
}

/// Tests the poses of kinematic bodies between two frames, whose points include those of obstacles.
pub(crate) fn check(setting: &Setting, script: &Script, moments: [&TimedFrame; 2]) -> Between {
    let mut between = Between::default();
    let times = moments.map(|moment| moment.time);
    for kinematic in &script.kinematic {
        let speed = max_speed(setting, kinematic, moments);
        let path = speed * (times[1] - times[0]);
        between.moved |= path > 0.0;
        // The body moves so little that no poses between the frames are needed.
        if path <= script.d_hat {
            continue;
        }
        let interval_count = (path / script.d_hat).ceil();
        let poses =
            Poses { setting, script, moments, interval_count: interval_count as usize, path };
        let maps = if !script.is_near(times) {
            Err(Reason::Rare)
        } else if interval_count.is_nan() || interval_count > MAX_POSES {
            Err(Reason::Fast)
        } else {
            poses.maps(kinematic)
        };
        match maps {
            Ok(maps) => poses.sweep(kinematic, &maps, &mut between),
            Err(reason) => drop(between.unchecked.insert((kinematic.collider, reason))),
        }
    }
    between
}

/// Upper bound of the speed (m/s) of all points of a kinematic body between two frames.
fn max_speed(setting: &Setting, kinematic: &Kinematic, [a, b]: [&TimedFrame; 2]) -> f64 {
    let faces = setting.surfaces.faces_of(kinematic.collider).iter();
    let positions = faces.flat_map(|face| face.points).map(|p| exact(a.grid.points[p as usize]));
    kinematic.max_speed(positions, [a.time, b.time])
}

/// The poses of a kinematic body between two frames.
struct Poses<'a> {
    setting: &'a Setting,
    script: &'a Script,
    moments: [&'a TimedFrame; 2],
    /// Number of intervals between the frames.
    interval_count: usize,
    /// Upper bound of the path length of the points of the body (m).
    path: f64,
}

impl Poses<'_> {
    /// Time (s) of a pose.
    fn time(&self, pose: usize) -> f64 {
        let [from, to] = self.moments.map(|moment| moment.time);
        from + (to - from) * pose as f64 / self.interval_count as f64
    }

    /// Maps of a kinematic body to all poses; an error if they do not reproduce its position in the second
    /// frame.
    fn maps(&self, kinematic: &Kinematic) -> Result<Vec<Map>, Reason> {
        let [a, b] = self.moments;
        let maps = kinematic.maps(a.time, (0..=self.interval_count).map(|pose| self.time(pose)));
        let last = maps[self.interval_count];
        let points =
            self.setting.surfaces.faces_of(kinematic.collider).iter().flat_map(|f| f.points);
        let deviations = points.map(|point| {
            let [from, to] = [a, b].map(|moment| exact(moment.grid.points[point as usize]));
            last.apply(from).distance(to)
        });
        match deviations.fold(0.0, f64::max) <= self.arc_tolerance() {
            true => Ok(maps),
            false => Err(Reason::Astray),
        }
    }

    /// Permitted deviation (m) of a run from an arc.
    fn arc_tolerance(&self) -> f64 {
        ARC_TOLERANCE * self.script.d_hat
    }

    /// Tests all poses of a kinematic body between the frames, given by `maps`, against the other colliders. Adds the
    /// deepest overlap with each, or the reason why it cannot be tested.
    fn sweep(&self, kinematic: &Kinematic, maps: &[Map], between: &mut Between) {
        between.poses += self.interval_count as u64 - 1;
        let starts: Vec<usize> = (1..self.interval_count).step_by(POSES_PER_SEARCH).collect();
        let kinematic_faces = self.setting.surfaces.faces_of(kinematic.collider);
        let bounds_of_search = |start: &usize| {
            join(
                kinematic_faces.iter().map(|face| self.swept_box(face, &maps[self.middle(*start)])),
            )
        };
        let swept_bounds: Vec<Bounds> = starts.iter().map(bounds_of_search).collect();
        for other in self.others(kinematic.collider) {
            let faces = self.setting.surfaces.faces_of(other);
            let boxes = self.path_boxes(faces, other);
            let bounds = join(boxes.iter().copied());
            let nearby_starts =
                starts.iter().zip(&swept_bounds).filter(|(_, swept)| swept.overlaps(&bounds));
            let nearby_starts: Vec<usize> = nearby_starts.map(|(start, _)| *start).collect();
            if nearby_starts.is_empty() {
                continue;
            }
            let path = self.path_of_collider(other);
            if let Path::Unknown(reason) = path {
                between.unchecked.insert((other, reason));
                continue;
            }
            let pair = Pair { poses: self, maps, kinematic_faces, path: &path, faces };
            let deepest = nearby_starts.into_iter().filter_map(|start| pair.deepest(start, &boxes));
            if let Some(swept) = deepest.reduce(deeper) {
                between.add([kinematic.collider, other], swept);
            }
        }
    }

    /// Middle pose of the search that begins at `start`.
    fn middle(&self, start: usize) -> usize {
        (start + POSES_PER_SEARCH / 2).min(self.interval_count)
    }

    /// All colliders that must not intersect `collider`, in order.
    fn others(&self, collider: u32) -> impl Iterator<Item = u32> {
        let pieces = &self.setting.surfaces.pieces;
        let colliders: BTreeSet<u32> = pieces.iter().map(|piece| piece.collider).collect();
        let is_checked =
            move |other: &u32| *other != collider && self.setting.colliders.apart(collider, *other);
        colliders.into_iter().filter(is_checked)
    }

    /// The path of a collider between the frames.
    fn path_of_collider(&self, collider: u32) -> Path {
        match self.script.kinematic.iter().find(|kinematic| kinematic.collider == collider) {
            Some(kinematic) => self.maps(kinematic).map_or_else(Path::Unknown, Path::Kinematic),
            None => self.script.free(self.setting, self.moments, collider),
        }
    }

    /// Bounding box of a triangle of a kinematic body over all poses of one search.
    fn swept_box(&self, face: &Face, map: &Map) -> Bounds {
        // The farthest pose is half of the search's intervals from the middle one.
        let half_search = (POSES_PER_SEARCH / 2) as f64 / self.interval_count as f64;
        let margin = self.path * half_search + self.script.d_hat;
        let corners = self.corners(face).map(|corner| map.apply(corner).to_array());
        Bounds::around(&corners.map(|corner| corner.map(|x| x as f32))).wider(margin as f32)
    }

    /// Bounding boxes of the paths of a collider's triangles between the frames.
    fn path_boxes(&self, faces: &[Face], collider: u32) -> Vec<Bounds> {
        let times = self.moments.map(|moment| moment.time);
        let kinematic =
            self.script.kinematic.iter().find(|kinematic| kinematic.collider == collider);
        let speed =
            kinematic.map_or(0.0, |kinematic| max_speed(self.setting, kinematic, self.moments));
        let margin = (speed * (times[1] - times[0])) as f32;
        let path = |face| {
            let [a, b] = self.moments.map(|moment| around(&moment.grid.points, face));
            a.join(&b).wider(margin)
        };
        faces.iter().map(path).collect()
    }

    /// Corners of a triangle in the first frame.
    fn corners(&self, face: &Face) -> Triangle {
        face.points.map(|point| exact(self.moments[0].grid.points[point as usize]))
    }
}

/// Bounding box of all boxes.
fn join(mut boxes: impl Iterator<Item = Bounds>) -> Bounds {
    let first = boxes.next().unwrap_or_else(|| Bounds::around([]));
    boxes.fold(first, |bounds, other| bounds.join(&other))
}

/// The deeper of two intersections.
fn deeper(a: Swept, b: Swept) -> Swept {
    if b.depth > a.depth { b } else { a }
}

/// A kinematic body and a collider that it must not intersect.
struct Pair<'a> {
    poses: &'a Poses<'a>,
    /// Maps of the kinematic body to all poses.
    maps: &'a [Map],
    kinematic_faces: &'a [Face],
    /// Path of the other collider.
    path: &'a Path,
    /// Triangles of the other collider.
    faces: &'a [Face],
}

impl Pair<'_> {
    /// Deepest intersection over the poses of the search that begins at `start`.
    fn deepest(&self, start: usize, others: &[Bounds]) -> Option<Swept> {
        let end = (start + POSES_PER_SEARCH).min(self.poses.interval_count);
        let map = &self.maps[self.poses.middle(start)];
        let mut boxes: Vec<Bounds> =
            self.kinematic_faces.iter().map(|face| self.poses.swept_box(face, map)).collect();
        let bounds = join(boxes.iter().copied());
        let nearby_faces = (0..self.faces.len()).filter(|&face| others[face].overlaps(&bounds));
        let nearby_faces: Vec<usize> = nearby_faces.collect();
        let count = boxes.len();
        boxes.extend(nearby_faces.iter().map(|&face| others[face]));
        let mut pairs = Vec::new();
        overlapping(&boxes, &mut |i, j| {
            let (i, j) = (i.min(j), i.max(j));
            if i < count && count <= j {
                pairs.push([i, nearby_faces[j - count]]);
            }
        });
        pairs.sort_unstable();
        let candidates = (start..end)
            .flat_map(|pose| pairs.iter().filter_map(move |&pair| self.test(pose, pair)));
        candidates.reduce(deeper)
    }

    /// Tests two triangles at one pose between the frames.
    fn test(&self, pose: usize, [face, other]: [usize; 2]) -> Option<Swept> {
        let (face, other) = (&self.kinematic_faces[face], &self.faces[other]);
        let a = self.poses.corners(face).map(|corner| self.maps[pose].apply(corner));
        let b = self.other_triangle(pose, other);
        if !meet(&a, &b, Shared::Nothing) {
            return None;
        }
        let depth = parting(&a, &b).length();
        let allowed = self.allowed([face, other]);
        let time = self.poses.time(pose);
        (depth > allowed).then(|| Swept { time, place: place(&a, &b), depth, allowed })
    }

    /// The corners of the other triangle at one pose between the frames.
    fn other_triangle(&self, pose: usize, face: &Face) -> Triangle {
        let from = self.poses.corners(face);
        if let Path::Kinematic(maps) = self.path {
            return from.map(|corner| maps[pose].apply(corner));
        }
        let fraction = pose as f64 / self.poses.interval_count as f64;
        let to = face.points.map(|point| exact(self.poses.moments[1].grid.points[point as usize]));
        [0, 1, 2].map(|k| from[k] + (to[k] - from[k]) * fraction)
    }

    /// Permitted depth (m) of two triangles at a pose between frames: rounding of the frames and deviations of the
    /// path.
    fn allowed(&self, faces: [&Face; 2]) -> f64 {
        let frame_corners = |face: &Face, moment: &TimedFrame| {
            face.points.map(|point| moment.grid.points[point as usize])
        };
        let rounded = faces
            .map(|face| roundings(self.poses.moments.map(|moment| frame_corners(face, moment))));
        let path_deviation = match self.path {
            Path::Straight(path_deviation) => *path_deviation,
            Path::Kinematic(_) | Path::Unknown(_) => self.poses.arc_tolerance(),
        };
        rounded.iter().sum::<f64>() + self.poses.arc_tolerance() + path_deviation
    }
}
