//! XML `.vtu`: numbers as text, in base64, or raw after the XML; compressed by zlib or not.

use super::array::{Appended, AppendedEncoding, Array, Compression, DataFormat, FileHeader};
use super::cell_data::{CellArray, MOST_ARRAYS};
use super::cells::Cells;
use crate::read::cursor::{Encoding, SyntaxError, excerpt};
use crate::read::elements::{Elements, SolidMesh};
use crate::read::number::Scalar;
use crate::read::{FileLocation, MeshFileError, OtherSolids, read_all};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use resile_math::Vec3;
use std::borrow::Cow;
use std::io::Read;

/// Reads a solid: an unstructured grid of a single piece, compressed by zlib or not at all.
pub fn read_vtu(reader: impl Read, others: OtherSolids) -> Result<SolidMesh, MeshFileError> {
    let bytes = read_all(reader)?;
    let (xml, appended) = split_appended(&bytes);
    let grid = Grid::parse(xml)?;
    let appended = appended.map(|data| grid.appended(data));
    let appended = appended.as_ref();
    let array = |which: usize| {
        grid.arrays[which].as_ref().ok_or(MeshFileError::Missing { what: NAMES[which] })
    };
    let integers = |which: usize| -> Result<Vec<i64>, MeshFileError> {
        array(which)?.integers(&grid.file, appended).map_err(|e| e.within(NAMES[which]))
    };
    let coordinates =
        array(POINTS)?.reals(&grid.file, appended).map_err(|e| e.within(NAMES[POINTS]))?;
    expect_count("coordinates", grid.point_count.saturating_mul(3), coordinates.len())?;
    let (points, _) = coordinates.as_chunks::<3>();
    let cells = Cells {
        connectivity: integers(CONNECTIVITY)?,
        ends: integers(OFFSETS)?,
        types: integers(TYPES)?,
        data: grid.cell_data(appended)?,
    };
    expect_count("cells", grid.cell_count, cells.ends.len())?;
    let positions = points.iter().map(|&p| Vec3::from_array(p)).collect();
    let mut elements = Elements::new(others);
    elements.positions = positions;
    cells.add_to(&mut elements)?;
    elements.finish()
}

fn expect_count(what: &'static str, announced: u64, found: usize) -> Result<(), MeshFileError> {
    let found = found as u64;
    if announced == found {
        Ok(())
    } else {
        Err(MeshFileError::CountMismatch { what, announced, found })
    }
}

/// The XML, and what follows the underscore of `AppendedData`, which need not be text.
fn split_appended(bytes: &[u8]) -> (&[u8], Option<&[u8]>) {
    const TAG: &[u8] = b"<AppendedData";
    let Some(start) = bytes.windows(TAG.len()).position(|w| w == TAG) else {
        return (bytes, None);
    };
    let after = &bytes[start..];
    let tag_end = after.iter().position(|&b| b == b'>').map_or(after.len(), |end| end + 1);
    let data = &after[tag_end..];
    let data = data.iter().position(|&b| b == b'_').map(|mark| &data[mark + 1..]);
    (&bytes[..start + tag_end], data)
}

/// What the XML says.
#[derive(Debug, Default)]
struct Grid<'a> {
    file: FileHeader,
    point_count: u64,
    cell_count: u64,
    pieces: usize,
    /// In the order of [`NAMES`].
    arrays: [Option<Array<'a>>; 4],
    /// With their names.
    cell_data: Vec<(String, Array<'a>)>,
    appended: AppendedEncoding,
}

/// Where an array is kept while its text is read.
#[derive(Debug, Clone, Copy)]
enum Slot {
    /// In the order of [`NAMES`].
    Known(usize),
    CellData(usize),
}

/// The data arrays that matter.
const NAMES: [&str; 4] = [
    "data array of points",
    "data array `connectivity`",
    "data array `offsets`",
    "data array `types`",
];
const POINTS: usize = 0;
const CONNECTIVITY: usize = 1;
const OFFSETS: usize = 2;
const TYPES: usize = 3;

/// In which part of a piece a data array stands.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Points,
    Cells,
    CellData,
    Other,
}

