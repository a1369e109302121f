//! The alphas that energy control chose in a step.

/// Outcome of the choice of alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlphaOutcome {
    /// The target energy is met.
    Met,
    /// The alpha that meets the target is outside the limits; the nearest limit is used.
    Clipped,
    /// No alpha meets the target; the energy is as close to it as possible.
    Closest,
    /// The filtered rule corrected the mean energy.
    Steered,
    /// The sparse rule applied alpha = 1.
    Free,
    /// Alpha is zero: the group rests, and the step does not resolve its vibrations.
    Resting,
    /// Alpha is zero: a body of the group bounces with a coefficient of restitution.
    Bouncing,
    /// The velocity does not depend on alpha, because no force changed in the step, as in free flight.
    Powerless,
}

/// The alpha of one group of bodies in one step.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupAlpha {
    /// Bodies of the system, ascending.
    pub bodies: Vec<usize>,
    /// The fraction of the correction.
    pub alpha: f64,
    /// Result of the search.
    pub outcome: AlphaOutcome,
    /// Energy of the group after the step (J).
    pub energy: f64,
    /// Target of the group (J).
    pub target: f64,
}
