//! BLEND's tests: a stiff spring, a wall, and a body with disordered initial positions.
//!
//! On the spring (eq. 7) the implicit midpoint rule, which conserves angular momentum exactly,
//! gains energy; blending bounds it. The particle hits a penalty wall at all phases of its step. The
//! solid replaces the cactus: its nodes are displaced randomly, and weak damping that preserves rigid
//! motion brings it to rest unless the method gains energy.

use crate::drive::{NEWTON_TOLERANCE, Run, Watch, random};
use crate::problems::{BlockDamping, BlockMaterial, Problem, blend_spring, block, penalty_wall};
use crate::table::Table;
use rayon::prelude::*;
use resile_energy::RigidPreservingDamping;
use resile_integrators::{A1, ASearch, Blend, EnergyControl, ImplicitEuler, Integrator, Theta};
use resile_system::{Dissipation as _, Vec3};

/// The time step of BLEND's examples (s).
pub const STEP: f64 = 0.033;

/// The methods that are compared.
pub fn methods() -> Vec<(&'static str, Box<dyn Integrator>)> {
    vec![
        ("implicit midpoint", Box::new(Theta::MIDPOINT)),
        ("blending", Box::new(Blend::default())),
        ("A-1", Box::new(A1)),
        ("A-search", Box::new(ASearch::default())),
        ("implicit Euler", Box::new(ImplicitEuler)),
    ]
}

/// Results of a run on the spring.
#[derive(Debug, Clone, PartialEq)]
pub struct SpringEntry {
    /// The method.
    pub method: &'static str,
    /// Steps taken.
    pub steps: usize,
    /// Smallest energy over the initial energy.
    pub min_energy: f64,
    /// Largest energy over the initial energy.
    pub max_energy: f64,
    /// The first step after which the energy exceeds twice the initial energy.
    pub doubling_step: Option<usize>,
    /// Largest length (m).
    pub length: f64,
    /// Largest relative change of the angular momentum about the held end.
    pub momentum: f64,
    /// The error that ended the run early.
    pub failure: Option<String>,
}

/// Measures all methods on BLEND's spring over this number of steps. A failed step ends a run early.
pub fn measure_spring(steps: usize) -> Vec<SpringEntry> {
    let run_entry = |(name, method): (&'static str, Box<dyn Integrator>)| {
        let mut run = Run::new(blend_spring(), NEWTON_TOLERANCE);
        let (initial_energy, initial_momentum) = (run.energy(), run.angular_momentum());
        let mut entry = SpringEntry {
            method: name,
            steps: 0,
            min_energy: 1.0,
            max_energy: 1.0,
            doubling_step: None,
            length: 1.5,
            momentum: 0.0,
            failure: None,
        };
        for step in 1..=steps {
            if let Err(error) = run.step(&*method, STEP) {
                entry.failure = Some(error.to_string());
                break;
            }
            let energy = run.energy() / initial_energy;
            entry.steps = step;
            entry.min_energy = entry.min_energy.min(energy);
            entry.max_energy = entry.max_energy.max(energy);
            entry.doubling_step = entry.doubling_step.or((energy > 2.0).then_some(step));
            entry.length = entry.length.max(run.state.positions[1].length());
            let change =
                (run.angular_momentum() - initial_momentum).length() / initial_momentum.length();
            entry.momentum = entry.momentum.max(change);
        }
        entry
    };
    methods().into_iter().map(run_entry).collect()
}

impl SpringEntry {
    /// Whether the energy agrees with BLEND's figure 1: blending conserves it to 1.01 %, the midpoint rule doubles it
    /// in two steps; A-search and implicit Euler never exceed the initial energy.
    fn is_as_expected(&self) -> bool {
        let (min, max) = (self.min_energy, self.max_energy);
        match self.method {
            "blending" => min > 0.9899 && max < 1.0101,
            "implicit midpoint" => self.doubling_step == Some(2),
            "A-1" => max > 2.0,
            _ => max < 1.0 + 1e-9,
        }
    }
}

