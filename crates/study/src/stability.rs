//! Linear stability: the step matrix of each method on the oscillator `x'' = -hbar x` with steps of length one.
//!
//! In physical units `hbar = h^2 k / m` for the step h, the stiffness k and the mass m.
//!
//! A step of a linear method on a linear problem is a multiplication by a matrix. The method is symplectic (preserves
//! areas) if the determinant is one, and unstable if the spectral radius exceeds one. The study computes them by
//! stepping the implemented methods, and compares them with the derivations of the paper (ASEARCH, sections 4.1-4.3 and
//! appendix C). The unknowns are `(x, h v)`, for multistep methods also their memory.

use crate::drive::{NEWTON_TOLERANCE, Run, StudyError};
use crate::problems::oscillator;
use crate::table::{Cell, Deviation, Table};
use resile_integrators::Integrator;
use resile_integrators::registry::{self, Method};
use resile_plot::{Axis, Curve, Graph, Marks};
use resile_system::{Memory, State, Vec3};

/// A square matrix, row by row.
type Matrix = Vec<Vec<f64>>;

/// Returns the matrix that one step of a method without memory applies to `(x, h v)`, row by row.
///
/// # Errors
/// If a step fails.
pub fn step_matrix(method: &dyn Integrator, hbar: f64) -> Result<[[f64; 2]; 2], StudyError> {
    let column = |x, v| {
        let run = take_step(method, hbar, Run::new(oscillator(hbar, x, v), NEWTON_TOLERANCE))?;
        Ok([run.state.positions[0].x, run.state.velocities[0].x])
    };
    let (a, b) = (column(1.0, 0.0)?, column(0.0, 1.0)?);
    Ok([[a[0], b[0]], [a[1], b[1]]])
}

/// Takes one step of length one.
fn take_step(method: &dyn Integrator, hbar: f64, mut run: Run) -> Result<Run, StudyError> {
    let description = || format!("{} at hbar = {hbar}", method.name());
    run.step(method, 1.0).map_err(|cause| StudyError::Run { what: description(), cause })?;
    Ok(run)
}

/// Returns the unknowns of a multistep method: position, velocity and memory.
fn unknowns(state: &State) -> Vec<f64> {
    let memory_values = state.memory.records().flat_map(|(_, record)| &record.fields);
    let memory_values = memory_values.map(|field| field.values[0].x);
    [state.positions[0].x, state.velocities[0].x].into_iter().chain(memory_values).collect()
}

/// Builds a memory with the fields of `shape`, in whose order `values` are given. Records without fields, such as
/// checksums of states, are omitted.
fn memory_with_values(shape: &Memory, values: &[f64]) -> Memory {
    let (mut memory, mut values) = (Memory::default(), values.iter());
    for (key, record) in shape.records().filter(|(_, record)| !record.fields.is_empty()) {
        let mut record = record.clone();
        for (field, value) in record.fields.iter_mut().zip(&mut values) {
            field.values = vec![Vec3::X * *value];
        }
        memory.insert(key, record);
    }
    memory
}

/// Returns the matrix that one step of a multistep method applies to its [`unknowns`].
///
/// # Errors
/// If a step fails.
fn multistep_matrix(method: &dyn Integrator, hbar: f64) -> Result<Matrix, StudyError> {
    let first_state =
        take_step(method, hbar, Run::new(oscillator(hbar, 1.0, 0.0), NEWTON_TOLERANCE))?.state;
    let n = unknowns(&first_state).len();
    let mut matrix = vec![vec![0.0; n]; n];
    for k in 0..n {
        let unit: Vec<f64> = (0..n).map(|i| if i == k { 1.0 } else { 0.0 }).collect();
        let mut run = Run::new(oscillator(hbar, unit[0], unit[1]), NEWTON_TOLERANCE);
        run.state.memory = memory_with_values(&first_state.memory, &unit[2..]);
        let image = unknowns(&take_step(method, hbar, run)?.state);
        (0..n).for_each(|i| matrix[i][k] = image[i]);
    }
    Ok(matrix)
}

