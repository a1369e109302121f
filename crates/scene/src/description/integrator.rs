//! Time integration.

use serde::{Deserialize, Deserializer, Serialize};

/// A time integrator with its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Integrator {
    /// Explicit: `x + h v`, `v + h a(x)`; unstable without damping.
    ForwardEuler,
    /// Explicit: the velocity first, then the position with it.
    SymplecticEuler,
    /// Explicit: forces from half a step of forward Euler (EXPLICIT's half step).
    ExplicitMidpoint,
    /// Explicit: forward Euler whose position takes the mean velocity (EXPLICIT's midpoint).
    AveragedMidpoint,
    /// Explicit: half a drift, a kick, half a drift.
    SymplecticMidpoint,
    /// Explicit: the midpoint rule whose half stage already moves with its own velocity.
    ModifiedHalfStep,
    /// Explicit trapezoidal rule.
    Heun,
    /// Explicit, fourth order.
    RungeKutta4,
    /// Explicit, symplectic: half a kick, a drift, half a kick.
    Verlet,
    /// Explicit, symplectic, fourth order.
    ForestRuth,
    /// Any Runge-Kutta method, explicit or diagonally implicit.
    RungeKutta {
        /// Rows of the Butcher tableau, up to the diagonal or whole.
        a: Vec<Vec<f64>>,
        /// Its weights.
        b: Vec<f64>,
    },
    /// Implicit Euler: first order, dissipative.
    ImplicitEuler,
    /// Second-order backward differentiation, started by one implicit Euler step.
    Bdf2,
    /// The trapezoidal rule (Newmark 1/4, 1/2).
    Trapezoidal,
    /// The implicit midpoint rule.
    ImplicitMidpoint,
    /// Forces at one point between the ends.
    ThetaInner {
        /// Where: 0 is the old end, 1 the new one.
        theta: f64,
    },
    /// Forces at both ends.
    ThetaOuter {
        /// Weight of the new end.
        theta: f64,
    },
    /// Newmark's family.
    Newmark {
        /// Weight of the new acceleration in the position.
        beta: f64,
        /// Weight of the new acceleration in the velocity.
        gamma: f64,
    },
    /// The generalized-alpha method: second order, damps unresolved vibrations.
    GeneralizedAlpha {
        /// The spectral radius at infinite frequency: the factor by which a step multiplies unresolved vibrations.
        rho_inf: f64,
    },
    /// Two implicit stages, second order, L-stable.
    Sdirk2,
    /// Trapezoidal rule and BDF2 in one step, second order, L-stable.
    TrBdf2,
    /// The same with both halves of equal length (Bathe).
    Bathe,
    /// Average vector field: conserves the energy of polynomial potentials.
    Avf {
        /// How forces are averaged along the step.
        #[serde(default)]
        quadrature: Quadrature,
    },
    /// Implicit Euler with the velocity correction of A-1 (alpha = 1 always).
    A1,
    /// A-search: alpha is sought such that the energy meets its target.
    ASearch {
        /// Lower limit of alpha.
        #[serde(default)]
        alpha_min: f64,
        /// Upper limit of alpha.
        #[serde(default = "default_alpha_max")]
        alpha_max: f64,
        /// How alpha is steered.
        #[serde(default)]
        control: Control,
        /// The energy that is kept.
        #[serde(default)]
        target: Target,
        /// Whether angular momenta are also conserved.
        #[serde(default)]
        momentum: Momentum,
        /// The part of the change of forces that corrects velocities.
        #[serde(default)]
        correction: Correction,
    },
    /// The decoupled alpha-method over a Runge-Kutta method.
    Decoupled {
        /// The method under it.
        method: Underlying,
        /// Its alpha.
        #[serde(default)]
        alpha: Alpha,
    },
    /// The midpoint rule, mixed with backward or forward Euler where its energy is off.
    Blend {
        /// Allowed deviation of the energy over the energy that can change hands.
        #[serde(default = "default_tolerance")]
        tolerance: f64,
        /// The energy that is kept.
        #[serde(default)]
        target: Target,
    },
}

/// Conservation of angular momenta by A-search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Momentum {
    /// Angular momenta change by the errors of the force evaluation.
    #[default]
    Plain,
    /// Angular momenta of bodies without external forces, supports or damping are conserved.
    Exact,
}

/// The part of the change of forces by which A-search corrects velocities.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Correction {
    /// All of it; the paper's rule.
    #[default]
    Plain,
    /// The resolved part: `(M + c h^2 K)^-1 M` of it, with `K` the stiffness within each body.
    Resolved {
        /// The factor c.
        #[serde(default = "default_c")]
        c: f64,
    },
    /// The rigid motion of each free body, and a fraction of the rest.
    Split {
        /// The fraction.
        #[serde(default)]
        elastic: f64,
    },
    /// The component along the mean velocity of each body.
    Along,
}

fn default_c() -> f64 {
    resile_integrators::CorrectionRule::C
}

