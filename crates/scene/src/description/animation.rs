//! Obstacles animated by files.

use super::check_body;
use super::problem::Checker;
use resile_mesh::read::Format;
use serde::{Deserialize, Serialize};

/// Interpolation of vertices between frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BetweenFrames {
    /// Linear; the velocity is discontinuous at frames.
    Linear,
    /// Cubic with continuous velocity (Catmull-Rom).
    Cubic,
}

/// Behaviour after the last frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AfterFrames {
    /// The last frame is kept.
    Hold,
    /// Repeats all frames; the last one must equal the first.
    Repeat,
}

/// The animation of an obstacle.
#[derive(Debug, Clone, Copy)]
pub struct Animation<'a> {
    /// The mesh file with the triangles.
    pub file: &'a str,
    /// The cache, or the name of numbered mesh files.
    pub frames: &'a str,
    /// Frames per second (1/s).
    pub frame_rate: Option<f64>,
    /// Time of the first frame (s).
    pub start: f64,
    /// Interpolation between frames.
    pub interpolation: BetweenFrames,
    /// Behaviour after the last frame.
    pub after: Option<AfterFrames>,
}

impl Animation<'_> {
    /// Whether each frame is a separate file.
    pub fn is_numbered(&self) -> bool {
        self.frames.contains('#')
    }

    /// Whether the file of the frames has times.
    fn has_times(&self) -> bool {
        has_extension(self.frames, "mdd")
    }
}

/// Whether a file name has an extension, in upper or lower case.
pub(super) fn has_extension(name: &str, extension: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, found)| found.eq_ignore_ascii_case(extension))
}

/// Checks the file names and the frame rate of the animated obstacle at `path`.
pub(super) fn check_animation(c: &mut Checker, path: &str, animation: &Animation<'_>) {
    let [file, frames] = ["file", "frames"].map(|field| format!("{path}.{field}"));
    check_body::check_obstacle_file_name(c, &file, animation.file);
    for (field, name) in [(&file, animation.file), (&frames, animation.frames)] {
        if Format::of_name(name) == Some(Format::Stl) {
            let message = format!(
                "\"{name}\" has no vertices that could be numbered: STL has triangles alone"
            );
            c.error(field, message, "save the mesh as .obj or .ply");
        }
    }
    if animation.is_numbered() {
        let from_digits = animation.frames.trim_start_matches(|c| c != '#');
        let after_digits = from_digits.trim_start_matches('#');
        if after_digits.contains(['#', '/', '\\']) {
            let message =
                format!("\"{}\" has to have one number, in the name of the file", animation.frames);
            let help = "write one run of `#`, a digit each: \"hand/hand_####.obj\"";
            c.error(&frames, message, help);
        }
        check_body::check_obstacle_file_name(c, &frames, animation.frames);
    } else if !has_extension(animation.frames, "pc2") && !animation.has_times() {
        let message = format!("\"{}\" is no animation that is known", animation.frames);
        let help = "point caches are .pc2 or .mdd; mesh files need `#` for the digits of their numbers, as in \"hand_####.obj\"";
        c.error(&frames, message, help);
    }
    if animation.frame_rate.is_none() && !animation.has_times() {
        let message = format!("\"{}\" says nothing about how long a frame takes", animation.frames);
        let help = "add `frame_rate: 24`, or what the animation was made with";
        c.error(&format!("{path}.frame_rate"), message, help);
    }
}
