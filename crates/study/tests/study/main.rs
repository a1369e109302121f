//! What the measurements show, in one program so that they link once.

mod barrier;
mod conservation;
mod convergence;
mod drum;
mod growth;
mod manufactured;
mod rest;
mod shells;
mod stability;
mod table2;
mod verification;
