//! Playback of a run: bodies, frames, history.
//!
//! Frames are read on demand, one at a time. The run may still be in progress: its index names complete
//! frames only, and [`Playback::refresh`] finds new ones.

mod arrays;
mod between;
mod bodies;
mod captions;
mod error;
mod index;
mod scalar;
#[cfg(test)]
mod tests;

pub use bodies::PlayedBody;
pub use error::{Damage, PlaybackError};
pub use scalar::VertexScalar;

use crate::atomic::{MAX_NOTE_BYTES, NO_LIMIT};
use crate::originals::{ListEntry, ORIGINALS};
use crate::{Columns, Original, OutputError, Role, RunFolder};
use arrays::{Arrays, Section};
use bodies::{BodiesOfFile, RawCells};
use index::Index;
use resile_files::Folder;
use resile_math::Vec3;
use resile_math::units::Units;
use std::io;
use std::path::PathBuf;

/// The unit that frames have for quantities without one.
const DIMENSIONLESS: &str = "1";

/// A recorded run.
///
/// ```no_run
/// let run = resile_record::Playback::open("out/first").unwrap();
/// for index in 0..run.times().len() {
///     let frame = run.frame(index).unwrap();
///     for body in run.bodies() {
///         let positions = &frame.positions[body.vertices.clone()];
///         println!("{} at {} s: {positions:?}", body.name, frame.time);
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Playback {
    folder: RunFolder,
    /// Times of the frames (s).
    times: Vec<f64>,
    /// Names of the files of the frames.
    files: Vec<String>,
    /// Cells that every frame must have.
    cells: RawCells,
    /// Number of points that every frame must have.
    points: usize,
    /// For each drawn vertex, its point in a frame file.
    vertices: Vec<u32>,
    bodies: Vec<PlayedBody>,
    /// Tetrahedra of each body, by points of a frame file.
    tets: Vec<Vec<[u32; 4]>>,
    still: Vec<StillBody>,
    gravity: Option<[f64; 3]>,
    /// The chosen upward direction; by default it is opposite to gravity.
    up: Option<[f64; 3]>,
    /// Names of fields with their units.
    units: Vec<(String, String)>,
    scene_units: Units,
}

/// A fixed obstacle, or the drawn piece of a plane.
#[derive(Debug, Clone, PartialEq)]
pub struct StillBody {
    /// Geometry, whose triangles index `positions`. Triangles of planes face the bodies.
    pub body: PlayedBody,
    /// Positions of its vertices (m).
    pub positions: Vec<[f32; 3]>,
}

/// State of the vertices of all bodies at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayedFrame {
    /// Time (s).
    pub time: f64,
    /// Positions of the vertices (m), body by body.
    pub positions: Vec<[f32; 3]>,
    /// Further fields, such as `velocity`.
    pub fields: Vec<PointField>,
}

/// A field over the vertices.
#[derive(Debug, Clone, PartialEq)]
pub struct PointField {
    /// Name of the field.
    pub name: String,
    /// Number of components per vertex.
    pub components: usize,
    /// Values, vertex by vertex.
    pub values: Vec<f32>,
}

impl PlayedFrame {
    /// A field by its name.
    pub fn field(&self, name: &str) -> Option<&PointField> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Playback {
    /// Opens the folder of a run, such as `out/first`, and reads its first frame.
    ///
    /// # Errors
    /// If there are no frames, or files are malformed.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, PlaybackError> {
        let folder = RunFolder::at(folder);
        let index = index::read(&folder)?;
        let (_, first_file) = &index.frames[0];
        let contents = read_file(&frames_folder(&folder)?, first_file, |arrays| {
            let points = read_points(arrays)?.len();
            let bodies = bodies::read_bodies(arrays, points, Role::Body)?;
            Ok((RawCells::new(arrays)?, points, bodies, read_gravity(arrays)?, read_units(arrays)?))
        })?;
        let (cells, points, BodiesOfFile { bodies, vertices, tets }, gravity, units) = contents;
        let still = read_still_bodies(&folder, &index)?;
        let scene_units = folder.units();
        let (times, files) = index.frames.into_iter().unzip();
        Ok(Self {
            folder,
            times,
            files,
            cells,
            points,
            vertices,
            bodies,
            tets,
            still,
            gravity,
            up: None,
            units,
            scene_units,
        })
    }

    /// Reads the index again to find new frames; the drawn pieces of planes may have grown.
    ///
    /// # Errors
    /// If files are malformed.
    pub fn refresh(&mut self) -> Result<(), PlaybackError> {
        let index = index::read(&self.folder)?;
        self.still = read_still_bodies(&self.folder, &index)?;
        (self.times, self.files) = index.frames.into_iter().unzip();
        Ok(())
    }

    /// For each vertex of a frame's bodies, its point in the frame file.
    pub fn points(&self) -> &[u32] {
        &self.vertices
    }

