//! VTK unstructured grids, and the index that `ParaView` opens.
//!
//! A frame is one grid of all moving bodies: tetrahedra of solids, triangles of surfaces and of moving
//! obstacles, lines and points of particles, with the velocity of every point and the body number of
//! every cell. Fixed obstacles are a second file that the index shows with every frame, and planes a
//! third. Body numbers are the same in all files. Arrays are appended raw, which is a third smaller than
//! base64.
//!
//! `FieldData` holds `TimeValue`, the time (s), `gravity`, and `units`, one line per array. For each number in
//! `body_number` it holds a `body_name` and a `body_role` (body, obstacle or plane). With rods, which are drawn
//! as the lines of their axes, it also holds the `body_radius` of each body (m, zero for others), and with shells
//! and cloth `body_sheet`, one for these bodies: their triangles enclose no solid even if they are closed. With groups of
//! mesh files the cells have the array `group`, and `group_number` and `group_name` list the groups.

use super::topology::OwnedCells;
use super::{FieldValues, Frame, FrameField, FrameFormat, FrameIndex, Role, Still, Topology};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_mesh::write::{
    Precision, VTK_LINE, VTK_TETRAHEDRON, VTK_TRIANGLE, VTK_VERTEX, VtuCells, VtuGrid,
};
use std::fmt::Write as _;

/// The format `.vtu`, with the index `.pvd`.
#[derive(Debug)]
pub struct Vtu {
    cells: CellArrays,
    labels: Labels,
    gravity: Vec3,
}

impl Vtu {
    /// Creates the format for frames of these bodies.
    pub fn new(topology: &Topology) -> Self {
        let (mut cells, mut labels) = (CellArrays::default(), Labels::default());
        for body in &topology.bodies {
            let number = body.number;
            cells.add_groups(body);
            body.tets.iter().for_each(|tet| cells.add(tet, VTK_TETRAHEDRON, number));
            body.triangles.iter().for_each(|corners| cells.add(corners, VTK_TRIANGLE, number));
            body.lines.iter().for_each(|line| cells.add(line, VTK_LINE, number));
            body.points.iter().for_each(|&point| cells.add(&[point], VTK_VERTEX, number));
            labels.add(number, &body.name, body.role);
            labels.radii.push(body.radius.unwrap_or(0.0));
            labels.sheets.push(u32::from(body.is_sheet));
        }
        cells.number_groups();
        Self { cells, labels, gravity: topology.gravity }
    }
}

impl FrameFormat for Vtu {
    fn ending(&self) -> &'static str {
        "vtu"
    }

    fn frame(&self, frame: &Frame<'_>) -> Vec<u8> {
        let mut grid = self.cells.grid(frame.points);
        grid.field_reals("TimeValue", 1, &[frame.time]);
        grid.field_reals("gravity", 3, &self.gravity.to_array());
        self.labels.add_to(&mut grid);
        let units = ["points: m", "velocity: m/s", "gravity: m/s^2", "TimeValue: s"];
        let field_units: Vec<String> =
            frame.fields.iter().map(|field| format!("{}: {}", field.name, field.unit)).collect();
        grid.field_texts("units", units.into_iter().chain(field_units.iter().map(String::as_str)));
        grid.point_data("velocity", frame.velocities);
        for FrameField { name, values, .. } in frame.fields {
            match values {
                FieldValues::Scalars(values) => grid.point_scalars(name, values),
                FieldValues::Vectors(values) => grid.point_data(name, values),
                FieldValues::Tensors(values) => grid.point_tensors(name, values),
            }
        }
        bytes(&grid)
    }

    fn still(&self, parts: &[Still<'_>]) -> Vec<u8> {
        let (cells, points) = join_meshes(parts.iter().map(|part| (part.body, part.mesh)));
        let mut labels = Labels::default();
        parts.iter().for_each(|part| labels.add(part.body, part.name, part.role));
        let mut grid = cells.grid(&points);
        labels.add_to(&mut grid);
        grid.field_texts("units", ["points: m"]);
        bytes(&grid)
    }

    fn index(&self) -> Option<&dyn FrameIndex> {
        Some(self)
    }
}

impl FrameIndex for Vtu {
    fn ending(&self) -> &'static str {
        "pvd"
    }

    fn text(&self, frames: &[(f64, String)], still: &[String]) -> String {
        let mut text = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n",
        );
        for (time, file) in frames {
            for (part, file) in [file].into_iter().chain(still).enumerate() {
                let _ = writeln!(
                    text,
                    "<DataSet timestep=\"{time}\" part=\"{part}\" file=\"{file}\"/>"
                );
            }
        }
        text + "</Collection>\n</VTKFile>\n"
    }

    fn times(&self, text: &str) -> Vec<f64> {
        let times = text.lines().filter(|line| line.contains("part=\"0\""));
        times.filter_map(|line| line.split('"').nth(1)?.parse().ok()).collect()
    }
}

