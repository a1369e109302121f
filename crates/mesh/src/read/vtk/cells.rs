//! Cell types, and cells from the arrays that describe them.

use super::cell_data::CellArray;
use crate::read::MeshFileError;
use crate::read::elements::{Elements, Kind};
use crate::read::other_solids::Shape;

/// From `vtkCellType.h`; `None` for a number that means nothing there.
fn kind(code: i64) -> Option<Kind> {
    use Kind::{Below, Solid, Tetrahedron};
    Some(match code {
        0 => Below("empty cell"),
        1 => Below("vertex"),
        2 => Below("poly-vertex"),
        3 => Below("line"),
        4 => Below("poly-line"),
        5 => Below("triangle"),
        6 => Below("triangle strip"),
        7 => Below("polygon"),
        8 | 9 => Below("quadrangle"),
        10 => Tetrahedron,
        11 => Solid("voxel", Shape::Voxel),
        12 => Solid("hexahedron", Shape::Hexahedron),
        13 => Solid("wedge", Shape::Prism),
        14 => Solid("pyramid", Shape::Pyramid),
        // Of five and six corners to a side.
        15 | 16 => Solid("prism", Shape::Polyhedron),
        21 | 35 | 68 | 75 => Below("higher-order line"),
        22 | 34 | 69 | 76 => Below("higher-order triangle"),
        23 | 28 | 30 | 70 | 77 => Below("higher-order quadrangle"),
        36 => Below("higher-order polygon"),
        24 => Solid("second-order tetrahedron", Shape::Tetrahedron),
        71 | 78 => Solid("higher-order tetrahedron", Shape::Tetrahedron),
        25 | 29 | 33 | 72 | 79 => Solid("higher-order hexahedron", Shape::Hexahedron),
        26 | 31 | 32 | 73 | 80 => Solid("higher-order wedge", Shape::Prism),
        27 | 37 | 74 | 81 => Solid("higher-order pyramid", Shape::Pyramid),
        41 | 42 => Solid("polyhedron", Shape::Polyhedron),
        _ => return None,
    })
}

/// One list of node numbers for all cells, and where in it each cell ends.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pub(super) connectivity: Vec<i64>,
    pub(super) ends: Vec<i64>,
    pub(super) types: Vec<i64>,
    pub(super) data: Vec<CellArray>,
}

impl Cells {
    pub(super) fn add_to(&self, elements: &mut Elements) -> Result<(), MeshFileError> {
        if self.types.len() != self.ends.len() {
            let (announced, found) = (self.ends.len() as u64, self.types.len() as u64);
            return Err(MeshFileError::CountMismatch { what: "cell types", announced, found });
        }
        let data: Vec<_> =
            self.data.iter().filter(|array| array.values.len() == self.ends.len()).collect();
        let parts: Vec<_> = data.iter().copied().filter(|array| array.names_parts()).collect();
        let mut start = 0;
        for (cell, (&end, &code)) in self.ends.iter().zip(&self.types).enumerate() {
            let nodes = usize::try_from(end).ok().and_then(|end| self.connectivity.get(start..end));
            let Some(nodes) = nodes else {
                let last = self.connectivity.len() as i64;
                let first = start as i64;
                return Err(MeshFileError::CellEnd { cell, end, first, last });
            };
            start = end as usize;
            let Some(kind) = kind(code) else {
                return Err(MeshFileError::Unsupported {
                    found: format!("cell type {code}"),
                    hint: "a solid must be made of linear tetrahedra (type 10)",
                });
            };
            for part in &parts {
                match kind {
                    Kind::Tetrahedron => {
                        elements.groups.add_element(&part.group(cell), elements.tets(), nodes);
                    }
                    _ => elements.groups.add_nodes(&part.group(cell), nodes),
                }
            }
            match (kind, nodes) {
                (Kind::Tetrahedron, &[a, b, c, d]) => {
                    elements.add_tet([a, b, c, d]);
                    data.iter().for_each(|array| array.add_to_field(cell, elements));
                }
                (Kind::Tetrahedron, _) => {
                    let found = nodes.len() as u64;
                    let what = "nodes of a tetrahedron";
                    return Err(MeshFileError::CountMismatch { what, announced: 4, found });
                }
                _ => elements.add_other(kind, nodes),
            }
        }
        Ok(())
    }
}
