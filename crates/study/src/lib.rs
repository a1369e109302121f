#![doc = include_str!("../README.md")]
//! # Design
//!
//! Numerical studies of the integrators.
//!
//! Each module is one [`Study`]: a type of rows, functions that measure them, and the columns of a [`Table`]. `sim
//! study NAME` prints the tables, and `docs/study-results.md` explains the results.
//!
//! | module | question |
//! |---|---|
//! | [`table1`] | What do ASEARCH's scenes cost? |
//! | [`table2`] | Is ASEARCH's Table 2 reproduced? |
//! | [`stability`] | Do step matrices agree with theory, and where are methods stable? |
//! | [`convergence`] | Does every method have its order of accuracy? |
//! | [`rebound`] | Does a ball bounce equally under all rules for alpha? |
//! | [`motion`] | Does the energy that A-search conserves displace bodies? |
//! | [`controllers`] | Which rule for alpha conserves the energy, and at what cost? |
//! | [`avf`] | How well does AVF conserve the energy of quartics? |
//! | [`barrier`] | How large is the gap between surfaces under a pressure? |
//! | [`blend`] | Are BLEND's bounds satisfied? |
//! | [`blend_table1`] | What does a step of BLEND's Table 1 cost, by Newton's method and by local and global steps? |
//! | [`explicit`] | Which explicit method is the fastest on a rope? |
//! | [`drum`] | Does a vibration mode of a membrane decay? |
//! | [`rest`] | Do rest, friction and rolling agree with mechanics? |
//! | [`substeps`] | Is the midpoint rule stable with smaller steps? |
//! | [`shells`] | Do shells agree with published values, and do they converge on any mesh? |
//! | [`verification`] | Do engineers' benchmarks agree with published values? |
//! | [`manufactured`] | Do elements converge by their order under loads and supports by expressions? |
//! | [`spectrum`] | Which frequencies does a method damp or excite? |
//! | [`growth`] | How does the cost of a step grow with bodies and resolution? |

pub mod avf;
pub mod barrier;
pub mod blend;
pub mod blend_table1;
pub mod controllers;
pub mod convergence;
pub mod drive;
pub mod drum;
pub mod explicit;
pub mod growth;
pub mod manufactured;
pub mod motion;
pub mod problems;
pub mod rebound;
pub mod rest;
pub mod shells;
pub mod spectrum;
pub mod stability;
pub mod study;
pub mod substeps;
pub mod table;
pub mod table1;
pub mod table2;
pub mod track;
pub mod verification;

pub use drive::{StudyError, Watch};
pub use resile_plot::Graph;
pub use study::{Extent, Results, STUDIES, Study, study_named};
pub use table::{Cell, Columns, Deviation, Table};
