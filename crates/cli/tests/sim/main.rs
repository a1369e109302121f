//! The program as its users meet it: exit codes, messages, files.

mod advice;
mod animated;
mod artist;
mod bench;
mod book;
mod buckle;
mod check;
#[cfg(unix)]
mod clients;
mod compare;
mod contract;
mod coverage;
mod decks;
mod escapes;
mod export;
#[cfg(unix)]
mod forced;
#[cfg(unix)]
mod foreign;
mod frames;
mod hostile;
mod import;
#[cfg(unix)]
mod interruption;
mod json;
mod live;
mod manual;
mod meshes;
mod messages;
mod outputs;
mod render;
mod rerun;
mod scenes;
mod support;
mod sweep;
mod verify;
mod view;
