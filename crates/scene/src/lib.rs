//! Scene files, building a system from them, the run loop, and what a run leaves behind.

pub mod description;
pub mod output;
pub mod text;
