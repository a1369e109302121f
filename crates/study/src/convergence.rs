//! Observed orders of accuracy.
//!
//! The observed order is the binary logarithm of the ratio of the final errors (of positions and velocities together)
//! with two numbers of steps, of which one is twice the other. The reference is Runge-Kutta 4 with negligible error.
//! The problems test different properties: damping (which must be evaluated at the same points as forces), a bar (stiff
//! and slow modes), a pendulum and an orbit (strong nonlinearity), and a solid that rotates and vibrates.

use crate::drive::{NEWTON_TOLERANCE, Run, StudyError, Watch};
use crate::problems::{
    Bar, BlockDamping, BlockMaterial, Problem, kepler, oscillator, pendulum, spinning_block,
    spring_chain,
};
use crate::table::{Deviation, Table};
use rayon::prelude::*;
use resile_integrators::RungeKutta;
use resile_integrators::registry::{self, Method};
use resile_system::{State, Vec3};

/// A problem with its duration and numbers of steps.
#[derive(Debug, Clone, Copy)]
pub struct OrderCase {
    /// Its name in tables.
    pub name: &'static str,
    /// Constructs the problem.
    pub problem: fn() -> Problem,
    /// Simulated time (s).
    pub duration: f64,
    /// The coarser number of steps; the finer is twice as large. Fourth-order methods use an eighth of it,
    /// so that their errors exceed rounding.
    pub steps: usize,
    /// Number of steps of the reference.
    pub reference: usize,
}

/// An oscillator of 1 kg and 9 N/m with mass damping at 0.5 1/s, which starts at 0.7 m with 0.4 m/s.
fn damped_oscillator() -> Problem {
    oscillator(9.0, 0.7, 0.4).damped(0.5)
}

/// A bar with a speed of sound of 1 m/s in its first mode, whose ends start with 0.1 m/s.
fn bar() -> Problem {
    Bar { sound_speed: 1.0 }.vibrating(0.1)
}

/// A Kepler orbit with an eccentricity of 0.3.
fn orbit() -> Problem {
    kepler(0.3)
}

/// Five masses of 1 kg that are joined by springs of 40 N/m.
fn chain() -> Problem {
    spring_chain(5, 40.0)
}

/// An undamped spinning solid of 3 x 3 x 3 cells.
fn solid() -> Problem {
    spinning_block(3, BlockMaterial::NeoHookean, 1e4, BlockDamping::Undamped, 10.0)
}

/// A spinning solid of 3 x 3 x 3 cells with mass damping at 1 1/s.
fn solid_with_mass_damping() -> Problem {
    spinning_block(3, BlockMaterial::NeoHookean, 1e4, BlockDamping::Rayleigh(1.0, 0.0), 10.0)
}

/// A spinning solid of 3 x 3 x 3 cells with mass damping at 1 1/s and stiffness damping of 1 ms.
fn solid_with_rayleigh_damping() -> Problem {
    spinning_block(3, BlockMaterial::NeoHookean, 1e4, BlockDamping::Rayleigh(1.0, 1e-3), 10.0)
}

/// Problems with few unknowns.
pub const SMALL_PROBLEMS: [OrderCase; 5] = [
    case("damped oscillator", damped_oscillator, 1.0, 4000, 40_000),
    case("pendulum", pendulum, 1.0, 2000, 40_000),
    case("orbit", orbit, 2.0, 4000, 40_000),
    case("spring chain", chain, 0.5, 1000, 20_000),
    case("bar", bar, 1.0, 1000, 20_000),
];

/// A solid of 3 x 3 x 3 cells, neo-Hookean: undamped, with mass damping, and with both
/// parts of Rayleigh's.
pub const SOLID: [OrderCase; 3] = [
    case("solid", solid, 0.1, 400, 8000),
    case("solid, mass damping", solid_with_mass_damping, 0.1, 400, 8000),
    case(RAYLEIGH, solid_with_rayleigh_damping, 0.1, 400, 8000),
];

/// The case whose damping is lagged at the start of a step.
const RAYLEIGH: &str = "solid, Rayleigh damping";
/// Tolerance of observed orders.
const ORDER_TOLERANCE: f64 = 0.1;

/// A case of [`SMALL_PROBLEMS`] or [`SOLID`].
const fn case(
    name: &'static str,
    problem: fn() -> Problem,
    duration: f64,
    steps: usize,
    reference: usize,
) -> OrderCase {
    OrderCase { name, problem, duration, steps, reference }
}

/// An observed order.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderEntry {
    /// The problem.
    pub case: &'static str,
    /// The method.
    pub method: String,
    /// The expected order.
    pub expected: f64,
    /// The observed order.
    pub observed: f64,
    /// Error with the finer steps (m and m/s in one norm).
    pub error: f64,
}

