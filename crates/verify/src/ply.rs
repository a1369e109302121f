//! Reader of one `.ply` frame of surfaces, with validation of all its contents.
//!
//! The reader handles the files of `resile-record`, whose properties are always the same, and shares no code with it. A
//! face and an edge belong to the body of their vertices; vertices without either are particles.

use crate::FrameError;
use crate::grid::{Cells, Grid, LINE, TRIANGLE, VERTEX, format};
use resile_files::Folder;
use std::io::{self, Read as _};

/// Extension of frames.
pub(crate) const EXTENSION: &str = ".ply";
/// Upper bound of the header's length; our headers are much shorter.
const MAX_HEADER_BYTES: usize = 1 << 12;
/// Last line of a header.
const HEADER_END: &str = "end_header\n";
/// Bytes of a vertex: position and velocity in single precision, colour, number of the body.
const VERTEX_BYTES: usize = 6 * 4 + 3 + 4;
/// Offset of the number of the body in a vertex.
const BODY_OFFSET: usize = 6 * 4 + 3;
/// Bytes of a triangle: the number of its corners and their indices.
const TRIANGLE_BYTES: usize = 1 + 3 * 4;
/// Bytes of an edge: the indices of its ends.
const EDGE_BYTES: usize = 2 * 4;

/// The header of a file: its length, the time, and the numbers of vertices, triangles and edges.
struct Header {
    length: usize,
    time: f64,
    counts: [usize; 3],
}

impl Header {
    /// Parses the header at the beginning of a file, which must have all properties of a frame.
    fn parse(begin: &[u8]) -> Result<Self, FrameError> {
        let begin = &begin[..begin.len().min(MAX_HEADER_BYTES)];
        let end = begin.windows(HEADER_END.len()).position(|w| w == HEADER_END.as_bytes());
        let end = end.ok_or_else(|| format("it has no header of a PLY file"))? + HEADER_END.len();
        let header = str::from_utf8(&begin[..end]).map_err(|_| format("its header is no text"))?;
        let after = |start: &str| {
            let mut lines = header.lines().filter_map(|line| line.strip_prefix(start));
            lines.next().ok_or_else(|| format(format!("its header lacks \"{start}\"")))
        };
        let time_text = after("comment time ")?;
        let time = time_text.strip_suffix(" s").and_then(|text| text.parse().ok());
        let time = time.ok_or_else(|| format(format!("its time is \"{time_text}\"")))?;
        let count = |element: &str| -> Result<usize, FrameError> {
            let text = after(element)?;
            text.parse().map_err(|_| format(format!("its number of elements is \"{text}\"")))
        };
        let counts = [count("element vertex ")?, count("element face ")?, count("element edge ")?];
        match header == expected_header(time_text, counts) {
            true => Ok(Self { length: end, time, counts }),
            false => Err(format("its properties are not those of a frame")),
        }
    }

    /// Length of the file (bytes).
    fn file_length(&self) -> u64 {
        let [vertices, triangles, edges] = self.counts.map(|count| count as u64);
        let parts = [
            self.length as u64,
            vertices.saturating_mul(VERTEX_BYTES as u64),
            triangles.saturating_mul(TRIANGLE_BYTES as u64),
            edges.saturating_mul(EDGE_BYTES as u64),
        ];
        parts.into_iter().fold(0, u64::saturating_add)
    }
}

/// The header of a frame with this time and these numbers of vertices, triangles and edges.
fn expected_header(time: &str, [vertices, triangles, edges]: [usize; 3]) -> String {
    format!(
        "ply\nformat binary_little_endian 1.0\ncomment time {time}\nelement vertex {vertices}\n\
         property float x\nproperty float y\nproperty float z\n\
         property float vx\nproperty float vy\nproperty float vz\n\
         property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uint body\n\
         element face {triangles}\nproperty list uchar uint vertex_indices\n\
         element edge {edges}\nproperty uint vertex1\nproperty uint vertex2\nend_header\n"
    )
}

