//! The chart beside a trace: the Newton steps of the island and time step with most iterations.

use crate::atomic::NO_LIMIT;
use crate::labels::name_and_unit;
use crate::{OutputError, io, write_atomically};
use resile_plot::{Axis, Curve, Graph, Marks};
use std::collections::BTreeMap;
use std::path::Path;

/// Values of the column `cut`, with their names in the legend, in its order.
const REDUCTION_MARKS: [(&str, &str); 8] = [
    ("none", "whole step"),
    ("impact", "cut by impact"),
    ("element", "cut by element"),
    ("bound", "cut by bound"),
    ("decrease", "cut by decrease"),
    ("turned", "turned"),
    ("extended", "extended"),
    ("refused", "refused"),
];

/// The chart of a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct TracePlot {
    graph: Graph,
}

/// The plotted cells of a row.
#[derive(Debug, Clone, Copy)]
struct PlottedRow<'a> {
    step: &'a str,
    time: &'a str,
    island: &'a str,
    newton_step: f64,
    cut: &'a str,
}

/// Name of the horizontal axis, and the beginning of the name of the vertical axis, up to its unit.
const X_NAME: &str = "iteration of the island within the step";
const Y_NAME: &str = "Newton step (";

impl TracePlot {
    /// Chart of the island and step with most iterations of solves for positions (the first of several); `None`
    /// without such solves.
    ///
    /// # Errors
    /// If the trace cannot be read, or lacks a column.
    pub fn of_trace(trace: &Path, name: &str) -> Result<Option<Self>, OutputError> {
        let text = resile_files::read_text(trace, NO_LIMIT).map_err(io("read", trace))?;
        let (rows, unit) = plotted_rows(&text, trace)?;
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        rows.iter().for_each(|row| *counts.entry((row.step, row.island)).or_default() += 1);
        let max_count = counts.values().copied().max().unwrap_or(0);
        let first = rows.iter().find(|row| counts[&(row.step, row.island)] == max_count);
        let Some(PlottedRow { step, time, island, .. }) = first else { return Ok(None) };
        let is_selected = |row: &&PlottedRow<'_>| (row.step, row.island) == (*step, *island);
        let selected: Vec<&PlottedRow<'_>> = rows.iter().filter(is_selected).collect();
        let title = format!("{name}, step {step} (t = {time} s), {island}: {max_count} iterations");
        Ok(graph(title, unit, &selected).map(|graph| Self { graph }))
    }

    /// Whether a file with this content is such a chart: an SVG with the names of its axes.
    pub(crate) fn is_chart(svg: &str) -> bool {
        svg.starts_with("<svg") && [X_NAME, Y_NAME].iter().all(|name| svg.contains(name))
    }

    /// Writes the chart.
    ///
    /// # Errors
    /// If it cannot be drawn, or the system refuses.
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        write_atomically(path, self.graph.svg()?.as_bytes())
    }
}

/// The rows of a trace that solve for positions, and the unit of their Newton steps; incomplete rows are left out. Only
/// the cells up to the island are split, because cells before it contain no commas.
fn plotted_rows<'a>(
    text: &'a str,
    file: &Path,
) -> Result<(Vec<PlottedRow<'a>>, &'a str), OutputError> {
    let mut lines = text.lines();
    let labels = lines.next().unwrap_or("").split(',').map(name_and_unit);
    let (names, units): (Vec<&str>, Vec<Option<&str>>) = labels.unzip();
    let column_index = |name: &str| {
        let index = names.iter().position(|other| *other == name);
        let (file, column) = (file.display().to_string(), name.to_owned());
        index.ok_or(OutputError::NoColumn { file, column })
    };
    let [step, time] = [column_index("step")?, column_index("time")?];
    let [newton_step, cut] = [column_index("newton_step")?, column_index("cut")?];
    let [unknowns, island] = [column_index("unknowns")?, column_index("island")?];
    let row = |line: &'a str| {
        let cells: Vec<&str> = line.splitn(island + 1, ',').collect();
        let newton_step = cells.get(newton_step)?.parse().ok()?;
        let (step, time, cut) = (cells[step], cells[time], cells[cut]);
        let island = first_cell(cells.get(island)?);
        (cells[unknowns] == "positions").then_some(PlottedRow {
            step,
            time,
            island,
            newton_step,
            cut,
        })
    };
    Ok((lines.filter_map(row).collect(), units[newton_step].unwrap_or("m/s")))
}

/// The first of comma-separated cells; it may be quoted.
fn first_cell(cells: &str) -> &str {
    let end_at = |cells: &str, separator: char| cells.find(separator).unwrap_or(cells.len());
    match cells.strip_prefix('"') {
        Some(quoted) => &quoted[..end_at(quoted, '"')],
        None => &cells[..end_at(cells, ',')],
    }
}

/// The graph of the Newton step of each iteration, with one set of dots for each cause that limited the step. `None` if
/// no step is positive.
fn graph(title: String, unit: &str, rows: &[&PlottedRow<'_>]) -> Option<Graph> {
    let steps = rows.iter().map(|row| row.newton_step).filter(|step| *step > 0.0);
    let (low, high) = resile_plot::extremes(steps);
    if low > high {
        return None;
    }
    let curve = |(color_index, (cut, name)): (usize, &(&str, &str))| {
        let points = (1..).zip(rows).filter(|(_, row)| row.cut == *cut);
        let points: Vec<(f64, f64)> =
            points.map(|(k, row)| (f64::from(k), row.newton_step)).collect();
        (!points.is_empty()).then(|| Curve::new(*name, color_index, points))
    };
    Some(Graph {
        name: title,
        x: Axis::linear(X_NAME, [0.0, rows.len() as f64 + 1.0]),
        y: Axis::logarithmic(
            format!("{Y_NAME}{unit})"),
            [10f64.powf(low.log10().floor()), 10f64.powf(high.log10().floor() + 1.0)],
        ),
        marks: Marks::Dots,
        curves: REDUCTION_MARKS.iter().enumerate().filter_map(curve).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_plot_shows_the_island_and_step_with_most_iterations() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("trace.csv");
        let chart = |rows: &str| {
            let header = "step,time,unknowns,newton_step,cut,island,limit";
            std::fs::write(&path, format!("{header}\n{rows}")).expect("room");
            TracePlot::of_trace(&path, "die").expect("it has the columns")
        };
        assert_eq!(chart(""), None);
        assert_eq!(chart("1,0.5,positions,0.0,none,a,\n"), None, "zero has no logarithm");
        let plot = chart(
            "1,0.5,positions,1,none,\"a, b\",\n\
             2,1.0,positions,0.1,impact,\"a, b\",a and floor\n\
             2,1.0,positions,7,none,c,\n\
             2,1.0,velocities,7,none,\"a, b\",\n\
             2,1.0,positions,0.01,none,\"a, b\",\n\
             3,1.5,positions,5,none,c,\n",
        );
        let Graph { name, curves, x, y, .. } = plot.expect("there is a step").graph;
        assert_eq!(name, "die, step 2 (t = 1.0 s), a, b: 2 iterations");
        let of: Vec<_> = curves.iter().map(|c| (c.name.as_str(), c.points.clone())).collect();
        let [whole, impact] = [vec![(2.0, 0.01)], vec![(1.0, 0.1)]];
        assert_eq!(of, [("whole step", whole), ("cut by impact", impact)]);
        assert_eq!((x.range, y.range[0]), ([0.0, 3.0], 0.01));
    }
}
