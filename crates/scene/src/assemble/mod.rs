//! From a description to a world that can run.
//!
//! The description is plain text turned into data; here it becomes meshes,
//! terms and states. Everything that can be wrong with a scene beyond its numbers
//! is found here and reported together: files that cannot be read, elements that are inverted,
//! bodies that intersect at the start. Nothing is repaired silently.

mod affine;
mod animation;
mod animation_warnings;
mod body;
mod coarse;
mod collisions;
#[cfg(test)]
mod derivatives;
mod discretisation;
mod element_materials;
#[cfg(test)]
mod embedded_laws;
mod faces;
mod file_numbers;
pub(crate) mod fingerprint;
mod followed;
mod forgotten_scale;
mod frame_files;
mod holds;
mod host;
mod initial;
pub(crate) mod integrator;
mod joints;
mod kinematic;
mod loads;
mod loose_tolerance;
mod many_pairs;
mod mistaken;
mod nested;
mod originals;
mod painted;
mod probes;
mod rod;
mod shape;
mod shell;
mod start;
mod terms;
mod ties;
mod warnings;

use crate::description::{
    Elements, ExpandedBody, Ground, LinearSolver, Problem, Projection, Scene, Severity,
    SolverMethod, Target,
};
use body::PlacedBody;
pub use discretisation::Skin;
pub use probes::{PlacedProbe, ProbeSite};
use resile_contact::CollisionMesh;
use resile_energy::AffineBody;
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_record::{Fingerprint, OriginalFile};
use resile_solver::{
    Iterative, LinearChoice, LocalGlobalSettings, Method, NewtonSettings, ProjectionPolicy,
};
use resile_system::Samples;
use resile_watch::Tally;
use resile_world::{Collisions, World, WorldJoint, WorldSettings};
pub use start::{Crossing, Side};
use std::path::Path;
use std::sync::Arc;

/// What can be drawn of a body: its name and its elements.
#[derive(Debug, Clone)]
pub struct BodyMesh {
    /// Its name.
    pub name: String,
    /// Its tetrahedra, numbered from its own first node: the elements, or eight pieces of each
    /// if they are quadratic.
    pub tets: Vec<[u32; 4]>,
    /// What its elements are like, if it is a solid.
    pub elements: Elements,
    /// The triangles of a body that is a surface, over the points of `surface`.
    pub triangles: Arc<[[u32; 3]]>,
    /// Springs and intervals between its particles, pieces of its rods; none of other meshes.
    pub lines: Vec<[u32; 2]>,
    /// The radius of its rods (m).
    pub rod_radius: Option<f64>,
    /// Particles that no line ends at.
    pub points: Vec<u32>,
    /// How its points follow from its nodes.
    pub surface: Arc<CollisionMesh>,
    /// Its points in their place, undeformed (m).
    pub rest: Vec<Vec3>,
    /// Of an affine body, its nodes at rest.
    pub affine: Option<AffineBody>,
    /// What is drawn in place of it.
    pub skin: Option<Arc<Skin>>,
    /// Of an obstacle that files move, where its points are.
    pub samples: Option<Arc<Samples>>,
}

impl BodyMesh {
    /// Number of elements of a solid.
    pub fn element_count(&self) -> usize {
        self.tets.len() / pieces(self.elements)
    }

    /// Number of the points that are drawn: those of the surface, or the nodes.
    pub fn point_count(&self) -> usize {
        self.surface.point_count()
    }
}

/// How many tetrahedra an element is drawn as.
fn pieces(elements: Elements) -> usize {
    match elements {
        Elements::Linear => 1,
        Elements::Quadratic => 8,
    }
}

/// A scene ready to run.
#[derive(Debug)]
pub struct Built {
    /// The bodies and how they move.
    pub world: World,
    /// The bodies' meshes, in the world's order.
    pub meshes: Vec<BodyMesh>,
    /// Obstacles that have a surface and stand still, with their numbers in the scene.
    pub obstacles: Vec<(u32, TriMesh)>,
    /// The fingerprint of the scene if it did not begin where another run stopped.
    pub described: Fingerprint,
    /// Mesh files that a run keeps, so that exports have the vertices of the original files.
    pub originals: Vec<OriginalFile>,
    /// What is measured at every step.
    pub probes: Vec<PlacedProbe>,
    /// What is legal and probably not meant.
    pub warnings: Vec<Problem>,
}

