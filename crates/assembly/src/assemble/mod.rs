//! Builds a world from a description.
//!
//! This module converts a description to meshes, terms and states. It reports all errors that are not in the values of
//! fields together: unreadable files, inverted elements, bodies that intersect at the start. Nothing is repaired
//! silently.

mod affine;
mod animation;
mod animation_warnings;
mod blended_friction;
mod body;
mod coarse;
mod collisions;
#[cfg(test)]
mod derivatives;
mod discretisation;
mod discretise;
mod distant_joints;
mod element_materials;
#[cfg(test)]
mod embedded_laws;
mod evaluated;
mod faces;
mod field_loads;
mod file_numbers;
mod filtered_joints;
mod fingerprint;
mod followed;
mod follower_pressure;
mod forgotten_scale;
mod frame_files;
mod holds;
mod host;
mod implausible_springs;
mod initial;
mod joints;
mod kinematic;
mod law;
mod loads;
mod loose_tolerance;
mod many_pairs;
mod mistaken;
mod motion;
mod nested;
mod originals;
mod overlapping_elements;
mod painted;
mod pair_table;
mod probes;
mod rod;
mod settling;
mod shape;
mod shell;
mod shell_thickness;
mod solid;
mod start;
mod terms;
mod ties;
mod warnings;
mod without_effect;

use body::PlacedBody;
pub use discretisation::Skin;
use resile_scene::description::{
    Elements, EnergyTarget, ExpandedBody, Ground, LinearSolver, Problem, Projection, Scene,
    Severity, SolverMethod,
};

pub use evaluated::{Evaluated, UndefinedExpression};
pub use motion::motion_of;
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
pub use settling::{settle, settling};
pub use start::{Crossing, Side};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The drawable geometry of a body.
#[derive(Debug, Clone)]
pub struct BodyMesh {
    /// Its name.
    pub name: String,
    /// Its tetrahedra, by indices of its nodes; eight for each quadratic element.
    pub tets: Vec<[u32; 4]>,
    /// The order of its elements, if it is a solid.
    pub elements: Elements,
    /// The nodes of its quadratic elements.
    pub quadratic: Vec<[u32; 10]>,
    /// Number of elements with curved edges at rest.
    pub curved: usize,
    /// The triangles of a body that is a surface, whose corners are points of `surface`.
    pub triangles: Arc<[[u32; 3]]>,
    /// The elements of each group of its mesh file, by name: of a solid its elements, of a surface its triangles.
    pub element_groups: Vec<(String, Vec<u32>)>,
    /// Springs and intervals between its particles, or segments of its rods, by indices of nodes.
    pub lines: Vec<[u32; 2]>,
    /// The radius of its rods (m).
    pub rod_radius: Option<f64>,
    /// Particles without lines.
    pub points: Vec<u32>,
    /// Its surface for contact, with the embedding of the points in the nodes.
    pub surface: Arc<CollisionMesh>,
    /// Rest positions of the points of `surface`: placed and undeformed (m).
    pub rest: Vec<Vec3>,
    /// Means of the lengths of its edges at rest (m): root mean square, and the same with other weights for each edge.
    /// Bodies with the same elements whose rest shapes differ by more than a rigid motion have other means.
    pub rest_lengths: [f64; 2],
    /// The rest state of an affine body.
    pub affine: Option<AffineBody>,
    /// The surface that is drawn instead of `surface`.
    pub skin: Option<Arc<Skin>>,
    /// The motion of the points of an animated obstacle.
    pub samples: Option<Arc<Samples>>,
}

impl BodyMesh {
    /// Number of elements of a solid.
    pub fn element_count(&self) -> usize {
        self.tets.len() / tets_per_element(self.elements)
    }

    /// The cells of each group of its mesh file, by name: tetrahedra of a solid, of which a quadratic element has eight,
    /// or triangles.
    pub fn cell_groups(&self) -> Vec<(String, Vec<u32>)> {
        let count = if self.tets.is_empty() { 1 } else { tets_per_element(self.elements) as u32 };
        let cells = |element: &u32| element * count..(element + 1) * count;
        let groups = self.element_groups.iter();
        groups.map(|(name, g)| (name.clone(), g.iter().flat_map(cells).collect())).collect()
    }

