//! The program as its users meet it: exit codes, messages, files.

mod bench;
mod check;
mod compare;
mod contract;
mod hostile;
#[cfg(unix)]
mod interruption;
mod meshes;
mod messages;
mod render;
mod rerun;
mod scenes;
mod support;
mod verify;
mod view;
