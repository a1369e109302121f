//! `run.json` and `scene.ron`: provenance of a run, so that it can be reproduced.

use super::atomic::MAX_NOTE_BYTES;
use super::{Fingerprint, OutputError, RunFolder, io, write_atomically};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Maximum length of a stored scene (bytes): scene files have at most 64 MiB, to which `--set` adds values.
const MAX_SCENE_BYTES: u64 = 128 << 20;

/// Provenance of a run: program, scene and machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The scene file, or the name of a built-in scene. Paths in the scene are relative to its folder.
    #[serde(with = "any_path")]
    pub scene: PathBuf,
    /// The first leg of the run, and one leg per resumption.
    pub legs: Vec<Leg>,
}

/// A leg of a run: the part that one process computed, up to the end or an interruption of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leg {
    /// Step after which the leg began.
    pub after_step: u64,
    /// Command line.
    pub command: Vec<String>,
    /// Version of the program, and the commit it was built from, if known.
    pub version: String,
    /// Operating system and processor.
    pub machine: String,
    /// Number of threads; results do not depend on it.
    pub threads: usize,
    /// [Checksum](Leg::checksum) of the scene's text.
    pub text: String,
}

impl Origin {
    /// Writes `scene.ron`, the text of the scene with the `--set` values applied, and `run.json`.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, folder: &RunFolder, text: &str) -> Result<(), OutputError> {
        let path = folder.origin();
        let json = serde_json::to_string_pretty(self).map_err(|e| io("write", &path)(e.into()))?;
        write_atomically(&folder.scene(), text.as_bytes())?;
        write_atomically(&path, (json + "\n").as_bytes())
    }

    /// Reads the provenance of a run and the text of its scene.
    ///
    /// # Errors
    /// If the files do not exist or are malformed.
    pub fn read(folder: &RunFolder) -> Result<(Self, String), OutputError> {
        let path = folder.origin();
        let json = resile_files::read_text(&path, MAX_NOTE_BYTES).map_err(io("read", &path))?;
        let origin = serde_json::from_str(&json).map_err(|e| io("read", &path)(e.into()))?;
        let scene = folder.scene();
        let text = resile_files::read_text(&scene, MAX_SCENE_BYTES).map_err(io("read", &scene))?;
        Ok((origin, text))
    }

    /// The change of the scene since the run began, if any. `text` is the current text of the scene, which
    /// [`read`](Self::read) returns.
    pub fn change(&self, text: &str) -> Option<SceneChange> {
        let first = self.legs.first().map(|leg| &leg.text);
        let changed_leg = self.legs.iter().find(|leg| Some(&leg.text) != first);
        let is_edited = self.legs.last().is_none_or(|leg| leg.text != Leg::checksum(text));
        match changed_leg {
            Some(leg) => Some(SceneChange::OnResuming { after_step: leg.after_step }),
            None => is_edited.then_some(SceneChange::ByHand),
        }
    }
}

impl Leg {
    /// Checksum of a text.
    pub fn checksum(text: &str) -> String {
        format!("{:016x}", Fingerprint::EMPTY.with(text.as_bytes()).value())
    }
}

/// Changes of a scene's text since its run began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SceneChange {
    /// The run was resumed with another duration, output or solver.
    OnResuming {
        /// Step after which the run was resumed.
        after_step: u64,
    },
    /// `scene.ron` was changed after the run began.
    ByHand,
}

/// A path as text, or as bytes if it is not UTF-8.
mod any_path {
    use serde::{Deserialize, Deserializer, Serialize as _, Serializer};
    use std::path::{Path, PathBuf};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum PathText {
        Text(PathBuf),
        Bytes(Vec<u8>),
    }

    /// Writes the text of a path or, if it is not UTF-8, its bytes.
    pub(super) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        match path.to_str() {
            Some(text) => to.serialize_str(text),
            None => path.as_os_str().as_encoded_bytes().serialize(to),
        }
    }

    /// Reads a path from its text or its bytes.
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        Ok(match PathText::deserialize(from)? {
            PathText::Text(path) => path,
            PathText::Bytes(bytes) => path_of_bytes(bytes),
        })
    }

    /// The path with these bytes.
    #[cfg(unix)]
    fn path_of_bytes(bytes: Vec<u8>) -> PathBuf {
        let text: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes);
        text.into()
    }

    /// The path with these bytes, in which invalid UTF-8 is replaced.
    #[cfg(not(unix))]
    fn path_of_bytes(bytes: Vec<u8>) -> PathBuf {
        String::from_utf8_lossy(&bytes).into_owned().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Existing;

    fn leg(after_step: u64, text: &str) -> Leg {
        Leg {
            after_step,
            command: vec!["sim".into(), "run".into(), "a \"b\"".into()],
            version: "0.1.0".into(),
            machine: "linux x86_64".into(),
            threads: 2,
            text: Leg::checksum(text),
        }
    }

    #[test]
    fn origin_reads_back_and_detects_a_changed_scene() {
        let outer = tempfile::tempdir().expect("a temporary folder");
        let folder = RunFolder::open(outer.path(), Existing::Refuse).expect("it is empty");
        let text = "(version: 1) // ü";
        let mut origin = Origin { scene: "dice.ron".into(), legs: vec![leg(0, text)] };
        origin.write(&folder, text).expect("the folder can be written");
        assert_eq!(Origin::read(&folder).expect("it is there"), (origin.clone(), text.to_owned()));
        assert_eq!(origin.change(text), None);
        assert_eq!(origin.change("(version: 1) // u"), Some(SceneChange::ByHand));
        origin.legs.push(leg(5, text));
        assert_eq!(origin.change(text), None);
        origin.legs.push(leg(7, "other"));
        assert_eq!(origin.change("other"), Some(SceneChange::OnResuming { after_step: 7 }));
    }
}
