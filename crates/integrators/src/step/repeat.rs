//! Repetitions of steps.

/// Repetition of a step that could be solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// Without the free motion of bodies that came into contact.
    WithoutFreeMotion,
    /// By implicit Euler, because bodies with a coefficient of restitution struck something.
    Bouncing,
    /// By implicit Euler, because it ended with more energy than it had, in contact.
    GainingEnergy,
}
