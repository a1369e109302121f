//! Obstacles, and the contact parameters of each pair of surfaces.

use super::animation::{Animated, place_animated};
use super::body::PlacedBody;
use super::shape::{Mesh, Meshes};
use super::{error, path_of};
use resile_contact::{
    BarrierPotential, CollisionFilter, CollisionMesh, FrictionPotential, ObstacleMesh, Obstacles,
    PairTable, Plane, Role, Side,
};
use resile_math::Vec3;
use resile_mesh::{TriMesh, Wireframe};
use resile_scene::description::{
    Body, Contact, DEFAULT_FRICTION, ExpandedBody, Kind, Obstacle, PairFriction, Problem, Scene,
    Severity, is_wireframe_file,
};
use resile_system::Samples;
use resile_world::Collisions;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An obstacle with its surface, if it is a mesh.
#[derive(Debug)]
pub(super) struct PlacedObstacle {
    pub(super) name: String,
    pub(super) mesh: Option<TriMesh>,
    /// The segments of an obstacle without triangles. Points that belong to no segment also collide.
    pub(super) segments: Option<Vec<[u32; 2]>>,
    /// The motion of its vertices, if files move them.
    pub(super) samples: Option<Arc<Samples>>,
}

/// Places all obstacles, and reads their mesh files.
pub(super) fn place_all(
    scene: &Scene,
    meshes: &mut Meshes<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<PlacedObstacle> {
    let mut placed_obstacles = Vec::new();
    for (i, described) in scene.obstacles.iter().enumerate() {
        match place_obstacle(scene, described, &format!("obstacles[{i}]"), meshes) {
            Ok(placed) => placed_obstacles.push(placed),
            Err(problem) => problems.push(problem),
        }
    }
    placed_obstacles
}

/// Reads and places the surface, the segments or the animation of one obstacle.
fn place_obstacle(
    scene: &Scene,
    described: &Obstacle,
    path: &str,
    meshes: &mut Meshes<'_>,
) -> Result<PlacedObstacle, Problem> {
    let name = described.name().to_owned();
    let (geometry, placement) = match described {
        Obstacle::Plane { .. } => {
            return Ok(PlacedObstacle { name, mesh: None, segments: None, samples: None });
        }
        Obstacle::Animated { placement, .. } => {
            let animation = described.animation().expect("it is animated");
            let Animated { mesh, segments, samples } =
                place_animated(scene, &animation, placement, path, meshes)?;
            let (mesh, samples) = (Some(mesh), Some(samples));
            return Ok(PlacedObstacle { name, mesh, segments, samples });
        }
        Obstacle::Mesh { file, placement, .. } => {
            let path = format!("{path}.file");
            let geometry = match is_wireframe_file(file) {
                true => wireframe_geometry(meshes.wireframe(file, &path)?),
                false => mesh_geometry(meshes.of_obstacle(file, described.moves(), &path)?),
            };
            (geometry, placement)
        }
        Obstacle::Shape { shape, placement, .. } => {
            (mesh_geometry(meshes.of_shape(shape, &format!("{path}.shape"))?), placement)
        }
    };
    let (mut mesh, segments) = geometry;
    mesh.positions.iter_mut().for_each(|p| *p = placement.apply(*p));
    Ok(PlacedObstacle { name, mesh: Some(mesh), segments, samples: None })
}

/// Vertices and triangles, or segments instead of triangles.
type Geometry = (TriMesh, Option<Vec<[u32; 2]>>);

/// The geometry of a mesh: its surface, or its curves as segments.
fn mesh_geometry(mesh: Mesh) -> Geometry {
    match mesh {
        Mesh::Curves(curves) => wireframe_geometry(curves.into()),
        mesh => (mesh.into_surface(), None),
    }
}

/// The geometry of segments and points.
fn wireframe_geometry(frame: Wireframe) -> Geometry {
    let Wireframe { positions, segments } = frame;
    (TriMesh { positions, triangles: Vec::new() }, Some(segments))
}

/// The colliders and their parameters, if contact is on.
pub(super) fn collisions(
    scene: &Scene,
    expanded: &[ExpandedBody],
    placed: &mut [PlacedBody],
    obstacles: &[PlacedObstacle],
    problems: &mut Vec<Problem>,
) -> Option<Collisions> {
    let Contact::Barrier { d_hat, kappa, barrier, slip_speed, improved_max, rim_weights, .. } =
        &scene.contact
    else {
        return None;
    };
    let obstacles = match fixed_obstacles(scene, obstacles, placed.len(), *improved_max) {
        Ok(obstacles) => obstacles,
        Err(problem) => {
            problems.push(problem);
            return None;
        }
    };
    let pair_table = pair_table(scene, expanded);
    for (k, (body, expanded)) in placed.iter().zip(expanded).enumerate() {
        if pair_table.collide(k, k) {
            warn_wide_barrier(body, &path_of(expanded), *d_hat, problems);
        }
    }
    Some(Collisions {
        surfaces: contact_surfaces(placed, *improved_max, *rim_weights),
        roles: placed.iter().map(collider_role).collect(),
        half_thicknesses: placed.iter().map(|body| 0.5 * body.thickness).collect(),
        obstacles: Arc::new(obstacles),
        pairs: Arc::new(pair_table),
        barrier: BarrierPotential {
            barrier: *barrier,
            d_hat: *d_hat,
            kappa: kappa.unwrap_or_else(|| scene.default_kappa()),
        },
        friction: FrictionPotential { slip_speed: *slip_speed },
        gravity: Vec3::from_array(scene.gravity),
    })
}

/// Applies the settings of contact to the surfaces of all bodies, and returns the surfaces. Copies of a body continue
/// to share one surface.
fn contact_surfaces(
    placed: &mut [PlacedBody],
    improved_max: bool,
    rim_weights: bool,
) -> Vec<Arc<CollisionMesh>> {
    let empty = Arc::new(CollisionMesh::new(&[], &[]).expect("an empty mesh is proper"));
    let mut changed_surfaces = BTreeMap::new();
    for body in &mut *placed {
        let original = std::mem::replace(&mut body.surface, empty.clone());
        let entry = changed_surfaces.entry(Arc::as_ptr(&original));
        let change = || {
            let points = rim_weights.then(|| original.points(&body.rest).into_owned());
            let surface = with_signed_sums(original, improved_max);
            match points {
                Some(points) => Arc::new(Arc::unwrap_or_clone(surface).with_rim_weights(&points)),
                None => surface,
            }
        };
        body.surface = entry.or_insert_with(change).clone();
    }
    placed.iter().map(|body| body.surface.clone()).collect()
}

/// The surface with signed sums (improved max operator), if the scene requests them. Copies a shared surface.
fn with_signed_sums(surface: Arc<CollisionMesh>, improved_max: bool) -> Arc<CollisionMesh> {
    match improved_max {
        true => Arc::new(Arc::unwrap_or_clone(surface).with_signed_sums()),
        false => surface,
    }
}

/// Warns of sheets whose barrier range exceeds the size of their triangles, so that neighbouring triangles repel each
/// other. The check for intersections at the start reports sheets that intersect.
fn warn_wide_barrier(body: &PlacedBody, path: &str, d_hat: f64, problems: &mut Vec<Problem>) {
    let Err(e) = body.surface.check_thickness(0.5 * body.thickness, d_hat) else { return };
    if body.affine.is_some() || body.thickness == 0.0 || e.height <= e.thickness {
        // The check of `contact.d_hat` compares it with the edges of bodies without thickness.
        return;
    }
    let problem = Problem {
        severity: Severity::Warning,
        path: format!("{path}.contact_thickness"),
        message: e.to_string(),
        help: "make the sheet thinner for contact, d_hat smaller or the triangles larger".into(),
    };
    if !problems.contains(&problem) {
        problems.push(problem);
    }
}

/// Whether contact moves a body, or only its prescribed motion.
fn collider_role(placed: &PlacedBody) -> Role {
    if placed.body.is_kinematic() { Role::Kinematic } else { Role::Simulated }
}

/// The obstacles that do not move, with collider indices after those of the `body_count` bodies.
fn fixed_obstacles(
    scene: &Scene,
    obstacles: &[PlacedObstacle],
    body_count: usize,
    improved_max: bool,
) -> Result<Obstacles, Problem> {
    let (mut planes, mut meshes) = (Vec::new(), Vec::new());
    for (i, (described, obstacle)) in scene.obstacles.iter().zip(obstacles).enumerate() {
        let collider = body_count + i;
        if described.moves() {
            // The world has it as a body.
            continue;
        }
        match (described, &obstacle.mesh) {
            (Obstacle::Plane { point, normal, .. }, _) => planes.push(Plane {
                point: Vec3::from_array(*point),
                normal: Vec3::from_array(*normal).normalize(),
                collider,
            }),
            (Obstacle::Mesh { .. } | Obstacle::Shape { .. }, Some(mesh)) => {
                let path = format!("obstacles[{i}]");
                let surface = CollisionMesh::new(&mesh.positions, &mesh.triangles)
                    .map_err(|e| error(path, e, "repair the mesh"))?;
                let positions = mesh.positions.clone();
                let mesh = with_signed_sums(Arc::new(surface), improved_max);
                meshes.push(ObstacleMesh { mesh, positions, collider });
            }
            (Obstacle::Mesh { .. } | Obstacle::Shape { .. }, None)
            | (Obstacle::Animated { .. }, _) => {}
        }
    }
    Obstacles::new(planes, meshes).map_err(|e| error("obstacles", e, "correct the obstacle"))
}

/// The table of colliding pairs. Copies of a repeated body form a group that rules address by one name, and so do both
/// colliders of a moving obstacle. O(n log n) in bodies and rules.
fn pair_table(scene: &Scene, expanded: &[ExpandedBody]) -> PairTable {
    let Contact::Barrier { friction_rule, restitution_rule, pairs, exclude, .. } = &scene.contact
    else {
        return PairTable::new(0);
    };
    let body_coefficients = |body: &Body| {
        // Deformable bodies have no angular velocity.
        let rolling = (body.kind == Kind::Affine).then_some(body.rolling_friction.unwrap_or(0.0));
        let impact = (body.restitution, (body.contact_damping, rolling));
        (body.friction.unwrap_or(DEFAULT_FRICTION), (body.static_friction, impact))
    };
    let bodies =
        expanded.iter().map(|ExpandedBody { source, body, .. }| (*source, body_coefficients(body)));
    let obstacle_coefficients = |(i, obstacle): (usize, &Obstacle)| {
        let deforms = matches!(obstacle, Obstacle::Animated { .. });
        let rolling = (!deforms).then_some(obstacle.rolling_friction().unwrap_or(0.0));
        let impact = (obstacle.restitution(), (obstacle.contact_damping(), rolling));
        let others = (obstacle.static_friction(), impact);
        let coefficients = (obstacle.friction().unwrap_or(DEFAULT_FRICTION), others);
        (scene.bodies.len() + i, coefficients)
    };
    let obstacles = scene.obstacles.iter().enumerate();
    // A moving obstacle has two collider indices: as a body, and one after all bodies, which is unused.
    let moving = obstacles.clone().filter(|(_, obstacle)| obstacle.moves());
    let colliders =
        bodies.chain(moving.map(obstacle_coefficients)).chain(obstacles.map(obstacle_coefficients));
    let (groups, coefficients): (Vec<u32>, Vec<_>) =
        colliders.map(|(group, coefficients)| (group as u32, coefficients)).unzip();
    let (friction, others): (Vec<f64>, Vec<_>) = coefficients.into_iter().unzip();
    let (static_friction, impact): (Vec<_>, Vec<_>) = others.into_iter().unzip();
    let (restitution, resistance): (Vec<_>, Vec<_>) = impact.into_iter().unzip();
    let (damping, rolling) = resistance.into_iter().unzip();
    let mut table = PairTable::of_groups(groups)
        .with_friction(*friction_rule, friction)
        .with_static_friction(static_friction)
        .with_restitution(*restitution_rule, restitution)
        .with_contact_damping(damping)
        .with_rolling_friction(rolling);
    if pairs.is_empty() && exclude.is_empty() {
        return table;
    }
    let sides = sides_by_name(scene, expanded);
    // Invalid bodies are not in the table.
    let pair_sides =
        |a: &String, b: &String| Some((*sides.get(a.as_str())?, *sides.get(b.as_str())?));
    for pair in pairs {
        let PairFriction { friction, static_friction, restitution, .. } = pair;
        // Later pairs override earlier ones, so a rule for a group can be refined for a copy.
        let Some((a, b)) = pair_sides(&pair.a, &pair.b) else { continue };
        if let Some(mu) = friction {
            table.set_friction(a, b, *mu);
        }
        if let Some(mu) = static_friction {
            table.set_static_friction(a, b, *mu);
        }
        if let Some(e) = restitution {
            table.set_restitution(a, b, *e);
        }
        if let Some(time) = pair.contact_damping {
            table.set_contact_damping(a, b, time);
        }
        if let Some(rho) = pair.rolling_friction {
            table.set_rolling_friction(a, b, rho);
        }
    }
    for (a, b) in exclude.iter().filter_map(|(a, b)| pair_sides(a, b)) {
        table.set_filter(a, b, CollisionFilter::Ignored);
    }
    table
}

/// Distances below which contact forces act between colliders.
pub(super) struct ContactRanges {
    table: PairTable,
    d_hat: f64,
    /// Half thickness of each body (m); fixed obstacles have none.
    half_thicknesses: Vec<f64>,
}

impl ContactRanges {
    /// The ranges of all pairs of colliders.
    pub(super) fn new(scene: &Scene, expanded: &[ExpandedBody], placed: &[PlacedBody]) -> Self {
        let half_thicknesses = placed.iter().map(|body| 0.5 * body.thickness).collect();
        let (table, d_hat) = match &scene.contact {
            Contact::Barrier { d_hat, .. } => (pair_table(scene, expanded), *d_hat),
            Contact::Off => (PairTable::new(0), 0.0),
        };
        Self { table, d_hat, half_thicknesses }
    }

    /// The range of two colliders (m); zero if they do not collide.
    pub(super) fn of_pair(&self, a: usize, b: usize) -> f64 {
        if self.d_hat == 0.0 || !self.table.collide(a, b) {
            return 0.0;
        }
        let half_thickness = |k: usize| self.half_thicknesses.get(k).copied().unwrap_or(0.0);
        self.d_hat + half_thickness(a) + half_thickness(b)
    }
}

/// The sides of pairs by the names that rules use: of a body with all its copies, of a single copy, or of an obstacle.
fn sides_by_name<'a>(scene: &'a Scene, expanded: &'a [ExpandedBody]) -> BTreeMap<&'a str, Side> {
    let bodies = scene.bodies.iter().map(|body| body.name.as_str());
    let groups = bodies.chain(scene.obstacles.iter().map(Obstacle::name)).enumerate();
    let repeated = expanded.iter().enumerate();
    let repeated = repeated.filter(|(_, copy)| scene.bodies[copy.source].repeat.is_some());
    repeated
        .map(|(collider, copy)| (copy.body.name.as_str(), Side::Collider(collider)))
        .chain(groups.map(|(group, name)| (name, Side::Group(group))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_scene::text::SceneText;

    /// Three dice (the last with less friction), a ball, a moving drum and a floor.
    fn table(pairs: &str, exclude: &str) -> PairTable {
        let text = format!(
            r#"(
                version: 2,
                materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) }},
                bodies: [
                    (name: "dice", shape: Box(size: (1, 1, 1), cells: (1, 1, 1)), kind: Affine, material: "m",
                     repeat: Row(count: 3, step: (2, 0, 0), vary: [Friction(List([0.3, 0.3, 0.2]))])),
                    (name: "ball", shape: Sphere(radius: 1, subdivisions: 0), kind: Affine, material: "m",
                     friction: 0.5, placement: (translate: (0, 0, 5))),
                ],
                obstacles: [
                    Shape(name: "drum", shape: Sphere(radius: 1, subdivisions: 0), friction: 0.6,
                     placement: (translate: (0, 0, 9)), motion: Move(velocity: (0, 0, 1))),
                    Plane(name: "floor", point: (0, -5, 0), normal: (0, 1, 0), friction: 0.4),
                ],
                contact: Barrier(d_hat: 1e-3, kappa: 1e6, friction_rule: Min, pairs: [{pairs}], exclude: [{exclude}]),
                gravity: (0, 0, 0),
                integrator: ImplicitEuler,
                time: (step: 0.01, duration: 1),
            )"#
        );
        let scene = SceneText::new("test.ron", text).read().expect("it is a scene");
        pair_table(&scene, &scene.expand())
    }

    const DICE: usize = 0;
    const BALL: usize = 3;
    const DRUM: usize = 4;
    const FLOOR: usize = 6;

    #[test]
    fn friction_coefficients_without_pair_rules_are_combined() {
        let table = table("", "");
        assert_eq!(table.colliders(), 7, "four bodies, and twice an obstacle that moves");
        assert_eq!(table.friction(DICE, DICE + 1), 0.3);
        assert_eq!(table.friction(DICE + 2, BALL), 0.2);
        assert_eq!([table.friction(BALL, DRUM), table.friction(BALL, FLOOR)], [0.5, 0.4]);
        assert!((0..7).all(|a| (0..7).all(|b| table.collide(a, b))));
    }

    #[test]
    fn pair_rule_by_name_covers_all_copies_and_the_last_rule_applies() {
        let table = table(
            r#"(a: "dice", b: "floor", friction: 0.9), (a: "floor", b: "dice[1]", friction: 0.1),
               (a: "dice[0]", b: "dice", friction: 0.7)"#,
            r#"("ball", "dice[2]"), ("drum", "dice")"#,
        );
        assert_eq!([0, 1, 2].map(|k| table.friction(DICE + k, FLOOR)), [0.9, 0.1, 0.9]);
        assert_eq!(table.friction(DICE + 2, DICE), 0.7);
        assert_eq!([table.friction(DICE, DICE), table.friction(DICE + 1, DICE + 2)], [0.7, 0.2]);
        assert_eq!([0, 1, 2].map(|k| table.collide(BALL, DICE + k)), [true, true, false]);
        assert!((0..3).all(|k| !table.collide(DICE + k, DRUM) && table.collide(DICE + k, FLOOR)));
    }
}
