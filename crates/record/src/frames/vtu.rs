//! VTK unstructured grids, and the index that `ParaView` opens.
//!
//! A frame is one grid of all that moves: the tetrahedra of solids, the triangles of bodies
//! that are surfaces and of obstacles that move, lines and points of particles, with the
//! velocity of every point and the number of the body of every cell. Obstacles that stand
//! still are a second file that the index shows with every frame. Arrays are appended raw,
//! a third smaller than in base64.

use super::{Frame, FrameFormat, FrameIndex, Topology};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_mesh::write::{
    Precision, VTK_LINE, VTK_TETRAHEDRON, VTK_TRIANGLE, VTK_VERTEX, VtuCells, VtuGrid,
};
use std::fmt::Write as _;

/// The format `.vtu`, with the index `.pvd`.
#[derive(Debug)]
pub struct Vtu {
    cells: Cells,
}

impl Vtu {
    /// For frames of these bodies.
    pub fn new(topology: &Topology) -> Self {
        let mut cells = Cells::default();
        for (number, body) in (0..).zip(&topology.bodies) {
            body.tets.iter().for_each(|tet| cells.add(tet, VTK_TETRAHEDRON, number));
            body.triangles.iter().for_each(|corners| cells.add(corners, VTK_TRIANGLE, number));
            body.lines.iter().for_each(|line| cells.add(line, VTK_LINE, number));
            body.points.iter().for_each(|&point| cells.add(&[point], VTK_VERTEX, number));
        }
        Self { cells }
    }
}

impl FrameFormat for Vtu {
    fn ending(&self) -> &'static str {
        "vtu"
    }

    fn frame(&self, frame: &Frame<'_>) -> Vec<u8> {
        self.cells.grid(frame.points, Some(frame.velocities))
    }

    fn obstacles(&self, obstacles: &[(u32, &TriMesh)]) -> Vec<u8> {
        surfaces(obstacles.iter().copied())
    }

    fn index(&self) -> Option<&dyn FrameIndex> {
        Some(self)
    }
}

impl FrameIndex for Vtu {
    fn ending(&self) -> &'static str {
        "pvd"
    }

    fn text(&self, frames: &[(f64, String)], obstacles: Option<&str>) -> String {
        let mut text = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n",
        );
        for (time, file) in frames {
            for (part, file) in [Some(file.as_str()), obstacles].into_iter().flatten().enumerate() {
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

/// A `.vtu` file of surfaces, every triangle with the number of its surface as `body`.
pub fn surfaces<'m>(meshes: impl IntoIterator<Item = (u32, &'m TriMesh)>) -> Vec<u8> {
    let (mut cells, mut points) = (Cells::default(), Vec::new());
    for (number, mesh) in meshes {
        let first = points.len() as u32;
        points.extend_from_slice(&mesh.positions);
        for triangle in &mesh.triangles {
            cells.add(&triangle.map(|point| point + first), VTK_TRIANGLE, number);
        }
    }
    cells.grid(&points, None)
}

/// The cells of a grid.
#[derive(Debug, Clone, Default)]
struct Cells {
    cells: VtuCells,
    /// The body, or the obstacle, of each cell.
    bodies: Vec<u32>,
}

impl Cells {
    fn add(&mut self, points: &[u32], kind: u8, body: u32) {
        self.cells.add(points.iter().copied(), kind);
        self.bodies.push(body);
    }

    /// A whole `.vtu` file.
    fn grid(&self, points: &[Vec3], velocities: Option<&[Vec3]>) -> Vec<u8> {
        let mut grid = VtuGrid::new(points, &self.cells, Precision::Single);
        if let Some(velocities) = velocities {
            grid.point_data("velocity", velocities);
        }
        if !self.bodies.is_empty() {
            grid.cell_data("body", &self.bodies);
        }
        let mut file = Vec::new();
        grid.write(&mut file).expect("a vector takes all bytes");
        file
    }
}

#[cfg(test)]
mod tests {
    use super::super::topology::tests::{POINTS, topology};
    use super::*;

    /// The bytes of an array, found through its element as a reader would.
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
    fn a_frame_holds_the_arrays_where_its_elements_say() {
        let frame = Frame { time: 0.0, points: &POINTS, velocities: &[Vec3::X; 8] };
        let file = Vtu::new(&topology()).frame(&frame);
        assert_eq!(array(&file, "points"), single(&POINTS));
        assert_eq!(array(&file, "velocity"), single(&[Vec3::X; 8]));
        assert_eq!(array(&file, "types"), [10, 10, 3, 1]);
        let numbers = |name| -> Vec<u32> {
            let bytes = array(&file, name);
            let words = bytes.chunks_exact(4);
            words.map(|w| u32::from_le_bytes(w.try_into().expect("four bytes"))).collect()
        };
        assert_eq!(numbers("connectivity"), [0, 1, 2, 3, 1, 4, 2, 3, 5, 7, 6]);
        assert_eq!(numbers("offsets"), [4, 8, 10, 11]);
        assert_eq!(numbers("body"), [0, 0, 1, 1]);
    }
}
