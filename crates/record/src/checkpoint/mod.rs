//! `checkpoint`: all state that a run needs to resume bit for bit.
//!
//! The data are encoded by postcard, which preserves the bits of floating-point numbers. A fixed header
//! is validated first and distinguishes files that are not checkpoints, and checkpoints of another
//! version, of another scene, truncated or damaged.
//!
//! Layout, little-endian: 8 bytes magic, u32 version, u64 fingerprint of the
//! scene, u64 length of the data, u64 checksum of the data, the data.

use super::{
    Counts, FrameExtent, OutputError, PhaseSeconds, PrescribedLag, Settled, TableExtent,
    write_atomically,
};
use crate::Fingerprint;
use resile_files::{File, Folder};
use resile_math::Vec3;
use resile_system::{Field, Internal, Memory, Quantity, Record, State};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// First bytes of a checkpoint.
pub(crate) const MAGIC: &[u8; 8] = b"resile\r\n";
/// Version of the format.
const VERSION: u32 = 16;
/// Length of the header in bytes.
const HEADER_BYTES: usize = 36;

/// A checkpoint cannot be read or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("cannot read the checkpoint {}: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The file does not begin with the magic bytes.
    #[error("{} is not a checkpoint", path.display())]
    NotACheckpoint {
        /// Path of the file.
        path: PathBuf,
    },
    /// The checkpoint has another format version.
    #[error(
        "{} is a checkpoint of version {found}, and this program reads version {VERSION} only",
        path.display()
    )]
    Version {
        /// Path of the file.
        path: PathBuf,
        /// Version of the file.
        found: u32,
    },
    /// The checkpoint belongs to another scene.
    #[error(
        "{} belongs to another scene, or to this one with other physics or another time step \
         (fingerprint {found:016x}, not {expected:016x}); only duration, output and solver may change",
        path.display()
    )]
    OtherScene {
        /// Path of the file.
        path: PathBuf,
        /// Fingerprint of the scene to be run.
        expected: u64,
        /// Fingerprint in the file.
        found: u64,
    },
    /// The file has the wrong length.
    #[error("{} has {found} bytes of data instead of {expected}", path.display())]
    Length {
        /// Path of the file.
        path: PathBuf,
        /// Expected length in bytes.
        expected: u64,
        /// Actual length in bytes.
        found: u64,
    },
    /// The checksum does not match the contents.
    #[error("{} is damaged: its checksum is wrong", path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
    },
    /// The contents cannot be decoded although the checksum matches.
    #[error("{} cannot be decoded: {reason}", path.display())]
    Decode {
        /// Path of the file.
        path: PathBuf,
        /// Error of the decoder.
        reason: String,
    },
    /// The decoded contents are inconsistent.
    #[error("{} was not written by a run of this scene: {}", path.display(), errors.join("; "))]
    Contents {
        /// Path of the file.
        path: PathBuf,
        /// Descriptions of the errors, field by field.
        errors: Vec<String>,
    },
}

impl CheckpointError {
    /// Remedy if the checkpoint is that of a run to be resumed.
    pub fn resume_remedy(&self) -> &'static str {
        match self {
            Self::Io { .. } => "start again with --force",
            Self::Version { .. } => {
                "go on with the program that wrote it, or start again with --force"
            }
            Self::OtherScene { .. } => "run the scene it belongs to, or start again with --force",
            Self::NotACheckpoint { .. }
            | Self::Length { .. }
            | Self::Damaged { .. }
            | Self::Decode { .. }
            | Self::Contents { .. } => "put back a copy of it, or start again with --force",
        }
    }
}

/// All state that a run needs to resume.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Fingerprint of the scene, excluding a start from another run.
    pub described: u64,
    /// Names of the bodies, in the order of the states.
    pub bodies: Vec<BodyRecord>,
    /// State of each body, with the memory of its integrator.
    pub states: Vec<StateRecord>,
    /// Accumulated counters.
    pub progress: Progress,
    /// Extents of the files written so far.
    pub file_extents: FileExtents,
}

