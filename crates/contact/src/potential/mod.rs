//! The barrier, adhesion and their potentials.

pub(crate) mod adhesion_potential;
pub mod barrier;
pub(crate) mod barrier_potential;
pub(crate) mod cluster;
pub(crate) mod gap_law;
pub(crate) mod gap_potential;
pub(crate) mod hessian_blocks;
pub(crate) mod node_blocks;
pub(crate) mod signed_sums;
pub mod stencil;
pub(crate) mod vertex_plane;
