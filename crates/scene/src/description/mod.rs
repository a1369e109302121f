//! The description of a scene, as plain data.
//!
//! These types mirror the RON text one to one: `resile-assembly` builds a world from them. Choices of methods are plain
//! data of the crates that compute with them, such as [`Scheme`]; they are serialisable there with the feature `serde`.
//!
//! # Rules
//! * Unknown fields are refused everywhere, and the choice between variants
//!   is always an externally tagged enum: with `flatten`, `untagged` or internal
//!   tags serde buffers the text and the reader loses line and column.
//! * SI units, whatever units the text has ([`Units`]), y up, angles of initial poses in degrees, angular velocities in
//!   rad/s.
//! * Gravity, friction, contact, the integrator and the time step have defaults (`defaults.rs`). Materials have none.
//!   Any other omitted field means absence (no obstacles, no initial velocity, nothing held), or a numerical setting.
//!
//! # Checking
//! The types alone refuse wrong names and wrong kinds of value, at the first
//! mistake. Numbers and references are checked by [`Scene::check`], which
//! collects every [`Problem`] at once, each with the path of the field.

mod adaptive;
mod animation;
mod body;
mod check;
mod check_body;
mod check_integrator;
mod check_kind;
mod check_pairs;
mod check_particles;
mod check_path;
mod check_plastic;
mod check_shell;
mod check_term;
mod check_viscous;
mod contact;
mod converter;
mod defaults;
mod expand;
mod field;
mod flight;
mod formula;
mod implausible_terms;
mod initial;
mod joint;
mod kind;
mod load;
mod map;
mod material;
mod motion;
mod motion_text;
mod number_walk;
mod numbers;
mod place;
mod plausible;
mod preset;
mod probe;
mod problem;
mod quantity;
mod range;
mod seam;
mod shape;
mod slips;
mod term;
mod ties;
mod typed;
mod unit;
mod unresolved_times;
mod velocity_field;
mod wind;
mod without_effect;

pub use adaptive::Adaptive;
pub use animation::{AfterFrames, Animation, BetweenFrames};
pub use body::{
    Attachment, Axis, Body, Deformation, GroupThickness, Hold, Layer, Placement, Region, Rotation,
    Spin,
};
pub use contact::{
    Adhesion, Contact, ContactStart, Obstacle, PairFriction, TangentialAdhesion, is_wireframe_file,
};
pub use converter::conversion_advice;
pub use defaults::DEFAULT_FRICTION;
pub use expand::{ExpandedBody, Repeat, Series, Vary};
pub use field::Field;
pub use flight::FlightRule;
pub use formula::{Formula, expression};
pub use initial::Initial;
pub use joint::Joint;
pub use kind::{Bending, BendingModel, Elements, Kind, Masses, Motor, RestAngles, RestShape};
pub use load::{ForceSpread, TimeFunction};
pub use map::PaintedMap;
pub use material::{Material, Plasticity, PronyBranch, RateDependence, Viscosity};
pub use motion::{Interpolation, Key, MotionDescription};
pub use numbers::{Scale, StepSize};
pub use plausible::{implausible_size, is_magnitude_warning};
pub use preset::{Preset, presets};
pub use probe::{Probe, ProbePlace};
pub use problem::nearest;
pub use problem::{Problem, Severity};
pub(crate) use quantity::{Measure, Quantity, quantity, quantity_within};
pub use resile_math::units::{FormattedQuantity, Units};
pub use seam::{Seam, SeamSide};
pub use shape::{FillMesh, FillSurface, Geometry, Resolution, Shape};
pub use term::{Damping, Repeller, SpringLaw, Term};
pub use typed::{Rod, SheetModel, Shell, TypedBody};
pub(crate) use unit::is_unit;
pub use velocity_field::VelocityField;
pub use wind::Wind;

