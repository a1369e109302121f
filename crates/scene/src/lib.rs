#![doc = include_str!("../README.md")]
//! # Design
//!
//! Scene files, construction of worlds from them, and the run loop.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod assemble;
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
