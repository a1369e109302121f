//! The target energy of a method: a part for each body, carried from step to step.
//!
//! *target = initial + work - dissipation*, then decay. The target is absolute: if it were reset to the energy of the
//! last step, clipped searches would accumulate losses as in implicit Euler. Dissipation of the step is subtracted
//! before the decay; work of kinematic nodes and moving targets is added.

use crate::parameters::ParameterError;
use crate::step::GroupAlpha;
use crate::step::memory::EnergyControl;
use crate::step::{Scope, Step};
use resile_math::elementary;
use resile_math::parameters::{Allowed, OutOfRange};
use resile_system::Links;

/// Rounding of times, relative to the step: a phase applies to a step that starts at its time within rounding.
const TIME_ROUNDING: f64 = 1e-9;

/// A phase of the exponential decay of the target towards the ground energy, which lasts until the next phase.
///
/// `E <- E_g + exp(-h / tau) (E - E_g)`, where `tau` is an e-folding time
/// (the paper calls it a half-life, but its formula is this one).
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct DecayPhase {
    /// Start (s).
    pub start: f64,
    /// Time (s) in which the height of the target above the ground decreases to 1/e; `None`: no decay.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "required_option"))]
    pub tau: Option<f64>,
}

/// Reads an option that must be present: a missing `tau` is an error, not "no decay".
#[cfg(feature = "serde")]
fn required_option<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<f64>, D::Error> {
    serde::Deserialize::deserialize(d)
}

/// The energy at rest, towards which a target decays.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub enum Ground {
    /// A total energy of all bodies (J), distributed by mass.
    Joules(f64),
    /// Every body undeformed and at rest with its centre of mass at this height above the origin, against gravity (m).
    RestHeight(f64),
}

impl Ground {
    /// Range of the number of either variant.
    pub const NUMBER: Allowed = Allowed::Finite;

    /// Checks that the number is finite.
    fn check(self) -> Result<(), OutOfRange> {
        let (Self::Joules(number) | Self::RestHeight(number)) = self;
        Self::NUMBER.check("ground", number)
    }
}

/// The target energy and the sets of bodies for which it holds.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename = "Target", deny_unknown_fields, default)
)]
pub struct EnergyTarget {
    /// Ratio of the initial target to the initial energy, both above the ground energy.
    pub scale: f64,
    /// Phases of the decay of the target, in the order of time; there is no decay before the first.
    pub decay: Vec<DecayPhase>,
    /// The energy at rest of a scene, from which its reader computes
    /// [`Body::ground_energy`](resile_system::Body::ground_energy). Methods read only the latter.
    pub ground: Option<Ground>,
    /// Sets of bodies over which energies are summed.
    pub scope: Scope,
}

impl Default for EnergyTarget {
    /// The initial energy without decay, for each island.
    fn default() -> Self {
        Self { scale: 1.0, decay: Vec::new(), ground: None, scope: Scope::Island }
    }
}

impl EnergyTarget {
    /// Range of `scale`.
    pub const SCALE: Allowed = Allowed::NotNegative;
    /// Range of the time constants (s) of a decay.
    pub const TAU: Allowed = Allowed::Positive;
    /// Range of the starts (s) of phases, which ascend.
    pub const START: Allowed = Allowed::NotNegative;

    /// Checks the parameters.
    pub(crate) fn check(&self) -> Result<(), ParameterError> {
        Self::SCALE.check("scale", self.scale)?;
        self.ground.map_or(Ok(()), Ground::check)?;
        let mut last = f64::NEG_INFINITY;
        for (entry, &DecayPhase { start, tau }) in self.decay.iter().enumerate() {
            if start <= last {
                return Err(ParameterError::Schedule { entry });
            }
            Self::START.check("start", start)?;
            tau.map_or(Ok(()), |tau| Self::TAU.check("tau", tau))?;
            last = start;
        }
        Ok(())
    }

    /// The factor on `E - E_g` over a step of `h` (s) that starts at `time` (s).
    fn decay_factor(&self, time: f64, h: f64) -> f64 {
        let has_begun = |phase: &&DecayPhase| phase.start <= time + TIME_ROUNDING * h;
        match self.decay.iter().rev().find(has_begun) {
            Some(DecayPhase { tau: Some(tau), .. }) => elementary::exp(-h / tau),
            _ => 1.0,
        }
    }

    /// The control state of each body at the start of `step`: from memory, or the initial one.
    pub(crate) fn at_start(&self, step: &mut Step<'_>) -> Vec<EnergyControl> {
        if let Some(control) = EnergyControl::recall(&step.state.memory) {
            return control;
        }
        let (state, system) = (step.state, step.at_start());
        let potential = system.potential_by_body(state.time, &state.positions);
        let kinetic = system.kinetic_by_body(&state.velocities);
        let initial_control = |b: usize| {
            let ground = system.bodies()[b].ground_energy;
            let energy = potential[b] + kinetic[b];
            let target =
                if self.scale == 1.0 { energy } else { ground + self.scale * (energy - ground) };
            EnergyControl {
                target,
                deviations: [energy - target; 2],
                mean: energy,
                unresolved: 0,
                had_friction: false,
                lowest: potential[b],
            }
        };
        (0..potential.len()).map(initial_control).collect()
    }

