//! `sim rerun`: repeats a run and compares the results bit by bit.

use crate::options::{SceneArguments, WorkArguments};
use crate::run::RunArguments;
use crate::run::{prepare, run_loaded};
use crate::stream::print;
use crate::{Failure, NOT_COMPLETE, origin};
use anyhow::Context;
use clap::Args;
use resile_files::{Folder, Kind, read_text};
use resile_record::{Columns, RunFolder, SceneChange, Summary};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(crate) struct RerunArguments {
    /// The folder of the run to repeat.
    pub(crate) run: PathBuf,
    /// Folder for the new results [default: that of the run with `-again` appended].
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing run in that folder.
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) work: WorkArguments,
}

/// Repeats the run of a folder, up to its last step, and compares.
pub(crate) fn rerun(arguments: RerunArguments) -> Result<ExitCode, Failure> {
    let RerunArguments { run, output, force, work } = arguments;
    let quiet = work.quiet;
    let old = RunFolder::at(&run);
    let (origin, text) = origin::read(&old)?;
    refuse_mode_shapes(&old)?;
    refuse_changes(&old, origin.change(&text))?;
    let steps = last_step(&old)?;
    // The text already contains the overrides; they are recorded again.
    let set =
        Summary::read(&old.summary()).map_or_else(|_| Vec::new(), |summary| summary.setup.set);
    let folder = match output {
        Some(folder) => folder,
        None => unlinked(rerun_folder(&run))?,
    };
    let scene = SceneArguments::new(origin.scene.clone(), set);
    let mut new = RunArguments::unresumed(scene, Some(folder.clone()), force, work);
    new.steps = Some(steps);
    let prepared = prepare(&new)?;
    let loaded = origin::load(&origin, &old, text)?;
    let code = run_loaded(&new, prepared, loaded)?;
    if code != ExitCode::SUCCESS {
        return Ok(code);
    }
    match difference(&old, &RunFolder::at(&folder), steps)? {
        None if quiet => {}
        None => print(format!("{} is bitwise equal: {steps} steps\n", run.display()))?,
        Some(difference) => {
            crate::stream::note(format_args!("error: the results differ: {difference}"));
            return Ok(ExitCode::from(NOT_COMPLETE));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The default folder of a rerun, beside that of the run.
fn rerun_folder(run: &Path) -> PathBuf {
    let mut name = run.file_name().unwrap_or("run".as_ref()).to_owned();
    name.push("-again");
    run.with_file_name(name)
}

/// The folder if it is no link: that around it and the run may have another owner.
fn unlinked(folder: PathBuf) -> Result<PathBuf, Failure> {
    let kind = Folder::parent_of(&folder).and_then(|(parent, name)| parent.kind(name));
    match kind {
        Ok(Some(Kind::Link)) => Err(Failure::Input(format!(
            "error: {} is a link, which is not followed\n   = help: name a folder with -o",
            folder.display()
        ))),
        _ => Ok(folder),
    }
}

/// Refuses the results of `sim modes` and `sim buckle`.
fn refuse_mode_shapes(run: &RunFolder) -> Result<(), Failure> {
    let command = match (run.modes().exists(), run.buckling().exists()) {
        (true, _) => "sim modes",
        (_, true) => "sim buckle",
        (false, false) => return Ok(()),
    };
    Err(Failure::Input(format!(
        "error: {} holds the results of `{command}`, and `sim rerun` repeats runs\n   = help: repeat the command \
         in {} with another folder, `-o FOLDER`",
        run.path().display(),
        run.origin().display()
    )))
}

/// Refuses runs whose scene was changed during the run.
fn refuse_changes(run: &RunFolder, change: Option<SceneChange>) -> Result<(), Failure> {
    let folder = run.path().display();
    let why = match change {
        None => return Ok(()),
        Some(SceneChange::OnResuming { after_step }) => format!(
            "the run in {folder} was resumed after step {after_step} with another scene, so that \
             it cannot be repeated from its start"
        ),
        Some(SceneChange::ByHand) => {
            format!("{} was changed after the run", run.scene().display())
        }
    };
    Err(Failure::Input(format!(
        "error: {why}\n   = help: `sim run {}` runs the scene as it is now",
        run.scene().display()
    )))
}

/// The number of the last step in the history.
fn last_step(run: &RunFolder) -> Result<u64, Failure> {
    let columns = Columns::read(&run.history())
        .context("history.csv is missing, so there is nothing to compare")?;
    let steps = columns.column("step").unwrap_or_default();
    Ok(steps.last().copied().flatten().unwrap_or(0.0) as u64)
}

/// The first difference of two runs, in words. Only rows up to `steps`, the last step in the old history, are compared:
/// other files of a killed run or of a run in progress may have more rows.
fn difference(old: &RunFolder, new: &RunFolder, steps: u64) -> Result<Option<String>, Failure> {
    let tables = [
        (old.history(), new.history(), LastColumn::WallTime),
        (old.bodies(), new.bodies(), LastColumn::Result),
        (old.poses(), new.poses(), LastColumn::Result),
        (old.contacts(), new.contacts(), LastColumn::Result),
        (old.momentum(), new.momentum(), LastColumn::Result),
        (old.probes(), new.probes(), LastColumn::Result),
    ];
    for (old, new, last_column) in tables {
        let read_context = |path: &Path| format!("{} cannot be read", path.display());
        let old_text = match read_text(&old, u64::MAX) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            result => result.with_context(|| read_context(&old))?,
        };
        let new_text = read_text(&new, u64::MAX).with_context(|| read_context(&new))?;
        if let Some((row, [a, b])) =
            first_row_difference(rows_up_to(&old_text, steps), &new_text, last_column)
        {
            let name = old.file_name().unwrap_or_default().display();
            return Ok(Some(format!("row {row} of {name} was\n  {a}\nand is\n  {b}")));
        }
    }
    first_frame_difference(old, new, steps)
}

/// The rows of a table up to a step, whose number is in the first column; the header is included.
fn rows_up_to(table: &str, steps: u64) -> &str {
    let is_later = |row: &str| {
        row.split(',')
            .next()
            .and_then(|step| step.parse().ok())
            .is_some_and(|step: u64| step > steps)
    };
    let mut end = 0;
    for row in table.split_inclusive('\n').take_while(|row| !is_later(row)) {
        end += row.len();
    }
    &table[..end]
}

/// The name of the first frame that differs. A frame is written before the row of its step, so a killed run may have
/// frames of steps that the rerun does not take; such frames are ignored.
fn first_frame_difference(
    old: &RunFolder,
    new: &RunFolder,
    steps: u64,
) -> Result<Option<String>, Failure> {
    let has_ended = Summary::read(&old.summary()).is_ok_and(|summary| summary.steps_done == steps);
    let open = |run: &RunFolder| Folder::open_unlinked(&run.frames());
    let old_frames = match open(old) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.with_context(|| format!("{} cannot be read", old.frames().display()))?,
    };
    let new_frames =
        open(new).with_context(|| format!("{} cannot be read", new.frames().display()))?;
    let names = old_frames.names().context("the frames cannot be listed")?;
    let names = names.iter().filter(|name| name.to_string_lossy().starts_with("frame_"));
    for name in names.filter(|name| has_ended || !matches!(new_frames.kind(name), Ok(None))) {
        let [a, b] = [&old_frames, &new_frames].map(|frames| frames.read(name, u64::MAX));
        if !matches!((a, b), (Ok(a), Ok(b)) if a == b) {
            return Ok(Some(format!("frames/{}", name.display())));
        }
    }
    Ok(None)
}

/// Meaning of the last column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastColumn {
    /// A result, which is compared.
    Result,
    /// Wall time, which differs between runs and is not compared.
    WallTime,
}

