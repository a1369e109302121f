//! Decay of a vibration mode of a circular membrane.
//!
//! A stretched circular membrane starts with the velocities of its (2,1) mode,
//! `J_2(j_21 r/R) cos(2 phi)`. At small amplitudes linear theory gives the motion (Rayleigh, *The Theory
//! of Sound*, vol. 1, sections 200-206): the mode oscillates undamped at
//! `omega = (j_21 / R) sqrt(T / rho)`. At large amplitudes the tension grows with the deflection and
//! couples the modes; the reference is then a run with small steps. With six steps per period, a method
//! may damp the mode, or conserve the energy but transfer it to other modes. The study therefore measures both
//! the amplitude of the mode and the energy.

use crate::drive::{Run, StudyError, Watch};
use crate::problems::Problem;
use crate::table::Table;
use rayon::prelude::*;
use resile_energy::{MembraneLaw, PlaneLame, SheetMaterial, ShellMembrane};
use resile_integrators::registry::a_search;
use resile_integrators::{
    ASearch, Bdf2, Control, ImplicitEuler, Integrator, RungeKutta, StepError, advance,
};
use resile_mesh::TriMesh;
use resile_mesh::generate::Disc;
use resile_plot::{Axis, Curve, Graph, Marks};
use resile_system::{Body, Held, Motion, Prescribed, State, Vec3};

/// First zero of the Bessel function `J_2`.
const BESSEL_ZERO: f64 = 5.135_622_301_840_683;
/// Radius before stretching (m).
const RADIUS: f64 = 0.1;
/// Area density before stretching (kg/m^2).
const DENSITY: f64 = 0.4;
/// Prestretch.
const STRETCH: f64 = 1.05;
/// Newton's tolerance (m/s), a millionth of the initial speed.
const TOLERANCE: f64 = 1e-6;
/// Maximum number of samples per simulated second.
const MAX_SAMPLES_PER_SECOND: usize = 1200;

/// A neo-Hookean membrane of 10 cm radius, 0.4 mm thick, 1e5 Pa and Poisson's ratio
/// 0.3, stretched by 5 % and held at the edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drum {
    /// Rings of the mesh.
    pub rings: usize,
    /// Largest velocity at the start (m/s).
    pub speed: f64,
}

impl Drum {
    /// The mesh of the unstretched disc.
    fn mesh(self) -> TriMesh {
        Disc { radius: RADIUS, rings: self.rings }.build().expect("a disc has rings")
    }

    /// Lame's parameters of the sheet in plane stress (N/m).
    fn stiffness() -> PlaneLame {
        SheetMaterial::new(1e5, 0.3, 4e-4).expect("a proper material").plane()
    }

    /// Angular frequency (rad/s) of the mode in the linear theory.
    ///
    /// In coordinates of the unstretched sheet, density and radius are those at rest, and the tension over the stretch
    /// is the second Piola-Kirchhoff stress. At the biaxial stretch s it is `S = mu (1 - c/s^2)`, where c is the square
    /// of the stretch of the thickness.
    pub fn frequency() -> f64 {
        let sheet = Self::stiffness();
        let thickness_squared = thickness_square(sheet.poisson(), 2.0 * libm::log(STRETCH));
        let stress = sheet.mu() * (1.0 - thickness_squared / (STRETCH * STRETCH));
        BESSEL_ZERO / RADIUS * (stress / DENSITY).sqrt()
    }

    /// The mode shape at each node, with maximum one.
    fn mode(mesh: &TriMesh) -> Vec<f64> {
        let shape_at = |x: &Vec3| {
            let r = libm::hypot(x.x, x.z);
            if r == 0.0 || r > 0.999_999 * RADIUS {
                return 0.0;
            }
            // cos(2 phi) without an angle.
            let cosine = (x.x * x.x - x.z * x.z) / (r * r);
            libm::jn(2, BESSEL_ZERO * r / RADIUS) * cosine
        };
        let mode: Vec<f64> = mesh.positions.iter().map(shape_at).collect();
        let max = mode.iter().fold(0.0_f64, |max, value| max.max(value.abs()));
        mode.iter().map(|value| value / max).collect()
    }

    /// Lumped masses (kg): a third of each triangle at each of its nodes.
    fn masses(mesh: &TriMesh) -> Vec<f64> {
        let mut masses = vec![0.0; mesh.positions.len()];
        for (t, nodes) in mesh.triangles.iter().enumerate() {
            let [a, b, c] = mesh.corners(t);
            let area = 0.5 * (b - a).cross(c - a).length();
            nodes.iter().for_each(|&node| masses[node as usize] += DENSITY * area / 3.0);
        }
        masses
    }

