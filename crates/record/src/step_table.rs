//! Tables with rows per step, which a resumed run continues.

use super::atomic::{NO_LIMIT, begin};
use super::labels::ColumnLabels;
use super::{Fingerprint, OutputError, io};
use resile_files::{Durability, File, Folder, read, sync_contents};
use serde::{Deserialize, Serialize};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A CSV file whose rows begin with ascending step numbers.
#[derive(Debug)]
pub(super) struct StepTable {
    path: PathBuf,
    file: BufWriter<File>,
    labels: ColumnLabels,
    extent: TableExtent,
    truncation: Truncation,
}

/// State of the truncation of the rows after the checkpoint. It is deferred to the first write, because a resumption
/// that is rejected must not change the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truncation {
    Pending,
    Done,
}

/// Steps for which a table has rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepsWithRows {
    /// Every step, or none (if there are only affine bodies, which have poses).
    All,
    /// Some steps (bodies are not always in contact).
    Some,
}

/// Extent of a table at a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableExtent {
    /// Length in bytes, including the header.
    pub bytes: u64,
    /// [`Fingerprint`] of these bytes.
    pub checksum: u64,
}

impl TableExtent {
    /// Extent of an empty file.
    pub const EMPTY: Self = Self { bytes: 0, checksum: Fingerprint::EMPTY.value() };

    /// Extent after appending `text`.
    fn extended_by(self, text: &str) -> Self {
        let checksum = Fingerprint::from_value(self.checksum).with(text.as_bytes()).value();
        Self { bytes: self.bytes + text.len() as u64, checksum }
    }
}

impl StepTable {
    /// Creates a table with its header.
    pub(super) fn create(path: &Path, labels: ColumnLabels) -> Result<Self, OutputError> {
        let header_line = format!("{}\n", labels.header());
        let mut file = begin(path)?;
        // The header identifies the folder as a run's even if the run is killed at once.
        let write_result = file.write_all(header_line.as_bytes());
        let file = write_result.and_then(|()| file.keep(Durability::Written));
        let file = file.map_err(io("write", path))?;
        let extent = TableExtent::EMPTY.extended_by(&header_line);
        Ok(Self {
            path: path.to_owned(),
            file: BufWriter::new(file),
            labels,
            extent,
            truncation: Truncation::Done,
        })
    }

