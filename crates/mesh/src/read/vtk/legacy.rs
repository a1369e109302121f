//! Legacy `.vtk`, text and binary.

use super::cell_data::{CellArray, MAX_ARRAYS};
use super::cells::{Cells, POLY_LINE, POLY_VERTEX, POLYGON, STRIP};
use super::grid::DataSet;
use crate::read::cursor::{Cursor, Encoding, SyntaxError};
use crate::read::elements::{AnyMesh, Elements, SolidMesh};
use crate::read::number::Scalar;
use crate::read::{MeshFileError, OtherSolidPolicy, Seams, read_all, without_byte_order_mark};
use resile_math::Vec3;
use std::io::Read;

/// Reads a solid: the cells of an unstructured grid, in the layout of file versions up to 4.2 or that of
/// version 5.
pub fn read_vtk(reader: impl Read, policy: OtherSolidPolicy) -> Result<SolidMesh, MeshFileError> {
    read_cells(reader, policy)?.finish()
}

/// Reads a solid, or the surface of a file that has faces and no solid elements: an unstructured grid or
/// polygonal data.
pub fn read_vtk_any(
    reader: impl Read,
    policy: OtherSolidPolicy,
    seams: Seams,
) -> Result<AnyMesh, MeshFileError> {
    read_cells(reader, policy)?.finish_any(seams)
}

/// Reads the cells and their data. A malformed array of data ends them without an error.
fn read_cells(reader: impl Read, policy: OtherSolidPolicy) -> Result<Elements, MeshFileError> {
    let bytes = read_all(reader)?;
    let mut cursor = Cursor::new(without_byte_order_mark(&bytes));
    let (encoding, kind) = read_header(&mut cursor)?;
    let mut grid = LegacyGrid { encoding, points: None, cells: None, types: None, poly: None };
    let mut data = DataArrays::default();
    while !cursor.is_at_end() {
        let outcome = grid.read_section(&mut cursor)?;
        if let SectionEnd::Data(owner) = outcome {
            // A malformed array ends the fields; the mesh remains valid.
            let _ = grid.read_data(&mut cursor, owner, &mut data);
            break;
        }
    }
    let mut cells = grid.take_cells(kind)?;
    let missing = |what| MeshFileError::Missing { what };
    let positions = grid.points.ok_or(missing("section `POINTS`"))?;
    (cells.data, cells.point_data) = (data.cell_arrays, data.point_arrays);
    let mut elements = Elements::new(policy);
    elements.positions = positions;
    cells.add_cells_to(&mut elements)?;
    Ok(elements)
}

/// Arrays of a file with one value per cell or point.
#[derive(Default)]
struct DataArrays {
    cell_arrays: Vec<CellArray>,
    point_arrays: Vec<CellArray>,
}

impl DataArrays {
    fn len(&self) -> usize {
        self.cell_arrays.len() + self.point_arrays.len()
    }
}

/// Reads the header; returns the encoding and the type of the data set.
fn read_header(cursor: &mut Cursor<'_>) -> Result<(Encoding, DataSet), MeshFileError> {
    const FIRST: &str = "`# vtk DataFile Version`";
    if !cursor.remaining().starts_with(b"# vtk DataFile Version") {
        return Err(cursor.unexpected(FIRST).into());
    }
    cursor.end_line();
    cursor.end_line();
    let start = cursor.offset();
    let encoding = match cursor.word("`ASCII` or `BINARY`")? {
        "ASCII" => Encoding::Text,
        "BINARY" => Encoding::BigEndian,
        _ => {
            cursor.rewind_to(start);
            return Err(cursor.unexpected("`ASCII` or `BINARY`").into());
        }
    };
    let start = cursor.offset();
    if cursor.word("`DATASET`")? != "DATASET" {
        cursor.rewind_to(start);
        return Err(cursor.unexpected("`DATASET`").into());
    }
    match cursor.word("`UNSTRUCTURED_GRID`")? {
        "UNSTRUCTURED_GRID" => Ok((encoding, DataSet::UnstructuredGrid)),
        "POLYDATA" => Ok((encoding, DataSet::PolyData)),
        other => Err(MeshFileError::Unsupported {
            found: format!("the data set {}", crate::read::cursor::excerpt(other.as_bytes())),
            hint: "a solid is an UNSTRUCTURED_GRID of tetrahedra, a surface one of faces, or POLYDATA",
        }),
    }
}

/// What follows a section.
#[derive(Debug, PartialEq)]
enum SectionEnd {
    /// Another section.
    Section,
    /// Only data of points and cells, which begin with those of this owner.
    Data(DataOwner),
}

