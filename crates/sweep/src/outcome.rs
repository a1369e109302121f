//! Outcome of a run, as recorded in its folder.

use resile_files::{Folder, Kind};
use resile_record::{Columns, Status, Summary};
use serde::{Deserialize, Serialize};

/// State of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// The run has not begun, or has no checkpoint yet.
    NotRun,
    /// Interrupted or killed; can be continued.
    Interrupted,
    /// All steps were taken.
    Complete,
    /// The run cannot begin, or a step failed; a repetition would fail again.
    Failed,
}

impl State {
    /// Name of the state in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotRun => "not_run",
            Self::Interrupted => "interrupted",
            Self::Complete => "complete",
            Self::Failed => "failed",
        }
    }

    /// Whether the run has ended: it is complete or has failed.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Complete | Self::Failed)
    }
}

/// Outcome of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// State of the run.
    pub state: State,
    /// Steps taken, if a summary states them.
    pub steps: Option<u64>,
    /// Time reached (s), if a summary states it.
    pub time: Option<f64>,
    /// Wall time (s), if a summary states it; not in the table.
    pub wall_seconds: Option<f64>,
    /// Reason of the state; empty for a complete run.
    pub reason: String,
}

/// Maximum length of `summary.json` and `failure.json` (bytes).
const MAX_NOTE_BYTES: u64 = 64 << 20;
/// The limit for histories, which may have any length.
const NO_LIMIT: u64 = u64::MAX;
const SUMMARY: &str = "summary.json";
pub(crate) const HISTORY: &str = "history.csv";
pub(crate) const PROBES_FILE: &str = "probes.csv";
pub(crate) const PATH_FILE: &str = "path.csv";
const CHECKPOINT: &str = "checkpoint";

/// The file that a run has in place of results if it could not begin.
pub(crate) const FAILURE: &str = "failure.json";

/// Reason why a run could not begin.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RunFailure {
    pub(crate) reason: String,
}

/// A file of a run that is missing or cannot be read.
#[derive(Debug)]
pub(crate) struct DamagedFile {
    /// Name of the file.
    pub(crate) file: &'static str,
    /// Description of the damage.
    pub(crate) reason: String,
}

impl DamagedFile {
    /// A file that does not exist.
    pub(crate) fn missing(file: &'static str) -> Self {
        Self { file, reason: "it is missing".to_owned() }
    }

    /// Returns a converter of errors that adds the name of the file.
    fn because<E: std::fmt::Display>(file: &'static str) -> impl Fn(E) -> Self {
        move |error| Self { file, reason: error.to_string() }
    }
}

impl Outcome {
    /// The outcome of a run that has not begun.
    pub(crate) fn not_run() -> Self {
        let (steps, time, wall_seconds, reason) = (None, None, None, String::new());
        Self { state: State::NotRun, steps, time, wall_seconds, reason }
    }

    /// The outcome of a run with damaged files.
    pub(crate) fn damaged(reason: String) -> Self {
        Self { state: State::Failed, reason, ..Self::not_run() }
    }

    /// Reads the outcome of a run from its folder.
    pub(crate) fn read(folder: &Folder) -> Result<Self, DamagedFile> {
        if let Some(failure) = read_json::<RunFailure>(folder, FAILURE)? {
            return Ok(Self { state: State::Failed, reason: failure.reason, ..Self::not_run() });
        }
        let Some(summary) = read_json::<Summary>(folder, SUMMARY)? else {
            let checkpoint = folder.kind(CHECKPOINT).map_err(DamagedFile::because(CHECKPOINT))?;
            let has_started = checkpoint.is_some();
            let state = if has_started { State::Interrupted } else { State::NotRun };
            return Ok(Self { state, ..Self::not_run() });
        };
        if !is_file(folder, HISTORY)? {
            return Err(DamagedFile::missing(HISTORY));
        }
        let state = match summary.status {
            Status::Complete => State::Complete,
            Status::Interrupted => State::Interrupted,
            Status::Failed => State::Failed,
        };
        Ok(Self {
            state,
            steps: Some(summary.steps_done),
            time: Some(summary.simulated_seconds),
            wall_seconds: Some(summary.wall_seconds),
            reason: summary.reason,
        })
    }
}

/// Reads the history of a run.
pub(crate) fn history(folder: &Folder) -> Result<Columns, DamagedFile> {
    Ok(columns(folder, HISTORY, &read_text(folder, HISTORY, NO_LIMIT)?))
}

/// Reads the table of an equilibrium path, if the run followed one.
pub(crate) fn equilibrium_path(folder: &Folder) -> Result<Option<Columns>, DamagedFile> {
    let text = is_file(folder, PATH_FILE)?.then(|| read_text(folder, PATH_FILE, NO_LIMIT));
    Ok(text.transpose()?.map(|text| columns(folder, PATH_FILE, &text)))
}

/// The text of `probes.csv`; empty if it is not there.
pub(crate) fn probes(folder: &Folder) -> Result<String, DamagedFile> {
    match is_file(folder, PROBES_FILE)? {
        true => read_text(folder, PROBES_FILE, NO_LIMIT),
        false => Ok(String::new()),
    }
}

/// Whether the folder has a file of this name, or a link.
fn is_file(folder: &Folder, name: &'static str) -> Result<bool, DamagedFile> {
    let kind = folder.kind(name).map_err(DamagedFile::because(name))?;
    Ok(matches!(kind, Some(Kind::File { .. } | Kind::Link)))
}

/// Reads a text file of at most `limit` bytes.
fn read_text(folder: &Folder, name: &'static str, limit: u64) -> Result<String, DamagedFile> {
    folder.read_text(name, limit).map_err(DamagedFile::because(name))
}

/// Parses the complete lines of a table.
fn columns(folder: &Folder, name: &str, text: &str) -> Columns {
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    Columns::parse(complete, &folder.path().join(name).display().to_string())
}

/// Reads a JSON file, if it exists.
fn read_json<T: for<'a> Deserialize<'a>>(
    folder: &Folder,
    name: &'static str,
) -> Result<Option<T>, DamagedFile> {
    if !is_file(folder, name)? {
        return Ok(None);
    }
    let text = read_text(folder, name, MAX_NOTE_BYTES)?;
    serde_json::from_str(&text).map(Some).map_err(DamagedFile::because(name))
}
