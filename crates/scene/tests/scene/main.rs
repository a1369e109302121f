//! Laws of scene files, in one program so that they link once.

mod adhesion;
mod files;
mod implausible;
mod json;
mod reference;
mod removal;
mod schema;
mod values;
mod verdicts;
mod versions;
mod without_effect;
