//! What a check found.

use serde::Serialize;

/// The outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every frame was read, and nothing crosses anything in any of them.
    Apart,
    /// Something crosses something, came to be on the other side of it, or was moved through it.
    Crossed,
    /// Nothing was found, but not every frame could be read.
    Incomplete,
}

/// Everything a check found. Lengths in metres, times in seconds.
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
    /// Pairs of triangles whose boxes overlap, and that were tested, in all frames.
    pub pairs: u64,
    /// Pairs of pieces of rods, and of pieces and triangles, whose boxes overlap, and that were tested, in
    /// all frames.
    pub rod_pairs: u64,
    /// Tests of a vertex against a plane, in all frames.
    pub plane_tests: u64,
    /// Closed pieces of surface, of which it is known what is inside.
    pub closed_pieces: u64,
    /// Pieces of surface with a rim, which have no inside.
    pub open_pieces: u64,
    /// Crossings in all frames.
    pub crossing_count: u64,
    /// The first of them.
    pub crossings: Vec<Crossing>,
    /// The largest depth of a crossing; 0 if there is none.
    pub deepest: f64,
    /// Pairs that meet no deeper than the rounding of the frames can put them, in all frames.
    pub touching: u64,
    /// Bodies that must have passed through others, though no frame shows them cross.
    pub passages: Vec<Passage>,
    /// Times between successive frames in which something moved as it is prescribed.
    pub intervals: u64,
    /// Poses of what is prescribed that were tested between frames.
    pub poses: u64,
    /// How often a kinematic body went through something between two frames.
    pub sweep_count: u64,
    /// The first of these.
    pub sweeps: Vec<Sweep>,
    /// What was not tested between frames, and why not.
    pub unchecked: Vec<Unchecked>,
    /// Frames that could not be tested.
    pub unreadable: Vec<Unreadable>,
    /// Files of frames that the index does not name, and that were not read.
    pub unnamed_files: u64,
}

/// Two things that cross in a frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crossing {
    /// Number of the frame, from zero.
    pub frame: u64,
    /// Its time.
    pub time: f64,
    /// Names of the two bodies or obstacles; the same twice where one crosses itself.
    pub names: [String; 2],
    /// What of them.
    pub parts: [Part; 2],
    /// A point of what they have in common.
    pub place: [f64; 3],
    /// Length of the shortest translation that parts the two triangles, how far the vertex is behind the
    /// plane, or by how much rods are nearer than they are thick.
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

/// Two pieces of surface that lie to each other as they could not without having crossed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Passage {
    /// Number of the first frame that shows it, from zero.
    pub frame: u64,
    /// Its time.
    pub time: f64,
    /// What passed.
    pub name: String,
    /// Through the surface of what.
    pub through: String,
    /// What is otherwise than at the start.
    pub change: Change,
}

/// How it shows that something passed through something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It is inside, and was not.
    Entered,
    /// It was inside, and is not.
    Left,
    /// They are linked otherwise, as rings that came apart.
    Relinked,
}

/// Something with a prescribed motion that went through something between two frames.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sweep {
    /// Number of the frame after it, from zero.
    pub frame: u64,
    /// When it was deepest.
    pub time: f64,
    /// What was moved, and what it went through.
    pub names: [String; 2],
    /// A point of what two triangles have in common.
    pub place: [f64; 3],
    /// Length of the shortest translation that parts them.
    pub depth: f64,
    /// The depth up to which it would not have been reported.
    pub allowed: f64,
}

/// Something that was not tested between frames.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unchecked {
    /// Its name.
    pub name: String,
    /// Why not.
    pub reason: Reason,
    /// Between how many pairs of successive frames.
    pub intervals: u64,
}

/// Why something was not tested between frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// The frames are farther apart than a step: a kinematic body may have pushed something away that
    /// has come back.
    Rare,
    /// It moves so fast that there would be too many poses.
    Fast,
    /// The frames do not show it where the motion takes it.
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
