//! The folders of the runs of a sweep.

use crate::folder::{FolderError, SweepFolder, io_failure};
use crate::outcome::{self, DamagedFile, FAILURE, Outcome, RunFailure};
use resile_files::{Durability, Folder};
use resile_record::{Columns, RunLock};
use std::io;
use std::path::{Path, PathBuf};

/// The folder of the folders of runs.
pub(crate) const RUNS: &str = "runs";

/// Name of the folder of a run: its number, padded with zeros so that names sort by number up to the largest sweep.
pub(crate) fn run_name(run: usize) -> String {
    format!("{run:06}")
}

/// The value of a column in the last row of a table.
pub(crate) fn last_value(table: &Columns, column: &str) -> Option<f64> {
    *table.column(column)?.last()?
}

/// Checks that a history has the last step of the summary, which it lacks if rows are missing. While a run continues, it
/// has later steps, too.
fn check_last_step(history: &Columns, steps: u64) -> Result<(), DamagedFile> {
    let reason = match last_value(history, "step") {
        Some(last) if last >= steps as f64 => return Ok(()),
        // A run without steps has at most the row of its start.
        None if steps == 0 => return Ok(()),
        Some(last) => format!("its last row is step {last}, and the run took {steps} steps"),
        None => "it is not a table of steps".to_owned(),
    };
    Err(DamagedFile { file: outcome::HISTORY, reason })
}

impl SweepFolder {
    /// Path of a run, which is created if necessary. It must be a folder, not a link.
    ///
    /// # Errors
    /// If the name is in use, or the system refuses.
    pub fn create_run(&self, run: usize) -> Result<PathBuf, FolderError> {
        let path = self.run_path(run);
        let added =
            self.folder.create_folder(RUNS).and_then(|runs| runs.create_folder(run_name(run)));
        added.map(|_| path.clone()).map_err(io_failure("create", path))
    }

    /// Locks the folder of a run, which is created if necessary. It must be a folder, not a link.
    ///
    /// # Errors
    /// If another process writes the run, the name is in use, or the system refuses.
    pub(crate) fn lock_run(&self, run: usize) -> Result<RunLock, FolderError> {
        let runs = self.folder.create_folder(RUNS);
        let runs = runs.map_err(io_failure("create", self.path().join(RUNS)))?;
        Ok(RunLock::within(&runs, &run_name(run))?)
    }

    /// Path of a run, whether it exists or not.
    pub fn run_path(&self, run: usize) -> PathBuf {
        self.path().join(RUNS).join(run_name(run))
    }

    /// Outcome of a run.
    ///
    /// # Errors
    /// If its files cannot be read or are malformed, or if it has a summary and no history.
    pub fn outcome(&self, run: usize) -> Result<Outcome, FolderError> {
        Ok(self.read_run(run, Outcome::read)?.unwrap_or_else(Outcome::not_run))
    }

    /// Outcome of a run. One with damaged files has failed for that reason.
    pub fn outcome_or_damage(&self, run: usize) -> Outcome {
        self.outcome(run).unwrap_or_else(|error| Outcome::damaged(error.to_string()))
    }

    /// Outcome of a run, as [`outcome`](Self::outcome), after a check of its history.
    ///
    /// # Errors
    /// Also if the history cannot be read or lacks the last step of the summary.
    pub fn checked_outcome(&self, run: usize) -> Result<Outcome, FolderError> {
        let outcome = self.outcome(run)?;
        outcome.steps.map_or(Ok(()), |steps| self.whole_history(run, steps).map(drop))?;
        Ok(outcome)
    }

    /// History of a run of which the summary counts this many steps.
    ///
    /// # Errors
    /// If it cannot be read or lacks the last step.
    pub(crate) fn whole_history(&self, run: usize, steps: u64) -> Result<Columns, FolderError> {
        let history = self.history(run)?;
        check_last_step(&history, steps).map_err(|damage| Self::damaged_run(run, damage))?;
        Ok(history)
    }

    /// History of a run, which must exist.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn history(&self, run: usize) -> Result<Columns, FolderError> {
        let missing = || Self::damaged_run(run, DamagedFile::missing(outcome::HISTORY));
        self.read_run(run, outcome::history)?.ok_or_else(missing)
    }

    /// The table of the equilibrium path of a run; `None` if it followed none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn equilibrium_path(&self, run: usize) -> Result<Option<Columns>, FolderError> {
        Ok(self.read_run(run, outcome::equilibrium_path)?.flatten())
    }

    /// The text of `probes.csv` of a run; empty if it has no probes.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn probes(&self, run: usize) -> Result<String, FolderError> {
        Ok(self.read_run(run, outcome::probes)?.unwrap_or_default())
    }

    /// Reads files of a run, if its folder exists.
    fn read_run<T>(
        &self,
        run: usize,
        read: impl Fn(&Folder) -> Result<T, DamagedFile>,
    ) -> Result<Option<T>, FolderError> {
        let folder = self.run_folder(run)?;
        let contents = folder.map(|folder| read(&folder)).transpose();
        contents.map_err(|damage| Self::damaged_run(run, damage))
    }

    /// Checks that the folder of the runs can be opened, if it exists.
    pub(crate) fn check_runs(&self) -> Result<(), FolderError> {
        match self.folder.folder(RUNS) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(io_failure("open", self.path().join(RUNS))(error))
            }
            _ => Ok(()),
        }
    }

    /// The error for a damaged file of a run.
    pub(crate) fn damaged_run(run: usize, damage: DamagedFile) -> FolderError {
        let DamagedFile { file, reason } = damage;
        FolderError::DamagedRun { folder: Path::new(RUNS).join(run_name(run)), file, reason }
    }

    /// Records that a run cannot begin.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write_failure(&self, run: usize, reason: &str) -> Result<(), FolderError> {
        let path = self.create_run(run)?;
        let failure = RunFailure { reason: reason.to_owned() };
        let json = serde_json::to_string(&failure).expect("plain data is always JSON") + "\n";
        let folder = self.run_folder(run)?.ok_or_else(|| {
            let source = io::ErrorKind::NotFound.into();
            FolderError::Io { action: "open", path: path.clone(), source }
        })?;
        let write_result = folder.write(FAILURE, json.as_bytes(), Durability::Synced);
        write_result.map_err(io_failure("write", path.join(FAILURE)))
    }

    /// Removes the record that a run could not begin.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn remove_failure(&self, run: usize) -> Result<(), FolderError> {
        let removed = self.run_folder(run)?.map_or(Ok(()), |folder| folder.remove(FAILURE));
        removed.map_err(io_failure("remove", self.run_path(run).join(FAILURE)))
    }

    /// Opens the folder of a run, if it exists.
    fn run_folder(&self, run: usize) -> Result<Option<Folder>, FolderError> {
        let opened = self.folder.folder(RUNS).and_then(|runs| runs.folder(run_name(run)));
        match opened {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io_failure("open", self.run_path(run))(error)),
        }
    }
}