    /// The initial state: stretched, flat, with the velocities of the mode.
    pub fn problem(self) -> Problem {
        let mesh = self.mesh();
        let law = MembraneLaw::NeoHookean(Self::stiffness());
        let elastic = ShellMembrane::new(&mesh.positions, &mesh.triangles, law);
        let x: Vec<Vec3> = mesh.positions.iter().map(|&x| STRETCH * x).collect();
        let v = Self::mode(&mesh).iter().map(|phi| self.speed * phi * Vec3::Y).collect();
        let edge = x.len() - 6 * self.rings..x.len();
        let held = |node: usize| Prescribed {
            node,
            start: x[node],
            motion: Motion::Fixed,
            until: None,
            held: Held::All,
        };
        let mut body =
            Body::new("drum", Self::masses(&mesh)).with(elastic.expect("a disc is a proper mesh"));
        body.prescribed = edge.map(held).collect();
        Problem::new(vec![body], x, v)
    }
}

/// The squared thickness stretch c of a neo-Hookean sheet in plane stress, by Newton's method:
/// `(1 - 2 nu) (c - 1) + 2 nu (ln(c)/2 + ln J) = 0` with the ratio J of areas.
fn thickness_square(nu: f64, ln_j: f64) -> f64 {
    let newton_update = |c: f64| {
        let residual = (1.0 - 2.0 * nu) * (c - 1.0) + nu * libm::log(c) + 2.0 * nu * ln_j;
        c - residual / (1.0 - 2.0 * nu + nu / c)
    };
    (0..20).fold(1.0, |c, _| newton_update(c))
}

/// A sample of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Time (s).
    pub time: f64,
    /// Amplitude of the mode: `q = sum m y phi / sum m phi^2` (m).
    pub amplitude: f64,
    /// `sqrt(q^2 + (q' / omega)^2)` with omega of the linear theory (m).
    pub envelope: f64,
    /// Energy above that of the flat membrane (J).
    pub energy: f64,
}

/// Results of a method.
#[derive(Debug, Clone, PartialEq)]
pub struct DrumEntry {
    /// The method.
    pub method: &'static str,
    /// Steps a second.
    pub resolution: usize,
    /// The initial state and samples at equal intervals.
    pub samples: Vec<Sample>,
    /// Newton iterations of the run.
    pub iterations: usize,
}

impl DrumEntry {
    /// Mean envelope of the last half second over that of the first quarter.
    pub fn amplitude_ratio(&self) -> f64 {
        let first = self.samples.first().map_or(0.0, |s| s.time);
        self.late_mean(|s| s.envelope) / self.mean(first, first + 0.25, |s| s.envelope)
    }

    /// Mean energy of the last half second over the initial energy. (The energy of a symplectic step oscillates.)
    pub fn energy_ratio(&self) -> f64 {
        let start = self.samples.first().map_or(f64::NAN, |s| s.energy);
        self.late_mean(|s| s.energy) / start
    }

    /// Whether the run agrees with theory: the reference preserves the mode, which is also a mode of the nonlinear
    /// membrane; A-search exceeds its target by rounding only; BDF2 and implicit Euler damp the mode, which their steps
    /// do not resolve. `None` for other methods.
    fn is_as_expected(&self) -> Option<bool> {
        match self.method {
            "reference (Verlet)" => Some((self.amplitude_ratio() - 1.0).abs() < 1e-2),
            "A-search" => Some(self.energy_ratio() < 1.0 + 1e-6),
            "BDF2" | "implicit Euler" => Some(self.amplitude_ratio() < 1e-2),
            _ => None,
        }
    }

    /// The mean of a quantity over the last half second.
    fn late_mean(&self, quantity: fn(&Sample) -> f64) -> f64 {
        let end = self.samples.last().map_or(0.0, |s| s.time);
        self.mean(end - 0.5, end, quantity)
    }

    /// The mean of a quantity over the samples from one time (s) to another.
    fn mean(&self, from: f64, to: f64, quantity: fn(&Sample) -> f64) -> f64 {
        let in_interval = self.samples.iter().filter(|s| from <= s.time && s.time <= to);
        let (sum, n) = in_interval.fold((0.0, 0), |(sum, n), s| (sum + quantity(s), n + 1));
        sum / f64::from(n)
    }

    /// Mean angular frequency (rad/s) between the first and last zero crossing of the amplitude, each
    /// interpolated; `None` for fewer than two.
    pub fn observed_frequency(&self) -> Option<f64> {
        // The flat initial state is not a zero crossing.
        let pairs = self.samples.windows(2).skip(1);
        let sign_changes = pairs.filter(|p| p[0].amplitude * p[1].amplitude < 0.0);
        let crossing_times: Vec<f64> = sign_changes
            .map(|p| {
                let fraction = p[0].amplitude / (p[0].amplitude - p[1].amplitude);
                p[0].time + fraction * (p[1].time - p[0].time)
            })
            .collect();
        let (first, last) = (crossing_times.first()?, crossing_times.last()?);
        let half_periods = (crossing_times.len() - 1) as f64;
        (half_periods > 0.0).then(|| std::f64::consts::PI * half_periods / (last - first))
    }
}

/// Projects states of one drum onto the mode.
struct Observer {
    /// `m phi / sum m phi^2` of each node.
    weights: Vec<f64>,
    /// Potential energy of the flat membrane (J).
    flat_energy: f64,
}