/// Builds what `scene` describes; files are looked for in `folder`.
///
/// # Errors
/// Everything that is wrong with the scene, warnings included.
pub fn build(scene: &Scene, folder: &Path) -> Result<Built, Vec<Problem>> {
    let mut parts = Parts::of(scene, folder, &Tally::default())?;
    parts.refuse_crossings();
    parts.assemble()
}

/// A scene, looked at more closely than a run asks for.
#[derive(Debug)]
pub struct Checked {
    /// What [`build`] gives.
    pub built: Result<Built, Vec<Problem>>,
    /// What can be run and is worth knowing before: bodies that begin inside of others, or
    /// within reach of the barrier, slivers, edges and steps that do not go with the numbers of the scene.
    pub warnings: Vec<Problem>,
    /// What intersects at the start, a pair of bodies each.
    pub crossings: Vec<Crossing>,
}

/// Builds a scene as [`build`] does, and looks at its start state. Costs a search for pairs
/// near each other and an angle for each edge of each element more. What goes on is told to `tally`.
pub fn check(scene: &Scene, folder: &Path, tally: &Tally) -> Checked {
    let mut parts = match Parts::of(scene, folder, tally) {
        Ok(parts) => parts,
        Err(problems) => {
            return Checked { built: Err(problems), warnings: Vec::new(), crossings: Vec::new() };
        }
    };
    tally.begin("looking for bodies that intersect", 0);
    let crossings = parts.refuse_crossings();
    tally.begin("looking for what is probably not meant", 0);
    let warnings = warnings::warnings(&parts, &crossings);
    tally.begin("putting the scene together", 0);
    Checked { built: parts.assemble(), warnings, crossings }
}

/// What a scene is made of, before it is known to start free of intersections. Where
/// bodies could not be made, those that could: what else is wrong with them is reported too.
struct Parts<'a> {
    scene: &'a Scene,
    /// Without those that could not be made.
    expanded: Vec<ExpandedBody>,
    /// The bodies, then the obstacles that move.
    placed: Vec<PlacedBody>,
    obstacles: Vec<collisions::PlacedObstacle>,
    originals: Vec<OriginalFile>,
    joints: Vec<WorldJoint>,
    collisions: Option<Collisions>,
    described: Fingerprint,
    problems: Vec<Problem>,
}

impl<'a> Parts<'a> {
    fn of(scene: &'a Scene, folder: &Path, tally: &Tally) -> Result<Self, Vec<Problem>> {
        tally.begin("looking at what is described", 0);
        let mut problems = scene.check();
        let mut meshes = shape::Meshes::new(folder, scene.units);
        if any_error(&problems) {
            mistaken::add_shapes(scene, &mut meshes, &mut problems);
            return Err(problems);
        }
        let mut expanded = scene.expand();
        let mut placed = Vec::new();
        tally.begin("bodies", expanded.len());
        expanded.retain(|body| {
            let made = body::place(body, scene, &mut meshes);
            tally.add(1);
            match made {
                Ok(body) => placed.push(body),
                Err(found) => {
                    add_unless_known(&mut problems, found);
                    return false;
                }
            }
            true
        });
        tally.begin("looking at bodies as they are placed", 0);
        let whole = !any_error(&problems);
        let obstacles = collisions::obstacles(scene, &mut meshes, &mut problems);
        problems.append(&mut meshes.notes);
        if whole {
            let unlike = forgotten_scale::forgotten_scales(scene, &expanded, &placed, &obstacles);
            problems.extend(unlike);
        }
        // Colliders are numbered by the obstacles of the scene.
        let lost = obstacles.len() < scene.obstacles.len() || (placed.is_empty() && !whole);
        if lost {
            return Err(problems);
        }
        placed.extend(kinematic::kinematic(scene, &obstacles, &mut problems));
        // Joints need both their bodies.
        let mut joints = Vec::new();
        if whole {
            joints.extend(joints::joints(scene, &mut placed, &mut problems));
            let ties = ties::tie(scene, &expanded, &mut placed, &obstacles, &mut problems);
            joints.extend(ties);
        }
        let described = fingerprint::of_placed(scene, &placed, &obstacles);
        if whole {
            initial::continued(scene, (folder, described), &mut placed, &mut problems);
        }
        let collisions =
            collisions::collisions(scene, &expanded, &placed, &obstacles, &mut problems);
        problems.extend(if whole { probes::misplaced(scene, &placed) } else { Vec::new() });
        let originals = originals::originals(scene, &expanded, folder);
        Ok(Self {
            scene,
            expanded,
            placed,
            obstacles,
            originals,
            joints,
            collisions,
            described,
            problems,
        })
    }

