//! Plots of a sweep: each result over each numeric parameter.

use crate::measure::Measure;
use crate::plan::{Parameter, Plan};
use crate::table::Row;
use crate::values::{Spacing, Values};
use resile_math::units::Units;
use resile_plot::{Axis, COLORS, Curve, Graph, Marks, Scale, extremes, widen_covered};

/// Largest number of parameters over which results are plotted.
const MAX_PARAMETERS: usize = 6;

/// Ratio of the largest to the smallest of listed values above which their axis is logarithmic.
const LOGARITHMIC_RATIO: f64 = 100.0;

/// A graph with its file name without extension.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// Name of the file.
    pub name: String,
    /// The graph.
    pub graph: Graph,
}

/// A plot, in some units, of each measure over each numeric parameter that has different values. In a grid or zip, a
/// curve joins the runs that differ in this parameter alone. If there are more than ten curves, they are drawn as dots
/// without a legend; samples of random designs are drawn as dots, too. Runs without a result and plots of fewer than
/// two runs are left out.
pub fn plots(plan: &Plan, measures: &[Measure], rows: &[Row], units: Units) -> Vec<Plot> {
    let mut plots: Vec<Plot> = Vec::new();
    for (index, measure) in measures.iter().enumerate() {
        let numeric = (0..plan.parameters().len())
            .filter(|&parameter_index| is_numeric(plan, parameter_index));
        for parameter_index in numeric.take(MAX_PARAMETERS) {
            let path = &plan.parameters()[parameter_index].path;
            let name = file_name(&format!("{measure}{BY}{path}"));
            let graph = measure_graph(plan, measure, index, parameter_index, (rows, units));
            if let Some(graph) = graph.filter(|_| plots.iter().all(|plot| plot.name != name)) {
                plots.push(Plot { name, graph });
            }
        }
    }
    plots
}

/// Parses a number or a fraction such as `1/120`.
fn parse_number(value: &str) -> Option<f64> {
    let parse = |text: &str| text.trim().parse::<f64>().ok();
    let value = match value.split_once('/') {
        Some((numerator, denominator)) => parse(numerator)? / parse(denominator)?,
        None => parse(value)?,
    };
    value.is_finite().then_some(value)
}

/// Whether all values of a parameter are numbers, of which at least two differ.
fn is_numeric(plan: &Plan, parameter_index: usize) -> bool {
    let values = (0..plan.run_count()).map(|run| parse_number(&plan.values(run)[parameter_index]));
    let values: Option<Vec<f64>> = values.collect();
    values.is_some_and(|values| values.iter().any(|value| *value != values[0]))
}

/// The plot of a measure over a parameter, with one curve for each group of runs that [`curve_name`] gives the same
/// name. `result_index` is the index of the measure in the results of a row.
fn measure_graph(
    plan: &Plan,
    measure: &Measure,
    result_index: usize,
    parameter_index: usize,
    (rows, units): (&[Row], Units),
) -> Option<Graph> {
    let mut groups: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for row in rows {
        let values = plan.values(row.run);
        let result = row.results[result_index].map(|value| measure.in_units(value, units));
        let point = parse_number(&values[parameter_index]).zip(result);
        let Some(point) = point.filter(|(_, value)| value.is_finite()) else { continue };
        let name = curve_name(plan, values, parameter_index);
        match groups.iter_mut().find(|(group_name, _)| *group_name == name) {
            Some((_, points)) => points.push(point),
            None => groups.push((name, vec![point])),
        }
    }
    let points = || groups.iter().flat_map(|(_, points)| points);
    let (x, y) = (extremes(points().map(|p| p.0)), extremes(points().map(|p| p.1)));
    if points().count() < 2 || x.0 == x.1 {
        return None;
    }
    let has_legend = groups.len() <= COLORS.len();
    let marks = match has_legend && !plan.design().is_random() {
        true => Marks::DotsAndLines,
        false => Marks::Dots,
    };
    let curves = groups.into_iter().enumerate().map(|(color_index, (name, mut points))| {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let name = if has_legend { name } else { String::new() };
        Curve::new(name, if has_legend { color_index } else { 2 }, points)
    });
    let mut curves: Vec<Curve> = curves.collect();
    widen_covered(&mut curves, &(y.0..y.1));
    let Parameter { path, values } = &plan.parameters()[parameter_index];
    let unit = measure.unit().map_or_else(String::new, |si| format!(" ({})", units.symbol(si)));
    Some(Graph {
        name: format!("{measure} by {path}"),
        x: Axis {
            name: path.clone(),
            scale: axis_scale(values, x),
            range: axis_range(x, axis_scale(values, x)),
        },
        y: Axis::linear(format!("{measure}{unit}"), axis_range(y, Scale::Linear)),
        marks,
        curves,
    })
}

