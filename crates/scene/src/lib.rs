#![doc = include_str!("../README.md")]
//! # Design
//!
//! Scene files, building a system from them, the run loop, and what a run leaves behind.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod assemble;
pub mod benchmark;
pub mod compare;
pub mod description;
pub mod estimate;
pub mod info;
pub mod memory;
pub mod mesh_file;
pub mod remesh;
mod rules;
pub mod run;
pub mod schema;
pub mod text;