    /// Resumes a table after a step, at which it had this extent. Later rows of a killed run are truncated before the
    /// next row is written.
    ///
    /// # Errors
    /// If the table is missing, has other columns, or its contents up to the extent are not those of the step.
    pub(super) fn resume(
        path: &Path,
        labels: ColumnLabels,
        step: u64,
        steps_with_rows: StepsWithRows,
        extent: TableExtent,
    ) -> Result<Self, OutputError> {
        let refuse = |reason| refusal(path, step, reason);
        let bytes = match read(path, NO_LIMIT) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(refuse("it is missing".to_owned()));
            }
            result => result.map_err(io("read", path))?,
        };
        if bytes.split(|&byte| byte == b'\n').next() != Some(labels.header().as_bytes()) {
            return Err(refuse("its columns or units are not those of this scene".to_owned()));
        }
        let content = usize::try_from(extent.bytes).ok().and_then(|length| bytes.get(..length));
        let intact_content =
            content.filter(|content| Fingerprint::EMPTY.with(content).value() == extent.checksum);
        let Some(content) = intact_content else {
            return Err(refuse(describe_damage(&bytes, step)));
        };
        let is_consistent = |last_step: u64| match steps_with_rows {
            StepsWithRows::All => last_step == step,
            StepsWithRows::Some => last_step <= step,
        };
        let last_step = step_numbers(content).last().flatten();
        if let Some(last_step) = last_step.filter(|&last_step| !is_consistent(last_step)) {
            return Err(refuse(format!("its last row up to there is that of step {last_step}")));
        }
        Self::append_after(path, labels, extent)
    }

    /// Resumes a table that the checkpoint of a step does not list, because the killed run began it after the
    /// checkpoint: all its rows are truncated.
    fn resume_late(path: &Path, labels: ColumnLabels, step: u64) -> Result<Self, OutputError> {
        let text = read(path, NO_LIMIT).map_err(io("read", path))?;
        let refuse = |reason| refusal(path, step, reason);
        let header_line = format!("{}\n", labels.header());
        if header_line.as_bytes().starts_with(&text) {
            // The file is empty or has an incomplete header.
            return Self::create(path, labels);
        }
        if !text.starts_with(header_line.as_bytes()) {
            return Err(refuse("its columns or units are not those of this scene".to_owned()));
        }
        if step_numbers(&text).any(|row| row.is_none_or(|row| row <= step)) {
            let reason = "it has rows of earlier steps, of which the checkpoint does not know; \
                          move it away";
            return Err(refuse(reason.to_owned()));
        }
        Self::append_after(path, labels, TableExtent::EMPTY.extended_by(&header_line))
    }

    /// Resumes a table, whether the checkpoint of a step lists it or not.
    pub(super) fn resume_any(
        path: &Path,
        labels: ColumnLabels,
        step: u64,
        steps_with_rows: StepsWithRows,
        extent: Option<TableExtent>,
    ) -> Result<Self, OutputError> {
        match extent {
            Some(extent) => Self::resume(path, labels, step, steps_with_rows, extent),
            None => Self::resume_late(path, labels, step),
        }
    }

    /// Resumes, after a step, a table that checkpoints never list. Incomplete rows and those of later steps are
    /// truncated before the next row is written.
    pub(super) fn resume_up_to(
        path: &Path,
        labels: ColumnLabels,
        step: u64,
    ) -> Result<Self, OutputError> {
        let text = read(path, NO_LIMIT).map_err(io("read", path))?;
        let header_line = format!("{}\n", labels.header());
        if header_line.as_bytes().starts_with(&text) {
            return Self::create(path, labels);
        }
        if !text.starts_with(header_line.as_bytes()) {
            let reason = "its columns or units are not those of this version and scene".to_owned();
            return Err(refusal(path, step, reason));
        }
        let rows = text.split_inclusive(|&byte| byte == b'\n').skip(1).zip(step_numbers(&text));
        let kept_rows = rows.take_while(|(_, row)| row.is_some_and(|row| row <= step));
        let bytes = header_line.len() + kept_rows.map(|(row, _)| row.len()).sum::<usize>();
        let checksum = Fingerprint::EMPTY.with(&text[..bytes]).value();
        Self::append_after(path, labels, TableExtent { bytes: bytes as u64, checksum })
    }

    /// Opens an existing table to append rows after `extent`.
    fn append_after(
        path: &Path,
        labels: ColumnLabels,
        extent: TableExtent,
    ) -> Result<Self, OutputError> {
        let opened = Folder::parent_of(path).and_then(|(folder, name)| folder.open_to_append(name));
        let file = opened.map_err(io("open", path))?;
        Ok(Self {
            path: path.to_owned(),
            file: BufWriter::new(file),
            labels,
            extent,
            truncation: Truncation::Pending,
        })
    }

    /// Extent of the rows written so far.
    pub(super) fn extent(&self) -> TableExtent {
        self.extent
    }

    /// Adds rows in SI, each with its end of line; the file has them in the units of its labels.
    pub(super) fn write(&mut self, rows: &str) -> Result<(), OutputError> {
        self.truncate_rows()?;
        let rows = self.labels.rows(rows);
        self.extent = self.extent.extended_by(&rows);
        self.file.write_all(rows.as_bytes()).map_err(io("write", &self.path))
    }

    /// Syncs all rows to disk, before a checkpoint that refers to them is written.
    pub(super) fn flush(&mut self) -> Result<(), OutputError> {
        self.truncate_rows()?;
        self.file.flush().map_err(io("write", &self.path))?;
        sync_contents(self.file.get_ref()).map_err(io("write", &self.path))
    }

    /// Truncates the rows after the extent, if that is pending.
    fn truncate_rows(&mut self) -> Result<(), OutputError> {
        if self.truncation == Truncation::Pending {
            self.file.get_ref().set_len(self.extent.bytes).map_err(io("shorten", &self.path))?;
            self.truncation = Truncation::Done;
        }
        Ok(())
    }
}

/// The error for a table that cannot be continued after a step.
fn refusal(path: &Path, step: u64, reason: String) -> OutputError {
    OutputError::History { path: path.to_owned(), step, reason }
}

/// The step numbers of the complete rows of a table; `None` for a row without a step number.
fn step_numbers(table: &[u8]) -> impl Iterator<Item = Option<u64>> {
    let rows = table.split_inclusive(|&byte| byte == b'\n').skip(1);
    let complete = rows.filter(|row| row.ends_with(b"\n"));
    complete.map(|row| {
        let number = row.split(|&byte| byte == b',').next()?;
        std::str::from_utf8(number).ok()?.parse().ok()
    })
}

