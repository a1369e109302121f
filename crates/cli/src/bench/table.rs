//! A benchmark as a table for terminals.

use super::{Benchmark, Figures, Machine};
use crate::aligned::aligned;
use crate::report::counted;
use std::fmt::Write as _;

const HEADER: [&str; 14] = [
    "scene",
    "steps",
    "seconds",
    "spread",
    "Newton",
    "ms/Newton",
    "CG/Newton",
    "assembly",
    "linear",
    "collision",
    "search",
    "output",
    "other",
    "MiB",
];

/// The machine, and one line per scene.
pub(crate) fn table(benchmark: &Benchmark) -> String {
    let mut out = heading(benchmark);
    if !benchmark.scenes.is_empty() {
        let mut lines = vec![HEADER.map(str::to_owned).to_vec()];
        lines.extend(benchmark.scenes.iter().map(|figures| cells(figures).to_vec()));
        out.push('\n');
        out.push_str(&aligned(&lines, &[]));
    }
    out.truncate(out.trim_end().len());
    out
}

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

fn cells(figures: &Figures) -> [String; 14] {
    let or_dash = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
    };
    let percent = |share: f64| format!("{:.0}%", 100.0 * share);
    let shares = figures.shares;
    let mebibytes = figures.peak_memory_bytes.map(|bytes| bytes as f64 / f64::from(1 << 20));
    [
        figures.scene.clone(),
        figures.steps.to_string(),
        format!("{:.2}", figures.seconds),
        format!("{:.2}", figures.slowest_seconds / figures.fastest_seconds),
        figures.newton_iterations.to_string(),
        or_dash(figures.milliseconds_per_newton, 2),
        or_dash(figures.linear_per_newton, 1),
        percent(shares.assembly),
        percent(shares.linear_solve),
        percent(shares.collision),
        percent(shares.line_search),
        percent(shares.output),
        percent(shares.other),
        or_dash(mebibytes, 0),
    ]
}
