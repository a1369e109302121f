//! Report of a check.

use serde::Serialize;

/// The outcome of a check.
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
    /// The outcome.
    pub verdict: Verdict,
    /// Frames that were tested.
    pub frames: u64,
    /// Triangles on the surfaces of bodies and obstacles, in each frame.
    pub triangles: u64,
    /// Straight pieces of rods, in each frame.
    pub rod_pieces: u64,
    /// Tested pairs of triangles (with overlapping boxes) in all frames.
    pub pairs: u64,
    /// Tested pairs of rod segments, and of rod segments and triangles, in all frames.
    pub rod_pairs: u64,
    /// Tests of a vertex against a plane, in all frames.
    pub plane_tests: u64,
    /// Closed components, for which containment is tested.
    pub closed_pieces: u64,
    /// Components with a boundary, which have no inside.
    pub open_pieces: u64,
    /// Crossings in all frames.
    pub crossing_count: u64,
    /// The first of them.
    pub crossings: Vec<Crossing>,
    /// The largest depth of a crossing; 0 if there is none.
    pub deepest: f64,
    /// Pairs that intersect no deeper than rounding can explain, in all frames.
    pub touching: u64,
    /// Bodies that must have passed through others, though no frame shows them cross.
    pub passages: Vec<Passage>,
    /// Intervals between successive frames with prescribed motion.
    pub intervals: u64,
    /// Poses of kinematic bodies tested between frames.
    pub poses: u64,
    /// Number of intersections of kinematic bodies between frames.
    pub sweep_count: u64,
    /// The first of these.
    pub sweeps: Vec<Sweep>,
    /// Colliders not tested between frames, with the reason.
    pub unchecked: Vec<Unchecked>,
    /// Frames that could not be tested.
    pub unreadable: Vec<Unreadable>,
    /// Frame files that the index does not name and that were not read.
    pub unnamed_files: u64,
}

/// A crossing in a frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crossing {
    /// Number of the frame, from zero.
    pub frame: u64,
    /// Its time.
    pub time: f64,
    /// Names of the two bodies or obstacles; the same twice where one crosses itself.
    pub names: [String; 2],
    /// The crossing primitives.
    pub parts: [Part; 2],
    /// A point of the intersection.
    pub place: [f64; 3],
    /// Length of the shortest translation that separates the two triangles, depth of the vertex behind the
    /// plane, or overlap of rods.
    pub depth: f64,
}

/// A triangle, a piece of a rod, a vertex or a plane, by numbers as they are in its file (`ParaView` shows them).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Cell that the triangle or the piece is, or belongs to; none of a vertex and of a plane.
    pub cell: Option<u32>,
    /// Its points; none of a plane.
    pub points: Vec<u32>,
}

/// A change of containment or linking that is impossible without a crossing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Passage {
    /// Number of the first frame that shows it, from zero.
    pub frame: u64,
    /// Its time.
    pub time: f64,
    /// The body that passed.
    pub name: String,
    /// The body whose surface it passed through.
    pub through: String,
    /// The change relative to the start.
    pub change: Change,
}

/// Kinds of impossible change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It is inside now and was outside.
    Entered,
    /// It is outside now and was inside.
    Left,
    /// Their linking has changed, as of rings that came apart.
    Relinked,
}

/// An intersection of a kinematic body between two frames.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sweep {
    /// Number of the frame after it, from zero.
    pub frame: u64,
    /// When it was deepest.
    pub time: f64,
    /// The kinematic body, and the body that it went through.
    pub names: [String; 2],
    /// A point of the intersection.
    pub place: [f64; 3],
    /// Length of the shortest translation that parts them.
    pub depth: f64,
    /// The depth up to which it would not have been reported.
    pub allowed: f64,
}

/// A collider that was not tested between frames.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unchecked {
    /// Its name.
    pub name: String,
    /// Why not.
    pub reason: Reason,
    /// Number of pairs of successive frames.
    pub intervals: u64,
}

/// Why a collider was not tested between frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// The frames are farther apart than a step: a kinematic body may have pushed something away that
    /// has come back.
    Rare,
    /// Its motion needs too many poses.
    Fast,
    /// Its position in the frames differs from the prescribed one.
    Astray,
    /// It is held, attached, jointed or under forces, which may have brought it back.
    Tied,
    /// Each of its points is moved by a file, which is not read: frames alone show where it is.
    Deforming,
    /// A kinematic body came near it, and its path between the frames is not known to be straight.
    Bent,
}

/// A frame that could not be tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unreadable {
    /// Its file.
    pub file: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Report {
    /// The report as JSON, with the names of its fields as keys.
    pub fn to_json(&self) -> String {
        // Only maps with keys that are no text, and floats that are none, cannot be written.
        serde_json::to_string_pretty(self).expect("a report has nothing that JSON has not")
    }
}
