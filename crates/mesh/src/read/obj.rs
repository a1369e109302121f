//! Wavefront OBJ surfaces, and curves from its lines (`l`).
//!
//! Our own parser: `tobj` renumbers vertices in the order in which faces use them, duplicates them where a
//! group or a material ends, does not locate errors, and accepts NaN as a number. Exported vertices must have
//! the order of the input. Texture coordinates, normals and colours do not matter to mechanics and are not
//! read; a program that wants them back puts new positions into the file itself (`resile-export` does).
//!
//! Groups (`g`), objects (`o`) and materials (`usemtl`) become [`Groups`](super::Groups) by name.

use crate::read::groups::VertexFields;
use crate::read::obj_lines::{KEYWORDS, Unknown, joined_lines};
use crate::read::polygons::{Polygons, Seams, SurfaceMesh};
use crate::read::{InputError, MeshFileError, read_text, without_byte_order_mark};
use crate::{PolylineError, Polylines};
use resile_math::Vec3;
use std::collections::BTreeSet;
use std::io::Read;
use thiserror::Error;

/// Errors of reading an OBJ file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ObjError {
    /// The input could not be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A malformed vertex or face.
    #[error("line {line}: cannot be read as {expected}")]
    Syntax {
        /// Line number, from 1.
        line: usize,
        /// Expected syntax of the line.
        expected: &'static str,
    },
    /// A coordinate is NaN or infinite.
    #[error("line {line}: vertex {vertex} has a coordinate that is not a finite number")]
    NotFinite {
        /// Line number, from 1.
        line: usize,
        /// Vertex number, from 1 as in faces.
        vertex: usize,
    },
    /// A face or a line refers to a vertex that does not exist.
    #[error(
        "line {line}: the {what} refers to vertex {index}, but there are {vertices} vertices \
         (counting starts at 1, or at -1 backwards from the last one so far)"
    )]
    OutOfRange {
        /// Line number, from 1.
        line: usize,
        /// The referring element: a face or a polyline.
        what: &'static str,
        /// Index as written in the file.
        index: i64,
        /// Number of vertices that the index could refer to.
        vertices: usize,
    },
    /// The file has no faces.
    #[error("the file has no faces")]
    NoFaces,
    /// A polyline has fewer than two vertices.
    #[error("line {line}: the polyline has {vertices} vertices; it needs at least 2")]
    TooFewVertices {
        /// Line number, from 1.
        line: usize,
        /// Number of its vertices.
        vertices: usize,
    },
    /// A third segment ends at a vertex.
    #[error("line {line}: a third piece ends at vertex {vertex}, but a curve has no branches")]
    Branch {
        /// Line number of the third segment, from 1.
        line: usize,
        /// Vertex number, from 1.
        vertex: usize,
    },
    /// A segment has no length.
    #[error("line {line}: vertices {} and {} follow each other in the same place", vertices[0], vertices[1])]
    NoLength {
        /// Line number, from 1.
        line: usize,
        /// Vertex numbers of both ends, from 1.
        vertices: [usize; 2],
    },
}

/// Content of an OBJ file.
#[derive(Debug, Clone, PartialEq)]
pub enum ObjMesh {
    /// Faces; polylines beside them are left out.
    Surface(SurfaceMesh),
    /// Polylines without faces: curves.
    Curves {
        /// The curves that the lines form.
        curves: Polylines,
        /// Curve vertex of each vertex of the file; `None` if no polyline uses it.
        vertices: Vec<Option<u32>>,
        /// Colours of the vertices of the curves, if all vertices of the file have one.
        vertex_fields: VertexFields,
    },
}

/// Reads the faces of a file or, if it has only polylines, its curves: segments that share a vertex are joined,
/// wherever they are in the file.
///
/// # Errors
/// As [`read_obj`]; for curves also a segment without length, or a vertex with three segments.
pub fn read_obj_mesh(reader: impl Read, seams: Seams) -> Result<ObjMesh, ObjError> {
    let lines = Lines::new(without_byte_order_mark(&read_text(reader)?))?;
    let curves = !lines.segments.is_empty() || lines.polyline_error.is_some();
    match lines.faces.is_empty() && curves {
        true => lines.curves(),
        false => lines.surface(seams).map(ObjMesh::Surface),
    }
}

