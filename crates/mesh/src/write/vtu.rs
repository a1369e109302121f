//! VTK XML `.vtu`, numbers raw after the XML.

use super::group_sets::GroupSets;
use crate::read::Groups;
use crate::{QuadraticMesh, TetMesh};
use resile_math::{Mat3, Vec3};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};

/// VTK's type number of a single point.
pub const VTK_VERTEX: u8 = 1;
/// VTK's type number of a line segment.
pub const VTK_LINE: u8 = 3;
/// VTK's type number of a triangle.
pub const VTK_TRIANGLE: u8 = 5;
/// VTK's type number of a linear tetrahedron.
pub const VTK_TETRAHEDRON: u8 = 10;
/// VTK's type number of a quadratic tetrahedron.
const VTK_QUADRATIC_TETRAHEDRON: u8 = 24;
/// Our nodes in the order of VTK, whose midside nodes are those of the edges 01, 12, 02, 03, 13, 23.
const SECOND_ORDER_NODES: [usize; 10] = [0, 1, 2, 3, 4, 7, 5, 6, 8, 9];

/// Precision of coordinates in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Four bytes per number, rounded: for visualisation.
    Single,
    /// Eight bytes per number, exact.
    Double,
}

/// Cells of an unstructured grid.
///
/// ```
/// use resile_math::Vec3;
/// use resile_mesh::write::{Precision, VTK_TRIANGLE, VtuCells, VtuGrid};
///
/// let mut cells = VtuCells::default();
/// cells.add([0, 1, 2], VTK_TRIANGLE);
/// let mut grid = VtuGrid::new(&[Vec3::ZERO, Vec3::X, Vec3::Y], &cells, Precision::Double);
/// grid.cell_data("body", &[7]);
/// let mut file = Vec::new();
/// grid.write(&mut file).unwrap();
/// assert!(file.starts_with(b"<?xml"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct VtuCells {
    /// Points of all cells, as bytes of `u32`.
    connectivity: Vec<u8>,
    /// End of each cell in `connectivity`, as bytes of `u32` counts.
    offsets: Vec<u8>,
    types: Vec<u8>,
}

impl VtuCells {
    /// Adds a cell of a VTK type, given by its point indices.
    pub fn add(&mut self, points: impl IntoIterator<Item = u32>, vtk_type: u8) {
        self.connectivity.extend(points.into_iter().flat_map(u32::to_le_bytes));
        let end = (self.connectivity.len() / size_of::<u32>()) as u32;
        self.offsets.extend(end.to_le_bytes());
        self.types.push(vtk_type);
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }
}

/// An unstructured grid: points, cells, data of both, and data of the whole grid.
#[derive(Debug)]
pub struct VtuGrid<'a> {
    point_count: usize,
    cell_count: usize,
    precision: Precision,
    field_data: Vec<DataArray<'static>>,
    points: DataArray<'static>,
    cells: [DataArray<'a>; 3],
    point_data: Vec<DataArray<'a>>,
    cell_data: Vec<DataArray<'a>>,
}

/// An array of a file: type, name, number of components, and bytes.
#[derive(Debug)]
struct DataArray<'a> {
    kind: &'static str,
    name: Cow<'a, str>,
    components: usize,
    bytes: Cow<'a, [u8]>,
}

