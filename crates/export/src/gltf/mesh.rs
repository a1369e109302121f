//! The mesh of a part: triangles, lines and points, each with attributes and morph targets.

use super::buffer::{Buffer, Target};
use crate::excerpt::Track;
use crate::motion::to_vec3;
use crate::part::Part;
use crate::surface::{Surface, to_vec3s};
use resile_math::Vec3;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Primitive mode of points.
const POINTS: u32 = 0;
/// Primitive mode of line segments.
const LINES: u32 = 1;
/// Primitive mode of triangles.
const TRIANGLES: u32 = 4;

/// A part that is written as a mesh, with the positions of its vertices over time.
pub(super) struct PartMesh<'a> {
    pub(super) part: &'a Part,
    pub(super) track: &'a Track,
    /// Origin of the positions.
    pub(super) pivot: [f32; 3],
    /// Whether each sample after the first is a morph target.
    pub(super) deforms: bool,
    /// Index of the material of the part. Those of its faces follow.
    pub(super) material: usize,
}

/// A glTF vertex of triangles. Corners of triangles that agree in all attributes share a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TriangleVertex {
    /// Vertex of the part.
    point: u32,
    /// Index of a texture coordinate.
    texture: Option<u32>,
    /// Index of a normal, for smooth surfaces.
    normal: Option<u32>,
}

/// Accessor indices of a vertex attribute.
struct AttributeAccessors {
    /// Accessor of the values in the first sample.
    base: usize,
    /// Accessors of the differences from the first sample, one for each morph target.
    targets: Vec<usize>,
}

