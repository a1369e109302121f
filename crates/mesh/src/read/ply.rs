//! PLY surfaces, text and binary in both byte orders.
//!
//! Format: Greg Turk, "The PLY Polygon File Format", 1994. A header lists the elements of the file and their
//! properties. The reader uses `x`, `y` and `z` of the element `vertex` and the list `vertex_indices` (or
//! `vertex_index`) of the elements `face` and `tristrips`, and skips everything else.
//!
//! Our own parser: `ply-rs` keeps every property of every element in a separate hash map, and allocates memory
//! for the counts in the header.

use super::cursor::{Cursor, Encoding, SyntaxError};
use super::failure::mark_seen;
use super::number::Scalar;
use super::polygons::{Polygons, Seams, SurfaceMesh};
use super::{MeshFileError, read_text, without_byte_order_mark};
use resile_math::Vec3;
use std::io::Read;

/// Reads a surface; polygons are triangulated, and exactly coincident boundary vertices are welded.
///
/// # Errors
/// If the file cannot be read or is invalid, or has no faces.
pub fn read_ply(reader: impl Read) -> Result<SurfaceMesh, MeshFileError> {
    read_ply_with(reader, Seams::Sewn)
}

/// Reads a surface as [`read_ply`] does, with a choice of seam treatment.
///
/// # Errors
/// As [`read_ply`].
pub fn read_ply_with(reader: impl Read, seams: Seams) -> Result<SurfaceMesh, MeshFileError> {
    let bytes = read_text(reader)?;
    let mut cursor = Cursor::new(without_byte_order_mark(&bytes));
    let elements = read_header(&mut cursor)?;
    let mut surface = Polygons::default();
    let [mut vertices_seen, mut faces_seen, mut strips_seen] = [false; 3];
    // Faces that precede the vertices are skipped and read again at their offsets.
    let mut early_faces: Vec<(&PlyElement<'_>, usize)> = Vec::new();
    for element in &elements {
        element.expect_remaining(&cursor)?;
        match element.name {
            "vertex" => {
                mark_seen(&mut vertices_seen, "vertices")?;
                element.read_vertices(&mut cursor, &mut surface)?;
            }
            "face" | "tristrips" => {
                match element.name {
                    "face" => mark_seen(&mut faces_seen, "faces")?,
                    _ => mark_seen(&mut strips_seen, "triangle strips")?,
                }
                if vertices_seen {
                    element.add_faces(&mut cursor, &mut surface)?;
                } else {
                    early_faces.push((element, cursor.offset()));
                    element.skip(&mut cursor)?;
                }
            }
            _ => element.skip(&mut cursor)?,
        }
    }
    if !vertices_seen {
        return Err(MeshFileError::Missing { what: "vertices" });
    }
    for (element, offset) in early_faces {
        cursor.rewind_to(offset);
        element.add_faces(&mut cursor, &mut surface)?;
    }
    surface.finish(seams)
}

/// Vertex properties that are not kept as fields: positions, normals, texture coordinates.
const IGNORED_PROPERTIES: [&str; 12] =
    ["x", "y", "z", "nx", "ny", "nz", "s", "t", "u", "v", "texture_u", "texture_v"];
/// Largest number of other vertex properties that are kept.
const MAX_PROPERTIES: usize = 64;

/// An element of the header: a kind of record in the file.
#[derive(Debug)]
struct PlyElement<'a> {
    name: &'a str,
    count: u64,
    properties: Vec<Property<'a>>,
}

/// A property of an element: a number, or a list of numbers.
#[derive(Debug)]
struct Property<'a> {
    name: &'a str,
    /// The type of a list's length, if it is a list.
    length: Option<Scalar>,
    scalar: Scalar,
}

