//! `frames/`: the visible state of a run, one file per frame.
//!
//! A [`FrameWriter`] decides when and where files are written; a [`FrameFormat`] defines their
//! contents. All formats use single precision, because frames are for visualisation. Compression is
//! deliberately absent; it would be one more dependency.

mod plane;
mod ply;
mod role;
mod topology;
mod vtu;

pub use plane::FramePlane;
pub use ply::Ply;
pub use role::Role;
pub use topology::{BodyCells, Topology};
pub use vtu::{Vtu, surfaces};

use super::atomic::with_run_prefix;
use super::{OutputError, io};
use resile_files::{Durability, Folder, Kind};
use resile_math::{Mat3, Vec3};
use resile_mesh::TriMesh;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// Name of the file of fixed obstacles, without extension.
pub(crate) const OBSTACLES: &str = "obstacles";
/// Name of the file of planes, without extension.
pub(crate) const PLANES: &str = "planes";
/// Name of the index, without extension.
pub(crate) const INDEX: &str = "frames";
/// Prefix of frame files.
pub(crate) const FRAME: &str = "frame_";
/// Prefix of the copies of original meshes.
pub(crate) const ORIGINAL: &str = "original_";
/// Smallest number of digits of a frame number.
pub(crate) const FRAME_DIGITS: usize = 6;
/// Extensions of all frame formats; `--force` removes only files with one of these.
pub(crate) const EXTENSIONS: [&str; 2] = ["vtu", "ply"];
/// Maximum length of an index (bytes); an index of a million frames has some 90 MB.
pub(crate) const MAX_INDEX_BYTES: u64 = 1 << 30;
/// Extensions of frame indexes.
pub(crate) const INDEX_EXTENSIONS: [&str; 1] = ["pvd"];

/// The state of a frame: everything that is not in the [`Topology`].
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// Simulated time (s).
    pub time: f64,
    /// Positions of all points (m), in the order of the topology.
    pub points: &'a [Vec3],
    /// Velocities of all points (m/s).
    pub velocities: &'a [Vec3],
    /// Further point fields.
    pub fields: &'a [FrameField],
}

/// A field over the points of a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameField {
    /// Name of the field.
    pub name: &'static str,
    /// Unit of the field.
    pub unit: &'static str,
    /// Values, in the order of the points.
    pub values: FieldValues,
}

/// The values of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValues {
    /// One number per point.
    Scalars(Vec<f64>),
    /// One vector per point.
    Vectors(Vec<Vec3>),
    /// One symmetric tensor per point.
    Tensors(Vec<Mat3>),
}

impl From<Vec<f64>> for FieldValues {
    fn from(values: Vec<f64>) -> Self {
        Self::Scalars(values)
    }
}

impl From<Vec<Vec3>> for FieldValues {
    fn from(values: Vec<Vec3>) -> Self {
        Self::Vectors(values)
    }
}

impl From<Vec<Mat3>> for FieldValues {
    fn from(values: Vec<Mat3>) -> Self {
        Self::Tensors(values)
    }
}

/// A surface that does not move.
#[derive(Debug, Clone, Copy)]
pub struct Still<'a> {
    /// Number of the surface, different from the numbers of the bodies in frames.
    pub body: u32,
    /// Name of the surface.
    pub name: &'a str,
    /// Role of the surface.
    pub role: Role,
    /// Triangles of the surface.
    pub mesh: &'a TriMesh,
}

/// A file format for frames.
///
/// It is constructed from a [`Topology`] and converts each frame to a file. A new format is a type that
/// implements this trait, and a line where the names of formats are parsed.
pub trait FrameFormat: Debug + Send {
    /// Extension of its files, without the dot.
    fn ending(&self) -> &'static str;

