//! Folder of a sweep.

use crate::plots::is_plot_file;
use crate::runs::{RUNS, run_name};
use crate::stored::StoredPlan;
use resile_files::{Durability, Folder, Kind};
use resile_record::{Existing, OutputError, RunLock};
use resile_scene::text::SceneText;
use serde::Deserialize;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The file of the plan.
const PLAN: &str = "sweep.json";
/// The file of the scene.
const SCENE: &str = "scene.ron";
/// The table of results.
pub const TABLE_FILE: &str = "sweep.csv";
/// The array job for Slurm.
pub const JOB_FILE: &str = "sweep.sbatch";
/// Maximum length of a stored scene (bytes): scene files have at most 64 MiB, to which `--set` adds values.
const MAX_SCENE_BYTES: u64 = 128 << 20;
/// Maximum length of a plan (bytes); a plan stems from a command line.
const MAX_PLAN_BYTES: u64 = 64 << 20;

/// Folder of a sweep: `sweep.json`, `scene.ron`, and `runs/` with a folder for each run. Links in it are not
/// followed.
#[derive(Debug, Clone)]
pub struct SweepFolder {
    pub(crate) folder: Folder,
}

/// Errors of the folder of a sweep.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// An error of the operating system.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The attempted action.
        action: &'static str,
        /// Path of the file or folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The plan is malformed.
    #[error("{} is no plan of a sweep: {reason}", path.display())]
    NotAPlan {
        /// Path of the file.
        path: PathBuf,
        /// Description of the error.
        reason: String,
    },
    /// The folder contains other files.
    #[error("{} is not empty and holds no sweep; choose another folder", path.display())]
    Taken {
        /// Path of the folder.
        path: PathBuf,
    },
    /// A run of the sweep cannot be removed.
    #[error(transparent)]
    Run(#[from] OutputError),
    /// A file of a run is missing or malformed.
    #[error("{file} is damaged: {reason}; remove the folder {} to run it again", folder.display())]
    DamagedRun {
        /// Folder of the run, relative to that of the sweep.
        folder: PathBuf,
        /// Name of the file.
        file: &'static str,
        /// Description of the damage.
        reason: String,
    },
    /// The folder holds a sweep with different runs.
    #[error("{} holds another sweep ({what} differ); choose another folder", path.display())]
    Different {
        /// Path of the folder.
        path: PathBuf,
        /// The differing part.
        what: String,
    },
}

/// Returns a converter of I/O errors that adds the attempted action and the path.
pub(crate) fn io_failure(action: &'static str, path: PathBuf) -> impl Fn(io::Error) -> FolderError {
    move |source| FolderError::Io { action, path: path.clone(), source }
}

impl SweepFolder {
    /// Whether a path is the folder of a sweep.
    pub fn is_at(path: &Path) -> bool {
        let kind = Folder::open(path).and_then(|folder| folder.kind(PLAN));
        matches!(kind, Ok(Some(Kind::File { .. })))
    }

    /// Whether a path does not exist or is an empty folder.
    fn is_free(path: &Path) -> Result<bool, FolderError> {
        match Folder::open(path).and_then(|folder| folder.names()) {
            Ok(names) => Ok(names.is_empty()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
            Err(error) => Err(io_failure("create", path.to_path_buf())(error)),
        }
    }

    /// Opens the sweep in a folder, which must have the same runs as this plan; `None` if the folder does not exist or
    /// is empty.
    ///
    /// # Errors
    /// If the folder contains another sweep or other files, or cannot be read.
    pub fn matching(
        path: &Path,
        plan: &StoredPlan,
        scene: &str,
    ) -> Result<Option<Self>, FolderError> {
        if !Self::is_at(path) {
            return match Self::is_free(path)? {
                true => Ok(None),
                false => Err(FolderError::Taken { path: path.to_path_buf() }),
            };
        }
        let folder = Self::open(path)?;
        let (stored, text) = folder.read()?;
        let mut different = plan.differences(&stored);
        let [requested, stored_scene] = [scene, &text[..]].map(|text| SceneText::new(SCENE, text));
        if !requested.describes_same_scene(&stored_scene) {
            different.insert(0, "the scene");
        }
        match different.is_empty() {
            true => Ok(Some(folder)),
            false => {
                let (path, what) = (path.to_path_buf(), different.join(", "));
                Err(FolderError::Different { path, what })
            }
        }
    }

    /// Opens the folder of a sweep.
    ///
    /// # Errors
    /// If it does not exist or the system refuses.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let folder = Folder::open(path).map_err(io_failure("open", path.to_path_buf()))?;
        Ok(Self { folder })
    }