    /// Updates the target, the mean and the lowest potential energy of each body for one step: adds `work` to all of
    /// them, and subtracts the `dissipated` heat (both J) and the decay from target and mean. The decaying energy includes
    /// `flight_energy` (J), the kinetic energy that a body without support has by the motion of its frame. Returns the
    /// factor of the decay.
    pub(crate) fn advance(
        &self,
        step: &Step<'_>,
        [work, dissipated, flight_energy]: [&[f64]; 3],
        control: &mut [EnergyControl],
    ) -> f64 {
        let factor = self.decay_factor(step.state.time, step.h);
        for (b, body) in control.iter_mut().enumerate() {
            let previous_target = body.target;
            body.target += work[b] - dissipated[b];
            body.lowest += work[b];
            if factor != 1.0 {
                let ground = step.system.bodies()[b].ground_energy;
                body.target -= (1.0 - factor) * (body.target + flight_energy[b] - ground);
            }
            body.mean += body.target - previous_target;
        }
        factor
    }

    /// The groups of bodies that have one alpha each, by `links` or all `bodies` of the system together.
    pub(crate) fn groups(&self, links: &Links, bodies: usize) -> Vec<Vec<usize>> {
        match self.scope {
            Scope::Island => links.groups(),
            Scope::Scene => vec![(0..bodies).collect()],
        }
    }
}

/// Distributes the target and the `mean` (J) of a group over its bodies, with their `energies` and `kinetic` energies (J).
/// The target of a body becomes its energy, plus a fraction of the deviation of the group from its target (by clipping)
/// in proportion to its kinetic energy; a group at rest keeps its targets. The distribution has no effect while the group
/// remains the same. Stores the deviations of the bodies.
pub(crate) fn distribute(
    group: &GroupAlpha,
    mean: f64,
    energies: &[f64],
    kinetic: &[f64],
    control: &mut [EnergyControl],
) {
    let group_kinetic: f64 = group.bodies.iter().map(|&b| kinetic[b]).sum();
    match group.bodies[..] {
        // A single body keeps its target bitwise.
        [body] => control[body].mean = mean,
        _ if group_kinetic > 0.0 => {
            for &b in &group.bodies {
                let fraction = kinetic[b] / group_kinetic;
                control[b].target = energies[b] + (group.target - group.energy) * fraction;
                control[b].mean = energies[b] + (mean - group.energy) * fraction;
            }
        }
        _ => {}
    }
    for &b in &group.bodies {
        let body_control = &mut control[b];
        body_control.deviations = [energies[b] - body_control.target, body_control.deviations[0]];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_decay_follows_its_schedule() {
        let phases = [(1.0, Some(2.0)), (3.0, None)];
        let decay = phases.map(|(start, tau)| DecayPhase { start, tau }).to_vec();
        let target = EnergyTarget { decay, ..EnergyTarget::default() };
        assert_eq!(target.decay_factor(0.5, 0.1), 1.0);
        assert_eq!(target.decay_factor(1.0, 0.1), (-0.05f64).exp());
        assert_eq!(target.decay_factor(3.0 - 1e-12, 0.1), 1.0);
        assert_eq!(
            target.decay_factor(1.0 - 1e-6, 1e-4),
            1.0,
            "a hundredth of a step is no rounding"
        );
    }

    /// A group of one body keeps its target bitwise, and at rest receives the mean of the group.
    #[test]
    fn single_body_receives_the_whole_deviation_of_its_group() {
        let own = EnergyControl {
            target: 0.3,
            deviations: [0.0; 2],
            mean: 0.0,
            unresolved: 0,
            had_friction: false,
            lowest: 0.0,
        };
        let outcome = crate::step::AlphaOutcome::Met;
        for kinetic in [0.0, 2.0] {
            let (bodies, mut control) = (vec![0], [own]);
            let group = GroupAlpha { bodies, alpha: 1.0, outcome, energy: 1e9, target: 0.3 };
            distribute(&group, 0.7, &[1e9], &[kinetic], &mut control);
            assert_eq!((control[0].target, control[0].mean), (0.3, 0.7));
        }
    }

    /// Deviations from the target are distributed by kinetic energy, so the target of a body at rest is its energy.
    #[test]
    fn deviation_of_a_group_is_distributed_by_kinetic_energy() {
        use crate::step::AlphaOutcome;
        let own = EnergyControl {
            target: 0.0,
            deviations: [0.0; 2],
            mean: 0.0,
            unresolved: 0,
            had_friction: false,
            lowest: 0.0,
        };
        let (energies, kinetic) = ([5.0, 2.0, 1.0], [3.0, 1.0, 0.0]);
        let group = GroupAlpha {
            bodies: vec![0, 1, 2],
            alpha: 1.0,
            outcome: AlphaOutcome::Clipped,
            energy: 8.0,
            target: 10.0,
        };
        let mut control = [own; 3];
        distribute(&group, 12.0, &energies, &kinetic, &mut control);
        assert_eq!(control.map(|own| own.target), [6.5, 2.5, 1.0]);
        assert_eq!(control.map(|own| own.mean), [8.0, 3.0, 1.0]);
        assert_eq!(control.map(|own| own.deviations[0]), [-1.5, -0.5, 0.0]);
    }
}
