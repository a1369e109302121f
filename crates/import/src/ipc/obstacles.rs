//! Obstacles of a script: shapes with prescribed motion, mesh objects and half spaces.

use super::ScriptWriter;
use super::place::{self, PlacedShape};
use super::script::{HalfSpace, MeshObject};
use crate::GeneratedMesh;
use crate::draft::{DraftObstacle, DraftShape, Motion};
use crate::meshes::{Content, ForeignMesh, relative_path};
use crate::pose::Pose;
use crate::wireframe;
use resile_math::Vec3;
use resile_mesh::read::Groups;
use resile_mesh::{TriMesh, Wireframe};
use std::collections::BTreeMap;
use std::ops::Range;

impl ScriptWriter<'_> {
    /// Returns the number of consecutive shapes from `first` on that are copies of one `shapeMatrix` with this motion.
    pub(super) fn count_copies(&self, first: usize, motion: &Motion) -> usize {
        let line = self.shapes[first].shape.line;
        let is_copy = |index: &usize| {
            let shape = self.shapes[*index].shape;
            shape.line == line
                && shape.sequence.is_none()
                && self.prescribed_motion(*index).as_ref() == Some(motion)
        };
        1 + (first + 1..self.shapes.len()).take_while(is_copy).count()
    }

    /// Converts a shape to an obstacle with the positions of its mesh sequence, or else with a prescribed motion. Several
    /// `copies` become one obstacle with a generated mesh.
    pub(super) fn shape_obstacle(&mut self, copies: Range<usize>, motion: Motion) -> DraftObstacle {
        let placed = &self.shapes[copies.start];
        let name = self.names.of_file(&placed.path);
        let shape = match &placed.shape.sequence {
            Some(folder) => self.sequence(placed, folder),
            None => None,
        };
        let shape = shape.unwrap_or_else(|| match copies.len() {
            1 => {
                let file = relative_path(self.base, &placed.path);
                DraftShape::Mesh { file, pose: self.pose(copies.start), motion }
            }
            _ => {
                let file = self.mesh_of_copies(&name, copies);
                DraftShape::Mesh { file, pose: Pose::default(), motion }
            }
        });
        DraftObstacle { name, shape, friction: self.script.self_friction }
    }

    /// Generates the mesh of all `copies` of a shape at their places, and returns the name of its file.
    fn mesh_of_copies(&mut self, obstacle: &str, copies: Range<usize>) -> String {
        let mesh = &self.shapes[copies.start].mesh;
        let count = copies.len();
        let poses: Vec<Pose> = copies.map(|index| self.pose(index)).collect();
        let (extension, contents) = match &mesh.content {
            Content::Wireframe(wireframe) => {
                let extension = if wireframe.segments.is_empty() { "pt" } else { "seg" };
                (extension, wireframe_of_copies(wireframe, &poses).into_bytes())
            }
            Content::Solid(_) | Content::Surface(_) => ("obj", surface_of_copies(mesh, &poses)),
        };
        let name = format!("{obstacle}-grid.{extension}");
        self.findings.note(format!(
            "{name} has the {count} copies of `shapeMatrix` at their places, because obstacles are not repeated"
        ));
        self.files.push(GeneratedMesh { name: name.clone(), contents });
        name
    }

    /// Returns the shape of an obstacle with the positions of one file per step in `folder`. The files have the
    /// extension of the file of the shape, or else `obj`. Refuses a missing first file.
    fn sequence(&mut self, placed: &PlacedShape<'_>, folder: &str) -> Option<DraftShape> {
        let own_extension =
            placed.path.extension().and_then(|extension| extension.to_str()).unwrap_or("obj");
        let first_file = |extension: &str| {
            place::resolve(self.file, &format!("{folder}/0.{extension}"))
                .map(|file| (file, extension.to_owned()))
        };
        let Some((file, extension)) = first_file(own_extension).or_else(|| first_file("obj"))
        else {
            let message = format!("meshSeq: there is no file `{folder}/0.{own_extension}`");
            self.findings.refuse(self.file, placed.shape.line, message);
            return None;
        };
        self.findings.note(
            "`meshSeq` begins at the positions of its first file, which the source reaches at the end of the first step",
        );
        let step = self.script.step;
        Some(DraftShape::Animated {
            file: relative_path(self.base, &file),
            pose: Pose::default(),
            frames: relative_path(self.base, &file.with_file_name(format!("#.{extension}"))),
            frame_rate: 1.0 / step,
            start: step,
        })
    }

    /// Converts a mesh object to an obstacle with the motion of the animation. Refuses meshes that cannot be read.
    pub(super) fn object_obstacle(&mut self, object_index: usize) -> Option<DraftObstacle> {
        let object = &self.script.objects[object_index];
        let resolved = place::resolve(self.file, &object.path)
            .ok_or_else(|| "no such file in the folder of the script or above it".to_owned());
        let read = resolved.and_then(|path| Ok((crate::meshes::read(&path)?, path)));
        match read {
            Ok((mesh, path)) => {
                let file = relative_path(self.base, &path);
                let (name, pose) = (self.names.of_file(&path), object_pose(object, &mesh));
                let shape = DraftShape::Mesh {
                    file,
                    pose,
                    motion: self.effects.objects[object_index].clone(),
                };
                Some(DraftObstacle { name, shape, friction: object.friction })
            }
            Err(reason) => {
                self.findings.refuse(
                    self.file,
                    object.line,
                    format!("`{}`: {reason}", object.path),
                );
                None
            }
        }
    }

    /// Converts the half spaces to obstacles.
    pub(super) fn planes(&mut self) -> Vec<DraftObstacle> {
        let planes = self.script.half_spaces.iter();
        let plane = |plane: &HalfSpace| DraftObstacle {
            name: self.names.unique("ground"),
            shape: DraftShape::Plane { point: plane.origin, normal: plane.normal },
            friction: plane.friction,
        };
        planes.map(plane).collect()
    }
}