impl PartMesh<'_> {
    /// Adds the arrays of the mesh to the buffer; returns the JSON object of the mesh.
    pub(super) fn write(&self, buffer: &mut Buffer) -> Value {
        let mut primitives = Vec::new();
        if !self.part.triangles.is_empty() {
            primitives.extend(self.write_triangles(buffer));
        }
        let indices_by_mode =
            [(LINES, self.part.edges.as_flattened()), (POINTS, &self.part.points[..])];
        let mut lines_and_points =
            indices_by_mode.into_iter().filter(|(_, indices)| !indices.is_empty()).peekable();
        if lines_and_points.peek().is_some() {
            let vertices: Vec<u32> = (0..self.part.vertex_count() as u32).collect();
            let positions = self.write_positions(buffer, &vertices);
            let targets: Vec<Value> =
                positions.targets.iter().map(|target| json!({ "POSITION": target })).collect();
            for (mode, indices) in lines_and_points {
                let attributes = (json!({ "POSITION": positions.base }), &targets[..]);
                let primitive = (mode, self.material);
                primitives.push(self.write_primitive(buffer, primitive, indices, attributes));
            }
        }
        let mut mesh = json!({ "name": self.part.name, "primitives": primitives });
        if self.deforms {
            mesh["weights"] = json!(vec![0.0; self.track.positions.len() - 1]);
        }
        mesh
    }

    /// Adds the indices of a primitive of a mode and a material to the buffer; returns the JSON object of the primitive.
    /// `attributes` and the attributes of each of the morph `targets` refer to accessors.
    fn write_primitive(
        &self,
        buffer: &mut Buffer,
        (mode, material): (u32, usize),
        indices: &[u32],
        (attributes, targets): (Value, &[Value]),
    ) -> Value {
        let mut primitive = json!({
            "mode": mode, "indices": buffer.add_indices(indices), "material": material,
            "attributes": attributes,
        });
        if self.deforms {
            primitive["targets"] = json!(targets);
        }
        primitive
    }

    /// Adds the triangles to the buffer; returns the JSON objects of their primitives: one for each material, which share
    /// their vertices. Normals are written if the surface has smooth edges (programs compute flat normals). A point with
    /// several normals or texture coordinates becomes several vertices.
    fn write_triangles(&self, buffer: &mut Buffer) -> Vec<Value> {
        let surface = Surface::of_triangles(self.part, &self.track.positions[0]);
        let (corners, smooth) = (surface.faces().corners(), surface.creases.any_smooth());
        let corner = |k: usize| TriangleVertex {
            point: corners[k],
            texture: surface.texture.as_ref().map(|texture| texture.corners[k]),
            normal: smooth.then(|| surface.creases.corners()[k]),
        };
        let distinct: BTreeSet<TriangleVertex> = (0..corners.len()).map(corner).collect();
        let vertices: Vec<TriangleVertex> = distinct.into_iter().collect();
        let vertex_index = |k| vertices.partition_point(|vertex| *vertex < corner(k)) as u32;
        let indices: Vec<u32> = (0..corners.len()).map(vertex_index).collect();

        let points: Vec<u32> = vertices.iter().map(|vertex| vertex.point).collect();
        let positions = self.write_positions(buffer, &points);
        let mut attributes = json!({ "POSITION": positions.base });
        let mut targets: Vec<Value> =
            positions.targets.iter().map(|target| json!({ "POSITION": target })).collect();
        if smooth {
            let normal_indices: Vec<u32> = vertices.iter().filter_map(|v| v.normal).collect();
            let normals = self.write_normals(buffer, &surface, &normal_indices);
            attributes["NORMAL"] = json!(normals.base);
            for (target, normal) in targets.iter_mut().zip(normals.targets) {
                target["NORMAL"] = json!(normal);
            }
        }
        if let Some(texture) = &surface.texture {
            let texture_indices: Vec<u32> = vertices.iter().filter_map(|v| v.texture).collect();
            // In glTF, (0, 0) is the upper left corner of the image.
            let coordinates = texture_indices.iter().map(|&index| {
                let [u, v] = texture.coordinates[index as usize];
                [u, 1.0 - v]
            });
            let accessor = buffer.add_floats("VEC2", coordinates, Target::Vertices);
            attributes["TEXCOORD_0"] = json!(accessor);
        }
        let by_material = corners_by_material(&surface, &indices);
        let primitives = by_material.into_iter().map(|(material, indices)| {
            let index = material.map_or(self.material, |material| self.material + 1 + material);
            let attributes = (attributes.clone(), &targets[..]);
            self.write_primitive(buffer, (TRIANGLES, index), &indices, attributes)
        });
        primitives.collect()
    }

    /// Adds the positions of points (relative to the pivot) and their displacements in each morph target.
    fn write_positions(&self, buffer: &mut Buffer, points: &[u32]) -> AttributeAccessors {
        let first = &self.track.positions[0];
        let difference =
            |a: &[f32; 3], b: &[f32; 3]| (to_vec3(a) - to_vec3(b)).to_array().map(|x| x as f32);
        let positions = points.iter().map(|&p| difference(&first[p as usize], &self.pivot));
        let base = buffer.add_floats("VEC3", positions, Target::Vertices);
        let write_target = |sample: &Vec<[f32; 3]>| {
            let displacements =
                points.iter().map(|&p| difference(&sample[p as usize], &first[p as usize]));
            buffer.add_floats("VEC3", displacements, Target::Vertices)
        };
        let targets = self.target_samples().iter().map(write_target).collect();
        AttributeAccessors { base, targets }
    }

    /// Adds the normals with these indices and their differences in each morph target.
    fn write_normals(
        &self,
        buffer: &mut Buffer,
        surface: &Surface,
        normal_indices: &[u32],
    ) -> AttributeAccessors {
        let sample_normals = |sample: &[[f32; 3]]| surface.creases.normals(&to_vec3s(sample));
        let mut write = |vector: &dyn Fn(usize) -> Vec3| {
            let rows =
                normal_indices.iter().map(|&n| vector(n as usize).to_array().map(|x| x as f32));
            buffer.add_floats("VEC3", rows, Target::Vertices)
        };
        let first = sample_normals(&self.track.positions[0]);
        let base = write(&|n| first[n]);
        let write_target = |sample: &Vec<[f32; 3]>| {
            let normals = sample_normals(sample);
            write(&|n| normals[n] - first[n])
        };
        let targets = self.target_samples().iter().map(write_target).collect();
        AttributeAccessors { base, targets }
    }

    /// Samples that become morph targets.
    fn target_samples(&self) -> &[Vec<[f32; 3]>] {
        if self.deforms { &self.track.positions[1..] } else { &[] }
    }
}

/// The vertex indices of the triangles of each material, given those of all triangles.
fn corners_by_material(surface: &Surface, indices: &[u32]) -> BTreeMap<Option<usize>, Vec<u32>> {
    let mut by_material: BTreeMap<Option<usize>, Vec<u32>> = BTreeMap::new();
    for (triangle, material) in indices.chunks_exact(3).zip(&surface.materials) {
        by_material.entry(*material).or_default().extend(triangle);
    }
    by_material
}
