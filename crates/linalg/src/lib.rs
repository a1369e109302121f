#![doc = include_str!("../README.md")]
//! # Design
//!
//! Direct and iterative solvers of sparse symmetric matrices. This crate is independent of elements, forces and
//! time steps.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod cg;
pub mod critical;
pub mod direct;
pub mod pencil;
mod rank_one;
pub mod two_level;
