//! Report of a check.

use serde::Serialize;

/// Outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every frame was read, and there are no intersections.
    Apart,
    /// A crossing, a passage or a sweep was found.
    Crossed,
    /// No defect was found, but some frames could not be read.
    Incomplete,
}

/// All findings of a check. Lengths in metres, times in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Outcome.
    pub verdict: Verdict,
    /// Number of tested frames.
    pub frames: u64,
    /// Number of triangles on the surfaces of bodies and obstacles, in each frame.
    pub triangles: u64,
    /// Number of rod segments in each frame.
    pub rod_pieces: u64,
    /// Tested pairs of triangles (with overlapping boxes), in all frames.
    pub pairs: u64,
    /// Tested pairs of rod segments, and of rod segments and triangles, in all frames.
    pub rod_pairs: u64,
    /// Tests of a vertex against a plane, in all frames.
    pub plane_tests: u64,
    /// Closed components, for which containment is tested.
    pub closed_pieces: u64,
    /// Components with a boundary, which have no inside.
    pub open_pieces: u64,
    /// Number of crossings in all frames.
    pub crossing_count: u64,
    /// The first crossings.
    pub crossings: Vec<Crossing>,
    /// Largest depth of a crossing; 0 if there is none.
    pub deepest: f64,
    /// Pairs that intersect no deeper than rounding can explain, in all frames.
    pub touching: u64,
    /// Bodies that must have passed through others, although no frame shows a crossing.
    pub passages: Vec<Passage>,
    /// Number of intervals between successive frames with prescribed motion.
    pub intervals: u64,
    /// Number of poses of kinematic bodies tested between frames.
    pub poses: u64,
    /// Number of intersections of kinematic bodies between frames.
    pub sweep_count: u64,
    /// The first of these intersections.
    pub sweeps: Vec<Sweep>,
    /// Colliders not tested between frames, with the reason.
    pub unchecked: Vec<Unchecked>,
    /// Frames that could not be tested.
    pub unreadable: Vec<Unreadable>,
    /// Number of frame files that the index does not list; they were not read.
    pub unnamed_files: u64,
}

/// A crossing in a frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crossing {
    /// Number of the frame, from zero.
    pub frame: u64,
    /// Time of the frame.
    pub time: f64,
    /// Names of the two bodies or obstacles; equal for a self-intersection.
    pub names: [String; 2],
    /// The crossing primitives.
    pub parts: [Part; 2],
    /// A point of the intersection.
    pub place: [f64; 3],
    /// Length of the shortest translation that separates the two triangles, depth of the vertex behind the
    /// plane, or overlap of rods.
    pub depth: f64,
}

/// A triangle, rod segment, vertex or plane, by its numbers in its file (`ParaView` shows them).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Cell that is, or contains, the triangle or segment; `None` for a vertex and a plane.
    pub cell: Option<u32>,
    /// Indices of its points; empty for a plane.
    pub points: Vec<u32>,
}

/// A change of containment or linking that is impossible without a crossing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Passage {
    /// Number of the first frame that shows the change, from zero.
    pub frame: u64,
    /// Time of that frame.
    pub time: f64,
    /// Name of the body that passed.
    pub name: String,
    /// Name of the body whose surface it passed through.
    pub through: String,
    /// Change relative to the start.
    pub change: Change,
}

/// Kinds of impossible changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// The body is now inside and was outside.
    Entered,
    /// The body is now outside and was inside.
    Left,
    /// The linking number has changed, as of rings that came apart.
    Relinked,
}

/// An intersection of a kinematic body between two frames.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sweep {
    /// Number of the frame after the intersection, from zero.
    pub frame: u64,
    /// Time of the largest depth.
    pub time: f64,
    /// Names of the kinematic body and of the body that it intersected.
    pub names: [String; 2],
    /// A point of the intersection.
    pub place: [f64; 3],
    /// Length of the shortest translation that separates the triangles.
    pub depth: f64,
    /// Largest depth that would not be reported.
    pub allowed: f64,
}

/// A collider that was not tested between frames.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unchecked {
    /// Name of the collider.
    pub name: String,
    /// Reason.
    pub reason: Reason,
    /// Number of pairs of successive frames.
    pub intervals: u64,
}

/// Reasons why a collider was not tested between frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// The frames are farther apart than a step: a body pushed away by a kinematic one may have returned
    /// unnoticed.
    Rare,
    /// Its motion requires too many poses.
    Fast,
    /// Its position in the frames differs from the prescribed one.
    Astray,
    /// The body is held, attached, jointed or under forces, which may have returned it.
    Tied,
    /// Each of its points is moved by a file, which is not read: only frames show its position.
    Deforming,
    /// A kinematic body came near it, and its path between the frames may not be straight.
    Bent,
}

/// A frame that could not be tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unreadable {
    /// Name of the frame's file.
    pub file: String,
    /// Error of reading it.
    pub reason: String,
}

impl Report {
    /// Serialises the report as JSON, with its field names as keys.
    pub fn to_json(&self) -> String {
        // Serialisation fails only for maps with non-string keys, which the report does not have.
        serde_json::to_string_pretty(self).expect("a report has nothing that JSON has not")
    }
}