    /// Number of drawn points: those of the surface, or the nodes.
    pub fn point_count(&self) -> usize {
        self.surface.point_count()
    }
}

/// Number of drawn tetrahedra per element.
fn tets_per_element(elements: Elements) -> usize {
    match elements {
        Elements::Linear => 1,
        Elements::Quadratic | Elements::StraightQuadratic => 8,
    }
}

/// A scene ready to run.
#[derive(Debug)]
pub struct Built {
    /// The bodies and how they move.
    pub world: World,
    /// The meshes of the bodies, in the order of the world.
    pub meshes: Vec<BodyMesh>,
    /// Fixed obstacles with a surface, each with its index in the scene.
    pub obstacles: Vec<(u32, TriMesh)>,
    /// The fingerprint of the scene as if it did not start from another run.
    pub described: Fingerprint,
    /// The folder of the run from whose end the scene starts, if any.
    pub initial_run: Option<PathBuf>,
    /// Mesh files that a run keeps, so that exports have the vertices of the original files.
    pub originals: Vec<OriginalFile>,
    /// The probes.
    pub probes: Vec<PlacedProbe>,
    /// Warnings: valid but probably unintended input.
    pub warnings: Vec<Problem>,
    /// Expressions of position and time.
    pub evaluated: Vec<Evaluated>,
}

/// Builds `scene`; paths are relative to `folder`.
///
/// # Errors
/// All problems of the scene, including warnings.
pub fn build(scene: &Scene, folder: &Path) -> Result<Built, Vec<Problem>> {
    let mut parts = Parts::new(scene, folder, &Tally::default())?;
    parts.refuse_crossings();
    parts.assemble()
}

/// The result of [`check`].
#[derive(Debug)]
pub struct Checked {
    /// The result of [`build`].
    pub built: Result<Built, Vec<Problem>>,
    /// Warnings of valid scenes: bodies that start inside others or within the range of the barrier, slivers, and edges
    /// or time steps that do not suit other parameters of the scene.
    pub warnings: Vec<Problem>,
    /// Initial intersections, one for each pair of bodies.
    pub crossings: Vec<Crossing>,
}

/// Builds a scene like [`build`] and checks its initial state, which costs an additional search for near pairs and
/// the dihedral angles of all elements. `tally` receives the progress.
pub fn check(scene: &Scene, folder: &Path, tally: &Tally) -> Checked {
    let mut parts = match Parts::new(scene, folder, tally) {
        Ok(parts) => parts,
        Err(problems) => {
            return Checked { built: Err(problems), warnings: Vec::new(), crossings: Vec::new() };
        }
    };
    tally.begin("looking for bodies that intersect", 0);
    let crossings = parts.refuse_crossings();
    tally.begin("looking for what is probably not meant", 0);
    let warnings = warnings::all_warnings(&parts, &crossings);
    tally.begin("putting the scene together", 0);
    Checked { built: parts.assemble(), warnings, crossings }
}

/// The parts of a scene before the test for intersections. Invalid bodies are omitted, so that problems of the others
/// are also reported.
struct Parts<'a> {
    scene: &'a Scene,
    /// The valid bodies.
    expanded: Vec<ExpandedBody>,
    /// The bodies, followed by the moving obstacles.
    placed: Vec<PlacedBody>,
    obstacles: Vec<collisions::PlacedObstacle>,
    originals: Vec<OriginalFile>,
    joints: Vec<WorldJoint>,
    collisions: Option<Collisions>,
    /// The fingerprint of the scene as if it did not start from another run.
    described: Fingerprint,
    /// The folder of the run from whose end the scene starts, if any.
    initial_run: Option<PathBuf>,
    problems: Vec<Problem>,
    /// Expressions of position and time.
    evaluated: Vec<Evaluated>,
}

