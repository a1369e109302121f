//! Methods as plain data: the format of scenes, and its numbers.
//!
//! With the feature `serde` a [`Scheme`] is read from the field `integrator` of a scene. [`Scheme::method`] is the
//! method itself; each parameter has one range, that of the method.

#[cfg(feature = "serde")]
use crate::control::alpha_rule::default_alpha_max;
use crate::parameters::ParameterError;
use crate::tableau::TableauError;
use crate::{
    A1, ASearch, AlphaRule, Avf, Bdf2, Blend, Control, CorrectionRule, Decoupled, EnergyTarget,
    GeneralizedAlpha, Ground, ImplicitEuler, Integrator, MomentumRule, Newmark, Quadrature,
    RungeKutta, Steering, Theta,
};
use resile_math::parameters::{Allowed, NumberField};

/// A time integrator with its parameters.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename = "Integrator", deny_unknown_fields)
)]
pub enum Scheme {
    /// Explicit: `x + h v`, `v + h a(x)`; unstable without damping.
    ForwardEuler,
    /// Explicit: updates the velocity first, then the position with the new velocity.
    SymplecticEuler,
    /// Explicit: forces from half a step of forward Euler (EXPLICIT's half step).
    ExplicitMidpoint,
    /// Explicit: forward Euler whose position is updated by the mean velocity (EXPLICIT's midpoint).
    AveragedMidpoint,
    /// Explicit: position by half a step, velocity by a step, position by half a step (drift, kick, drift).
    SymplecticMidpoint,
    /// Explicit: the midpoint rule whose half stage uses its own velocity for its position.
    ModifiedHalfStep,
    /// Explicit trapezoidal rule.
    Heun,
    /// Explicit, fourth order.
    RungeKutta4,
    /// Explicit, symplectic: velocity by half a step, position by a step, velocity by half a step (kick, drift, kick).
    Verlet,
    /// Explicit, symplectic, fourth order.
    ForestRuth,
    /// Any Runge-Kutta method, explicit or diagonally implicit.
    RungeKutta {
        /// Rows of the Butcher tableau, up to the diagonal or whole.
        a: Vec<Vec<f64>>,
        /// The weights of the tableau.
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
    /// The inner theta method: forces at one point between the ends of the step.
    ThetaInner {
        /// Point of evaluation: 0 is the start of the step, 1 its end.
        theta: f64,
    },
    /// The outer theta method: forces at both ends of the step.
    ThetaOuter {
        /// Weight of the forces at the end of the step.
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
    /// Bathe's method: TR-BDF2 with halves of equal length.
    Bathe,
    /// Average vector field: conserves the energy of polynomial potentials.
    Avf {
        /// How forces are averaged along the step.
        #[cfg_attr(feature = "serde", serde(default))]
        quadrature: Quadrature,
    },
    /// Implicit Euler with the velocity correction of A-1 (alpha = 1 always).
    A1,
    /// A-search: alpha is sought such that the energy meets its target.
    ASearch {
        /// Lower limit of alpha.
        #[cfg_attr(feature = "serde", serde(default))]
        alpha_min: f64,
        /// Upper limit of alpha.
        #[cfg_attr(feature = "serde", serde(default = "default_alpha_max"))]
        alpha_max: f64,
        /// Rule for alpha.
        #[cfg_attr(feature = "serde", serde(default))]
        control: Control,
        /// The energy that is kept.
        #[cfg_attr(feature = "serde", serde(default))]
        target: EnergyTarget,
        /// Whether angular momenta are also conserved.
        #[cfg_attr(feature = "serde", serde(default))]
        momentum: MomentumRule,
        /// The part of the change of forces that corrects velocities.
        #[cfg_attr(feature = "serde", serde(default))]
        correction: CorrectionRule,
    },
    /// The decoupled alpha-method over a Runge-Kutta method.
    Decoupled {
        /// The Runge-Kutta method.
        method: Underlying,
        /// Choice of alpha.
        #[cfg_attr(feature = "serde", serde(default))]
        alpha: Steering,
    },
    /// The midpoint rule, blended with backward or forward Euler where its energy deviates from the target. Not for bodies
    /// in persistent contact: those that slide with friction hop.
    Blend {
        /// Permitted deviation of the energy, relative to the exchangeable energy.
        #[cfg_attr(feature = "serde", serde(default = "default_tolerance"))]
        tolerance: f64,
        /// The energy that is kept.
        #[cfg_attr(feature = "serde", serde(default))]
        target: EnergyTarget,
    },
}

impl Default for Scheme {
    /// [`ASearch::default`].
    fn default() -> Self {
        let ASearch { target, rule, momentum, correction } = ASearch::default();
        let AlphaRule { limits: [alpha_min, alpha_max], control } = rule;
        Self::ASearch { alpha_min, alpha_max, control, target, momentum, correction }
    }
}

#[cfg(feature = "serde")]
fn default_tolerance() -> f64 {
    Blend::default().tolerance
}

/// A Runge-Kutta method whose adjoint can be solved stage by stage.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub enum Underlying {
    /// Implicit Euler, which gives A-1 and A-search.
    ImplicitEuler,
    /// The trapezoidal rule. It is its own adjoint, so alpha has no effect.
    Trapezoidal,
    /// Alexander's two-stage method, second order.
    Sdirk2,
    /// Any other Runge-Kutta method.
    RungeKutta {
        /// Rows of the Butcher tableau.
        a: Vec<Vec<f64>>,
        /// The weights of the tableau.
        b: Vec<f64>,
    },
}

impl Scheme {
    /// The method with its parameters.
    ///
    /// # Errors
    /// If the stages of a tableau cannot be solved one after another. [`Integrator::check`] checks the ranges of
    /// parameters.
    pub fn method(&self) -> Result<Box<dyn Integrator>, ParameterError> {
        Ok(match self {
            Self::ForwardEuler => Box::new(RungeKutta::forward_euler()),
            Self::SymplecticEuler => Box::new(RungeKutta::symplectic_euler()),
            Self::ExplicitMidpoint => Box::new(RungeKutta::explicit_midpoint()),
            Self::AveragedMidpoint => Box::new(RungeKutta::averaged_midpoint()),
            Self::SymplecticMidpoint => Box::new(RungeKutta::symplectic_midpoint()),
            Self::ModifiedHalfStep => Box::new(RungeKutta::modified_half_step()),
            Self::Heun => Box::new(RungeKutta::heun()),
            Self::RungeKutta4 => Box::new(RungeKutta::runge_kutta_4()),
            Self::Verlet => Box::new(RungeKutta::verlet()),
            Self::ForestRuth => Box::new(RungeKutta::forest_ruth()),
            Self::RungeKutta { a, b } => Box::new(RungeKutta::butcher(a, b)?),
            Self::ImplicitEuler => Box::new(ImplicitEuler),
            Self::Bdf2 => Box::new(Bdf2),
            Self::Trapezoidal => Box::new(RungeKutta::trapezoidal()),
            Self::ImplicitMidpoint => Box::new(Theta::MIDPOINT),
            Self::ThetaInner { theta } => Box::new(Theta { theta: *theta }),
            Self::ThetaOuter { theta } => Box::new(RungeKutta::theta_outer(*theta)?),
            Self::Newmark { beta, gamma } => Box::new(Newmark { beta: *beta, gamma: *gamma }),
            Self::GeneralizedAlpha { rho_inf } => Box::new(GeneralizedAlpha { rho_inf: *rho_inf }),
            Self::Sdirk2 => Box::new(RungeKutta::sdirk2()),
            Self::TrBdf2 => Box::new(RungeKutta::tr_bdf2()),
            Self::Bathe => Box::new(RungeKutta::bathe()),
            Self::Avf { quadrature } => Box::new(Avf { quadrature: *quadrature }),
            Self::A1 => Box::new(A1),
            Self::ASearch { alpha_min, alpha_max, control, target, momentum, correction } => {
                let rule = AlphaRule { limits: [*alpha_min, *alpha_max], control: *control };
                let (momentum, correction) = (*momentum, *correction);
                Box::new(ASearch { target: target.clone(), rule, momentum, correction })
            }
            Self::Decoupled { method, alpha } => {
                Box::new(Decoupled::over(&method.method()?, alpha.clone())?)
            }
            Self::Blend { tolerance, target } => {
                Box::new(Blend { target: target.clone(), tolerance: *tolerance })
            }
        })
    }

