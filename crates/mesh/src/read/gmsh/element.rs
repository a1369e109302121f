//! Gmsh's element types. Of elements of higher order only the corners are used.

use crate::read::elements::Kind;
use crate::read::faces::Corners;
use crate::read::other_solids::Shape;
use crate::read::second_order::MiddleOrder;

/// An element type: kind, and number of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) kind: Kind,
    /// Number of nodes.
    pub(super) nodes: usize,
}

/// Gmsh's type number, kind, and number of nodes. From the reference manual, "Legacy formats: MSH file format
/// version 2", and, for quadrangles above the second order, `GmshDefines.h`; later versions use the same numbers.
const ELEMENTS: [(i64, Kind, usize); 39] = [
    (1, Kind::Skipped("line"), 2),
    (2, Kind::Face("triangle", Corners::First(3)), 3),
    (3, Kind::Face("quadrangle", Corners::First(4)), 4),
    (4, Kind::Tetrahedron, 4),
    (5, Kind::Solid("hexahedron", Shape::Hexahedron), 8),
    (6, Kind::Solid("prism", Shape::Prism), 6),
    (7, Kind::Solid("pyramid", Shape::Pyramid), 5),
    (8, Kind::Skipped("second-order line"), 3),
    (9, Kind::Face("second-order triangle", Corners::First(3)), 6),
    (10, Kind::Face("second-order quadrangle", Corners::First(4)), 9),
    (11, Kind::SecondOrder(MiddleOrder::Gmsh), 10),
    (12, Kind::Solid("second-order hexahedron", Shape::Hexahedron), 27),
    (13, Kind::Solid("second-order prism", Shape::Prism), 18),
    (14, Kind::Solid("second-order pyramid", Shape::Pyramid), 14),
    (15, Kind::Skipped("point"), 1),
    (16, Kind::Face("second-order quadrangle", Corners::First(4)), 8),
    (17, Kind::Solid("second-order hexahedron", Shape::Hexahedron), 20),
    (18, Kind::Solid("second-order prism", Shape::Prism), 15),
    (19, Kind::Solid("second-order pyramid", Shape::Pyramid), 13),
    (20, Kind::Face("third-order triangle", Corners::First(3)), 9),
    (21, Kind::Face("third-order triangle", Corners::First(3)), 10),
    (22, Kind::Face("fourth-order triangle", Corners::First(3)), 12),
    (23, Kind::Face("fourth-order triangle", Corners::First(3)), 15),
    (24, Kind::Face("fifth-order triangle", Corners::First(3)), 15),
    (25, Kind::Face("fifth-order triangle", Corners::First(3)), 21),
    (26, Kind::Skipped("third-order line"), 4),
    (27, Kind::Skipped("fourth-order line"), 5),
    (28, Kind::Skipped("fifth-order line"), 6),
    (29, Kind::Solid("third-order tetrahedron", Shape::Tetrahedron), 20),
    (30, Kind::Solid("fourth-order tetrahedron", Shape::Tetrahedron), 35),
    (31, Kind::Solid("fifth-order tetrahedron", Shape::Tetrahedron), 56),
    (36, Kind::Face("third-order quadrangle", Corners::First(4)), 16),
    (37, Kind::Face("fourth-order quadrangle", Corners::First(4)), 25),
    (38, Kind::Face("fifth-order quadrangle", Corners::First(4)), 36),
    (39, Kind::Face("third-order quadrangle", Corners::First(4)), 12),
    (40, Kind::Face("fourth-order quadrangle", Corners::First(4)), 16),
    (41, Kind::Face("fifth-order quadrangle", Corners::First(4)), 20),
    (92, Kind::Solid("third-order hexahedron", Shape::Hexahedron), 64),
    (93, Kind::Solid("fourth-order hexahedron", Shape::Hexahedron), 125),
];

impl Element {
    /// Largest number of nodes of any type.
    pub(super) const MAX_NODES: usize = 125;

    /// Element type by its number in Gmsh; `None` if it is unknown.
    pub(super) fn of_code(code: i64) -> Option<Self> {
        let &(_, kind, nodes) = ELEMENTS.iter().find(|(number, ..)| *number == code)?;
        Some(Self { kind, nodes })
    }

    /// Dimension of the geometric entity that contains the element.
    pub(super) fn dimension(&self) -> i64 {
        match self.kind {
            Kind::Tetrahedron | Kind::SecondOrder(_) | Kind::Solid(..) => 3,
            Kind::Face(..) => 2,
            Kind::Skipped("point") => 0,
            Kind::Skipped(_) => 1,
        }
    }
}