/// Reads a surface: all faces of the file as one mesh, polygons triangulated. A convex polygon becomes a fan
/// from its first corner.
///
/// Triangles and vertices are in the file's order, without unused vertices. Exactly coincident boundary
/// vertices are welded. Holes, non-manifold edges and duplicate faces are accepted;
/// [`defects`](crate::TriMesh::defects) counts them.
pub fn read_obj(reader: impl Read) -> Result<SurfaceMesh, ObjError> {
    read_obj_with(reader, Seams::Sewn)
}

/// Reads a surface as [`read_obj`] does, with a choice of seam treatment: seams that open during a motion must not be
/// welded.
pub fn read_obj_with(reader: impl Read, seams: Seams) -> Result<SurfaceMesh, ObjError> {
    Lines::new(without_byte_order_mark(&read_text(reader)?))?.surface(seams)
}

/// Names of the three numbers after a position.
const COLOURS: [&str; 3] = ["red", "green", "blue"];

/// Largest number of groups of a face. The cost of a file is its length times this at most.
const MAX_NAMES: usize = 16;

/// Name and syntax of a kind of line, for messages.
#[derive(Debug, Clone, Copy)]
struct LineKind {
    name: &'static str,
    syntax: &'static str,
}

const FACE: LineKind = LineKind { name: "face", syntax: "a face, f 1 2 3 or f 1/1/1 ..." };
const LINE: LineKind = LineKind { name: "polyline", syntax: "a polyline, l 1 2 3 ..." };

/// Relevant content of a file, line by line.
#[derive(Debug, Default)]
struct Lines {
    positions: Vec<Vec3>,
    /// Red, green and blue of each vertex, if all vertices so far have a colour.
    colours: Vec<[f64; 3]>,
    /// Vertex indices of the corners of each face, from 0.
    faces: Vec<Vec<i64>>,
    /// Vertex indices of the segments of polylines, from 0, each with its line number.
    segments: Vec<([i64; 2], usize)>,
    /// Error of the first invalid polyline.
    polyline_error: Option<ObjError>,
    parts: Vec<NamedPart>,
    unknown: Unknown,
}

/// A line that names a group, an object or a material.
#[derive(Debug)]
struct NamedPart {
    /// Index into [`KEYWORDS`].
    keyword: usize,
    names: Vec<String>,
    /// Index of the first face after the line.
    first: usize,
}

impl Lines {
    /// Parses the lines of a file. Faces may refer to later vertices.
    ///
    /// # Errors
    /// For an invalid vertex, an invalid face or too many names of a group. An invalid polyline is stored instead.
    fn new(bytes: &[u8]) -> Result<Self, ObjError> {
        let mut lines = Self::default();
        // Vertex indices of faces are checked at the end, against the largest vertex number (from 1) and its line.
        let mut largest_number = (0, 0);
        for (line, content) in joined_lines(bytes) {
            let mut words = content.split_ascii_whitespace();
            match words.next() {
                Some("v") => lines.add_vertex(line, words)?,
                Some("f") => {
                    largest_number = largest_number.max((lines.add_face(line, words)?, line));
                }
                Some("l") => lines.add_line(line, words),
                Some(word) => {
                    if let Some(keyword) =
                        KEYWORDS.iter().position(|known_word| *known_word == word)
                    {
                        lines.add_part(line, keyword, words)?;
                    } else {
                        lines.unknown.count_line(line, word);
                    }
                }
                None => {}
            }
        }
        let vertices = lines.positions.len();
        match largest_number {
            (number, _) if number <= vertices => Ok(lines),
            (number, line) => {
                let (what, index) = (FACE.name, number as i64);
                Err(ObjError::OutOfRange { line, what, index, vertices })
            }
        }
    }