/// Identification of a body for other runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BodyRecord {
    /// Name of the body.
    pub name: String,
    /// Hash of its elements.
    pub cells: u64,
    /// Means of the lengths of its edges at rest (m): root mean square, and the same with other weights for each edge.
    pub rest_lengths: [f64; 2],
}

/// The part of a checkpoint that another run can start from.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherRun {
    /// Fingerprint of its scene, excluding its start.
    pub described: u64,
    /// Bodies of the run.
    pub bodies: Vec<BodyRecord>,
    /// State of each body.
    pub states: Vec<StateRecord>,
}

/// Extents of the files that a resumed run continues.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FileExtents {
    /// Tables by file name.
    pub tables: BTreeMap<String, TableExtent>,
    /// Frames by file extension.
    pub frames: BTreeMap<String, Vec<FrameExtent>>,
}

/// Accumulated counters of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Steps taken.
    pub steps: u64,
    /// Counters of the solver.
    pub counts: Counts,
    /// Wall time (s).
    pub wall_seconds: f64,
    /// Wall time by phase.
    pub phase_seconds: PhaseSeconds,
    /// Smallest distance so far (m).
    pub min_distance: Option<f64>,
    /// Smallest determinant of a deformation gradient so far.
    pub min_det_f: Option<f64>,
    /// Blocked prescribed nodes that stayed away from their targets, if there were any.
    pub prescribed_lag: Option<PrescribedLag>,
    /// Largest residual so far (m/s).
    pub max_residual: Option<f64>,
    /// Energy of the first state (J).
    pub start_energy: f64,
    /// Kinetic energy of the first state (J).
    pub start_kinetic: f64,
    /// Bounding box (m) of all points in frames so far; `None` before the first frame.
    pub frame_box: Option<[[f64; 3]; 2]>,
    /// Energy dissipated by friction, damping and plastic flow so far (J).
    pub dissipated: f64,
    /// Dissipated energy due to plastic flow (J).
    pub plastic: f64,
    /// Dissipated energy due to damping inside bodies (J).
    pub damping: f64,
    /// Dissipated energy due to contact damping (J).
    pub contact_damping: f64,
    /// Dissipated energy due to impacts with a coefficient of restitution (J).
    pub contact: f64,
    /// Energy removed by the rest rule so far (J).
    pub rest_loss: f64,
    /// Work of prescribed motion so far (J).
    pub work: f64,
    /// Outcome of settling; `None` without settling or before its end.
    pub settled: Option<Settled>,
}

/// A [`State`] as plain numbers, ordered x y z node by node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateRecord {
    /// Time (s).
    pub time: f64,
    /// Node positions (m).
    pub positions: Vec<f64>,
    /// Node velocities (m/s).
    pub velocities: Vec<f64>,
    /// Memory of the integrator, by key.
    pub memory: Vec<(String, MemoryRecord)>,
    /// Next step proposed by adaptive stepping (s).
    pub suggested_step: Option<f64>,
    /// Internal (history) variables of the body's terms; empty for a virgin body.
    pub internal: Vec<f64>,
}

/// A [`Record`] as plain numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryRecord {
    /// Vector fields over the nodes.
    pub fields: Vec<FieldRecord>,
    /// Rows of numbers, one per body.
    pub rows: Vec<Vec<f64>>,
}

/// A [`Field`] as plain numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldRecord {
    /// The quantity.
    pub quantity: QuantityRecord,
    /// Values, ordered x y z node by node.
    pub values: Vec<f64>,
}

/// A [`Quantity`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum QuantityRecord {
    /// Positions (m) at this age (s).
    Position(f64),
    /// Velocities (m/s) at this age (s).
    Velocity(f64),
    /// Forces, or quantities derived from forces.
    Action,
}

