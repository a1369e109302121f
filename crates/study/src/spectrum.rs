//! Energy by mode after a collision (ASEARCH, figures 17-19).
//!
//! The energy of the final state in each linear eigenmode of the [`Bar`] shows which frequencies a
//! method has damped or excited. The energies are those of the linearised bar, and hence qualitative
//! where the bar is stretched.
//!
//! With end nodes of half the mass the modes are cosines exactly,
//! `phi_k(i) = cos(pi k i / n)`, `omega_k = 2 c / dx sin(pi k / 2 n)` with n intervals,
//! k = 0 being rigid motion: no eigenvalue solver is needed.

use crate::drive::{NEWTON_TOLERANCE, Run, StudyError, Watch};
use crate::problems::Bar;
use crate::table::{Deviation, Table};
use rayon::prelude::*;
use resile_integrators::{A1, ASearch, AlphaRule, Bdf2, Control, Integrator, RungeKutta};
use resile_plot::{Axis, Curve, Graph, Marks};
use resile_system::State;
use std::f64::consts::PI;
use std::ops::Range;

/// Angular frequency (rad/s) of mode `k` of a bar with this speed of sound (m/s).
pub fn frequency(k: usize, sound_speed: f64) -> f64 {
    2.0 * sound_speed / Bar::DX * (0.5 * PI * k as f64 / (Bar::NODES - 1) as f64).sin()
}

/// Energy (J) of each mode in `state`, rigid motion first.
pub fn modal_energies(state: &State, sound_speed: f64) -> Vec<f64> {
    let masses = Bar::masses();
    let shape = |k: usize, i: usize| (PI * (k * i) as f64 / (Bar::NODES - 1) as f64).cos();
    let energy_of = |k: usize| {
        let project = |component: &dyn Fn(usize) -> f64| -> f64 {
            (0..Bar::NODES).map(|i| masses[i] * shape(k, i) * component(i)).sum()
        };
        let modal_mass = project(&|i| shape(k, i));
        let displacement = |i: usize| state.positions[i].x - Bar::DX * i as f64;
        let stretch = frequency(k, sound_speed) * project(&displacement);
        let motion = project(&|i| state.velocities[i].x);
        0.5 * (stretch * stretch + motion * motion) / modal_mass
    };
    (0..Bar::NODES).map(energy_of).collect()
}

/// The spectrum of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct SpectrumEntry {
    /// The method.
    pub method: &'static str,
    /// Speed of sound (m/s).
    pub sound_speed: f64,
    /// Steps a second.
    pub resolution: usize,
    /// Energy (J) of each mode after 5 s.
    pub energies: Vec<f64>,
}

/// Energy (J) of the bar at the start.
const START_ENERGY: f64 = 5.0;

impl SpectrumEntry {
    /// Whether the total modal energy agrees with theory: methods that are bounded by their target, or dissipative, do
    /// not exceed the initial energy. (Modes exclude nonlinear energy of the bar.) `None` for other methods.
    fn is_as_expected(&self) -> Option<bool> {
        let total: f64 = self.energies.iter().sum();
        let is_bounded = ["BDF2", "A-search", "reference"].contains(&self.method);
        is_bounded.then_some(total < START_ENERGY * (1.0 + 1e-3))
    }
}

/// The methods with their names in tables.
fn methods() -> Vec<(&'static str, Box<dyn Integrator>)> {
    let search = |rule| ASearch { rule, ..ASearch::of_paper() };
    let controlled = |control| AlphaRule { control, ..AlphaRule::default() };
    vec![
        ("BDF2", Box::new(Bdf2)),
        ("A-1", Box::new(A1)),
        ("A-search", Box::new(ASearch::of_paper())),
        ("sparse", Box::new(search(controlled(Control::Sparse { dead_band: 1e-9 })))),
        ("filtered", Box::new(search(controlled(Control::FILTERED)))),
        ("alpha_max 2", Box::new(search(AlphaRule { limits: [0.0, 2.0], ..AlphaRule::default() }))),
    ]
}

/// Steps per second of the reference, which Verlet computes: a step of a tenth of the stability limit of the stiff bar.
const REFERENCE_RESOLUTION: usize = 60_000;

