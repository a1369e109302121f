//! A frame and its reader: of a `.vtu` file, with validation of all its contents.
//!
//! The reader handles the files of `resile-record` and shares no code with it. The header lists the arrays,
//! which follow it as raw bytes, each after its length. Every index and length is validated here, so that later
//! code can rely on them.

use crate::{FrameError, ply};
use resile_files::{File, Folder};
use std::io::{self, Read as _, Seek as _, SeekFrom};

/// VTK's type codes of cells, with the number of their nodes.
const KINDS: [(u8, usize); 4] = [(VERTEX, 1), (LINE, 2), (TRIANGLE, 3), (TETRAHEDRON, 4)];
pub(crate) const VERTEX: u8 = 1;
pub(crate) const LINE: u8 = 3;
pub(crate) const TRIANGLE: u8 = 5;
pub(crate) const TETRAHEDRON: u8 = 10;

/// Text between the header and the arrays.
const MARKER: &[u8] = b"<AppendedData encoding=\"raw\">\n_";
/// Upper bound of the header's length; our headers are much shorter.
const MAX_HEADER_BYTES: usize = 1 << 16;
/// Upper bound of the number of bytes after the arrays.
const MAX_TRAILER_BYTES: u64 = 1 << 12;

/// A grid of points and cells.
#[derive(Debug)]
pub(crate) struct Grid {
    /// Positions exactly as in the file (m), all finite.
    pub(crate) points: Vec<[f32; 3]>,
    /// Velocities of the points (m/s), possibly not finite; empty if the file has none.
    pub(crate) velocities: Vec<[f32; 3]>,
    pub(crate) cells: Cells,
}

/// The cells of a grid; all node indices are valid.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Cells {
    nodes: Vec<u32>,
    /// End of each cell in `nodes`.
    ends: Vec<u32>,
    kinds: Vec<u8>,
    /// Number of the body or obstacle of each cell.
    bodies: Vec<u32>,
}

/// A cell of a grid: its VTK type, node indices, and the index of its body or obstacle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell<'a> {
    pub(crate) kind: u8,
    pub(crate) nodes: &'a [u32],
    pub(crate) body: u32,
}

impl Cells {
    /// Adds a cell of a VTK type.
    pub(crate) fn add(&mut self, kind: u8, nodes: &[u32], body: u32) {
        self.nodes.extend_from_slice(nodes);
        self.ends.push(self.nodes.len() as u32);
        self.kinds.push(kind);
        self.bodies.push(body);
    }

    /// Number of cells.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// One more than the largest body number below `limit`; higher numbers are not simulated, only drawn.
    pub(crate) fn bodies(&self, limit: usize) -> usize {
        let bodies = self.bodies.iter().map(|&body| body as usize);
        bodies.filter(|&body| body < limit).max().map_or(0, |last| last + 1)
    }

    /// The cells in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Cell<'_>> {
        let mut start = 0;
        (0..self.len()).map(move |i| {
            let end = self.ends[i] as usize;
            let nodes = &self.nodes[start..end];
            start = end;
            Cell { kind: self.kinds[i], nodes, body: self.bodies[i] }
        })
    }

    /// Checks that all arrays have one entry per cell, and that all node indices are below `points`.
    fn check(&self, points: usize) -> Result<(), FrameError> {
        if self.ends.len() != self.len() || self.bodies.len() != self.len() {
            return Err(format("its arrays of cells have different lengths"));
        }
        let mut start = 0;
        for (cell, (&end, &kind)) in self.ends.iter().zip(&self.kinds).enumerate() {
            let nodes = self.nodes.get(start..end as usize);
            let nodes = nodes.ok_or_else(|| format(format!("cell {cell} has no end")))?;
            if !KINDS.contains(&(kind, nodes.len())) {
                let count = nodes.len();
                return Err(format(format!("cell {cell} is of kind {kind} with {count} nodes")));
            }
            if let Some(&point) = nodes.iter().find(|&&node| node as usize >= points) {
                return Err(FrameError::NoPoint { cell, point, points });
            }
            start = end as usize;
        }
        Ok(())
    }
}

