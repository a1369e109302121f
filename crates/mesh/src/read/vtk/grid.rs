//! The XML of a `.vtu` or `.vtp` file: counts, and locations of arrays.

use super::array::{Appended, AppendedEncoding, Array, Compression, DataFormat, FileHeader};
use super::cell_data::{CellArray, MAX_ARRAYS};
use crate::read::cursor::{Encoding, SyntaxError, excerpt};
use crate::read::number::Scalar;
use crate::read::{FileLocation, MeshFileError};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;

/// Type of the data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum DataSet {
    #[default]
    UnstructuredGrid,
    PolyData,
}

/// Content of the XML: counts, and arrays with their encodings.
#[derive(Debug, Default)]
pub(super) struct Grid<'a> {
    pub(super) kind: DataSet,
    file: FileHeader,
    pub(super) point_count: u64,
    /// Number of cells in each of [`SECTIONS`].
    pub(super) cell_counts: [u64; SECTIONS.len()],
    pieces: usize,
    /// Arrays in the order of [`NAMES`].
    arrays: [Option<Array<'a>>; NAMES.len()],
    /// Cell data arrays with their names.
    cell_data: Vec<(String, Array<'a>)>,
    point_data: Vec<(String, Array<'a>)>,
    appended: AppendedEncoding,
    /// Whether there are more than [`MAX_ARRAYS`] arrays of cell data or of point data.
    has_excess_arrays: bool,
}

/// Destination of an array while its text is read.
#[derive(Debug, Clone, Copy)]
enum ArrayDestination {
    /// Index into [`NAMES`].
    Known(usize),
    CellData(usize),
    PointData(usize),
}

/// Relevant data arrays: points, types, then two for each section of cells.
pub(super) const NAMES: [&str; 12] = [
    "data array of points",
    "data array `types`",
    "data array `connectivity`",
    "data array `offsets`",
    "data array `connectivity` of `Verts`",
    "data array `offsets` of `Verts`",
    "data array `connectivity` of `Lines`",
    "data array `offsets` of `Lines`",
    "data array `connectivity` of `Polys`",
    "data array `offsets` of `Polys`",
    "data array `connectivity` of `Strips`",
    "data array `offsets` of `Strips`",
];
pub(super) const POINTS: usize = 0;
pub(super) const TYPES: usize = 1;

/// Sections that list cells, each with the attribute of a piece that holds the count. The first is that of
/// unstructured grids, the others those of polygonal data in VTK's cell order.
const SECTIONS: [(&str, &str); 5] = [
    ("Cells", "NumberOfCells"),
    ("Verts", "NumberOfVerts"),
    ("Lines", "NumberOfLines"),
    ("Polys", "NumberOfPolys"),
    ("Strips", "NumberOfStrips"),
];
pub(super) const UNSTRUCTURED: usize = 0;

/// Part of a piece that contains a data array.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Points,
    /// Index into [`SECTIONS`].
    Cells(usize),
    CellData,
    PointData,
    Other,
}

impl Part {
    /// Part by the name of its XML element; `None` for other elements.
    fn from_tag(tag: &str) -> Option<Self> {
        let section = SECTIONS.iter().position(|(name, _)| *name == tag);
        Some(match (tag, section) {
            (_, Some(section)) => Self::Cells(section),
            ("Points", _) => Self::Points,
            ("CellData", _) => Self::CellData,
            ("PointData", _) => Self::PointData,
            ("FieldData", _) => Self::Other,
            _ => return None,
        })
    }
}

/// The error for bytes at `offset` of the file that are not as `expected`.
fn malformed(xml: &[u8], offset: usize, expected: &'static str) -> SyntaxError {
    SyntaxError::Expected {
        location: FileLocation::Byte(offset),
        expected,
        found: excerpt(&xml[offset.min(xml.len())..]),
    }
}

impl<'a> Grid<'a> {
    /// Parses the XML.
    ///
    /// # Errors
    /// If the XML is not well-formed, has no piece or several, repeats an array, or has unsupported encodings.
    pub(super) fn parse(xml: &'a [u8]) -> Result<Self, MeshFileError> {
        let text = std::str::from_utf8(xml)
            .map_err(|error| malformed(xml, error.valid_up_to(), "XML in UTF-8"))?;
        let mut grid = Self::default();
        grid.read_tags(text)?;
        if grid.pieces == 0 {
            return Err(MeshFileError::Missing {
                what: "`Piece` of an `UnstructuredGrid` or of `PolyData`",
            });
        }
        Ok(grid)
    }

    /// Processes all tags and data arrays of the XML `text`.
    fn read_tags(&mut self, text: &'a str) -> Result<(), MeshFileError> {
        let mut reader = Reader::from_str(text);
        let mut part = Part::Other;
        let mut current_array = None;
        // Number of open tags inside a data array: VTK stores ranges there.
        let mut nesting_depth = 0_usize;
        loop {
            let event = reader.read_event();
            let error_offset = || reader.error_position() as usize;
            let error = || malformed(text.as_bytes(), error_offset(), "well-formed XML");
            match event.map_err(|_| error())? {
                Event::Eof => return Ok(()),
                Event::Start(tag) if tag.name().as_ref() == "DataArray" => {
                    current_array = self.register_array(part, &tag)?;
                }
                Event::Empty(tag) if tag.name().as_ref() == "DataArray" => {
                    self.register_array(part, &tag)?;
                }
                Event::Start(_) if current_array.is_some() => nesting_depth += 1,
                Event::Start(tag) => part = self.open_tag(part, &tag)?,
                Event::End(_) if nesting_depth > 0 => nesting_depth -= 1,
                Event::Text(text) if nesting_depth == 0 => {
                    self.take_text(current_array, text.into_inner());
                }
                Event::End(tag) => match tag.name().as_ref() {
                    "DataArray" => current_array = None,
                    name if Part::from_tag(name).is_some() => part = Part::Other,
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// Stores the text between the tags of a data array; comments may split it.
    fn take_text(&mut self, array: Option<ArrayDestination>, words: Cow<'a, str>) {
        let array = match array {
            Some(ArrayDestination::Known(index)) => self.arrays[index].as_mut(),
            Some(ArrayDestination::CellData(index)) => {
                self.cell_data.get_mut(index).map(|(_, array)| array)
            }
            Some(ArrayDestination::PointData(index)) => {
                self.point_data.get_mut(index).map(|(_, array)| array)
            }
            None => None,
        };
        if let Some(array) = array {
            if array.text.is_empty() {
                array.text = words;
            } else {
                array.text.to_mut().push_str(&words);
            }
        }
    }

    /// Processes an opening tag in a part of the file; returns the part that follows it. Refuses several pieces and
    /// unknown encodings.
    fn open_tag(&mut self, part: Part, tag: &BytesStart<'_>) -> Result<Part, MeshFileError> {
        let unsupported = |found: String, hint| Err(MeshFileError::Unsupported { found, hint });
        match tag.name().as_ref() {
            "VTKFile" => {
                self.kind = DataSet::from_tag(tag)?;
                self.file = FileHeader::new(tag)?;
                Ok(Part::Other)
            }
            "Piece" => {
                self.pieces += 1;
                if self.pieces > 1 {
                    let found = "a grid in several pieces".to_owned();
                    return unsupported(found, "save it as a single piece");
                }
                self.point_count = number_attribute(tag, "NumberOfPoints")?;
                for (count, (_, attribute)) in self.cell_counts.iter_mut().zip(SECTIONS) {
                    *count = number_attribute(tag, attribute).unwrap_or(0);
                }
                if self.kind == DataSet::UnstructuredGrid {
                    number_attribute(tag, SECTIONS[UNSTRUCTURED].1)?;
                }
                Ok(Part::Other)
            }
            "AppendedData" => {
                self.appended = match attribute(tag, "encoding").as_deref() {
                    Some("raw") => AppendedEncoding::Raw,
                    Some("base64") => AppendedEncoding::Base64,
                    _ => {
                        let found = "appended data of an unknown encoding".to_owned();
                        return unsupported(found, "save it as ascii, binary or appended raw");
                    }
                };
                Ok(Part::Other)
            }
            name => Ok(Part::from_tag(name).unwrap_or(part)),
        }
    }

    /// Registers a data array of a part of the file, and returns the destination of its contents; `None` if it is not
    /// read. An error if an array of points or cells is repeated.
    fn register_array(
        &mut self,
        part: Part,
        tag: &BytesStart<'_>,
    ) -> Result<Option<ArrayDestination>, MeshFileError> {
        let name = attribute(tag, "Name");
        if let (Part::CellData | Part::PointData, Some(name)) = (part, &name) {
            return self.register_data_array(part, name, tag);
        }
        let index = match (part, name.as_deref()) {
            (Part::Points, _) => POINTS,
            (Part::Cells(UNSTRUCTURED), Some("types")) => TYPES,
            (Part::Cells(section), Some("connectivity")) => Self::cell_arrays_of(section)[0],
            (Part::Cells(section), Some("offsets")) => Self::cell_arrays_of(section)[1],
            _ => return Ok(None),
        };
        if self.arrays[index].is_some() {
            return Err(MeshFileError::Repeated { what: NAMES[index] });
        }
        let array = Array {
            scalar: scalar_attribute(tag)?,
            format: format_attribute(tag)?,
            text: "".into(),
        };
        self.arrays[index] = Some(array);
        Ok(Some(ArrayDestination::Known(index)))
    }

    /// Registers a data array with one value per cell or point, and returns the destination of its contents. `None` for
    /// arrays with several components, arrays of points that are not numbers, and arrays beyond [`MAX_ARRAYS`].
    fn register_data_array(
        &mut self,
        part: Part,
        name: &str,
        tag: &BytesStart<'_>,
    ) -> Result<Option<ArrayDestination>, MeshFileError> {
        let components = attribute(tag, "NumberOfComponents").unwrap_or_default();
        let is_cell_data = part == Part::CellData;
        let arrays = if is_cell_data { &mut self.cell_data } else { &mut self.point_data };
        if !matches!(components.trim(), "" | "0" | "1") {
            return Ok(None);
        }
        if arrays.len() >= MAX_ARRAYS {
            self.has_excess_arrays = true;
            return Ok(None);
        }
        // Skip arrays of strings and other types that are not numbers.
        if !is_cell_data && scalar_attribute(tag).is_err() {
            return Ok(None);
        }
        let array = Array {
            scalar: scalar_attribute(tag)?,
            format: format_attribute(tag)?,
            text: "".into(),
        };
        arrays.push((name.to_owned(), array));
        let index = arrays.len() - 1;
        Ok(Some(if is_cell_data {
            ArrayDestination::CellData(index)
        } else {
            ArrayDestination::PointData(index)
        }))
    }

    /// Sentences on data that were left out.
    pub(super) fn notes(&self) -> Vec<String> {
        let excess = || format!("left out data arrays after the first {MAX_ARRAYS}");
        self.has_excess_arrays.then(excess).into_iter().collect()
    }

    /// Indices into [`NAMES`] of connectivity and offsets of a section of cells.
    pub(super) fn cell_arrays_of(section: usize) -> [usize; 2] {
        [2 + 2 * section, 3 + 2 * section]
    }

    /// Array by its index in [`NAMES`]; an error if it is missing.
    fn required_array(&self, index: usize) -> Result<&Array<'a>, MeshFileError> {
        self.arrays[index].as_ref().ok_or(MeshFileError::Missing { what: NAMES[index] })
    }

    /// Real numbers of one of [`NAMES`].
    pub(super) fn reals(
        &self,
        index: usize,
        appended: Option<&Appended<'_>>,
    ) -> Result<Vec<f64>, MeshFileError> {
        self.required_array(index)?.reals(&self.file, appended).map_err(|e| e.within(NAMES[index]))
    }

    /// Integers of one of [`NAMES`].
    pub(super) fn integers(
        &self,
        index: usize,
        appended: Option<&Appended<'_>>,
    ) -> Result<Vec<i64>, MeshFileError> {
        self.required_array(index)?
            .integers(&self.file, appended)
            .map_err(|e| e.within(NAMES[index]))
    }

    /// The appended data with the offsets of all arrays.
    pub(super) fn appended(&self, data: &'a [u8]) -> Appended<'a> {
        let arrays = self.arrays.iter().flatten();
        let data_arrays = self.cell_data.iter().chain(&self.point_data);
        let arrays = arrays.chain(data_arrays.map(|(_, array)| array));
        let mut starts: Vec<u64> = arrays.filter_map(Array::offset).collect();
        starts.sort_unstable();
        Appended { data, encoding: self.appended, starts }
    }

    /// Decodes all arrays of cell data.
    pub(super) fn cell_data(
        &self,
        appended: Option<&Appended<'_>>,
    ) -> Result<Vec<CellArray>, MeshFileError> {
        self.read_data_arrays(&self.cell_data, appended)
    }

    /// Decodes all arrays of point data.
    pub(super) fn point_data(
        &self,
        appended: Option<&Appended<'_>>,
    ) -> Result<Vec<CellArray>, MeshFileError> {
        self.read_data_arrays(&self.point_data, appended)
    }

    /// Decodes named arrays.
    fn read_data_arrays(
        &self,
        arrays: &[(String, Array<'_>)],
        appended: Option<&Appended<'_>>,
    ) -> Result<Vec<CellArray>, MeshFileError> {
        let read = |(name, array): &(String, Array<'_>)| {
            let values = array.reals(&self.file, appended);
            let values = values.map_err(|e| e.within(format!("data array `{name}`")))?;
            Ok(CellArray::new(name, array.scalar, values))
        };
        arrays.iter().map(read).collect()
    }
}

/// Value of an attribute; entities that XML does not know are kept as they are.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok().flatten()?;
    let value = attribute.value.into_owned();
    // Kept as it is if it has entities unknown to XML.
    Some(
        quick_xml::escape::unescape(&value)
            .map_or_else(|_| value.clone(), |text| text.into_owned()),
    )
}

/// Attribute that is a count or an offset; an error if it is missing.
fn number_attribute(tag: &BytesStart<'_>, name: &'static str) -> Result<u64, MeshFileError> {
    let value = attribute(tag, name).and_then(|value| value.trim().parse().ok());
    value.ok_or(MeshFileError::Missing { what: name })
}

/// Number type of a data array.
fn scalar_attribute(tag: &BytesStart<'_>) -> Result<Scalar, MeshFileError> {
    Ok(match attribute(tag, "type").as_deref() {
        Some("Int8") => Scalar::I8,
        Some("UInt8") => Scalar::U8,
        Some("Int16") => Scalar::I16,
        Some("UInt16") => Scalar::U16,
        Some("Int32") => Scalar::I32,
        Some("UInt32") => Scalar::U32,
        Some("Int64") => Scalar::I64,
        Some("UInt64") => Scalar::U64,
        Some("Float32") => Scalar::F32,
        Some("Float64") => Scalar::F64,
        _ => return Err(MeshFileError::Missing { what: "type of a data array" }),
    })
}

/// Format of a data array.
fn format_attribute(tag: &BytesStart<'_>) -> Result<DataFormat, MeshFileError> {
    match attribute(tag, "format").as_deref() {
        Some("ascii") => Ok(DataFormat::Text),
        Some("binary") => Ok(DataFormat::Base64),
        Some("appended") => Ok(DataFormat::Appended(number_attribute(tag, "offset")?)),
        _ => Err(MeshFileError::Missing { what: "format of a data array" }),
    }
}

impl DataSet {
    /// Type of the data set in the root element.
    fn from_tag(tag: &BytesStart<'_>) -> Result<Self, MeshFileError> {
        match attribute(tag, "type").as_deref() {
            Some("UnstructuredGrid") => Ok(Self::UnstructuredGrid),
            Some("PolyData") => Ok(Self::PolyData),
            other => Err(MeshFileError::Unsupported {
                found: format!("a VTK file of type {}", excerpt(other.unwrap_or("").as_bytes())),
                hint: "a solid is an UnstructuredGrid of tetrahedra, a surface one of faces, or PolyData",
            }),
        }
    }
}

impl FileHeader {
    /// Byte order, header type and compression from the attributes of the root element.
    fn new(tag: &BytesStart<'_>) -> Result<Self, MeshFileError> {
        let unsupported = |found, hint| Err(MeshFileError::Unsupported { found, hint });
        let compression = match attribute(tag, "compressor").as_deref() {
            None => Compression::Absent,
            Some("vtkZLibDataCompressor") => Compression::Zlib,
            Some(other) => {
                let found = format!("a file compressed by {}", excerpt(other.as_bytes()));
                return unsupported(found, "save it with zlib, or without compression");
            }
        };
        let order = match attribute(tag, "byte_order").as_deref() {
            Some("BigEndian") => Encoding::BigEndian,
            _ => Encoding::LittleEndian,
        };
        let header = match attribute(tag, "header_type").as_deref() {
            Some("UInt64") => Scalar::U64,
            _ => Scalar::U32,
        };
        Ok(Self { order, header, compression })
    }
}
