//! Cell types, and cells from the arrays that define them.

use super::cell_data::CellArray;
use crate::read::MeshFileError;
use crate::read::elements::{Elements, Kind};
use crate::read::faces::Corners;
use crate::read::other_solids::Shape;
use crate::read::second_order::MiddleOrder;

/// VTK's type number of a set of points.
pub(super) const POLY_VERTEX: i64 = 2;
/// VTK's type number of a polyline.
pub(super) const POLY_LINE: i64 = 4;
/// VTK's type number of a triangle strip.
pub(super) const STRIP: i64 = 6;
/// VTK's type number of a polygon.
pub(super) const POLYGON: i64 = 7;

/// Kind of a cell by its type number in `vtkCellType.h` and its number of nodes; `None` if the type is unknown.
fn kind_of_cell(code: i64, node_count: usize) -> Option<Kind> {
    use Corners::{All, First, Rows, Strip};
    use Kind::{Face, SecondOrder, Skipped, Solid, Tetrahedron};
    Some(match code {
        0 => Skipped("empty cell"),
        1 => Skipped("vertex"),
        POLY_VERTEX => Skipped("poly-vertex"),
        3 => Skipped("line"),
        POLY_LINE => Skipped("poly-line"),
        5 => Face("triangle", First(3)),
        STRIP => Face("triangle strip", Strip),
        POLYGON => Face("polygon", All),
        8 => Face("quadrangle", Rows),
        9 => Face("quadrangle", First(4)),
        10 => Tetrahedron,
        11 => Solid("voxel", Shape::Voxel),
        12 => Solid("hexahedron", Shape::Hexahedron),
        13 => Solid("wedge", Shape::Prism),
        14 => Solid("pyramid", Shape::Pyramid),
        // Prisms with pentagonal and hexagonal bases.
        15 | 16 => Solid("prism", Shape::Polyhedron),
        21 | 35 | 68 | 75 => Skipped("higher-order line"),
        22 | 34 | 69 | 76 => Face("higher-order triangle", First(3)),
        23 | 28 | 30 | 70 | 77 => Face("higher-order quadrangle", First(4)),
        // Corners first, then as many midside nodes.
        36 => Face("higher-order polygon", First(node_count / 2)),
        24 => SecondOrder(MiddleOrder::Vtk),
        71 | 78 if node_count == 10 => SecondOrder(MiddleOrder::Vtk),
        71 | 78 => Solid("higher-order tetrahedron", Shape::Tetrahedron),
        25 | 29 | 33 | 72 | 79 => Solid("higher-order hexahedron", Shape::Hexahedron),
        26 | 31 | 32 | 73 | 80 => Solid("higher-order wedge", Shape::Prism),
        27 | 37 | 74 | 81 => Solid("higher-order pyramid", Shape::Pyramid),
        41 | 42 => Solid("polyhedron", Shape::Polyhedron),
        _ => return None,
    })
}

/// Connectivity of all cells, and the end of each cell in it.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pub(super) connectivity: Vec<i64>,
    pub(super) ends: Vec<i64>,
    pub(super) types: Vec<i64>,
    pub(super) data: Vec<CellArray>,
    /// One value per node; here a mask marks nodes.
    pub(super) point_data: Vec<CellArray>,
}

impl Cells {
    /// Appends cells of one type.
    pub(super) fn append(&mut self, cells: Self, code: i64) {
        let start = self.connectivity.len() as i64;
        self.types.extend(cells.ends.iter().map(|_| code));
        self.ends.extend(cells.ends.iter().map(|end| end.saturating_add(start)));
        self.connectivity.extend(cells.connectivity);
    }

    /// Adds all cells with their groups and fields to `elements`.
    ///
    /// # Errors
    /// If the numbers of cells and types differ, or a cell has an unknown type, a wrong number of nodes, or an end
    /// outside the list of nodes.
    pub(super) fn add_cells_to(&self, elements: &mut Elements) -> Result<(), MeshFileError> {
        if self.types.len() != self.ends.len() {
            let (announced, found) = (self.ends.len() as u64, self.types.len() as u64);
            return Err(MeshFileError::CountMismatch { what: "cell types", announced, found });
        }
        let data: Vec<_> =
            self.data.iter().filter(|array| array.values.len() == self.ends.len()).collect();
        let group_arrays: Vec<_> =
            data.iter().copied().filter(|array| array.names_parts()).collect();
        self.add_marked_nodes(elements);
        self.note_wrong_lengths(elements);
        let point_fields =
            self.point_data.iter().map(|array| (array.name.clone(), array.values.clone()));
        elements.vertex_fields = point_fields.collect();
        let mut start = 0;
        for (cell, (&end, &code)) in self.ends.iter().zip(&self.types).enumerate() {
            let nodes = usize::try_from(end).ok().and_then(|end| self.connectivity.get(start..end));
            let Some(nodes) = nodes else {
                let last = self.connectivity.len() as i64;
                let first = start as i64;
                return Err(MeshFileError::CellEnd { cell, end, first, last });
            };
            start = end as usize;
            let Some(kind) = kind_of_cell(code, nodes.len()) else {
                return Err(MeshFileError::Unsupported {
                    found: format!("cell type {code}"),
                    hint: "a solid must be made of tetrahedra (type 10 or 24)",
                });
            };
            expect_nodes(kind, nodes.len())?;
            let groups: Vec<String> =
                group_arrays.iter().filter_map(|array| array.group(cell)).collect();
            for array in data.iter().filter(|array| !array.is_mask) {
                elements.add_value(&array.name, kind, array.values[cell]);
            }
            elements.add(kind, nodes, groups.iter().map(String::as_str));
        }
        Ok(())
    }

    /// Notes the arrays whose number of values is not that of the cells or points.
    fn note_wrong_lengths(&self, elements: &mut Elements) {
        let points = elements.positions.len();
        for (arrays, items, count) in
            [(&self.data, "cells", self.ends.len()), (&self.point_data, "points", points)]
        {
            let wrong = arrays.iter().filter(|array| array.values.len() != count);
            elements.data_notes.extend(wrong.map(|CellArray { name, values, .. }| {
                format!(
                    "left out the data array `{name}`, which has {} values for {count} {items}",
                    values.len()
                )
            }));
        }
    }

    /// Adds the nodes that masks mark to groups named after the masks.
    fn add_marked_nodes(&self, elements: &mut Elements) {
        let count = elements.positions.len();
        let marks = self.point_data.iter().filter(|array| array.values.len() == count);
        for array in marks.filter(|array| array.is_mask) {
            let marked = (0..count).filter(|&node| array.values[node] == 1.0);
            let nodes: Vec<i64> = marked.map(|node| node as i64).collect();
            if !nodes.is_empty() {
                elements.add_nodes_to_group(&array.name, &nodes);
            }
        }
    }
}

/// Rejects a tetrahedron with the wrong number of nodes.
fn expect_nodes(kind: Kind, nodes: usize) -> Result<(), MeshFileError> {
    let announced = match kind {
        Kind::Tetrahedron => 4,
        Kind::SecondOrder(_) => 10,
        _ => return Ok(()),
    };
    let count = nodes as u64;
    let what = "nodes of a tetrahedron";
    match announced == count {
        true => Ok(()),
        false => Err(MeshFileError::CountMismatch { what, announced, found: count }),
    }
}