impl<'a> VtuGrid<'a> {
    /// Creates a grid of points (m) and cells.
    pub fn new(points: &[Vec3], cells: &'a VtuCells, precision: Precision) -> Self {
        let cell_array = |kind, name, bytes: &'a [u8]| DataArray {
            kind,
            name: Cow::Borrowed(name),
            components: 1,
            bytes: bytes.into(),
        };
        Self {
            point_count: points.len(),
            cell_count: cells.len(),
            precision,
            field_data: Vec::new(),
            points: vector_array("points", points, precision),
            cells: [
                cell_array("UInt32", "connectivity", &cells.connectivity),
                cell_array("UInt32", "offsets", &cells.offsets),
                cell_array("UInt8", "types", &cells.types),
            ],
            point_data: Vec::new(),
            cell_data: Vec::new(),
        }
    }

    /// Adds one vector per point.
    pub fn point_data(&mut self, name: &'static str, values: &[Vec3]) {
        self.point_data.push(vector_array(name, values, self.precision));
    }

    /// Adds one real number per point.
    pub fn point_scalars(&mut self, name: &'static str, values: &[f64]) {
        self.point_data.push(real_array(name, 1, values.iter().copied(), self.precision));
    }

    /// Adds one symmetric tensor per point: its entries xx, yy, zz, xy, yz, xz, in VTK's order of six
    /// components.
    pub fn point_tensors(&mut self, name: &'static str, values: &[Mat3]) {
        let components = |t: &Mat3| {
            let [x, y, z] = [t.x_axis, t.y_axis, t.z_axis];
            [x.x, y.y, z.z, y.x, z.y, z.x]
        };
        self.point_data.push(real_array(
            name,
            6,
            values.iter().flat_map(components),
            self.precision,
        ));
    }

    /// Adds one integer per cell.
    pub fn cell_data(&mut self, name: &'static str, values: &[u32]) {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.cell_data.push(DataArray {
            kind: "UInt32",
            name: name.into(),
            components: 1,
            bytes: bytes.into(),
        });
    }

    /// Adds real numbers that belong to the whole grid, with `components` numbers per tuple. `ParaView` takes
    /// `TimeValue` as the time of the grid (s).
    pub fn field_reals(&mut self, name: &'static str, components: usize, values: &[f64]) {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.field_data.push(DataArray {
            kind: "Float64",
            name: name.into(),
            components,
            bytes: bytes.into(),
        });
    }

    /// Adds integers that belong to the whole grid.
    pub fn field_numbers(&mut self, name: &'static str, values: &[u32]) {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.field_data.push(DataArray {
            kind: "UInt32",
            name: name.into(),
            components: 1,
            bytes: bytes.into(),
        });
    }

    /// Adds texts that belong to the whole grid, as UTF-8 bytes: only VTK reads its own string arrays, and
    /// meshio rejects a file that has one. Each text ends with a zero byte, so zero bytes inside a text are
    /// removed.
    pub fn field_texts<'t>(
        &mut self,
        name: &'static str,
        values: impl IntoIterator<Item = &'t str>,
    ) {
        let terminated =
            values.into_iter().flat_map(|text| text.bytes().filter(|&b| b != 0).chain([0]));
        let bytes: Vec<u8> = terminated.collect();
        self.field_data.push(DataArray {
            kind: "UInt8",
            name: name.into(),
            components: 1,
            bytes: bytes.into(),
        });
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, writer: impl Write) -> io::Result<()> {
        let mut out = BufWriter::new(writer);
        out.write_all(self.header().as_bytes())?;
        for array in self.arrays().into_iter().rev() {
            out.write_all(&(array.bytes.len() as u64).to_le_bytes())?;
            out.write_all(&array.bytes)?;
        }
        out.write_all(b"\n</AppendedData>\n</VTKFile>\n")?;
        out.flush()
    }

    /// Sections of the piece with their arrays, in the order of the file.
    fn sections(&self) -> [(&'static str, &[DataArray<'_>]); 4] {
        [
            ("PointData", &self.point_data),
            ("CellData", &self.cell_data),
            ("Points", std::slice::from_ref(&self.points)),
            ("Cells", &self.cells),
        ]
    }

    /// All arrays in the order of their XML elements.
    fn arrays(&self) -> Vec<&DataArray<'_>> {
        let section_arrays = self.sections().into_iter().flat_map(|(_, arrays)| arrays);
        self.field_data.iter().chain(section_arrays).collect()
    }

    /// Offset of each array, in the order of the XML elements.
    ///
    /// The last array comes first in the file, for the sake of meshio 5.3.5. It finds an array by the text of
    /// its offset, takes the first element with that text, and overwrites the offsets it has found. With
    /// ascending offsets, some array lengths make it confuse an overwritten offset with another, and it rejects
    /// the file.
    fn offsets(&self) -> Vec<usize> {
        let mut offset = 0;
        let begin = |array: &&DataArray<'_>| {
            let start = offset;
            offset += size_of::<u64>() + array.bytes.len();
            start
        };
        let mut offsets: Vec<usize> = self.arrays().iter().rev().map(begin).collect();
        offsets.reverse();
        offsets
    }

    /// The XML before the appended data, whose arrays follow in the order of their offsets.
    fn header(&self) -> String {
        let mut xml = String::from(
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\">\n\
             <UnstructuredGrid>\n",
        );
        let mut offsets = self.offsets().into_iter();
        self.put_field_data(&mut xml, &mut offsets);
        let _ = writeln!(
            xml,
            "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">",
            self.point_count, self.cell_count
        );
        for (section, arrays) in self.sections() {
            let Some(first) = arrays.first() else { continue };
            // Arrays that a viewer shows by default.
            let _ = match section {
                "PointData" => writeln!(xml, "<PointData Vectors=\"{}\">", first.name),
                "CellData" => writeln!(xml, "<CellData Scalars=\"{}\">", first.name),
                _ => writeln!(xml, "<{section}>"),
            };
            for (DataArray { kind, name, components, .. }, offset) in
                arrays.iter().zip(&mut offsets)
            {
                let _ = writeln!(
                    xml,
                    "<DataArray type=\"{kind}\" Name=\"{name}\" \
                     NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{offset}\"/>"
                );
            }
            let _ = writeln!(xml, "</{section}>");
        }
        xml + "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_"
    }

    /// Writes the section `FieldData`, which belongs to the whole grid.
    fn put_field_data(&self, xml: &mut String, offsets: &mut impl Iterator<Item = usize>) {
        if self.field_data.is_empty() {
            return;
        }
        xml.push_str("<FieldData>\n");
        for (array, offset) in self.field_data.iter().zip(offsets) {
            let _ = writeln!(
                xml,
                "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" \
                 NumberOfTuples=\"{}\" format=\"appended\" offset=\"{offset}\"/>",
                array.kind,
                array.name,
                array.components,
                array.tuples()
            );
        }
        xml.push_str("</FieldData>\n");
    }
}

