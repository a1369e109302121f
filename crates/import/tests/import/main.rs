//! Foreign files, written here, and what becomes of them.

mod abaqus;
mod conditions;
mod deck_input;
mod fields;
mod files;
mod ipc;
mod manufactured;
mod norms;
mod polyfem;
mod selection;
mod suites;
