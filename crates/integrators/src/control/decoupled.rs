//! Decoupled alpha-methods (ASEARCH, sections 4.1-4.2 and appendix D).
//!
//! A Runge-Kutta method gives positions and velocities `v~`, its adjoint from the same
//! start velocities `v*`; the step keeps the positions and takes
//! `v = (1 - alpha) v~ + alpha v*`. The result has the order of the base method, is symplectic on linear problems
//! at alpha = 1, and is as admissible as the base method, because positions are unchanged. With implicit Euler as base
//! method this is A-1 or A-search.
//!
//! Friction and damping act within the base method. The stages of the adjoint include them, but only the impulses of
//! potentials are exchanged: `v~ - v*` is their difference. The dissipated energy is therefore known, and alpha does
//! not compensate it.

#[cfg(feature = "serde")]
use crate::control::alpha_rule::default_alpha_max;
use crate::control::alpha_rule::{AlphaRule, Control};
use crate::control::correction::Correction;
use crate::control::spin::Spins;
use crate::control::target::EnergyTarget;
use crate::error::StepError;
use crate::methods::runge_kutta::{RungeKutta, compute_stages};
use crate::parameters::ParameterError;
use crate::step::Scope;
use crate::step::memory;
use crate::step::{Integrator, Step, StepEnd};
use crate::tableau::{Tableau, TableauError};
use resile_math::Vec3;
use resile_system::{RecordFormat, State};

/// Choice of alpha of a decoupled method.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename = "Alpha", deny_unknown_fields)
)]
pub enum Steering {
    /// Alpha is one always: the decoupled symplectic method.
    #[default]
    One,
    /// Alpha follows an energy target.
    Search {
        /// Lower limit of alpha.
        #[cfg_attr(feature = "serde", serde(default))]
        alpha_min: f64,
        /// Upper limit of alpha.
        #[cfg_attr(feature = "serde", serde(default = "default_alpha_max"))]
        alpha_max: f64,
        /// Search for alpha.
        #[cfg_attr(feature = "serde", serde(default))]
        control: Control,
        /// The energy to be kept.
        #[cfg_attr(feature = "serde", serde(default))]
        target: EnergyTarget,
    },
}

impl Steering {
    /// A search for the initial energy with the limits and the rule of the paper.
    pub fn search() -> Self {
        let AlphaRule { limits: [alpha_min, alpha_max], control } = AlphaRule::default();
        Self::Search { alpha_min, alpha_max, control, target: EnergyTarget::default() }
    }

    /// The target and the rule of a search; `None` if alpha is always one.
    fn target_and_rule(&self) -> Option<(&EnergyTarget, AlphaRule)> {
        match self {
            Self::One => None,
            Self::Search { alpha_min, alpha_max, control, target } => {
                Some((target, AlphaRule { limits: [*alpha_min, *alpha_max], control: *control }))
            }
        }
    }
}

/// The decoupled alpha-method over a Runge-Kutta method. It costs the method and its
/// adjoint: over SDIRK2 three solves a step.
#[derive(Debug, Clone)]
pub struct Decoupled {
    method: Tableau,
    adjoint: Tableau,
    steering: Steering,
    name: String,
    order: u32,
}

impl Decoupled {
    /// The decoupled method over `method`.
    ///
    /// # Errors
    /// If the stages of the adjoint cannot be solved one after the other.
    pub fn over(method: &RungeKutta, steering: Steering) -> Result<Self, TableauError> {
        Ok(Self {
            adjoint: method.tableau.adjoint()?,
            method: method.tableau.clone(),
            steering,
            name: format!("decoupled {}", method.name),
            order: method.order,
        })
    }
}

impl Integrator for Decoupled {
    fn check(&self) -> Result<(), ParameterError> {
        self.method.check()?;
        let target_and_rule = self.steering.target_and_rule();
        target_and_rule.map_or(Ok(()), |(target, rule)| target.check().and_then(|()| rule.check()))
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn scope(&self) -> Scope {
        self.steering.target_and_rule().map_or(Scope::Island, |(target, _)| target.scope)
    }

    fn alpha_limits(&self) -> Option<[f64; 2]> {
        self.steering.target_and_rule().map(|(_, rule)| rule.limits)
    }

    fn energy_targets(&self, state: &State) -> Option<Vec<f64>> {
        memory::energy_targets(state)
    }

    fn order(&self) -> u32 {
        self.order
    }

    fn records(&self) -> Vec<RecordFormat> {
        self.steering.target_and_rule().map(|_| memory::control_format()).into_iter().collect()
    }

    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError> {
        let target_and_rule = self.steering.target_and_rule();
        let control = target_and_rule.map(|(target, rule)| (target, rule, target.at_start(step)));
        let mut links = step.empty_links();
        let adjoint = compute_stages(step, &self.adjoint, &mut links)?;
        // The base method comes last, so that the system is prepared at its end.
        let base = compute_stages(step, &self.method, &mut links)?;
        let velocity_change =
            |i: usize| step.system.free_part(i, adjoint.impulse[i] - base.impulse[i]);
        let mut dv: Vec<Vec3> = (0..base.impulse.len()).map(velocity_change).collect();
        if !self.method.is_explicit() {
            step.frame(1.0).velocity_changes_to_space(&base.end.state.positions, &mut dv);
        }
        let spins = Spins::default();
        let impulse = vec![Vec3::ZERO; dv.len()];
        let correction = Correction {
            end: base.end,
            dv,
            impulse,
            work_correction: Vec::new(),
            links,
            spins,
            frictional: None,
        };
        match control {
            None => Ok(correction.with_alpha_one()),
            Some((target, rule, control)) => {
                correction.with_searched_alphas(step, target, rule, control)
            }
        }
    }
}
