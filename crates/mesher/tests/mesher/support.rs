//! What several test files share.

use std::path::PathBuf;

/// The shared data folder beside the project, which not every checkout has.
#[allow(clippy::print_stderr, reason = "a skipped test must say so")]
pub(crate) fn shared_data(file: &str) -> Option<Vec<u8>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(file);
    match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            eprintln!("SKIPPED: {}: {error}", path.display());
            None
        }
    }
}
