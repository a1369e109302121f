//! Data of an IPC script, with the defaults of the format.

/// Index of the first activation distance of the barrier, `dHat`, in `tuning`; the next entry is the last one.
pub(super) const TUNING_D_HAT: usize = 1;
/// Index of the first speed below which friction is smaller than its limit, `epsv`, in `tuning`; the next entry is the
/// last one.
pub(super) const TUNING_EPS_V: usize = 4;

/// Three numbers, such as a vector.
pub(super) type Triple = [f64; 3];

/// Nodes of a shape with a prescribed motion, `DBC`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dirichlet {
    /// Corners of a box relative to the bounds of the shape.
    pub(super) box_corners: [Triple; 2],
    /// Velocity (m/s).
    pub(super) velocity: Triple,
    /// Angular velocity in degrees per second.
    pub(super) angular: Triple,
    /// Start and end (s).
    pub(super) times: [f64; 2],
}

/// Nodes of a shape with forces, `NBC`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Neumann {
    /// Corners of a box relative to the bounds of the shape.
    pub(super) box_corners: [Triple; 2],
    /// Force per mass (m/s^2), which the source multiplies by the mass of each node.
    pub(super) acceleration: Triple,
    /// Start and end (s).
    pub(super) times: [f64; 2],
}

/// A line of the section `shapes`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Shape {
    pub(super) line: usize,
    pub(super) path: String,
    /// Translation (m).
    pub(super) translate: Triple,
    /// Angles about x, y and z in degrees.
    pub(super) rotate: Triple,
    pub(super) scale: Triple,
    /// Density (kg/m^3), Young's modulus (Pa) and Poisson's ratio.
    pub(super) material: Option<Triple>,
    /// Prescribed velocity (m/s).
    pub(super) velocity: Option<Triple>,
    /// Prescribed angular velocity in degrees per second.
    pub(super) angular: Option<Triple>,
    /// Initial linear velocity (m/s), and angular velocity in degrees per second.
    pub(super) initial: Option<[Triple; 2]>,
    pub(super) dirichlet: Vec<Dirichlet>,
    pub(super) neumann: Vec<Neumann>,
    /// Folder of a mesh sequence.
    pub(super) sequence: Option<String>,
}

/// A half-space obstacle.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HalfSpace {
    pub(super) origin: Triple,
    pub(super) normal: Triple,
    pub(super) friction: f64,
}

/// A mesh object (`meshCO`): an obstacle, centred and scaled to a size.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MeshObject {
    pub(super) line: usize,
    pub(super) path: String,
    /// Position of the centre (m).
    pub(super) origin: Triple,
    /// Largest extent (m).
    pub(super) size: f64,
    pub(super) friction: f64,
    /// Angles about x, y and z in degrees.
    pub(super) rotate: Triple,
}

/// An animation (keyword `script`) by its name in the format; `null` moves nothing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScriptAnimation {
    pub(super) line: usize,
    pub(super) name: String,
    pub(super) parameters: Vec<String>,
}

/// A complete script, with the defaults of the format.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Script {
    /// Whether the law is the fixed corotated one, and not the neo-Hookean one.
    pub(super) corotated: bool,
    /// Beta and gamma of Newmark's method; `None` for backward Euler.
    pub(super) newmark: Option<[f64; 2]>,
    /// Largest extent (m) to which the whole model is scaled.
    pub(super) size: Option<f64>,
    /// Simulated time (s).
    pub(super) duration: f64,
    /// Length of a time step (s).
    pub(super) step: f64,
    /// Density (kg/m^3) of shapes without a material.
    pub(super) density: f64,
    /// Young's modulus (Pa) of shapes without a material.
    pub(super) young: f64,
    /// Poisson's ratio of shapes without a material.
    pub(super) poisson: f64,
    /// Whether gravity acts.
    pub(super) gravity: bool,
    /// `dampingStiff`, in s^3: the product of the damping time and the square of the time step.
    pub(super) damping_stiffness: f64,
    /// `dampingRatio`, from 0 to 1. A positive one takes precedence over `dampingStiff`.
    pub(super) damping_ratio: f64,
    /// The animation of the keyword `script`.
    pub(super) animation: ScriptAnimation,
    /// Start and end (s) of all prescribed motions of boxes.
    pub(super) dirichlet_times: [f64; 2],
    /// Start and end (s) of all forces.
    pub(super) neumann_times: [f64; 2],
    pub(super) shapes: Vec<Shape>,
    pub(super) half_spaces: Vec<HalfSpace>,
    pub(super) objects: Vec<MeshObject>,
    /// Whether bodies are in contact with each other and themselves.
    pub(super) self_collision: bool,
    /// Coefficient of friction between bodies.
    pub(super) self_friction: f64,
    /// Solver of contact other than the interior point method: `QP` or `SQP`.
    pub(super) replaced_solver: Option<String>,
    /// Line of a `constraintOffset` other than zero.
    pub(super) offset_line: Option<usize>,
    /// Rotation of the whole model: axis and angle in degrees.
    pub(super) turn: Option<(Triple, f64)>,
    /// Length of each end with a prescribed motion, relative to the extent of the model.
    pub(super) handle_ratio: f64,
    /// Values of `tuning`, among them those at [`TUNING_D_HAT`] and [`TUNING_EPS_V`].
    pub(super) tuning: Vec<f64>,
    /// Whether distances and tolerances are absolute, and not relative to the diagonal of the solids.
    pub(super) absolute: bool,
    /// Number of friction iterations per step; no limit if it is not positive.
    pub(super) friction_rounds: i64,
    /// Tolerance of Newton's method (m/s), or relative to the diagonal of the solids per second.
    pub(super) tolerance: f64,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            corotated: false,
            newmark: None,
            size: None,
            duration: 5.0,
            step: 0.025,
            density: 1000.0,
            young: 1e5,
            poisson: 0.4,
            gravity: true,
            damping_stiffness: 0.0,
            damping_ratio: 0.0,
            animation: ScriptAnimation { line: 0, name: "null".to_owned(), parameters: Vec::new() },
            dirichlet_times: [0.0, f64::INFINITY],
            neumann_times: [0.0, f64::INFINITY],
            shapes: Vec::new(),
            half_spaces: Vec::new(),
            objects: Vec::new(),
            self_collision: true,
            self_friction: 0.0,
            replaced_solver: None,
            offset_line: None,
            turn: None,
            handle_ratio: 0.01,
            tuning: vec![0.0, 1e-3, 1e-3, 1e-9, 1e-3, 1e-3],
            absolute: false,
            friction_rounds: 1,
            tolerance: 1e-2,
        }
    }
}
