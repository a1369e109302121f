#![doc = include_str!("../README.md")]
//! # Design
//!
//! The output of a run: its folder and the files in it.
//!
//! This crate writes plain numbers; the caller decides when to write. Files and columns are a stable interface for
//! tools: see [`HistoryWriter`], [`ProfileWriter`], [`Summary`], [`EnergyPlot`], [`FrameWriter`] and
//! [`write_checkpoint`].
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod atomic;
mod bodies;
mod buckling;
mod cell;
mod checkpoint;
mod columns;
mod contacts;
mod energy_plot;
mod fingerprint;
mod frames;
mod history;
mod labels;
mod modes;
mod momentum;
mod origin;
mod originals;
pub mod palette;
mod path;
mod playback;
mod poses;
mod probes;
mod profile;
mod profile_plot;
mod run_folder;
mod step_table;
mod summary;
mod table;
mod trace;
mod trace_plot;
mod work;

pub use atomic::write_atomically;
pub use bodies::{BodiesTable, BodiesWriter, BodyRow};
pub use buckling::{BucklingRow, write_buckling};
pub use cell::{cell, plain_text};
pub use checkpoint::{
    BodyRecord, Checkpoint, CheckpointError, FieldRecord, FileExtents, MemoryRecord, OtherRun,
    Progress, QuantityRecord, StateRecord, read_checkpoint, read_other, write_checkpoint,
};
pub use columns::{Cells, Columns};
pub use contacts::{ContactRow, ContactsTable, ContactsWriter};
pub use energy_plot::{EnergyPlot, EnergyPoint, unit_of_energy};
pub use fingerprint::Fingerprint;
pub use frames::{
    BodyCells, FieldValues, Frame, FrameExtent, FrameField, FrameFormat, FrameIndex, FramePlane,
    FrameWriter, Ply, Role, Still, Topology, Vtu, surfaces,
};
pub use history::{HistoryRow, HistoryWriter};
pub use labels::ColumnLabels;
pub use modes::{ModeRow, write_modes};
pub use momentum::{MomentumRow, MomentumTable, MomentumWriter};
pub use origin::{Leg, Origin, SceneChange};
pub use originals::{Original, OriginalFile, keep_originals};
pub use path::{PathRow, write_path};
pub use playback::{
    Damage, Playback, PlaybackError, PlayedBody, PlayedFrame, PointField, StillBody, VertexScalar,
};
pub use poses::{PoseRow, PosesTable, PosesWriter};
pub use probes::{ProbeRow, ProbesTable, ProbesWriter};
pub use profile::{ProfileRow, ProfileTable, ProfileWriter};
pub use profile_plot::ProfilePlot;
pub use run_folder::{
    Existing, MADE_FROM_RUNS, RunFolder, RunLock, belongs_to_a_run, copy_run, runs_within,
};
pub use step_table::{StepsWithRows, TableExtent};
pub use summary::{
    EnergyAccount, Heat, ModesState, PrescribedLag, Settled, Setup, Status, Summary,
};
pub use table::{Table, TableWriter};
pub use trace::{TraceRow, TraceWriter};
pub use trace_plot::TracePlot;
pub use work::{Counts, PhaseSeconds};

pub use resile_math::units::Units;

use resile_plot::PlotError;
use std::path::{Path, PathBuf};

/// Output cannot be written, or a run cannot be resumed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// An error of the operating system.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The attempted action.
        action: &'static str,
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The folder holds the results of a run.
    #[error(
        "{} already holds a run; --resume continues it, --force replaces it, -o chooses another folder",
        folder.display()
    )]
    Exists {
        /// Path of the folder.
        folder: PathBuf,
    },
    /// A run ended before its first checkpoint.
    #[error(
        "{} holds no checkpoint to resume from, though it has files of a run; --force begins anew",
        folder.display()
    )]
    NothingToResume {
        /// Path of the folder.
        folder: PathBuf,
    },
    /// Another process writes to the folder.
    #[error(
        "{} is being written by another run; wait for its end, or choose another folder with -o",
        folder.display()
    )]
    Busy {
        /// Path of the folder.
        folder: PathBuf,
    },
    /// Files have the names of run files, but this program did not write them.
    #[error(
        "{} has files or folders of the names that a run writes, but they are not a run's, or `frames` is a \
         link; nothing was removed: choose another folder with -o",
        folder.display()
    )]
    NotARun {
        /// Path of the folder.
        folder: PathBuf,
    },
    /// A table was changed after the run wrote it.
    #[error(
        "{} cannot be continued after step {step}: {reason}; put back a copy of it{}, or begin \
         anew with --force",
        path.display(),
        resume_advice(path)
    )]
    History {
        /// Path of the file.
        path: PathBuf,
        /// Step of the checkpoint.
        step: u64,
        /// Description of the damage.
        reason: String,
    },
    /// A trace cannot be written to this path.
    #[error("{} cannot be the file of a trace: {reason}", path.display())]
    Trace {
        /// Path of the file.
        path: PathBuf,
        /// Reason, with a remedy.
        reason: String,
    },
    /// The file of a frame is missing or was changed.
    #[error(
        "{} {}{}; put back copies, go on without these frames by \
         --set output.formats=[], or begin anew with --force",
        path.display(),
        match found {
            None => "is missing".to_owned(),
            Some(found) => format!("is {found} bytes long instead of {expected}"),
        },
        match more {
            0 => String::new(),
            more => format!(", and {more} more frames are missing or cut"),
        }
    )]
    Frame {
        /// Path of the first such file.
        path: PathBuf,
        /// Its length in bytes as written.
        expected: u64,
        /// Its present length in bytes, if it exists.
        found: Option<u64>,
        /// Number of further files that are missing or truncated.
        more: usize,
    },
    /// The plot could not be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// A table lacks a column.
    #[error("{file} has no column `{column}`")]
    NoColumn {
        /// Name of the table's file.
        file: String,
        /// Name of the column.
        column: String,
    },
}

/// Advice on resuming without a table; empty if that is impossible.
fn resume_advice(table: &Path) -> &'static str {
    match table.file_name().and_then(|name| name.to_str()) {
        Some("bodies.csv" | "poses.csv" | "contacts.csv" | "momentum.csv") => {
            ", go on without it by --set output.tables=[]"
        }
        Some("probes.csv") => ", go on without it by --set output.probes=[]",
        Some("profile.csv") => ", remove it to go on without its beginning",
        _ => "",
    }
}

/// Returns a converter from I/O errors that adds the attempted action and the file.
pub fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> OutputError {
    move |source| OutputError::Io { action, path: path.to_owned(), source }
}