/// Computes the spectral radius `lim |Q^n|^(1/n)` (Gelfand's formula) by repeated squaring. Each squaring scales the
/// matrix, so that no entry overflows. After forty squarings it is exact to rounding, also for defective matrices.
fn spectral_radius(matrix: &Matrix) -> f64 {
    let n = matrix.len();
    let (mut power, mut log_radius) = (matrix.clone(), 0.0);
    for k in 0..40 {
        let largest = power.iter().flatten().fold(0.0f64, |a, b| a.max(b.abs()));
        if largest == 0.0 {
            return 0.0;
        }
        log_radius += largest.ln() / f64::from(k).exp2();
        power.iter_mut().flatten().for_each(|entry| *entry /= largest);
        let entry = |i: usize, j: usize| (0..n).map(|l| power[i][l] * power[l][j]).sum();
        power = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
    }
    log_radius.exp()
}

/// Returns the spectral radius of a 2x2 matrix: the largest modulus of the roots of `z^2 - trace z + det`.
fn spectral_radius_of_2x2(det: f64, trace: f64) -> f64 {
    let discriminant = 0.25 * trace * trace - det;
    if discriminant < 0.0 { det.sqrt() } else { 0.5 * trace.abs() + discriminant.sqrt() }
}

/// Returns the theoretical determinant and trace of the step matrix of the method `name` (ASEARCH, sections 4.1-4.3),
/// or `None` if the theory does not cover the method.
pub fn theoretical_det_trace(name: &str, hbar: f64) -> Option<[f64; 2]> {
    let cayley = 2.0 * (4.0 - hbar) / (4.0 + hbar);
    match name {
        "implicit Euler" => Some([1.0 / (1.0 + hbar), 2.0 / (1.0 + hbar)]),
        "A-1" => Some([1.0, 1.0 + 1.0 / (1.0 + hbar)]),
        "symplectic Euler" | "symplectic midpoint" | "Verlet" => Some([1.0, 2.0 - hbar]),
        "implicit midpoint" | "trapezoidal" | "AVF, Simpson" | "AVF, Gauss 3" => {
            Some([1.0, cayley])
        }
        "forward Euler" => Some([1.0 + hbar, 2.0]),
        _ => None,
    }
}

/// Returns the theoretical stability limit of hbar, or `None` if it is not known. It is 4 for symplectic methods with
/// one evaluation. For Runge-Kutta 4 it is the square of the end of the stability interval on the imaginary axis. It is
/// infinite for unconditionally stable methods, and zero for unconditionally unstable ones.
fn stability_limit(name: &str) -> Option<f64> {
    match name {
        "forward Euler" | "averaged midpoint" | "explicit midpoint" | "Heun" => Some(0.0),
        "symplectic Euler" | "modified half step" | "symplectic midpoint" | "Verlet" => Some(4.0),
        "Runge-Kutta 4" => Some(8.0),
        "Forest-Ruth" => None,
        // The lower end of the interval of instability; see appendix C.
        "decoupled SDIRK2" => Some(19.496_16),
        _ => Some(f64::INFINITY),
    }
}

/// A value of hbar above which the growth of unstable second-order methods, hbar^2 / 8 per step, exceeds [`ROUNDING`].
/// Below it the measured spectral radius cannot show that such a method is unstable.
const SLOW_GROWTH: f64 = 4e-3;

