#![doc = include_str!("../README.md")]
//! # Design
//!
//! A [`Folder`] is a directory handle; files in it are opened relative to that handle by names without
//! separators, so later changes of the path have no effect.
//!
//! * **Creating.** A file gets a random name that must not exist (`O_EXCL`), is written, and gets its own
//!   name by a rename within the same directory. A link of that name is replaced, never followed. On any
//!   error the temporary file is removed ([`TemporaryFile`]).
//! * **Opening.** Only regular files are opened: a pipe, a device or a socket is recognised on the opened
//!   handle (`O_NONBLOCK`, `fstat`), which excludes races. Files of a folder are not opened through a link
//!   (`O_NOFOLLOW`). Readers limit the number of bytes.
//!
//! The path of a [`Folder`] and of [`open_linked`] comes from the command line or a scene; links in it are
//! followed. The contents of an untrusted folder are reached through [`Folder`] alone.
//!
//! A [`MemoryFolder`] is held in memory. Code that opens its files by paths finds them there while the folder is
//! [mounted](MemoryFolder::mounted).
//!
//! On systems other than Unix the standard library has no directory handles: there the kind of a file is
//! checked before it is opened by its path.

mod directory;
mod file;
mod folder;
mod made_folder;
mod memory;
mod opening;
mod refusal;
mod syncs;
mod unfinished;

#[cfg(unix)]
#[path = "system/unix.rs"]
mod system;
#[cfg(not(unix))]
#[path = "system/other.rs"]
mod system;

pub use file::File;
pub use folder::{Folder, Kind};
pub use made_folder::TemporaryFolder;
pub use memory::MemoryFolder;
pub use opening::{open_given, open_linked, read, read_text, read_virtual_file, replace};
pub use refusal::Refusal;
pub use syncs::{sync_contents, syncs, with_deferred_syncs};
pub use unfinished::{Durability, TEMPORARY_EXTENSION, TemporaryFile};