impl OrderEntry {
    /// Whether the observed order is the expected one. The stiffness part of Rayleigh damping is lagged at
    /// the start of a step, which reduces every method to first order.
    pub fn is_of_its_order(&self) -> bool {
        match self.case == RAYLEIGH {
            true => self.observed > 1.0 - ORDER_TOLERANCE,
            false => (self.observed - self.expected).abs() < ORDER_TOLERANCE,
        }
    }
}

/// The Euclidean distance of two states: positions (m) and velocities (m/s) in one norm.
fn distance(a: &State, b: &State) -> f64 {
    let squared_distance = |a: &[Vec3], b: &[Vec3]| {
        a.iter().zip(b).map(|(a, b)| (*a - *b).length_squared()).sum::<f64>()
    };
    (squared_distance(&a.positions, &b.positions) + squared_distance(&a.velocities, &b.velocities))
        .sqrt()
}

/// The state of a case after `steps` equal steps over its duration.
fn final_state(case: &OrderCase, method: &Method, steps: usize) -> Result<State, StudyError> {
    let mut run = Run::new((case.problem)(), NEWTON_TOLERANCE);
    let result = run.steps(&*method.integrator, case.duration / steps as f64, steps);
    let description = || format!("{} on {} in {steps} steps", method.name, case.name);
    result.map_err(|cause| StudyError::Run { what: description(), cause })?;
    Ok(run.state)
}

/// The observed order of a method on a case, relative to the exact final state.
fn observe_order(
    case: &OrderCase,
    method: &Method,
    exact: &State,
) -> Result<OrderEntry, StudyError> {
    let steps = if method.integrator.order() > 2 { case.steps / 8 } else { case.steps };
    let coarse = distance(&final_state(case, method, steps)?, exact);
    let fine = distance(&final_state(case, method, 2 * steps)?, exact);
    Ok(OrderEntry {
        case: case.name,
        method: method.name.clone(),
        expected: f64::from(method.integrator.order()),
        observed: (coarse / fine).log2(),
        error: fine,
    })
}

/// Measures the order of every method on every case, case by case.
///
/// # Errors
/// If a step fails.
pub fn measure(cases: &[OrderCase], watch: Watch<'_>) -> Result<Vec<OrderEntry>, StudyError> {
    let reference_method = Method {
        name: "reference".to_owned(),
        integrator: Box::new(RungeKutta::runge_kutta_4()),
        linear: true,
    };
    let references: Result<Vec<State>, StudyError> =
        cases.par_iter().map(|case| final_state(case, &reference_method, case.reference)).collect();
    watch("references");
    let (references, methods) = (references?, registry::all());
    let runs: Vec<(usize, &Method)> =
        (0..cases.len()).flat_map(|k| methods.iter().map(move |method| (k, method))).collect();
    runs.into_par_iter()
        .with_max_len(1)
        .map(|(k, method)| {
            let measured = observe_order(&cases[k], method, &references[k]);
            watch(&format!("{} on {}", method.name, cases[k].name));
            measured
        })
        .collect()
}

/// Table of the observed orders, with one row per method and one column per case.
pub fn table(entries: &[OrderEntry]) -> Table {
    let mut cases: Vec<&str> = Vec::new();
    for entry in entries {
        if !cases.contains(&entry.case) {
            cases.push(entry.case);
        }
    }
    let methods: Vec<&OrderEntry> = entries.iter().filter(|e| e.case == cases[0]).collect();
    let entry_of =
        |case: &str, method: &str| entries.iter().find(|e| e.case == case && e.method == method);
    let mut table = Table::with_rows("convergence", &methods)
        .column("method", |e| e.method.as_str())
        .number("expected", 1, |e| e.expected);
    for case in &cases {
        table = table.number(case, 3, |e| entry_of(case, &e.method).map(|e| e.observed));
    }
    // Lagged damping is of first order.
    let second_order_cases: Vec<&str> =
        cases.iter().copied().filter(|case| *case != RAYLEIGH).collect();
    table
        .column("as expected", |e| {
            cases
                .iter()
                .filter_map(|case| entry_of(case, &e.method))
                .all(OrderEntry::is_of_its_order)
        })
        .compare_where(
            "largest deviation",
            Deviation::Difference,
            &second_order_cases,
            "expected",
            |_| true,
        )
        .table()
}

/// One row per problem and method: the expected and the observed order, and the error with the finer steps.
pub fn errors(entries: &[OrderEntry]) -> Table {
    Table::with_rows("convergence-errors", entries)
        .column("problem", |e| e.case)
        .column("method", |e| e.method.as_str())
        .column("expected order", |e| e.expected)
        .column("observed order", |e| e.observed)
        .column("error", |e| e.error)
        .compare("deviation", Deviation::Difference, "observed order", "expected order")
        .table()
}
