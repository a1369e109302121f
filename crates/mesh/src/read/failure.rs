//! The error type shared by mesh formats.

use super::left_out::{LeftOut, list};
use super::{InputError, SyntaxError};
use thiserror::Error;

/// Why a file is not a surface or not a solid.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MeshFileError {
    /// The input could not be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A syntax error, or the file is truncated.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// An error in one part of a file, or in one of two files; locations count from the beginning of that
    /// part.
    #[error("in {part}: {error}")]
    Part {
        /// Such as `the .ele file`.
        part: String,
        /// What is wrong there.
        error: Box<Self>,
    },
    /// A valid file that this reader does not support.
    #[error("{found} is not read; {hint}")]
    Unsupported {
        /// Such as `a compressed file`.
        found: String,
        /// What to do.
        hint: &'static str,
    },
    /// A required part is missing.
    #[error("the file has no {what}")]
    Missing {
        /// Such as `vertices`.
        what: &'static str,
    },
    /// A part that may occur only once.
    #[error("the file has {what} twice")]
    Repeated {
        /// Such as `vertices`.
        what: &'static str,
    },
    /// Counts that contradict each other.
    #[error("{announced} {what} are announced, but {found} follow")]
    CountMismatch {
        /// Such as `cells`.
        what: &'static str,
        /// What stands in the file.
        announced: u64,
        /// What it has.
        found: u64,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex}, counted from 0, has a coordinate that is not a finite number")]
    NotFinite {
        /// Counted from 0 in the file's order.
        vertex: usize,
    },
    /// A face or an element refers to a vertex that is not there.
    #[error(
        "element {element}, counted from 0, refers to vertex {index}, but they go from {first} to \
         {last}"
    )]
    OutOfRange {
        /// Counted from 0 in the file's order.
        element: usize,
        /// As written in the file.
        index: i64,
        /// The smallest number that would do.
        first: i64,
        /// The largest; less than `first` if there are no vertices.
        last: i64,
    },
    /// The end of a cell that does not lie in the list of node numbers.
    #[error(
        "cell {cell}, counted from 0, ends at number {end} of the list of nodes; it must be from \
         {first} to {last}"
    )]
    CellEnd {
        /// Counted from 0 in the file's order.
        cell: usize,
        /// As the file has it.
        end: i64,
        /// Where the cell begins.
        first: i64,
        /// The length of the list.
        last: i64,
    },
    /// No faces at all.
    #[error("the file has no faces")]
    NoFaces,
    /// Two nodes with one number, in a format that numbers its nodes at will.
    #[error("node {tag} is defined twice")]
    RepeatedNode {
        /// As numbered in the file.
        tag: u64,
    },
    /// An element refers to a node that is not there, in such a format.
    #[error("tetrahedron {element} refers to node {tag}, which is not in the file")]
    UnknownNode {
        /// As numbered in the file.
        element: u64,
        /// As numbered in the file.
        tag: u64,
    },
    /// A coordinate is NaN or infinite, in such a format.
    #[error("node {tag} has a coordinate that is not a finite number")]
    NodeNotFinite {
        /// As numbered in the file.
        tag: u64,
    },
    /// Solid elements that are not linear tetrahedra.
    #[error("{}", beside(*tets, others))]
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

impl MeshFileError {
    /// The same, and where it happened.
    pub(super) fn within(self, part: impl Into<String>) -> Self {
        Self::Part { part: part.into(), error: Box::new(self) }
    }
}

fn beside(tets: usize, others: &[LeftOut]) -> String {
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

/// Takes note of a part that may occur only once.
pub(super) fn once(seen: &mut bool, what: &'static str) -> Result<(), MeshFileError> {
    if std::mem::replace(seen, true) { Err(MeshFileError::Repeated { what }) } else { Ok(()) }
}