/// Whether determinant and trace of the step matrix of a method agree with theory to rounding, and the method becomes
/// unstable at its stability limit of hbar. `method_entries` are the entries of one method in ascending order
/// of hbar. Returns `None` if the stability limit is not known.
fn is_as_expected(method_entries: &[StabilityEntry]) -> Option<bool> {
    let limit = stability_limit(&method_entries[0].method)?;
    let last_stable =
        method_entries.iter().take_while(|e| e.spectral_radius <= 1.0 + ROUNDING).last();
    let first_unstable = method_entries.iter().find(|e| e.spectral_radius > 1.0 + ROUNDING);
    // An instability below `SLOW_GROWTH` is too slow to be measured, so a limit of zero is tested from there on.
    let is_unstable_above_limit = last_stable.is_none_or(|e| e.hbar <= limit.max(SLOW_GROWTH));
    let is_stable_below_limit = first_unstable.is_none_or(|e| e.hbar > limit * (1.0 - ROUNDING));
    Some(
        is_unstable_above_limit
            && is_stable_below_limit
            && largest_of_entries(method_entries, theory_deviation)
                .is_none_or(|deviation| deviation < 1e-12),
    )
}

/// Properties of the step matrix of a method at one `hbar`.
#[derive(Debug, Clone, PartialEq)]
pub struct StabilityEntry {
    /// Name of the method.
    pub method: String,
    /// `h^2 k / m` for the step h, the stiffness k and the mass m.
    pub hbar: f64,
    /// Determinant and trace of the step matrix; `None` for multistep methods.
    pub det_trace: Option<[f64; 2]>,
    /// Spectral radius of the step matrix.
    pub spectral_radius: f64,
    /// Theoretical determinant and trace, if known.
    pub theory: Option<[f64; 2]>,
}

/// Measures determinant, trace and spectral radius of the step matrix of a method at `hbar`.
///
/// # Errors
/// If a step fails.
fn measure_method(method: &Method, hbar: f64) -> Result<StabilityEntry, StudyError> {
    let (det_trace, spectral_radius) = if method.integrator.is_multistep() {
        (None, spectral_radius(&multistep_matrix(&*method.integrator, hbar)?))
    } else {
        let [[a, b], [c, d]] = step_matrix(&*method.integrator, hbar)?;
        let (det, trace) = (a * d - b * c, a + d);
        (Some([det, trace]), spectral_radius_of_2x2(det, trace))
    };
    let theory = theoretical_det_trace(&method.name, hbar);
    Ok(StabilityEntry { method: method.name.clone(), hbar, det_trace, spectral_radius, theory })
}

/// Measures every linear method at `per_decade` values of hbar per decade from 1e-3 to 1e6. The entries of a method are
/// consecutive and in ascending order of hbar.
///
/// # Errors
/// If a step fails.
pub fn measure(per_decade: usize) -> Result<Vec<StabilityEntry>, StudyError> {
    let mut entries = Vec::new();
    for method in registry::all().iter().filter(|method| method.linear) {
        for k in 0..=9 * per_decade {
            let hbar = 10f64.powf(k as f64 / per_decade as f64 - 3.0);
            entries.push(measure_method(method, hbar)?);
        }
    }
    Ok(entries)
}

/// Builds the table with one row per method and hbar.
pub fn table(entries: &[StabilityEntry]) -> Table {
    Table::with_rows("stability", entries)
        .column("method", |e| e.method.as_str())
        .column("hbar", |e| e.hbar)
        .number("det", 7, |e| Some(e.det_trace?[0]))
        .number("trace", 7, |e| Some(e.det_trace?[1]))
        .number("spectral radius", 7, |e| e.spectral_radius)
        .number("det, theory", 7, |e| Some(e.theory?[0]))
        .number("trace, theory", 7, |e| Some(e.theory?[1]))
        .table()
}

/// Tolerance of a spectral radius of one. For small steps, one is a double root of the characteristic polynomial, whose
/// error is the square root of the rounding error.
const ROUNDING: f64 = 1e-6;

