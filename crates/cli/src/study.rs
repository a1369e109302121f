//! `sim study`: measures the integrators and shows tables.

use crate::output_path::refuse_files_of_runs;
use crate::report::counted;
use crate::stream::{note, print};
use crate::{Failure, NOT_COMPLETE};
use anyhow::Context as _;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use resile_files::{Durability, Folder};
use resile_study::{Extent, Results, STUDIES, Study};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::Instant;

#[derive(Debug, Args)]
pub(crate) struct StudyArguments {
    /// The study to run.
    #[arg(value_enum)]
    study: Choice,
    /// Folder for tables (CSV) and charts (SVG) [default: none are written].
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Replace tables and charts of an earlier study.
    #[arg(long, requires = "output")]
    force: bool,
    /// Run a reduced version that takes seconds instead of minutes.
    #[arg(long)]
    quick: bool,
    /// Steps per second of `rest` and `motion`, such as 60,120,500 [default: 120].
    #[arg(
        long,
        value_name = "NUMBERS",
        value_delimiter = ',',
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    steps_per_second: Vec<u32>,
}

/// The study to run, or all of them as a book.
#[derive(Debug, Clone, Copy)]
enum Choice {
    Study(&'static Study),
    Book,
}

/// All values of the argument.
static CHOICES: LazyLock<Vec<Choice>> =
    LazyLock::new(|| STUDIES.iter().map(Choice::Study).chain([Choice::Book]).collect());

impl ValueEnum for Choice {
    fn value_variants<'a>() -> &'a [Self] {
        &CHOICES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, about) = match self {
            Self::Study(study) => (study.name, study.about),
            Self::Book => (
                "book",
                "All studies except `motion` and `growth` as one page; finished studies are kept",
            ),
        };
        Some(PossibleValue::new(name).help(about))
    }
}

/// A function that writes all studies as a book to a folder; with `true` in their reduced versions.
type WriteBook = fn(Option<&Path>, bool) -> Result<ExitCode, Failure>;

/// Runs a study, prints its tables, and writes the output folder.
pub(crate) fn study(
    arguments: &StudyArguments,
    write_book: WriteBook,
) -> Result<ExitCode, Failure> {
    let takes_steps = match &arguments.study {
        Choice::Study(study) => ["rest", "motion"].contains(&study.name),
        Choice::Book => false,
    };
    if !takes_steps && !arguments.steps_per_second.is_empty() {
        let message = "--steps-per-second is for `sim study rest` and `motion` alone; leave it out";
        return Err(Failure::Input(message.to_owned()));
    }
    let Choice::Study(study) = arguments.study else {
        if arguments.force {
            let message = "error: `sim study book` reuses its own chapters and rewrites all others; omit --force";
            return Err(Failure::Input(message.to_owned()));
        }
        return write_book(arguments.output.as_deref(), arguments.quick);
    };
    if let Some(folder) = &arguments.output
        && !arguments.force
    {
        refuse_earlier_results(study, folder)?;
    }
    let start = Instant::now();
    let watch = |done: &str| note(format_args!("{:7.1} s  {done}", start.elapsed().as_secs_f64()));
    let extent = Extent { quick: arguments.quick, steps_per_second: &arguments.steps_per_second };
    let results = (study.run)(&extent, &watch).map_err(anyhow::Error::from)?;
    for table in &results.tables {
        print(format_args!("{}\n\n{}", table.name, table.text()))?;
    }
    if let Some(folder) = &arguments.output {
        write_results(&results, folder)?;
    }
    watch("done");
    Ok(verdict_exit_code(results.failed_verdicts()))
}

/// Refuses a folder with tables or charts of this study.
fn refuse_earlier_results(study: &Study, folder: &Path) -> Result<(), Failure> {
    if !folder.is_dir() {
        return Ok(());
    }
    let names = Folder::open(folder).and_then(|folder| folder.names());
    let names = names.with_context(|| format!("cannot read {}", folder.display()))?;
    let earlier = names.iter().map(Path::new).find(|name| is_result(study.name, name));
    earlier.map_or(Ok(()), |name| {
        let path = folder.join(name);
        let hint = "already exists; --force replaces it, -o chooses another folder";
        Err(Failure::Input(format!("error: {} {hint}", path.display())))
    })
}

/// Whether a file name is that of a table or chart of a study: `rest.csv`, `rest-bodies.csv`.
fn is_result(study: &str, file: &Path) -> bool {
    let is_of_study = |stem: &str| {
        stem.strip_prefix(study).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let extension = file.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("csv" | "svg"))
        && file.file_stem().and_then(|stem| stem.to_str()).is_some_and(is_of_study)
}

/// The exit code for the number of verdicts that are NO, with a message if there are any.
pub(crate) fn verdict_exit_code(failed_verdicts: usize) -> ExitCode {
    if failed_verdicts == 0 {
        return ExitCode::SUCCESS;
    }
    let verdicts = counted(failed_verdicts, "verdict is", "verdicts are");
    note(format_args!("error: {verdicts} NO: measured values deviate from the expected ones"));
    ExitCode::from(NOT_COMPLETE)
}

/// Writes tables and charts to a folder, which is created if necessary.
pub(crate) fn write_results(results: &Results, folder: &Path) -> Result<(), Failure> {
    let path_of = |name: &str, extension: &str| folder.join(name).with_extension(extension);
    let output_folder = Folder::create(folder);
    let output_folder =
        output_folder.with_context(|| format!("cannot create {}", folder.display()))?;
    let write_file = |path: PathBuf, text: String| -> Result<(), Failure> {
        refuse_files_of_runs(&path)?;
        let name = path.file_name().unwrap_or_default();
        let write_result = output_folder.write(name, text.as_bytes(), Durability::Written);
        Ok(write_result.with_context(|| format!("cannot write {}", path.display()))?)
    };
    for table in results.tables.iter().chain(&results.files) {
        write_file(path_of(&table.name, "csv"), table.csv())?;
    }
    for chart in &results.charts {
        let svg = chart.svg().map_err(anyhow::Error::from)?;
        write_file(path_of(&chart.name, "svg"), svg)?;
    }
    Ok(())
}
