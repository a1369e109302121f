//! Whether the frames of a run cover it. A run that is resumed with other `output.formats` has frames of a part only.

use crate::stream::note;
use resile_record::{Columns, Playback, RunFolder, Summary};
use resile_scene::description::{Analysis, Scene};
use resile_scene::text::SceneText;
use std::path::Path;

/// Distance, relative to the interval of frames, by which rounding of times to steps may delay a frame.
const ROUNDING: f64 = 1e-3;

/// Longest scene in the folder of a run (bytes); longer ones are not examined.
const MAX_SCENE_BYTES: u64 = 128 << 20;

/// Times of frames that do not cover their run (s).
#[derive(Debug, Clone, Copy, PartialEq)]
struct Gap {
    /// First and last frame.
    frames: [f64; 2],
    /// Start and end of the run.
    run: [f64; 2],
}

impl Gap {
    /// The gap between frames with an interval and a run, if there is one.
    fn between(frames: [f64; 2], run: [f64; 2], interval: f64) -> Option<Self> {
        let is_late = frames[0] - run[0] > ROUNDING * interval;
        let is_early = run[1] - frames[1] > (1.0 + ROUNDING) * interval;
        (is_late || is_early).then_some(Self { frames, run })
    }
}

/// A sentence on the part of a run that its frames cover; `None` if they cover it, or if its folder does not tell.
/// `times` are those of the frames (s).
pub(crate) fn uncovered_part(run: &Path, times: &[f64]) -> Option<String> {
    uncovered(&RunFolder::at(run), [*times.first()?, *times.last()?])
}

/// The sentence for the first and the last frame (s).
fn uncovered(folder: &RunFolder, frames: [f64; 2]) -> Option<String> {
    let text = resile_files::read_text(&folder.scene(), MAX_SCENE_BYTES).ok()?;
    let scene = SceneText::new("scene.ron", text).read().ok()?;
    let is_sampled = !matches!(scene.analysis, Analysis::ArcLength { .. });
    if !is_sampled || folder.modes().exists() || folder.buckling().exists() {
        return None;
    }
    let start = first_time(folder)?;
    // A run in progress has no summary; that of its last leg is exceeded by its frames.
    let end = Summary::read(&folder.summary()).map_or(frames[1], |s| s.simulated_seconds);
    let Gap { frames: [first, last], run: [start, end] } =
        Gap::between(frames, [start, end], frame_interval(&scene))?;
    Some(format!(
        "the frames cover {first:.4} to {last:.4} s of the run, which goes from {start:.4} to {end:.4} s: it was \
         resumed with other `output.formats`, or frames are missing"
    ))
}

/// The longest interval between the frames of a scene (s): that of the frame rate or, if longer, a step, and one more
/// step for its rounding.
fn frame_interval(scene: &Scene) -> f64 {
    let step = scene.time.step.seconds();
    (1.0 / scene.output.frame_rate).max(step) + step
}

/// The time in the first row of the history (s).
fn first_time(folder: &RunFolder) -> Option<f64> {
    *Columns::read(&folder.history()).ok()?.column("time")?.first()?
}

/// Prints a note if the frames of a run do not cover it.
pub(crate) fn note_uncovered_part(run: &Playback) {
    if let Some(part) = uncovered_part(run.folder().path(), run.times()) {
        note(format_args!("note: {part}"));
    }
}

/// Tables and formats of frames that a resumed run does not have from its start, or does not continue.
#[derive(Debug, Default)]
pub(crate) struct ResumedOutput {
    /// Files that begin at the resumption.
    begun: Vec<&'static str>,
    /// Kinds of frames that end there.
    ended: Vec<&'static str>,
}

impl ResumedOutput {
    /// Compares the output that a scene requests with that in the folder of a run, before the run is resumed.
    pub(crate) fn of(scene: &Scene, folder: &Path) -> Self {
        use resile_scene::description::{FrameFormat, Table};
        let run = RunFolder::at(folder);
        let tables = [
            (Table::Bodies, "bodies.csv", run.bodies()),
            (Table::Poses, "poses.csv", run.poses()),
            (Table::Contacts, "contacts.csv", run.contacts()),
            (Table::Momentum, "momentum.csv", run.momentum()),
        ];
        let mut output = Self::default();
        for (table, name, path) in tables {
            if scene.output.tables.contains(&table) && !path.exists() {
                output.begun.push(name);
            }
        }
        let formats = [
            (FrameFormat::Vtu, "frames in VTU (frames.pvd)", "frame_000000.vtu"),
            (FrameFormat::Ply, "frames in PLY", "frame_000000.ply"),
        ];
        for (format, name, first_frame) in formats {
            let has_frames = run.frames().join(first_frame).exists();
            match (scene.output.formats.contains(&format), has_frames) {
                (true, false) => output.begun.push(name),
                (false, true) => output.ended.push(name),
                _ => {}
            }
        }
        output
    }

    /// Prints notes if the run goes on after a step.
    pub(crate) fn note_changes(&self, step: u64) {
        if step == 0 {
            return;
        }
        for name in &self.begun {
            note(format_args!(
                "note: {name}: there are none of the steps up to {step}, from which the run is resumed"
            ));
        }
        for name in &self.ended {
            note(format_args!(
                "note: {name}: there are none after step {step}, because `output.formats` no longer requests them"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_cover_a_run_up_to_one_interval() {
        let covers = |frames, run| Gap::between(frames, run, 0.1).is_none();
        assert!(covers([0.0, 0.95], [0.0, 1.0]));
        assert!(covers([0.0, 1.0], [0.0, 0.5]), "the run is in progress");
        assert!(!covers([0.0, 0.8], [0.0, 1.0]));
        assert!(!covers([0.1, 1.0], [0.0, 1.0]));
        assert!(covers([0.5, 1.0], [0.5, 1.0]), "the run continues another one");
    }
}
