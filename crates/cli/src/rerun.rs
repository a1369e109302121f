//! `sim rerun`: repeats a run and compares the results bit by bit.

use crate::options::{SceneArguments, WorkArguments};
use crate::run::RunArguments;
use crate::run::{prepare, take};
use crate::stream::print;
use crate::{Failure, NOT_COMPLETE, origin};
use anyhow::Context;
use clap::Args;
use resile_files::{Folder, read_text};
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
    refuse_shapes(&old)?;
    refuse_changes(&old, origin.change(&text))?;
    let steps = steps_of(&old)?;
    // The text already contains the overrides; they are recorded again.
    let set =
        Summary::read(&old.summary()).map_or_else(|_| Vec::new(), |summary| summary.setup.set);
    let folder = output.unwrap_or_else(|| rerun_folder(&run));
    let scene = SceneArguments { scene: origin.scene.clone(), set };
    let mut new = RunArguments::unresumed(scene, Some(folder.clone()), force, work);
    new.steps = Some(steps);
    let prepared = prepare(&new)?;
    let loaded = origin::load(&origin, &old, text)?;
    let code = take(&new, prepared, loaded)?;
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

fn rerun_folder(run: &Path) -> PathBuf {
    let mut name = run.file_name().unwrap_or("run".as_ref()).to_owned();
    name.push("-again");
    run.with_file_name(name)
}

/// Refuses the results of analyses without steps (modes and buckling).
fn refuse_shapes(run: &RunFolder) -> Result<(), Failure> {
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

/// The last step of the history.
fn steps_of(run: &RunFolder) -> Result<u64, Failure> {
    let columns = Columns::read(&run.history())
        .context("history.csv is missing, so there is nothing to compare")?;
    let steps = columns.column("step").unwrap_or_default();
    Ok(steps.last().copied().flatten().unwrap_or(0.0) as u64)
}

/// The first difference of two runs, up to the given step of the old history. A run in progress or a killed
/// run may have written more.
fn difference(old: &RunFolder, new: &RunFolder, steps: u64) -> Result<Option<String>, Failure> {
    let tables = [
        (old.history(), new.history(), LastColumn::IsWallTime),
        (old.bodies(), new.bodies(), LastColumn::Counts),
        (old.poses(), new.poses(), LastColumn::Counts),
        (old.contacts(), new.contacts(), LastColumn::Counts),
        (old.momentum(), new.momentum(), LastColumn::Counts),
        (old.probes(), new.probes(), LastColumn::Counts),
    ];
    for (old, new, last) in tables {
        let unread = |path: &Path| format!("{} cannot be read", path.display());
        let before = match read_text(&old, u64::MAX) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            read => read.with_context(|| unread(&old))?,
        };
        let after = read_text(&new, u64::MAX).with_context(|| unread(&new))?;
        if let Some((row, [a, b])) = rows_differ(up_to(&before, steps), &after, last) {
            let name = old.file_name().unwrap_or_default().display();
            return Ok(Some(format!("row {row} of {name} was\n  {a}\nand is\n  {b}")));
        }
    }
    frame_that_differs(old, new, steps)
}

/// The complete rows of a table up to a step.
fn up_to(table: &str, steps: u64) -> &str {
    let later = |row: &str| {
        row.split(',')
            .next()
            .and_then(|step| step.parse().ok())
            .is_some_and(|step: u64| step > steps)
    };
    let mut end = 0;
    for row in table.split_inclusive('\n').take_while(|row| !later(row)) {
        end += row.len();
    }
    &table[..end]
}

/// The first frame that differs. Frames are written before rows, so a killed run may have more frames than
/// rows.
fn frame_that_differs(
    old: &RunFolder,
    new: &RunFolder,
    steps: u64,
) -> Result<Option<String>, Failure> {
    let ended = Summary::read(&old.summary()).is_ok_and(|summary| summary.steps_done == steps);
    let open = |run: &RunFolder| Folder::open_unlinked(&run.frames());
    let before = match open(old) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.with_context(|| format!("{} cannot be read", old.frames().display()))?,
    };
    let after = open(new).with_context(|| format!("{} cannot be read", new.frames().display()))?;
    let names = before.names().context("the frames cannot be listed")?;
    let names = names.iter().filter(|name| name.to_string_lossy().starts_with("frame_"));
    for name in names.filter(|name| ended || !matches!(after.kind(name), Ok(None))) {
        let [a, b] = [&before, &after].map(|frames| frames.read(name, u64::MAX));
        if !matches!((a, b), (Ok(a), Ok(b)) if a == b) {
            return Ok(Some(format!("frames/{}", name.display())));
        }
    }
    Ok(None)
}

/// Whether the last column is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastColumn {
    Counts,
    IsWallTime,
}

/// The first row, from 1, that differs. An incomplete last row is ignored.
fn rows_differ(old: &str, new: &str, last: LastColumn) -> Option<(usize, [String; 2])> {
    let complete = old.rfind('\n').map_or("", |end| &old[..end]);
    let compared = |line: &str| match last {
        LastColumn::Counts => line.to_owned(),
        LastColumn::IsWallTime => line.rsplit_once(',').map_or("", |(before, _)| before).to_owned(),
    };
    let mut others = new.lines();
    let pairs =
        complete.lines().map(|line| [compared(line), compared(others.next().unwrap_or(""))]);
    pairs.enumerate().find(|(_, [a, b])| a != b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_compared_up_to_the_old_length_without_wall_time() {
        let old = "step,a,seconds\n1,2.5,0.1\n2,3.5,0.2\n3,4";
        let same = "step,a,seconds\n1,2.5,0.9\n2,3.5,0.8\n3,4.5,0.7\n";
        assert_eq!(rows_differ(old, same, LastColumn::IsWallTime), None);
        let (row, [a, b]) = rows_differ(old, same, LastColumn::Counts).expect("the times differ");
        assert_eq!((row, &*a, &*b), (1, "1,2.5,0.1", "1,2.5,0.9"));
        let other = same.replace("2,3.5", "2,3.6");
        assert_eq!(rows_differ(old, &other, LastColumn::IsWallTime).expect("a differs").0, 2);
        let short = "step,a,seconds\n1,2.5,0.9\n";
        assert_eq!(rows_differ(old, short, LastColumn::IsWallTime).expect("one is missing").0, 2);
    }

    #[test]
    fn rows_of_later_steps_are_ignored() {
        let table = "step,a\n1,x\n1,y\n2,x\n3,x\n";
        assert_eq!(up_to(table, 2), "step,a\n1,x\n1,y\n2,x\n");
        assert_eq!(up_to(table, 0), "step,a\n");
        assert_eq!(up_to(table, 9), table);
    }

    #[test]
    fn default_folder_of_a_rerun_is_a_sibling() {
        assert_eq!(rerun_folder(Path::new("out/dice/")), Path::new("out/dice-again"));
    }
}