/// Reads the header and sets the number encoding of the cursor.
fn read_header<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<PlyElement<'a>>, SyntaxError> {
    const LINE: &str = "a line of the header such as `element vertex 8`";
    if cursor.word("`ply`")? != "ply" {
        cursor.rewind_to(0);
        return Err(cursor.unexpected("`ply`"));
    }
    let mut encoding = None;
    let mut elements: Vec<PlyElement<'a>> = Vec::new();
    loop {
        let start = cursor.offset();
        match cursor.word(LINE)? {
            "format" => encoding = Some(read_format(cursor)?),
            "comment" | "obj_info" => {}
            "element" => {
                let name = cursor.word("an element's name")?;
                let count = cursor.text("the number of elements")?;
                elements.push(PlyElement { name, count, properties: Vec::new() });
            }
            "end_header" => break,
            word => match elements.last_mut() {
                Some(element) if word == "property" => {
                    element.properties.push(read_property(cursor)?);
                }
                _ => {
                    cursor.rewind_to(start);
                    return Err(cursor.unexpected(LINE));
                }
            },
        }
        cursor.end_line();
    }
    cursor.end_line();
    match encoding {
        Some(format) => cursor.encoding = format,
        None => return Err(cursor.unexpected("a line `format ...` in the header")),
    }
    Ok(elements)
}

/// Reads the number encoding of the file.
fn read_format(cursor: &mut Cursor<'_>) -> Result<Encoding, SyntaxError> {
    const FORMAT: &str = "`ascii`, `binary_little_endian` or `binary_big_endian`";
    let start = cursor.offset();
    match cursor.word(FORMAT)? {
        "ascii" => Ok(Encoding::Text),
        "binary_little_endian" => Ok(Encoding::LittleEndian),
        "binary_big_endian" => Ok(Encoding::BigEndian),
        _ => {
            cursor.rewind_to(start);
            Err(cursor.unexpected(FORMAT))
        }
    }
}

/// Reads the declaration of a property.
fn read_property<'a>(cursor: &mut Cursor<'a>) -> Result<Property<'a>, SyntaxError> {
    let start = cursor.offset();
    let length = if cursor.word("a property's type")? == "list" {
        Some(read_scalar(cursor)?)
    } else {
        cursor.rewind_to(start);
        None
    };
    let scalar = read_scalar(cursor)?;
    Ok(Property { name: cursor.word("a property's name")?, length, scalar })
}

/// Reads the name of a number type.
fn read_scalar(cursor: &mut Cursor<'_>) -> Result<Scalar, SyntaxError> {
    const TYPE: &str = "a type such as `float` or `int32`";
    let start = cursor.offset();
    Ok(match cursor.word(TYPE)? {
        "char" | "int8" => Scalar::I8,
        "uchar" | "uint8" => Scalar::U8,
        "short" | "int16" => Scalar::I16,
        "ushort" | "uint16" => Scalar::U16,
        "int" | "int32" => Scalar::I32,
        "uint" | "uint32" => Scalar::U32,
        "float" | "float32" => Scalar::F32,
        "double" | "float64" => Scalar::F64,
        _ => {
            cursor.rewind_to(start);
            return Err(cursor.unexpected(TYPE));
        }
    })
}

