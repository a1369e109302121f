#![doc = include_str!("../README.md")]
//! # Design
//!
//! A solid is a function of position, negative inside. [`signed_distance`] makes one of a
//! surface, [`implicit`] has some that need no surface, and [`stuffing`] fills either with
//! tetrahedra of good angles. What stuffing cuts off, sharp edges, is restored by
//! [`creases`].
//!
//! Nothing here fails on a bad surface: what it lacks is reported, not refused, and
//! results are the same to the bit on any number of threads.
//!
//! Deliberately absent: files, and remeshing of solids.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod boundary;
mod coarsening;
pub mod creases;
mod crossing_test;
pub mod implicit;
pub mod signed_distance;
pub mod stuffing;
mod thickness;
