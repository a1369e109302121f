//! Foreign files, written here, and what becomes of them.

mod abaqus;
mod conditions;
mod files;
mod ipc;
mod polyfem;
