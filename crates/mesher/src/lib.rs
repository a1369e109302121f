#![doc = include_str!("../README.md")]
//! # Design
//!
//! A solid is a function of position, negative inside. [`signed_distance`] computes it from a surface,
//! [`implicit`] provides analytic ones, and [`stuffing`] fills either with well-shaped tetrahedra. [`creases`]
//! restores the sharp edges that stuffing cuts off.
//!
//! Defective surfaces are filled, and their defects are reported. Results have equal bits for any
//! number of threads.
//!
//! Deliberately absent: files, and remeshing of solids.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod boundary;
mod coarsening;
pub mod creases;
mod crossing_test;
pub mod implicit;
mod length;
pub mod signed_distance;
pub mod stuffing;
mod thickness;

pub use length::ShownLength;
