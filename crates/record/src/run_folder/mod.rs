//! The folder of a run: its files, the lock of its writer, and treatment of an existing run.

mod contents;
mod copy;
mod lock;
mod removal;

pub use contents::{belongs_to_a_run, runs_within};
pub use copy::copy_run;
pub use lock::RunLock;
pub use removal::MADE_FROM_RUNS;

use super::atomic::with_run_prefix;
use super::{OutputError, history, io};
use contents::{CHECKPOINT, FRAMES};
use resile_files::{File, Folder, Kind};
use resile_math::units::Units;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Maximum length of the labels of the first columns of a history (bytes).
const MAX_LABEL_BYTES: u64 = 256;

/// Treatment of an existing run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Report an error.
    Refuse,
    /// Remove its files.
    Replace,
    /// Resume it at its last checkpoint; without one, begin a new run.
    Resume,
}

/// The folder of a run. While it is open, no other process can open it for writing.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// The lock, held until drop; `None` for a read-only folder.
    _lock: Option<File>,
}

impl RunFolder {
    /// Locks and prepares a folder at a path of the user; creates it if necessary. Links are followed, so
    /// [`RunLock::within`] opens a folder whose name the program chooses.
    ///
    /// `Replace` removes only the files that a run writes and [those derived from it](MADE_FROM_RUNS), and only from a
    /// folder that holds a run, so that `-o` with a wrong folder destroys nothing.
    ///
    /// # Errors
    /// If there is a run and `existing` refuses it, if another process writes to the folder, if the run to resume has
    /// no checkpoint, if files have the names of run files but are not those of a run, or if the system refuses.
    pub fn open(path: impl Into<PathBuf>, existing: Existing) -> Result<Self, OutputError> {
        RunLock::at(path)?.open(existing)
    }

    /// Whether the folder has a checkpoint.
    pub fn has_checkpoint(&self) -> bool {
        let kind = Folder::open(&self.path).and_then(|folder| folder.kind(CHECKPOINT));
        matches!(kind, Ok(Some(Kind::File { .. } | Kind::Link | Kind::Other)))
    }

    /// A folder for reading only.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), _lock: None }
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `history.csv`: one row per step.
    pub fn history(&self) -> PathBuf {
        self.path.join("history.csv")
    }

    /// Units of the tables, by the labels of the history; SI without a history.
    pub fn units(&self) -> Units {
        let mut first_bytes = Vec::new();
        let opened = Folder::open(&self.path).and_then(|folder| folder.open_file("history.csv"));
        let read_result =
            opened.and_then(|file| file.take(MAX_LABEL_BYTES).read_to_end(&mut first_bytes));
        let text = read_result.map(|_| String::from_utf8_lossy(&first_bytes));
        text.ok().and_then(|text| history::units_of(&text)).unwrap_or_default()
    }

    /// `bodies.csv`: a row for each step and body, if the scene requests it.
    pub fn bodies(&self) -> PathBuf {
        self.path.join("bodies.csv")
    }

    /// `poses.csv`: a row for each step and affine body, if the scene requests it.
    pub fn poses(&self) -> PathBuf {
        self.path.join("poses.csv")
    }

    /// `contacts.csv`: a row for each step and pair in contact, if the scene requests it.
    pub fn contacts(&self) -> PathBuf {
        self.path.join("contacts.csv")
    }

    /// `momentum.csv`: a row for each step and body, if the scene requests it.
    pub fn momentum(&self) -> PathBuf {
        self.path.join("momentum.csv")
    }

    /// `probes.csv`: a row for each step and probe, if the scene has any.
    pub fn probes(&self) -> PathBuf {
        self.path.join("probes.csv")
    }

    /// `modes.csv`: a row for each natural mode, if modes are requested.
    pub fn modes(&self) -> PathBuf {
        self.path.join("modes.csv")
    }

    /// `buckling.csv`: a row for each load factor, if buckling is requested.
    pub fn buckling(&self) -> PathBuf {
        self.path.join("buckling.csv")
    }

    /// `path.csv`: a row for each step along an equilibrium path.
    pub fn equilibrium_path(&self) -> PathBuf {
        self.path.join("path.csv")
    }

    /// `run.json`: program, scene, machine and time of the run.
    pub fn origin(&self) -> PathBuf {
        self.path.join("run.json")
    }

    /// `scene.ron`: text of the scene with all `--set` values of the command line.
    pub fn scene(&self) -> PathBuf {
        self.path.join("scene.ron")
    }

    /// `summary.json`: key figures of the run.
    pub fn summary(&self) -> PathBuf {
        self.path.join("summary.json")
    }

    /// `energy.svg`: energies over time.
    pub fn energy_plot(&self) -> PathBuf {
        self.path.join("energy.svg")
    }