/// The name of the curve of a run: the values of the other parameters. In zips and random designs, in which numeric
/// parameters vary together, only the values that are not numbers.
fn curve_name(plan: &Plan, values: &[String], parameter_index: usize) -> String {
    let is_random = plan.design().is_random();
    let is_zip = plan.design() == crate::Design::Zip;
    let distinguishes = |other_index: usize| {
        other_index != parameter_index
            && !((is_random || is_zip) && is_number(&values[other_index], plan, other_index))
    };
    let names = (0..values.len()).filter(|&other_index| distinguishes(other_index));
    let setting = |other_index| {
        format!(
            "{} = {}",
            short_path(plan, other_index),
            values[other_index].trim_end_matches("()")
        )
    };
    names.map(setting).collect::<Vec<_>>().join(", ")
}

/// The shortest suffix of the path of a parameter, from a whole component on, that no other path ends with.
fn short_path(plan: &Plan, parameter_index: usize) -> &str {
    let path = &plan.parameters()[parameter_index].path;
    let mut suffix_starts: Vec<usize> = path.match_indices('.').map(|(dot, _)| dot + 1).collect();
    suffix_starts.insert(0, 0);
    let is_unique = |suffix: &str| {
        let mut others =
            plan.parameters().iter().enumerate().filter(|(k, _)| *k != parameter_index);
        others.all(|(_, other)| !format!(".{}", other.path).ends_with(&format!(".{suffix}")))
    };
    let mut suffixes = suffix_starts.into_iter().rev().map(|start| &path[start..]);
    suffixes.find(|suffix| is_unique(suffix)).unwrap_or(path)
}

/// Whether a value is numeric: one of an interval, or a number in a list.
fn is_number(value: &str, plan: &Plan, parameter_index: usize) -> bool {
    matches!(plan.parameters()[parameter_index].values, Values::Range { .. })
        || parse_number(value).is_some()
}

/// The scale of the axis of a parameter whose values have this range.
fn axis_scale(values: &Values, (low, high): (f64, f64)) -> Scale {
    match values {
        Values::Range { spacing: Spacing::Logarithmic, .. } => Scale::Logarithmic,
        Values::List(_) if low > 0.0 && high / low >= LOGARITHMIC_RATIO => Scale::Logarithmic,
        _ => Scale::Linear,
    }
}

/// The range of an axis: that of its values with a margin.
fn axis_range((low, high): (f64, f64), scale: Scale) -> [f64; 2] {
    match scale {
        Scale::Logarithmic => [low / 1.1, high * 1.1],
        Scale::Linear => {
            // A range below a thousandth of the value would give indistinguishable labels.
            let span = (high - low).max(1e-3 * low.abs().max(high.abs()));
            let span = if span > 0.0 { span } else { 1.0 };
            [low - 0.05 * span, high + 0.05 * span]
        }
    }
}

/// Separates the measure from the parameter in the name of a plot.
const BY: &str = "-by-";

/// Whether a file has the name of a plot of a sweep.
pub(crate) fn is_plot_file(name: &str) -> bool {
    name.strip_suffix(".svg").is_some_and(|stem| stem.contains(BY))
}

