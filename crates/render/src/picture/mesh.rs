//! What is drawn: triangles with normals and colours.

use crate::color::Light;
use glam::Vec3;
use resile_mesh::Creases;

/// Triangles.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    /// Its points (m).
    pub positions: Vec<Vec3>,
    /// Its normals, of unit length. They are no points': at a crease a point has several.
    pub normals: Vec<Vec3>,
    /// Its triangles, drawn from both sides.
    pub triangles: Vec<Triangle>,
    /// Its colour.
    pub paint: Paint,
}

/// A triangle of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Triangle {
    /// Its corners among the points.
    pub points: [u32; 3],
    /// Their normals. They are on the side from which the corners go round counter-clockwise.
    pub normals: [u32; 3],
}

/// The colour of a mesh.
#[derive(Debug, Clone)]
pub enum Paint {
    /// One for all of it.
    Plain(Light),
    /// One for each of its points. It stands for a value, so light does not change it.
    Points(Vec<Light>),
}

impl Default for Paint {
    fn default() -> Self {
        Self::Plain(Light::splat(0.5))
    }
}

impl Mesh {
    /// A mesh with a normal for each triangle.
    pub fn flat(positions: Vec<Vec3>, triangles: &[[u32; 3]], paint: Paint) -> Self {
        let corners = |t: &[u32; 3]| t.map(|point| positions[point as usize]);
        let normal = |t: &[u32; 3]| {
            let [a, b, c] = corners(t);
            (b - a).cross(c - a).normalize_or(Vec3::Y)
        };
        let normals = triangles.iter().map(normal).collect();
        let triangle =
            |(number, &points): (u32, &[u32; 3])| Triangle { points, normals: [number; 3] };
        let triangles = (0..).zip(triangles).map(triangle).collect();
        Self { positions, normals, triangles, paint }
    }

    /// A mesh of triangles in a state of their body, smooth except across creases.
    ///
    /// # Panics
    /// If a face of `creases` is no triangle, or has a corner that is no position.
    pub fn smooth(positions: Vec<Vec3>, creases: &Creases, paint: Paint) -> Self {
        let doubles: Vec<_> = positions.iter().map(|p| p.as_dvec3()).collect();
        let normals = creases.normals(&doubles).iter().map(|normal| normal.as_vec3()).collect();
        let numbers = creases.corners().as_chunks::<3>().0;
        let triangle = |(points, &normals): (&[u32], &[u32; 3])| Triangle {
            points: points.try_into().expect("a triangle has three corners"),
            normals,
        };
        let triangles = creases.faces().iter().zip(numbers).map(triangle).collect();
        Self { positions, normals, triangles, paint }
    }

    /// The colour inside of a triangle, where its corners have these weights.
    pub(crate) fn color(&self, triangle: &Triangle, weights: [f32; 3]) -> Light {
        match &self.paint {
            Paint::Plain(color) => *color,
            Paint::Points(colors) => {
                let of = |k: usize| colors[triangle.points[k] as usize] * weights[k];
                of(0) + of(1) + of(2)
            }
        }
    }
}
