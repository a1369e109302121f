//! A method that advances a system in time.

use crate::error::StepError;
use crate::parameters::ParameterError;
use crate::step::{Scope, Step, StepEnd};
use resile_system::{RecordFormat, State};

/// A method that advances a system in time: a plain description, whose memory is in the state.
pub trait Integrator: Send + Sync {
    /// What tables and plots call the method.
    fn name(&self) -> &str;

    /// Whether the method acts with the forces at the start of a step, too, and loses the
    /// energy of what it does not resolve: then it must not gain any where bodies touch.
    fn damps_from_start(&self) -> bool {
        false
    }

    /// The angle (rad) up to which a body may turn in a step and still be followed from the path on
    /// which it would turn freely, wherever it touches another one. What touches near the axis
    /// about which it turns may turn farther.
    fn turns_in_contact(&self) -> f64 {
        0.0
    }

    /// The angle (rad) up to which a body that joints hold in place may turn in a step and still be
    /// followed from the path on which it would turn about them.
    fn turns_on_supports(&self) -> f64 {
        0.0
    }

    /// Whether the method itself takes what falls in a uniform field along its parabola: one-step methods of second
    /// order do. All others are followed from free fall.
    fn falls_exactly(&self) -> bool {
        self.order() >= 2 && !self.is_multistep()
    }

    /// Whether the method is implicit Euler with corrected velocities, and does not correct those of bodies that bounce.
    /// The steps of other methods are repeated by implicit Euler where a body bounces.
    fn lets_bounce(&self) -> bool {
        false
    }

    /// Over which bodies the method keeps the energy in sum: all of them have to be solved
    /// together then.
    fn scope(&self) -> Scope {
        Scope::Island
    }

    /// The limits of alpha, for methods that choose one.
    fn alpha_limits(&self) -> Option<[f64; 2]> {
        None
    }

    /// The energy target of each body (J) in a state that the method has left, if it has one.
    fn energy_targets(&self, _state: &State) -> Option<Vec<f64>> {
        None
    }

    /// Whether a step depends on more than positions and velocities at its start, by what the
    /// step before has left.
    fn is_multistep(&self) -> bool {
        false
    }

    /// By what factor an adaptive step may be longer than the last one after two halves of that:
    /// less for methods that look at the step before, which was half as long.
    fn largest_growth(&self) -> f64 {
        2.0
    }

    /// The order of positions and velocities on smooth problems: errors over a given time fall as
    /// this power of the step.
    fn order(&self) -> u32;

    /// Whether each step comes with an [estimate](StepReport::error) of its error.
    fn estimates_its_error(&self) -> bool {
        false
    }

    /// That the method is one with these parameters; asked before each step.
    ///
    /// # Errors
    /// What is wrong with them.
    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    /// The formats of the records that the method leaves in the [memory](State::memory) of a state, and reads in the next
    /// step. A state from a file that has other records is refused before the method reads it.
    fn records(&self) -> Vec<RecordFormat> {
        Vec::new()
    }

    /// The end of `step`. Velocities of prescribed nodes need not be
    /// set: where a prescribed motion leads is known, and so is how fast.
    ///
    /// # Errors
    /// If a stage could not be solved, or an explicit move is not free.
    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError>;
}
