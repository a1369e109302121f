//! Small worlds of a few tetrahedra, made without scene files.

mod islands;
mod kinematic;
mod observation;
mod panics;
mod resuming;
mod retries;
mod support;