/// Reads a file in the folder of frames, `.vtu` or `.ply`, if it has the length announced by its header.
pub(crate) fn read(frames: &Folder, name: &str) -> Result<Grid, FrameError> {
    if name.ends_with(ply::EXTENSION) {
        return ply::read(frames, name);
    }
    let mut file = frames.open_file(name)?;
    let mut bytes = Vec::new();
    (&mut file).take(MAX_HEADER_BYTES as u64).read_to_end(&mut bytes)?;
    let (expected, length) = (announced_length(&bytes, &file)?, file.length()?);
    if length > expected.saturating_add(MAX_TRAILER_BYTES) {
        return Err(FrameError::Longer { expected, found: length });
    }
    let remaining = length.saturating_sub(bytes.len() as u64);
    bytes.try_reserve_exact(remaining as usize).map_err(io::Error::from)?;
    file.seek(SeekFrom::Start(bytes.len() as u64))?;
    file.take(remaining).read_to_end(&mut bytes)?;
    parse(&bytes)
}

/// End of the last array according to the header and the lengths before the arrays.
fn announced_length(begin: &[u8], mut file: &File) -> Result<u64, FrameError> {
    let Arrays { header, data } = Arrays::find(begin)?;
    let data_start = (begin.len() - data.len()) as u64;
    let mut end = data_start;
    for element in header.split('<') {
        let offset = attribute(element, "offset").and_then(|text| text.parse::<u64>().ok());
        let Some(offset) = offset else { continue };
        let start = data_start.saturating_add(offset);
        let mut length = [0; 8];
        // A truncated array is reported when it is read.
        let read = file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut length));
        if read.is_ok() {
            let array = 8u64.saturating_add(u64::from_le_bytes(length));
            end = end.max(start.saturating_add(array));
        }
    }
    Ok(end)
}

/// Parses and validates the contents of a file.
///
/// # Errors
/// If an array is missing, malformed or of another length than announced, a cell is invalid, or a point is not finite.
fn parse(file: &[u8]) -> Result<Grid, FrameError> {
    let arrays = Arrays::find(file)?;
    arrays.check_lengths()?;
    let coordinates: Vec<f32> =
        arrays.words("points", "Float32")?.map(f32::from_le_bytes).collect();
    let (points, remainder) = coordinates.as_chunks::<3>();
    if !remainder.is_empty() {
        return Err(format("its points do not have three coordinates each"));
    }
    arrays.check_count("NumberOfPoints", points.len())?;
    let cells = Cells {
        nodes: arrays.numbers("connectivity")?,
        ends: arrays.numbers("offsets")?,
        kinds: arrays.bytes("types", "UInt8")?.to_vec(),
        bodies: arrays.numbers("body")?,
    };
    arrays.check_count("NumberOfCells", cells.len())?;
    cells.check(points.len())?;
    let is_finite = |p: &[f32; 3]| p.iter().all(|x| x.is_finite());
    match points.iter().position(|p| !is_finite(p)) {
        Some(point) => Err(FrameError::NotFinite { point, position: points[point] }),
        None => Ok(Grid { points: points.to_vec(), velocities: velocities(&arrays)?, cells }),
    }
}

/// Velocities of the points (m/s); empty if the file has none.
fn velocities(arrays: &Arrays<'_>) -> Result<Vec<[f32; 3]>, FrameError> {
    if !arrays.has("velocity") {
        return Ok(Vec::new());
    }
    let flat: Vec<f32> = arrays.words("velocity", "Float32")?.map(f32::from_le_bytes).collect();
    Ok(flat.as_chunks::<3>().0.to_vec())
}

/// An error about the format of a file.
pub(crate) fn format(what: impl Into<String>) -> FrameError {
    FrameError::Format { what: what.into() }
}

/// A file split into its header and its arrays.
struct Arrays<'a> {
    header: &'a str,
    data: &'a [u8],
}