/// The time (s) of a file in the folder of frames.
pub(crate) fn time(frames: &Folder, name: &str) -> Result<f64, FrameError> {
    let mut begin = Vec::new();
    frames.open_file(name)?.take(MAX_HEADER_BYTES as u64).read_to_end(&mut begin)?;
    Ok(Header::parse(&begin)?.time)
}

/// Reads a file in the folder of frames, if it has the length that follows from its header.
pub(crate) fn read(frames: &Folder, name: &str) -> Result<Grid, FrameError> {
    let mut file = frames.open_file(name)?;
    let mut bytes = Vec::new();
    (&mut file).take(MAX_HEADER_BYTES as u64).read_to_end(&mut bytes)?;
    let (header, found) = (Header::parse(&bytes)?, file.length()?);
    let expected = header.file_length();
    if found > expected {
        return Err(FrameError::Longer { expected, found });
    }
    if found < expected {
        return Err(FrameError::Cut { name: "vertex, face, edge".to_owned(), expected, found });
    }
    let remaining = found.saturating_sub(bytes.len() as u64);
    bytes.try_reserve_exact(remaining as usize).map_err(io::Error::from)?;
    file.take(remaining).read_to_end(&mut bytes)?;
    parse(&header, &bytes)
}

/// Parses and validates the contents of a file with this header.
///
/// # Errors
/// If it is truncated, a face is no triangle, a cell has a vertex that does not exist or vertices of several bodies, or a
/// point is not finite.
fn parse(header: &Header, file: &[u8]) -> Result<Grid, FrameError> {
    let [vertex_count, triangle_count, edge_count] = header.counts;
    let truncated = || format("it ends within its elements");
    let data = file.get(header.length..).ok_or_else(truncated)?;
    let (vertices, data) =
        data.split_at_checked(vertex_count * VERTEX_BYTES).ok_or_else(truncated)?;
    let (triangles, edges) =
        data.split_at_checked(triangle_count * TRIANGLE_BYTES).ok_or_else(truncated)?;
    let edges = edges.get(..edge_count * EDGE_BYTES).ok_or_else(truncated)?;
    let vertices: Vec<Vertex> =
        vertices.as_chunks::<VERTEX_BYTES>().0.iter().map(Vertex::parse).collect();
    let mut cells = CellsOfBodies::new(&vertices);
    for triangle in triangles.as_chunks::<TRIANGLE_BYTES>().0 {
        let [corner_count, corners @ ..] = triangle;
        if *corner_count != 3 {
            return Err(format(format!("it has a face of {corner_count} corners")));
        }
        cells.add(TRIANGLE, &words(corners))?;
    }
    for edge in edges.as_chunks::<EDGE_BYTES>().0 {
        cells.add(LINE, &words(edge))?;
    }
    let cells = cells.with_particles();
    let points: Vec<[f32; 3]> = vertices.iter().map(|vertex| vertex.position).collect();
    match points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        Some(point) => Err(FrameError::NotFinite { point, position: points[point] }),
        None => {
            let velocities = vertices.iter().map(|vertex| vertex.velocity).collect();
            Ok(Grid { points, velocities, cells })
        }
    }
}

/// A vertex of a file.
struct Vertex {
    /// Position (m).
    position: [f32; 3],
    /// Velocity (m/s).
    velocity: [f32; 3],
    body: u32,
}

impl Vertex {
    fn parse(bytes: &[u8; VERTEX_BYTES]) -> Self {
        let real = |k: usize| f32::from_bits(word(&bytes[4 * k..]));
        Self {
            position: [0, 1, 2].map(real),
            velocity: [3, 4, 5].map(real),
            body: word(&bytes[BODY_OFFSET..]),
        }
    }
}

