//! Estimates of the size, memory and time of a scene.
//!
//! A scene that exceeds the memory should be refused before its meshes are built. [`Estimate`] therefore computes a
//! lower bound of the memory without building anything, so a refused scene could not have run. Meshes from files and
//! those of signed distance functions count as zero.

use crate::assemble::{BodyMesh, Built};
use resile_scene::description::{Kind, Repeat, Scene, Scheme, Shape, SolverMethod};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Lower bound of the memory (bytes) per tetrahedron. A body of 1.1 million tetrahedra takes 300 bytes for each with
/// symplectic Euler, which has no matrix, and 590 with implicit Euler; smaller bodies take more (`benches/README.md`).
const BYTES_PER_TETRAHEDRON: f64 = 250.0;

/// Memory (bytes) per triangle of a shell or of the surface of an affine body: positions, areas, edges, trees.
const BYTES_PER_TRIANGLE: f64 = 300.0;

/// Memory (bytes) per segment of a rod.
const BYTES_PER_SEGMENT: f64 = 2000.0;

/// Memory (bytes) per body of any kind: state, terms, trees and names.
const BYTES_PER_BODY: f64 = 4096.0;

/// Memory (bytes) of the program with a scene of a few bodies.
const PROGRAM_BYTES: f64 = 16.5e6;

/// Typical memory (bytes) per tetrahedron with little contact. Measured: 1080 in boxes of 10,000 tetrahedra in total,
/// 770 in one box of 280,000 (`benches/README.md`).
const TYPICAL_BYTES_PER_TETRAHEDRON: f64 = 900.0;

/// Typical memory (bytes) per affine body: states, paths and boxes of a step. Copies share constant data. Measured with
/// 500 to 100,000 cubes of 8, 26 and 98 points (`docs/robustness.md`).
const BYTES_PER_AFFINE_BODY: f64 = 6400.0;
/// Typical memory (bytes) per point of the surface of an affine body.
const BYTES_PER_AFFINE_POINT: f64 = 100.0;

/// Memory (bytes) per solid, independent of its elements: a solver and its buffers.
const BYTES_PER_SOLID: f64 = 3e4;

/// Fraction of nonzero entries in the triangular Cholesky factor of a small system. Measured with 2,000 boxes of 27 and
/// of 125 nodes.
const FACTOR_FILL: f64 = 0.5;

/// Largest number of nodes of a body whose matrix is assumed to be factorised.
const MAX_FACTORISED_NODES: usize = 400;

/// Memory (bytes) per vertex and frame of an animated obstacle: three numbers.
const BYTES_PER_SAMPLE: f64 = 24.0;

/// Estimated memory (bytes) of the first steps of a run without contact: within a fifth for cubes, within a factor of
/// two otherwise.
pub fn estimated_memory(built: &Built) -> u64 {
    let mut counted_surfaces = BTreeSet::new();
    let mesh_bytes = |mesh: &BodyMesh| {
        let is_new = counted_surfaces.insert(Arc::as_ptr(&mesh.surface));
        let surface_bytes = mesh.surface.triangles().len() as f64 * BYTES_PER_TRIANGLE;
        let sample_bytes = mesh.samples.as_ref().map_or(0.0, |samples| {
            samples.times().len() as f64 * samples.point_count() as f64 * BYTES_PER_SAMPLE
        });
        sample_bytes
            + if is_new { surface_bytes } else { 0.0 }
            + if mesh.affine.is_some() {
                BYTES_PER_AFFINE_BODY + mesh.point_count() as f64 * BYTES_PER_AFFINE_POINT
            } else {
                BYTES_PER_BODY + solid_bytes(mesh) + segment_count(mesh) * BYTES_PER_SEGMENT
            }
    };
    (PROGRAM_BYTES + built.meshes.iter().map(mesh_bytes).sum::<f64>()) as u64
}

/// Memory (bytes) of the tetrahedra of a solid and of the factor of its matrix.
fn solid_bytes(mesh: &BodyMesh) -> f64 {
    if mesh.tets.is_empty() {
        return 0.0;
    }
    let unknowns = 3.0 * mesh.surface.node_count() as f64;
    let factor_bytes = if mesh.surface.node_count() <= MAX_FACTORISED_NODES {
        FACTOR_FILL * 4.0 * unknowns * unknowns
    } else {
        0.0
    };
    BYTES_PER_SOLID + factor_bytes + mesh.tets.len() as f64 * TYPICAL_BYTES_PER_TETRAHEDRON
}

