#![doc = include_str!("../README.md")]
//! # Design
//!
//! The unit of storage is the 3x3 block, because the unit of a simulation is the node. A scalar sparse matrix would
//! store nine column indices instead of one.
//!
//! Terms of an energy depend on this crate for [`BlockSink`], not on the solvers and their dependencies.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod assembly;
pub mod block_matrix;
mod dyad;
pub mod scratch;

pub use assembly::{Assembly, BlockSink, NO_ROW};
pub use block_matrix::{Block, BlockPattern, SymmetricBlockMatrix};
pub use dyad::Dyad;
