//! The alphas that energy control chose in a step.

/// Outcome of the choice of alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlphaOutcome {
    /// The target energy is met.
    Met,
    /// The root lies outside the limits; alpha is the nearest limit.
    Clipped,
    /// No alpha meets the target; this one is the closest.
    Closest,
    /// The filtered rule's correction of the mean is made.
    Steered,
    /// The sparse rule left alpha at one.
    Free,
    /// It is zero: the group rests, and its vibrations are not resolved by the step.
    Resting,
    /// It is zero: a body of the group bounces with a coefficient of restitution.
    Bouncing,
    /// No force changed, so the velocity does not depend on alpha: free flight.
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
