#![doc = include_str!("../README.md")]
//! # Design
//!
//! Sparse symmetric matrices of 3x3 blocks and their solvers: sparse Cholesky and preconditioned conjugate
//! gradients. This crate is independent of elements, forces and time steps.
//!
//! The unit of storage is the 3x3 block, because the unit of a simulation is the node. A scalar sparse matrix would
//! store nine column indices instead of one.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod assembly;
pub mod block_matrix;
pub mod cg;
pub mod critical;
pub mod direct;
mod dyad;
pub mod pencil;
pub mod scratch;
pub mod two_level;

pub use assembly::{Assembly, BlockSink, NO_ROW};
pub use block_matrix::{Block, BlockPattern, SymmetricBlockMatrix};
pub use dyad::Dyad;