impl<'a> Parts<'a> {
    /// Creates all bodies, obstacles and joints, and collects the problems of all of them.
    fn new(scene: &'a Scene, folder: &Path, tally: &Tally) -> Result<Self, Vec<Problem>> {
        tally.begin("looking at what is described", 0);
        let mut problems = scene.check();
        let mut meshes = shape::Meshes::new(folder, scene.units);
        if has_errors(&problems) {
            mistaken::add_shape_errors(scene, &mut meshes, &mut problems);
            return Err(problems);
        }
        let mut expanded = scene.expand();
        let mut placed = place_valid(scene, &mut expanded, &mut meshes, tally, &mut problems);
        tally.begin("looking at bodies as they are placed", 0);
        let is_error_free = !has_errors(&problems);
        let obstacles = collisions::place_all(scene, &mut meshes, &mut problems);
        problems.append(&mut meshes.notes);
        if is_error_free {
            let size_warnings =
                forgotten_scale::warn_missing_scales(scene, &expanded, &placed, &obstacles);
            problems.extend(size_warnings);
        }
        // The indices of colliders depend on all obstacles of the scene.
        let is_incomplete =
            obstacles.len() < scene.obstacles.len() || (placed.is_empty() && !is_error_free);
        if is_incomplete {
            return Err(problems);
        }
        placed.extend(kinematic::moving_obstacles(scene, &obstacles, &mut problems));
        // A joint needs both of its bodies, and an invalid body is missing.
        let joints = match is_error_free {
            true => connect(scene, &expanded, &mut placed, &obstacles, &mut problems),
            false => Vec::new(),
        };
        let described = fingerprint::described_fingerprint(scene, &placed, &obstacles);
        if is_error_free {
            initial::restore_start(scene, (folder, described), &mut placed, &mut problems);
        }
        let collisions =
            collisions::collisions(scene, &expanded, &mut placed, &obstacles, &mut problems);
        if is_error_free {
            problems.extend(probes::probe_problems(scene, &placed));
            if let Some(Collisions { roles, pairs, .. }) = &collisions {
                problems.extend(blended_friction::warn_blended_friction(scene, roles, pairs));
            }
        }
        let originals = originals::original_files(scene, &expanded, folder);
        let evaluated = take_expressions(scene, &mut placed, &mut problems);
        Ok(Self {
            scene,
            expanded,
            placed,
            obstacles,
            originals,
            joints,
            collisions,
            described,
            initial_run: initial::run_folder(scene, folder),
            problems,
            evaluated,
        })
    }

    /// Adds an error for each pair of bodies that intersect at the start.
    fn refuse_crossings(&mut self) -> Vec<Crossing> {
        let crossings = start::find_crossings(self);
        let errors = start::crossing_problems(self, &crossings);
        self.problems.extend(errors);
        crossings
    }

    /// Builds the world.
    ///
    /// # Errors
    /// All problems, if one of them is an error.
    fn assemble(self) -> Result<Built, Vec<Problem>> {
        let Self {
            scene,
            expanded,
            placed,
            obstacles,
            originals,
            joints,
            collisions,
            described,
            initial_run,
            problems,
            evaluated,
        } = self;
        // The descriptions of all copies are not needed any more, and the world is as large.
        drop(expanded);
        if has_errors(&problems) {
            return Err(problems);
        }
        let meshes = placed.iter().map(PlacedBody::mesh).collect();
        let probes = probes::place_probes(scene, &placed);
        let mut bodies: Vec<_> = placed.into_iter().map(PlacedBody::into_parts).collect();
        set_ground_energies(scene, &mut bodies);
        let integrator = scene
            .integrator
            .method()
            .map_err(|e| vec![error("integrator", e, "correct the tableau")])?;
        let world = World::new(bodies, collisions, integrator, settings(scene)).with_joints(joints);
        // Moving obstacles are bodies of the world.
        let fixed = (0..).zip(scene.obstacles.iter().zip(obstacles));
        let fixed = fixed.filter(|(_, (described, _))| !described.moves());
        let obstacles =
            fixed.filter_map(|(index, (_, obstacle))| Some((index, obstacle.mesh?))).collect();
        Ok(Built {
            world,
            meshes,
            obstacles,
            described,
            initial_run,
            originals,
            probes,
            warnings: problems,
            evaluated,
        })
    }
}

