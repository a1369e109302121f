//! Laws of the linalg crate, in one program so that they link once.

mod critical;
mod dyads;
