//! A benchmark as a table for terminals.

use super::{Benchmark, Figures, Machine};
use crate::aligned::{aligned, table_cells};
use crate::report::counted;
use std::fmt::Write as _;

/// The name of a column, and its cell in a row.
type BenchmarkColumn = (&'static str, fn(&Figures) -> String);

/// The columns in their order.
const COLUMNS: [BenchmarkColumn; 14] = [
    ("scene", |figures| figures.scene.clone()),
    ("steps", |figures| figures.steps.to_string()),
    ("seconds", |figures| format!("{:.2}", figures.seconds)),
    ("spread", |figures| format!("{:.2}", figures.slowest_seconds / figures.fastest_seconds)),
    ("Newton", |figures| figures.newton_iterations.to_string()),
    ("ms/Newton", |figures| or_dash(figures.milliseconds_per_newton, 2)),
    ("CG/Newton", |figures| or_dash(figures.linear_per_newton, 1)),
    ("assembly", |figures| percent(figures.shares.assembly)),
    ("linear", |figures| percent(figures.shares.linear_solve)),
    ("collision", |figures| percent(figures.shares.collision)),
    ("search", |figures| percent(figures.shares.line_search)),
    ("output", |figures| percent(figures.shares.output)),
    ("other", |figures| percent(figures.shares.other)),
    ("MiB", |figures| or_dash(figures.peak_memory_bytes.map(mebibytes), 0)),
];

/// The machine, and one line per scene.
pub(crate) fn table(benchmark: &Benchmark) -> String {
    let mut out = heading(benchmark);
    if !benchmark.scenes.is_empty() {
        out.push('\n');
        out.push_str(&aligned(&table_cells(&COLUMNS, &benchmark.scenes), &[]));
    }
    out.truncate(out.trim_end().len());
    out
}

/// One line with the program, the number of runs and the machine; a second line warns of a build with assertions.
fn heading(benchmark: &Benchmark) -> String {
    let Machine { processor, cores, load, debug_assertions } = &benchmark.machine;
    let threads = counted(benchmark.threads, "thread", "threads");
    let runs = counted(benchmark.runs as usize, "run", "runs");
    let mut out = format!("sim {}: medians of {runs} on {threads}", benchmark.version);
    if let Some(cores) = cores {
        let _ = write!(out, " of {cores}");
    }
    if let Some(processor) = processor {
        let _ = write!(out, ", {processor}");
    }
    if let Some(load) = load {
        let _ = write!(out, "; load before: {load:.2}");
    }
    if *debug_assertions {
        out.push_str("\nthis build contains assertions: use --release for timing");
    }
    out.push('\n');
    out
}

/// A number with this many decimals; `-` if it is missing.
fn or_dash(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}

/// A fraction in whole per cent.
fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}

/// A number of bytes in MiB.
fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