/// Returns the pose of a mesh object. The source centres it at the mean of its vertices, rotates it, and scales its
/// largest extent to `size`.
fn object_pose(object: &MeshObject, mesh: &ForeignMesh) -> Pose {
    let points = mesh.positions();
    let center = points.iter().sum::<Vec3>() / points.len().max(1) as f64;
    let factor = object.size / mesh.bounds().size().max_element();
    let pose = Pose { turns: place::turns(object.rotate), ..Pose::default() };
    let translation_to_center = pose.rotation() * -center;
    pose.translated(translation_to_center)
        .scaled(factor)
        .translated(Vec3::from_array(object.origin))
}

/// Returns the text of a file with copies of segments and points at these poses.
fn wireframe_of_copies(wireframe: &Wireframe, poses: &[Pose]) -> String {
    let mut copies = Wireframe::default();
    for pose in poses {
        let offset = copies.positions.len() as u32;
        copies.positions.extend(wireframe.positions.iter().map(|point| pose.apply(*point)));
        let segments = wireframe.segments.iter();
        copies.segments.extend(segments.map(|segment| segment.map(|vertex| vertex + offset)));
    }
    wireframe::file_text(&copies)
}

/// Returns the contents of a Wavefront file with copies of the surface of a mesh at these poses.
fn surface_of_copies(mesh: &ForeignMesh, poses: &[Pose]) -> Vec<u8> {
    let triangles = mesh.triangles();
    let mut vertex_of_node: BTreeMap<u32, u32> =
        triangles.iter().flatten().map(|node| (*node, 0)).collect();
    (0..).zip(vertex_of_node.values_mut()).for_each(|(index, vertex)| *vertex = index);
    let mut copies = TriMesh { positions: Vec::new(), triangles: Vec::new() };
    for pose in poses {
        let offset = copies.positions.len() as u32;
        let nodes = vertex_of_node.keys();
        copies.positions.extend(nodes.map(|node| pose.apply(mesh.positions()[*node as usize])));
        let vertex = |node: u32| vertex_of_node[&node] + offset;
        copies.triangles.extend(triangles.iter().map(|triangle| triangle.map(vertex)));
    }
    let mut contents = Vec::new();
    resile_mesh::write::write_obj(&copies, &Groups::default(), &mut contents)
        .expect("writing to memory does not fail");
    contents
}
