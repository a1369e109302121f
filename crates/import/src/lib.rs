#![doc = include_str!("../README.md")]
//! # Design
//!
//! Each format has a folder: it parses a file into plain data, converts these to a `Draft` (the scene under
//! construction), and prints the draft as commented text. Meshes are read for their extent and nodes only, and
//! never changed: a scene references the same files.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod abaqus;
mod choose;
mod draft;
mod face_parts;
mod ipc;
mod meshes;
mod naming;
mod norms;
mod polyfem;
mod pose;
mod refine;
mod refusal;
mod ron;
mod wireframe;

pub use norms::DisplacementNorms;
pub use refusal::{ImportError, ImportRefusal};

use refusal::Findings;
use std::path::{Path, PathBuf};

/// Largest length of a foreign file in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// A scene converted from a foreign file.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// Text of the scene.
    pub scene: String,
    /// One sentence per feature that was replaced by a substitute.
    pub notes: Vec<String>,
    /// Generated meshes, to be written beside the scene.
    pub files: Vec<GeneratedMesh>,
    /// Whether the file specifies a modal analysis, which `sim modes` computes and `sim run` does not.
    pub has_modal_analysis: bool,
    /// Norms of the reference solution, if the file has them.
    pub recorded: Option<Recorded>,
}

/// A mesh that a scene needs and that exists in no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedMesh {
    /// Name of the file of the mesh, in the folder of the scene.
    pub name: String,
    /// Contents of the file.
    pub contents: Vec<u8>,
}

/// Norms of the displacement u (m) over the domain after some steps, by quadrature, as recorded by `PolyFEM`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recorded {
    /// Number of steps after which they are recorded.
    pub steps: u64,
    /// Relative tolerance that `PolyFEM` applies to its own results.
    pub margin: f64,
    /// `sqrt(int |u|^2)`.
    pub l2: f64,
    /// `sqrt(int |grad u|^2)`.
    pub h1_semi: f64,
    /// `(int |u|^8)^(1/8)`.
    pub l8: f64,
    /// Largest displacement (m).
    pub linf: f64,
}

/// Supported foreign formats.
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
    /// Detects the format of a file by its extension and content; `None` if it is no foreign file or cannot be read. A
    /// `.txt` file is a script if it has shapes, and an `.inp` file a deck if it begins with one of the deck keywords.
    /// A `.json` file is a problem of `PolyFEM` if it has a geometry and no version of a scene.
    pub fn of(file: &Path) -> Option<Self> {
        let extension = file.extension()?.to_str()?.to_ascii_lowercase();
        if !["txt", "json", "inp"].contains(&extension.as_str()) {
            return None;
        }
        let text = resile_files::read_text(file, MAX_BYTES).ok()?;
        match extension.as_str() {
            "inp" => abaqus::is_deck(&text).then_some(Self::Abaqus),
            "txt" => ipc::is_script(&text).then_some(Self::Ipc),
            _ => polyfem::is_polyfem(&text).then_some(Self::PolyFem),
        }
    }
}

/// Returns the path of the file that a problem of `PolyFEM` references as `common`; `None` without such a reference and
/// for other files.
pub fn common_of(file: &Path) -> Option<PathBuf> {
    if ForeignFormat::of(file) != Some(ForeignFormat::PolyFem) {
        return None;
    }
    let text = resile_files::read_text(file, MAX_BYTES).ok()?;
    Some(file.with_file_name("").join(polyfem::common_of(&text)?))
}

/// Converts a foreign file to a scene whose paths are relative to the folder `base`.
///
/// # Errors
/// If the file cannot be read or parsed, or contains features that a scene cannot express; all of these are reported.
pub fn import(file: &Path, format: ForeignFormat, base: &Path) -> Result<Imported, ImportError> {
    let text = resile_files::read_text(file, MAX_BYTES)
        .map_err(|error| ImportError::Open { file: file.to_owned(), reason: error.to_string() })?;
    let mut findings = Findings::default();
    let mut has_modal_analysis = false;
    let (draft, files, recorded) = match format {
        ForeignFormat::Abaqus => {
            let deck = abaqus::read(file, &text, &mut findings);
            has_modal_analysis = deck.has_modal_analysis;
            (deck.draft, deck.files, None)
        }
        ForeignFormat::Ipc => {
            let (draft, files) = ipc::read(file, &text, base, &mut findings);
            (draft, files, None)
        }
        ForeignFormat::PolyFem => {
            let polyfem::ConvertedProblem { draft, files, recorded } =
                polyfem::read(file, text, base, &mut findings)?;
            (draft, files, recorded)
        }
    };
    let (draft, notes) = findings.into_result(draft)?;
    Ok(Imported { scene: draft.text(&notes), notes, files, has_modal_analysis, recorded })
}