    /// The contents of a frame file.
    fn frame(&self, frame: &Frame<'_>) -> Vec<u8>;

    /// The contents of a file of fixed surfaces.
    fn still(&self, parts: &[Still<'_>]) -> Vec<u8>;

    /// Index that lists all frames, if the format has one.
    fn index(&self) -> Option<&dyn FrameIndex> {
        None
    }
}

/// A file that lists all frames with their times.
pub trait FrameIndex {
    /// Extension of the index, without the dot.
    fn ending(&self) -> &'static str;

    /// Text of the index: frames with their files, and fixed files that are shown with each frame.
    fn text(&self, frames: &[(f64, String)], still: &[String]) -> String;

    /// Times (s) listed in an index.
    fn times(&self, text: &str) -> Vec<f64>;
}

/// Writes frames of one format, and their index.
#[derive(Debug)]
pub struct FrameWriter {
    folder: PathBuf,
    /// The folder, which is opened at the first write.
    opened: Option<Folder>,
    format: Box<dyn FrameFormat>,
    /// Frames written so far.
    frames: Vec<FrameExtent>,
    /// Number of frames that have been synced to disk.
    synced_count: usize,
    /// Names of the files that are shown with each frame.
    still_files: Vec<String>,
}

/// Time and file length of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FrameExtent {
    /// Time (s).
    pub time: f64,
    /// Length of its file in bytes.
    pub bytes: u64,
}

impl FrameWriter {
    /// Begins the frames of a run.
    pub fn create(folder: &Path, format: Box<dyn FrameFormat>) -> Self {
        Self {
            folder: folder.to_owned(),
            opened: None,
            format,
            frames: Vec::new(),
            synced_count: 0,
            still_files: Vec::new(),
        }
    }

    /// Resumes the frames of a run after `checkpointed`, those that the checkpoint lists. There are none in a format
    /// that was not requested before.
    ///
    /// # Errors
    /// If one of their files is missing or truncated.
    pub fn resume(
        folder: &Path,
        format: Box<dyn FrameFormat>,
        checkpointed: &[FrameExtent],
    ) -> Result<Self, OutputError> {
        let mut writer = Self::create(folder, format);
        writer.frames = checkpointed.to_vec();
        writer.synced_count = checkpointed.len();
        let opened_folder = open_folder(folder)?;
        let mut damaged_frames = checkpointed.iter().enumerate().filter_map(|(index, frame)| {
            let name = writer.file_name(index);
            let found = match opened_folder.kind(&name) {
                Ok(Some(Kind::File { length })) => Some(length),
                _ => None,
            };
            (found != Some(frame.bytes)).then(|| (folder.join(name), frame.bytes, found))
        });
        if let Some((path, expected, found)) = damaged_frames.next() {
            let more = damaged_frames.count();
            return Err(OutputError::Frame { path, expected, found, more });
        }
        drop(damaged_frames);
        Ok(writer)
    }

    /// Rewrites the index if it is damaged, and then returns its path. Fixed surfaces must be written before.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn repair_index(&self) -> Result<Option<PathBuf>, OutputError> {
        let Some(index) = self.format.index().filter(|_| !self.frames.is_empty()) else {
            return Ok(None);
        };
        let (opened_folder, name) = (open_folder(&self.folder)?, index_name(index));
        let text = opened_folder.read_text(&name, MAX_INDEX_BYTES).unwrap_or_default();
        let times = index.times(&text);
        // The index may list more frames than the checkpoint: a killed run may have written some after it.
        let has_all_frames = times.len() >= self.frames.len()
            && times.iter().zip(&self.frames).all(|(time, frame)| *time == frame.time);
        let expected_text =
            index.text(&self.files_by_time(times.iter().copied()), &self.still_files);
        if has_all_frames && expected_text == text {
            return Ok(None);
        }
        self.write_index(&opened_folder)?;
        Ok(Some(self.folder.join(name)))
    }

    /// The frames written so far.
    pub fn frames(&self) -> &[FrameExtent] {
        &self.frames
    }

    /// Extension of its files.
    pub fn ending(&self) -> &'static str {
        self.format.ending()
    }

