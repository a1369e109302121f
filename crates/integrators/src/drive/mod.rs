//! Driver of steps: when a step is repeated, processing after a step of any method, and the choice of step lengths.

pub mod adaptive;
pub(crate) mod advance;
pub(crate) mod bounce;
pub(crate) mod guard;
mod impact_sequence;
mod impact_unknowns;
pub(crate) mod plastic;
mod rebound_energy;
pub mod registry;
pub(crate) mod restitution;
pub(crate) mod retry;
pub(crate) mod scheme;
