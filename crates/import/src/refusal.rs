//! Unsupported features of foreign files.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A feature of a foreign file that a scene cannot express.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRefusal {
    /// File that contains it.
    pub file: PathBuf,
    /// Line number, from 1; `None` if it concerns the whole file.
    pub line: Option<usize>,
    /// Description of the feature, and the reason for the refusal.
    pub what: String,
}

impl fmt::Display for ImportRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.what)
    }
}

/// Errors of importing a foreign file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file cannot be read.
    #[error("{} cannot be read: {reason}", file.display())]
    Open {
        /// Path of the file.
        file: PathBuf,
        /// Reason.
        reason: String,
    },
    /// Everything that cannot be expressed, in the order of the file.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Refused(Vec<ImportRefusal>),
}

/// Collects refusals, and notes about substitutes.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) refusals: Vec<ImportRefusal>,
    pub(crate) notes: Vec<String>,
}

impl Findings {
    /// Adds a refusal at a line of a file, or of the whole file.
    pub(crate) fn refuse(
        &mut self,
        file: &Path,
        line: impl Into<Option<usize>>,
        what: impl Into<String>,
    ) {
        self.refusals.push(ImportRefusal {
            file: file.to_owned(),
            line: line.into(),
            what: what.into(),
        });
    }

    /// Adds a note unless it exists already.
    pub(crate) fn note(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.notes.contains(&what) {
            self.notes.push(what);
        }
    }

    /// Returns `value` with the notes, or an error with all different refusals in the order of files and lines if there are
    /// any.
    pub(crate) fn into_result<T>(mut self, value: T) -> Result<(T, Vec<String>), ImportError> {
        match self.refusals.is_empty() {
            true => Ok((value, self.notes)),
            false => {
                let mut seen = BTreeSet::new();
                self.refusals.retain(|refusal| seen.insert(refusal.to_string()));
                self.refusals.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
                Err(ImportError::Refused(self.refusals))
            }
        }
    }
}
