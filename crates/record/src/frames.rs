//! `frames/`: VTK unstructured grids, and the index that `ParaView` opens.
//!
//! A frame is one grid of all that moves: the tetrahedra of solids, the triangles of bodies
//! that are surfaces and of obstacles that move, lines and points of particles, with the
//! velocity of every point and the number of the body of every cell. Obstacles that stand
//! still are a second file that the index shows with every frame. Arrays are appended raw, in single
//! precision: frames are to be looked at, and a third smaller than in base64.
//! Compression is deliberately absent; it would be one more dependency.

use super::{OutputError, io, write_atomically};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_mesh::write::{
    Precision, VTK_LINE, VTK_TETRAHEDRON, VTK_TRIANGLE, VTK_VERTEX, VtuCells, VtuGrid,
};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const INDEX: &str = "frames.pvd";
const OBSTACLES: &str = "obstacles.vtu";

/// The cells of one body, numbering its own points.
#[derive(Debug, Clone, Copy, Default)]
pub struct BodyCells<'a> {
    /// Tetrahedra.
    pub tets: &'a [[u32; 4]],
    /// Triangles.
    pub triangles: &'a [[u32; 3]],
    /// Lines.
    pub lines: &'a [[u32; 2]],
    /// Points that are drawn on their own.
    pub points: &'a [u32],
}

/// What does not change from frame to frame: the cells of all bodies.
#[derive(Debug, Clone, Default)]
pub struct Topology {
    cells: Cells,
    nodes: u32,
    bodies: u32,
}

impl Topology {
    /// Adds the next body, which has so many points and these cells.
    pub fn add_body(&mut self, nodes: usize, cells: BodyCells<'_>) {
        let (first, body) = (self.nodes, self.bodies);
        let mut add = |cell: &[u32], kind| {
            self.cells.add(cell.iter().map(|node| node + first), kind, body);
        };
        cells.tets.iter().for_each(|tet| add(tet, VTK_TETRAHEDRON));
        cells.triangles.iter().for_each(|triangle| add(triangle, VTK_TRIANGLE));
        cells.lines.iter().for_each(|line| add(line, VTK_LINE));
        cells.points.iter().for_each(|&point| add(&[point], VTK_VERTEX));
        self.nodes += nodes as u32;
        self.bodies += 1;
    }
}

/// Writes frames and their index.
#[derive(Debug)]
pub struct FrameWriter {
    folder: PathBuf,
    cells: Cells,
    times: Vec<f64>,
    obstacles: bool,
}

impl FrameWriter {
    /// Begins the frames of a run.
    pub fn create(folder: &Path, topology: Topology) -> Self {
        let cells = topology.cells;
        Self { folder: folder.to_owned(), cells, times: Vec::new(), obstacles: false }
    }

    /// Takes up the frames of a run, of which `frames` are kept.
    ///
    /// # Errors
    /// If their index cannot be read.
    pub fn resume(folder: &Path, topology: Topology, frames: u64) -> Result<Self, OutputError> {
        let mut writer = Self::create(folder, topology);
        if frames > 0 {
            let path = folder.join(INDEX);
            let index = fs::read_to_string(&path).map_err(io("read", &path))?;
            let times = index.lines().filter(|line| line.contains("part=\"0\""));
            let times = times.filter_map(|line| line.split('"').nth(1)?.parse().ok());
            writer.times = times.take(frames as usize).collect();
        }
        Ok(writer)
    }

    /// How many frames there are.
    pub fn frames(&self) -> u64 {
        self.times.len() as u64
    }

    /// Writes the surfaces of obstacles, once, each with its number in the scene.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write_obstacles<'m>(
        &mut self,
        obstacles: impl IntoIterator<Item = (u32, &'m TriMesh)>,
    ) -> Result<(), OutputError> {
        let path = self.folder.join(OBSTACLES);
        fs::write(&path, surfaces(obstacles)).map_err(io("write", &path))?;
        self.obstacles = true;
        Ok(())
    }

    /// Writes a frame at a time (s), and the index up to it.
    ///
    /// # Errors
    /// If the system refuses.
    ///
    /// # Panics
    /// If there is not one velocity for each point.
    pub fn write(
        &mut self,
        time: f64,
        points: &[Vec3],
        velocities: &[Vec3],
    ) -> Result<(), OutputError> {
        assert_eq!(points.len(), velocities.len(), "one velocity a point");
        let path = self.folder.join(frame_name(self.times.len()));
        fs::write(&path, self.cells.grid(points, Some(velocities))).map_err(io("write", &path))?;
        self.times.push(time);
        write_atomically(&self.folder.join(INDEX), self.index().as_bytes())
    }