    /// Builds the surface of all faces, with groups and colours.
    ///
    /// # Errors
    /// If there are no triangles.
    fn surface(self, seams: Seams) -> Result<SurfaceMesh, ObjError> {
        let Self { positions, colours, faces, parts, unknown, .. } = self;
        let mut polygons = Polygons::new(positions);
        for (k, name) in COLOURS.into_iter().enumerate() {
            let values = colours.iter().map(|colour| colour[k]).collect();
            polygons.vertex_fields.insert(name.to_owned(), values);
        }
        let mut parts = parts.into_iter().peekable();
        let mut current: [Vec<String>; KEYWORDS.len()] = Default::default();
        for (face, corners) in faces.iter().enumerate() {
            while let Some(part) = parts.next_if(|part| part.first <= face) {
                current[part.keyword] = part.names;
            }
            let first = polygons.triangle_count();
            // Indices and corner counts were validated line by line.
            polygons.add(corners).map_err(|_| ObjError::NoFaces)?;
            let triangles = first..polygons.triangle_count();
            let names = current.iter().flatten();
            names.for_each(|name| polygons.add_to_group(name, triangles.clone()));
        }
        let mut surface = polygons.finish(seams).map_err(|error| match error {
            MeshFileError::Input(error) => ObjError::Input(error),
            _ => ObjError::NoFaces,
        })?;
        surface.report.unknown_lines = unknown.into_lines();
        Ok(surface)
    }

    /// Builds the curves of all polylines.
    ///
    /// # Errors
    /// For an invalid polyline, a vertex index that is out of range, a segment without length, or a vertex with three
    /// segments.
    fn curves(mut self) -> Result<ObjMesh, ObjError> {
        if let Some(error) = self.polyline_error.take() {
            return Err(error);
        }
        let degrees = self.vertex_degrees()?;
        let segments: Vec<[u32; 2]> =
            self.segments.iter().map(|(segment, _)| segment.map(|vertex| vertex as u32)).collect();
        // The segments were validated line by line.
        let curves = Polylines::from_segments(&self.positions, &segments)
            .map_err(|_: PolylineError| ObjError::NoFaces)?;
        let used_values = |channel: usize| {
            let used = self.colours.iter().zip(&degrees).filter(|(_, degree)| **degree > 0);
            used.map(|(colour, _)| colour[channel]).collect()
        };
        let vertex_fields = match self.colours.len() == self.positions.len() {
            true => {
                let channels = COLOURS.into_iter().enumerate();
                channels.map(|(channel, name)| (name.to_owned(), used_values(channel))).collect()
            }
            false => VertexFields::new(),
        };
        let mut indices = 0..;
        let mesh_index = |&degree: &u8| if degree > 0 { indices.next() } else { None };
        let vertices = degrees.iter().map(mesh_index).collect();
        Ok(ObjMesh::Curves { curves, vertices, vertex_fields })
    }

    /// Number of distinct segments at each vertex, 0 to 2.
    ///
    /// # Errors
    /// For a vertex index that is out of range, a segment without length, or a vertex with three segments.
    fn vertex_degrees(&self) -> Result<Vec<u8>, ObjError> {
        let vertices = self.positions.len();
        let mut degrees = vec![0_u8; vertices];
        let mut distinct_segments = BTreeSet::new();
        for &(segment, line) in &self.segments {
            if let Some(&missing) = segment.iter().find(|&&vertex| vertex >= vertices as i64) {
                let (what, index) = (LINE.name, missing + 1);
                return Err(ObjError::OutOfRange { line, what, index, vertices });
            }
            let [a, b] = segment.map(|vertex| vertex as usize);
            if self.positions[a] == self.positions[b] {
                return Err(ObjError::NoLength { line, vertices: [a + 1, b + 1] });
            }
            if !distinct_segments.insert([a.min(b), a.max(b)]) {
                continue;
            }
            for vertex in [a, b] {
                degrees[vertex] += 1;
                if degrees[vertex] > 2 {
                    return Err(ObjError::Branch { line, vertex: vertex + 1 });
                }
            }
        }
        Ok(degrees)
    }

