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

/// The files of some of its folders, in alphabetical order; none if it is missing.
#[allow(clippy::print_stderr, reason = "a skipped test must say so")]
pub(crate) fn shared_files(folders: &[&str]) -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let mut files = Vec::new();
    for folder in folders {
        match std::fs::read_dir(root.join(folder)) {
            Ok(entries) => files.extend(entries.map(|entry| {
                format!("{folder}/{}", entry.unwrap().file_name().into_string().unwrap())
            })),
            Err(error) => eprintln!("SKIPPED: {}: {error}", root.join(folder).display()),
        }
    }
    files.sort_unstable();
    files
}