impl Observer {
    /// The weights of the mode of `drum`; `run` must be in its initial, flat state.
    fn new(drum: Drum, run: &mut Run) -> Self {
        let mode = Drum::mode(&drum.mesh());
        let masses = run.system.masses();
        let norm: f64 = masses.iter().zip(&mode).map(|(m, phi)| m * phi * phi).sum();
        let weights = masses.iter().zip(&mode).map(|(m, phi)| m * phi / norm).collect();
        let flat_energy = run.system.at(&run.state.positions).potential(0.0, &run.state.positions);
        Self { weights, flat_energy }
    }

    /// Measures the current state.
    fn sample(&self, run: &mut Run) -> Sample {
        let State { time, positions: x, velocities: v, .. } = &run.state;
        let project = |field: &[Vec3]| self.weights.iter().zip(field).map(|(w, x)| w * x.y).sum();
        let (amplitude, rate): (f64, f64) = (project(x), project(v));
        let envelope = libm::hypot(amplitude, rate / Drum::frequency());
        Sample { time: *time, amplitude, envelope, energy: run.energy() - self.flat_energy }
    }
}

/// Runs the drum with a method for `step_count` steps at this resolution (steps per second), and samples it at the
/// start and at regular intervals.
///
/// # Errors
/// If a step fails.
pub fn run_method(
    drum: Drum,
    (method, integrator): (&'static str, &dyn Integrator),
    resolution: usize,
    step_count: usize,
) -> Result<DrumEntry, StudyError> {
    let mut run = Run::new(drum.problem(), TOLERANCE);
    let observer = Observer::new(drum, &mut run);
    let mut samples = vec![observer.sample(&mut run)];
    let mut iterations = 0;
    let description = || format!("{method} at {resolution} steps/s on {drum:?}");
    let run_error = |cause: StepError| StudyError::Run { what: description(), cause };
    let h = 1.0 / resolution as f64;
    for step in 1..=step_count {
        let Run { system, state, solver } = &mut run;
        iterations +=
            advance(integrator, system, solver, state, h).map_err(run_error)?.solve.iterations;
        if step % resolution.div_ceil(MAX_SAMPLES_PER_SECOND) == 0 {
            samples.push(observer.sample(&mut run));
        }
    }
    Ok(DrumEntry { method, resolution, samples, iterations })
}

/// The methods and their steps per second. The reference is explicit and symplectic, with about a third of
/// the stability limit on 24 rings; it is faster than BDF2 with steps of negligible damping.
fn methods() -> Vec<(&'static str, Box<dyn Integrator>, usize)> {
    vec![
        ("reference (Verlet)", Box::new(RungeKutta::verlet()), 12_000),
        ("A-search", Box::new(ASearch::default()), 120),
        ("A-search, filtered", Box::new(a_search(Control::FILTERED)), 120),
        ("BDF2", Box::new(Bdf2), 120),
        ("implicit Euler", Box::new(ImplicitEuler), 120),
        ("BDF2", Box::new(Bdf2), 240),
    ]
}

/// Runs all methods on this drum for `seconds`.
///
/// # Errors
/// If a step fails.
pub fn measure(drum: Drum, seconds: usize, watch: Watch<'_>) -> Result<Vec<DrumEntry>, StudyError> {
    let run_entry = |(name, method, resolution): (&'static str, Box<dyn Integrator>, usize)| {
        let entry = run_method(drum, (name, &*method), resolution, seconds * resolution)?;
        watch(&format!("{name} at {resolution} steps/s"));
        Ok(entry)
    };
    methods().into_par_iter().with_max_len(1).map(run_entry).collect()
}

/// One row per run.
pub fn table(entries: &[DrumEntry]) -> Table {
    Table::with_rows("drum", entries)
        .column("method", |e| e.method)
        .column("steps/s", |e| e.resolution)
        .number("amplitude, end/start", 3, DrumEntry::amplitude_ratio)
        .number("mean energy, end/start", 3, DrumEntry::energy_ratio)
        .column("Newton iterations", |e| e.iterations)
        .column("as expected", DrumEntry::is_as_expected)
        .table()
}

/// The amplitude of the mode over time.
pub fn chart(entries: &[DrumEntry]) -> Graph {
    let samples = || entries.iter().flat_map(|e| &e.samples);
    let max = |quantity: fn(&Sample) -> f64| samples().map(quantity).fold(0.0, f64::max);
    let curve = |(color_index, e): (usize, &DrumEntry)| {
        let points = e.samples.iter().map(|s| (s.time, 1e3 * s.envelope)).collect();
        Curve::new(format!("{}, {}/s", e.method, e.resolution), color_index, points)
    };
    Graph {
        name: "drum".to_owned(),
        x: Axis::linear("time (s)", [0.0, max(|s| s.time)]),
        y: Axis::linear("amplitude of the (2,1) mode (mm)", [0.0, 1.1e3 * max(|s| s.envelope)]),
        marks: Marks::Lines,
        curves: entries.iter().enumerate().map(curve).collect(),
    }
}
