//! Triangle meshes with normals and colours.

use super::CutFace;
use crate::color::Light;
use glam::Vec3;
use resile_mesh::Creases;
use std::sync::Arc;

/// A triangle mesh.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    /// Positions of its points (m).
    pub positions: Vec<Vec3>,
    /// Unit normals, indexed separately from the points, because a point on a crease has several.
    pub normals: Vec<Vec3>,
    /// Triangles, drawn from both sides.
    pub triangles: Vec<Triangle>,
    /// Colour.
    pub paint: Paint,
    /// Whether the triangles enclose a solid, counter-clockwise from outside. Its cut faces at a
    /// [section](super::Section) are filled.
    pub is_solid: bool,
    /// For each convex part, such as a rod, one more than the index of its last triangle, ascending. The cut faces of
    /// convex parts are filled in their own colours, also where parts overlap.
    pub convex_ends: Vec<usize>,
    /// Colours of the cut faces of a solid whose paint represents values; they are grey without it.
    pub cut_face: Option<Arc<CutFace>>,
}

/// A triangle of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Triangle {
    /// Indices of the corner points.
    pub points: [u32; 3],
    /// Indices of the corner normals. Normals are on the side from which the corners are counter-clockwise.
    pub normals: [u32; 3],
}

/// The colour of a mesh.
#[derive(Debug, Clone)]
pub enum Paint {
    /// One colour for the whole mesh.
    Plain(Light),
    /// One colour per point. It represents a value, so lighting does not change it.
    Points(Vec<Light>),
}

impl Default for Paint {
    fn default() -> Self {
        Self::Plain(Light::splat(0.5))
    }
}

impl Mesh {
    /// A mesh with one normal per triangle.
    pub fn flat(positions: Vec<Vec3>, triangles: &[[u32; 3]], paint: Paint) -> Self {
        let normal = |points: &[u32; 3]| {
            let [a, b, c] = points.map(|point| positions[point as usize]);
            (b - a).cross(c - a).normalize_or(Vec3::Y)
        };
        let normals = triangles.iter().map(normal).collect();
        let triangle =
            |(index, &points): (u32, &[u32; 3])| Triangle { points, normals: [index; 3] };
        let triangles = (0..).zip(triangles).map(triangle).collect();
        Self { positions, normals, triangles, paint, ..Self::default() }
    }

    /// A mesh with the faces of `creases` and these positions (m), smooth except across creases.
    ///
    /// # Panics
    /// If a face of `creases` is not a triangle, or has a corner without a position.
    pub fn smooth(positions: Vec<Vec3>, creases: &Creases, paint: Paint) -> Self {
        let double_positions: Vec<_> = positions.iter().map(|p| p.as_dvec3()).collect();
        let normals = creases.normals(&double_positions).iter().map(|n| n.as_vec3()).collect();
        let (corner_normals, _) = creases.corners().as_chunks::<3>();
        let triangle = |(points, &normals): (&[u32], &[u32; 3])| Triangle {
            points: points.try_into().expect("a triangle has three corners"),
            normals,
        };
        let triangles = creases.faces().iter().zip(corner_normals).map(triangle).collect();
        Self { positions, normals, triangles, paint, ..Self::default() }
    }

    /// Colour inside a triangle at these barycentric weights.
    pub(crate) fn color(&self, triangle: &Triangle, weights: [f32; 3]) -> Light {
        match &self.paint {
            Paint::Plain(color) => *color,
            Paint::Points(colors) => {
                let weighted_color = |k: usize| colors[triangle.points[k] as usize] * weights[k];
                weighted_color(0) + weighted_color(1) + weighted_color(2)
            }
        }
    }
}
