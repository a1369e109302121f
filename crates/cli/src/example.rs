//! Built-in scenes by name.

use resile_scene::description::nearest;
use resile_scenes::ExampleScene;
use std::path::Path;

/// The built-in scene whose name, with or without its folder, is similar to `name`.
pub(crate) fn similar_scene(name: &str) -> Option<&'static str> {
    let names = || resile_scenes::all().map(|scene| scene.name);
    nearest(name, names()).or_else(|| {
        let stem = |name: &'static str| name.rsplit('/').next().unwrap_or(name);
        let similar = nearest(name, names().map(stem))?;
        names().find(|name| stem(name) == similar)
    })
}

/// The built-in scene of this name, unless there is a file of this name. A folder of this name, such as one with
/// exports, does not hide the built-in scene.
pub(crate) fn built_in(path: &Path) -> Option<&'static ExampleScene> {
    if path.exists() && !path.is_dir() { None } else { resile_scenes::named(path.to_str()?) }
}