/// Time (s) of a Newton iteration per tetrahedron, on the machine of `benches/README.md` ("What a run will take")
/// with two threads.
const SECONDS_PER_TETRAHEDRON: f64 = 0.35e-6;

/// Time (s) of a Newton iteration per triangle of a surface: elements of shells, and collisions of all bodies.
const SECONDS_PER_TRIANGLE: f64 = 0.45e-6;

/// Newton iterations per step with little contact: one in free fall, six in oscillations.
const ITERATIONS_PER_STEP: f64 = 3.0;

/// Time (s) of a Newton iteration per segment of a rod; twist costs more for rods with many segments.
const SECONDS_PER_SEGMENT: f64 = 4e-6;

/// Number of rod segments of a body; zero for other bodies.
fn segment_count(mesh: &BodyMesh) -> f64 {
    mesh.rod_radius.map_or(0.0, |_| mesh.lines.len() as f64)
}

/// Estimated time (s) of all steps with little contact: steps times iterations times elements, within a factor of
/// three. With contact a step can take up to a hundred times as long. `None` for adaptive steps, explicit methods and
/// local/global solvers, whose numbers of steps or iterations differ.
pub fn estimated_seconds(scene: &Scene, built: &Built) -> Option<f64> {
    let is_newton = scene.solver.method == SolverMethod::Newton && !is_explicit(&scene.integrator);
    if !is_newton || scene.time.adaptive.is_some() {
        return None;
    }
    let iteration_seconds = |mesh: &BodyMesh| {
        mesh.tets.len() as f64 * SECONDS_PER_TETRAHEDRON
            + mesh.surface.triangles().len() as f64 * SECONDS_PER_TRIANGLE
            + segment_count(mesh) * SECONDS_PER_SEGMENT
    };
    let iteration: f64 = built.meshes.iter().map(iteration_seconds).sum();
    Some(scene.time.steps() as f64 * ITERATIONS_PER_STEP * iteration)
}

/// Whether an integrator is explicit. A Runge-Kutta method is explicit if its tableau has a zero diagonal.
fn is_explicit(integrator: &Scheme) -> bool {
    match integrator {
        Scheme::ForwardEuler
        | Scheme::SymplecticEuler
        | Scheme::ExplicitMidpoint
        | Scheme::AveragedMidpoint
        | Scheme::SymplecticMidpoint
        | Scheme::ModifiedHalfStep
        | Scheme::Heun
        | Scheme::RungeKutta4
        | Scheme::Verlet
        | Scheme::ForestRuth => true,
        Scheme::RungeKutta { a, .. } => {
            a.iter().enumerate().all(|(stage, row)| row.get(stage).is_none_or(|a| *a == 0.0))
        }
        _ => false,
    }
}

/// Lower bounds for a scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Number of bodies, copies included.
    pub bodies: f64,
    /// Number of elements: tetrahedra, triangles of surface bodies, or segments of rods.
    pub elements: f64,
    /// Memory that a run needs (bytes).
    pub memory: f64,
}

impl Estimate {
    /// Computes the bounds without building anything. O(bodies in the text).
    pub fn at_least(scene: &Scene) -> Self {
        let mut sum = Self { bodies: 0.0, elements: 0.0, memory: 0.0 };
        for body in &scene.bodies {
            let copies = body.repeat.as_ref().map_or(1, Repeat::count) as f64;
            let (elements, bytes) = elements_of_shape(&body.shape);
            // An affine body has no elements, and copies share its surface.
            let bytes = if matches!(body.kind, Kind::Affine) { 0.0 } else { bytes };
            sum.bodies += copies;
            sum.elements += copies * elements;
            sum.memory += copies * (BYTES_PER_BODY + elements * bytes);
        }
        sum
    }
}