/// The contents of a `.vtu` file of surfaces; the cell array `body` holds, for each triangle, the number of its
/// surface.
pub fn surfaces<'m>(meshes: impl IntoIterator<Item = (u32, &'m TriMesh)>) -> Vec<u8> {
    let (cells, points) = join_meshes(meshes);
    bytes(&cells.grid(&points))
}

/// The cells and points of one grid with the triangles of all meshes, which have body numbers.
fn join_meshes<'m>(
    meshes: impl IntoIterator<Item = (u32, &'m TriMesh)>,
) -> (CellArrays, Vec<Vec3>) {
    let (mut cells, mut points) = (CellArrays::default(), Vec::new());
    for (number, mesh) in meshes {
        let first = points.len() as u32;
        points.extend_from_slice(&mesh.positions);
        for triangle in &mesh.triangles {
            cells.add(&triangle.map(|point| point + first), VTK_TRIANGLE, number);
        }
    }
    (cells, points)
}

/// The contents of a file with this grid.
fn bytes(grid: &VtuGrid<'_>) -> Vec<u8> {
    let mut file = Vec::new();
    grid.write(&mut file).expect("a vector takes all bytes");
    file
}

/// Cells of a grid with their bodies.
#[derive(Debug, Clone, Default)]
struct CellArrays {
    cells: VtuCells,
    /// Body number of each cell.
    bodies: Vec<u32>,
    /// Names of the groups that have a cell, ascending once they are numbered.
    group_names: Vec<String>,
    /// Group of each cell: its number in `group_names` from one, and zero without one. Shorter than `bodies` where no
    /// later cell has a group.
    groups: Vec<u32>,
}

impl CellArrays {
    /// Adds a cell of a VTK type.
    fn add(&mut self, points: &[u32], kind: u8, body: u32) {
        self.cells.add(points.iter().copied(), kind);
        self.bodies.push(body);
    }

    /// Adds the groups of the cells of a body, which are added next. A cell in several groups is given the one with the
    /// fewest cells, and of equal ones the first by name.
    fn add_groups(&mut self, body: &OwnedCells) {
        let first_cell = self.bodies.len();
        let mut groups: Vec<&(String, Vec<u32>)> = body.groups.iter().collect();
        groups.sort_by(|(a, a_cells), (b, b_cells)| {
            b_cells.len().cmp(&a_cells.len()).then_with(|| b.cmp(a))
        });
        for (name, cells) in groups {
            let index = self.group_names.iter().position(|known| known == name);
            let index = index.unwrap_or_else(|| {
                self.group_names.push(name.clone());
                self.group_names.len() - 1
            });
            for &cell in cells {
                let cell = first_cell + cell as usize;
                if cell >= self.groups.len() {
                    self.groups.resize(cell + 1, 0);
                }
                self.groups[cell] = index as u32 + 1;
            }
        }
    }

    /// Numbers the groups in the order of their names, and gives each cell a number.
    fn number_groups(&mut self) {
        if self.group_names.is_empty() {
            return;
        }
        let mut names = self.group_names.clone();
        names.sort_unstable();
        let number = |name: &String| names.partition_point(|other| other < name) as u32 + 1;
        let numbers: Vec<u32> =
            [0].into_iter().chain(self.group_names.iter().map(number)).collect();
        self.groups.resize(self.bodies.len(), 0);
        self.groups.iter_mut().for_each(|group| *group = numbers[*group as usize]);
        self.group_names = names;
    }

    /// The grid of these cells with these points.
    fn grid(&self, points: &[Vec3]) -> VtuGrid<'_> {
        let mut grid = VtuGrid::new(points, &self.cells, Precision::Single);
        if !self.bodies.is_empty() {
            grid.cell_data("body", &self.bodies);
        }
        if !self.group_names.is_empty() {
            grid.cell_data("group", &self.groups);
            let numbers: Vec<u32> = (1..=self.group_names.len() as u32).collect();
            grid.field_numbers("group_number", &numbers);
            grid.field_texts("group_name", self.group_names.iter().map(String::as_str));
        }
        grid
    }
}

/// Names, roles and further properties of bodies; all lists have the order of `numbers`.
#[derive(Debug, Clone, Default)]
struct Labels {
    numbers: Vec<u32>,
    names: Vec<String>,
    roles: Vec<Role>,
    /// Radii of rods (m); zero for other bodies.
    radii: Vec<f64>,
    /// One for bodies whose triangles are sheets.
    sheets: Vec<u32>,
}

impl Labels {
    /// Adds a body.
    fn add(&mut self, number: u32, name: &str, role: Role) {
        self.numbers.push(number);
        self.names.push(name.to_owned());
        self.roles.push(role);
    }