    /// Parses and adds a vertex, and its colour if all vertices so far have one.
    fn add_vertex<'a>(
        &mut self,
        line: usize,
        mut words: impl Iterator<Item = &'a str>,
    ) -> Result<(), ObjError> {
        let vertex = self.positions.len() + 1;
        let mut coordinate = || {
            let malformed = ObjError::Syntax { line, expected: "a vertex, v x y z" };
            match words.next().map(str::parse::<f64>) {
                Some(Ok(coordinate)) if coordinate.is_finite() => Ok(coordinate),
                Some(Ok(_)) => Err(ObjError::NotFinite { line, vertex }),
                _ => Err(malformed),
            }
        };
        let position = Vec3::new(coordinate()?, coordinate()?, coordinate()?);
        // Three numbers after a position are a colour; a single one is the weight of a rational curve.
        let extra_numbers: Vec<f64> = words.map_while(|word| word.parse().ok()).collect();
        if let ([red, green, blue], true) =
            (&extra_numbers[..], self.colours.len() == self.positions.len())
        {
            self.colours.push([*red, *green, *blue]);
        }
        self.positions.push(position);
        Ok(())
    }

    /// Parses and adds a face. Returns its largest vertex number (from 1), or 0 for a face without vertices.
    fn add_face<'a>(
        &mut self,
        line: usize,
        words: impl Iterator<Item = &'a str>,
    ) -> Result<usize, ObjError> {
        let vertex_indices: Vec<i64> =
            words.map(|word| self.vertex_index(line, word, FACE)).collect::<Result<_, _>>()?;
        let largest_number = vertex_indices.iter().max().map_or(0, |&index| index as usize + 1);
        self.faces.push(vertex_indices);
        Ok(largest_number)
    }

    /// Parses and adds a polyline. Polylines beside faces are ignored, so the first error is stored for `curves`.
    fn add_line<'a>(&mut self, line: usize, words: impl Iterator<Item = &'a str>) {
        let vertices: Result<Vec<i64>, _> =
            words.map(|word| self.vertex_index(line, word, LINE)).collect();
        let vertices = match vertices {
            Ok(vertices) if vertices.len() < 2 => {
                Err(ObjError::TooFewVertices { line, vertices: vertices.len() })
            }
            valid => valid,
        };
        match vertices {
            Ok(vertices) => {
                let segments = vertices.windows(2).map(|pair| ([pair[0], pair[1]], line));
                self.segments.extend(segments);
            }
            Err(error) => self.polyline_error = self.polyline_error.take().or(Some(error)),
        }
    }

    /// Adds a named part. Only a group line may have several names; other names may contain spaces.
    fn add_part<'a>(
        &mut self,
        line: usize,
        keyword: usize,
        words: impl Iterator<Item = &'a str>,
    ) -> Result<(), ObjError> {
        let words: Vec<&str> = words.collect();
        let names: Vec<String> = match KEYWORDS[keyword] {
            "g" => words.into_iter().map(str::to_owned).collect(),
            _ if words.is_empty() => Vec::new(),
            _ => vec![words.join(" ")],
        };
        if names.len() > MAX_NAMES {
            return Err(ObjError::Syntax { line, expected: "a group of at most 16 names" });
        }
        self.parts.push(NamedPart { keyword, names, first: self.faces.len() });
        Ok(())
    }

    /// Parses a corner such as `7`, `-1` or `7/1/3` of a line of this kind and returns its vertex index, from 0. It may
    /// be that of a later vertex.
    fn vertex_index(&self, line: usize, corner: &str, kind: LineKind) -> Result<i64, ObjError> {
        let vertex = corner.split('/').next().unwrap_or_default();
        let Ok(index) = vertex.parse::<i64>() else {
            return Err(ObjError::Syntax { line, expected: kind.syntax });
        };
        let vertices = self.positions.len();
        let number = if index < 0 { vertices as i64 + 1 + index } else { index };
        match number {
            1.. => Ok(number - 1),
            _ => Err(ObjError::OutOfRange { line, what: kind.name, index, vertices }),
        }
    }
}
