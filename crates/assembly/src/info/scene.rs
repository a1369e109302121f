//! Summaries of scenes, as `sim info` prints them.

use crate::assemble::{BodyMesh, Built};
use resile_math::{Aabb, Vec3};
use resile_mesh::{QuadraticMesh, TetMesh, TriMesh};
use resile_record::Summary;
use resile_scene::description::{
    Barrier, Contact, Elements, Material, Obstacle, Scene, Solver, SolverMethod, Units,
};
use serde::Serialize;

/// The description of a built scene.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SceneInfo {
    /// Units of the text of the scene. The values here are in SI units.
    #[serde(skip)]
    pub units: Units,
    /// `"scene"`.
    pub kind: &'static str,
    /// Title of the scene.
    pub name: String,
    /// Bodies of the scene file; copies are not listed separately.
    pub bodies: Vec<BodyInfo>,
    /// Obstacles.
    pub obstacles: Vec<ObstacleInfo>,
    /// The materials that bodies are made of.
    pub materials: Vec<MaterialInfo>,
    /// Contact; `None` if it is off.
    pub contact: Option<ContactInfo>,
    /// Number of nodes of all bodies.
    pub nodes: usize,
    /// Number of tetrahedra of all bodies.
    pub tetrahedra: usize,
    /// Total mass of the bodies (kg).
    pub mass: f64,
    /// Size of the bounding box of all bodies at the start (m).
    pub size: [f64; 3],
    /// Gravitational acceleration (m/s^2).
    pub gravity: [f64; 3],
    /// Name of the integrator.
    pub integrator: String,
    /// The solver and its tolerance.
    pub solver: String,
    /// Time step (s).
    pub time_step: f64,
    /// Simulated time (s).
    pub duration: f64,
    /// Number of steps.
    pub steps: u64,
    /// The summary, for the folder of a finished run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Summary>,
}

/// A body of the scene file. Numbers are those of its first copy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BodyInfo {
    /// Its name.
    pub name: String,
    /// Number of copies, including the first.
    pub copies: usize,
    /// `Solid`, `Affine`, `Shell` or `Springs`; `Particles` if the scene has nothing else.
    pub kind: &'static str,
    /// The name of its material.
    pub material: Option<String>,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of tetrahedra.
    pub tetrahedra: usize,
    /// Number of tetrahedra with curved edges at rest.
    pub curved: usize,
    /// Number of triangles of the surface.
    pub triangles: usize,
    /// Size of the bounding box at the start (m).
    pub size: [f64; 3],
    /// Initial volume (m^3); `None` if the surface is not closed.
    pub volume: Option<f64>,
    /// Mass (kg).
    pub mass: f64,
    /// The smallest dihedral angle at the start (degrees), of a solid.
    pub smallest_angle: Option<f64>,
}

/// An obstacle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObstacleInfo {
    /// Its name.
    pub name: String,
    /// `Plane`, `Mesh` or `Shape`.
    pub kind: &'static str,
    /// Whether it moves.
    pub moves: bool,
}

/// A material.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MaterialInfo {
    /// Its name.
    pub name: String,
    /// Density (kg/m^3).
    pub density: f64,
    /// Young's modulus (Pa).
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
}

/// Contact by a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ContactInfo {
    /// The barrier function.
    pub barrier: Barrier,
    /// Range `d_hat` (m).
    pub d_hat: f64,
    /// Stiffness (Pa).
    pub kappa: f64,
    /// Slip speed below which friction counts as static (m/s).
    pub slip_speed: f64,
}

impl SceneInfo {
    /// Describes a built scene; `name` is its title.
    pub fn new(name: &str, scene: &Scene, built: &Built) -> Self {
        let world = &built.world;
        let bodies = built.meshes.iter().enumerate();
        let points: Vec<Vec3> = bodies
            .flat_map(|(b, mesh)| mesh.surface.points(&world.state(b).positions).into_owned())
            .collect();
        let contact = match scene.contact {
            Contact::Off => None,
            Contact::Barrier { barrier, d_hat, kappa, slip_speed, .. } => {
                let kappa = kappa.unwrap_or_else(|| scene.default_kappa());
                Some(ContactInfo { barrier, d_hat, kappa, slip_speed })
            }
        };
        let material_info = |(name, material): (&String, &Material)| MaterialInfo {
            name: name.clone(),
            density: material.density,
            young: material.model.young(),
            poisson: material.model.poisson(),
        };
        Self {
            units: scene.units,
            kind: "scene",
            name: name.to_owned(),
            bodies: body_infos(scene, built),
            obstacles: scene.obstacles.iter().map(obstacle_info).collect(),
            materials: scene.materials_in_use().iter().map(material_info).collect(),
            contact,
            nodes: (0..world.body_count()).map(|b| world.state(b).positions.len()).sum(),
            tetrahedra: built.meshes.iter().map(|mesh| mesh.element_count()).sum(),
            mass: world.mass(),
            size: extent(&points),
            gravity: scene.gravity,
            integrator: world.integrator().name().to_owned(),
            solver: solver_text(&scene.solver, scene.units),
            time_step: scene.time.step.seconds(),
            duration: scene.time.duration,
            steps: scene.time.steps(),
            run: None,
        }
    }
}

