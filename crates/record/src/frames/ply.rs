//! Sequences of PLY surfaces, for rendering programs.
//!
//! A frame is one surface of all moving bodies: the boundaries of solids, the triangles of other
//! bodies, springs as edges, particles as isolated vertices. Vertices have their velocity (`vx`,
//! `vy`, `vz`), the number of their body (`body`) and its colour; interior points of solids are
//! omitted. A comment contains the time. Fixed obstacles and planes are separate files of the same
//! format.

use super::{Frame, FrameFormat, Still, Topology};
use resile_math::Vec3;
use resile_mesh::TetMesh;

/// The format `.ply`: binary, little-endian.
#[derive(Debug)]
pub struct Ply {
    /// For each vertex, the index of its point in a frame, ascending, and the number of its body.
    vertices: Vec<(u32, u32)>,
    /// Triangles by vertices.
    triangles: Vec<[u32; 3]>,
    /// Edges by vertices.
    edges: Vec<[u32; 2]>,
}

impl Ply {
    /// Creates the format for frames of these bodies. Costs O(n log n) in the faces of all tetrahedra, whose boundary
    /// is extracted.
    pub fn new(topology: &Topology) -> Self {
        let (mut vertices, mut triangles, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        for body in &topology.bodies {
            let body_number = body.number;
            let solid = TetMesh { positions: Vec::new(), tets: body.tets.clone() };
            let drawn_triangles = [solid.surface().triangles.as_slice(), &body.triangles].concat();
            let corners = drawn_triangles.as_flattened().iter().chain(body.lines.as_flattened());
            vertices.extend(corners.chain(&body.points).map(|&point| (point, body_number)));
            triangles.extend(drawn_triangles);
            edges.extend_from_slice(&body.lines);
        }
        vertices.sort_unstable();
        vertices.dedup();
        let vertex = |point: u32| {
            vertices.partition_point(|&(vertex_number, _)| vertex_number < point) as u32
        };
        triangles.iter_mut().for_each(|corners| *corners = corners.map(vertex));
        edges.iter_mut().for_each(|ends| *ends = ends.map(vertex));
        Self { vertices, triangles, edges }
    }

    /// The header of a frame at a time (s).
    fn header(&self, time: f64) -> String {
        let Self { vertices, triangles, edges } = self;
        format!(
            "ply\nformat binary_little_endian 1.0\ncomment time {time} s\n\
             element vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
             property float vx\nproperty float vy\nproperty float vz\n\
             property uchar red\nproperty uchar green\nproperty uchar blue\n\
             property uint body\nelement face {}\nproperty list uchar uint vertex_indices\n\
             element edge {}\nproperty uint vertex1\nproperty uint vertex2\nend_header\n",
            vertices.len(),
            triangles.len(),
            edges.len()
        )
    }
}

impl FrameFormat for Ply {
    fn ending(&self) -> &'static str {
        "ply"
    }

    fn frame(&self, frame: &Frame<'_>) -> Vec<u8> {
        let mut file = self.header(frame.time).into_bytes();
        for &(point, body) in &self.vertices {
            for vector in [frame.points, frame.velocities].map(|vectors| vectors[point as usize]) {
                file.extend(vector.to_array().into_iter().flat_map(|x| (x as f32).to_le_bytes()));
            }
            file.extend(colour(body));
            file.extend(body.to_le_bytes());
        }
        for corners in &self.triangles {
            file.push(3);
            file.extend(corners.iter().flat_map(|corner| corner.to_le_bytes()));
        }
        file.extend(self.edges.as_flattened().iter().flat_map(|end| end.to_le_bytes()));
        file
    }

    fn still(&self, parts: &[Still<'_>]) -> Vec<u8> {
        let (mut points, mut still) = (Vec::new(), Self::new(&Topology::default()));
        for Still { body, mesh, .. } in parts {
            let first_vertex = points.len() as u32;
            points.extend_from_slice(&mesh.positions);
            still.vertices.extend((first_vertex..points.len() as u32).map(|point| (point, *body)));
            still
                .triangles
                .extend(mesh.triangles.iter().map(|t| t.map(|corner| corner + first_vertex)));
        }
        let velocities = vec![Vec3::ZERO; points.len()];
        still.frame(&Frame { time: 0.0, points: &points, velocities: &velocities, fields: &[] })
    }
}

/// Colour of a body: hues are spaced by the golden ratio, so that neighbouring numbers differ.
fn colour(body: u32) -> [u8; 3] {
    let hue = f64::from(body) * 0.618_033_988_749_895 % 1.0;
    [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|shift| {
        let wave = (std::f64::consts::TAU * (hue - shift)).cos();
        (255.0 * (0.6 + 0.35 * wave)) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::super::topology::tests::{POINTS, topology};
    use super::*;
    use crate::Role;
    use resile_mesh::TriMesh;
    use resile_mesh::read::{Seams, read_ply, read_ply_with};

    #[test]
    fn ply_frame_reads_back() {
        let velocities: Vec<Vec3> = POINTS.iter().map(|p| *p * 0.1).collect();
        let frame = Frame { time: 0.25, points: &POINTS, velocities: &velocities, fields: &[] };
        let format = Ply::new(&topology());
        let file = format.frame(&frame);
        let read = read_ply(&file[..]).expect("it is a surface").mesh;
        // The boundary of the solid: the reader drops vertices without triangles.
        assert_eq!(read.positions, POINTS[..5]);
        assert_eq!((read.triangles.len(), read.defects()), (6, Default::default()));
        let solid =
            TetMesh { positions: POINTS[..5].to_vec(), tets: vec![[0, 1, 2, 3], [1, 4, 2, 3]] };
        assert_eq!(read.enclosed_volume(), solid.volume());
        let header = format.header(0.25);
        assert!(header.contains("comment time 0.25 s"), "{header}");
        assert!(header.contains("element edge 1"), "{header}");
        // Bytes of a vertex, a triangle and an edge.
        assert_eq!(file.len(), header.len() + 8 * (6 * 4 + 3 + 4) + 6 * 13 + 8);
        let last = &file[header.len() + 7 * 31..][..31];
        let numbers: Vec<f32> =
            last[..24].chunks(4).map(|b| f32::from_le_bytes(b.try_into().expect("four"))).collect();
        assert_eq!(numbers, [-1.0, -1.0, -1.0, -0.1, -0.1, -0.1]);
        assert_eq!((&last[24..27], &last[27..]), (&colour(1)[..], &[1, 0, 0, 0][..]));
        assert_ne!(colour(0), colour(1));
    }

    #[test]
    fn obstacles_keep_their_body_numbers() {
        let wall = TriMesh { positions: POINTS[..3].to_vec(), triangles: vec![[0, 1, 2]] };
        let part = |body| Still { body, name: "wall", role: Role::Obstacle, mesh: &wall };
        let file = Ply::new(&topology()).still(&[part(2), part(5)]);
        let read = read_ply_with(&file[..], Seams::Kept).expect("it is a surface").mesh;
        assert_eq!(read.triangles, [[0, 1, 2], [3, 4, 5]]);
        let bodies = file.windows(7).filter(|w| w[..3] == colour(5) && w[3..] == [5, 0, 0, 0]);
        assert_eq!(bodies.count(), 3);
    }
}
