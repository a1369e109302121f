//! Gmsh `.msh`, versions 2.2 and 4.1, text and binary.
//!
//! The format is described in the Gmsh reference manual, sections "MSH file
//! format" and "MSH file format version 2 (legacy)". Both versions and all
//! encodings go through one [`Cursor`], which knows how a number
//! is written; the two versions differ only in the order of the fields.
//!
//! What becomes a solid: the linear tetrahedra. Points, lines and faces are left
//! out and counted, because mesh generators write the boundary along with the
//! inside. Other solid elements are refused, and so are second-order ones:
//! leaving them out would leave a body with holes.
//!
//! Not read: physical groups, periodicity, post-processing fields.

mod element;
mod sections;
mod v2;
mod v4;

use crate::TetMesh;
use crate::read::cursor::{Cursor, Encoding, Location, SyntaxError, excerpt};
use crate::read::{InputError, read_all};
use element::Element;
use resile_linalg::Vec3;
use std::collections::BTreeMap;
use std::io::Read;
use thiserror::Error;

/// A solid, and what the file had beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct GmshMesh {
    /// Tetrahedra in the file's order, nodes in the file's order. Elements may
    /// be inverted: see [`TetMesh::inverted`].
    pub mesh: TetMesh,
    /// What was left out.
    pub report: GmshReport,
}

/// How a file was read and what of it was not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GmshReport {
    /// `"2.2"` or `"4.1"`.
    pub version: &'static str,
    /// How numbers are written.
    pub encoding: Encoding,
    /// Nodes that no tetrahedron uses.
    pub unused_nodes: usize,
    /// Elements that are not tetrahedra, by kind.
    pub left_out: Vec<LeftOut>,
}

/// Elements of one kind that are not part of the solid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Such as `triangle` or `second-order line`.
    pub kind: String,
    /// How many.
    pub count: usize,
}

impl GmshReport {
    /// A sentence for each thing that was left out; none for a file that holds
    /// a solid and nothing else.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.left_out.is_empty() {
            notes.push(format!("left out what is not a tetrahedron: {}", list(&self.left_out)));
        }
        if self.unused_nodes > 0 {
            notes.push(format!("dropped {} nodes that no tetrahedron uses", self.unused_nodes));
        }
        notes
    }
}

/// Why a file is not a solid in a Gmsh format this program reads.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GmshError {
    /// The bytes could not be had.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Something stands where it should not, or the file ends too early.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// Counts that contradict each other.
    #[error("{location}: {announced} {what} are announced, but {found} follow")]
    CountMismatch {
        /// Where.
        location: Location,
        /// Nodes or elements.
        what: &'static str,
        /// What the section's first line says.
        announced: u64,
        /// The sum over its blocks.
        found: u64,
    },
    /// Neither 2.2 nor 4.1.
    #[error("Gmsh format version {version} is not read; save as version 2.2 or 4.1")]
    Version {
        /// As written in the file.
        version: String,
    },
    /// Numbers of other widths than 8 bytes.
    #[error("numbers of {bytes} bytes are not read; only 8")]
    DataSize {
        /// As written in the file.
        bytes: i64,
    },
    /// A section that every mesh has is not there.
    #[error("the file has no ${section} section")]
    MissingSection {
        /// Without the dollar sign.
        section: &'static str,
    },
    /// A section that may be there once comes again.
    #[error("{location}: a second ${section} section")]
    RepeatedSection {
        /// Where.
        location: Location,
        /// Without the dollar sign.
        section: &'static str,
    },
    /// A number that names no kind of element.
    #[error("{location}: {code} is no element type known here")]
    UnknownElement {
        /// Where.
        location: Location,
        /// As written in the file.
        code: i64,
    },
    /// Two nodes with one number.
    #[error("node {tag} is defined twice")]
    RepeatedNode {
        /// As numbered in the file.
        tag: u64,
    },
    /// An element refers to a node that is not there.
    #[error("tetrahedron {element} refers to node {tag}, which is not in the file")]
    UnknownNode {
        /// As numbered in the file.
        element: u64,
        /// As numbered in the file.
        tag: u64,
    },
    /// A coordinate is NaN or infinite.
    #[error("node {tag} has a coordinate that is not a finite number")]
    NotFinite {
        /// As numbered in the file.
        tag: u64,
    },
    /// Solid elements that are not linear tetrahedra.
    #[error(
        "the file has {} beside {tets} tetrahedra: a solid must be made of linear \
         tetrahedra only (remesh it, or save it with element order 1)",
        list(others)
    )]
    OtherSolids {
        /// How many tetrahedra it has.
        tets: usize,
        /// The others.
        others: Vec<LeftOut>,
    },
    /// No solid elements at all.
    #[error("the file has no tetrahedra (found: {}); a solid needs a volume mesh", list(found))]
    NotASolid {
        /// What it has instead.
        found: Vec<LeftOut>,
    },
}

