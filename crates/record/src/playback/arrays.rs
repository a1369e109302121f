//! Reader of the arrays of a `.vtu` file that [`Vtu`](crate::Vtu) wrote; it validates all contents.
//!
//! The header lists the arrays. They follow it as raw bytes; the length of each array precedes its bytes.

use super::Damage;
use resile_files::{File, Folder};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;

/// Text between the header and the arrays.
const MARKER: &[u8] = b"<AppendedData encoding=\"raw\">\n_";
/// Maximum length of a header (bytes); headers of this program are much shorter.
const MAX_HEADER_BYTES: usize = 1 << 16;
/// Maximum number of bytes after the last array.
const MAX_TRAILER_BYTES: u64 = 1 << 12;

/// XML elements that contain arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    FieldData,
    PointData,
    CellData,
    Points,
    Cells,
}

impl Section {
    /// The section that an XML element begins, if any.
    fn from_element(element: &str) -> Option<Self> {
        let name = element.split([' ', '>', '/', '\n']).next()?;
        Some(match name {
            "FieldData" => Self::FieldData,
            "PointData" => Self::PointData,
            "CellData" => Self::CellData,
            "Points" => Self::Points,
            "Cells" => Self::Cells,
            _ => return None,
        })
    }
}

/// Header entry of an array.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    section: Section,
    pub(super) name: String,
    /// VTK name of the type of its numbers, such as `Float32`.
    kind: String,
    pub(super) components: usize,
    /// Offset of the array after the first array's offset.
    offset: usize,
}

/// A file with the locations of its arrays.
#[derive(Debug)]
pub(super) struct Arrays {
    file: Vec<u8>,
    /// Offset of the first array in the file.
    data_start: usize,
    entries: Vec<Entry>,
}

impl Arrays {
    /// Reads a frame file up to the length announced by its header.
    pub(super) fn read(frames: &Folder, name: &str) -> Result<Self, Damage> {
        let mut file = frames.open_file(name)?;
        let mut header_bytes = Vec::new();
        (&mut file).take(MAX_HEADER_BYTES as u64).read_to_end(&mut header_bytes)?;
        let mut arrays = Self::find(header_bytes)?;
        let (expected, length) = (arrays.expected_length(&file)?, file.length()?);
        if length > expected.saturating_add(MAX_TRAILER_BYTES) {
            return Err(Damage::Longer { expected, found: length });
        }
        let remaining = length.saturating_sub(arrays.file.len() as u64);
        file.seek(SeekFrom::Start(arrays.file.len() as u64))?;
        arrays.file.try_reserve_exact(remaining as usize).map_err(io::Error::from)?;
        file.take(remaining).read_to_end(&mut arrays.file)?;
        // A file whose arrays are truncated is refused as a whole.
        arrays.entries.iter().try_for_each(|entry| arrays.byte_range(entry).map(drop))?;
        Ok(arrays)
    }

    /// End of the last array in the file, by the lengths that precede the arrays.
    fn expected_length(&self, mut file: &File) -> Result<u64, Damage> {
        let mut end = self.data_start as u64;
        for entry in &self.entries {
            let start = data_offset(self.data_start, entry.offset) as u64;
            let mut length = [0; 8];
            // A truncated array is reported when it is read.
            let seek_result = file.seek(SeekFrom::Start(start.saturating_sub(8)));
            if seek_result.and_then(|_| file.read_exact(&mut length)).is_ok() {
                end = end.max(start.saturating_add(u64::from_le_bytes(length)));
            }
        }
        Ok(end)
    }

    /// Finds the arrays of a file by its header.
    fn find(file: Vec<u8>) -> Result<Self, Damage> {
        let header_end = file.windows(MARKER.len()).position(|window| window == MARKER);
        let header_end = header_end
            .ok_or_else(|| Damage::format("it has no header that ends in appended raw data"))?;
        let header = str::from_utf8(&file[..header_end]);
        let header = header.map_err(|_| Damage::format("its header is no text"))?;
        for required in
            ["UnstructuredGrid", "byte_order=\"LittleEndian\"", "header_type=\"UInt64\""]
        {
            if !header.contains(required) {
                return Err(Damage::format(format!("its header lacks {required}")));
            }
        }
        let entries = parse_entries(header)?;
        Ok(Self { data_start: header_end + MARKER.len(), entries, file })
    }

