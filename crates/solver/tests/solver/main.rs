//! Laws of the solver crate, in one program so that they link once.

mod failures;
mod guess;
mod interruption;
mod iterates;
mod kept_matrix;
mod long_steps;
mod newton;
mod parts;
mod support;
