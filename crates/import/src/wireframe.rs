//! Segments and points of meshes: the lines of a Wavefront file, and the edges or nodes of a surface.

use crate::meshes::{Content, ForeignMesh};
use resile_math::Vec3;
use resile_mesh::Wireframe;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// Largest length of a file in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Reads the vertices (`v`) and lines (`l`) of a Wavefront file without faces. Vertices with two coordinates are in the
/// plane z = 0.
///
/// # Errors
/// The reason, if the file cannot be read, or a line is malformed or refers to a vertex that does not exist.
pub(crate) fn read_obj_lines(path: &Path) -> Result<ForeignMesh, String> {
    let text = resile_files::read_text(path, MAX_BYTES).map_err(|error| error.to_string())?;
    let mut wireframe = Wireframe::default();
    for (number, line) in (1..).zip(text.lines()) {
        let malformed = || format!("line {number}: `{line}` is malformed");
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let coordinates: Vec<f64> =
                    words.map(str::parse).collect::<Result<_, _>>().map_err(|_| malformed())?;
                let [x, y, rest @ ..] = &coordinates[..] else { return Err(malformed()) };
                wireframe.positions.push(Vec3::new(*x, *y, rest.first().copied().unwrap_or(0.0)));
            }
            Some("l") => {
                let vertex =
                    |word: &str| word.split('/').next()?.parse::<u32>().ok()?.checked_sub(1);
                let vertices: Vec<u32> =
                    words.map(vertex).collect::<Option<_>>().ok_or_else(malformed)?;
                wireframe.segments.extend(vertices.windows(2).map(|ends| [ends[0], ends[1]]));
            }
            _ => {}
        }
    }
    let count = wireframe.positions.len() as u32;
    if wireframe.segments.iter().flatten().any(|vertex| *vertex >= count) {
        return Err(format!("a line refers to a vertex beyond the last, which is {count}"));
    }
    foreign(wireframe)
}

/// The edges of a surface or of the boundary of a solid; segments and points remain as they are.
pub(crate) fn edges_of(mesh: &ForeignMesh) -> Result<ForeignMesh, String> {
    if let Content::Wireframe(_) = mesh.content {
        return Ok(mesh.clone());
    }
    let sides = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]);
    let edges: BTreeSet<[u32; 2]> = mesh.triangles().into_iter().flat_map(sides).collect();
    foreign(Wireframe {
        positions: mesh.positions().to_vec(),
        segments: edges.into_iter().collect(),
    })
}

/// The nodes of a mesh.
pub(crate) fn points_of(mesh: &ForeignMesh) -> Result<ForeignMesh, String> {
    foreign(Wireframe { positions: mesh.positions().to_vec(), segments: Vec::new() })
}

/// A mesh of these segments and points.
fn foreign(wireframe: Wireframe) -> Result<ForeignMesh, String> {
    wireframe.check().map_err(|error| error.to_string())?;
    let vertex_indices = (0..wireframe.positions.len() as u32).collect();
    let content = Content::Wireframe(wireframe);
    Ok(ForeignMesh { content, vertex_indices, volume_ids: Vec::new() })
}

/// Text of a file with these segments and points, `.seg` or `.pt`.
pub(crate) fn file_text(wireframe: &Wireframe) -> String {
    let mut text = String::new();
    for position in &wireframe.positions {
        let _ = writeln!(text, "v {} {} {}", position.x, position.y, position.z);
    }
    for [a, b] in &wireframe.segments {
        let _ = writeln!(text, "s {} {}", a + 1, b + 1);
    }
    text
}