/// The minimiser and its tolerance in words.
fn solver_text(described: &Solver, units: Units) -> String {
    let tolerance = units.show(described.tolerance, "m/s");
    match described.method {
        SolverMethod::Newton => format!("Newton to {tolerance}"),
        SolverMethod::LocalGlobal { iterations: None } => {
            format!("local and global steps to {tolerance}")
        }
        SolverMethod::LocalGlobal { iterations: Some(iterations) } => {
            format!("{iterations} local and global steps, whatever the residual")
        }
    }
}

/// Size of the bounding box (m).
fn extent(points: &[Vec3]) -> [f64; 3] {
    Aabb::around(points).map_or([0.0; 3], |bounds| bounds.size().to_array())
}

/// The bodies of the scene file, each described by its first copy. Copies follow each other in the expansion.
fn body_infos(scene: &Scene, built: &Built) -> Vec<BodyInfo> {
    let mut bodies: Vec<(usize, BodyInfo)> = Vec::new();
    for (index, expanded) in scene.expand().iter().enumerate() {
        match bodies.last_mut() {
            Some((source, info)) if *source == expanded.source => info.copies += 1,
            _ => {
                let described = &scene.bodies[expanded.source];
                let mesh = &built.meshes[index];
                let state = built.world.state(index);
                let points = mesh.surface.points(&state.positions);
                let is_particles = described.shape.particle_count().is_some();
                bodies.push((
                    expanded.source,
                    BodyInfo {
                        name: described.name.clone(),
                        copies: 1,
                        kind: match (is_particles, described.elements) {
                            (true, _) => "Particles",
                            (false, Elements::Quadratic | Elements::StraightQuadratic) => {
                                "Solid, quadratic"
                            }
                            (false, Elements::Linear) => described.kind.name(),
                        },
                        material: described.material.clone(),
                        nodes: state.positions.len(),
                        tetrahedra: mesh.element_count(),
                        curved: mesh.curved,
                        triangles: mesh.surface.triangles().len(),
                        size: extent(&points),
                        volume: volume(mesh, &state.positions),
                        mass: built.world.mass_of(index),
                        smallest_angle: smallest_angle(mesh, &state.positions),
                    },
                ));
            }
        }
    }
    bodies.into_iter().map(|(_, info)| info).collect()
}

/// Volume of the elements, or inside a closed surface.
fn volume(mesh: &BodyMesh, positions: &[Vec3]) -> Option<f64> {
    if !mesh.quadratic.is_empty() {
        return Some(quadratic_mesh(mesh, positions).volume());
    }
    if !mesh.tets.is_empty() {
        let solid = TetMesh { positions: positions.to_vec(), tets: mesh.tets.clone() };
        return Some(solid.volume());
    }
    let points = mesh.surface.points(positions).into_owned();
    let surface = TriMesh { positions: points, triangles: mesh.surface.triangles().to_vec() };
    let is_closed = !surface.triangles.is_empty() && surface.defects().is_closed();
    is_closed.then(|| surface.enclosed_volume())
}

/// The quadratic tetrahedra of a body at given positions.
fn quadratic_mesh(mesh: &BodyMesh, positions: &[Vec3]) -> QuadraticMesh {
    QuadraticMesh { positions: positions.to_vec(), elements: mesh.quadratic.clone() }
}

/// The smallest dihedral angle of the tetrahedra (degrees).
fn smallest_angle(mesh: &BodyMesh, positions: &[Vec3]) -> Option<f64> {
    let solid = TetMesh { positions: positions.to_vec(), tets: mesh.tets.clone() };
    Some(solid.quality()?.smallest_dihedral)
}

/// The description of an obstacle.
fn obstacle_info(obstacle: &Obstacle) -> ObstacleInfo {
    let kind = match obstacle {
        Obstacle::Plane { .. } => "Plane",
        Obstacle::Mesh { .. } => "Mesh",
        Obstacle::Shape { .. } => "Shape",
        Obstacle::Animated { .. } => "Animated",
    };
    ObstacleInfo { name: obstacle.name().to_owned(), kind, moves: obstacle.moves() }
}
