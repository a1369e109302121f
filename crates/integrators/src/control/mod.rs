//! Energy control, and the methods that use it.

pub(crate) mod a_search;
pub(crate) mod alpha_rule;
pub(crate) mod blend;
pub(crate) mod correction;
pub(crate) mod decoupled;
pub(crate) mod filter;
pub(crate) mod frictional;
pub(crate) mod mixing;
pub(crate) mod rest;
pub(crate) mod root;
pub(crate) mod spin;
pub(crate) mod target;
pub(crate) mod varying_loads;
