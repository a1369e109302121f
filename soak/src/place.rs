//! Where a case runs: a folder with the corpus in it, and what runs left there.

use crate::random::Random;
use crate::sim::Sim;
use resile_record::{Fingerprint, read_checkpoint};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Everything that cases start from.
#[derive(Debug)]
pub(crate) struct Corpus {
    /// Names and texts, in the order of the names.
    pub(crate) scenes: Vec<(String, String)>,
    pub(crate) meshes: Vec<(String, Vec<u8>)>,
}

impl Corpus {
    /// The files of the folders `scenes` and `meshes`.
    pub(crate) fn read(folder: &Path) -> std::io::Result<Self> {
        let files = |name: &str| -> std::io::Result<Vec<(String, Vec<u8>)>> {
            let mut found = Vec::new();
            for entry in fs::read_dir(folder.join(name))? {
                let path = entry?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                found.push((name, fs::read(path)?));
            }
            found.sort();
            Ok(found)
        };
        let text =
            |(name, bytes): (String, Vec<u8>)| (name, String::from_utf8_lossy(&bytes).into_owned());
        Ok(Self {
            scenes: files("scenes")?.into_iter().map(text).collect(),
            meshes: files("meshes")?,
        })
    }
}

/// A folder in which `sim` runs.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    pub(crate) corpus: &'a Corpus,
    program: &'a Path,
    folder: PathBuf,
    /// Runs that were not disturbed, by scene: other cases are compared with them.
    references: PathBuf,
}

impl<'a> Place<'a> {
    pub(crate) fn new(
        corpus: &'a Corpus,
        program: &'a Path,
        folder: PathBuf,
        references: PathBuf,
    ) -> std::io::Result<Self> {
        fs::create_dir_all(&folder)?;
        let place = Self { corpus, program, folder, references };
        place.write_meshes(&place.folder)?;
        Ok(place)
    }

    fn write_meshes(&self, folder: &Path) -> std::io::Result<()> {
        self.corpus.meshes.iter().try_for_each(|(name, mesh)| fs::write(folder.join(name), mesh))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::write(&path, contents).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    pub(crate) fn sim(&self) -> Sim {
        Sim::new(self.program, &self.folder)
    }

    /// A scene of the corpus, written as `scene.ron`; its name.
    pub(crate) fn a_scene(&self, random: &mut Random) -> &'a str {
        let (name, text) = random.pick(&self.corpus.scenes);
        self.write("scene.ron", text);
        name
    }

    /// A whole run of a scene of the corpus, made once, in a folder that must stay as it is.
    pub(crate) fn reference(&self, name: &str) -> Result<PathBuf, String> {
        self.prepared(name, "whole", &[])
    }

    /// A run of a scene of the corpus that was stopped after seven steps.
    pub(crate) fn stopped(&self, name: &str) -> Result<PathBuf, String> {
        self.prepared(name, "stopped", &["--steps", "7"])
    }

    fn prepared(&self, name: &str, kind: &str, more: &[&str]) -> Result<PathBuf, String> {
        let place = self.references.join(format!("{name}-{kind}"));
        let out = place.join("out");
        if out.join("summary.json").exists() {
            return Ok(out);
        }
        let text = self.corpus.scenes.iter().find(|(known, _)| known == name);
        let (_, text) = text.ok_or_else(|| format!("no scene {name}"))?;
        fs::create_dir_all(&place).map_err(|error| error.to_string())?;
        self.write_meshes(&place).map_err(|error| error.to_string())?;
        fs::write(place.join("scene.ron"), text).map_err(|error| error.to_string())?;
        let sim = Sim::new(self.program, &place);
        let run = ["run", "scene.ron", "-o", "out", "-q", "--force"];
        let ended = sim.run(&[&run[..], more].concat());
        // What stops after some steps of its own accord is as complete as it was asked to be.
        ended.must(&[0, 1])?;
        Ok(out)
    }

    /// Copies all of it elsewhere.
    pub(crate) fn keep(&self, to: &Path) -> std::io::Result<()> {
        copy(&self.folder, to)
    }

    /// Copies what a run left into a folder of this place.
    pub(crate) fn copy_run(&self, from: &Path, name: &str) -> Result<PathBuf, String> {
        let to = self.path(name);
        copy(from, &to).map_err(|error| format!("{}: {error}", from.display()))?;
        Ok(to)
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        match path.is_dir() {
            true => copy(&path, &to.join(name))?,
            false => drop(fs::copy(&path, to.join(name))?),
        }
    }
    Ok(())
}

/// What of a run is the same to the bit in every repetition, file by file.
pub(crate) fn bits(run: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let mut found = BTreeMap::new();
    let history = String::from_utf8_lossy(&read(&run.join("history.csv"))?).into_owned();
    let rows = history.lines().map(|row| row.rsplit_once(',').map_or(row, |(kept, _)| kept));
    found.insert("history.csv".to_owned(), rows.collect::<Vec<_>>().join("\n").into_bytes());
    for table in ["bodies.csv", "poses.csv", "contacts.csv", "momentum.csv", "probes.csv"] {
        if let Ok(bytes) = fs::read(run.join(table)) {
            found.insert(table.to_owned(), bytes);
        }
    }
    for entry in fs::read_dir(run.join("frames")).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.ends_with(".tmp") {
            found.insert(format!("frames/{name}"), read(&path)?);
        }
    }
    found.insert("states".to_owned(), states(&run.join("checkpoint"))?.into_bytes());
    Ok(found)
}

/// The states in a checkpoint; `Debug` shows every bit of a number.
fn states(checkpoint: &Path) -> Result<String, String> {
    let bytes = fs::read(checkpoint).map_err(|error| format!("no checkpoint: {error}"))?;
    let scene = bytes.get(12..20).and_then(|bytes| bytes.try_into().ok());
    let scene = Fingerprint::from_value(u64::from_le_bytes(scene.ok_or("a short checkpoint")?));
    let read = read_checkpoint(checkpoint, scene).map_err(|error| error.to_string())?;
    Ok(format!("{:?}", read.states))
}

/// Refuses a run that differs from another one in any bit that does not depend on the clock.
pub(crate) fn same(run: &Path, expected: &Path) -> Result<(), String> {
    let (found, expected) = (bits(run)?, bits(expected)?);
    let names = |bits: &BTreeMap<String, Vec<u8>>| bits.keys().cloned().collect::<Vec<_>>();
    if names(&found) != names(&expected) {
        return Err(format!("other files: {:?}, not {:?}", names(&found), names(&expected)));
    }
    match found.iter().find(|(name, bytes)| expected.get(*name) != Some(*bytes)) {
        Some((name, _)) => Err(format!("{name} is not that of the uninterrupted run")),
        None => Ok(()),
    }
}

/// Refuses a history with numbers that are not finite.
pub(crate) fn finite(run: &Path) -> Result<(), String> {
    let text = fs::read_to_string(run.join("history.csv")).unwrap_or_default();
    for row in text.lines().skip(1) {
        if row.split(',').any(|cell| cell.contains("inf") || cell.contains("NaN")) {
            return Err(format!("numbers that are not finite: {row}"));
        }
    }
    Ok(())
}

/// Refuses a run that says it is complete and has no whole summary, plot and history.
pub(crate) fn complete(run: &Path) -> Result<(), String> {
    let summary = fs::read_to_string(run.join("summary.json")).unwrap_or_default();
    if !summary.contains("\"status\": \"complete\"") {
        return Err("exit code 0 without a complete summary".to_owned());
    }
    finite(run)
}
