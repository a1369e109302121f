//! Runs that were made up.

use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_record::{
    BodyCells, FieldValues, Frame, FrameField, FrameWriter, Playback, Role, Still, Topology, Vtu,
};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A tetrahedron with three equal edges of 0.2 m.
pub(crate) const CORNERS: [Vec3; 4] =
    [Vec3::ZERO, Vec3::new(0.2, 0.0, 0.0), Vec3::new(0.0, 0.2, 0.0), Vec3::new(0.0, 0.0, 0.2)];

/// A run of a tetrahedron that goes along x at 1 m/s, of two particles with a spring at rest, and
/// of a floor, with frames at these times.
pub(crate) fn run(times: &[f64]) -> TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    write(place.path(), times);
    place
}

fn write(folder: &Path, times: &[f64]) {
    let frames = folder.join("frames");
    fs::create_dir_all(&frames).expect("the folder can be written");
    let mut topology = Topology::default();
    topology.gravity = Vec3::new(0.0, -9.81, 0.0);
    let (tets, lines) = (&[[0, 1, 2, 3]], &[[0, 1]]);
    topology.add_body(4, BodyCells { name: "solid", tets, ..BodyCells::default() });
    topology.add_body(2, BodyCells { name: "spring", lines, ..BodyCells::default() });
    let mut writer = FrameWriter::create(&frames, Box::new(Vtu::new(&topology)));
    let square = [[-3.0, -3.0], [3.0, -3.0], [3.0, 3.0], [-3.0, 3.0]];
    let mesh = TriMesh {
        positions: square.map(|[x, z]| Vec3::new(x, 0.0, z)).to_vec(),
        triangles: vec![[0, 2, 1], [0, 3, 2]],
    };
    let floor = Still { body: 2, name: "floor", role: Role::Plane, mesh: &mesh };
    writer.write_planes(&[floor]).expect("the folder can be written");
    let spring = [Vec3::new(0.1, 0.3, 0.6), Vec3::new(0.3, 0.5, 0.6)];
    for &time in times {
        let shift = Vec3::new(time, 0.01, 0.0);
        let points = [CORNERS.map(|p| p + shift).as_slice(), &spring].concat();
        let velocities = [[Vec3::X; 4].as_slice(), &[Vec3::ZERO; 2]].concat();
        let frame = Frame { time, points: &points, velocities: &velocities, fields: &[] };
        writer.write(&frame).expect("the folder can be written");
    }
    let rows: String =
        (1..=100).map(|n| format!("{n},{},0.5,0.25,0.75\n", 0.01 * f64::from(n))).collect();
    let history = format!("step,time,kinetic,potential,total\n{rows}");
    fs::write(folder.join("history.csv"), history).expect("the folder can be written");
}

pub(crate) fn opened(folder: &TempDir) -> Playback {
    Playback::open(folder.path()).unwrap_or_else(|error| panic!("{error}"))
}

/// A run of a cube with the corners (0, 0, 0) and (1, 1, 1), whose field `heat` is one at its only inner point, the
/// centre, and zero on its surface.
pub(crate) fn warm_cube() -> TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    let frames = place.path().join("frames");
    fs::create_dir_all(&frames).expect("the folder can be written");
    let corner = |k: u32| Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2));
    let points: Vec<Vec3> = (0..8).map(corner).chain([Vec3::splat(0.5)]).collect();
    let squares: [[u32; 4]; 6] =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let halves = squares.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    // Faces point outward, so the centre comes first.
    let tets: Vec<[u32; 4]> = halves.map(|[a, b, c]| [8, a, b, c]).collect();
    let mut topology = Topology::default();
    topology.add_body(9, BodyCells { name: "cube", tets: &tets, ..BodyCells::default() });
    let mut writer = FrameWriter::create(&frames, Box::new(Vtu::new(&topology)));
    let heat = points.iter().map(|point| f64::from(*point == Vec3::splat(0.5))).collect();
    let fields = [FrameField { name: "heat", unit: "Pa", values: FieldValues::Scalars(heat) }];
    let velocities = [Vec3::ZERO; 9];
    for time in [0.0, 1.0] {
        let frame = Frame { time, points: &points, velocities: &velocities, fields: &fields };
        writer.write(&frame).expect("the folder can be written");
    }
    place
}
