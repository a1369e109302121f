//! `frames/`: what is drawn of a run, a file a frame.
//!
//! A [`FrameWriter`] decides when and where files are written; what stands in them is a
//! [`FrameFormat`]'s. Numbers are of single precision in all formats: frames are to be looked
//! at. Compression is deliberately absent; it would be one more dependency.

mod ply;
mod topology;
mod vtu;

pub use ply::Ply;
pub use topology::{BodyCells, Topology};
pub use vtu::{Vtu, surfaces};

use super::{OutputError, io, write_atomically};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

/// What the file of obstacles that stand still is called, without its ending.
pub(crate) const OBSTACLES: &str = "obstacles";
/// What the index is called, without its ending.
pub(crate) const INDEX: &str = "frames";
/// How the files of frames begin.
pub(crate) const FRAME: &str = "frame_";

/// What moves: everything of a frame that is not in the [`Topology`].
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// When (s).
    pub time: f64,
    /// Where all points are (m), in the order of the topology.
    pub points: &'a [Vec3],
    /// Their velocities (m/s).
    pub velocities: &'a [Vec3],
}

/// A file format for frames.
///
/// It is made of a [`Topology`], which does not change, and turns each frame into a file. A
/// new one is a file that implements this, and a line where the names of formats are read.
pub trait FrameFormat: Debug + Send {
    /// The ending of its files, without the dot.
    fn ending(&self) -> &'static str;

    /// The file of a frame.
    fn frame(&self, frame: &Frame<'_>) -> Vec<u8>;

    /// The file of obstacles that stand still, each with its number in the scene.
    fn obstacles(&self, obstacles: &[(u32, &TriMesh)]) -> Vec<u8>;

    /// The file that lists all frames, if programs that read the format want one.
    fn index(&self) -> Option<&dyn FrameIndex> {
        None
    }
}

/// A file that lists all frames with their times.
pub trait FrameIndex {
    /// Its ending, without the dot.
    fn ending(&self) -> &'static str;

    /// Its text: frames in these files, and a file that is shown with each of them.
    fn text(&self, frames: &[(f64, String)], obstacles: Option<&str>) -> String;

    /// The times (s) in such a text.
    fn times(&self, text: &str) -> Vec<f64>;
}

/// Writes frames of one format, and their index.
#[derive(Debug)]
pub struct FrameWriter {
    folder: PathBuf,
    format: Box<dyn FrameFormat>,
    /// Of the frames that there are; of a format without an index those before a resumption
    /// are not known.
    times: Vec<f64>,
    obstacles: bool,
}

impl FrameWriter {
    /// Begins the frames of a run.
    pub fn create(folder: &Path, format: Box<dyn FrameFormat>) -> Self {
        Self { folder: folder.to_owned(), format, times: Vec::new(), obstacles: false }
    }

    /// Takes up the frames of a run, of which `frames` are kept. A format that was not asked for
    /// before begins with its first frame.
    ///
    /// # Errors
    /// If there are frames and their index cannot be read.
    pub fn resume(
        folder: &Path,
        format: Box<dyn FrameFormat>,
        frames: u64,
    ) -> Result<Self, OutputError> {
        let mut writer = Self::create(folder, format);
        let kept = (0..frames as usize).take_while(|&n| folder.join(writer.name(n)).exists());
        let kept = kept.count();
        writer.times = match writer.format.index() {
            Some(index) if kept > 0 => {
                let path = folder.join(format!("{INDEX}.{}", index.ending()));
                let text = fs::read_to_string(&path).map_err(io("read", &path))?;
                index.times(&text).into_iter().take(kept).collect()
            }
            _ => vec![f64::NAN; kept],
        };
        Ok(writer)
    }

    /// How many frames there are.
    pub fn frames(&self) -> u64 {
        self.times.len() as u64
    }