impl From<&Record> for MemoryRecord {
    fn from(record: &Record) -> Self {
        let field = |field: &Field| FieldRecord {
            quantity: match field.quantity {
                Quantity::Position { ago } => QuantityRecord::Position(ago),
                Quantity::Velocity { ago } => QuantityRecord::Velocity(ago),
                Quantity::Action => QuantityRecord::Action,
            },
            values: components(&field.values),
        };
        Self { fields: record.fields.iter().map(field).collect(), rows: record.rows.clone() }
    }
}

impl From<&MemoryRecord> for Record {
    fn from(record: &MemoryRecord) -> Self {
        let field = |field: &FieldRecord| Field {
            quantity: match field.quantity {
                QuantityRecord::Position(ago) => Quantity::Position { ago },
                QuantityRecord::Velocity(ago) => Quantity::Velocity { ago },
                QuantityRecord::Action => Quantity::Action,
            },
            values: vectors(&field.values),
        };
        Self { fields: record.fields.iter().map(field).collect(), rows: record.rows.clone() }
    }
}

impl From<&State> for StateRecord {
    fn from(state: &State) -> Self {
        let records = state.memory.records();
        Self {
            time: state.time,
            positions: components(&state.positions),
            velocities: components(&state.velocities),
            memory: records.map(|(key, record)| (key.to_owned(), record.into())).collect(),
            suggested_step: state.suggested_step,
            internal: state.internal.of(0).to_vec(),
        }
    }
}

impl From<&StateRecord> for State {
    fn from(record: &StateRecord) -> Self {
        let mut memory = Memory::default();
        record.memory.iter().for_each(|(key, record)| memory.insert(key, record.into()));
        Self {
            time: record.time,
            positions: vectors(&record.positions),
            velocities: vectors(&record.velocities),
            memory,
            suggested_step: record.suggested_step,
            internal: Internal::new(vec![record.internal.as_slice().into()]),
        }
    }
}

/// The components of vectors, x y z of each.
fn components(vectors: &[Vec3]) -> Vec<f64> {
    vectors.iter().flat_map(|v| v.to_array()).collect()
}

/// Vectors from their components.
fn vectors(numbers: &[f64]) -> Vec<Vec3> {
    numbers.chunks_exact(3).map(Vec3::from_slice).collect()
}

