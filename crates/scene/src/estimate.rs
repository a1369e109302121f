//! How large a scene is, from its description alone.
//!
//! A scene that cannot fit should be refused at once, not when meshes of all its bodies have been made.
//! So this counts what can be counted without making anything, and says how much memory that takes *at
//! least*: who is refused could not have run. Meshes from files and of signed distances count
//! as nothing; what they need shows when they are read.

use crate::assemble::{BodyMesh, Built};
use crate::description::{Kind, Repeat, Scene, Shape};

/// Memory (bytes) of a tetrahedron in a run at least: one body of 1.1 million took 950 a
/// tetrahedron at its peak, smaller bodies more (`benches/README.md`).
const TETRAHEDRON: f64 = 600.0;

/// Of a triangle of a shell or of an affine body's surface: it has positions, areas, edges, trees.
const TRIANGLE: f64 = 300.0;

/// Of a body, whatever it is: state, terms, trees and names.
const BODY: f64 = 4096.0;

/// Memory (bytes) of the program with a scene of nothing.
const PROGRAM: f64 = 13e6;

/// Of a tetrahedron in a run in which little touches, as it was measured: 1300 bytes in a box of
/// 10,000, 1110 in one of 280,000 (`benches/README.md`).
const USUAL_TETRAHEDRON: f64 = 1200.0;

/// About how much memory (bytes) the first steps of a run take, if little touches. Twice as much
/// is possible; of contact it knows nothing.
pub fn usual_memory(built: &Built) -> u64 {
    let of_mesh = |mesh: &BodyMesh| {
        BODY + mesh.tets.len() as f64 * USUAL_TETRAHEDRON
            + mesh.surface.triangles().len() as f64 * TRIANGLE
    };
    (PROGRAM + built.meshes.iter().map(of_mesh).sum::<f64>()) as u64
}

/// What a scene has at least.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Bodies, copies included.
    pub bodies: f64,
    /// Elements: tetrahedra, or triangles of bodies that are surfaces.
    pub elements: f64,
    /// Memory that a run needs (bytes).
    pub memory: f64,
}

impl Estimate {
    /// Counts without making anything. O(bodies as they are written).
    pub fn at_least(scene: &Scene) -> Self {
        let mut sum = Self { bodies: 0.0, elements: 0.0, memory: 0.0 };
        for body in &scene.bodies {
            let copies = body.repeat.as_ref().map_or(1, Repeat::count) as f64;
            let (elements, size) = of_shape(&body.shape);
            // An affine body keeps its surface alone.
            let size = if matches!(body.kind, Kind::Affine) { 0.0 } else { size };
            sum.bodies += copies;
            sum.elements += copies * elements;
            sum.memory += copies * (BODY + elements * size);
        }
        sum
    }
}

/// Elements of a shape, and the memory (bytes) of one; none where they cannot be counted.
fn of_shape(shape: &Shape) -> (f64, f64) {
    let product = |counts: &[u32]| counts.iter().map(|&count| f64::from(count)).product::<f64>();
    match shape {
        Shape::Box { cells, .. } => (6.0 * product(cells), TETRAHEDRON),
        Shape::Sheet { cells, .. } => (2.0 * product(cells), TRIANGLE),
        Shape::Torus { around_ring, around_tube, .. } => {
            (2.0 * product(&[*around_ring, *around_tube]), TRIANGLE)
        }
        Shape::Sphere { subdivisions, .. } => {
            (20.0 * 4f64.powi((*subdivisions).min(15) as i32), TRIANGLE)
        }
        _ => (0.0, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SceneText;

    fn estimate(bodies: &str) -> (Estimate, Scene) {
        let text = format!(
            r#"(
                version: 1,
                materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) }},
                bodies: [{bodies}],
                gravity: (0, 0, 0),
                integrator: ImplicitEuler,
                time: (step: 0.01, duration: 1),
            )"#
        );
        let scene = SceneText::new("test.ron", text).read().expect("it is a scene");
        (Estimate::at_least(&scene), scene)
    }

    #[test]
    fn elements_are_counted_as_they_are_made() {
        let shapes = [
            ("Box(size: (1, 1, 1), cells: (3, 4, 5))", "Solid"),
            ("Sheet(size: (1, 1), cells: (3, 7))", "Shell(thickness: 1e-3)"),
            ("Sphere(radius: 1, subdivisions: 2)", "Shell(thickness: 1e-3)"),
            (
                "Torus(ring_radius: 2, tube_radius: 1, around_ring: 9, around_tube: 5)",
                "Shell(thickness: 1e-3)",
            ),
        ];
        for (shape, kind) in shapes {
            let body = format!(
                r#"(name: "b", shape: {shape}, kind: {kind}, material: "m",
                    repeat: Row(count: 3, step: (9, 0, 0)))"#
            );
            let (estimate, scene) = estimate(&body);
            let built = crate::assemble::build(&scene, std::path::Path::new("."));
            let meshes = built.expect("it can be built").meshes;
            let made: usize =
                meshes.iter().map(|mesh| mesh.element_count() + mesh.triangles.len()).sum();
            assert_eq!((estimate.bodies, estimate.elements), (3.0, made as f64), "{shape}");
        }
    }

    #[test]
    fn what_cannot_fit_anywhere_is_counted_at_once() {
        let body = r#"(name: "b", shape: Box(size: (1, 1, 1), cells: (2000, 2000, 2000)),
            material: "m", repeat: Row(count: 100000, step: (9, 0, 0)))"#;
        let (estimate, _) = estimate(body);
        assert_eq!(estimate.elements, 6.0 * 8e9 * 1e5);
        assert!(estimate.memory > 1e18);
    }
}