    /// `profile.csv`: computing time of each step by phase, if requested.
    pub fn profile(&self) -> PathBuf {
        self.path.join("profile.csv")
    }

    /// `profile.svg`: computing time by phase, if requested.
    pub fn profile_plot(&self) -> PathBuf {
        self.path.join("profile.svg")
    }

    /// `checkpoint`: the state from which a run is resumed.
    pub fn checkpoint(&self) -> PathBuf {
        self.path.join(CHECKPOINT)
    }

    /// `frames`: folder of frames and their index.
    pub fn frames(&self) -> PathBuf {
        self.path.join(FRAMES)
    }

    /// Opens the folder of frames for writing; it must not be a link.
    ///
    /// # Errors
    /// If it is a link, does not exist, or the system refuses.
    pub(crate) fn frames_folder(&self) -> Result<Folder, OutputError> {
        let frames = self.frames();
        Folder::open_unlinked(&frames).map(with_run_prefix).map_err(io("open", &frames))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn existing_run_is_not_overwritten_or_resumed_by_default() {
        let outer = tempfile::tempdir().expect("a temporary folder");
        let path = outer.path().join("out/dice");
        let open = |existing| RunFolder::open(&path, existing);
        let folder = open(Existing::Resume).expect("a run that is not there begins");
        assert!(!folder.has_checkpoint());
        drop(folder);
        let folder = open(Existing::Refuse).expect("nothing is there yet");
        fs::write(folder.history(), "step,time,h,kinetic,potential\n")
            .expect("the folder can be written");
        fs::write(path.join("notes.txt"), "mine").expect("the folder can be written");
        for frame in ["frame_000000.vtu", "frame_000001.ply", "frames.pvd", "obstacles.vtu"] {
            fs::write(folder.frames().join(frame), "").expect("the folder can be written");
        }
        let busy = open(Existing::Replace).expect_err("it is open");
        assert!(matches!(busy, OutputError::Busy { .. }), "{busy}");
        drop(folder);
        let folder = RunFolder::at(&path);
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

    /// An untrusted folder may contain links under any of these names.
    #[cfg(unix)]
    #[test]
    fn creation_does_not_follow_symlinks_in_foreign_folders() {
        use crate::{Columns, HistoryWriter, write_atomically};
        use std::os::unix::fs::symlink;

        let [outer, elsewhere] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let theirs = elsewhere.path().join("theirs");
        for leads_somewhere in [false, true] {
            if leads_somewhere {
                fs::write(&theirs, "a file of the user").expect("the folder can be written");
            }
            for name in ["history.csv", "summary.json", "history.csv.tmp", "summary.json.tmp"] {
                let _ = fs::remove_file(outer.path().join(name));
                symlink(&theirs, outer.path().join(name)).expect("links can be made");
            }
            let folder = RunFolder::at(outer.path());
            HistoryWriter::create(&folder.history(), &["gravity"], Units::Metres)
                .expect("there is room");
            write_atomically(&folder.summary(), b"{}").expect("there is room");
            assert!(Columns::read(&folder.history()).is_ok(), "it is a file");
            let left = fs::read_to_string(&theirs).ok();
            assert_eq!(left, leads_somewhere.then(|| "a file of the user".to_owned()));
            for name in ["lock", "frames"] {
                let outer = tempfile::tempdir().expect("a folder");
                symlink(&theirs, outer.path().join(name)).expect("links can be made");
                let refused = RunFolder::open(outer.path(), Existing::Refuse).expect_err(name);
                assert!(refused.to_string().contains("it is a link"), "{refused}");
            }
        }
    }

    #[test]
    fn run_files_are_recognised_by_location_and_name() {
        let outer = tempfile::tempdir().expect("a temporary folder");
        let path = outer.path().join("out");
        let folder = RunFolder::open(&path, Existing::Refuse).expect("nothing is there yet");
        let names = ["checkpoint", "scene.ron", "RUN.json", "lock", "frames", "frames/frames.pvd"];
        let other = ["view.html", "export.csv", "frames/picture_000000.png", "scene2.ron"];
        for name in names.iter().chain(&other) {
            assert!(!belongs_to_a_run(&path.join(name)), "{name}: there is no run yet");
        }
        fs::write(folder.history(), "step,time,h,kinetic,potential\n").expect("it can be written");
        for name in names {
            assert!(belongs_to_a_run(&path.join(name)), "{name}");
            assert!(belongs_to_a_run(&path.join("frames/..").join(name)), "{name}");
            assert!(!belongs_to_a_run(&outer.path().join(name)), "{name}");
        }
        for name in other {
            assert!(!belongs_to_a_run(&path.join(name)), "{name}");
        }
    }
}