/// The items to which data belong.
#[derive(Debug, Clone, Copy, PartialEq)]
enum DataOwner {
    Points,
    Cells,
}

/// Sections of a file that were read so far.
#[derive(Debug)]
struct LegacyGrid {
    encoding: Encoding,
    points: Option<Vec<Vec3>>,
    cells: Option<Cells>,
    types: Option<Vec<i64>>,
    /// Sections of polygonal data, in the order of [`POLY_SECTIONS`].
    poly: Option<[Option<Cells>; 4]>,
}

/// Sections of polygonal data, in VTK's cell order, each with its cell type.
const POLY_SECTIONS: [(&str, i64); 4] = [
    ("VERTICES", POLY_VERTEX),
    ("LINES", POLY_LINE),
    ("POLYGONS", POLYGON),
    ("TRIANGLE_STRIPS", STRIP),
];

impl LegacyGrid {
    /// Returns the cells, once all sections are read.
    fn take_cells(&mut self, kind: DataSet) -> Result<Cells, MeshFileError> {
        let missing = |what| MeshFileError::Missing { what };
        if kind == DataSet::UnstructuredGrid {
            let mut cells = self.cells.take().ok_or(missing("section `CELLS`"))?;
            cells.types = self.types.take().ok_or(missing("section `CELL_TYPES`"))?;
            return Ok(cells);
        }
        let sections = self.poly.take().ok_or(missing("section `POLYGONS`"))?;
        let mut cells = Cells::default();
        for (section, (_, code)) in sections.into_iter().zip(POLY_SECTIONS) {
            cells.append(section.unwrap_or_default(), code);
        }
        Ok(cells)
    }

    /// Reads the next section; an error if it is repeated.
    fn read_section(&mut self, cursor: &mut Cursor<'_>) -> Result<SectionEnd, MeshFileError> {
        const SECTION: &str = "a section such as `POINTS`";
        let start = cursor.offset();
        let repeated = |what| Err(MeshFileError::Repeated { what });
        match cursor.word(SECTION)? {
            "POINTS" if self.points.is_some() => return repeated("section `POINTS`"),
            "CELLS" if self.cells.is_some() => return repeated("section `CELLS`"),
            "CELL_TYPES" if self.types.is_some() => return repeated("section `CELL_TYPES`"),
            "POINTS" => self.points = Some(self.read_points(cursor)?),
            "CELLS" => self.cells = Some(self.read_cells(cursor)?),
            "CELL_TYPES" => {
                let count = cursor.text("the number of cell types")?;
                cursor.end_line();
                self.types = Some(self.read_integers(cursor, count, Scalar::I32, "a cell type")?);
            }
            "METADATA" => skip_metadata(cursor),
            word if let Some(poly) = poly_section(word) => {
                let cells = self.read_cells(cursor)?;
                let section = &mut self.poly.get_or_insert_default()[poly];
                if section.replace(cells).is_some() {
                    return repeated("section of cells");
                }
            }
            "FIELD" => {
                self.read_field(cursor)?;
            }
            "CELL_DATA" => return Ok(SectionEnd::Data(DataOwner::Cells)),
            "POINT_DATA" => return Ok(SectionEnd::Data(DataOwner::Points)),
            _ => {
                cursor.rewind_to(start);
                return Err(cursor.unexpected(SECTION).into());
            }
        }
        Ok(SectionEnd::Section)
    }

