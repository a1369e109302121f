//! The mesh of a part: triangles, lines and points, each with attributes and morph targets.

use super::buffer::{Buffer, Target};
use crate::excerpt::Track;
use crate::motion::double;
use crate::part::Part;
use crate::surface::{Surface, doubles};
use resile_math::Vec3;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const POINTS: u32 = 0;
const LINES: u32 = 1;
const TRIANGLES: u32 = 4;

/// A part with the motion of its vertices.
pub(super) struct MeshOf<'a> {
    pub(super) part: &'a Part,
    pub(super) track: &'a Track,
    /// Origin of the positions.
    pub(super) pivot: [f32; 3],
    /// Whether each sample after the first is a morph target.
    pub(super) deforms: bool,
    /// Index of its material.
    pub(super) material: usize,
}

/// A vertex of triangles: indices of a point of the part, a texture coordinate and a normal.
type Corner = (u32, Option<u32>, Option<u32>);

impl MeshOf<'_> {
    pub(super) fn write(&self, buffer: &mut Buffer) -> Value {
        let mut primitives = Vec::new();
        if !self.part.triangles.is_empty() {
            primitives.push(self.triangles(buffer));
        }
        let others = [(LINES, self.part.edges.as_flattened()), (POINTS, &self.part.points[..])];
        let mut others = others.into_iter().filter(|(_, indices)| !indices.is_empty()).peekable();
        if others.peek().is_some() {
            let vertices: Vec<u32> = (0..self.part.vertices() as u32).collect();
            let (position, targets) = self.positions(buffer, &vertices);
            let targets = targets.into_iter().map(|shape| json!({ "POSITION": shape })).collect();
            for (mode, indices) in others {
                let attributes = json!({ "POSITION": position });
                primitives.push(self.primitive(buffer, mode, indices, attributes, &targets));
            }
        }
        let mut mesh = json!({ "name": self.part.name, "primitives": primitives });
        if self.deforms {
            mesh["weights"] = json!(vec![0.0; self.track.positions.len() - 1]);
        }
        mesh
    }

    fn primitive(
        &self,
        buffer: &mut Buffer,
        mode: u32,
        indices: &[u32],
        attributes: Value,
        targets: &Vec<Value>,
    ) -> Value {
        let mut primitive = json!({
            "mode": mode, "indices": buffer.indices(indices), "material": self.material,
            "attributes": attributes,
        });
        if self.deforms {
            primitive["targets"] = json!(targets);
        }
        primitive
    }

    /// Triangles, with normals if any are smooth (programs compute flat normals). A point with several normals
    /// or texture coordinates becomes several vertices.
    fn triangles(&self, buffer: &mut Buffer) -> Value {
        let surface = Surface::of_triangles(self.part, &self.track.positions[0]);
        let (corners, smooth) = (surface.faces().corners(), surface.creases.any_smooth());
        let corner = |k: usize| -> Corner {
            let texture = surface.texture.as_ref().map(|texture| texture.corners[k]);
            (corners[k], texture, smooth.then(|| surface.creases.corners()[k]))
        };
        let vertices: BTreeSet<Corner> = (0..corners.len()).map(corner).collect();
        let vertices: Vec<Corner> = vertices.into_iter().collect();
        let index = |k| vertices.partition_point(|other| *other < corner(k)) as u32;
        let indices: Vec<u32> = (0..corners.len()).map(index).collect();

        let points: Vec<u32> = vertices.iter().map(|vertex| vertex.0).collect();
        let (position, positions) = self.positions(buffer, &points);
        let mut attributes = json!({ "POSITION": position });
        let mut targets: Vec<Value> =
            positions.into_iter().map(|shape| json!({ "POSITION": shape })).collect();
        if smooth {
            let numbers: Vec<u32> = vertices.iter().filter_map(|vertex| vertex.2).collect();
            let (normal, normals) = self.normals(buffer, &surface, &numbers);
            attributes["NORMAL"] = json!(normal);
            for (target, normal) in targets.iter_mut().zip(normals) {
                target["NORMAL"] = json!(normal);
            }
        }
        if let Some(texture) = &surface.texture {
            let numbers: Vec<u32> = vertices.iter().filter_map(|vertex| vertex.1).collect();
            // In glTF, (0, 0) is the upper left corner of the image.
            let pair = |&number: &u32| {
                let [u, v] = texture.coordinates[number as usize];
                [u, 1.0 - v]
            };
            let pairs = buffer.floats("VEC2", numbers.iter().map(pair), Target::Vertices);
            attributes["TEXCOORD_0"] = json!(pairs);
        }
        self.primitive(buffer, TRIANGLES, &indices, attributes, &targets)
    }

    /// Accessors of the positions of points, and of the displacements of each morph target.
    fn positions(&self, buffer: &mut Buffer, points: &[u32]) -> (usize, Vec<usize>) {
        let first = &self.track.positions[0];
        let minus =
            |a: &[f32; 3], b: &[f32; 3]| [0, 1, 2].map(|k| (double(a) - double(b))[k] as f32);
        let rows = points.iter().map(|&p| minus(&first[p as usize], &self.pivot));
        let base = buffer.floats("VEC3", rows, Target::Vertices);
        let shape = |sample: &Vec<[f32; 3]>| {
            let rows = points.iter().map(|&p| p as usize).map(|p| minus(&sample[p], &first[p]));
            buffer.floats("VEC3", rows, Target::Vertices)
        };
        (base, self.shapes().iter().map(shape).collect())
    }

    /// Accessors of the normals with these indices, and of their differences in each morph target.
    fn normals(
        &self,
        buffer: &mut Buffer,
        surface: &Surface,
        numbers: &[u32],
    ) -> (usize, Vec<usize>) {
        let normals_of = |sample: &[[f32; 3]]| surface.creases.normals(&doubles(sample));
        let mut write = |rows: &dyn Fn(usize) -> Vec3| {
            let rows = numbers.iter().map(|&n| rows(n as usize).to_array().map(|x| x as f32));
            buffer.floats("VEC3", rows, Target::Vertices)
        };
        let first = normals_of(&self.track.positions[0]);
        let base = write(&|n| first[n]);
        let shape = |sample: &Vec<[f32; 3]>| {
            let normals = normals_of(sample);
            write(&|n| normals[n] - first[n])
        };
        (base, self.shapes().iter().map(shape).collect())
    }

    /// Samples that become morph targets.
    fn shapes(&self) -> &[Vec<[f32; 3]>] {
        if self.deforms { &self.track.positions[1..] } else { &[] }
    }
}