    /// Syncs all frames, their index and fixed surfaces to disk. Call it before a checkpoint that refers to them is
    /// written.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        if self.synced_count == self.frames.len() {
            return Ok(());
        }
        let opened_folder = self.opened_folder()?;
        let frames = (self.synced_count..self.frames.len()).map(|frame| self.file_name(frame));
        let index = self.format.index().map(index_name);
        let names: Vec<String> =
            frames.chain(index).chain(self.still_files.iter().cloned()).collect();
        opened_folder.sync(&names).map_err(io("write", &self.folder))?;
        self.synced_count = self.frames.len();
        Ok(())
    }

    /// Writes the fixed obstacles.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write_obstacles(&mut self, obstacles: &[Still<'_>]) -> Result<(), OutputError> {
        self.write_still(OBSTACLES, obstacles)
    }

    /// Writes the drawn pieces of planes and replaces older ones.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write_planes(&mut self, planes: &[Still<'_>]) -> Result<(), OutputError> {
        self.write_still(PLANES, planes)
    }

    /// Writes a file of fixed surfaces, which the index shows with each frame.
    fn write_still(&mut self, stem: &str, parts: &[Still<'_>]) -> Result<(), OutputError> {
        let name = format!("{stem}.{}", self.format.ending());
        // Synced to disk together with the next frames.
        let write_result =
            self.opened_folder()?.write(&name, &self.format.still(parts), Durability::Written);
        write_result.map_err(io("write", &self.folder.join(&name)))?;
        if !self.still_files.contains(&name) {
            self.still_files.push(name);
            self.still_files.sort_unstable();
        }
        Ok(())
    }

    /// Writes a frame, and the index up to it.
    ///
    /// # Errors
    /// If the system refuses.
    ///
    /// # Panics
    /// If the number of velocities differs from the number of points.
    pub fn write(&mut self, frame: &Frame<'_>) -> Result<(), OutputError> {
        assert_eq!(frame.points.len(), frame.velocities.len(), "one velocity a point");
        let (opened_folder, name) = (self.opened_folder()?, self.file_name(self.frames.len()));
        let file = self.format.frame(frame);
        let write_result = opened_folder.write(&name, &file, Durability::Written);
        write_result.map_err(io("write", &self.folder.join(name)))?;
        self.frames.push(FrameExtent { time: frame.time, bytes: file.len() as u64 });
        self.write_index(&opened_folder)
    }

    /// The folder of the frames, which is opened at the first call.
    fn opened_folder(&mut self) -> Result<Folder, OutputError> {
        let folder = match self.opened.take() {
            Some(folder) => folder,
            None => open_folder(&self.folder)?,
        };
        Ok(self.opened.insert(folder).clone())
    }

    /// Writes the index of all frames so far, if the format has one.
    fn write_index(&self, opened_folder: &Folder) -> Result<(), OutputError> {
        let Some(index) = self.format.index() else { return Ok(()) };
        let frames = self.files_by_time(self.frames.iter().map(|frame| frame.time));
        let text = index.text(&frames, &self.still_files);
        let name = index_name(index);
        // Synced to disk together with the frames that it lists.
        let write_result = opened_folder.write(&name, text.as_bytes(), Durability::Written);
        write_result.map_err(io("write", &self.folder.join(name)))
    }

    /// The times of frames with the names of their files.
    fn files_by_time(&self, times: impl Iterator<Item = f64>) -> Vec<(f64, String)> {
        times.enumerate().map(|(index, time)| (time, self.file_name(index))).collect()
    }

    /// Name of the file of the frame with this index.
    fn file_name(&self, index: usize) -> String {
        format!("{FRAME}{index:0FRAME_DIGITS$}.{}", self.format.ending())
    }
}

/// Name of the index file.
fn index_name(index: &dyn FrameIndex) -> String {
    format!("{INDEX}.{}", index.ending())
}

/// Opens a folder of frames, which must not be a link.
fn open_folder(folder: &Path) -> Result<Folder, OutputError> {
    Folder::open_unlinked(folder).map(with_run_prefix).map_err(io("open", folder))
}

#[cfg(test)]
pub(crate) use topology::tests as topology_for_tests;

#[cfg(test)]
mod tests {
    use super::topology::tests::{POINTS, topology};
    use super::*;
    use std::fs;

