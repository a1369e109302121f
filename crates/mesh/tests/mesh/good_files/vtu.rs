//! Solids in VTK's XML.

use super::words;
use base64::Engine;
use resile_mesh::TetMesh;
use std::fmt::Write;

/// How the numbers of a file are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Numbers {
    Text,
    Base64,
    /// The header is encoded by itself, as VTK does.
    Base64Padded,
    Raw,
    /// Raw, the most significant byte first, behind lengths of eight bytes.
    RawBig,
    /// Compressed in blocks, in base64.
    Zlib,
    /// Compressed in blocks, raw.
    RawZlib,
}

impl Numbers {
    fn are_compressed(self) -> bool {
        matches!(self, Self::Zlib | Self::RawZlib)
    }
}

/// Bytes of a block before it is compressed: not a multiple of what most arrays have.
const BLOCK: usize = 1000;

/// The header and the blocks of what is compressed.
fn compressed(raw: &[u8]) -> [Vec<u8>; 2] {
    use std::io::Write as _;
    let blocks: Vec<Vec<u8>> = raw
        .chunks(BLOCK)
        .map(|block| {
            let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), Default::default());
            packed.write_all(block).unwrap();
            packed.finish().unwrap()
        })
        .collect();
    let sizes = [blocks.len(), BLOCK, raw.len() % BLOCK].into_iter();
    let header = sizes.chain(blocks.iter().map(Vec::len)).flat_map(|n| (n as u32).to_le_bytes());
    [header.collect(), blocks.concat()]
}

/// Arrays as they are collected.
struct Arrays {
    numbers: Numbers,
    appended: Vec<u8>,
}

/// A number of any type: as text, and its bytes, the least significant one first.
struct Number {
    text: String,
    bytes: Vec<u8>,
}

impl Arrays {
    fn add(&mut self, name: &str, kind: &str, content: &[Number]) -> String {
        let encode = |bytes: &[u8]| base64::prelude::BASE64_STANDARD.encode(bytes);
        let mut raw = Vec::new();
        for number in content {
            let mut bytes = number.bytes.clone();
            if self.numbers == Numbers::RawBig {
                bytes.reverse();
            }
            raw.extend(bytes);
        }
        let header = match self.numbers {
            Numbers::RawBig => (raw.len() as u64).to_be_bytes().to_vec(),
            _ => (raw.len() as u32).to_le_bytes().to_vec(),
        };
        let [header, raw] =
            if self.numbers.are_compressed() { compressed(&raw) } else { [header, raw] };
        let (said, rest) = match self.numbers {
            Numbers::Text => ("ascii", format!(">\n{}", words(content.iter().map(|n| &n.text)))),
            Numbers::Base64 => {
                ("binary", format!(">\n{}", encode(&[&header[..], &raw[..]].concat())))
            }
            Numbers::Base64Padded | Numbers::Zlib => {
                ("binary", format!(">\n{}{}", encode(&header), encode(&raw)))
            }
            _ => ("appended", format!(" offset='{}'>", self.appended.len())),
        };
        self.appended.extend([header, raw].concat());
        // VTK notes ranges inside of arrays, and a remark may stand anywhere.
        format!(
            "<DataArray type='{kind}' Name='{name}' format='{said}'{rest}<!-- a remark -->\n\
             <InformationKey name='L2_NORM_RANGE' length='2'>\n\
             <Value index='0'>0.5</Value>\n</InformationKey>\n</DataArray>\n"
        )
    }
}

macro_rules! numbers {
    ($numbers:expr) => {
        $numbers
            .map(|n| Number { text: n.to_string(), bytes: n.to_le_bytes().to_vec() })
            .collect::<Vec<_>>()
    };
}

/// One piece, with a field that is not to be taken for the cells.
pub(super) fn vtu(mesh: &TetMesh, numbers: Numbers) -> Vec<u8> {
    let mut arrays = Arrays { numbers, appended: Vec::new() };
    let reals = numbers!(mesh.positions.iter().flat_map(|p| p.to_array()));
    let points = arrays.add("p", "Float64", &reals);
    let nodes = numbers!(mesh.tets.iter().flatten());
    let connectivity = arrays.add("connectivity", "UInt32", &nodes);
    let offsets =
        arrays.add("offsets", "Int64", &numbers!((1..=mesh.tets.len() as i64).map(|k| 4 * k)));
    let types = arrays.add("types", "UInt8", &numbers!(mesh.tets.iter().map(|_| 10_u8)));
    let order = match numbers {
        Numbers::RawBig => "byte_order='BigEndian' header_type='UInt64'",
        _ if numbers.are_compressed() => {
            "byte_order='LittleEndian' compressor='vtkZLibDataCompressor'"
        }
        _ => "byte_order='LittleEndian'",
    };
    let mut text = format!(
        "<?xml version='1.0'?>\n<VTKFile type='UnstructuredGrid' version='0.1' {order}>\n\
         <UnstructuredGrid><!-- remark -->\n"
    );
    let (nodes, tets) = (mesh.positions.len(), mesh.tets.len());
    write!(
        text,
        "<Piece NumberOfPoints='{nodes}' NumberOfCells='{tets}'>\n<PointData>\n\
         <DataArray type='Float32' Name='offsets' format='ascii'>7</DataArray>\n</PointData>\n\
         <Points>{points}</Points>\n<Cells>{connectivity}{offsets}{types}</Cells>\n</Piece>\n\
         </UnstructuredGrid>\n"
    )
    .unwrap();
    let mut bytes = text.into_bytes();
    if matches!(numbers, Numbers::Raw | Numbers::RawBig | Numbers::RawZlib) {
        bytes.extend(b"<AppendedData encoding='raw'>\n_");
        bytes.extend(arrays.appended);
        bytes.extend(b"\n</AppendedData>\n");
    }
    bytes.extend(b"</VTKFile>\n");
    bytes
}
