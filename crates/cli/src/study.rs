//! `sim study`: measures the integrators and shows tables.

use crate::place::refuse_files_of_runs;
use crate::report::counted;
use crate::stream::{note, print};
use crate::{Failure, NOT_COMPLETE};
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use resile_files::{Durability, Folder};
use resile_study::{Graph, StudyError, Table, Watch};
use resile_study::{
    avf, barrier, blend, blend_table1, controllers, convergence, drum, explicit, growth,
    manufactured, motion, rebound, rest, shells, spectrum, stability, substeps, table1, table2,
    verification,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

#[derive(Debug, Args)]
pub(crate) struct StudyArguments {
    /// The study to run.
    #[arg(value_enum)]
    study: Study,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Study {
    /// Table 1 of ASEARCH: cost of its scenes.
    Table1,
    /// Table 2 of ASEARCH: a bar thrown against a wall.
    Table2,
    /// Orders of accuracy.
    Convergence,
    /// Stability: step matrices of the linear oscillator.
    Stability,
    /// Control rules for alpha.
    Controllers,
    /// Figure 20 of ASEARCH: a bouncing ball under control rules for alpha.
    Rebound,
    /// Energy conservation of average vector fields.
    Avf,
    /// Gap between surfaces under a pressure.
    Barrier,
    /// Spring, wall and disordered body of BLEND.
    Blend,
    /// Energy by mode after a collision.
    Spectrum,
    /// Decay of a vibration mode of a membrane.
    Drum,
    /// Benchmark of EXPLICIT.
    Explicit,
    /// Table 1 of BLEND: cost of a step.
    #[value(name = "blend-table1")]
    BlendTable1,
    /// Table 2 of BLEND: the midpoint rule with smaller steps.
    Substeps,
    /// Rest, friction and rotation of bodies.
    Rest,
    /// Engineers' static and modal benchmarks.
    Verification,
    /// Test problems of shell elements on three kinds of meshes.
    Shells,
    /// Orders of convergence of elements by manufactured solutions.
    Manufactured,
    /// Share of kinetic energy that displaces nothing, under A-search.
    Motion,
    /// Growth of the cost of a step with the number of bodies and with the resolution.
    Growth,
    /// All studies except `motion` and `growth` as one page; finished studies are kept.
    Book,
}

/// The results of a study.
#[derive(Default)]
pub(crate) struct Results {
    pub(crate) tables: Vec<Table>,
    /// Long tables, which are written to files only.
    pub(crate) files: Vec<Table>,
    pub(crate) charts: Vec<Graph>,
}

impl Results {
    fn shown(table: Table) -> Self {
        Self { tables: vec![table], ..Self::default() }
    }

    /// Number of verdicts that are NO.
    pub(crate) fn missed(&self) -> usize {
        self.tables.iter().chain(&self.files).map(Table::missed).sum()
    }
}

/// Writes all studies as a book to a folder; with `true` quickly.
type WriteBook = fn(Option<&Path>, bool) -> Result<ExitCode, Failure>;

/// Runs a study, prints its tables, and writes the output folder.
pub(crate) fn study(
    arguments: &StudyArguments,
    write_book: WriteBook,
) -> Result<ExitCode, Failure> {
    let takes_steps = matches!(arguments.study, Study::Rest | Study::Motion);
    if !takes_steps && !arguments.steps_per_second.is_empty() {
        let message = "--steps-per-second is for `sim study rest` and `motion` alone; leave it out";
        return Err(Failure::Input(message.to_owned()));
    }
    if arguments.study == Study::Book {
        if arguments.force {
            let message = "error: `sim study book` reuses its own chapters and rewrites all others; omit --force";
            return Err(Failure::Input(message.to_owned()));
        }
        return write_book(arguments.output.as_deref(), arguments.quick);
    }
    if let Some(folder) = &arguments.output
        && !arguments.force
    {
        refuse_earlier_results(arguments.study, folder)?;
    }
    let start = Instant::now();
    let watch = |done: &str| note(format_args!("{:7.1} s  {done}", start.elapsed().as_secs_f64()));
    let results = measure(arguments.study, arguments.quick, &arguments.steps_per_second, &watch)?;
    for table in &results.tables {
        print(format_args!("{}\n\n{}", table.name, table.text()))?;
    }
    if let Some(folder) = &arguments.output {
        write(&results, folder)?;
    }
    watch("done");
    Ok(judged(results.missed()))
}

/// Refuses a folder with tables or charts of this study.
fn refuse_earlier_results(study: Study, folder: &Path) -> Result<(), Failure> {
    if !folder.is_dir() {
        return Ok(());
    }
    let names = Folder::open(folder).and_then(|folder| folder.names());
    let names = names.with_context(|| format!("cannot read {}", folder.display()))?;
    let value = study.to_possible_value();
    let study = value.as_ref().map_or("", |value| value.get_name());
    let earlier = names.iter().map(Path::new).find(|name| is_result(study, name));
    earlier.map_or(Ok(()), |name| {
        let path = folder.join(name);
        let hint = "already exists; --force replaces it, -o chooses another folder";
        Err(Failure::Input(format!("error: {} {hint}", path.display())))
    })
}

/// Whether a file name is that of a table or chart of a study: `rest.csv`, `rest-bodies.csv`.
fn is_result(study: &str, file: &Path) -> bool {
    let of_study = |stem: &str| {
        stem.strip_prefix(study).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let kind = file.extension().and_then(|extension| extension.to_str());
    matches!(kind, Some("csv" | "svg"))
        && file.file_stem().and_then(|stem| stem.to_str()).is_some_and(of_study)
}

/// The exit code, with a message if verdicts are NO.
pub(crate) fn judged(missed: usize) -> ExitCode {
    if missed == 0 {
        return ExitCode::SUCCESS;
    }
    let verdicts = counted(missed, "verdict is", "verdicts are");
    note(format_args!("error: {verdicts} NO: measured values deviate from the expected ones"));
    ExitCode::from(NOT_COMPLETE)
}

/// Runs one study; `steps` per second are for `Rest` and `Motion`.
pub(crate) fn measure(
    study: Study,
    quick: bool,
    steps: &[u32],
    watch: Watch<'_>,
) -> Result<Results, Failure> {
    let measured = match study {
        Study::Table1 => table_1(quick, watch),
        Study::Table2 => Ok(table_2(quick, watch)),
        Study::Convergence => convergence(quick, watch),
        Study::Stability => stability(),
        Study::Controllers => controllers(quick),
        Study::Rebound => rebound(quick, watch),
        Study::Avf => Ok(avf(quick, watch)),
        Study::Barrier => barrier(watch),
        Study::Blend => Ok(blend(quick, watch)),
        Study::Spectrum => spectrum(quick, watch),
        Study::Drum => drum(quick, watch),
        Study::Explicit => Ok(explicit(quick, watch)),
        Study::BlendTable1 => blend_table_1(quick, watch),
        Study::Substeps => substeps(quick, watch),
        Study::Rest => rest(quick, steps, watch),
        Study::Verification => verification(quick, watch),
        Study::Shells => shells(quick, watch),
        Study::Manufactured => manufactured(quick, watch),
        Study::Motion => motion(quick, steps, watch),
        Study::Growth => growth(quick, watch),
        Study::Book => Ok(Results::default()),
    };
    Ok(measured.map_err(anyhow::Error::from)?)
}

fn table_1(quick: bool, watch: Watch<'_>) -> Result<Results, StudyError> {
    let extent = table1::RunExtent::of(quick);
    Ok(Results::shown(table1::table(&table1::measure(extent, watch)?)))
}

fn rebound(quick: bool, watch: Watch<'_>) -> Result<Results, StudyError> {
    let entries = rebound::measure(if quick { 0.6 } else { 10.0 }, watch)?;
    let charts = vec![rebound::chart(&entries)];
    Ok(Results { tables: vec![rebound::table(&entries)], charts, ..Results::default() })
}

fn table_2(quick: bool, watch: Watch<'_>) -> Results {
    let resolutions = &table2::RESOLUTIONS[..if quick { 2 } else { 4 }];
    let entries = table2::measure(resolutions, &table2::SOUND_SPEEDS, watch);
    Results::shown(table2::table(&entries))
}

fn convergence(quick: bool, watch: Watch<'_>) -> Result<Results, StudyError> {
    let mut cases = convergence::SMALL_PROBLEMS.to_vec();
    if !quick {
        cases.extend(convergence::SOLID);
    }
    let entries = convergence::measure(&cases, watch)?;
    let tables = vec![convergence::table(&entries)];
    Ok(Results { tables, files: vec![convergence::errors(&entries)], charts: Vec::new() })
}

fn barrier(watch: Watch<'_>) -> Result<Results, StudyError> {
    let entries = barrier::measure(watch)?;
    let charts = vec![barrier::chart(&entries)];
    Ok(Results { tables: vec![barrier::table(&entries)], charts, ..Results::default() })
}

fn stability() -> Result<Results, StudyError> {
    let entries = stability::measure(20)?;
    let names = [
        "symplectic Euler",
        "Runge-Kutta 4",
        "implicit Euler",
        "A-1",
        "implicit midpoint",
        "BDF2",
        "SDIRK2",
        "decoupled SDIRK2",
    ];
    let figures = stability::appendix_c()?;
    Ok(Results {
        tables: vec![stability::summary(&entries), stability::appendix_c_table(&figures)],
        files: vec![stability::table(&entries)],
        charts: vec![stability::chart(&entries, &names)],
    })
}

fn controllers(quick: bool) -> Result<Results, StudyError> {
    let compared = controllers::compare(&[0.02, 0.2], &[0.1, 0.5])?;
    let resolutions = &[30, 300, 3000][..if quick { 2 } else { 3 }];
    let ablation = controllers::ablation(resolutions)?;
    let tables = vec![
        controllers::table("controllers", &compared),
        controllers::table("controllers-ablation", &ablation),
    ];
    Ok(Results { tables, ..Results::default() })
}

fn avf(quick: bool, watch: Watch<'_>) -> Results {
    let (particle, solid) = if quick { (10_000, 30) } else { (100_000, 1000) };
    Results::shown(avf::table(&avf::measure(particle, solid, watch)))
}

fn blend(quick: bool, watch: Watch<'_>) -> Results {
    let steps = if quick { 100 } else { 1000 };
    let damped = |damping| blend::rest(3, 1.0, damping, steps, watch);
    let rest = [damped(blend::Damping::InTheStep), damped(blend::Damping::AfterTheStep)].concat();
    let tables = vec![
        blend::spring_table(&blend::spring(2000)),
        blend::wall_table(&blend::wall(&[0.1, 1.0, 10.0, 1e8])),
        blend::rest_table(&rest),
    ];
    Results { tables, ..Results::default() }
}

fn spectrum(quick: bool, watch: Watch<'_>) -> Result<Results, StudyError> {
    let resolutions = &[30, 300, 3000][..if quick { 1 } else { 3 }];
    let entries = spectrum::measure(resolutions, &table2::SOUND_SPEEDS, watch)?;
    Ok(Results {
        tables: vec![spectrum::summary(&entries)],
        files: vec![spectrum::table(&entries)],
        charts: spectrum::charts(&entries),
    })
}

fn drum(quick: bool, watch: Watch<'_>) -> Result<Results, StudyError> {
    let rings = if quick { 8 } else { 24 };
    let entries = drum::measure(drum::Drum { rings, speed: 1.0 }, 3, watch)?;
    let (tables, charts) = (vec![drum::table(&entries)], vec![drum::chart(&entries)]);
    Ok(Results { tables, charts, ..Results::default() })
}

fn explicit(quick: bool, watch: Watch<'_>) -> Results {
    let (damping, entries) = explicit::measure(if quick { 0.5 } else { 5.0 }, watch);
    watch(&format!("damping {damping:.1} 1/s"));
    Results::shown(explicit::table(&entries))
}

fn blend_table_1(quick: bool, watch: Watch<'_>) -> Result<Results, StudyError> {
    let (rows, steps) =
        if quick { (&blend_table1::ROWS[..3], 3) } else { (&blend_table1::ROWS[..], u32::MAX) };
    Ok(Results::shown(blend_table1::table(&blend_table1::measure(rows, steps, watch)?)))
}

fn substeps(quick: bool, watch: Watch<'_>) -> Result<Results, StudyError> {
    let substeps = &substeps::SUBSTEPS[..if quick { 1 } else { substeps::SUBSTEPS.len() }];
    Ok(Results::shown(substeps::table(&substeps::measure(substeps, watch)?)))
}

fn rest(quick: bool, steps: &[u32], watch: Watch<'_>) -> Result<Results, StudyError> {
    let methods = &rest::METHODS[..if quick { 1 } else { rest::METHODS.len() }];
    let steps = if steps.is_empty() { &[120] } else { steps };
    let entries = rest::measure(methods, steps, watch)?;
    let (tables, files) = (vec![rest::table(&entries)], vec![rest::bodies(&entries)]);
    Ok(Results { tables, files, ..Results::default() })
}

fn manufactured(quick: bool, watch: Watch<'_>) -> Result<Results, StudyError> {
    let entries = manufactured::measure(quick, watch)?;
    let (tables, charts) = (vec![manufactured::table(&entries)], manufactured::charts(&entries));
    Ok(Results { tables, charts, ..Results::default() })
}

fn motion(quick: bool, steps: &[u32], watch: Watch<'_>) -> Result<Results, StudyError> {
    let steps = if steps.is_empty() { &[120] } else { steps };
    let entries = motion::measure(quick, steps, watch)?;
    let (tables, charts) = (vec![motion::table(&entries)], vec![motion::chart(&entries)]);
    Ok(Results { tables, charts, ..Results::default() })
}

fn growth(quick: bool, watch: Watch<'_>) -> Result<Results, StudyError> {
    let entries = growth::measure(&growth::GrowthPlan::new(quick), watch)?;
    let tables = vec![growth::table(&entries), growth::exponents(&entries)];
    Ok(Results { tables, charts: vec![growth::chart(&entries)], ..Results::default() })
}

fn verification(quick: bool, watch: Watch<'_>) -> Result<Results, StudyError> {
    Ok(Results::shown(verification::table(&verification::measure(quick, watch)?)))
}

fn shells(quick: bool, watch: Watch<'_>) -> Result<Results, StudyError> {
    let entries = shells::measure(quick, watch)?;
    let (tables, charts) = (vec![shells::table(&entries)], shells::charts(&entries));
    Ok(Results { tables, charts, ..Results::default() })
}

/// Writes tables and charts to a folder, which is created if necessary.
pub(crate) fn write(results: &Results, folder: &Path) -> Result<(), Failure> {
    let at = |name: &str, extension: &str| folder.join(name).with_extension(extension);
    let within = Folder::create(folder);
    let within = within.with_context(|| format!("cannot create {}", folder.display()))?;
    let write = |path: PathBuf, text: String| -> Result<(), Failure> {
        refuse_files_of_runs(&path)?;
        let name = path.file_name().unwrap_or_default();
        let written = within.write(name, text.as_bytes(), Durability::Written);
        Ok(written.with_context(|| format!("cannot write {}", path.display()))?)
    };
    for table in results.tables.iter().chain(&results.files) {
        write(at(&table.name, "csv"), table.csv())?;
    }
    for chart in &results.charts {
        let svg = chart.svg().map_err(anyhow::Error::from)?;
        write(at(&chart.name, "svg"), svg)?;
    }
    Ok(())
}