    /// The folder of the run.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// The original mesh of a body or an obstacle, if the run kept one.
    ///
    /// # Errors
    /// If the copy is missing, or belongs to another body.
    pub fn original(&self, body: &PlayedBody) -> Result<Option<Original>, PlaybackError> {
        let frames = frames_folder(&self.folder)?;
        let list_name = format!("{ORIGINALS}.json");
        let file_error = |name: &str, damage| PlaybackError::File {
            path: self.folder.frames().join(name),
            damage,
        };
        let json = match frames.read(&list_name, MAX_NOTE_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            result => result.map_err(|error| file_error(&list_name, error.into()))?,
        };
        let entries: Vec<ListEntry> = serde_json::from_slice(&json)
            .map_err(|error| file_error(&list_name, Damage::format(error.to_string())))?;
        let Some(entry) = entries.iter().find(|entry| entry.bodies.contains(&body.name)) else {
            return Ok(None);
        };
        let name = &entry.file;
        let content = frames.read(name, NO_LIMIT);
        let content = content.map_err(|error| file_error(name, error.into()))?;
        let original = Original::with_vertex_count(&content, body.vertices.len())
            .map_err(|error| file_error(name, Damage::format(error.to_string())))?;
        let used_vertices = original.body_vertex_count();
        if used_vertices != body.vertices.len() {
            let problem = format!(
                "it has {used_vertices} vertices in faces or lines, \"{}\" has {}",
                body.name,
                body.vertices.len()
            );
            return Err(file_error(name, Damage::format(problem)));
        }
        Ok(Some(original))
    }

    /// Bodies and moving obstacles, in the order of their numbers.
    pub fn bodies(&self) -> &[PlayedBody] {
        &self.bodies
    }

    /// Tetrahedra of a solid, by the points of [`all_points_at`](Self::all_points_at); none for other bodies. `body` is
    /// an index of [`bodies`](Self::bodies).
    ///
    /// # Panics
    /// If there is no such body.
    pub fn tetrahedra(&self, body: usize) -> &[[u32; 4]] {
        &self.tets[body]
    }

    /// Fixed obstacles, and drawn pieces of planes.
    pub fn still(&self) -> &[StillBody] {
        &self.still
    }

    /// Times (s) of all frames, ascending.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Gravitational acceleration at the start (m/s^2), if the frames contain it.
    pub fn gravity(&self) -> Option<[f64; 3]> {
        self.gravity
    }

    /// Upward unit vector of images: the chosen one, otherwise the direction opposite to gravity, otherwise y.
    pub fn up(&self) -> [f64; 3] {
        let opposite_to_gravity = self.gravity.and_then(|g| (-Vec3::from_array(g)).try_normalize());
        self.up.unwrap_or_else(|| opposite_to_gravity.unwrap_or(Vec3::Y).to_array())
    }

    /// The same run with this upward direction, a unit vector.
    #[must_use]
    pub fn with_up(mut self, up: Option<[f64; 3]>) -> Self {
        self.up = up;
        self
    }

    /// Unit of a field, if the frames contain it and it has one.
    pub fn unit(&self, field: &str) -> Option<&str> {
        let unit = self.units.iter().find(|(name, _)| name == field).map(|(_, unit)| unit.as_str());
        unit.filter(|unit| *unit != DIMENSIONLESS)
    }

    /// Reads the frame with this index.
    ///
    /// # Errors
    /// If its file is damaged, or belongs to another run.
    ///
    /// # Panics
    /// If there is no frame with this index.
    pub fn frame(&self, index: usize) -> Result<PlayedFrame, PlaybackError> {
        self.read_frame(index, &self.vertices)
    }

    /// As [`frame`](Self::frame), with the values at these points of the frame file, which need not be drawn.
    ///
    /// # Errors
    /// If its file is damaged, or belongs to another run.
    ///
    /// # Panics
    /// If there is no frame with this index, or no such point.
    pub fn frame_at_points(
        &self,
        index: usize,
        points: &[u32],
    ) -> Result<PlayedFrame, PlaybackError> {
        self.read_frame(index, points)
    }

    /// Reads a frame with its values at these points of the frame file.
    fn read_frame(&self, index: usize, points: &[u32]) -> Result<PlayedFrame, PlaybackError> {
        read_file(&frames_folder(&self.folder)?, &self.files[index], |arrays| {
            let file_points = read_points(arrays)?;
            if file_points.len() != self.points || RawCells::new(arrays)? != self.cells {
                return Err(Damage::OtherCells);
            }
            let positions = points.iter().map(|&point| file_points[point as usize]).collect();
            let fields = self.read_fields(arrays, points)?;
            Ok(PlayedFrame { time: self.times[index], positions, fields })
        })
    }

