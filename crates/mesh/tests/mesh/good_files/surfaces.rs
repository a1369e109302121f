//! Surfaces.

use super::{int, real, words};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use std::fmt::Write;

fn line(point: &Vec3) -> String {
    words(point.to_array()) + "\n"
}

pub(super) fn obj(mesh: &TriMesh) -> String {
    let mut text = "# a remark\nmtllib none.mtl\no ball\n".to_owned();
    text.extend(mesh.positions.iter().map(|p| format!("v {}", line(p))));
    text.push_str("vt 0 0\nvn 0 0 1\ng part\nusemtl red\ns off\nl 1 2\n");
    let count = mesh.positions.len() as i64;
    for (k, &t) in mesh.triangles.iter().enumerate() {
        // Each way of naming a corner, backwards from the last vertex among them.
        let [a, b, c] = t.map(|v| i64::from(v) + 1);
        let [d, e, f] = [a, b, c].map(|v| v - count - 1);
        text += &match k % 4 {
            0 => format!("f {a} {b} {c}\n"),
            1 => format!("f {a}/1 {b}/1 {c}/1\n"),
            2 => format!("f {a}//1 {b}//1 {c}//1\n"),
            _ => format!("f {d}/1/1 {e}/1/1 {f}/1/1\n"),
        };
    }
    text
}

/// With a normal at each point.
pub(super) fn normal_off(mesh: &TriMesh) -> String {
    let mut text = format!("NOFF\n{} {} 0\n", mesh.positions.len(), mesh.triangles.len());
    text.extend(mesh.positions.iter().map(|p| format!("{}0 0 1\n", words(p.to_array()))));
    text.extend(mesh.triangles.iter().map(|&t| format!("3 {}\n", words(t))));
    text
}

pub(super) fn off(mesh: &TriMesh) -> String {
    let mut text = format!("OFF # a remark\n{} {} 0\n", mesh.positions.len(), mesh.triangles.len());
    text.extend(mesh.positions.iter().map(line));
    text.extend(mesh.triangles.iter().map(|&t| format!("3 {}0.5 0.5 0.5\n", words(t))));
    text
}

pub(super) fn ascii_stl(mesh: &TriMesh) -> String {
    let mut text = "solid of some name\n".to_owned();
    for t in 0..mesh.triangles.len() {
        text.push_str("facet normal 0 0 1\nouter loop\n");
        mesh.corners(t).iter().for_each(|p| write!(text, "vertex {}", line(p)).unwrap());
        text.push_str("endloop\nendfacet\n");
    }
    text + "endsolid of some name\n"
}

pub(super) fn binary_stl(mesh: &TriMesh) -> Vec<u8> {
    let mut bytes = b"solid, as some programs begin even binary files".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for t in 0..mesh.triangles.len() {
        bytes.extend([0; 12]);
        let coordinates = mesh.corners(t).into_iter().flat_map(|p| p.to_array());
        bytes.extend(coordinates.flat_map(|c| (c as f32).to_le_bytes()));
        bytes.extend([7, 7]);
    }
    bytes
}

fn ply_header(mesh: &TriMesh, format: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\ncomment none\nelement vertex {}\nproperty double x\n\
         property double y\nproperty uchar red\nproperty double z\nelement face {}\n\
         property list uchar float weights\nproperty list uchar uint vertex_indices\nend_header\n",
        mesh.positions.len(),
        mesh.triangles.len()
    )
}

pub(super) fn ascii_ply(mesh: &TriMesh) -> String {
    let mut text = ply_header(mesh, "ascii");
    text.extend(mesh.positions.iter().map(|p| format!("{} {} 255 {}\n", p.x, p.y, p.z)));
    text.extend(mesh.triangles.iter().map(|&t| format!("2 0.5 nan 3 {}\n", words(t))));
    text
}

pub(super) fn binary_ply(mesh: &TriMesh, big: bool) -> Vec<u8> {
    let format = if big { "binary_big_endian" } else { "binary_little_endian" };
    let mut bytes = ply_header(mesh, format).into_bytes();
    for p in &mesh.positions {
        bytes.extend([real(big, p.x), real(big, p.y)].concat());
        bytes.push(255);
        bytes.extend(real(big, p.z));
    }
    for &t in &mesh.triangles {
        bytes.extend([1, 10, 10, 10, 10, 3]);
        bytes.extend(t.map(|v| int(big, v)).concat());
    }
    bytes
}