/// Converts a text to a name that is valid on every file system.
fn file_name(text: &str) -> String {
    let replace = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    text.chars().take(120).map(replace).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Outcome;
    use crate::{Design, State};

    fn drawn(vary: &[&str], design: Design) -> Vec<Plot> {
        let vary: Vec<String> = vary.iter().map(|&text| text.to_owned()).collect();
        let plan = Plan::new(&vary, design).expect("it is good");
        let measures = [Measure::parse("total").expect("it is good")];
        let row = |run: usize| {
            let outcome = Outcome { state: State::Complete, ..Outcome::not_run() };
            // One run has no result.
            let results = vec![(run != 1).then_some(run as f64)];
            Row { run, outcome, results }
        };
        let rows: Vec<Row> = (0..plan.run_count()).map(row).collect();
        plots(&plan, &measures, &rows, Units::Metres)
    }

    #[test]
    fn runs_that_differ_in_one_parameter_form_a_curve() {
        let plots = drawn(&["a.b=0:1:3", "integrator=Bdf2,ASearch()"], Design::Grid);
        assert_eq!(plots.len(), 1);
        let Plot { name, graph } = &plots[0];
        assert_eq!(name, "total_final-by-a.b");
        assert_eq!(graph.marks, Marks::DotsAndLines);
        let curves: Vec<_> =
            graph.curves.iter().map(|c| (c.name.as_str(), &c.points[..])).collect();
        let bdf2 = [(0.0, 0.0), (0.5, 2.0), (1.0, 4.0)];
        assert_eq!(
            curves,
            [("integrator = Bdf2", &bdf2[..]), ("integrator = ASearch", &[(0.5, 3.0), (1.0, 5.0)])]
        );
        assert!(graph.svg().is_ok() && graph.y.name == "total_final (J)");
    }

    #[test]
    fn legend_names_parameters_by_the_shortest_unique_end_of_their_paths() {
        let vary = ["time.step=1,2", "bodies.a.friction=0.1,0.2", "bodies.b.friction=0.5"];
        let names: Vec<String> =
            drawn(&vary, Design::Grid)[0].graph.curves.iter().map(|c| c.name.clone()).collect();
        let expected = ["a.friction = 0.1, b.friction = 0.5", "a.friction = 0.2, b.friction = 0.5"];
        assert_eq!(names, expected);
    }

    #[test]
    fn covered_curves_are_wider() {
        let vary = ["a=0,1,2".to_owned(), "b=1,2".to_owned()];
        let plan = Plan::new(&vary, Design::Grid).expect("it is good");
        let measures = [Measure::parse("total").expect("it is good")];
        // The result does not depend on b.
        let row = |run: usize| {
            let outcome = Outcome { state: State::Complete, ..Outcome::not_run() };
            Row { run, outcome, results: vec![Some((run / 2) as f64)] }
        };
        let rows: Vec<Row> = (0..plan.run_count()).map(row).collect();
        let graph = &plots(&plan, &measures, &rows, Units::Metres)[0].graph;
        assert!(graph.curves[0].stroke.width > graph.curves[1].stroke.width, "{graph:?}");
    }

    #[test]
    fn random_samples_are_plotted_as_dots_by_each_parameter() {
        let design = Design::LatinHypercube { runs: 20, seed: 1 };
        let plots = drawn(&["a=0:1", "b=1:1e4:log", "c=x,y"], design);
        assert_eq!(plots.len(), 2);
        assert!(plots.iter().all(|plot| plot.graph.marks == Marks::Dots));
        assert_eq!(plots[1].graph.x.scale, Scale::Logarithmic);
        assert!(plots.iter().all(|plot| plot.graph.curves.len() == 2 && plot.graph.svg().is_ok()));
    }

    #[test]
    fn file_names_are_sanitised_and_words_are_not_plotted() {
        assert_eq!(file_name("total_final-by-../a b[0]"), "total_final-by-.._a_b_0_");
        assert_eq!(drawn(&["integrator=Bdf2,ASearch()"], Design::Grid), []);
        assert_eq!(drawn(&["time.step=1/30,1/60,1/120"], Design::Grid)[0].graph.curves.len(), 1);
    }
}