/// Such as `2 of kind line, 3 of kind triangle`.
pub(super) fn list(kinds: &[LeftOut]) -> String {
    if kinds.is_empty() {
        return "no elements".to_owned();
    }
    let words = kinds.iter().map(|k| format!("{} of kind {}", k.count, k.kind));
    words.collect::<Vec<_>>().join(", ")
}

/// What the sections of either version deliver, still with the file's numbers.
#[derive(Debug, Default)]
struct Raw {
    nodes: Vec<(u64, Vec3)>,
    /// Element number, four node numbers.
    tets: Vec<(u64, [u64; 4])>,
    /// Elements that are not linear tetrahedra, by type.
    others: BTreeMap<i64, usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    V2,
    V4,
}

/// Reads a solid. Costs memory for the input and a small multiple of it for the
/// mesh; time is dominated by parsing decimal numbers.
///
/// Nodes that no tetrahedron uses are dropped, and the rest are numbered from 0
/// in the file's order, whatever the file called them.
pub fn read_gmsh(reader: impl Read) -> Result<GmshMesh, GmshError> {
    let bytes = read_all(reader)?;
    let mut cursor = Cursor::new(&bytes);
    let version = read_format(&mut cursor)?;
    let mut raw = Raw::default();
    let (mut nodes_seen, mut elements_seen) = (false, false);
    loop {
        let start = cursor.place();
        let Some(section) = cursor.next_section()? else { break };
        match section {
            "Nodes" => {
                once(&mut nodes_seen, "Nodes", &cursor, start)?;
                match version {
                    Version::V2 => v2::read_nodes(&mut cursor, &mut raw)?,
                    Version::V4 => v4::read_nodes(&mut cursor, &mut raw)?,
                }
                cursor.end_section("$EndNodes")?;
            }
            "Elements" => {
                once(&mut elements_seen, "Elements", &cursor, start)?;
                match version {
                    Version::V2 => v2::read_elements(&mut cursor, &mut raw)?,
                    Version::V4 => v4::read_elements(&mut cursor, &mut raw)?,
                }
                cursor.end_section("$EndElements")?;
            }
            other => cursor.skip_section(other)?,
        }
    }
    for (seen, section) in [(nodes_seen, "Nodes"), (elements_seen, "Elements")] {
        if !seen {
            return Err(GmshError::MissingSection { section });
        }
    }
    let version = if version == Version::V2 { "2.2" } else { "4.1" };
    raw.into_mesh(version, cursor.encoding)
}

fn once(
    seen: &mut bool,
    section: &'static str,
    cursor: &Cursor<'_>,
    start: usize,
) -> Result<(), GmshError> {
    if std::mem::replace(seen, true) {
        return Err(GmshError::RepeatedSection { location: cursor.location_of(start), section });
    }
    Ok(())
}