    /// Arrays of a section.
    pub(super) fn in_section(&self, section: Section) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.section == section)
    }

    /// The array of this name in a section, if there is one.
    pub(super) fn find_array(&self, section: Section, name: &str) -> Option<&Entry> {
        self.in_section(section).find(|entry| entry.name == name)
    }

    /// Bytes of a required array with numbers of this type.
    pub(super) fn bytes(&self, section: Section, name: &str, kind: &str) -> Result<&[u8], Damage> {
        let entry = self.find_array(section, name);
        let entry = entry.ok_or_else(|| Damage::format(format!("it has no array \"{name}\"")))?;
        if entry.kind != kind {
            return Err(Damage::format(format!("its array \"{name}\" is not of type {kind}")));
        }
        Ok(&self.file[self.byte_range(entry)?])
    }

    /// Numbers of an array in single precision, to which double precision is rounded; `None` for other types.
    pub(super) fn reals(&self, entry: &Entry) -> Result<Option<Vec<f32>>, Damage> {
        let bytes = &self.file[self.byte_range(entry)?];
        Ok(match entry.kind.as_str() {
            "Float32" => Some(bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect()),
            "Float64" => {
                let doubles = bytes.as_chunks().0.iter().map(|&b| f64::from_le_bytes(b));
                Some(doubles.map(|x| x as f32).collect())
            }
            _ => None,
        })
    }

    /// Unsigned integers of a required array.
    pub(super) fn numbers(&self, section: Section, name: &str) -> Result<Vec<u32>, Damage> {
        let bytes = self.bytes(section, name, "UInt32")?;
        Ok(bytes.as_chunks().0.iter().map(|&b| u32::from_le_bytes(b)).collect())
    }

    /// Numbers in double precision of a required array.
    pub(super) fn doubles(&self, section: Section, name: &str) -> Result<Vec<f64>, Damage> {
        let bytes = self.bytes(section, name, "Float64")?;
        Ok(bytes.as_chunks().0.iter().map(|&b| f64::from_le_bytes(b)).collect())
    }

    /// Zero-terminated texts of a required array.
    pub(super) fn texts(&self, section: Section, name: &str) -> Result<Vec<String>, Damage> {
        // Frames of earlier versions have string arrays.
        let bytes = self
            .bytes(section, name, "UInt8")
            .or_else(|damage| self.bytes(section, name, "String").map_err(|_| damage))?;
        let texts = bytes.split_inclusive(|&byte| byte == 0);
        let text = |bytes: &[u8]| {
            String::from_utf8_lossy(bytes.strip_suffix(&[0]).unwrap_or(bytes)).into_owned()
        };
        Ok(texts.map(text).collect())
    }

    /// Byte range of an array in the file.
    fn byte_range(&self, entry: &Entry) -> Result<Range<usize>, Damage> {
        let Entry { name, offset, .. } = entry;
        let start = data_offset(self.data_start, *offset);
        let available = self.file.len().saturating_sub(start) as u64;
        let truncation = |expected| Damage::Cut { name: name.clone(), expected, found: available };
        let length = self.file.get(start - 8..).and_then(|rest| rest.first_chunk::<8>());
        let length = u64::from_le_bytes(*length.ok_or_else(|| truncation(8))?);
        if length > available {
            return Err(truncation(length));
        }
        Ok(start..start + length as usize)
    }
}

/// Offset in the file of the first byte of an array, which follows the eight bytes of its length.
fn data_offset(data_start: usize, offset: usize) -> usize {
    data_start.saturating_add(offset).saturating_add(8)
}

/// The arrays that a header lists, with the sections that contain them.
///
/// # Errors
/// If an array has no name, type or offset, or no components.
fn parse_entries(header: &str) -> Result<Vec<Entry>, Damage> {
    let mut section = None;
    let mut entries = Vec::new();
    for element in header.split('<') {
        section = Section::from_element(element).or(section);
        let is_array = element.starts_with("DataArray ") || element.starts_with("Array ");
        let Some(section) = section.filter(|_| is_array) else { continue };
        let value_of = |name| attribute(element, name);
        let parse_entry = || {
            let components =
                value_of("NumberOfComponents").map_or(Some(1), |text| text.parse().ok())?;
            Some(Entry {
                section,
                name: value_of("Name")?.to_owned(),
                kind: value_of("type")?.to_owned(),
                components,
                offset: value_of("offset")?.parse().ok()?,
            })
        };
        let entry = parse_entry().filter(|entry| entry.components > 0);
        entries.push(entry.ok_or_else(|| {
            Damage::format(format!("an array is not understood: <{}", element.trim_end()))
        })?);
    }
    Ok(entries)
}

/// Value of an attribute of an XML element.
pub(super) fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let after = element.split_once(&format!(" {name}=\""))?.1;
    Some(after.split_once('"')?.0)
}