impl<'a> Arrays<'a> {
    /// Finds the header and the appended data of a file.
    fn find(file: &'a [u8]) -> Result<Self, FrameError> {
        let begin = &file[..file.len().min(MAX_HEADER_BYTES)];
        let end = begin.windows(MARKER.len()).position(|window| window == MARKER);
        let end = end.ok_or_else(|| format("it has no header that ends in appended raw data"))?;
        let header = str::from_utf8(&file[..end]).map_err(|_| format("its header is no text"))?;
        for needed in ["UnstructuredGrid", "byte_order=\"LittleEndian\"", "header_type=\"UInt64\""]
        {
            if !header.contains(needed) {
                return Err(format(format!("its header lacks {needed}")));
            }
        }
        Ok(Self { header, data: &file[end + MARKER.len()..] })
    }

    /// Checks a count of the header against the number found.
    fn check_count(&self, what: &str, count: usize) -> Result<(), FrameError> {
        let piece = self.header.split('<').find(|element| element.starts_with("Piece"));
        let announced = piece.and_then(|piece| attribute(piece, what)?.parse::<usize>().ok());
        if announced == Some(count) {
            return Ok(());
        }
        Err(format(format!(
            "its header says {what}=\"{}\" and there are {count}",
            announced.unwrap_or(0)
        )))
    }

    /// The XML element of an array.
    fn element(&self, name: &str) -> Option<&'a str> {
        let mut elements = self.header.split('<').filter(|e| e.starts_with("DataArray"));
        elements.find(|element| attribute(element, "Name") == Some(name))
    }

    /// Whether the file has an array of this name.
    fn has(&self, name: &str) -> bool {
        self.element(name).is_some()
    }

    /// The bytes of an array, whose type must be `kind`.
    fn bytes(&self, name: &str, kind: &str) -> Result<&'a [u8], FrameError> {
        let element =
            self.element(name).ok_or_else(|| format(format!("it has no array \"{name}\"")))?;
        if attribute(element, "type") != Some(kind) {
            return Err(format(format!("its array \"{name}\" is not of type {kind}")));
        }
        self.content(element, name)
    }

    /// Checks that no array is truncated, including those that are not used here.
    fn check_lengths(&self) -> Result<(), FrameError> {
        let mut elements = self.header.split('<').filter(|e| e.starts_with("DataArray"));
        elements.try_for_each(|element| {
            let name = attribute(element, "Name").unwrap_or_default();
            self.content(element, name).map(drop)
        })
    }

    /// Bytes of the array of an XML element.
    fn content(&self, element: &str, name: &str) -> Result<&'a [u8], FrameError> {
        let offset = attribute(element, "offset").and_then(|text| text.parse::<usize>().ok());
        let offset = offset.ok_or_else(|| format(format!("its array \"{name}\" is nowhere")))?;
        let cut = |expected: u64| FrameError::Cut {
            name: name.to_owned(),
            expected,
            found: self.data.len().saturating_sub(offset.saturating_add(8)) as u64,
        };
        let (length, array) = self
            .data
            .get(offset..)
            .and_then(|rest| rest.split_first_chunk::<8>())
            .ok_or_else(|| cut(8))?;
        let length = u64::from_le_bytes(*length);
        let byte_count = usize::try_from(length).ok();
        byte_count.and_then(|length| array.get(..length)).ok_or_else(|| cut(length))
    }

    /// The four-byte words of an array, whose type must be `kind`.
    fn words(
        &self,
        name: &str,
        kind: &str,
    ) -> Result<impl Iterator<Item = [u8; 4]> + use<'a>, FrameError> {
        let (words, rest) = self.bytes(name, kind)?.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(format(format!("its array \"{name}\" does not have four bytes a number")));
        }
        Ok(words.iter().copied())
    }

    /// The entries of an array of unsigned integers.
    fn numbers(&self, name: &str) -> Result<Vec<u32>, FrameError> {
        Ok(self.words(name, "UInt32")?.map(u32::from_le_bytes).collect())
    }
}

/// Value of an attribute of an XML element.
pub(crate) fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let from_value = element.split_once(&format!(" {name}=\""))?.1;
    Some(from_value.split_once('"')?.0)
}