/// The cells of a file under construction.
struct CellsOfBodies<'a> {
    vertices: &'a [Vertex],
    cells: Cells,
    /// Whether a vertex has a cell.
    is_used: Vec<bool>,
}

impl<'a> CellsOfBodies<'a> {
    fn new(vertices: &'a [Vertex]) -> Self {
        Self { vertices, cells: Cells::default(), is_used: vec![false; vertices.len()] }
    }

    /// Adds a cell of this VTK type with these vertices, which must belong to one body.
    fn add(&mut self, kind: u8, corners: &[u32]) -> Result<(), FrameError> {
        let (cell, points) = (self.cells.len(), self.vertices.len());
        let mut body = None;
        for &point in corners {
            let vertex = self.vertices.get(point as usize);
            let vertex = vertex.ok_or(FrameError::NoPoint { cell, point, points })?;
            if *body.get_or_insert(vertex.body) != vertex.body {
                return Err(format(format!("its cell {cell} has vertices of several bodies")));
            }
            self.is_used[point as usize] = true;
        }
        self.cells.add(kind, corners, body.unwrap_or_default());
        Ok(())
    }

    /// The cells, with a cell for each vertex that has none.
    fn with_particles(mut self) -> Cells {
        for (point, vertex) in (0..).zip(self.vertices) {
            if !self.is_used[point as usize] {
                self.cells.add(VERTEX, &[point], vertex.body);
            }
        }
        self.cells
    }
}

/// The first four bytes as an unsigned integer.
fn word(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// Bytes as unsigned integers.
fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of a triangle of body 2, an edge of body 3 and a particle of body 4.
    fn file(corner: u32, x: f32) -> Vec<u8> {
        let mut file = expected_header("0.25 s", [6, 1, 1]).into_bytes();
        for (k, body) in [2u32, 2, 2, 3, 3, 4].into_iter().enumerate() {
            let numbers = [x, k as f32, 0.5, 1.0, 2.0, 3.0];
            file.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            file.extend([9, 9, 9]);
            file.extend(body.to_le_bytes());
        }
        file.push(3);
        file.extend([0, 1, corner].iter().flat_map(|corner: &u32| corner.to_le_bytes()));
        file.extend([3, 4].iter().flat_map(|end: &u32| end.to_le_bytes()));
        file
    }

    fn parsed(file: &[u8]) -> Result<Grid, FrameError> {
        parse(&Header::parse(file)?, file)
    }

    #[test]
    fn surfaces_edges_and_particles_are_read_with_their_bodies() {
        let file = file(2, 1.5);
        let header = Header::parse(&file).expect("a header");
        assert_eq!((header.time, header.file_length()), (0.25, file.len() as u64));
        let grid = parsed(&file).expect("a frame");
        assert_eq!((grid.points[4], grid.velocities[5]), ([1.5, 4.0, 0.5], [1.0, 2.0, 3.0]));
        let cells: Vec<_> =
            grid.cells.iter().map(|cell| (cell.kind, cell.nodes.to_vec(), cell.body)).collect();
        let expected = [(TRIANGLE, vec![0, 1, 2], 2), (LINE, vec![3, 4], 3), (VERTEX, vec![5], 4)];
        assert_eq!(cells, expected);
    }

    #[test]
    fn damaged_surfaces_are_refused() {
        let message = |file: &[u8]| match parsed(file) {
            Ok(_) => panic!("it is read"),
            Err(error) => error.to_string(),
        };
        assert!(message(&file(6, 0.0)).contains("names point 6"));
        assert!(message(&file(3, 0.0)).contains("several bodies"));
        assert!(message(&file(2, f32::NAN)).contains("its point 0 is at"));
        let whole = file(2, 0.0);
        assert!(message(&whole[..whole.len() - 1]).contains("it ends within"));
        let text = String::from_utf8_lossy(&whole).replace("property uint body\n", "");
        assert!(message(text.as_bytes()).contains("its properties"));
    }
}
