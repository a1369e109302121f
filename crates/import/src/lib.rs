#![doc = include_str!("../README.md")]
//! # Design
//!
//! Each format has a folder: what its files say as data, then a `Draft`, the scene under construction, which is
//! printed as text with comments. Meshes are read to know their extent and nodes, never to be changed: a scene
//! names the same files.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod abaqus;
mod choose;
mod draft;
mod expression;
mod ipc;
mod meshes;
mod naming;
mod norms;
mod polyfem;
mod pose;
mod refine;
mod refusal;
mod ron;

pub use norms::DisplacementNorms;
pub use refusal::{ImportError, ImportRefusal};

use refusal::Findings;
use std::path::{Path, PathBuf};

/// Bytes of a foreign file at most.
const MAX_BYTES: u64 = 64 << 20;

/// A scene out of a foreign file.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The text of the scene.
    pub scene: String,
    /// A sentence for each thing that has a substitute.
    pub notes: Vec<String>,
    /// Meshes that stand beside the scene.
    pub files: Vec<GeneratedMesh>,
    /// Norms of the solution of the other program, where the file has them.
    pub recorded: Option<Recorded>,
}

/// A mesh that a scene needs and no file has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedMesh {
    /// The name of its file, in the folder of the scene.
    pub name: String,
    /// The file.
    pub contents: Vec<u8>,
}

/// Norms of the displacement after some steps, taken at the quadrature points, as `PolyFEM` records them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recorded {
    /// After so many steps.
    pub steps: u64,
    /// Agreement that `PolyFEM` asks of itself.
    pub margin: f64,
    /// `sqrt(int |u|^2)`.
    pub l2: f64,
    /// `sqrt(int |grad u|^2)`.
    pub h1_semi: f64,
    /// `(int |u|^8)^(1/8)`.
    pub l8: f64,
    /// The largest displacement (m).
    pub linf: f64,
}

/// The formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignFormat {
    /// An input deck of Abaqus or `CalculiX`, `.inp`.
    Abaqus,
    /// A script of IPC, `.txt`.
    Ipc,
    /// A problem of `PolyFEM`, `.json`.
    PolyFem,
}

impl ForeignFormat {
    /// The format of a file by the ending of its name and by what is in it: a `.txt` file is a script if it has
    /// shapes, an `.inp` file a deck if it begins with one of its keywords, a `.json` file a problem of `PolyFEM` if it has a geometry and no version of a scene.
    pub fn of(file: &Path) -> Option<Self> {
        let ending = file.extension()?.to_str()?.to_ascii_lowercase();
        if !["txt", "json", "inp"].contains(&ending.as_str()) {
            return None;
        }
        let text = resile_files::read_text(file, MAX_BYTES).ok()?;
        match ending.as_str() {
            "inp" => abaqus::is_deck(&text).then_some(Self::Abaqus),
            "txt" => ipc::is_script(&text).then_some(Self::Ipc),
            _ => polyfem::is_polyfem(&text).then_some(Self::PolyFem),
        }
    }
}

/// The file that a problem of `PolyFEM` names as `common`.
pub fn common_of(file: &Path) -> Option<PathBuf> {
    if ForeignFormat::of(file) != Some(ForeignFormat::PolyFem) {
        return None;
    }
    let text = resile_files::read_text(file, MAX_BYTES).ok()?;
    Some(file.with_file_name("").join(polyfem::common_of(&text)?))
}

/// Reads a foreign file as a scene in which paths are relative to the folder `base`.
///
/// # Errors
/// If it cannot be read; else everything in it that no scene can say, all at once.
pub fn import(file: &Path, format: ForeignFormat, base: &Path) -> Result<Imported, ImportError> {
    let text = resile_files::read_text(file, MAX_BYTES)
        .map_err(|error| ImportError::Open { file: file.to_owned(), reason: error.to_string() })?;
    let mut findings = Findings::default();
    let (draft, files, recorded) = match format {
        ForeignFormat::Abaqus => {
            let (draft, files) = abaqus::read(file, &text, &mut findings);
            (draft, files, None)
        }
        ForeignFormat::Ipc => (ipc::read(file, &text, base, &mut findings), Vec::new(), None),
        ForeignFormat::PolyFem => {
            let polyfem::Read { draft, files, recorded } =
                polyfem::read(file, text, base, &mut findings)?;
            (draft, files, recorded)
        }
    };
    let (draft, notes) = findings.into_result(draft)?;
    Ok(Imported { scene: draft.text(&notes), notes, files, recorded })
}