impl DataArray<'_> {
    /// Number of tuples: the length of the array in bytes divided by that of a tuple.
    fn tuples(&self) -> usize {
        let size = match self.kind {
            "Float64" => size_of::<f64>(),
            "UInt8" => size_of::<u8>(),
            _ => size_of::<u32>(),
        };
        self.bytes.len() / (size * self.components)
    }
}

/// An array of vectors.
fn vector_array(name: &'static str, values: &[Vec3], precision: Precision) -> DataArray<'static> {
    real_array(name, 3, values.iter().flat_map(Vec3::to_array), precision)
}

/// An array of real numbers in the given precision.
fn real_array(
    name: &'static str,
    components: usize,
    numbers: impl Iterator<Item = f64>,
    precision: Precision,
) -> DataArray<'static> {
    let (kind, bytes): (_, Vec<u8>) = match precision {
        Precision::Single => {
            ("Float32", numbers.flat_map(|number| (number as f32).to_le_bytes()).collect())
        }
        Precision::Double => ("Float64", numbers.flat_map(f64::to_le_bytes).collect()),
    };
    DataArray { kind, name: name.into(), components, bytes: bytes.into() }
}

/// Writes a solid as an unstructured grid in double precision. Each group is a mask: a byte array of zeros and
/// ones with the group's name. Cell masks cover tetrahedra first and faces after them; point masks mark other
/// nodes.
///
/// # Errors
/// If writing fails.
pub fn write_vtu(mesh: &TetMesh, groups: &Groups, writer: impl Write) -> io::Result<()> {
    write_solid(&mesh.positions, &mesh.tets, VTK_TETRAHEDRON, groups, writer)
}

/// Writes second-order tetrahedra in the same format. `groups` are those of the linear mesh of their corners, so faces
/// are written by corners.
///
/// # Errors
/// If writing fails.
pub fn write_vtu_quadratic(
    mesh: &QuadraticMesh,
    groups: &Groups,
    writer: impl Write,
) -> io::Result<()> {
    let ordered = |nodes: &[u32; 10]| SECOND_ORDER_NODES.map(|k| nodes[k]);
    let elements: Vec<[u32; 10]> = mesh.elements.iter().map(ordered).collect();
    write_solid(&mesh.positions, &elements, VTK_QUADRATIC_TETRAHEDRON, groups, writer)
}

/// Writes elements of one VTK type over positions (m), the faces of the groups as triangles, and a mask of cells or
/// points for each group.
fn write_solid<const N: usize>(
    positions: &[Vec3],
    elements: &[[u32; N]],
    vtk_type: u8,
    groups: &Groups,
    writer: impl Write,
) -> io::Result<()> {
    let sets = GroupSets::new(elements, groups);
    let mut cells = VtuCells::default();
    elements.iter().for_each(|nodes| cells.add(*nodes, vtk_type));
    sets.faces.iter().for_each(|(face, _)| cells.add(*face, VTK_TRIANGLE));
    let cell_sets: Vec<usize> =
        sets.elements.iter().copied().chain(sets.faces.iter().map(|(_, set)| *set)).collect();
    let mut point_sets = vec![0; positions.len()];
    sets.nodes.iter().for_each(|&(node, set)| point_sets[node as usize] = set);
    let mask = |sets_of_items: &[usize], group: usize| -> Vec<u8> {
        sets_of_items.iter().map(|&set| u8::from(sets.sets[set].contains(&group))).collect()
    };
    let mut grid = VtuGrid::new(positions, &cells, Precision::Double);
    for (group, name) in sets.names.iter().enumerate() {
        let name = quick_xml::escape::escape(*name);
        let arrays = [
            (&mut grid.cell_data, mask(&cell_sets, group)),
            (&mut grid.point_data, mask(&point_sets, group)),
        ];
        for (arrays, bytes) in arrays {
            if bytes.contains(&1) {
                arrays.push(DataArray {
                    kind: "UInt8",
                    name: name.clone(),
                    components: 1,
                    bytes: bytes.into(),
                });
            }
        }
    }
    grid.write(writer)
}