impl PlyElement<'_> {
    /// Rejects a count that the rest of the file cannot hold. Records without properties take no space, and no
    /// time either.
    fn expect_remaining(&self, cursor: &Cursor<'_>) -> Result<(), SyntaxError> {
        let bytes = |p: &Property<'_>| match cursor.encoding {
            Encoding::Text => 2,
            _ => p.length.unwrap_or(p.scalar).bytes(),
        };
        let vertex_bytes: u64 = self.properties.iter().map(bytes).sum();
        cursor.expect_bytes("elements", self.count, vertex_bytes)
    }

    /// Reads positions, and other numeric properties as vertex fields, up to [`MAX_PROPERTIES`]. Normals, texture
    /// coordinates and lists are skipped.
    fn read_vertices(
        &self,
        cursor: &mut Cursor<'_>,
        surface: &mut Polygons,
    ) -> Result<(), MeshFileError> {
        let property_index = |name| {
            let index = self.properties.iter().position(|p| p.name == name && p.length.is_none());
            index.ok_or(MeshFileError::Missing { what: "properties x, y and z of a vertex" })
        };
        let coordinate_properties =
            [property_index("x")?, property_index("y")?, property_index("z")?];
        let is_kept = |property: &&Property<'_>| {
            property.length.is_none() && !IGNORED_PROPERTIES.contains(&property.name)
        };
        let properties = self.properties.iter().filter(is_kept).take(MAX_PROPERTIES);
        let mut fields: Vec<(&str, f64, Vec<f64>)> =
            properties.map(|property| (property.name, property.unit(), Vec::new())).collect();
        for _ in 0..self.count {
            let mut position = Vec3::ZERO;
            for (index, property) in self.properties.iter().enumerate() {
                let axis = coordinate_properties.iter().position(|&coordinate| coordinate == index);
                if let Some(axis) = axis {
                    position[axis] = cursor.read_real(property.scalar, "a coordinate")?;
                } else if let Some((_, unit, values)) = fields
                    .iter_mut()
                    .find(|(name, ..)| *name == property.name && property.length.is_none())
                {
                    values.push(cursor.read_real(property.scalar, "a number")? / *unit);
                } else {
                    property.skip(cursor)?;
                }
            }
            surface.positions.push(position);
        }
        let named = fields.into_iter().map(|(name, _, values)| (name.to_owned(), values));
        surface.vertex_fields.extend(named);
        Ok(())
    }

    /// Adds the faces or triangle strips to a surface that has all vertices.
    fn add_faces(
        &self,
        cursor: &mut Cursor<'_>,
        surface: &mut Polygons,
    ) -> Result<(), MeshFileError> {
        match self.name {
            "tristrips" => self.read_faces(cursor, |corners| surface.add_strip(corners)),
            _ => self.read_faces(cursor, |corners| surface.add(corners)),
        }
    }

    /// Calls `add` with the corners of each face, and skips its other properties.
    fn read_faces(
        &self,
        cursor: &mut Cursor<'_>,
        mut add: impl FnMut(&[i64]) -> Result<(), MeshFileError>,
    ) -> Result<(), MeshFileError> {
        let is_corners = |p: &Property<'_>| {
            matches!(p.name, "vertex_indices" | "vertex_index")
                && p.length.is_some()
                && p.scalar.is_integer()
        };
        let Some(corner_list) = self.properties.iter().position(is_corners) else {
            return Err(MeshFileError::Missing { what: "list vertex_indices of a face" });
        };
        let mut corners = Vec::new();
        for _ in 0..self.count {
            for (index, property) in self.properties.iter().enumerate() {
                if index != corner_list {
                    property.skip(cursor)?;
                    continue;
                }
                corners.clear();
                for _ in 0..property.read_length(cursor)? {
                    corners.push(cursor.read_integer(property.scalar, "a vertex number")?);
                }
            }
            add(&corners)?;
        }
        Ok(())
    }

    /// Skips all records of the element.
    fn skip(&self, cursor: &mut Cursor<'_>) -> Result<(), SyntaxError> {
        if self.properties.is_empty() {
            return Ok(());
        }
        for _ in 0..self.count {
            for property in &self.properties {
                property.skip(cursor)?;
            }
        }
        Ok(())
    }
}

impl Property<'_> {
    /// Value that represents 1: integer colours scale to the largest value of their type.
    fn unit(&self) -> f64 {
        let is_colour = matches!(self.name, "red" | "green" | "blue" | "alpha");
        match (is_colour, self.scalar) {
            (true, Scalar::U8) => 255.0,
            (true, Scalar::U16) => 65535.0,
            _ => 1.0,
        }
    }

    /// Reads the length of a list; 1 for a number.
    fn read_length(&self, cursor: &mut Cursor<'_>) -> Result<u64, SyntaxError> {
        const LENGTH: &str = "the length of a list";
        let Some(scalar) = self.length else { return Ok(1) };
        let start = cursor.offset();
        let Ok(length) = u64::try_from(cursor.read_integer(scalar, LENGTH)?) else {
            cursor.rewind_to(start);
            return Err(cursor.unexpected(LENGTH));
        };
        let item_bytes = if cursor.encoding == Encoding::Text { 2 } else { self.scalar.bytes() };
        cursor.expect_bytes("list entries", length, item_bytes)?;
        Ok(length)
    }

    /// Skips a number, or a whole list.
    fn skip(&self, cursor: &mut Cursor<'_>) -> Result<(), SyntaxError> {
        for _ in 0..self.read_length(cursor)? {
            cursor.skip_number(self.scalar, "a number")?;
        }
        Ok(())
    }
}