/// Builds the table with one row per method: deviation of determinant and trace from theory, stability limit, largest
/// spectral radius, and spectral radius for a resolved and for an unresolved mode.
pub fn summary(entries: &[StabilityEntry]) -> Table {
    let methods: Vec<&[StabilityEntry]> = entries.chunk_by(|a, b| a.method == b.method).collect();
    Table::with_rows("stability-summary", &methods)
        .column("method", |method_entries| method_entries[0].method.as_str())
        .column("largest deviation of det", |method_entries| {
            largest_of_entries(method_entries, det_deviation)
        })
        .column("relative error", |method_entries| {
            largest_of_entries(method_entries, theory_deviation)
        })
        .column("stable up to hbar", |method_entries| stability_limit_cell(method_entries))
        .column("largest radius", |method_entries| {
            method_entries.iter().map(|e| e.spectral_radius).reduce(f64::max)
        })
        .column("radius at hbar = 1", |method_entries| spectral_radius_at(method_entries, 1.0))
        .column("radius at hbar = 1e6", |method_entries| spectral_radius_at(method_entries, 1e6))
        .column("as expected", |method_entries| is_as_expected(method_entries))
        .table()
}

/// Returns the largest `value` of the entries with a spectral radius below 10, or `None` if there is none. For larger
/// spectral radii, where entries of the matrices of explicit methods grow as hbar^n, rounding errors dominate.
fn largest_of_entries(
    method_entries: &[StabilityEntry],
    value: fn(&StabilityEntry) -> Option<f64>,
) -> Option<f64> {
    method_entries.iter().filter(|e| e.spectral_radius < 10.0).filter_map(value).reduce(f64::max)
}

/// Returns the absolute deviation of the determinant from one, or `None` for multistep methods.
fn det_deviation(entry: &StabilityEntry) -> Option<f64> {
    entry.det_trace.map(|[det, _]| (det - 1.0).abs())
}

/// Returns the sum of the relative deviations of determinant and trace from theory, or `None` if one side is missing.
fn theory_deviation(entry: &StabilityEntry) -> Option<f64> {
    let (computed, theory) = (entry.det_trace?, entry.theory?);
    Some((0..2).map(|k| (computed[k] - theory[k]).abs() / (1.0 + theory[k].abs())).sum())
}

/// Returns the cell with the largest hbar before the first unstable one.
fn stability_limit_cell(method_entries: &[StabilityEntry]) -> Cell {
    match method_entries.iter().position(|e| e.spectral_radius > 1.0 + ROUNDING) {
        None => Cell::text("all"),
        Some(0) => Cell::text("none"),
        Some(k) => Cell::Number(method_entries[k - 1].hbar, 3),
    }
}

/// Returns the spectral radius at the measured hbar whose ratio to `hbar` is nearest to one.
fn spectral_radius_at(method_entries: &[StabilityEntry], hbar: f64) -> Option<f64> {
    let distance = |e: &&StabilityEntry| (e.hbar / hbar).ln().abs();
    let nearest = method_entries.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.map(|e| e.spectral_radius)
}

/// Names of the methods in the chart.
const CHARTED: [&str; 8] = [
    "symplectic Euler",
    "Runge-Kutta 4",
    "implicit Euler",
    "A-1",
    "implicit midpoint",
    "BDF2",
    "SDIRK2",
    "decoupled SDIRK2",
];

/// Plots the spectral radii of the charted methods over hbar.
pub fn chart(entries: &[StabilityEntry]) -> Graph {
    let curve = |(color_index, name): (usize, &&str)| {
        let method_entries = entries.iter().filter(|e| e.method == *name);
        Curve::new(
            *name,
            color_index,
            method_entries.map(|e| (e.hbar, e.spectral_radius)).collect(),
        )
    };
    Graph {
        name: "stability".to_owned(),
        x: Axis::logarithmic("hbar = h^2 k / m", [1e-3, 1e6]),
        y: Axis::linear("spectral radius", [0.0, 1.6]),
        marks: Marks::Lines,
        curves: CHARTED.iter().enumerate().map(curve).collect(),
    }
}

/// A value of ASEARCH's appendix C on decoupled SDIRK2.
#[derive(Debug, Clone, PartialEq)]
pub struct AppendixC {
    /// The quantity.
    pub quantity: String,
    /// The value found by stepping the method.
    pub computed: f64,
    /// The value of theory, from the tableaux in 40 digits.
    pub theory: f64,
}

