//! The error type shared by mesh formats.

use super::left_out::{LeftOut, list};
use super::{InputError, SyntaxError};
use thiserror::Error;

/// Errors of readers of surfaces and solids.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MeshFileError {
    /// The input could not be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A syntax error, or the file is truncated.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// An error in one part of a file, or in one of two files; locations are relative to the beginning of that
    /// part.
    #[error("in {part}: {error}")]
    Part {
        /// Name of the part, such as `the .ele file`.
        part: String,
        /// Underlying error.
        error: Box<Self>,
    },
    /// A valid file that this reader does not support.
    #[error("{found} is not read; {hint}")]
    Unsupported {
        /// The unsupported feature, such as `a compressed file`.
        found: String,
        /// Suggested remedy.
        hint: &'static str,
    },
    /// A required part is missing.
    #[error("the file has no {what}")]
    Missing {
        /// Name of the part, such as `vertices`.
        what: &'static str,
    },
    /// A part that may occur only once.
    #[error("the file has {what} twice")]
    Repeated {
        /// Name of the part, such as `vertices`.
        what: &'static str,
    },
    /// Counts that contradict each other.
    #[error("{announced} {what} are announced, but {found} follow")]
    CountMismatch {
        /// Counted items, such as `cells`.
        what: &'static str,
        /// Count announced by the file.
        announced: u64,
        /// Count found.
        found: u64,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex}, counted from 0, has a coordinate that is not a finite number")]
    NotFinite {
        /// Index of the vertex in the file's order, from 0.
        vertex: usize,
    },
    /// A face or an element refers to a vertex that does not exist.
    #[error(
        "element {element}, counted from 0, refers to vertex {index}, but they go from {first} to \
         {last}"
    )]
    OutOfRange {
        /// Index of the element in the file's order, from 0.
        element: usize,
        /// Vertex number as written in the file.
        index: i64,
        /// Smallest valid number.
        first: i64,
        /// Largest valid number; less than `first` if there are no vertices.
        last: i64,
    },
    /// A hexahedron, a prism or a pyramid lacks a corner.
    #[error(
        "solid element {element}, counted from 0 among those that are not tetrahedra, {}",
        node.map_or("has too few nodes".to_owned(), |node| format!("refers to node {node}, which is not in the file"))
    )]
    MissingCorner {
        /// Index of the element among the solid elements other than tetrahedra in the file's order, from 0.
        element: usize,
        /// The node, as numbered in the file; `None` if too few are listed.
        node: Option<i64>,
    },
    /// The end of a cell lies outside the list of node numbers.
    #[error(
        "cell {cell}, counted from 0, ends at number {end} of the list of nodes; it must be from \
         {first} to {last}"
    )]
    CellEnd {
        /// Index of the cell in the file's order, from 0.
        cell: usize,
        /// End as written in the file.
        end: i64,
        /// Beginning of the cell.
        first: i64,
        /// Length of the list.
        last: i64,
    },
    /// The file has no faces.
    #[error("the file has no faces")]
    NoFaces,
    /// Two nodes with the same number, in a format with arbitrary node numbers.
    #[error("node {tag} is defined twice")]
    RepeatedNode {
        /// Node number in the file.
        tag: u64,
    },
    /// An element refers to a node that does not exist, in a format with arbitrary node numbers.
    #[error("tetrahedron {element} refers to node {tag}, which is not in the file")]
    UnknownNode {
        /// Element number in the file.
        element: u64,
        /// Node number in the file.
        tag: u64,
    },
    /// A coordinate is NaN or infinite, in a format with arbitrary node numbers.
    #[error("node {tag} has a coordinate that is not a finite number")]
    NodeNotFinite {
        /// Node number in the file.
        tag: u64,
    },
    /// Solid elements that are not linear tetrahedra.
    #[error("{}", list_counts(*tets, others))]
    OtherSolids {
        /// Number of tetrahedra in the file.
        tets: usize,
        /// Other solid elements, by kind.
        others: Vec<LeftOut>,
    },
    /// The file has no solid elements.
    #[error("the file has no tetrahedra (found: {}); a solid needs a volume mesh", list(found))]
    NotASolid {
        /// Elements found instead.
        found: Vec<LeftOut>,
    },
}

impl MeshFileError {
    /// Wraps the error with the name of the part in which it occurred.
    pub(super) fn within(self, part: impl Into<String>) -> Self {
        Self::Part { part: part.into(), error: Box::new(self) }
    }
}

/// Message that lists the elements of a file that is no solid of tetrahedra.
fn list_counts(tets: usize, others: &[LeftOut]) -> String {
    let others = list(others);
    if tets == 0 {
        return format!("the file has {others} and no linear tetrahedra, of which a solid is made");
    }
    let tets = list(&[LeftOut { kind: "tetrahedron".to_owned(), count: tets }]);
    format!(
        "the file has {others} beside {tets}; a solid is made of linear tetrahedra \
             alone, and would have holes without the others"
    )
}

/// Records a part that may occur only once; an error on repetition.
pub(super) fn mark_seen(already: &mut bool, what: &'static str) -> Result<(), MeshFileError> {
    if std::mem::replace(already, true) { Err(MeshFileError::Repeated { what }) } else { Ok(()) }
}