/// Describes how a table, whose checksum at this step is wrong, is damaged.
fn describe_damage(table: &[u8], step: u64) -> String {
    let count_commas = |row: &[u8]| {
        // Commas within quotes do not separate cells; every second part of the row is outside of quotes.
        let unquoted = row.split(|&byte| byte == b'"').step_by(2);
        unquoted.map(|part| part.iter().filter(|&&byte| byte == b',').count()).sum::<usize>()
    };
    let lines = || table.split_inclusive(|&byte| byte == b'\n');
    let commas_of_header = lines().next().map_or(0, count_commas);
    let mut last_step = 0;
    for (line, (row, number)) in (2u64..).zip(lines().skip(1).zip(step_numbers(table))) {
        match number {
            Some(number) if number > step => break,
            Some(number) if number > last_step + 1 => {
                let missing = last_step + 1;
                return format!("the row of step {missing} is missing before line {line}");
            }
            Some(number) if number < last_step => {
                return format!("line {line} is out of order");
            }
            Some(number) if count_commas(row) == commas_of_header => last_step = number,
            _ => return format!("line {line} is no row of it"),
        }
    }
    if last_step < step {
        return format!("its last row up to there is that of step {last_step}");
    }
    "it has been changed since it was written".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_math::units::Units;
    use std::fs;

    const ROWS: [&str; 4] = ["1,a,0.5\n", "1,\"b,c\",0.5\n", "2,a,0.25\n", "2,\"b,c\",0.25\n"];

    fn labels() -> ColumnLabels {
        ColumnLabels::new("step,body,x [m]", Units::Metres)
    }

    /// Resumes the table at `path` after step 2.
    fn resume_after_two(path: &Path, known: TableExtent) -> Result<StepTable, OutputError> {
        StepTable::resume(path, labels(), 2, StepsWithRows::All, known)
    }

    #[test]
    fn table_with_rows_of_some_steps_resumes_after_a_step_without_rows() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("t.csv");
        let known = table(&path);
        let resume = |rows| StepTable::resume(&path, labels(), 4, rows, known);
        assert!(matches!(resume(StepsWithRows::All), Err(OutputError::History { .. })));
        assert!(resume(StepsWithRows::Some).is_ok());
        let before = StepTable::resume(&path, labels(), 1, StepsWithRows::Some, known);
        assert!(matches!(before, Err(OutputError::History { .. })), "rows of later steps");
    }

    /// A table with a checkpoint at step 2 and one later row.
    fn table(path: &Path) -> TableExtent {
        let mut table = StepTable::create(path, labels()).expect("the folder can be written");
        ROWS.iter().for_each(|row| table.write(row).expect("the folder can be written"));
        table.flush().expect("the folder can be written");
        let known = table.extent();
        table.write("3,a,0.125\n").and_then(|()| table.flush()).expect("it can be written");
        known
    }

    #[test]
    fn any_changed_byte_before_the_checkpoint_is_rejected_without_effect() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("t.csv");
        let known = table(&path);
        let good = fs::read(&path).expect("it was written");
        let resume = || resume_after_two(&path, known);
        for at in 0..known.bytes as usize {
            for change in [1, 0x10, 0x80] {
                let mut bytes = good.clone();
                bytes[at] ^= change;
                fs::write(&path, &bytes).expect("the folder can be written");
                assert!(matches!(resume(), Err(OutputError::History { .. })), "byte {at}");
                assert_eq!(fs::read(&path).expect("it is there"), bytes);
            }
            fs::write(&path, &good[..at]).expect("the folder can be written");
            assert!(matches!(resume(), Err(OutputError::History { .. })), "cut at {at}");
        }
        fs::write(&path, &good).expect("the folder can be written");
        let mut table = resume().expect("it is whole");
        assert_eq!(fs::read(&path).expect("it is there"), good, "nothing is cut before a row");
        table.write("3,a,1.0\n").and_then(|()| table.flush()).expect("it can be written");
        let text = fs::read_to_string(&path).expect("it is there");
        assert_eq!(text, format!("step,body,x\n{}3,a,1.0\n", ROWS.concat()));
    }

    #[test]
    fn error_names_the_faulty_row() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("t.csv");
        let known = table(&path);
        let said = |rows: &[&str]| {
            fs::write(&path, format!("step,body,x\n{}", rows.concat())).expect("it can be written");
            let refused = resume_after_two(&path, known);
            refused.expect_err("it is damaged").to_string()
        };
        let [a, b, c, d] = ROWS;
        assert!(said(&[c, d]).contains("the row of step 1 is missing before line 2"));
        assert!(said(&[a, b, "2,a\n", d]).contains("line 4 is no row of it"));
        assert!(said(&[a, b, "x,a,1\n", d]).contains("line 4 is no row of it"));
        assert!(said(&[a, c, b, d]).contains("line 4 is out of order"));
        assert!(said(&[a, b]).contains("its last row up to there is that of step 1"));
        assert!(said(&[a, b, c, "2,\"b,d\",0.25\n"]).contains("it has been changed"));
        assert!(said(&[a, b, c]).contains("it has been changed"));
        fs::remove_file(&path).expect("it is there");
        let refused = resume_after_two(&path, known);
        assert!(refused.expect_err("it is gone").to_string().contains("it is missing"));
    }

    #[test]
    fn table_unknown_to_the_checkpoint_resumes_only_after_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("t.csv");
        let begin = |text: &str| {
            fs::write(&path, text).expect("the folder can be written");
            StepTable::resume_late(&path, labels(), 2)
        };
        for text in ["", "step,bo", "step,body,x\n", "step,body,x\n3,a,1\n3,b", "step,body,x\n3,"] {
            let mut table = begin(text).expect(text);
            table.write("3,a,2\n").and_then(|()| table.flush()).expect("it can be written");
            assert_eq!(fs::read_to_string(&path).expect("it is there"), "step,body,x\n3,a,2\n");
        }
        for text in ["step,body,x\n2,a,1\n", "step,body\n", "notes", "step,body,x\nx,a,1\n"] {
            assert!(matches!(begin(text), Err(OutputError::History { .. })), "{text}");
            assert_eq!(fs::read_to_string(&path).expect("it is there"), text);
        }
    }
}