impl Checkpoint {
    /// Encodes the contents of a checkpoint file.
    pub fn to_bytes(&self, scene: Fingerprint) -> Vec<u8> {
        let data = postcard::to_stdvec(self).expect("plain data can always be encoded");
        let mut bytes = Vec::with_capacity(HEADER_BYTES + data.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&scene.value().to_le_bytes());
        bytes.extend_from_slice(&(data.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&Fingerprint::EMPTY.with(&data).value().to_le_bytes());
        bytes.extend_from_slice(&data);
        bytes
    }

    /// Decodes [`to_bytes`](Self::to_bytes); errors mention the file as `name`.
    ///
    /// # Errors
    /// If it is not a checkpoint, belongs to another scene or is damaged.
    pub fn of_bytes(
        name: &Path,
        bytes: &[u8],
        scene: Fingerprint,
    ) -> Result<Self, CheckpointError> {
        decode(name, bytes, scene)
    }
}

/// Writes a checkpoint atomically: a power failure leaves the old or the new one.
///
/// # Errors
/// If the system refuses.
pub fn write_checkpoint(
    path: &Path,
    scene: Fingerprint,
    checkpoint: &Checkpoint,
) -> Result<(), OutputError> {
    write_atomically(path, &checkpoint.to_bytes(scene))
}

/// Reads a checkpoint of a scene.
///
/// # Errors
/// If it cannot be read, is not a checkpoint, belongs to another scene or is damaged.
pub fn read_checkpoint(path: &Path, scene: Fingerprint) -> Result<Checkpoint, CheckpointError> {
    decode(path, &read(path)?, scene)
}

/// Reads the states of bodies from a checkpoint of any scene.
///
/// # Errors
/// If it cannot be read, is not a checkpoint or is damaged.
pub fn read_other(path: &Path) -> Result<OtherRun, CheckpointError> {
    let (_, Checkpoint { described, bodies, states, .. }) = decode_any(path, &read(path)?)?;
    Ok(OtherRun { described, bodies, states })
}

/// Reads a file up to the length stated in its header; for a file that is not a checkpoint, only the header.
fn read(path: &Path) -> Result<Vec<u8>, CheckpointError> {
    let io_error = |source| CheckpointError::Io { path: path.to_owned(), source };
    let opened = Folder::parent_of(path).and_then(|(folder, name)| folder.open_file(name));
    let mut file = opened.map_err(io_error)?;
    let mut bytes = Vec::new();
    (&mut file).take(HEADER_BYTES as u64).read_to_end(&mut bytes).map_err(io_error)?;
    let Some((expected, length)) = announced_lengths(&bytes, &file).map_err(io_error)? else {
        return Ok(bytes);
    };
    if expected != length {
        return Err(CheckpointError::Length { path: path.to_owned(), expected, found: length });
    }
    file.take(expected).read_to_end(&mut bytes).map_err(io_error)?;
    Ok(bytes)
}

/// The length of the data that the header states, and the actual one; `None` if the header is not that of this version.
fn announced_lengths(header: &[u8], file: &File) -> std::io::Result<Option<(u64, u64)>> {
    let is_this_version = header.len() == HEADER_BYTES
        && header.starts_with(MAGIC)
        && header[8..12] == VERSION.to_le_bytes();
    let announced_length =
        header.get(20..28).and_then(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes);
    let data_length = file.length()?.saturating_sub(HEADER_BYTES as u64);
    Ok(announced_length.filter(|_| is_this_version).map(|expected| (expected, data_length)))
}

/// Decodes a checkpoint of a scene.
fn decode(path: &Path, bytes: &[u8], scene: Fingerprint) -> Result<Checkpoint, CheckpointError> {
    let (fingerprint, checkpoint) = decode_any(path, bytes)?;
    if fingerprint != scene {
        let (expected, found) = (scene.value(), fingerprint.value());
        return Err(CheckpointError::OtherScene { path: path.to_owned(), expected, found });
    }
    Ok(checkpoint)
}

/// Validates and decodes a checkpoint of any scene; also returns the fingerprint of its scene. `path` is that of the
/// file, for errors.
///
/// # Errors
/// If the bytes are no checkpoint, of another version, truncated or changed.
fn decode_any(path: &Path, bytes: &[u8]) -> Result<(Fingerprint, Checkpoint), CheckpointError> {
    let path = || path.to_owned();
    if bytes.len() < HEADER_BYTES || &bytes[..8] != MAGIC {
        return Err(CheckpointError::NotACheckpoint { path: path() });
    }
    let (header, data) = bytes.split_at(HEADER_BYTES);
    let [scene_fingerprint, length, checksum] = [12, 20, 28].map(|offset| {
        u64::from_le_bytes(header[offset..offset + 8].try_into().expect("eight bytes"))
    });
    let version = u32::from_le_bytes(header[8..12].try_into().expect("four bytes"));
    if version != VERSION {
        return Err(CheckpointError::Version { path: path(), found: version });
    }
    if data.len() as u64 != length {
        let found = data.len() as u64;
        return Err(CheckpointError::Length { path: path(), expected: length, found });
    }
    if Fingerprint::EMPTY.with(data).value() != checksum {
        return Err(CheckpointError::Damaged { path: path() });
    }
    let decode_error = |reason: String| CheckpointError::Decode { path: path(), reason };
    match postcard::take_from_bytes(data) {
        Ok((checkpoint, [])) => Ok((Fingerprint::from_value(scene_fingerprint), checkpoint)),
        Ok((_, rest)) => Err(decode_error(format!("{} bytes are left over", rest.len()))),
        Err(error) => Err(decode_error(error.to_string())),
    }
}

#[cfg(test)]
mod tests;