    /// Writes the surfaces of obstacles that stand still, once, each with its number in the
    /// scene.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write_obstacles(&mut self, obstacles: &[(u32, &TriMesh)]) -> Result<(), OutputError> {
        let path = self.folder.join(self.obstacles_name());
        fs::write(&path, self.format.obstacles(obstacles)).map_err(io("write", &path))?;
        self.obstacles = true;
        Ok(())
    }

    /// Writes a frame, and the index up to it.
    ///
    /// # Errors
    /// If the system refuses.
    ///
    /// # Panics
    /// If there is not one velocity for each point.
    pub fn write(&mut self, frame: &Frame<'_>) -> Result<(), OutputError> {
        assert_eq!(frame.points.len(), frame.velocities.len(), "one velocity a point");
        let path = self.folder.join(self.name(self.times.len()));
        fs::write(&path, self.format.frame(frame)).map_err(io("write", &path))?;
        self.times.push(frame.time);
        self.write_index()
    }

    fn write_index(&self) -> Result<(), OutputError> {
        let Some(index) = self.format.index() else { return Ok(()) };
        let frames = self.times.iter().enumerate().map(|(n, &time)| (time, self.name(n)));
        let frames: Vec<(f64, String)> = frames.collect();
        let obstacles = self.obstacles.then(|| self.obstacles_name());
        let path = self.folder.join(format!("{INDEX}.{}", index.ending()));
        write_atomically(&path, index.text(&frames, obstacles.as_deref()).as_bytes())
    }

    fn name(&self, number: usize) -> String {
        format!("{FRAME}{number:06}.{}", self.format.ending())
    }

    fn obstacles_name(&self) -> String {
        format!("{OBSTACLES}.{}", self.format.ending())
    }
}

#[cfg(test)]
mod tests {
    use super::topology::tests::{POINTS, topology};
    use super::*;

    fn run(folder: &Path, writer: &mut FrameWriter, times: &[f64]) -> Vec<(String, Vec<u8>)> {
        let wall = TriMesh { positions: POINTS.to_vec(), triangles: vec![[0, 1, 2]] };
        writer.write_obstacles(&[(0, &wall)]).expect("the folder can be written");
        for &time in times {
            let frame = Frame { time, points: &POINTS, velocities: &POINTS };
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
    fn resumed_frames_are_those_of_an_uninterrupted_run() {
        type Make = fn() -> Box<dyn FrameFormat>;
        let formats: [(Make, usize); 2] =
            [(|| Box::new(Vtu::new(&topology())), 6), (|| Box::new(Ply::new(&topology())), 5)];
        let times = [0.0, 1.0 / 60.0, 2.0 / 60.0, 0.1 + 0.2];
        for (format, files) in formats {
            let [whole, killed] = [0, 1].map(|_| tempfile::tempdir().expect("a temporary folder"));
            let (whole, killed) = (whole.path(), killed.path());
            let expected = run(whole, &mut FrameWriter::create(whole, format()), &times);
            assert_eq!(expected.len(), files, "four frames, obstacles, and an index if it has one");
            run(killed, &mut FrameWriter::create(killed, format()), &times[..3]);
            let mut writer = FrameWriter::resume(killed, format(), 2).expect("frames are there");
            assert_eq!(writer.frames(), 2);
            assert_eq!(run(killed, &mut writer, &times[2..]), expected);
        }
    }

    #[test]
    fn a_format_that_is_new_to_a_run_begins_and_a_lost_index_is_an_error() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let vtu = || Box::new(Vtu::new(&topology()));
        let ply = Box::new(Ply::new(&topology()));
        run(folder.path(), &mut FrameWriter::create(folder.path(), vtu()), &[0.0, 0.5]);
        let resumed = FrameWriter::resume(folder.path(), ply, 2).expect("nothing is lost");
        assert_eq!(resumed.frames(), 0);
        fs::remove_file(folder.path().join("frames.pvd")).expect("it is there");
        assert!(FrameWriter::resume(folder.path(), vtu(), 2).is_err());
    }
}