    /// Removes temporary files of killed processes.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn clean(&self) -> Result<(), FolderError> {
        self.folder.remove_abandoned().map_err(io_failure("clean", self.path().to_path_buf()))
    }

    /// Removes the sweep: the files of its runs, its results and its plan, and no other files.
    ///
    /// # Errors
    /// If another process writes a run, a run is a link or has files of another owner, then before anything is removed;
    /// or if the system refuses.
    pub fn clear(&self) -> Result<(), FolderError> {
        let failed = |name: &str| io_failure("remove", self.path().join(name));
        let runs = self.folder.folder(RUNS).map_err(failed(RUNS))?;
        let names = runs.names().map_err(failed(RUNS))?;
        let number =
            |name: OsString| name.to_str()?.parse().ok().filter(|run| name == *run_name(*run));
        let numbers: Vec<usize> = names.into_iter().filter_map(number).collect();
        for (run, lock) in self.lock_to_remove(numbers)? {
            let lock = lock.map_or_else(|| self.lock_run(run), Ok)?;
            drop(lock.open(Existing::Replace)?);
            self.remove_failure(run)?;
        }
        let is_file = |name: &str| matches!(self.folder.kind(name), Ok(Some(Kind::File { .. })));
        for name in self.folder.names().map_err(failed(PLAN))? {
            let name = name.to_string_lossy().into_owned();
            if is_file(&name) && (name == TABLE_FILE || name == JOB_FILE || is_plot_file(&name)) {
                self.folder.remove(&name).map_err(failed(&name))?;
            }
        }
        // The plan identifies the sweep, so that an interrupted removal can be repeated.
        self.folder.remove(SCENE).map_err(failed(SCENE))?;
        self.folder.remove(PLAN).map_err(failed(PLAN))
    }

    /// Locks these runs, and checks that all of them can be removed. A run that has ended is unlocked after its check,
    /// because no process continues it, and a sweep may have more runs than a process may open files.
    fn lock_to_remove(
        &self,
        runs: Vec<usize>,
    ) -> Result<Vec<(usize, Option<RunLock>)>, FolderError> {
        let lock = |run| {
            let lock = self.lock_run(run)?;
            lock.check(Existing::Replace)?;
            let has_ended = self.outcome_or_damage(run).state.is_final();
            Ok((run, (!has_ended).then_some(lock)))
        };
        runs.into_iter().map(lock).collect()
    }

    /// Creates the folder and writes the plan and the scene. Several processes may do so with the same plan at the same
    /// time.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn create(path: &Path, plan: &StoredPlan, scene: &str) -> Result<Self, FolderError> {
        let folder = Folder::create(path).map_err(io_failure("create", path.to_path_buf()))?;
        let sweep = Self { folder };
        sweep.write(SCENE, scene)?;
        let runs = sweep.folder.create_folder(RUNS);
        runs.map_err(io_failure("create", sweep.path().join(RUNS)))?;
        // The plan is written last: a folder with a plan has all other files.
        sweep.write_plan(plan)?;
        Ok(sweep)
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Replaces the plan by one with other results.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write_plan(&self, plan: &StoredPlan) -> Result<(), FolderError> {
        let json = serde_json::to_string_pretty(plan).expect("plain data is always JSON");
        self.write(PLAN, &(json + "\n"))
    }

    /// Reads the plan and the text of the scene, with the values that are set in every run.
    ///
    /// # Errors
    /// If they do not exist or are malformed.
    pub fn read(&self) -> Result<(StoredPlan, String), FolderError> {
        let path = self.path().join(PLAN);
        let text = self.folder.read_text(PLAN, MAX_PLAN_BYTES);
        let text = text.map_err(io_failure("read", path.clone()))?;
        let not_a_plan = |reason: String| FolderError::NotAPlan { path: path.clone(), reason };
        let version = serde_json::from_str::<FormatOnly>(&text);
        match version.map_err(|error| not_a_plan(error.to_string()))?.format {
            StoredPlan::FORMAT => {}
            other => return Err(not_a_plan(format!("format {other} is not known"))),
        }
        let plan = serde_json::from_str(&text).map_err(|error| not_a_plan(error.to_string()))?;
        let scene = self.folder.read_text(SCENE, MAX_SCENE_BYTES);
        Ok((plan, scene.map_err(io_failure("read", self.path().join(SCENE)))?))
    }

    /// Writes a result file.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, name: &str, text: &str) -> Result<(), FolderError> {
        let write_result = self.folder.write(name, text.as_bytes(), Durability::Synced);
        write_result.map_err(io_failure("write", self.path().join(name)))
    }

    /// Removes the plots of results that are not among the files `kept`.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn remove_other_plots(&self, kept: &[String]) -> Result<(), FolderError> {
        let failed = |name: &str| io_failure("remove", self.path().join(name));
        for name in self.folder.names().map_err(failed(""))? {
            let name = name.to_string_lossy().into_owned();
            let is_file = matches!(self.folder.kind(&name), Ok(Some(Kind::File { .. })));
            if is_file && is_plot_file(&name) && !kept.contains(&name) {
                self.folder.remove(&name).map_err(failed(&name))?;
            }
        }
        Ok(())
    }
}

