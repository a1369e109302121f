//! Data of cells and points of a legacy file.

use super::cell_data::{CellArray, MAX_ARRAYS};
use super::legacy::LegacyGrid;
use crate::read::MeshFileError;
use crate::read::cursor::{Cursor, SyntaxError};
use crate::read::number::Scalar;

/// Arrays of a file with one value per cell or point.
#[derive(Default)]
pub(super) struct DataArrays {
    pub(super) cell_arrays: Vec<CellArray>,
    pub(super) point_arrays: Vec<CellArray>,
    /// Sentences on data that were left out.
    pub(super) notes: Vec<String>,
}

impl DataArrays {
    fn len(&self) -> usize {
        self.cell_arrays.len() + self.point_arrays.len()
    }

    fn arrays_of(&mut self, owner: DataOwner) -> &mut Vec<CellArray> {
        match owner {
            DataOwner::Cells => &mut self.cell_arrays,
            DataOwner::Points => &mut self.point_arrays,
        }
    }
}

/// The items to which data belong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum DataOwner {
    Points,
    Cells,
}

impl LegacyGrid {
    /// Reads a field, and adds its arrays that have one value per tuple to `arrays`; the others are skipped.
    ///
    /// # Errors
    /// If an array is malformed. Arrays before it are added.
    pub(super) fn read_field(
        &self,
        cursor: &mut Cursor<'_>,
        arrays: &mut Vec<CellArray>,
    ) -> Result<(), MeshFileError> {
        const NAME: &str = "an array's name";
        cursor.word("a field's name")?;
        let count: u64 = cursor.text("the number of arrays")?;
        for _ in 0..count {
            let mut name = cursor.word(NAME)?;
            // VTK writes the component names and the range of an array after it.
            while name == "METADATA" {
                skip_metadata(cursor);
                name = cursor.word(NAME)?;
            }
            // VTK's name of an array that was not set.
            if name == "NULL_ARRAY" {
                continue;
            }
            let [components, tuples]: [u64; 2] =
                [cursor.text("a number of components")?, cursor.text("a number of tuples")?];
            arrays.extend(self.read_array(cursor, name, components, tuples)?);
        }
        Ok(())
    }

    /// Reads the number type and the values of an array; see [`read_numbers`](Self::read_numbers).
    fn read_array(
        &self,
        cursor: &mut Cursor<'_>,
        name: &str,
        components: u64,
        tuples: u64,
    ) -> Result<Option<CellArray>, MeshFileError> {
        let scalar = read_scalar(cursor).map_err(|error| within_array(error, name))?;
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
        let outcome = self.with_encoding(cursor, |cursor| {
            cursor.expect_bytes("numbers", count, self.min_bytes(scalar))?;
            for _ in 0..count {
                match components {
                    1 => values.push(cursor.read_real(scalar, "a number")?),
                    _ => cursor.skip_number(scalar, "a number")?,
                }
            }
            Ok(())
        });
        outcome.map_err(|error| within_array(error, name))?;
        Ok((components == 1).then(|| CellArray::new(name, scalar, values)))
    }

