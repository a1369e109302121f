//! The scenes of the repository.

use resile_scene::description::Scene;
use std::fs;
use std::path::{Path, PathBuf};

/// All scenes of the repository, by their files.
pub(crate) fn scenes() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders: Vec<_> = ["scenes", "crates", "gallery", "soak", "tests", "docs"]
        .iter()
        .map(|f| root.join(f))
        .collect();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("it is a folder") {
            let path = entry.expect("it is there").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "ron") {
                let text = fs::read_to_string(&path).expect("it is text");
                found.push((path, text));
            }
        }
    }
    found.retain(|(_, text)| text.contains("version:") && Scene::from_ron(text).is_ok());
    found.sort();
    found
}