    /// The energy target, for methods that control energy, and the path of its field.
    pub fn target(&self) -> Option<(&'static str, &EnergyTarget)> {
        match self {
            Self::ASearch { target, .. } | Self::Blend { target, .. } => Some(("target", target)),
            Self::Decoupled { alpha: Steering::Search { target, .. }, .. } => {
                Some(("alpha.target", target))
            }
            _ => None,
        }
    }
}

impl Underlying {
    /// The Runge-Kutta method of this variant.
    ///
    /// # Errors
    /// If a given tableau does not define a consistent method.
    fn method(&self) -> Result<RungeKutta, TableauError> {
        Ok(match self {
            Self::ImplicitEuler => RungeKutta::implicit_euler(),
            Self::Trapezoidal => RungeKutta::trapezoidal(),
            Self::Sdirk2 => RungeKutta::sdirk2(),
            Self::RungeKutta { a, b } => RungeKutta::butcher(a, b)?,
        })
    }
}

impl Scheme {
    /// The numbers of all variants and of their parts, with their ranges.
    pub const NUMBERS: [NumberField; 26] = [
        NumberField::new("Integrator::RungeKutta", "a", "coefficient", Allowed::Jointly),
        NumberField::new("Integrator::RungeKutta", "b", "weight", Allowed::Jointly),
        NumberField::new("Underlying::RungeKutta", "a", "coefficient", Allowed::Jointly),
        NumberField::new("Underlying::RungeKutta", "b", "weight", Allowed::Jointly),
        NumberField::new("Integrator::ThetaInner", "theta", "theta", Theta::THETA),
        NumberField::new("Integrator::ThetaOuter", "theta", "theta", RungeKutta::THETA_OUTER),
        NumberField::new("Integrator::Newmark", "beta", "beta", Newmark::BETA),
        NumberField::new("Integrator::Newmark", "gamma", "gamma", Newmark::GAMMA),
        NumberField::new(
            "Integrator::GeneralizedAlpha",
            "rho_inf",
            "rho_inf",
            GeneralizedAlpha::RHO_INF,
        ),
        NumberField::new("Quadrature::Gauss", "nodes", "number of nodes", Quadrature::GAUSS),
        NumberField::new(
            "Quadrature::NewtonCotes",
            "nodes",
            "number of nodes",
            Quadrature::NEWTON_COTES,
        ),
        NumberField::new("Integrator::ASearch", "alpha_min", "alpha_min", AlphaRule::MIN_ALPHA),
        NumberField::new("Integrator::ASearch", "alpha_max", "alpha_max", AlphaRule::MAX_ALPHA),
        NumberField::new("Alpha::Search", "alpha_min", "alpha_min", AlphaRule::MIN_ALPHA),
        NumberField::new("Alpha::Search", "alpha_max", "alpha_max", AlphaRule::MAX_ALPHA),
        NumberField::new("Control::Sparse", "dead_band", "dead band", Control::DEAD_BAND),
        NumberField::new("Control::Filtered", "gain", "gain", Control::GAIN),
        NumberField::new("Control::Filtered", "memory", "memory", Control::MEMORY),
        NumberField::new(
            "Correction::Resolved",
            "c",
            "factor c of the stiffness",
            CorrectionRule::FACTOR,
        ),
        NumberField::new(
            "Correction::Split",
            "elastic",
            "fraction of the rest",
            CorrectionRule::FACTOR,
        ),
        NumberField::new("Target", "scale", "scale of the target", EnergyTarget::SCALE),
        NumberField::new("DecayPhase", "start", "start of the phase (s)", EnergyTarget::START),
        NumberField::new("DecayPhase", "tau", "time constant (s)", EnergyTarget::TAU),
        NumberField::new("Ground::Joules", "0", "energy (J)", Ground::NUMBER),
        NumberField::new("Ground::RestHeight", "0", "height (m)", Ground::NUMBER),
        NumberField::new("Integrator::Blend", "tolerance", "tolerance", Blend::TOLERANCE),
    ];
}
