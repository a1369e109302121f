//! Outcome of a run, as recorded in its folder.

use resile_files::{Folder, Kind};
use resile_record::{Columns, Status, Summary};
use serde::{Deserialize, Serialize};
use std::io;

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
const HISTORY: &str = "history.csv";
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

impl Outcome {
    /// The outcome of a run that has not begun.
    pub(crate) fn not_run() -> Self {
        let (steps, time, wall_seconds, reason) = (None, None, None, String::new());
        Self { state: State::NotRun, steps, time, wall_seconds, reason }
    }

    /// Reads the outcome of a run from its folder.
    pub(crate) fn read(folder: &Folder) -> io::Result<Self> {
        if let Some(failure) = read_json::<RunFailure>(folder, FAILURE)? {
            return Ok(Self { state: State::Failed, reason: failure.reason, ..Self::not_run() });
        }
        let Some(summary) = read_json::<Summary>(folder, SUMMARY)? else {
            let has_started = folder.kind(CHECKPOINT)?.is_some();
            let state = if has_started { State::Interrupted } else { State::NotRun };
            return Ok(Self { state, ..Self::not_run() });
        };
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
pub(crate) fn history(folder: &Folder) -> io::Result<Columns> {
    let text = folder.read_text(HISTORY, NO_LIMIT)?;
    Ok(Columns::parse(&text, &folder.path().join(HISTORY).display().to_string()))
}

/// Reads the table of an equilibrium path, if the run followed one.
pub(crate) fn equilibrium_path(folder: &Folder) -> io::Result<Option<Columns>> {
    match folder.kind(PATH_FILE)? {
        Some(Kind::File { .. } | Kind::Link) => {
            let text = folder.read_text(PATH_FILE, NO_LIMIT)?;
            Ok(Some(Columns::parse(&text, &folder.path().join(PATH_FILE).display().to_string())))
        }
        _ => Ok(None),
    }
}

/// The text of `probes.csv`; empty if it is not there.
pub(crate) fn probes(folder: &Folder) -> io::Result<String> {
    match folder.kind(PROBES_FILE)? {
        Some(Kind::File { .. } | Kind::Link) => folder.read_text(PROBES_FILE, NO_LIMIT),
        _ => Ok(String::new()),
    }
}

/// Reads a JSON file, if it exists.
fn read_json<T: for<'a> Deserialize<'a>>(folder: &Folder, name: &str) -> io::Result<Option<T>> {
    if !matches!(folder.kind(name)?, Some(Kind::File { .. } | Kind::Link)) {
        return Ok(None);
    }
    let text = folder.read_text(name, MAX_NOTE_BYTES)?;
    serde_json::from_str(&text).map(Some).map_err(|error| {
        let path = folder.path().join(name);
        io::Error::new(io::ErrorKind::InvalidData, format!("{}: {error}", path.display()))
    })
}