/// `$MeshFormat`, before which only comments may stand.
fn read_format(cursor: &mut Cursor<'_>) -> Result<Version, GmshError> {
    loop {
        match cursor.next_section()? {
            Some("MeshFormat") => break,
            Some("Comments") => cursor.skip_section("Comments")?,
            _ => return Err(GmshError::MissingSection { section: "MeshFormat" }),
        }
    }
    let version = match cursor.word("a format version")? {
        "2" | "2.0" | "2.1" | "2.2" => Version::V2,
        "4.1" => Version::V4,
        other => return Err(GmshError::Version { version: excerpt(other.as_bytes()) }),
    };
    let binary = match cursor.integer("a file type, 0 or 1")? {
        0 => false,
        1 => true,
        _ => return Err(cursor.unexpected("a file type, 0 or 1").into()),
    };
    let bytes = cursor.integer("a data size")?;
    if bytes != 8 {
        return Err(GmshError::DataSize { bytes });
    }
    if binary {
        cursor.end_line();
        cursor.detect_byte_order()?;
    }
    cursor.end_section("$EndMeshFormat")?;
    Ok(version)
}

impl Raw {
    /// Counts one element of another kind, or keeps a tetrahedron.
    fn add(&mut self, element: &Element, tag: u64, nodes: &[u64]) {
        match nodes {
            &[a, b, c, d] if element.is_linear_tetrahedron() => self.tets.push((tag, [a, b, c, d])),
            _ => *self.others.entry(element.code).or_default() += 1,
        }
    }

    fn into_mesh(self, version: &'static str, encoding: Encoding) -> Result<GmshMesh, GmshError> {
        let left_out = self.refuse_other_solids()?;
        let numbers = self.number_nodes()?;
        let mut used = vec![false; self.nodes.len()];
        let mut tets = Vec::with_capacity(self.tets.len());
        for &(element, tags) in &self.tets {
            let mut corners = [0; 4];
            for (corner, tag) in corners.iter_mut().zip(tags) {
                let place = numbers.binary_search_by_key(&tag, |&(tag, _)| tag);
                let Ok(place) = place else { return Err(GmshError::UnknownNode { element, tag }) };
                *corner = numbers[place].1;
                used[*corner as usize] = true;
            }
            tets.push(corners);
        }
        let unused_nodes = used.iter().filter(|&&u| !u).count();
        let mut kept = vec![0; used.len()];
        let mut positions = Vec::with_capacity(used.len() - unused_nodes);
        for (old, &(_, position)) in self.nodes.iter().enumerate() {
            kept[old] = positions.len() as u32;
            if used[old] {
                positions.push(position);
            }
        }
        tets.iter_mut().flatten().for_each(|node| *node = kept[*node as usize]);
        let report = GmshReport { version, encoding, unused_nodes, left_out };
        Ok(GmshMesh { mesh: TetMesh { positions, tets }, report })
    }

    /// The node numbers of the file in ascending order, each with its place.
    fn number_nodes(&self) -> Result<Vec<(u64, u32)>, GmshError> {
        if let Some(&(tag, _)) = self.nodes.iter().find(|(_, p)| !p.is_finite()) {
            return Err(GmshError::NotFinite { tag });
        }
        let places = self.nodes.iter().zip(0..);
        let mut numbers: Vec<(u64, u32)> = places.map(|(&(tag, _), place)| (tag, place)).collect();
        numbers.sort_unstable();
        match numbers.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(GmshError::RepeatedNode { tag: pair[0].0 }),
            None => Ok(numbers),
        }
    }

    fn refuse_other_solids(&self) -> Result<Vec<LeftOut>, GmshError> {
        let named = |solid: bool| -> Vec<LeftOut> {
            let kinds = self.others.iter().filter_map(|(&code, &count)| {
                let element = Element::of_code(code)?;
                (element.is_solid() == solid).then(|| LeftOut { kind: element.name(), count })
            });
            kinds.collect()
        };
        let (others, left_out) = (named(true), named(false));
        if !others.is_empty() {
            return Err(GmshError::OtherSolids { tets: self.tets.len(), others });
        }
        if self.tets.is_empty() {
            return Err(GmshError::NotASolid { found: left_out });
        }
        Ok(left_out)
    }
}
