//! The folder of a run, and what happens to a run that is there already.

use super::frames::{FRAME, INDEX, OBSTACLES};
use super::{OutputError, io};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What to do with a run that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Nothing is written over.
    Refuse,
    /// Its files are removed.
    Replace,
    /// It is taken up at its last checkpoint.
    Resume,
}

/// The folder of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Prepares a folder; makes it if need be.
    ///
    /// `Replace` removes the files that a run writes and no others, so that
    /// `-o` with the wrong folder costs nothing else that is in it.
    ///
    /// # Errors
    /// If there is a run and it must not be touched, if there is none to resume,
    /// or if the system refuses.
    pub fn open(path: impl Into<PathBuf>, existing: Existing) -> Result<Self, OutputError> {
        let folder = Self::at(path);
        match existing {
            Existing::Refuse if folder.holds_a_run() => {
                return Err(OutputError::Exists { folder: folder.path });
            }
            Existing::Resume if !folder.checkpoint().is_file() => {
                return Err(OutputError::NoCheckpoint { folder: folder.path });
            }
            Existing::Replace => folder.clear()?,
            Existing::Refuse | Existing::Resume => {}
        }
        let frames = folder.frames();
        fs::create_dir_all(&frames).map_err(io("create", &frames))?;
        Ok(folder)
    }

    /// A folder that is only looked at.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `history.csv`: a row a step.
    pub fn history(&self) -> PathBuf {
        self.path.join("history.csv")
    }

    /// `bodies.csv`: a row for each step and body, if the scene asks for it.
    pub fn bodies(&self) -> PathBuf {
        self.path.join("bodies.csv")
    }

    /// `poses.csv`: a row for each step and affine body, if the scene asks for it.
    pub fn poses(&self) -> PathBuf {
        self.path.join("poses.csv")
    }

    /// `summary.json`: the run in a few numbers.
    pub fn summary(&self) -> PathBuf {
        self.path.join("summary.json")
    }

    /// `energy.svg`: energies over time.
    pub fn energy_plot(&self) -> PathBuf {
        self.path.join("energy.svg")
    }

    /// `profile.csv`: where the time of each step went, if it was asked for.
    pub fn profile(&self) -> PathBuf {
        self.path.join("profile.csv")
    }

    /// `profile.svg`: time spent by phase, if it was asked for.
    pub fn profile_plot(&self) -> PathBuf {
        self.path.join("profile.svg")
    }

    /// `checkpoint`: all that is needed to go on.
    pub fn checkpoint(&self) -> PathBuf {
        self.path.join("checkpoint")
    }

    /// `frames`: the folder of frames and their index.
    pub fn frames(&self) -> PathBuf {
        self.path.join("frames")
    }

    fn files(&self) -> [PathBuf; 8] {
        [
            self.history(),
            self.bodies(),
            self.poses(),
            self.summary(),
            self.energy_plot(),
            self.profile(),
            self.profile_plot(),
            self.checkpoint(),
        ]
    }

    fn holds_a_run(&self) -> bool {
        self.files().iter().any(|file| file.exists())
    }

    fn clear(&self) -> Result<(), OutputError> {
        for file in self.files() {
            remove(&file)?;
        }
        let frames = self.frames();
        let entries = match fs::read_dir(&frames) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(io("read", &frames))?,
        };
        for entry in entries {
            let file = entry.map_err(io("read", &frames))?.path();
            if is_of_frames(&file) {
                remove(&file)?;
            }
        }
        Ok(())
    }
}

/// Whether a run gives files names like this, in whatever format.
fn is_of_frames(file: &Path) -> bool {
    let Some(stem) = file.file_stem().and_then(|stem| stem.to_str()) else { return false };
    let digits = |number: &str| number.bytes().all(|b| b.is_ascii_digit());
    [INDEX, OBSTACLES].contains(&stem) || stem.strip_prefix(FRAME).is_some_and(digits)
}

fn remove(file: &Path) -> Result<(), OutputError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(io("remove", file)(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_neither_overwritten_nor_resumed_by_accident() {
        let outer = tempfile::tempdir().expect("a temporary folder");
        let path = outer.path().join("out/dice");
        let open = |existing| RunFolder::open(&path, existing);
        assert!(matches!(open(Existing::Resume), Err(OutputError::NoCheckpoint { .. })));
        assert!(!path.exists(), "a refusal leaves nothing behind");
        let folder = open(Existing::Refuse).expect("nothing is there yet");
        fs::write(folder.history(), "step\n").expect("the folder can be written");
        fs::write(path.join("notes.txt"), "mine").expect("the folder can be written");
        for frame in ["frame_000000.vtu", "frame_000001.ply", "frames.pvd", "obstacles.vtu"] {
            fs::write(folder.frames().join(frame), "").expect("the folder can be written");
        }
        let refusal = open(Existing::Refuse).expect_err("there is a run").to_string();
        for word in ["out/dice", "--resume", "--force"] {
            assert!(refusal.contains(word), "{refusal}");
        }
        open(Existing::Replace).expect("it may be replaced");
        assert!(!folder.history().exists());
        assert_eq!(fs::read_dir(folder.frames()).expect("it is there").count(), 0);
        assert!(path.join("notes.txt").exists(), "what a run does not write stays");
        open(Existing::Refuse).expect("the run is gone");
    }
}