impl<'a> Grid<'a> {
    fn parse(xml: &'a [u8]) -> Result<Self, MeshFileError> {
        let malformed = |at: usize, expected| {
            let found = excerpt(&xml[at.min(xml.len())..]);
            SyntaxError::Expected { location: FileLocation::Byte(at), expected, found }
        };
        let text = std::str::from_utf8(xml)
            .map_err(|error| malformed(error.valid_up_to(), "XML in UTF-8"))?;
        let mut reader = Reader::from_str(text);
        let mut grid = Self::default();
        let mut part = Part::Other;
        let mut current = None;
        // How many tags inside a data array are open: VTK notes ranges there.
        let mut nested = 0_usize;
        loop {
            let event = reader.read_event();
            let at = || reader.error_position() as usize;
            match event.map_err(|_| malformed(at(), "well-formed XML"))? {
                Event::Eof => break,
                Event::Start(tag) if tag.name().as_ref() == "DataArray" => {
                    current = grid.array(part, &tag)?;
                }
                Event::Empty(tag) if tag.name().as_ref() == "DataArray" => {
                    grid.array(part, &tag)?;
                }
                Event::Start(_) if current.is_some() => nested += 1,
                Event::Start(tag) => part = grid.open(part, &tag)?,
                Event::End(_) if nested > 0 => nested -= 1,
                Event::Text(words) if nested == 0 => grid.take_text(current, words.into_inner()),
                Event::End(tag) => match tag.name().as_ref() {
                    "DataArray" => current = None,
                    "Points" | "Cells" | "PointData" | "CellData" | "FieldData" => {
                        part = Part::Other;
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        if grid.pieces == 0 {
            return Err(MeshFileError::Missing { what: "`Piece` of an `UnstructuredGrid`" });
        }
        Ok(grid)
    }

    /// What stands between the tags of a data array; comments may divide it.
    fn take_text(&mut self, array: Option<Slot>, words: Cow<'a, str>) {
        let array = match array {
            Some(Slot::Known(which)) => self.arrays[which].as_mut(),
            Some(Slot::CellData(which)) => self.cell_data.get_mut(which).map(|(_, array)| array),
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

    /// Takes note of a tag; returns the part in which the reader now is.
    fn open(&mut self, part: Part, tag: &BytesStart<'_>) -> Result<Part, MeshFileError> {
        let unsupported = |found: String, hint| Err(MeshFileError::Unsupported { found, hint });
        match tag.name().as_ref() {
            "VTKFile" => {
                self.file = FileHeader::of(tag)?;
                Ok(Part::Other)
            }
            "Piece" => {
                self.pieces += 1;
                if self.pieces > 1 {
                    let found = "a grid in several pieces".to_owned();
                    return unsupported(found, "save it as a single piece");
                }
                self.point_count = number(tag, "NumberOfPoints")?;
                self.cell_count = number(tag, "NumberOfCells")?;
                Ok(Part::Other)
            }
            "Points" => Ok(Part::Points),
            "Cells" => Ok(Part::Cells),
            "CellData" => Ok(Part::CellData),
            "PointData" | "FieldData" => Ok(Part::Other),
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
            _ => Ok(part),
        }
    }

    /// Notes a data array; `None` if it is none of those that matter.
    fn array(&mut self, part: Part, tag: &BytesStart<'_>) -> Result<Option<Slot>, MeshFileError> {
        let name = attribute(tag, "Name");
        if let (Part::CellData, Some(name)) = (part, &name) {
            let components = attribute(tag, "NumberOfComponents").unwrap_or_default();
            if !matches!(components.trim(), "" | "0" | "1") || self.cell_data.len() >= MOST_ARRAYS {
                return Ok(None);
            }
            let array = Array { scalar: scalar(tag)?, format: format(tag)?, text: "".into() };
            self.cell_data.push((name.clone(), array));
            return Ok(Some(Slot::CellData(self.cell_data.len() - 1)));
        }
        let which = match (part, name.as_deref()) {
            (Part::Points, _) => POINTS,
            (Part::Cells, Some("connectivity")) => CONNECTIVITY,
            (Part::Cells, Some("offsets")) => OFFSETS,
            (Part::Cells, Some("types")) => TYPES,
            _ => return Ok(None),
        };
        if self.arrays[which].is_some() {
            return Err(MeshFileError::Repeated { what: NAMES[which] });
        }
        let array = Array { scalar: scalar(tag)?, format: format(tag)?, text: "".into() };
        self.arrays[which] = Some(array);
        Ok(Some(Slot::Known(which)))
    }

    /// What is appended, and where in it arrays begin.
    fn appended(&self, data: &'a [u8]) -> Appended<'a> {
        let arrays = self.arrays.iter().flatten();
        let arrays = arrays.chain(self.cell_data.iter().map(|(_, array)| array));
        let mut starts: Vec<u64> = arrays.filter_map(Array::offset).collect();
        starts.sort_unstable();
        Appended { data, encoding: self.appended, starts }
    }

    fn cell_data(&self, appended: Option<&Appended<'_>>) -> Result<Vec<CellArray>, MeshFileError> {
        let read = |(name, array): &(String, Array<'_>)| {
            let values = array.reals(&self.file, appended);
            let values = values.map_err(|e| e.within(format!("data array `{name}`")))?;
            Ok(CellArray { name: name.clone(), values, integers: array.scalar.is_integer() })
        };
        self.cell_data.iter().map(read).collect()
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.try_get_attribute(name).ok().flatten()?;
    Some(found.value.into_owned())
}

fn number(tag: &BytesStart<'_>, name: &'static str) -> Result<u64, MeshFileError> {
    let value = attribute(tag, name).and_then(|value| value.trim().parse().ok());
    value.ok_or(MeshFileError::Missing { what: name })
}

fn scalar(tag: &BytesStart<'_>) -> Result<Scalar, MeshFileError> {
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

fn format(tag: &BytesStart<'_>) -> Result<DataFormat, MeshFileError> {
    match attribute(tag, "format").as_deref() {
        Some("ascii") => Ok(DataFormat::Text),
        Some("binary") => Ok(DataFormat::Base64),
        Some("appended") => Ok(DataFormat::Appended(number(tag, "offset")?)),
        _ => Err(MeshFileError::Missing { what: "format of a data array" }),
    }
}

impl FileHeader {
    fn of(tag: &BytesStart<'_>) -> Result<Self, MeshFileError> {
        let unsupported = |found, hint| Err(MeshFileError::Unsupported { found, hint });
        match attribute(tag, "type").as_deref() {
            Some("UnstructuredGrid") => {}
            other => {
                let found =
                    format!("a VTK file of type {}", excerpt(other.unwrap_or("").as_bytes()));
                return unsupported(found, "a solid is an UnstructuredGrid of tetrahedra");
            }
        }
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
