#![doc = include_str!("README.md")]

/// A scene that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExampleScene {
    /// The name of its file, without the ending.
    pub name: &'static str,
    /// All of its file.
    pub text: &'static str,
}

impl ExampleScene {
    /// The first sentence of the comment at its top, on one line.
    pub fn summary(&self) -> String {
        let lines = self.text.lines().map_while(|line| line.strip_prefix("//"));
        let comment = lines.map(str::trim).collect::<Vec<_>>().join(" ");
        match comment.split_once(". ") {
            Some((first, _)) => format!("{first}."),
            None => comment,
        }
    }
}

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        &[$(ExampleScene { name: $name, text: include_str!(concat!($name, ".ron")) }),*]
    };
}

/// All of them, in teaching order.
pub const ALL: &[ExampleScene] = scenes![
    "first",
    "rotating-cube-soft",
    "rotating-cube-stiff",
    "twisted-bar",
    "bouncing-ball-soft",
    "bouncing-ball-medium",
    "bouncing-ball-stiff",
    "bouncing-ball-abd",
    "dice",
    "membrane",
    "cloth-hang",
    "cloth-shake",
    "cloth-on-ball",
    "suspended",
    "stairs",
    "trampoline",
    "bunny-stairs",
    "splash",
    "gears",
    "chain-net-small",
    "chain-net",
];

/// The scene of this name.
pub fn named(name: &str) -> Option<&'static ExampleScene> {
    ALL.iter().find(|scene| scene.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_scene_of_the_folder_is_inside_and_says_what_it_is() {
        let files = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the folder");
        let paths = files.map(|file| file.expect("a file").path());
        let scenes = paths.filter(|path| path.extension().is_some_and(|ending| ending == "ron"));
        let mut names: Vec<String> =
            scenes.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
        names.sort();
        let mut inside: Vec<&str> = ALL.iter().map(|scene| scene.name).collect();
        inside.sort_unstable();
        assert_eq!(names, inside);
        for scene in ALL {
            let summary = scene.summary();
            assert!(summary.ends_with('.') && summary.len() > 20, "{}: {summary}", scene.name);
            assert!(summary.chars().count() < 110, "{}: {summary}", scene.name);
        }
    }
}