pub use resile_contact::{Barrier, FrictionRule};
pub use resile_energy::Model;
use resile_integrators::FRICTION_ROUNDS;
pub use resile_integrators::{
    Control, CorrectionRule, DecayPhase, EnergyTarget, Ground, MomentumRule, Quadrature, Scheme,
    Scope, Steering, Underlying,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The current version of the format. The reader also accepts texts of version 1 and converts them.
pub const VERSION: u32 = 2;

/// A whole scene file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Version of the format; the first field of the file.
    pub version: u32,
    /// Name of the run; default: the name of the file without its extension.
    pub name: Option<String>,
    /// The units of the text and of messages. The numbers of this type are always in SI: they are converted when a
    /// text is read or written.
    #[serde(default, skip_serializing_if = "defaults::is_default")]
    pub units: Units,
    /// Elastic materials by name; particles need none.
    #[serde(default, deserialize_with = "material::unique_names")]
    pub materials: BTreeMap<String, Material>,
    /// Elastic bodies.
    pub bodies: Vec<Body>,
    /// Joints between affine bodies.
    #[serde(default)]
    pub joints: Vec<Joint>,
    /// Seams between parts of one or of two bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seams: Vec<Seam>,
    /// Gravitational acceleration (m/s^2).
    #[serde(default = "defaults::gravity")]
    pub gravity: [f64; 3],
    /// Changes of gravity, in the order of their times.
    #[serde(default)]
    pub gravity_changes: Vec<GravityChange>,
    /// Wind on shells and cloth; default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wind: Option<Wind>,
    /// Obstacles: rigid or animated surfaces.
    #[serde(default)]
    pub obstacles: Vec<Obstacle>,
    /// Contact between bodies and with obstacles; default: a barrier.
    #[serde(default)]
    pub contact: Contact,
    /// The state at the start.
    #[serde(default, skip_serializing_if = "defaults::is_default")]
    pub initial: Initial,
    /// Whether the run starts from static equilibrium.
    #[serde(default)]
    pub settle: bool,
    /// The analysis.
    #[serde(default, skip_serializing_if = "defaults::is_default")]
    pub analysis: Analysis,
    /// Motion of bodies without contact.
    #[serde(default, skip_serializing_if = "defaults::is_default")]
    pub flight: FlightRule,
    /// Time integration.
    #[serde(default)]
    pub integrator: Scheme,
    /// Step and duration.
    pub time: Time,
    /// Settings of the solver.
    #[serde(default)]
    pub solver: Solver,
    /// Output in addition to the history.
    #[serde(default)]
    pub output: Output,
}

/// The type of analysis.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Analysis {
    /// Transient: steps of the integrator.
    #[default]
    Dynamic,
    /// Static: each load step ends in equilibrium under the loads and prescribed motions at its end.
    Static,
    /// Steps along the equilibrium path of the only body, on which loads may decrease.
    ArcLength {
        /// Root mean square of the displacements of all nodes in a step (m).
        length: f64,
    },
}

/// A change of gravity at a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GravityChange {
    /// Start time (s).
    pub start: f64,
    /// Acceleration (m/s^2).
    pub gravity: [f64; 3],
}

/// Step and duration of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Time step: seconds, or a fraction in quotes such as `"1/120"`.
    #[serde(default = "defaults::step")]
    pub step: StepSize,
    /// Simulated time (s).
    pub duration: f64,
    /// Adaptive substeps.
    pub adaptive: Option<Adaptive>,
}

impl Time {
    /// The smallest number of steps that reaches the duration, up to rounding of `duration / step`. At least one step
    /// for every positive duration.
    pub fn steps(&self) -> u64 {
        let steps = self.duration / self.step.seconds();
        let nearest = steps.round();
        let is_integer = nearest >= 1.0 && (steps - nearest).abs() <= 1e-9 * nearest;
        (if is_integer { nearest } else { steps.ceil() }) as u64
    }
}

/// Settings of the minimiser and of the retries; all have defaults.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Solver {
    /// The minimiser.
    #[serde(skip_serializing_if = "defaults::is_default")]
    pub method: SolverMethod,
    /// Newton stops when its step, divided by the time step, is below this (m/s).
    pub tolerance: f64,
    /// Maximum number of Newton iterations in one solve.
    pub max_iterations: u32,
    /// The linear solver.
    pub linear: LinearSolver,
    /// Projection of element Hessians to positive semi-definite matrices.
    pub projection: Projection,
    /// Maximum number of times that a failed step is halved.
    pub max_halvings: u32,
    /// Largest distance of blocked held nodes from the positions that their motion prescribes, relative to their
    /// way in the step (root mean squares).
    #[serde(skip_serializing_if = "defaults::is_default")]
    pub dirichlet_tolerance: f64,
    /// Settings of friction.
    #[serde(skip_serializing_if = "defaults::is_default")]
    pub friction: FrictionSolver,
    /// Maximum wall-clock time of a step (s), retries included; default:
    /// unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_seconds_per_step: Option<f64>,
}

impl Default for Solver {
    fn default() -> Self {
        Self {
            method: SolverMethod::default(),
            tolerance: 1e-3,
            max_iterations: 200,
            linear: LinearSolver::Auto,
            projection: Projection::OnDemand,
            max_halvings: 6,
            dirichlet_tolerance: 0.0,
            friction: FrictionSolver::default(),
            max_seconds_per_step: None,
        }
    }
}