/// Runs every method at these resolutions (steps per second) on bars of these speeds of sound (m/s), and a reference
/// for each bar.
///
/// # Errors
/// If a step fails.
pub fn measure(
    resolutions: &[usize],
    sound_speeds: &[f64],
    watch: Watch<'_>,
) -> Result<Vec<SpectrumEntry>, StudyError> {
    let mut runs: Vec<(&'static str, f64, usize)> = Vec::new();
    for &sound_speed in sound_speeds {
        runs.push(("reference", sound_speed, REFERENCE_RESOLUTION));
        for &resolution in resolutions {
            runs.extend(methods().iter().map(|(name, _)| (*name, sound_speed, resolution)));
        }
    }
    let run_entry = |(name, sound_speed, resolution): (&'static str, f64, usize)| {
        let named_method = methods().into_iter().find(|(other, _)| *other == name);
        let method = named_method.map_or_else(
            || Box::new(RungeKutta::verlet()) as Box<dyn Integrator>,
            |(_, method)| method,
        );
        let mut run = Run::new(Bar { sound_speed }.incoming(0.1), NEWTON_TOLERANCE);
        let description = || format!("{name} at {resolution} steps/s, c = {sound_speed} m/s");
        run.steps(&*method, 1.0 / resolution as f64, 5 * resolution)
            .map_err(|cause| StudyError::Run { what: description(), cause })?;
        watch(&description());
        let energies = modal_energies(&run.state, sound_speed);
        Ok(SpectrumEntry { method: name, sound_speed, resolution, energies })
    };
    runs.into_par_iter().with_max_len(1).map(run_entry).collect()
}

/// One row per mode and run.
pub fn table(entries: &[SpectrumEntry]) -> Table {
    let modes: Vec<(&SpectrumEntry, usize)> =
        entries.iter().flat_map(|e| (0..e.energies.len()).map(move |mode| (e, mode))).collect();
    Table::with_rows("spectrum", &modes)
        .number("c (m/s)", 3, |(e, _)| e.sound_speed)
        .column("steps/s", |(e, _)| e.resolution)
        .column("method", |(e, _)| e.method)
        .column("mode", |(_, mode)| *mode)
        .column("angular frequency (rad/s)", |(e, mode)| frequency(*mode, e.sound_speed))
        .column("energy (J)", |(e, mode)| e.energies[*mode])
        .table()
}

/// One row per run: energy of rigid motion, of the low, middle and high thirds of the modes, and of all vibration with
/// the reference.
pub fn summary(entries: &[SpectrumEntry]) -> Table {
    let energy_of_modes =
        |e: &SpectrumEntry, modes: Range<usize>| e.energies[modes].iter().sum::<f64>();
    let reference = |sound_speed: f64| {
        let is_reference =
            |e: &&SpectrumEntry| (e.method, e.sound_speed) == ("reference", sound_speed);
        entries.iter().find(is_reference).map(|e| energy_of_modes(e, 1..31))
    };
    Table::with_rows("spectrum-summary", entries)
        .number("c (m/s)", 3, |e| e.sound_speed)
        .column("steps/s", |e| e.resolution)
        .column("method", |e| e.method)
        .number("rigid (J)", 3, |e| energy_of_modes(e, 0..1))
        .number("modes 1-10 (J)", 3, |e| energy_of_modes(e, 1..11))
        .number("modes 11-20 (J)", 3, |e| energy_of_modes(e, 11..21))
        .number("modes 21-30 (J)", 3, |e| energy_of_modes(e, 21..31))
        .number("vibration (J)", 3, |e| energy_of_modes(e, 1..31))
        .number("reference (J)", 3, |e| reference(e.sound_speed))
        .column("as expected", SpectrumEntry::is_as_expected)
        .compare("from reference (%)", Deviation::Percent, "vibration (J)", "reference (J)")
        .table()
}

/// A chart of the energy of each mode for each bar and resolution, with one curve per method and the reference of the
/// bar.
pub fn charts(entries: &[SpectrumEntry]) -> Vec<Graph> {
    let mut charts: Vec<Graph> = Vec::new();
    let curve = |entry: &SpectrumEntry, color_index| {
        let points = entry.energies.iter().enumerate().map(|(mode, e)| (mode as f64, *e));
        Curve::new(entry.method, color_index, points.skip(1).collect())
    };
    for entry in entries.iter().filter(|entry| entry.method != "reference") {
        let name = format!("spectrum-c{}-{}", entry.sound_speed, entry.resolution);
        if charts.last().is_none_or(|chart| chart.name != name) {
            let reference = entries.iter().find(|other| {
                (other.method, other.sound_speed) == ("reference", entry.sound_speed)
            });
            charts.push(Graph {
                name,
                x: Axis::linear("mode", [1.0, 30.0]),
                y: Axis::logarithmic("energy (J)", [1e-9, 10.0]),
                marks: Marks::Lines,
                curves: reference.map(|reference| curve(reference, 0)).into_iter().collect(),
            });
        }
        if let Some(chart) = charts.last_mut() {
            chart.curves.push(curve(entry, chart.curves.len()));
        }
    }
    charts
}
