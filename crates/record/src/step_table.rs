//! Tables with rows for each step, which a resumed run continues.

use super::{OutputError, io};
use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A CSV file whose rows begin with the number of a step, ascending.
#[derive(Debug)]
pub(super) struct StepTable {
    path: PathBuf,
    file: BufWriter<File>,
}

/// Text as a field of a table: in quotes where a comma or a quote would end it (RFC 4180).
pub(super) fn field(text: &str) -> Cow<'_, str> {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text.into(),
    }
}

/// The first step that a table has rows of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beginning {
    FirstStep,
    AnyStep,
}

impl StepTable {
    /// Begins a table.
    pub(super) fn create(path: &Path, header: &str) -> Result<Self, OutputError> {
        let file = File::create(path).map_err(io("create", path))?;
        let mut table = Self { path: path.to_owned(), file: BufWriter::new(file) };
        table.write(&format!("{header}\n"))?;
        Ok(table)
    }

    /// Takes up a table after a step; later rows, and what a killed run left of a
    /// row, are cut off.
    pub(super) fn resume(path: &Path, header: &str, step: u64) -> Result<Self, OutputError> {
        Self::take_up(path, header, step, Beginning::FirstStep)
    }

    /// As [`Self::resume`], for a table that a resumed run may have begun: it may have no
    /// row up to the step, if it was killed before its next checkpoint.
    pub(super) fn resume_late(path: &Path, header: &str, step: u64) -> Result<Self, OutputError> {
        Self::take_up(path, header, step, Beginning::AnyStep)
    }

    fn take_up(
        path: &Path,
        header: &str,
        step: u64,
        beginning: Beginning,
    ) -> Result<Self, OutputError> {
        let text = fs::read_to_string(path).map_err(io("read", path))?;
        let refuse = |reason: &str| OutputError::History {
            path: path.to_owned(),
            step,
            reason: reason.to_owned(),
        };
        let mut lines = text.split_inclusive('\n');
        let first = lines.next().unwrap_or("");
        if first.strip_suffix('\n') != Some(header) {
            return Err(refuse("its columns are not those of this scene"));
        }
        let mut length = first.len();
        let mut last = 0;
        for line in lines.filter(|line| line.ends_with('\n')) {
            let number = line.split(',').next().and_then(|number| number.parse().ok());
            let number: u64 = number.ok_or_else(|| refuse("a row does not begin with a step"))?;
            if number > step {
                break;
            }
            length += line.len();
            last = number;
        }
        if last != step && !(last == 0 && beginning == Beginning::AnyStep) {
            return Err(refuse(&format!("its last row up to there is that of step {last}")));
        }
        let file = OpenOptions::new().append(true).open(path).map_err(io("open", path))?;
        file.set_len(length as u64).map_err(io("shorten", path))?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file) })
    }

    /// Adds rows, each with its end of line.
    pub(super) fn write(&mut self, rows: &str) -> Result<(), OutputError> {
        self.file.write_all(rows.as_bytes()).map_err(io("write", &self.path))
    }

    /// Puts all rows on the disk, so that they are there if a checkpoint that counts on them is.
    pub(super) fn flush(&mut self) -> Result<(), OutputError> {
        self.file.flush().map_err(io("write", &self.path))?;
        self.file.get_ref().sync_data().map_err(io("write", &self.path))
    }
}
