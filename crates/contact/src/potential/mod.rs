//! The barrier and its potential.

pub mod barrier;
pub(crate) mod barrier_potential;
pub(crate) mod cluster;
pub(crate) mod hessian_blocks;
pub(crate) mod node_blocks;
pub(crate) mod signed_sums;
pub mod stencil;
pub(crate) mod vertex_plane;