impl Integrator {
    /// The integrator in RON, on one line.
    pub fn to_ron(&self) -> String {
        ron::to_string(self).expect("plain data can always be written as RON")
    }

    /// The energy target, for methods that control energy, and the field that contains it.
    pub fn target(&self) -> Option<(&'static str, &Target)> {
        match self {
            Self::ASearch { target, .. } | Self::Blend { target, .. } => {
                Some(("integrator.target", target))
            }
            Self::Decoupled { alpha: Alpha::Search { target, .. }, .. } => {
                Some(("integrator.alpha.target", target))
            }
            _ => None,
        }
    }
}

pub(super) fn default_alpha_max() -> f64 {
    1.1
}

fn default_tolerance() -> f64 {
    0.01
}

fn one() -> f64 {
    1.0
}

/// A quadrature rule along a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Quadrature {
    /// Exact for quartic potentials, such as that of `StVK`.
    #[default]
    Simpson,
    /// Gauss-Legendre.
    Gauss {
        /// Number of nodes, 1 to 5.
        nodes: u32,
    },
    /// Equidistant nodes with both ends.
    NewtonCotes {
        /// Number of nodes, 2 to 5.
        nodes: u32,
    },
}

/// A Runge-Kutta method whose adjoint can be solved stage by stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Underlying {
    /// Gives A-1 and A-search.
    ImplicitEuler,
    /// Is its own adjoint: alpha has no power.
    Trapezoidal,
    /// Second order.
    Sdirk2,
    /// Any other.
    RungeKutta {
        /// Rows of the Butcher tableau.
        a: Vec<Vec<f64>>,
        /// Its weights.
        b: Vec<f64>,
    },
}

/// The alpha of a decoupled method.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Alpha {
    /// One always: linearly symplectic.
    #[default]
    One,
    /// Sought such that the energy meets its target.
    Search {
        /// Lower limit of alpha.
        #[serde(default)]
        alpha_min: f64,
        /// Upper limit of alpha.
        #[serde(default = "default_alpha_max")]
        alpha_max: f64,
        /// How alpha is steered.
        #[serde(default)]
        control: Control,
        /// The energy that is kept.
        #[serde(default)]
        target: Target,
    },
}

/// The energy target of a method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Target {
    /// The first target above the ground, over the initial energy above it.
    pub scale: f64,
    /// Phases of the decay of the target towards the ground; empty: no decay.
    pub decay: Vec<DecayPhase>,
    /// The energy at rest; required if the target is scaled or decays.
    pub ground: Option<Ground>,
    /// The bodies whose total energy is controlled.
    pub scope: Scope,
}

impl Default for Target {
    fn default() -> Self {
        Self { scale: one(), decay: Vec::new(), ground: None, scope: Scope::Island }
    }
}

/// From a time on, the target decays with a time constant, until the next phase.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecayPhase {
    /// When the phase begins (s).
    pub start: f64,
    /// Time in which the height of the target above the ground decreases to 1/e (s); `None`: no further decay.
    #[serde(deserialize_with = "required_option")]
    pub tau: Option<f64>,
}

/// Reads an option that must be written: leaving `tau` out is not "no decay".
fn required_option<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Option::deserialize(deserializer)
}

/// The energy at rest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Ground {
    /// An energy of the whole scene (J), shared between bodies by mass.
    Joules(f64),
    /// Every body undeformed and at rest with its centre of mass at this height
    /// above the origin, against gravity (m).
    RestHeight(f64),
}

/// How alpha is steered.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Control {
    /// Every step lands on the target if alpha can reach it; the paper's rule.
    #[default]
    Deadbeat,
    /// Alpha is 1 unless three energies in a row lie strictly on one side of the
    /// target.
    Sparse {
        /// Distance to the target, over its present size, that counts as on it.
        #[serde(default = "default_dead_band")]
        dead_band: f64,
    },
    /// Corrects the mean energy gently and permits oscillations about it.
    Filtered {
        /// Share of the mean's error that a step corrects.
        #[serde(default = "default_gain")]
        gain: f64,
        /// Weight of the present energy in the mean.
        #[serde(default = "default_gain")]
        memory: f64,
    },
}

fn default_dead_band() -> f64 {
    1e-9
}

fn default_gain() -> f64 {
    0.1
}

/// Set of bodies whose total energy is conserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Scope {
    /// Bodies that exchange force.
    #[default]
    Island,
    /// All bodies, as in the paper; moves energy between bodies that never touch.
    Scene,
}

/// Error control of the time step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Adaptive {
    /// Step doubling: compares each step with two half steps and bounds the error estimated from their difference.
    Doubling {
        /// Permitted error of a step, over `time.step` (m/s).
        error: f64,
        /// The shortest step (s); absent: a 1024th of `time.step`.
        #[serde(default)]
        shortest: Option<f64>,
    },
    /// The method's own estimate of its error is bounded.
    Embedded {
        /// Permitted error of a step, over `time.step` (m/s).
        error: f64,
        /// The shortest step (s); absent: a 1024th of `time.step`.
        #[serde(default)]
        shortest: Option<f64>,
    },
}
