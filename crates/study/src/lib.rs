//! Numerical studies of the integrators.
//!
//! Each module is one study: pure functions that measure something and return entries and
//! a [`Table`] of them; nothing is printed or written here. `sim study NAME` shows
//! them, and `docs/study-results.md` holds what they say and what it means.
//!
//! | module | question |
//! |---|---|
//! | [`table2`] | Is ASEARCH's Table 2 reproduced? |

pub mod chart;
pub mod drive;
pub mod problems;
pub mod table;
pub mod table2;

pub use chart::Chart;
pub use drive::{StudyError, Watch};
pub use table::{Cell, Table};