    fn index(&self) -> String {
        let mut text = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n",
        );
        for (number, time) in self.times.iter().enumerate() {
            let mut part = |part, file: &str| {
                let _ = writeln!(
                    text,
                    "<DataSet timestep=\"{time}\" part=\"{part}\" file=\"{file}\"/>"
                );
            };
            part(0, &frame_name(number));
            if self.obstacles {
                part(1, OBSTACLES);
            }
        }
        text + "</Collection>\n</VTKFile>\n"
    }
}

/// A `.vtu` file of surfaces, every triangle with the number of its surface as `body`.
pub fn surfaces<'m>(meshes: impl IntoIterator<Item = (u32, &'m TriMesh)>) -> Vec<u8> {
    let (mut cells, mut points) = (Cells::default(), Vec::new());
    for (number, mesh) in meshes {
        let first = points.len() as u32;
        points.extend_from_slice(&mesh.positions);
        for triangle in &mesh.triangles {
            cells.add(triangle.iter().map(|point| point + first), VTK_TRIANGLE, number);
        }
    }
    cells.grid(&points, None)
}

fn frame_name(number: usize) -> String {
    format!("frame_{number:06}.vtu")
}

/// The cells of a grid, which stay.
#[derive(Debug, Clone, Default)]
struct Cells {
    cells: VtuCells,
    /// The body, or the obstacle, of each cell.
    bodies: Vec<u32>,
}

impl Cells {
    fn add(&mut self, nodes: impl Iterator<Item = u32>, kind: u8, body: u32) {
        self.cells.add(nodes, kind);
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
    use super::*;

    fn single(vectors: &[Vec3]) -> Vec<u8> {
        vectors.iter().flat_map(Vec3::to_array).flat_map(|x| (x as f32).to_le_bytes()).collect()
    }

    const POINTS: [Vec3; 8] =
        [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE, Vec3::ZERO, Vec3::NEG_X, Vec3::NEG_ONE];
    /// A body of two tetrahedra, and one of two particles with a spring and one without.
    fn topology() -> Topology {
        let mut topology = Topology::default();
        let tets = &[[0, 1, 2, 3], [1, 4, 2, 3]];
        topology.add_body(5, BodyCells { tets, ..BodyCells::default() });
        let (lines, points) = (&[[0, 2]], &[1]);
        topology.add_body(3, BodyCells { lines, points, ..BodyCells::default() });
        topology
    }

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

    #[test]
    fn a_frame_holds_the_arrays_where_its_elements_say() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer = FrameWriter::create(folder.path(), topology());
        writer.write(0.0, &POINTS, &[Vec3::X; 8]).expect("the folder can be written");
        let file = fs::read(folder.path().join("frame_000000.vtu")).expect("it was written");
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

    #[test]
    fn resumed_frames_are_those_of_an_uninterrupted_run() {
        let index = |folder: &Path| fs::read_to_string(folder.join(INDEX)).expect("it is there");
        let times = [0.0, 1.0 / 60.0, 2.0 / 60.0, 0.1 + 0.2];
        let run = |folder: &Path, writer: &mut FrameWriter, times: &[f64]| {
            let wall = TriMesh { positions: POINTS.to_vec(), triangles: vec![[0, 1, 2]] };
            writer.write_obstacles([(0, &wall)]).expect("the folder can be written");
            for &time in times {
                writer.write(time, &POINTS, &POINTS).expect("the folder can be written");
            }
            index(folder)
        };
        let [whole, killed] = [0, 1].map(|_| tempfile::tempdir().expect("a temporary folder"));
        let (whole, killed) = (whole.path(), killed.path());
        let expected = run(whole, &mut FrameWriter::create(whole, topology()), &times);
        run(killed, &mut FrameWriter::create(killed, topology()), &times[..3]);
        let mut writer = FrameWriter::resume(killed, topology(), 2).expect("the index is there");
        assert_eq!(writer.frames(), 2);
        assert_eq!(run(killed, &mut writer, &times[2..]), expected);
        assert_eq!(expected.matches(OBSTACLES).count(), 4);
    }
}
