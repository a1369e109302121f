//! Sets of bodies whose total energy a method controls.

/// Sets of bodies whose total energy is controlled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// One alpha for each set of bodies that exchange force.
    Island,
    /// One alpha for all bodies of the system, as in the paper.
    Scene,
}
