//! A method that advances a system in time.

use crate::error::StepError;
use crate::parameters::ParameterError;
use crate::step::{Scope, Step, StepEnd};
use resile_system::{RecordFormat, State};

/// Permitted gain of energy in a step in contact, relative to the kinetic energy, of methods that take forces at the
/// start of a step: the error of a method that resolves the motion.
pub(crate) const MAX_GAIN_WITH_START_FORCES: f64 = 0.01;

/// The same for methods that take forces at their stages only. These do not integrate the force of a stiff contact at
/// the start over a step. The gains of SDIRK2 in `physics::guard` exceed 0.3 and not 0.5
/// (`docs/notes/2026-11-30.md`, limits of the guard).
pub(crate) const MAX_GAIN_WITHOUT_START_FORCES: f64 = 0.1;

/// The same for methods of two steps. What BDF2 never increases is a norm of two consecutive points (Hairer, Wanner,
/// *Solving Ordinary Differential Equations II*, section V.6), so a step may return energy that the one before it has
/// removed: up to 0.36 of the kinetic energy in `scenes/animated/wave.ron`, which loses more if these are repeated
/// (`docs/notes/2026-11-30.md`, limits of the guard).
pub(crate) const MAX_GAIN_OF_TWO_STEPS: f64 = 0.5;

/// A time integration method: its parameters. Its memory is in the state.
pub trait Integrator: Send + Sync {
    /// Name of the method in tables and plots.
    fn name(&self) -> &str;

    /// Permitted gain of energy in a step in contact, relative to the kinetic energy, beyond which the step is repeated
    /// with implicit Euler. Only for methods that lose energy on all linear problems, so that a gain is an error; `None`
    /// for others.
    fn max_energy_gain(&self) -> Option<f64> {
        None
    }

    /// Largest rotation (rad) per step for which bodies in contact are integrated relative to their rigid motion. For
    /// contacts near the axis of rotation the limit is larger.
    fn max_rotation_in_contact(&self) -> f64 {
        0.0
    }

    /// Largest rotation (rad) per step for which bodies on joints with the world are integrated relative to their rigid
    /// motion about these joints.
    fn max_rotation_on_supports(&self) -> f64 {
        0.0
    }

    /// Whether inertia and centrifugal forces of a body in free flight follow its deformation within a step, at the rate
    /// of its start. Methods that combine positions of implicit Euler with forces at the start conserve energy without.
    fn deforms_in_flight(&self) -> bool {
        true
    }

    /// Whether the method integrates free fall in a uniform field exactly, as one-step methods of second order do. For
    /// all others bodies are integrated relative to their free fall.
    fn falls_exactly(&self) -> bool {
        self.order() >= 2 && !self.is_multistep()
    }

    /// Whether the method is implicit Euler with corrected velocities, except for bodies in an impact with a
    /// coefficient of restitution. Other methods repeat steps with such impacts with implicit Euler.
    fn handles_restitution(&self) -> bool {
        false
    }

    /// Sets of bodies whose total energy the method controls. With the whole scene as a set, all bodies are solved
    /// together.
    fn scope(&self) -> Scope {
        Scope::Island
    }

    /// The limits of alpha, for methods that choose one.
    fn alpha_limits(&self) -> Option<[f64; 2]> {
        None
    }

    /// The energy target of each body (J) after a step of the method, if it has one.
    fn energy_targets(&self, _state: &State) -> Option<Vec<f64>> {
        None
    }

    /// Whether a step depends on the previous one by more than positions and velocities.
    fn is_multistep(&self) -> bool {
        false
    }

    /// Largest growth factor of an adaptive step after one in two halves: smaller for multistep methods, whose previous
    /// step is a half.
    fn largest_growth(&self) -> f64 {
        2.0
    }

    /// The order of positions and velocities for smooth problems: global errors are proportional to this power of the
    /// step.
    fn order(&self) -> u32;

    /// Whether each step has an embedded [estimate](crate::StepReport::error) of its error.
    fn estimates_its_error(&self) -> bool {
        false
    }

    /// Checks the parameters, before each step.
    ///
    /// # Errors
    /// Invalid parameters.
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    /// The formats of the records that the method stores in the [memory](State::memory) of a state and reads in the
    /// next step. States from files with other records are refused before the method reads them.
    fn records(&self) -> Vec<RecordFormat> {
        Vec::new()
    }

    /// Computes the end of `step`. Velocities of prescribed nodes need not be set, since they follow from the
    /// prescribed motion.
    ///
    /// # Errors
    /// If a stage could not be solved, or the path of an explicit stage has a collision.
    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError>;
}
