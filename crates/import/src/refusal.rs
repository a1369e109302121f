//! What a foreign file asks for and cannot be had.

use std::fmt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Something in a foreign file that no scene can say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRefusal {
    /// The file it stands in.
    pub file: PathBuf,
    /// Its line, from 1; none of what concerns the whole file.
    pub line: Option<usize>,
    /// What it is, and why it cannot be had.
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

/// Why a foreign file gives no scene.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The system refused.
    #[error("{} cannot be read: {reason}", file.display())]
    Open {
        /// The file.
        file: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Everything that cannot be expressed, in the order of the file.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Refused(Vec<ImportRefusal>),
}

/// Collects refusals, and what is said of substitutes.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) refusals: Vec<ImportRefusal>,
    pub(crate) notes: Vec<String>,
}

impl Findings {
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

    /// Once, however often it happens.
    pub(crate) fn note(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.notes.contains(&what) {
            self.notes.push(what);
        }
    }

    pub(crate) fn into_result<T>(mut self, value: T) -> Result<(T, Vec<String>), ImportError> {
        match self.refusals.is_empty() {
            true => Ok((value, self.notes)),
            false => {
                self.refusals.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
                Err(ImportError::Refused(self.refusals))
            }
        }
    }
}