    /// Adds the properties to the field data of a grid.
    fn add_to(&self, grid: &mut VtuGrid<'_>) {
        grid.field_numbers("body_number", &self.numbers);
        grid.field_texts("body_name", self.names.iter().map(String::as_str));
        grid.field_texts("body_role", self.roles.iter().map(|role| role.word()));
        if self.radii.iter().any(|&radius| radius > 0.0) {
            grid.field_reals("body_radius", 1, &self.radii);
        }
        if self.sheets.contains(&1) {
            grid.field_numbers("body_sheet", &self.sheets);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::BodyCells;
    use super::super::topology::tests::{POINTS, topology};
    use super::*;

    /// Bytes of an array, located through its XML element as by a reader.
    fn array(file: &[u8], name: &str) -> Vec<u8> {
        let text = String::from_utf8_lossy(file).into_owned();
        let element = text.lines().find(|line| line.contains(&format!("Name=\"{name}\"")));
        let offset = element.and_then(|line| line.split("offset=\"").nth(1));
        let offset: usize = offset
            .and_then(|rest| rest.split('"').next()?.parse().ok())
            .unwrap_or_else(|| panic!("no array {name}"));
        let marker = b"encoding=\"raw\">\n_";
        let data = file.windows(marker.len()).position(|window| window == marker);
        let start = data.expect("the data are appended") + marker.len() + offset;
        let length = u64::from_le_bytes(file[start..start + 8].try_into().expect("a length"));
        file[start + 8..start + 8 + length as usize].to_vec()
    }

    fn single(vectors: &[Vec3]) -> Vec<u8> {
        vectors.iter().flat_map(Vec3::to_array).flat_map(|x| (x as f32).to_le_bytes()).collect()
    }

    #[test]
    fn cells_have_the_smallest_of_their_groups() {
        let mut topology = topology();
        let group = |name: &str, cells: &[u32]| (name.to_owned(), cells.to_vec());
        let tets = &[[0, 1, 2, 3], [1, 4, 2, 3], [0, 1, 4, 3]];
        let groups = [group("whole", &[0, 1, 2]), group("tip", &[2]), group("edge", &[0])];
        topology
            .add_body(5, BodyCells { name: "part", tets, groups: &groups, ..BodyCells::default() });
        let points = [&POINTS[..], &POINTS[..5]].concat();
        let velocities = &[Vec3::ZERO; 13];
        let frame = Frame { time: 0.0, points: &points, velocities, fields: &[] };
        let file = Vtu::new(&topology).frame(&frame);
        let numbers = |name| -> Vec<u32> {
            let bytes = array(&file, name);
            bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
        };
        // Two tetrahedra, a line and a particle of the other bodies have none.
        assert_eq!(numbers("group"), [0, 0, 0, 0, 1, 3, 2]);
        assert_eq!(numbers("group_number"), [1, 2, 3]);
        assert_eq!(array(&file, "group_name"), b"edge\0tip\0whole\0");
    }

    #[test]
    fn vtu_offsets_address_the_frame_arrays() {
        let pressures: Vec<f64> = (0..8).map(f64::from).collect();
        let fields = [
            FrameField {
                name: "pressure",
                unit: "Pa",
                values: FieldValues::Scalars(pressures.clone()),
            },
            FrameField { name: "force", unit: "N", values: FieldValues::Vectors(vec![Vec3::Z; 8]) },
        ];
        let velocities = &[Vec3::X; 8];
        let frame = Frame { time: 0.25, points: &POINTS, velocities, fields: &fields };
        let file = Vtu::new(&topology()).frame(&frame);
        assert_eq!(array(&file, "points"), single(&POINTS));
        assert_eq!(array(&file, "velocity"), single(&[Vec3::X; 8]));
        let bytes: Vec<u8> = pressures.iter().flat_map(|p| (*p as f32).to_le_bytes()).collect();
        assert_eq!(array(&file, "pressure"), bytes);
        assert_eq!(array(&file, "force"), single(&[Vec3::Z; 8]));
        let units = array(&file, "units");
        assert!(units.ends_with(b"TimeValue: s\0pressure: Pa\0force: N\0"));
        assert_eq!(array(&file, "types"), [10, 10, 3, 1]);
        let numbers = |name| -> Vec<u32> {
            let bytes = array(&file, name);
            let words = bytes.chunks_exact(4);
            words.map(|w| u32::from_le_bytes(w.try_into().expect("four bytes"))).collect()
        };
        assert_eq!(numbers("connectivity"), [0, 1, 2, 3, 1, 4, 2, 3, 5, 7, 6]);
        assert_eq!(numbers("offsets"), [4, 8, 10, 11]);
        assert_eq!(numbers("body"), [0, 0, 1, 1]);
        assert_eq!(numbers("body_number"), [0, 1]);
        assert_eq!(array(&file, "body_name"), b"solid\0two <&\">\0");
        assert_eq!(array(&file, "body_role"), b"body\0body\0");
        assert_eq!(array(&file, "TimeValue"), 0.25f64.to_le_bytes());
    }
}
