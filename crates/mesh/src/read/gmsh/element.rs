//! Gmsh's element types, as far as needed to step over them.

/// One kind of element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Element {
    /// Gmsh's number for it.
    pub(super) code: i64,
    shape: &'static str,
    dimension: u8,
    order: u8,
    /// How many node numbers it has.
    pub(super) nodes: usize,
}

const fn kind(code: i64, shape: &'static str, dimension: u8, order: u8, nodes: usize) -> Element {
    Element { code, shape, dimension, order, nodes }
}

/// From the reference manual, "Legacy formats: MSH file format version 2"; the
/// later versions use the same numbers.
const ELEMENTS: [Element; 33] = [
    kind(1, "line", 1, 1, 2),
    kind(2, "triangle", 2, 1, 3),
    kind(3, "quadrangle", 2, 1, 4),
    kind(4, "tetrahedron", 3, 1, 4),
    kind(5, "hexahedron", 3, 1, 8),
    kind(6, "prism", 3, 1, 6),
    kind(7, "pyramid", 3, 1, 5),
    kind(8, "line", 1, 2, 3),
    kind(9, "triangle", 2, 2, 6),
    kind(10, "quadrangle", 2, 2, 9),
    kind(11, "tetrahedron", 3, 2, 10),
    kind(12, "hexahedron", 3, 2, 27),
    kind(13, "prism", 3, 2, 18),
    kind(14, "pyramid", 3, 2, 14),
    kind(15, "point", 0, 1, 1),
    kind(16, "quadrangle", 2, 2, 8),
    kind(17, "hexahedron", 3, 2, 20),
    kind(18, "prism", 3, 2, 15),
    kind(19, "pyramid", 3, 2, 13),
    kind(20, "triangle", 2, 3, 9),
    kind(21, "triangle", 2, 3, 10),
    kind(22, "triangle", 2, 4, 12),
    kind(23, "triangle", 2, 4, 15),
    kind(24, "triangle", 2, 5, 15),
    kind(25, "triangle", 2, 5, 21),
    kind(26, "line", 1, 3, 4),
    kind(27, "line", 1, 4, 5),
    kind(28, "line", 1, 5, 6),
    kind(29, "tetrahedron", 3, 3, 20),
    kind(30, "tetrahedron", 3, 4, 35),
    kind(31, "tetrahedron", 3, 5, 56),
    kind(92, "hexahedron", 3, 3, 64),
    kind(93, "hexahedron", 3, 4, 125),
];

impl Element {
    /// No kind has more.
    pub(super) const MOST_NODES: usize = 125;

    pub(super) fn of_code(code: i64) -> Option<Self> {
        ELEMENTS.into_iter().find(|element| element.code == code)
    }

    pub(super) fn is_linear_tetrahedron(&self) -> bool {
        self.code == 4
    }

    pub(super) fn is_solid(&self) -> bool {
        self.dimension == 3
    }

    /// Such as `triangle` or `second-order hexahedron`.
    pub(super) fn name(&self) -> String {
        let order = match self.order {
            1 => "",
            2 => "second-order ",
            3 => "third-order ",
            4 => "fourth-order ",
            _ => "fifth-order ",
        };
        format!("{order}{}", self.shape)
    }
}
