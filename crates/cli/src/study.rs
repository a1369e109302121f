//! `sim study`: measures the integrators and shows tables.

use crate::Failure;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use resile_study::{Chart, Table, Watch, table2};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

#[derive(Debug, Args)]
pub(crate) struct StudyArguments {
    /// What to measure.
    #[arg(value_enum)]
    study: Study,
    /// Folder for tables (CSV) and charts (SVG); none are written if it is not given.
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Less of it, in seconds instead of minutes.
    #[arg(long)]
    quick: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Study {
    /// ASEARCH's Table 2: a bar thrown against a wall.
    Table2,
}

/// What a study leaves behind.
#[derive(Default)]
struct Results {
    tables: Vec<Table>,
    /// Tables that are too long to be shown.
    files: Vec<Table>,
    charts: Vec<Chart>,
}

impl Results {
    fn shown(table: Table) -> Self {
        Self { tables: vec![table], ..Self::default() }
    }
}

/// Measures, shows the tables, and writes what was asked for.
pub(crate) fn study(arguments: &StudyArguments) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let watch = |done: &str| eprintln!("{:7.1} s  {done}", start.elapsed().as_secs_f64());
    let results = measure(arguments, &watch)?;
    for table in &results.tables {
        println!("{}\n\n{}", table.name, table.text());
    }
    if let Some(folder) = &arguments.output {
        write(&results, folder)?;
    }
    watch("done");
    Ok(ExitCode::SUCCESS)
}

fn measure(arguments: &StudyArguments, watch: Watch<'_>) -> Result<Results, Failure> {
    let quick = arguments.quick;
    Ok(match arguments.study {
        Study::Table2 => {
            let resolutions = &table2::RESOLUTIONS[..if quick { 2 } else { 4 }];
            let entries = table2::measure(resolutions, &table2::SOUND_SPEEDS, watch);
            Results::shown(table2::table(&entries))
        }
    })
}

fn write(results: &Results, folder: &Path) -> Result<(), Failure> {
    let at = |name: &str, extension: &str| folder.join(name).with_extension(extension);
    let write = |path: PathBuf, text: String| {
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    for table in results.tables.iter().chain(&results.files) {
        write(at(&table.name, "csv"), table.csv())?;
    }
    for chart in &results.charts {
        let svg = chart.svg().map_err(anyhow::Error::from)?;
        write(at(&chart.name, "svg"), svg)?;
    }
    Ok(())
}