    /// Reads all fields over the points of a frame, at these points of the file.
    fn read_fields(&self, arrays: &Arrays, points: &[u32]) -> Result<Vec<PointField>, Damage> {
        let mut fields = Vec::new();
        for entry in arrays.in_section(Section::PointData) {
            let Some(numbers) = arrays.reals(entry)? else { continue };
            let (name, components) = (entry.name.clone(), entry.components);
            if numbers.len() != components * self.points {
                let problem = format!("its array \"{name}\" has {} numbers", numbers.len());
                return Err(Damage::format(problem));
            }
            let components_of =
                |&point: &u32| numbers[point as usize * components..][..components].iter();
            let values = points.iter().flat_map(components_of).copied().collect();
            fields.push(PointField { name, components, values });
        }
        Ok(fields)
    }

    /// Units of the scene and of the tables of the run; SI if the run has no history. Frames are always in SI.
    pub fn scene_units(&self) -> Units {
        self.scene_units
    }

    /// Reads all rows of `history.csv` that are written so far, in SI.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn history(&self) -> Result<Columns, OutputError> {
        Columns::read(&self.folder.history())
    }
}

/// Opens the folder of frames of a run, which must not be a link.
fn frames_folder(folder: &RunFolder) -> Result<Folder, PlaybackError> {
    let path = folder.frames();
    Folder::open_unlinked(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => index::without_frames(folder.path().to_owned()),
        _ => PlaybackError::File { path, damage: error.into() },
    })
}

/// Opens a file in the folder of frames and extracts a part of its contents.
fn read_file<T>(
    frames: &Folder,
    name: &str,
    extract: impl FnOnce(&Arrays) -> Result<T, Damage>,
) -> Result<T, PlaybackError> {
    let extracted = Arrays::read(frames, name).and_then(|arrays| extract(&arrays));
    extracted.map_err(|damage| PlaybackError::File { path: frames.path().join(name), damage })
}

/// Reads the positions of all points of a file (m).
fn read_points(arrays: &Arrays) -> Result<Vec<[f32; 3]>, Damage> {
    let bytes = arrays.bytes(Section::Points, "points", "Float32")?;
    let (points, remainder) = bytes.as_chunks::<12>();
    if !remainder.is_empty() {
        return Err(Damage::format("its points do not have three coordinates each"));
    }
    let coordinate =
        |b: &[u8; 12], k: usize| f32::from_le_bytes([b[k], b[k + 1], b[k + 2], b[k + 3]]);
    let points: Vec<[f32; 3]> =
        points.iter().map(|b| [0, 4, 8].map(|k| coordinate(b, k))).collect();
    match points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        Some(point) => Err(Damage::NotFinite { point, position: points[point] }),
        None => Ok(points),
    }
}

/// Reads the gravitational acceleration (m/s^2), if the file contains it.
fn read_gravity(arrays: &Arrays) -> Result<Option<[f64; 3]>, Damage> {
    if arrays.find_array(Section::FieldData, "gravity").is_none() {
        return Ok(None);
    }
    let numbers = arrays.doubles(Section::FieldData, "gravity")?;
    Ok(numbers.try_into().ok())
}

/// Reads the names of fields with their units; empty if the file does not contain them.
fn read_units(arrays: &Arrays) -> Result<Vec<(String, String)>, Damage> {
    if arrays.find_array(Section::FieldData, "units").is_none() {
        return Ok(Vec::new());
    }
    let lines = arrays.texts(Section::FieldData, "units")?;
    let pair = |line: &String| line.split_once(": ").map(|(a, b)| (a.to_owned(), b.to_owned()));
    Ok(lines.iter().filter_map(pair).collect())
}

/// Fixed obstacles and planes, in the order of their numbers.
fn read_still_bodies(folder: &RunFolder, index: &Index) -> Result<Vec<StillBody>, PlaybackError> {
    let mut still = Vec::new();
    let frames = frames_folder(folder)?;
    for file in &index.still {
        read_file(&frames, file, |arrays| {
            let points = read_points(arrays)?;
            let contents = bodies::read_bodies(arrays, points.len(), Role::Obstacle)?;
            let BodiesOfFile { bodies, vertices, .. } = contents;
            for mut body in bodies {
                let first_vertex = body.vertices.start as u32;
                let still_vertices = &vertices[body.vertices.clone()];
                let positions =
                    still_vertices.iter().map(|&point| points[point as usize]).collect();
                body.triangles.iter_mut().for_each(|t| *t = t.map(|corner| corner - first_vertex));
                body.edges.iter_mut().for_each(|ends| *ends = ends.map(|end| end - first_vertex));
                body.points.iter_mut().for_each(|point| *point -= first_vertex);
                body.vertices = 0..still_vertices.len();
                still.push(StillBody { body, positions });
            }
            Ok(())
        })?;
    }
    still.sort_by_key(|still_body: &StillBody| still_body.body.number);
    Ok(still)
}