/// The first row that differs, with its number (the header has 0) and both texts. An incomplete last row of the old
/// table is ignored.
fn first_row_difference(
    old: &str,
    new: &str,
    last_column: LastColumn,
) -> Option<(usize, [String; 2])> {
    let complete_rows = old.rfind('\n').map_or("", |end| &old[..end]);
    let compared_part = |line: &str| match last_column {
        LastColumn::Result => line.to_owned(),
        LastColumn::WallTime => line.rsplit_once(',').map_or("", |(before, _)| before).to_owned(),
    };
    let mut new_lines = new.lines();
    let pairs = complete_rows
        .lines()
        .map(|line| [compared_part(line), compared_part(new_lines.next().unwrap_or(""))]);
    pairs.enumerate().find(|(_, [a, b])| a != b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_compared_up_to_the_old_length_without_wall_time() {
        let old = "step,a,seconds\n1,2.5,0.1\n2,3.5,0.2\n3,4";
        let same = "step,a,seconds\n1,2.5,0.9\n2,3.5,0.8\n3,4.5,0.7\n";
        assert_eq!(first_row_difference(old, same, LastColumn::WallTime), None);
        let (row, [a, b]) =
            first_row_difference(old, same, LastColumn::Result).expect("the times differ");
        assert_eq!((row, &*a, &*b), (1, "1,2.5,0.1", "1,2.5,0.9"));
        let other = same.replace("2,3.5", "2,3.6");
        assert_eq!(
            first_row_difference(old, &other, LastColumn::WallTime).expect("a differs").0,
            2
        );
        let short = "step,a,seconds\n1,2.5,0.9\n";
        assert_eq!(
            first_row_difference(old, short, LastColumn::WallTime).expect("one is missing").0,
            2
        );
    }

    #[test]
    fn rows_of_later_steps_are_ignored() {
        let table = "step,a\n1,x\n1,y\n2,x\n3,x\n";
        assert_eq!(rows_up_to(table, 2), "step,a\n1,x\n1,y\n2,x\n");
        assert_eq!(rows_up_to(table, 0), "step,a\n");
        assert_eq!(rows_up_to(table, 9), table);
    }

    #[test]
    fn default_folder_of_a_rerun_is_a_sibling() {
        assert_eq!(rerun_folder(Path::new("out/dice/")), Path::new("out/dice-again"));
    }
}
