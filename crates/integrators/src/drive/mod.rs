//! From one state to the next: when a step is taken again, what follows a step whatever the method, and the length of
//! steps.

pub mod adaptive;
pub(crate) mod advance;
pub(crate) mod bounce;
pub(crate) mod guard;
pub(crate) mod plastic;
pub mod registry;
pub(crate) mod restitution;
pub(crate) mod retry;
