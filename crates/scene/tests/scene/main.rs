//! Laws of scene files and of runs, in one program so that they link once.

mod expressions;
mod json;
mod reference;
mod run;
mod schema;
mod study;
mod units;
mod wrong_kinds;
mod wrong_particles;
mod wrong_rods;
mod wrong_scenes;