/// Settings of friction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FrictionSolver {
    /// Maximum number of times that a step is solved again with the normal forces at its end, until the friction on
    /// each body changes by at most 1 %.
    pub rounds: u32,
}

impl Default for FrictionSolver {
    fn default() -> Self {
        Self { rounds: FRICTION_ROUNDS }
    }
}

/// The minimiser of the objective of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum SolverMethod {
    /// Newton's method, to the tolerance.
    #[default]
    Newton,
    /// Local and global steps with one constant matrix.
    LocalGlobal {
        /// Fixed number of iterations, independently of the tolerance; default: until the tolerance is met.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        iterations: Option<u32>,
    },
}

/// The linear solver of Newton's method.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum LinearSolver {
    /// Direct for small islands, iterative for large ones.
    Auto,
    /// Sparse Cholesky factorisation, always.
    Direct,
    /// Preconditioned conjugate gradients, always; the step fails if they stagnate.
    Iterative {
        /// Tolerance of the residual relative to the right-hand side.
        #[serde(default = "default_linear_tolerance")]
        tolerance: f64,
    },
}

/// The tolerance that [`LinearSolver::Auto`] uses, equal to the default of `resile_solver::Iterative`.
fn default_linear_tolerance() -> f64 {
    3e-2
}

/// Projection of Hessians to positive semi-definite matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Projection {
    /// Only where the unprojected Hessian is indefinite.
    OnDemand,
    /// In every iteration.
    Always,
}

/// Output in addition to `history.csv` and `summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Output {
    /// Frames per simulated second (1/s).
    pub frame_rate: f64,
    /// Formats of the frames; an empty list writes none.
    pub formats: Vec<FrameFormat>,
    /// Tables in addition to `history.csv`.
    pub tables: Vec<Table>,
    /// Fields of frames in addition to the velocity.
    pub fields: Vec<PointField>,
    /// Probes, written to `probes.csv`.
    pub probes: Vec<Probe>,
    /// Steps between two checkpoints.
    pub checkpoint_steps: u32,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            frame_rate: 60.0,
            formats: vec![FrameFormat::Vtu],
            tables: Vec::new(),
            fields: Vec::new(),
            probes: Vec::new(),
            checkpoint_steps: 60,
        }
    }
}

/// An optional table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Table {
    /// `bodies.csv`: energies, target, alpha and centre of mass of every body.
    Bodies,
    /// `poses.csv`: translation and rotation of every affine body.
    Poses,
    /// `contacts.csv`: forces between bodies, and on them from obstacles.
    Contacts,
    /// `momentum.csv`: momentum and force of contact of every body.
    Momentum,
}

/// A field of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PointField {
    /// Rest position after placement (m).
    RestPosition,
    /// Displacement from the rest position (m).
    Displacement,
    /// Velocity (m/s), which frames always have.
    Velocity,
    /// Force of all terms divided by mass (m/s^2).
    Acceleration,
    /// Sum of the forces of all terms (N).
    Force,
    /// det F, `F` the deformation gradient.
    DeformationDeterminant,
    /// The Green strain.
    GreenStrain,
    /// The principal stretches, the largest first.
    PrincipalStretches,
    /// The Cauchy stress (Pa).
    CauchyStress,
    /// The principal values of the Cauchy stress (Pa), the largest first.
    PrincipalStresses,
    /// The force of the barrier on each point (N).
    ContactForce,
    /// Contact force divided by the area of the point (Pa).
    ContactPressure,
    /// The force of friction on each point (N).
    FrictionForce,
    /// The von Mises stress (Pa).
    VonMises,
    /// The strain energy density (J/m^3), by volume at rest.
    StrainEnergyDensity,
    /// The equivalent plastic strain of solids.
    PlasticStrain,
    /// Thickness of shells (m).
    Thickness,
}

/// A file format for frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FrameFormat {
    /// VTK unstructured grids with a PVD index, for `ParaView`.
    Vtu,
    /// A sequence of PLY surfaces, coloured by body.
    Ply,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_count_ignores_rounding_and_counts_a_remainder() {
        let steps = |step: StepSize, duration| Time { step, duration, adaptive: None }.steps();
        let fraction = |over| StepSize::Fraction { numerator: 1, denominator: over };
        assert_eq!(steps(fraction(120), 6.0), 720);
        assert_eq!(steps(fraction(30), 8.0), 240);
        assert_eq!(steps(StepSize::Seconds(0.1), 0.3), 3);
        assert_eq!(steps(StepSize::Seconds(0.1), 0.301), 4);
        assert_eq!(steps(StepSize::Seconds(1e-5), 10.0), 1_000_000);
    }
}