/// Measures the values of appendix C: the trace at three steps, its minimum, its limit, and the ends of the unstable
/// interval.
///
/// # Errors
/// If a step fails.
pub fn appendix_c() -> Result<Vec<AppendixC>, StudyError> {
    let methods = registry::implicit();
    let method = methods.iter().find(|m| m.name == "decoupled SDIRK2").expect("it is in the list");
    let trace = |hbar: f64| -> Result<f64, StudyError> {
        let [[a, _], [_, d]] = step_matrix(&*method.integrator, hbar)?;
        Ok(a + d)
    };
    let mut out = Vec::new();
    let mut add = |quantity: &str, computed: f64, theory: f64| {
        out.push(AppendixC { quantity: quantity.to_owned(), computed, theory });
    };
    for (hbar, theory) in [(1.0, 1.142868346), (10.0, -1.502915610), (100.0, -2.100773236)] {
        add(&format!("trace at hbar = {hbar}"), trace(hbar)?, theory);
    }
    let minimiser = minimum(&trace, [20.0, 100.0])?;
    add("smallest trace", trace(minimiser)?, -2.1633733907);
    add("hbar of the smallest trace", minimiser, 44.275_081_112_28);
    add("trace at hbar = 1e10", trace(1e10)?, -std::f64::consts::SQRT_2 - 0.5);
    add("unstable from hbar", crossing(&trace, -2.0, [10.0, minimiser])?, 19.49616);
    add("unstable up to hbar", crossing(&trace, -2.0, [1000.0, minimiser])?, 280.33858);
    Ok(out)
}

/// A function of hbar.
type Function<'a> = &'a dyn Fn(f64) -> Result<f64, StudyError>;

/// Returns the point where `f` is smallest, as the root of its derivative by central differences: a search by values
/// would find it with half as many digits.
fn minimum(f: Function<'_>, range: [f64; 2]) -> Result<f64, StudyError> {
    let slope = |x: f64| {
        let spacing = 1e-3 * x;
        // Differences of fourth order, whose error does not displace the minimum noticeably.
        let difference =
            |s: f64| -> Result<f64, StudyError> { Ok(f(x + s * spacing)? - f(x - s * spacing)?) };
        Ok((8.0 * difference(1.0)? - difference(2.0)?) / (12.0 * spacing))
    };
    crossing(&slope, 0.0, range)
}

/// Returns the point where `f` crosses `level` in the range, by bisection.
fn crossing(f: Function<'_>, level: f64, range: [f64; 2]) -> Result<f64, StudyError> {
    let [mut start, mut end] = range;
    let starts_above = f(start)? > level;
    for _ in 0..60 {
        let middle = 0.5 * (start + end);
        if (f(middle)? > level) == starts_above {
            start = middle;
        } else {
            end = middle;
        }
    }
    Ok(0.5 * (start + end))
}

/// Builds the table with one row per value of appendix C: the computed value and that of theory.
pub fn appendix_c_table(figures: &[AppendixC]) -> Table {
    Table::with_rows("stability-appendix-c", figures)
        .column("decoupled SDIRK2", |f| f.quantity.as_str())
        .number("value", 11, |f| f.computed)
        .number("theory", 11, |f| f.theory)
        // The paper's ends of the interval have seven digits.
        .column("as expected", |f| (f.computed / f.theory - 1.0).abs() < 1e-6)
        .compare("from theory (%)", Deviation::Percent, "value", "theory")
        .table()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gelfand_spectral_radius_equals_the_largest_root() {
        for [a, b, c, d] in [[0.3, -1.0, 0.7, 0.2], [2.0, 1.0, 0.0, 2.0], [0.0, 1.0, 0.0, 0.0]] {
            let measured = spectral_radius(&vec![vec![a, b], vec![c, d]]);
            let expected = spectral_radius_of_2x2(a * d - b * c, a + d);
            assert!((measured - expected).abs() < 1e-9, "{measured}, {expected}");
        }
    }
}
