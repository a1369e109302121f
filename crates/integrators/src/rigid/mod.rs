//! Rigid motion: inertia, free and pivoted flight, the frames of bodies that turn or fall, and first guesses along it.

pub(crate) mod deformation;
pub(crate) mod frame;
pub(crate) mod free_flight;
pub(crate) mod guess;
pub(crate) mod inertia;
pub(crate) mod rotation;
