//! Foreign files, written here, and what becomes of them.

mod files;
mod ipc;
mod polyfem;
