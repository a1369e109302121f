#![doc = include_str!("../README.md")]
//! # Design
//!
//! Numerical studies of the integrators.
//!
//! Each module is one study: pure functions that measure something and return entries and
//! a [`Table`] of them; nothing is printed or written here. `sim study NAME` shows
//! them, and `docs/study-results.md` holds what they say and what it means.
//!
//! | module | question |
//! |---|---|
//! | [`table1`] | What do ASEARCH's scenes cost? |
//! | [`table2`] | Is ASEARCH's Table 2 reproduced? |
//! | [`stability`] | Are step matrices what theory says, and where are methods stable? |
//! | [`convergence`] | Has every method its order? |
//! | [`rebound`] | Does a ball bounce alike under all rules for alpha? |
//! | [`motion`] | Is the energy that A-search keeps in the motion? |
//! | [`controllers`] | Which rule for alpha holds the energy, and at what price? |
//! | [`avf`] | How well is the energy of quartics kept? |
//! | [`barrier`] | How near do surfaces come under a pressure? |
//! | [`blend`] | Are BLEND's bounds kept? |
//! | [`blend_table1`] | What does a step of BLEND's Table 1 cost, by Newton's method and by local and global steps? |
//! | [`explicit`] | Which explicit method is the fastest on a rope? |
//! | [`drum`] | Is a mode of a membrane kept? |
//! | [`rest`] | Do bodies that rest, rub and turn do what mechanics says? |
//! | [`substeps`] | Is the midpoint rule stable with smaller steps? |
//! | [`verification`] | Do engineers' benchmarks have their published figures? |
//! | [`spectrum`] | Which frequencies does a method damp away or fill? |

pub mod avf;
pub mod barrier;
pub mod blend;
pub mod blend_table1;
pub mod controllers;
pub mod convergence;
pub mod drive;
pub mod drum;
pub mod explicit;
pub mod motion;
pub mod problems;
pub mod rebound;
pub mod rest;
pub mod spectrum;
pub mod stability;
pub mod substeps;
pub mod table;
pub mod table1;
pub mod table2;
pub mod track;
pub mod verification;

pub use drive::{StudyError, Watch};
pub use resile_plot::Graph;
pub use table::{Cell, Deviation, Table};