/// The version of a plan. It is read first, so that a plan of another version is rejected because of its version and
/// not because of its fields.
#[derive(Debug, Deserialize)]
struct FormatOnly {
    format: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Design, State};

    fn stored() -> StoredPlan {
        StoredPlan {
            format: StoredPlan::FORMAT,
            name: "die".into(),
            scene: "/scenes/die.ron".into(),
            set: vec!["a=1".into()],
            vary: vec!["b=1,2".into()],
            design: Design::LatinHypercube { runs: 2, seed: 7 },
            steps: None,
            results: vec!["total:final".into()],
        }
    }

    #[test]
    fn plan_reads_back_unchanged() {
        let outer = tempfile::tempdir().expect("a temporary folder");
        let path = outer.path().join("sweep");
        let is_free = || SweepFolder::is_free(&path).expect("it can be read");
        assert!(is_free() && !SweepFolder::is_at(&path));
        let folder = SweepFolder::create(&path, &stored(), "(version: 1)").expect("there is room");
        assert!(SweepFolder::is_at(&path) && !is_free());
        assert_eq!(folder.read().expect("it is there"), (stored(), "(version: 1)".to_owned()));
        let later = std::fs::read_to_string(path.join(PLAN)).expect("it is there");
        folder.write(PLAN, &later.replace("\"format\": 1", "\"format\": 2")).expect("it is ours");
        let error = folder.read().expect_err("it is of another version").to_string();
        assert!(error.contains("format 2 is not known"), "{error}");
    }

    #[test]
    fn run_state_follows_from_its_folder() {
        let outer = tempfile::tempdir().expect("a temporary folder");
        let folder = SweepFolder::create(outer.path(), &stored(), "").expect("there is room");
        let state = || folder.outcome(1).expect("it can be read").state;
        assert_eq!(state(), State::NotRun);
        let path = folder.create_run(1).expect("there is room");
        assert_eq!(state(), State::NotRun);
        std::fs::write(path.join("checkpoint"), "").expect("there is room");
        assert_eq!(state(), State::Interrupted);
        folder.write_failure(1, "no room").expect("there is room");
        let outcome = folder.outcome(1).expect("it can be read");
        assert_eq!((outcome.state, outcome.reason.as_str()), (State::Failed, "no room"));
        folder.remove_failure(1).expect("it is there");
        assert_eq!(state(), State::Interrupted);
        std::fs::write(path.join("summary.json"), "{}").expect("there is room");
        let error = folder.outcome(1).expect_err("it is no summary").to_string();
        let remedy = "remove the folder runs/000001";
        assert!(
            error.starts_with("summary.json is damaged: ") && error.contains(remedy),
            "{error}"
        );
    }

    /// A folder of a sweep with this number of complete runs.
    fn with_runs(outer: &Path, count: usize) -> (SweepFolder, Vec<PathBuf>) {
        let folder = SweepFolder::create(outer, &stored(), "").expect("there is room");
        let make_run = |run| {
            let path = folder.create_run(run).expect("there is room");
            let history = path.join("history.csv");
            std::fs::write(&history, "step,time,h,kinetic,potential\n").expect("there is room");
            folder.write_failure(run, "no").expect("there is room");
            history
        };
        let histories = (0..count).map(make_run).collect();
        (folder, histories)
    }

    #[test]
    fn sweep_with_a_run_in_progress_is_refused_before_anything_is_removed() {
        let outer = tempfile::tempdir().expect("a temporary folder");
        let (folder, histories) = with_runs(outer.path(), 3);
        let writer = folder.lock_run(2).expect("it is free");
        let busy = folder.clear().expect_err("run 2 is being written");
        assert!(matches!(busy, FolderError::Run(OutputError::Busy { .. })), "{busy}");
        assert!(histories.iter().all(|history| history.exists()));
        drop(writer);
        std::fs::write(&histories[1], "a file of the user").expect("there is room");
        let foreign = folder.clear().expect_err("run 1 is of another owner");
        assert!(matches!(foreign, FolderError::Run(OutputError::NotARun { .. })), "{foreign}");
        assert!(
            histories.iter().all(|history| history.exists()) && SweepFolder::is_at(outer.path())
        );
        std::fs::remove_file(&histories[1]).expect("it is there");
        folder.clear().expect("every run can be removed");
        assert!(!histories.iter().any(|history| history.exists()));
        assert!(!SweepFolder::is_at(outer.path()));
    }

    /// A process may often open 1024 files at most.
    #[test]
    fn more_runs_are_removed_than_files_can_be_open() {
        const RUNS: usize = 1100;
        let outer = tempfile::tempdir().expect("a temporary folder");
        let (folder, histories) = with_runs(outer.path(), RUNS);
        let locks = folder.lock_to_remove((0..RUNS).collect()).expect("every run is free");
        assert!(locks.iter().all(|(_, lock)| lock.is_none()), "all have ended");
        folder.clear().expect("every run can be removed");
        assert!(!histories.iter().any(|history| history.exists()));
    }

    #[cfg(unix)]
    #[test]
    fn run_that_is_a_link_is_not_removed() {
        let [outer, elsewhere] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let (_, theirs) = with_runs(elsewhere.path(), 1);
        let (folder, histories) = with_runs(outer.path(), 1);
        let theirs = theirs.first().and_then(|history| history.parent()).expect("a run");
        std::os::unix::fs::symlink(theirs, folder.run_path(1)).expect("links can be made");
        let refused = folder.clear().expect_err("it is a link").to_string();
        assert!(refused.contains("runs/000001: it is a link"), "{refused}");
        assert!(theirs.join("history.csv").exists() && histories[0].exists());
        assert!(!theirs.join("lock").exists(), "nothing is created in it");
    }

    #[cfg(unix)]
    #[test]
    fn links_in_the_folder_are_not_followed() {
        use std::os::unix::fs::symlink;
        let [outer, elsewhere] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let folder = SweepFolder::create(outer.path(), &stored(), "").expect("there is room");
        symlink(elsewhere.path(), folder.run_path(0)).expect("links can be made");
        for refused in [
            folder.create_run(0).expect_err("it is a link"),
            folder.outcome(0).expect_err("it is a link"),
            folder.write_failure(0, "").expect_err("it is a link"),
        ] {
            assert!(refused.to_string().contains("link"), "{refused}");
        }
        assert_eq!(std::fs::read_dir(elsewhere.path()).expect("it is there").count(), 0);
    }
}