/// Places the bodies of a scene and collects their problems; invalid ones are removed from `expanded`.
fn place_valid(
    scene: &Scene,
    expanded: &mut Vec<ExpandedBody>,
    meshes: &mut shape::Meshes<'_>,
    tally: &Tally,
    problems: &mut Vec<Problem>,
) -> Vec<PlacedBody> {
    let mut placed = Vec::new();
    tally.begin("bodies", expanded.len());
    expanded.retain(|body| {
        let placed_body = body::place_body(body, scene, meshes);
        tally.add(1);
        match placed_body {
            Ok(body) => placed.push(body),
            Err(new_problems) => {
                add_new_problems(problems, new_problems);
                return false;
            }
        }
        true
    });
    placed
}

/// The joints between bodies, followed by those of ties.
fn connect(
    scene: &Scene,
    expanded: &[ExpandedBody],
    placed: &mut [PlacedBody],
    obstacles: &[collisions::PlacedObstacle],
    problems: &mut Vec<Problem>,
) -> Vec<WorldJoint> {
    let mut joints = Vec::new();
    joints.extend(joints::create_joints(scene, placed, problems));
    problems.extend(distant_joints::warn_distant_joints(scene, placed));
    problems.extend(implausible_springs::joint_problems(scene, placed));
    problems.extend(filtered_joints::warn_filtered_joints(scene, placed));
    joints.extend(ties::resolve_ties(scene, expanded, placed, obstacles, problems));
    joints
}

/// The expressions of the scene and of its bodies. Those that are undefined at the start are problems.
fn take_expressions(
    scene: &Scene,
    placed: &mut [PlacedBody],
    problems: &mut Vec<Problem>,
) -> Vec<Evaluated> {
    let mut evaluated = evaluated::functions_of_time(scene);
    for body in &mut *placed {
        evaluated.append(&mut body.evaluated);
    }
    let start = placed.first().map_or(0.0, |body| body.state.time);
    problems.extend(evaluated::undefined_problems(&evaluated, scene, start));
    evaluated
}

/// Whether a problem is an error.
fn has_errors(problems: &[Problem]) -> bool {
    problems.iter().any(|problem| problem.severity == Severity::Error)
}

/// Adds problems without repetitions, because copies of a body share them.
fn add_new_problems(problems: &mut Vec<Problem>, new: Vec<Problem>) {
    for problem in new {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
}

/// The path of a body of the scene file.
fn path_of(body: &ExpandedBody) -> String {
    format!("bodies[{}]", body.source)
}

/// An error of a field with its message and remedy.
fn error(path: impl Into<String>, message: impl ToString, help: impl ToString) -> Problem {
    Problem {
        severity: Severity::Error,
        path: path.into(),
        message: message.to_string(),
        help: help.to_string(),
        concerns_steps: false,
    }
}

/// Sets the ground energy of each body (J), the limit of a decaying energy target. A total energy is distributed by
/// mass.
fn set_ground_energies(scene: &Scene, bodies: &mut [(resile_system::Body, resile_system::State)]) {
    let Some((_, EnergyTarget { ground: Some(ground), .. })) = scene.integrator.target() else {
        return;
    };
    let mass = |body: &resile_system::Body| body.masses.iter().sum::<f64>();
    let total_mass: f64 = bodies.iter().map(|(body, _)| mass(body)).sum();
    let gravity = Vec3::from_array(scene.gravity).length();
    for (body, _) in bodies {
        body.ground_energy = match ground {
            Ground::Joules(energy) => energy * mass(body) / total_mass,
            Ground::RestHeight(height) => mass(body) * gravity * height,
        };
    }
}

/// The settings of the world.
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
            let iterations = iterations.map(|limit| limit as usize);
            Method::LocalGlobal(LocalGlobalSettings { iterations, newton })
        }
    };
    let adaptive = scene.time.adaptive_stepping();
    WorldSettings {
        tolerance: solver.tolerance,
        friction_rounds: solver.friction.rounds,
        dirichlet_tolerance: solver.dirichlet_tolerance,
        method,
        max_halvings: solver.max_halvings,
        adaptive,
    }
}