    fn run(folder: &Path, writer: &mut FrameWriter, times: &[f64]) -> Vec<(String, Vec<u8>)> {
        let wall = TriMesh { positions: POINTS.to_vec(), triangles: vec![[0, 1, 2]] };
        let part = |body, role| Still { body, name: "wall", role, mesh: &wall };
        writer.write_obstacles(&[part(2, Role::Obstacle)]).expect("the folder can be written");
        writer.write_planes(&[part(3, Role::Plane)]).expect("the folder can be written");
        for &time in times {
            let frame = Frame { time, points: &POINTS, velocities: &POINTS, fields: &[] };
            writer.write(&frame).expect("the folder can be written");
        }
        let entries = fs::read_dir(folder).expect("it is there").map(|entry| {
            let path = entry.expect("it can be read").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read(path).expect("it can be read"))
        });
        let mut files: Vec<_> = entries.collect();
        files.sort();
        files
    }

    #[test]
    fn resumed_frames_equal_an_uninterrupted_run() {
        type Make = fn() -> Box<dyn FrameFormat>;
        let formats: [(Make, usize); 2] =
            [(|| Box::new(Vtu::new(&topology())), 7), (|| Box::new(Ply::new(&topology())), 6)];
        let times = [0.0, 1.0 / 60.0, 2.0 / 60.0, 0.1 + 0.2];
        for (format, files) in formats {
            let [whole, killed] = [0, 1].map(|_| tempfile::tempdir().expect("a temporary folder"));
            let (whole, killed) = (whole.path(), killed.path());
            let expected = run(whole, &mut FrameWriter::create(whole, format()), &times);
            assert_eq!(
                expected.len(),
                files,
                "four frames, obstacles, planes, and an index if it has one"
            );
            let mut writer = FrameWriter::create(killed, format());
            run(killed, &mut writer, &times[..3]);
            let known = writer.frames()[..2].to_vec();
            let mut writer =
                FrameWriter::resume(killed, format(), &known).expect("frames are there");
            run(killed, &mut writer, &[]);
            assert_eq!(writer.repair_index().expect("the folder can be read"), None);
            assert_eq!(writer.frames(), known);
            assert_eq!(run(killed, &mut writer, &times[2..]), expected);
        }
    }

    #[test]
    fn replacing_a_run_knows_the_extensions_of_all_formats() {
        let formats: [Box<dyn FrameFormat>; 2] =
            [Box::new(Vtu::new(&topology())), Box::new(Ply::new(&topology()))];
        let endings: Vec<_> = formats.iter().map(|format| format.ending()).collect();
        let indexes: Vec<_> =
            formats.iter().filter_map(|format| Some(format.index()?.ending())).collect();
        assert_eq!((&endings[..], &indexes[..]), (&EXTENSIONS[..], &INDEX_EXTENSIONS[..]));
    }

    #[test]
    fn missing_or_truncated_frames_are_rejected_and_a_damaged_index_is_rebuilt() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let vtu = || Box::new(Vtu::new(&topology()));
        let mut writer = FrameWriter::create(folder.path(), vtu());
        run(folder.path(), &mut writer, &[0.0, 0.5, 1.0]);
        writer.flush().expect("the folder can be written");
        let known = writer.frames()[..2].to_vec();
        let resume = || FrameWriter::resume(folder.path(), vtu(), &known);

        let index = folder.path().join("frames.pvd");
        let good = fs::read_to_string(&index).expect("it was written");
        for at in 0..good.len() {
            let mut other = good.clone().into_bytes();
            other[at] ^= 1;
            for damaged in [other.as_slice(), &good.as_bytes()[..at]] {
                fs::write(&index, damaged).expect("the folder can be written");
                let mended = resume().and_then(|writer| writer.repair_index()).expect("it can be");
                assert_eq!(mended.as_ref(), Some(&index), "byte {at}");
            }
        }
        fs::remove_file(&index).expect("it is there");
        let mut resumed = resume().expect("all frames are there");
        assert_eq!(resumed.repair_index().expect("it can be written"), Some(index.clone()));
        run(folder.path(), &mut resumed, &[1.0]);
        assert_eq!(fs::read_to_string(&index).expect("it was written"), good);

        let frame = folder.path().join("frame_000001.vtu");
        let bytes = fs::read(&frame).expect("it was written");
        for length in [0, 1, bytes.len() - 1] {
            fs::write(&frame, &bytes[..length]).expect("the folder can be written");
            let refused = resume().expect_err("it is cut").to_string();
            assert!(refused.contains(&format!("is {length} bytes long")), "{refused}");
        }
        fs::remove_file(&frame).expect("it is there");
        let refused = resume().expect_err("it is gone").to_string();
        assert!(refused.contains("frame_000001.vtu is missing"), "{refused}");
        fs::remove_file(folder.path().join("frame_000000.vtu")).expect("it is there");
        let refused = resume().expect_err("both are gone").to_string();
        assert!(refused.contains("1 more"), "{refused}");
    }
}