    /// Runs `read` with the number encoding of the file; keywords are text in all files.
    fn with_encoding<T>(
        &self,
        cursor: &mut Cursor<'_>,
        read: impl FnOnce(&mut Cursor<'_>) -> Result<T, SyntaxError>,
    ) -> Result<T, SyntaxError> {
        cursor.encoding = self.encoding;
        let result = read(cursor);
        cursor.encoding = Encoding::Text;
        result
    }

    /// Reads `POINTS`.
    fn read_points(&self, cursor: &mut Cursor<'_>) -> Result<Vec<Vec3>, MeshFileError> {
        let count: u64 = cursor.text("the number of points")?;
        let scalar = read_scalar(cursor)?;
        cursor.end_line();
        let points = self.with_encoding(cursor, |cursor| {
            cursor.expect_bytes("points", count, 3 * self.min_bytes(scalar))?;
            let mut points = Vec::new();
            for _ in 0..count {
                let mut coordinate = || cursor.read_real(scalar, "a coordinate");
                points.push(Vec3::new(coordinate()?, coordinate()?, coordinate()?));
            }
            Ok(points)
        })?;
        Ok(points)
    }

    /// Smallest size of a number in the file: a digit and a space, or its binary size.
    fn min_bytes(&self, scalar: Scalar) -> u64 {
        if self.encoding == Encoding::Text { 2 } else { scalar.bytes() }
    }

    /// Reads `count` integers.
    fn read_integers(
        &self,
        cursor: &mut Cursor<'_>,
        count: u64,
        scalar: Scalar,
        expected: &'static str,
    ) -> Result<Vec<i64>, SyntaxError> {
        self.with_encoding(cursor, |cursor| {
            cursor.expect_bytes("numbers", count, self.min_bytes(scalar))?;
            let mut integers = Vec::new();
            for _ in 0..count {
                integers.push(cursor.read_integer(scalar, expected)?);
            }
            Ok(integers)
        })
    }

    /// Reads the cells. Up to version 4.2 each cell is a number of nodes followed by the nodes; since version 5
    /// there are two named arrays.
    fn read_cells(&self, cursor: &mut Cursor<'_>) -> Result<Cells, MeshFileError> {
        let cell_count: u64 = cursor.text("the number of cells")?;
        let number_count: u64 = cursor.text("the number of numbers")?;
        cursor.end_line();
        let start = cursor.offset();
        cursor.skip_space();
        if cursor.remaining().starts_with(b"OFFSETS") {
            return self.read_offsets(cursor, cell_count, number_count);
        }
        cursor.rewind_to(start);
        let numbers = self.read_integers(cursor, number_count, Scalar::I32, "a node number")?;
        let mut cells = Cells::default();
        let mut remaining_numbers = &numbers[..];
        while let Some((&count, following_numbers)) = remaining_numbers.split_first() {
            let split =
                usize::try_from(count).ok().and_then(|n| following_numbers.split_at_checked(n));
            let Some((nodes, next_cells)) = split else {
                let cell = cells.ends.len();
                let first = (numbers.len() - following_numbers.len()) as i64;
                let (end, last) = (first.saturating_add(count), numbers.len() as i64);
                return Err(MeshFileError::CellEnd { cell, end, first, last });
            };
            cells.connectivity.extend(nodes);
            cells.ends.push(cells.connectivity.len() as i64);
            remaining_numbers = next_cells;
        }
        if cells.ends.len() as u64 != cell_count {
            let (announced, found) = (cell_count, cells.ends.len() as u64);
            return Err(MeshFileError::CountMismatch { what: "cells", announced, found });
        }
        Ok(cells)
    }

    /// Reads the arrays `OFFSETS` and `CONNECTIVITY` of version 5.
    fn read_offsets(
        &self,
        cursor: &mut Cursor<'_>,
        offset_count: u64,
        node_count: u64,
    ) -> Result<Cells, MeshFileError> {
        cursor.word("`OFFSETS`")?;
        let scalar = read_scalar(cursor)?;
        cursor.end_line();
        let mut ends = self.read_integers(cursor, offset_count, scalar, "an offset")?;
        let start = cursor.offset();
        if cursor.word("`CONNECTIVITY`")? != "CONNECTIVITY" {
            cursor.rewind_to(start);
            return Err(cursor.unexpected("`CONNECTIVITY`").into());
        }
        let scalar = read_scalar(cursor)?;
        cursor.end_line();
        let connectivity = self.read_integers(cursor, node_count, scalar, "a node number")?;
        // The first offset is 0; the others are the ends of the cells.
        if !ends.is_empty() {
            ends.remove(0);
        }
        Ok(Cells { connectivity, ends, ..Cells::default() })
    }

    /// Reads the arrays of a field that have one value per tuple; the others are skipped.
    fn read_field(&self, cursor: &mut Cursor<'_>) -> Result<Vec<CellArray>, MeshFileError> {
        cursor.word("a field's name")?;
        let count: u64 = cursor.text("the number of arrays")?;
        cursor.expect_remaining("arrays", count, 4)?;
        let mut arrays = Vec::new();
        for _ in 0..count {
            let name = cursor.word("an array's name")?;
            let [components, tuples]: [u64; 2] =
                [cursor.text("a number of components")?, cursor.text("a number of tuples")?];
            arrays.extend(self.read_array(cursor, name, components, tuples)?);
        }
        Ok(arrays)
    }

    /// Reads the number type and the values of an array; see [`read_numbers`](Self::read_numbers).
    fn read_array(
        &self,
        cursor: &mut Cursor<'_>,
        name: &str,
        components: u64,
        tuples: u64,
    ) -> Result<Option<CellArray>, MeshFileError> {
        let scalar = read_scalar(cursor)?;
        cursor.end_line();
        self.read_numbers(cursor, name, scalar, components, tuples)
    }

    /// Reads the values of an array with one component; skips an array with several, and returns `None`.
    fn read_numbers(
        &self,
        cursor: &mut Cursor<'_>,
        name: &str,
        scalar: Scalar,
        components: u64,
        tuples: u64,
    ) -> Result<Option<CellArray>, MeshFileError> {
        let count = components.saturating_mul(tuples);
        let mut values = Vec::new();
        self.with_encoding(cursor, |cursor| {
            cursor.expect_bytes("numbers", count, self.min_bytes(scalar))?;
            for _ in 0..count {
                match components {
                    1 => values.push(cursor.read_real(scalar, "a number")?),
                    _ => cursor.skip_number(scalar, "a number")?,
                }
            }
            Ok(())
        })?;
        Ok((components == 1).then(|| CellArray::new(name, scalar, values)))
    }

    /// Reads the data after `CELL_DATA` or `POINT_DATA` (`owner`), to the end of the file or the first array of an
    /// unknown kind. Vectors and tensors are skipped.
    fn read_data(
        &self,
        cursor: &mut Cursor<'_>,
        mut owner: DataOwner,
        data: &mut DataArrays,
    ) -> Result<(), MeshFileError> {
        let mut tuples: u64 = cursor.text("a number of cells or points")?;
        while !cursor.is_at_end() && data.len() < MAX_ARRAYS {
            let arrays = match cursor.word("an array of data")? {
                word @ ("CELL_DATA" | "POINT_DATA") => {
                    owner = if word == "CELL_DATA" { DataOwner::Cells } else { DataOwner::Points };
                    tuples = cursor.text("a number of cells or points")?;
                    Vec::new()
                }
                "METADATA" => {
                    skip_metadata(cursor);
                    Vec::new()
                }
                "FIELD" => self.read_field(cursor)?,
                "SCALARS" => self.read_scalars(cursor, tuples)?.into_iter().collect(),
                word => {
                    let components = match word {
                        "VECTORS" | "NORMALS" => 3,
                        "TENSORS" => 9,
                        _ => return Ok(()),
                    };
                    let name = cursor.word("an array's name")?;
                    self.read_array(cursor, name, components, tuples)?;
                    Vec::new()
                }
            };
            match owner {
                DataOwner::Cells => data.cell_arrays.extend(arrays),
                DataOwner::Points => data.point_arrays.extend(arrays),
            }
        }
        Ok(())
    }

    /// Reads `SCALARS name type [components]`, then a line with a colour table, then the numbers.
    fn read_scalars(
        &self,
        cursor: &mut Cursor<'_>,
        tuples: u64,
    ) -> Result<Option<CellArray>, MeshFileError> {
        let name = cursor.word("an array's name")?;
        let scalar = read_scalar(cursor)?;
        let line = cursor.remaining().split(|&b| b == b'\n').next().unwrap_or_default();
        let components = std::str::from_utf8(line).ok().and_then(|line| line.trim().parse().ok());
        cursor.end_line();
        cursor.word("`LOOKUP_TABLE`")?;
        cursor.end_line();
        self.read_numbers(cursor, name, scalar, components.unwrap_or(1), tuples)
    }
}

/// Index of a section of polygonal data in [`POLY_SECTIONS`].
fn poly_section(word: &str) -> Option<usize> {
    POLY_SECTIONS.iter().position(|(name, _)| *name == word)
}

/// Skips lines up to an empty one.
fn skip_metadata(cursor: &mut Cursor<'_>) {
    cursor.end_line();
    loop {
        let rest = cursor.remaining();
        let line = rest.split(|&b| b == b'\n').next().unwrap_or_default();
        if rest.is_empty() || line.trim_ascii().is_empty() {
            return;
        }
        cursor.end_line();
    }
}

/// Reads the name of a number type.
fn read_scalar(cursor: &mut Cursor<'_>) -> Result<Scalar, SyntaxError> {
    const TYPE: &str = "a type such as `float` or `int`";
    let start = cursor.offset();
    let word = cursor.word(TYPE)?;
    Ok(match word.to_ascii_lowercase().as_str() {
        "char" => Scalar::I8,
        "unsigned_char" => Scalar::U8,
        "short" => Scalar::I16,
        "unsigned_short" => Scalar::U16,
        // Stored in four bytes, whatever the size in memory.
        "int" | "vtkidtype" => Scalar::I32,
        "unsigned_int" => Scalar::U32,
        "long" | "vtktypeint64" => Scalar::I64,
        "unsigned_long" | "vtktypeuint64" => Scalar::U64,
        "float" => Scalar::F32,
        "double" => Scalar::F64,
        _ => {
            cursor.rewind_to(start);
            return Err(cursor.unexpected(TYPE));
        }
    })
}
