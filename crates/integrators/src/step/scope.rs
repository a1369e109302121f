//! Sets of bodies whose total energy a method controls.

/// Sets of bodies whose total energy is controlled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Scope {
    /// One alpha for each group of bodies that exchange force.
    #[default]
    Island,
    /// One alpha for all bodies of the system, as in the paper. It transfers energy between bodies that never touch.
    Scene,
}
