//! What is given any bytes at all, and must neither panic nor break its word: one file a target.
#![allow(unreachable_pub, reason = "public for cargo-fuzz, and private to the soak")]

mod checkpoint;
mod http;
mod mesh;
mod playback;
mod scene;

pub use checkpoint::{SCENES, checkpoint, data_after, run_of};
pub use http::http;
pub use mesh::{CACHES, MESHES, cache, mesh};
pub use playback::{BEFORE_FILE, FILES, playback};
pub use scene::{OVERRIDDEN, scene, set};

use tempfile::TempDir;

/// A folder for files of a target: in memory where the system has such, for runs wait for disks.
fn folder() -> TempDir {
    let memory = tempfile::tempdir_in("/dev/shm");
    memory.or_else(|_| tempfile::tempdir()).expect("a temporary folder")
}

/// What looks at bytes.
pub type Target = fn(&[u8]);

/// All targets by name; each has a folder of that name in `fuzz/corpus`.
pub const TARGETS: [(&str, Target); 7] = [
    ("scene", scene),
    ("set", set),
    ("mesh", mesh),
    ("cache", cache),
    ("checkpoint", checkpoint),
    ("playback", playback),
    ("http", http),
];
