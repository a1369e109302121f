//! Repetitions of steps.

/// Repetition of a step that could be solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// Without separating the free motion of bodies that came into contact.
    WithoutFreeMotion,
    /// By implicit Euler, because bodies with a coefficient of restitution collided.
    Bouncing,
    /// By implicit Euler, because the step gained energy in contact.
    GainingEnergy,
}
