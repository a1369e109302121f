#![doc = include_str!("../README.md")]
//! # Design
//!
//! * A [`Plan`] is a list of [`Parameter`]s and a [`Design`]. The runs follow from both, without further
//!   state: run `k` sets the fields of [`Plan::assignments`]`(k)`.
//! * [`check`] reads the scene of every run and reports each problem once, with the runs that have it.
//! * A [`SweepFolder`] contains the plan, the scene and one folder for each run. The state of a sweep is the
//!   state of these folders ([`Outcome`]), so an interrupted sweep needs no log to continue.
//! * [`Measure`]s reduce a history to numbers; [`table`] has a row for each run. It contains no times, so it
//!   is bitwise equal in every repetition.

mod check;
mod claim;
mod design;
mod folder;
mod lists;
mod measure;
mod number;
mod outcome;
mod plan;
mod plots;
mod random;
mod remaining;
mod runs;
mod stored;
mod table;
mod values;

pub use check::{Checked, check, reasons};
pub use claim::{Claim, ClaimError};
pub use design::Design;
pub use folder::{FolderError, JOB_FILE, SweepFolder, TABLE_FILE};
pub use lists::list_items;
pub use measure::{
    Measure, Statistic, default_measures, measures_and_errors, measures_from_lists, result_columns,
};
pub use number::number_text;
pub use outcome::{Outcome, State};
pub use plan::{MAX_RUNS, Parameter, Plan};
pub use plots::{Plot, plots};
pub use remaining::{RunsLeft, remaining_seconds};
pub use stored::StoredPlan;
pub use table::{Row, read_rows, table};
pub use values::{Spacing, Values};
