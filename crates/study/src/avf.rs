//! Energy conservation of average vector fields.
//!
//! AVF with Simpson's rule conserves the energy of quartic potentials exactly if its equation is
//! solved exactly, so the drift measures Newton's tolerance and rounding. The problems are AVF's
//! quartic, its particle on a Saint Venant-Kirchhoff spring (section 4), and a solid of
//! that material, whose potential is also a quartic.

use crate::drive::{Run, Watch};
use crate::problems::{
    BlockDamping, BlockMaterial, Problem, avf_particle, quartic, spinning_block,
};
use crate::table::Table;
use resile_integrators::{Avf, Integrator, Quadrature, Theta};

/// A test case.
#[derive(Debug, Clone, Copy)]
pub struct AvfCase {
    /// Its name in tables.
    pub name: &'static str,
    /// Constructs the problem.
    pub problem: fn() -> Problem,
    /// The step (s).
    pub h: f64,
    /// Exact position (m) and velocity (m/s) of the particle after one step, if known.
    pub first_state: Option<[f64; 2]>,
}

/// A spinning solid of 2 x 2 x 2 cells.
fn small_solid() -> Problem {
    spinning_block(2, BlockMaterial::StVenantKirchhoff, 1e5, BlockDamping::Undamped, 10.0)
}

/// A spinning solid of 6 x 6 x 6 cells.
fn solid() -> Problem {
    spinning_block(6, BlockMaterial::StVenantKirchhoff, 1e5, BlockDamping::Undamped, 10.0)
}

/// AVF's quartic, of its figure 2 but with h = 0.033 s.
pub const QUARTIC: AvfCase = AvfCase {
    name: "128 x^4",
    problem: quartic,
    h: 0.033,
    first_state: Some([-0.527_039_557_117_42, 22.474_875_326_217]),
};
/// AVF's particle on a spring, section 4.
pub const PARTICLE: AvfCase = AvfCase {
    name: "particle on a spring",
    problem: avf_particle,
    h: 0.04,
    first_state: Some([1.101_847_148_928, 34.092_357_446_382]),
};
/// A solid of 2 x 2 x 2 cells (48 tetrahedra).
pub const SMALL_SOLID: AvfCase =
    AvfCase { name: "solid, 48 tets", problem: small_solid, h: 1.0 / 30.0, first_state: None };
/// A solid of 6 x 6 x 6 cells (1296 tetrahedra).
pub const SOLID: AvfCase =
    AvfCase { name: "solid, 1296 tets", problem: solid, h: 1.0 / 30.0, first_state: None };

/// The energy drift of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct AvfEntry {
    /// The case.
    pub case: &'static str,
    /// The method.
    pub method: &'static str,
    /// Newton's tolerance (m/s).
    pub tolerance: f64,
    /// Steps taken.
    pub steps: usize,
    /// Largest deviation of the energy from its initial value, relative to the latter.
    pub drift: f64,
    /// Largest error of position and velocity after one step, if the exact values are known.
    pub first_error: Option<f64>,
    /// The error that ended the run early.
    pub failure: Option<String>,
}

impl AvfEntry {
    /// Whether the drift is within the bound of the theory. Simpson's rule conserves these energies (polynomials of
    /// degree four) up to the error of Newton's method, which is quadratic in the tolerance. `None` for other methods.
    fn is_as_expected(&self) -> Option<bool> {
        let solver_error = 10.0 * self.tolerance * self.tolerance;
        let is_conserved = self.failure.is_none() && self.drift < solver_error.max(1e-11);
        let is_first_step_exact = self.first_error.is_none_or(|error| error < 1e-11);
        (self.method == "AVF, Simpson").then_some(is_conserved && is_first_step_exact)
    }
}

/// AVF with Simpson's rule.
pub const SIMPSON: Avf = Avf { quadrature: Quadrature::Simpson };

/// Measures the energy drift of a case with a method and this tolerance of the solver over `step_count` steps, and the
/// error of the first step if the case has a reference. A failed step ends the run early.
pub fn measure_drift(
    case: &AvfCase,
    (name, method): (&'static str, &dyn Integrator),
    tolerance: f64,
    step_count: usize,
) -> AvfEntry {
    let mut run = Run::new((case.problem)(), tolerance);
    let initial_energy = run.energy();
    let mut entry = AvfEntry {
        case: case.name,
        method: name,
        tolerance,
        steps: 0,
        drift: 0.0,
        first_error: None,
        failure: None,
    };
    for step in 0..step_count {
        if let Err(error) = run.step(method, case.h) {
            entry.failure = Some(error.to_string());
            break;
        }
        entry.steps += 1;
        entry.drift = entry.drift.max((run.energy() / initial_energy - 1.0).abs());
        if let (0, Some([expected_position, expected_velocity])) = (step, case.first_state) {
            let position_error = (run.state.positions[0].x - expected_position).abs();
            let velocity_error = (run.state.velocities[0].x - expected_velocity).abs();
            entry.first_error = Some(position_error.max(velocity_error));
        }
    }
    entry
}

/// Runs the particles over `particle_steps` steps and the solids over `solid_steps` steps with AVF, the small solid
/// with several tolerances, and the particles and the large solid also with the midpoint rule.
pub fn measure(particle_steps: usize, solid_steps: usize, watch: Watch<'_>) -> Vec<AvfEntry> {
    let mut entries = Vec::new();
    let mut add = |entry: AvfEntry| {
        watch(&format!("{}, {}, {:e} m/s", entry.case, entry.method, entry.tolerance));
        entries.push(entry);
    };
    let (simpson, midpoint) = (
        ("AVF, Simpson", &SIMPSON as &dyn Integrator),
        ("implicit midpoint", &Theta::MIDPOINT as _),
    );
    for case in [QUARTIC, PARTICLE] {
        add(measure_drift(&case, simpson, 1e-10, particle_steps));
        add(measure_drift(&case, midpoint, 1e-10, particle_steps));
    }
    for tolerance in [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12] {
        add(measure_drift(&SMALL_SOLID, simpson, tolerance, solid_steps));
    }
    add(measure_drift(&SOLID, simpson, 1e-10, solid_steps));
    add(measure_drift(&SOLID, midpoint, 1e-10, solid_steps.min(200)));
    entries
}

/// One row per run: the drift, the error of the first step, and the verdict.
pub fn table(entries: &[AvfEntry]) -> Table {
    Table::with_rows("avf", entries)
        .column("case", |e| e.case)
        .column("method", |e| e.method)
        .number("tolerance (m/s)", 1, |e| e.tolerance)
        .column("steps", |e| e.steps)
        .number("largest relative drift", 2, |e| e.drift)
        .number("error of first step", 2, |e| e.first_error)
        .column("failure", |e| e.failure.as_deref())
        .column("as expected", AvfEntry::is_as_expected)
        .table()
}
