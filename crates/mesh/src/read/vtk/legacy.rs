//! Legacy `.vtk`, text and binary.

use super::cells::{Cells, POLY_LINE, POLY_VERTEX, POLYGON, STRIP};
use super::grid::DataSet;
use super::legacy_data::{DataArrays, DataOwner, read_scalar, skip_metadata};
use crate::read::cursor::{Cursor, Encoding, SyntaxError};
use crate::read::elements::{AnyMesh, Elements, SolidMesh};
use crate::read::number::Scalar;
use crate::read::{MeshFileError, OtherSolidPolicy, Seams, read_text, without_byte_order_mark};
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

/// Reads the cells and their data. A malformed array of data ends the data with a note.
fn read_cells(reader: impl Read, policy: OtherSolidPolicy) -> Result<Elements, MeshFileError> {
    let bytes = read_text(reader)?;
    let mut cursor = Cursor::new(without_byte_order_mark(&bytes));
    let (encoding, kind) = read_header(&mut cursor)?;
    let mut grid = LegacyGrid { encoding, points: None, cells: None, types: None, poly: None };
    let mut data = DataArrays::default();
    while !cursor.is_at_end() {
        let outcome = grid.read_section(&mut cursor)?;
        if let SectionEnd::Data(owner) = outcome {
            // A malformed array ends the data; the mesh remains valid.
            if let Err(error) = grid.read_data(&mut cursor, owner, &mut data) {
                data.notes
                    .push(format!("left out the data of cells and points after an error: {error}"));
            }
            break;
        }
    }
    let mut cells = grid.take_cells(kind)?;
    let missing = |what| MeshFileError::Missing { what };
    let positions = grid.points.ok_or(missing("section `POINTS`"))?;
    (cells.data, cells.point_data) = (data.cell_arrays, data.point_arrays);
    let mut elements = Elements::new(policy);
    elements.positions = positions;
    elements.data_notes = data.notes;
    cells.add_cells_to(&mut elements)?;
    Ok(elements)
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
        "BINARY" => {
            cursor.counts_bytes = true;
            Encoding::BigEndian
        }
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

/// Sections of a file that were read so far.
#[derive(Debug)]
pub(super) struct LegacyGrid {
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
                self.read_field(cursor, &mut Vec::new())?;
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
    pub(super) fn with_encoding<T>(
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
    pub(super) fn min_bytes(&self, scalar: Scalar) -> u64 {
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
}

/// Index of a section of polygonal data in [`POLY_SECTIONS`].
fn poly_section(word: &str) -> Option<usize> {
    POLY_SECTIONS.iter().position(|(name, _)| *name == word)
}