/// One row per method: the extrema of energy and length, and the change of the angular momentum.
pub fn spring_table(entries: &[SpringEntry]) -> Table {
    Table::with_rows("blend-spring", entries)
        .column("method", |e| e.method)
        .column("steps", |e| e.steps)
        .column("smallest energy/start", |e| e.min_energy)
        .column("largest energy/start", |e| e.max_energy)
        .column("doubled at step", |e| e.doubling_step)
        .column("largest length (m)", |e| e.length)
        .number("angular momentum, relative change", 2, |e| e.momentum)
        .column("failure", |e| e.failure.as_deref())
        .column("as expected", SpringEntry::is_as_expected)
        .table()
}

/// Speeds after the rebound of a particle of unit speed from a wall.
#[derive(Debug, Clone, PartialEq)]
pub struct WallEntry {
    /// The method.
    pub method: &'static str,
    /// `h^2 k / m` of the wall.
    pub hbar: f64,
    /// Smallest speed away from the wall over all phases of the step.
    pub min_speed: f64,
    /// Mean speed away from the wall.
    pub mean_speed: f64,
    /// Largest speed away from the wall.
    pub max_speed: f64,
}

/// Number of phases of the step at which a particle reaches a wall.
const PHASES: usize = 40;

/// Measures the rebound from walls of these stiffnesses (`h^2 k / m`) with all methods, over equally spaced phases of
/// the step at which a particle reaches the wall.
///
/// # Panics
/// If a step fails, which is an error of the solver.
pub fn measure_wall(hbars: &[f64]) -> Vec<WallEntry> {
    let mut entries = Vec::new();
    for &hbar in hbars {
        for (name, method) in methods() {
            let mut entry = WallEntry {
                method: name,
                hbar,
                min_speed: f64::INFINITY,
                mean_speed: 0.0,
                max_speed: f64::NEG_INFINITY,
            };
            for k in 0..PHASES {
                let phase = (k as f64 + 0.5) / PHASES as f64;
                let mut run = Run::new(penalty_wall(hbar, phase), NEWTON_TOLERANCE);
                // Long enough to leave a soft wall, whose half period is pi / sqrt(hbar).
                let step_count = 8 + (4.0 / hbar.sqrt()) as usize;
                run.steps(&*method, 1.0, step_count).expect("a particle can be stepped");
                let speed = run.state.velocities[0].x;
                entry.min_speed = entry.min_speed.min(speed);
                entry.mean_speed += speed / PHASES as f64;
                entry.max_speed = entry.max_speed.max(speed);
            }
            entries.push(entry);
        }
    }
    entries
}

impl WallEntry {
    /// Whether speeds agree with the properties of the methods: blending within 1 % of the energy, A-search and
    /// implicit Euler not above the initial energy.
    fn is_as_expected(&self) -> Option<bool> {
        let (min, max) = (self.min_speed, self.max_speed);
        match self.method {
            "blending" => Some(min * min > 0.9899 && max * max < 1.0101),
            "A-search" | "implicit Euler" => Some(max < 1.0 + 1e-9),
            _ => None,
        }
    }
}

/// One row per wall and method: the speeds after the rebound.
pub fn wall_table(entries: &[WallEntry]) -> Table {
    Table::with_rows("blend-wall", entries)
        .column("method", |e| e.method)
        .number("hbar of the wall", 1, |e| e.hbar)
        .column("smallest speed", |e| e.min_speed)
        .column("mean speed", |e| e.mean_speed)
        .column("largest speed", |e| e.max_speed)
        .column("as expected", WallEntry::is_as_expected)
        .table()
}

/// Damping of the disordered body: both kinds are BLEND's damping, which removes 0.08 of the deforming part of the
/// velocity in a step of 0.033 s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damping {
    /// A damping force (2.4 1/s) that the method integrates.
    InTheStep,
    /// Subtracted from velocities and from the energy target after the step, as in BLEND's algorithm 1.
    AfterTheStep,
}

/// Fraction of the deforming velocity that is removed per step.
const DAMPED_FRACTION: f64 = 0.08;

/// A corotated solid with `cells` cubes per edge (1e5 Pa), whose nodes are displaced by up to
/// `disorder` cell sizes along each axis.
pub fn disordered(cells: usize, disorder: f64, damping: Damping) -> Problem {
    let damping = match damping {
        Damping::InTheStep => BlockDamping::RigidPreserving(DAMPED_FRACTION / STEP),
        Damping::AfterTheStep => BlockDamping::Undamped,
    };
    let mut problem = block(cells, BlockMaterial::Corotated, 1e5, damping);
    let max_shift = disorder * 0.2 / cells as f64;
    let mut random_state = 1u64;
    for x in &mut problem.start.positions {
        *x += Vec3::from_array(std::array::from_fn(|_| max_shift * random(&mut random_state)));
    }
    problem
}

