//! Point caches, PC2 and MDD: vertex positions of one mesh, sample by sample.
//!
//! A cache has no triangles; they come from a separate mesh file, and only the number of vertices can be
//! compared. PC2 (Point Cache 2, of 3ds Max) is little-endian and counts time in frames; MDD (Motion Designer
//! data, of `LightWave`) is big-endian and has seconds. Both have coordinates in single precision.

use super::cursor::{Cursor, Encoding, SyntaxError};
use super::{MeshFileError, read_all};
use resile_math::Vec3;
use std::io::Read;

/// Length of the coordinates of a point.
const POINT_BYTES: u64 = 12;
/// Length of a time.
const TIME_BYTES: u64 = 4;
/// The first bytes of a PC2 file.
const PC2: &[u8; 12] = b"POINTCACHE2\0";

/// Time unit of a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheTime {
    /// Frames, whose duration is given elsewhere.
    Frames,
    /// Seconds.
    Seconds,
}

/// Samples of the vertices of one mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct PointCache {
    /// Time of each sample, relative to the first. Not checked to ascend.
    pub times: Vec<f64>,
    /// Unit of `times`.
    pub unit: CacheTime,
    /// Vertex positions of each sample; all lists have the same nonzero length.
    pub samples: Vec<Vec<Vec3>>,
}

/// Reads a PC2 file.
///
/// # Errors
/// If it is not a PC2 file, is truncated, has data after its last sample, has no samples or vertices, has
/// numbers that are not finite, or has a sample interval that is not positive.
pub fn read_pc2(reader: impl Read) -> Result<PointCache, MeshFileError> {
    let bytes = read_all(reader)?;
    let mut cursor = Cursor::new(&bytes);
    cursor.encoding = Encoding::LittleEndian;
    if !bytes.starts_with(PC2) {
        return Err(cursor.unexpected("`POINTCACHE2` and a zero byte").into());
    }
    cursor.advance(PC2.len());
    let start = cursor.offset();
    if cursor.integer("the version, 1")? != 1 {
        cursor.rewind_to(start);
        return Err(cursor.unexpected("the version, 1").into());
    }
    let vertices = cursor.natural("the number of vertices")?;
    let _first_frame = read_single(&mut cursor, "the number of the first frame")?;
    const SAMPLE_INTERVAL: &str = "the number of frames from sample to sample, above 0";
    let start = cursor.offset();
    let interval = read_single(&mut cursor, SAMPLE_INTERVAL)?;
    if !(interval > 0.0 && interval.is_finite()) {
        cursor.rewind_to(start);
        return Err(cursor.unexpected(SAMPLE_INTERVAL).into());
    }
    let samples = cursor.natural("the number of samples")?;
    let samples = read_samples(&mut cursor, samples, vertices)?;
    let times = (0..samples.len()).map(|k| k as f64 * interval).collect();
    Ok(PointCache { times, unit: CacheTime::Frames, samples })
}

/// Reads an MDD file.
///
/// # Errors
/// If it is truncated, has data after its last sample, has no samples or vertices, or has numbers that
/// are not finite.
pub fn read_mdd(reader: impl Read) -> Result<PointCache, MeshFileError> {
    let bytes = read_all(reader)?;
    let mut cursor = Cursor::new(&bytes);
    cursor.encoding = Encoding::BigEndian;
    let samples = cursor.natural("the number of samples")?;
    let vertices = cursor.natural("the number of vertices")?;
    cursor.expect_bytes("samples", samples, TIME_BYTES + POINT_BYTES * vertices)?;
    let mut times = Vec::new();
    for _ in 0..samples {
        let start = cursor.offset();
        const TIME: &str = "the time of a sample, a finite number";
        let time = read_single(&mut cursor, TIME)?;
        if !time.is_finite() {
            cursor.rewind_to(start);
            return Err(cursor.unexpected(TIME).into());
        }
        times.push(time);
    }
    let samples = read_samples(&mut cursor, samples, vertices)?;
    let first = times[0];
    times.iter_mut().for_each(|time| *time -= first);
    Ok(PointCache { times, unit: CacheTime::Seconds, samples })
}

/// Reads the coordinates of all samples, which extend to the end of the file.
///
/// # Errors
/// If there are no samples or no vertices, the file is shorter or longer, or a coordinate is not finite.
fn read_samples(
    cursor: &mut Cursor<'_>,
    sample_count: u64,
    vertex_count: u64,
) -> Result<Vec<Vec<Vec3>>, MeshFileError> {
    if sample_count == 0 {
        return Err(MeshFileError::Missing { what: "samples" });
    }
    if vertex_count == 0 {
        return Err(MeshFileError::Missing { what: "vertices" });
    }
    cursor.expect_bytes("samples", sample_count, POINT_BYTES * vertex_count)?;
    // The counts fit `usize` because their bytes exist.
    let (sample_count, vertex_count) = (sample_count as usize, vertex_count as usize);
    let mut samples = Vec::with_capacity(sample_count);
    for sample in 0..sample_count {
        let points = read_points(cursor, vertex_count);
        samples.push(points.map_err(|error| match error {
            error @ MeshFileError::NotFinite { .. } => {
                error.within(format!("sample {sample}, counted from 0"))
            }
            error => error,
        })?);
    }
    match cursor.remaining().len() as u64 {
        0 => Ok(samples),
        extra => {
            let announced = POINT_BYTES * (sample_count * vertex_count) as u64;
            Err(MeshFileError::CountMismatch {
                what: "bytes of coordinates",
                announced,
                found: announced + extra,
            })
        }
    }
}

/// Reads the points of a sample.
///
/// # Errors
/// If the file ends before, or a coordinate is not finite.
fn read_points(cursor: &mut Cursor<'_>, vertex_count: usize) -> Result<Vec<Vec3>, MeshFileError> {
    let mut points = Vec::with_capacity(vertex_count);
    for vertex in 0..vertex_count {
        let mut coordinate = || read_single(cursor, "a coordinate");
        let point = Vec3::new(coordinate()?, coordinate()?, coordinate()?);
        if !point.is_finite() {
            return Err(MeshFileError::NotFinite { vertex });
        }
        points.push(point);
    }
    Ok(points)
}

/// Reads a number in single precision.
fn read_single(cursor: &mut Cursor<'_>, expected: &'static str) -> Result<f64, SyntaxError> {
    cursor.read_real(super::number::Scalar::F32, expected)
}
