//! Laws of the integrators crate, in one program so that they link once.

mod adaptive;
mod callers;
mod collisions;
mod energy_target;
mod flight;
mod local_global;
mod problems;
mod rotation;
mod suite;
mod supports;
mod two_bars;
