//! Mesh files whose original vertices exports can animate.

use resile_mesh::read::Format;
use resile_record::OriginalFile;
use resile_scene::description::{ExpandedBody, FillMesh, Kind, Obstacle, Scene, Shape};
use std::path::Path;

/// The OBJ files whose vertices are drawn, each with the names of its bodies and obstacles.
pub(super) fn original_files(
    scene: &Scene,
    expanded: &[ExpandedBody],
    folder: &Path,
) -> Vec<OriginalFile> {
    let bodies = expanded.iter().filter_map(|ExpandedBody { body, .. }| {
        let file = match &body.shape {
            Shape::File(file) if body.kind != Kind::Solid => file,
            Shape::Fill { file, surface, .. } if surface.draw == FillMesh::Original => file,
            _ => return None,
        };
        Some((file, body.name.as_str()))
    });
    let obstacles = scene.obstacles.iter().filter_map(|obstacle| match obstacle {
        Obstacle::Mesh { file, name, .. } | Obstacle::Animated { file, name, .. } => {
            Some((file, name.as_str()))
        }
        Obstacle::Plane { .. } | Obstacle::Shape { .. } => None,
    });
    let mut files: Vec<OriginalFile> = Vec::new();
    for (file, name) in bodies.chain(obstacles) {
        if Format::of_name(file) != Some(Format::Obj) {
            continue;
        }
        let path = folder.join(file);
        match files.iter_mut().find(|known| known.path == path) {
            Some(known) => known.bodies.push(name.to_owned()),
            None => {
                let (source, bodies) = (path.clone(), vec![name.to_owned()]);
                files.push(OriginalFile { path, source, bodies });
            }
        }
    }
    files
}