    /// Reads the data after `CELL_DATA` or `POINT_DATA` (`owner`), to the end of the file. Arrays with several
    /// components, identifiers and colours are skipped.
    ///
    /// # Errors
    /// If an array is malformed or of an unknown kind. Arrays before it are in `data`.
    pub(super) fn read_data(
        &self,
        cursor: &mut Cursor<'_>,
        mut owner: DataOwner,
        data: &mut DataArrays,
    ) -> Result<(), MeshFileError> {
        const KIND: &str = "an array of data such as `SCALARS`";
        let mut tuples: u64 = cursor.text("a number of cells or points")?;
        while !cursor.is_at_end() {
            if data.len() >= MAX_ARRAYS {
                data.notes.push(format!("left out data arrays after the first {MAX_ARRAYS}"));
                return Ok(());
            }
            let start = cursor.offset();
            match cursor.word(KIND)? {
                word @ ("CELL_DATA" | "POINT_DATA") => {
                    owner = if word == "CELL_DATA" { DataOwner::Cells } else { DataOwner::Points };
                    tuples = cursor.text("a number of cells or points")?;
                }
                "METADATA" => skip_metadata(cursor),
                "FIELD" => self.read_field(cursor, data.arrays_of(owner))?,
                "SCALARS" => {
                    data.arrays_of(owner).extend(self.read_scalars(cursor, tuples)?);
                }
                word => {
                    let Some(kind) = SkippedKind::of(word) else {
                        cursor.rewind_to(start);
                        return Err(cursor.unexpected(KIND).into());
                    };
                    self.skip_array(cursor, kind, tuples)?;
                }
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
        const TABLE: &str = "`LOOKUP_TABLE`";
        let name = cursor.word("an array's name")?;
        let scalar = read_scalar(cursor)?;
        let components = cursor.line_words().next().and_then(|word| word.parse().ok());
        cursor.end_line();
        let start = cursor.offset();
        if cursor.word(TABLE)? != "LOOKUP_TABLE" {
            cursor.rewind_to(start);
            return Err(within_array(cursor.unexpected(TABLE), name));
        }
        cursor.end_line();
        self.read_numbers(cursor, name, scalar, components.unwrap_or(1), tuples)
    }

    /// Skips an array, for each of `tuples` cells or points.
    fn skip_array(
        &self,
        cursor: &mut Cursor<'_>,
        kind: SkippedKind,
        tuples: u64,
    ) -> Result<(), MeshFileError> {
        const COMPONENTS: &str = "a number of components";
        let name = cursor.word("an array's name")?;
        let (scalar, components, tuples) = match kind {
            SkippedKind::Components(components) => (read_scalar(cursor)?, components, tuples),
            SkippedKind::TextureCoordinates => {
                let components = cursor.text(COMPONENTS)?;
                (read_scalar(cursor)?, components, tuples)
            }
            // Colours are numbers from 0 to 1 in text and bytes in binary.
            SkippedKind::Colours => (Scalar::U8, cursor.text(COMPONENTS)?, tuples),
            SkippedKind::ColourTable => {
                (Scalar::U8, TABLE_COMPONENTS, cursor.text("a number of colours")?)
            }
        };
        cursor.end_line();
        self.read_numbers(cursor, name, scalar, components, tuples).map(|_| ())
    }
}

/// Number of components of a colour of a table: red, green, blue and opacity.
const TABLE_COMPONENTS: u64 = 4;

/// Kind of an array that is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SkippedKind {
    /// A fixed number of components.
    Components(u64),
    TextureCoordinates,
    Colours,
    /// A table of colours, which belongs neither to cells nor to points.
    ColourTable,
}

impl SkippedKind {
    /// Kind by its keyword; `None` if it is unknown.
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "VECTORS" | "NORMALS" => Self::Components(3),
            "TENSORS" => Self::Components(9),
            "TENSORS6" => Self::Components(6),
            "GLOBAL_IDS" | "EDGE_FLAGS" => Self::Components(1),
            "TEXTURE_COORDINATES" => Self::TextureCoordinates,
            "COLOR_SCALARS" => Self::Colours,
            "LOOKUP_TABLE" => Self::ColourTable,
            _ => return None,
        })
    }
}

/// The error of an array with this name.
fn within_array(error: SyntaxError, name: &str) -> MeshFileError {
    MeshFileError::from(error).within(format!("data array `{name}`"))
}

/// Skips lines up to an empty one.
pub(super) fn skip_metadata(cursor: &mut Cursor<'_>) {
    cursor.end_line();
    while !cursor.remaining().is_empty() && !cursor.line().trim_ascii().is_empty() {
        cursor.end_line();
    }
}

/// Reads the name of a number type.
pub(super) fn read_scalar(cursor: &mut Cursor<'_>) -> Result<Scalar, SyntaxError> {
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
