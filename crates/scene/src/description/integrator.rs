//! How time advances.

use serde::{Deserialize, Deserializer, Serialize};

/// A time integrator with its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Integrator {
    /// Implicit Euler: first order, dissipative.
    ImplicitEuler,
    /// Second-order backward differentiation, started by one implicit Euler step.
    Bdf2,
    /// The trapezoidal rule (Newmark 1/4, 1/2).
    Trapezoidal,
    /// The implicit midpoint rule.
    ImplicitMidpoint,
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
        /// The first target above the ground, over the initial energy above it.
        #[serde(default = "one")]
        target_scale: f64,
        /// How the target decays towards the ground; empty: not at all.
        #[serde(default)]
        decay: Vec<DecayPhase>,
        /// The energy at which everything has come to rest; needed where the
        /// target is scaled or decays.
        #[serde(default)]
        ground: Option<Ground>,
        /// How alpha is steered.
        #[serde(default)]
        control: Control,
        /// What shares one alpha.
        #[serde(default)]
        scope: Scope,
    },
}

impl Integrator {
    /// The limits of alpha, for methods that choose it.
    pub fn alpha_limits(&self) -> Option<[f64; 2]> {
        match *self {
            Self::ASearch { alpha_min, alpha_max, .. } => Some([alpha_min, alpha_max]),
            _ => None,
        }
    }
}

fn default_alpha_max() -> f64 {
    1.1
}

fn one() -> f64 {
    1.0
}

/// From a time on, the target decays with a time constant, until the next phase.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecayPhase {
    /// When the phase begins (s).
    pub start: f64,
    /// Time in which the target's height above the ground falls to 1/e (s);
    /// `None`: no decay from here on.
    #[serde(deserialize_with = "required_option")]
    pub tau: Option<f64>,
}

/// Reads an option that must be written: leaving `tau` out is not "no decay".
fn required_option<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Option::deserialize(deserializer)
}

/// The energy at which everything has come to rest.
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
        /// Distance to the target, over the initial energy, that counts as on it.
        #[serde(default = "default_dead_band")]
        dead_band: f64,
    },
}

fn default_dead_band() -> f64 {
    1e-9
}

/// What shares one alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Scope {
    /// Bodies that exchange force.
    #[default]
    Island,
    /// All bodies, as in the paper; moves energy between bodies that never touch.
    Scene,
}