    /// Adds an error for each pair of bodies that intersect at the start.
    fn refuse_crossings(&mut self) -> Vec<Crossing> {
        let crossings = start::crossings(self);
        let reports = start::reports(self, &crossings);
        self.problems.extend(reports);
        crossings
    }

    fn assemble(self) -> Result<Built, Vec<Problem>> {
        let Self {
            scene,
            placed,
            obstacles,
            originals,
            joints,
            collisions,
            described,
            problems,
            ..
        } = self;
        if any_error(&problems) {
            return Err(problems);
        }
        let meshes = placed.iter().map(PlacedBody::mesh).collect();
        let probes = probes::placed(scene, &placed);
        let mut bodies: Vec<_> = placed.into_iter().map(PlacedBody::into_parts).collect();
        set_ground_energies(scene, &mut bodies);
        let integrator = integrator::method(&scene.integrator)
            .map_err(|e| vec![error("integrator", e, "mend the tableau")])?;
        let world = World::new(bodies, collisions, integrator, settings(scene)).with_joints(joints);
        // Those that move are drawn as bodies.
        let fixed = (0..).zip(scene.obstacles.iter().zip(obstacles));
        let fixed = fixed.filter(|(_, (described, _))| !described.moves());
        let obstacles = fixed.filter_map(|(number, (_, o))| Some((number, o.mesh?))).collect();
        Ok(Built { world, meshes, obstacles, described, originals, probes, warnings: problems })
    }
}

fn any_error(problems: &[Problem]) -> bool {
    problems.iter().any(|problem| problem.severity == Severity::Error)
}

/// Copies of one body share their mistakes; one report is enough.
fn add_unless_known(problems: &mut Vec<Problem>, found: Vec<Problem>) {
    for problem in found {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
}

/// The path of a body of the scene file.
fn path_of(body: &ExpandedBody) -> String {
    format!("bodies[{}]", body.source)
}

fn error(path: impl Into<String>, message: impl ToString, help: impl ToString) -> Problem {
    Problem {
        severity: Severity::Error,
        path: path.into(),
        message: message.to_string(),
        help: help.to_string(),
    }
}

/// The energy (J) of each body at rest, towards which decay leads.
fn set_ground_energies(scene: &Scene, bodies: &mut [(resile_system::Body, resile_system::State)]) {
    let Some((_, Target { ground: Some(ground), .. })) = scene.integrator.target() else { return };
    let mass = |body: &resile_system::Body| body.masses.iter().sum::<f64>();
    let total: f64 = bodies.iter().map(|(body, _)| mass(body)).sum();
    let gravity = Vec3::from_array(scene.gravity).length();
    for (body, _) in bodies {
        body.ground_energy = match ground {
            Ground::Joules(energy) => energy * mass(body) / total,
            Ground::RestHeight(height) => mass(body) * gravity * height,
        };
    }
}

fn settings(scene: &Scene) -> WorldSettings {
    let solver = &scene.solver;
    let linear = match solver.linear {
        LinearSolver::Auto => LinearChoice::default(),
        LinearSolver::Direct => LinearChoice::Direct,
        LinearSolver::Iterative { tolerance } => {
            LinearChoice::Iterative(Iterative { tolerance, ..Iterative::default() })
        }
    };
    let projection = match solver.projection {
        Projection::OnDemand => ProjectionPolicy::OnDemand,
        Projection::Always => ProjectionPolicy::Always,
    };
    let newton = NewtonSettings {
        max_iterations: solver.max_iterations as usize,
        linear,
        projection,
        ..NewtonSettings::default()
    };
    let method = match solver.method {
        SolverMethod::Newton => Method::Newton(newton),
        SolverMethod::LocalGlobal { iterations } => {
            let iterations = iterations.map(|most| most as usize);
            Method::LocalGlobal(LocalGlobalSettings { iterations, newton })
        }
    };
    let adaptive = integrator::adaptive(&scene.time);
    WorldSettings {
        tolerance: solver.tolerance,
        friction_rounds: solver.friction.rounds,
        method,
        max_halvings: solver.max_halvings,
        adaptive,
    }
}