/// Applies BLEND's damping after a step: subtracts the impulses of `damping` over the masses from the velocities, and
/// the removed kinetic energy from the energy target.
fn damp(run: &mut Run, damping: &RigidPreservingDamping) {
    let kinetic_before: f64 = run.system.kinetic_by_body(&run.state.velocities).iter().sum();
    let mut removed_momentum = vec![Vec3::ZERO; run.state.velocities.len()];
    let lagged = damping.lagged(&run.state.positions);
    lagged.add_gradient(0.0, &run.state.velocities, 1.0, &mut removed_momentum);
    for (i, v) in run.state.velocities.iter_mut().enumerate() {
        *v -= removed_momentum[i] / run.system.masses()[i];
    }
    let kinetic_after: f64 = run.system.kinetic_by_body(&run.state.velocities).iter().sum();
    if let Some(mut control) = EnergyControl::recall(&run.state.memory) {
        control[0].target -= kinetic_before - kinetic_after;
        control[0].mean -= kinetic_before - kinetic_after;
        EnergyControl::remember(&control, &mut run.state.memory);
    }
}

/// Results of a run of the disordered body.
#[derive(Debug, Clone, PartialEq)]
pub struct RestEntry {
    /// The method.
    pub method: &'static str,
    /// The damping.
    pub damping: Damping,
    /// Steps taken.
    pub steps: usize,
    /// Largest energy over the initial energy.
    pub peak: f64,
    /// Final energy over the initial energy; zero at rest.
    pub end: f64,
    /// The error that ended the run early.
    pub failure: Option<String>,
}

impl RestEntry {
    /// Whether the result agrees with BLEND: with damping after the step the body comes to rest under blending;
    /// A-search and implicit Euler gain no energy. `None` without a statement of the paper.
    fn is_as_expected(&self) -> Option<bool> {
        match (self.method, self.damping) {
            ("blending", Damping::AfterTheStep) => Some(self.end < 1e-2 && self.peak < 1.0101),
            ("A-search" | "implicit Euler", _) => Some(self.peak < 1.0 + 1e-9),
            _ => None,
        }
    }
}

/// Measures the final and the largest energy of a [`disordered`] body under all methods, in parallel. A failed step
/// ends a run early.
pub fn measure_rest(
    cells: usize,
    disorder: f64,
    damping: Damping,
    steps: usize,
    watch: Watch<'_>,
) -> Vec<RestEntry> {
    let run_entry = |(name, method): (&'static str, Box<dyn Integrator>)| {
        let mut run = Run::new(disordered(cells, disorder, damping), 1e-6);
        let damping_after_step =
            RigidPreservingDamping::new(run.system.masses().to_vec(), DAMPED_FRACTION);
        let initial_energy = run.energy();
        let mut entry =
            RestEntry { method: name, damping, steps: 0, peak: 1.0, end: 1.0, failure: None };
        for step in 1..=steps {
            if let Err(error) = run.step(&*method, STEP) {
                entry.failure = Some(error.to_string());
                break;
            }
            if damping == Damping::AfterTheStep {
                damp(&mut run, &damping_after_step);
            }
            entry.steps = step;
            entry.end = run.energy() / initial_energy;
            entry.peak = entry.peak.max(entry.end);
        }
        watch(&format!("{name} on a body in disorder, {damping:?}"));
        entry
    };
    methods().into_par_iter().with_max_len(1).map(run_entry).collect()
}

/// One row per method: the largest and the final energy.
pub fn rest_table(entries: &[RestEntry]) -> Table {
    Table::with_rows("blend-rest", entries)
        .column("method", |e| e.method)
        .column("damping", |e| match e.damping {
            Damping::InTheStep => "in the step",
            Damping::AfterTheStep => "after the step",
        })
        .column("steps", |e| e.steps)
        .column("peak energy/start", |e| e.peak)
        .column("energy at the end/start", |e| e.end)
        .column("failure", |e| e.failure.as_deref())
        .column("as expected", RestEntry::is_as_expected)
        .table()
}