/// The number of elements of a shape, and a lower bound of the memory (bytes) per element; zero if unknown.
fn elements_of_shape(shape: &Shape) -> (f64, f64) {
    let product = |counts: &[u32]| counts.iter().map(|&count| f64::from(count)).product::<f64>();
    match shape {
        Shape::Box { cells, .. } => (6.0 * product(cells), BYTES_PER_TETRAHEDRON),
        Shape::Sheet { cells, .. } => (2.0 * product(cells), BYTES_PER_TRIANGLE),
        Shape::Torus { around_ring, around_tube, .. } => {
            (2.0 * product(&[*around_ring, *around_tube]), BYTES_PER_TRIANGLE)
        }
        Shape::Circle { segments, .. } | Shape::Helix { segments, .. } => {
            (f64::from(*segments), BYTES_PER_TRIANGLE)
        }
        Shape::Curve { points, .. } => (points.len() as f64, BYTES_PER_TRIANGLE),
        Shape::Sphere { subdivisions, .. } => {
            (20.0 * 4f64.powi((*subdivisions).min(15) as i32), BYTES_PER_TRIANGLE)
        }
        _ => (0.0, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_scene::text::SceneText;

    fn scene_text(bodies: &str) -> String {
        format!(
            r#"(
                version: 1,
                materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) }},
                bodies: [{bodies}],
                gravity: (0, 0, 0),
                integrator: ImplicitEuler,
                time: (step: 0.01, duration: 1),
            )"#
        )
    }

    fn estimate(bodies: &str) -> (Estimate, Scene) {
        let scene = SceneText::new("test.ron", scene_text(bodies)).read().expect("it is a scene");
        (Estimate::at_least(&scene), scene)
    }

    #[test]
    fn element_estimate_equals_the_generated_count() {
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

    fn seconds(change: [&str; 2]) -> Option<f64> {
        let text = scene_text(
            r#"(name: "b", shape: Box(size: (1, 1, 1), cells: (3, 4, 5)), material: "m")"#,
        );
        let text = text.replace(change[0], change[1]);
        let scene = SceneText::new("test.ron", text).read().expect("it is a scene");
        let built = crate::assemble::build(&scene, std::path::Path::new("."));
        estimated_seconds(&scene, &built.expect("it can be built"))
    }

    #[test]
    fn estimated_time_is_proportional_to_elements_times_steps() {
        let usual = seconds(["", ""]).expect("Newton's method with steps of one length");
        let (tets, triangles) = (6.0 * 60.0, 4.0 * (12.0 + 15.0 + 20.0));
        let iteration = tets * SECONDS_PER_TETRAHEDRON + triangles * SECONDS_PER_TRIANGLE;
        assert!(
            (usual / (100.0 * ITERATIONS_PER_STEP * iteration) - 1.0).abs() < 1e-12,
            "{usual} s"
        );
        let longer = seconds(["duration: 1", "duration: 7"]).expect("the same");
        assert!((longer / usual - 7.0).abs() < 1e-12, "{longer} s");
    }

    #[test]
    fn no_time_is_estimated_where_iteration_counts_are_unknown() {
        for other in ["Verlet", "RungeKutta(a: [[], [0.5]], b: [0, 1])"] {
            assert_eq!(seconds(["ImplicitEuler", other]), None, "{other}");
        }
        let implicit = "RungeKutta(a: [[0.5]], b: [1])";
        assert!(seconds(["ImplicitEuler", implicit]).is_some());
        let method = "step: 0.01, duration: 1), solver: (method: LocalGlobal()),";
        assert_eq!(seconds(["step: 0.01, duration: 1),", method]), None);
        let adaptive = "step: 0.01, adaptive: Doubling(error: 1e-3)";
        assert_eq!(seconds(["step: 0.01", adaptive]), None);
    }

    #[test]
    fn impossible_sizes_are_counted_without_generation() {
        let body = r#"(name: "b", shape: Box(size: (1, 1, 1), cells: (2000, 2000, 2000)),
            material: "m", repeat: Row(count: 100000, step: (9, 0, 0)))"#;
        let (estimate, _) = estimate(body);
        assert_eq!(estimate.elements, 6.0 * 8e9 * 1e5);
        assert!(estimate.memory > 1e18);
    }
}
