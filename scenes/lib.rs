#![doc = include_str!("README.md")]

/// A scene that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExampleScene {
    /// Its file without the ending, below the folder of all scenes: `first`, `rods/knot`.
    pub name: &'static str,
    /// All of its file.
    pub text: &'static str,
    /// The files that it reads: name beside the scene, and contents.
    pub files: &'static [(&'static str, &'static [u8])],
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

    /// The folder that it is in; empty for the scenes of the teaching order.
    pub fn folder(&self) -> &'static str {
        self.name.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// Scenes that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folder {
    /// Its name; empty for the scenes of the teaching order.
    pub name: &'static str,
    /// What its scenes are for.
    pub about: &'static str,
}

impl Folder {
    /// Its scenes.
    pub fn scenes(&self) -> impl Iterator<Item = &'static ExampleScene> + use<> {
        let name = self.name;
        TAUGHT.iter().chain(IN_FOLDERS).filter(move |scene| scene.folder() == name)
    }

    /// The folder of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        FOLDERS.iter().find(|folder| folder.name == name)
    }
}

/// All folders.
pub const FOLDERS: &[Folder] = &[
    Folder { name: "", about: "in teaching order" },
    Folder { name: "animated", about: "bodies that files move" },
    Folder { name: "rods", about: "rods, threads and hair" },
    Folder { name: "shells", about: "shells under point loads, and one that yields" },
    Folder { name: "ties", about: "seams, ties, painted maps and holds that end" },
    Folder { name: "plastic", about: "solids that yield" },
    Folder {
        name: "contact",
        about: "restitution, damping of contact, static and rolling friction",
    },
    Folder { name: "supports", about: "supports, loads and statics" },
    Folder { name: "rest", about: "bodies that come to rest, stand or roll" },
    Folder { name: "study", about: "problems with known answers, for measuring integrators" },
    Folder { name: "bench", about: "published scenes, for measuring time" },
    Folder { name: "avf", about: "examples of AVF (docs/papers.md)" },
    Folder { name: "blend", about: "examples of BLEND (docs/papers.md)" },
];

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        &[$(ExampleScene { name: $name, text: include_str!(concat!($name, ".ron")), files: &[] }),*]
    };
}

/// Those of no folder, in teaching order.
const TAUGHT: &[ExampleScene] = scenes![
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

/// Those in folders, as the build script finds them.
const IN_FOLDERS: &[ExampleScene] = include!(concat!(env!("OUT_DIR"), "/in_folders.rs"));

/// All of them, folder by folder.
pub fn all() -> impl Iterator<Item = &'static ExampleScene> {
    FOLDERS.iter().flat_map(Folder::scenes)
}

/// The scene of this name.
pub fn named(name: &str) -> Option<&'static ExampleScene> {
    TAUGHT.iter().chain(IN_FOLDERS).find(|scene| scene.name == name)
}

/// The scenes of this name in any folder, for callers that leave the folder out.
pub fn called(stem: &str) -> impl Iterator<Item = &'static ExampleScene> {
    all().filter(move |scene| scene.name.rsplit('/').next() == Some(stem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR"))
    }

    fn entries(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("the folder");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    }

    /// The names of all scenes below a folder.
    fn scenes_below(folder: &Path) -> BTreeSet<String> {
        let (folders, files): (Vec<_>, Vec<_>) =
            entries(folder).into_iter().partition(|path| path.is_dir());
        let scenes = files.iter().filter(|path| path.extension().is_some_and(|e| e == "ron"));
        let name = |path: &PathBuf| {
            let below = path.strip_prefix(root()).expect("it is below").with_extension("");
            below
                .components()
                .map(|part| part.as_os_str().to_string_lossy())
                .collect::<Vec<_>>()
                .join("/")
        };
        let own = scenes.map(name).collect::<BTreeSet<_>>();
        folders.iter().fold(own, |all, folder| &all | &scenes_below(folder))
    }

    #[test]
    fn every_scene_of_the_repository_is_inside_and_says_what_it_is() {
        let inside: BTreeSet<String> = all().map(|scene| scene.name.to_owned()).collect();
        assert_eq!(inside, scenes_below(root()), "a folder has its line in FOLDERS");
        assert_eq!(inside.len(), all().count());
        for scene in all() {
            let summary = scene.summary();
            let most = if scene.folder().is_empty() { 110 } else { 200 };
            assert!(summary.ends_with('.') && summary.len() > 20, "{}: {summary}", scene.name);
            assert!(summary.chars().count() < most, "{}: {summary}", scene.name);
        }
    }

    #[test]
    fn files_that_scenes_read_are_inside() {
        let files = |name| named(name).expect("there is such a scene").files;
        let [(curve, text)] = files("rods/knot") else { panic!("the knot is one file") };
        assert_eq!(*curve, "overhand.obj");
        assert_eq!(*text, std::fs::read(root().join("rods/overhand.obj")).expect("the file"));
        assert_eq!(files("animated/wave").len(), 2);
        assert_eq!(files("rods/ring").len(), 0);
    }

    #[test]
    fn a_scene_is_found_without_its_folder() {
        assert_eq!(called("knot").map(|scene| scene.name).collect::<Vec<_>>(), ["rods/knot"]);
        assert_eq!(called("first").count(), 1);
        assert_eq!(called("rods").count(), 0);
    }
}
