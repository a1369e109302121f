//! Obstacles, and who meets whom how.

use super::animation::{Animated, animated};
use super::body::PlacedBody;
use super::shape::{Mesh, Meshes};
use super::{error, path_of};
use crate::description::{
    BarrierFunction, Contact, ExpandedBody, FrictionRule, Obstacle, PairFriction, Problem, Scene,
    Severity,
};
use resile_contact::{
    Barrier, BarrierPotential, CollisionFilter, CollisionMesh, FrictionPotential, ObstacleMesh,
    Obstacles, PairTable, Plane, Role,
};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_system::Samples;
use resile_world::Collisions;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An obstacle with its surface, if it is a mesh.
#[derive(Debug)]
pub(super) struct PlacedObstacle {
    pub(super) name: String,
    pub(super) mesh: Option<TriMesh>,
    /// Where its vertices are, if files move them.
    pub(super) samples: Option<Arc<Samples>>,
}

/// Reads the obstacles' meshes.
pub(super) fn obstacles(
    scene: &Scene,
    meshes: &mut Meshes<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<PlacedObstacle> {
    let mut out = Vec::new();
    for (i, described) in scene.obstacles.iter().enumerate() {
        let (read, placement) = match described {
            Obstacle::Plane { .. } => {
                let name = described.name().to_owned();
                out.push(PlacedObstacle { name, mesh: None, samples: None });
                continue;
            }
            Obstacle::Mesh { file, placement, .. } => {
                let path = format!("obstacles[{i}].file");
                (meshes.of_file(file, &path).map(Mesh::into_surface), placement)
            }
            Obstacle::Shape { shape, placement, .. } => {
                let mesh = meshes.of_shape(shape, &format!("obstacles[{i}].shape"));
                (mesh.map(Mesh::into_surface), placement)
            }
            Obstacle::Animated { placement, .. } => {
                let path = format!("obstacles[{i}]");
                let animation = described.animation().expect("it is animated");
                match animated(scene, &animation, placement, &path, meshes) {
                    Ok(Animated { mesh, samples }) => out.push(PlacedObstacle {
                        name: described.name().to_owned(),
                        mesh: Some(mesh),
                        samples: Some(samples),
                    }),
                    Err(problem) => problems.push(problem),
                }
                continue;
            }
        };
        let mesh = match read {
            Ok(mut mesh) => {
                mesh.positions.iter_mut().for_each(|p| *p = placement.apply(*p));
                Some(mesh)
            }
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        out.push(PlacedObstacle { name: described.name().to_owned(), mesh, samples: None });
    }
    out
}

/// Everything that can meet, if contact is on.
pub(super) fn collisions(
    scene: &Scene,
    expanded: &[ExpandedBody],
    placed: &[PlacedBody],
    obstacles: &[PlacedObstacle],
    problems: &mut Vec<Problem>,
) -> Option<Collisions> {
    let Contact::Barrier { d_hat, kappa, barrier, slip_speed, friction_rule, pairs, off } =
        &scene.contact
    else {
        return None;
    };
    let obstacles = match arranged(scene, obstacles, placed.len()) {
        Ok(obstacles) => obstacles,
        Err(problem) => {
            problems.push(problem);
            return None;
        }
    };
    let pair_table = pair_table(scene, expanded, *friction_rule, pairs, off);
    for (k, (body, expanded)) in placed.iter().zip(expanded).enumerate() {
        if pair_table.collide(k, k) {
            note_thickness(body, &path_of(expanded), *d_hat, problems);
        }
    }
    Some(Collisions {
        surfaces: placed.iter().map(|body| body.surface.clone()).collect(),
        roles: placed.iter().map(role).collect(),
        half_thicknesses: placed.iter().map(|body| 0.5 * body.thickness).collect(),
        obstacles: Arc::new(obstacles),
        pairs: Arc::new(pair_table),
        barrier: BarrierPotential { barrier: function(*barrier), d_hat: *d_hat, kappa: *kappa },
        friction: FrictionPotential { slip_speed: *slip_speed },
        gravity: Vec3::from_array(scene.gravity),
    })
}

fn function(described: BarrierFunction) -> Barrier {
    match described {
        BarrierFunction::ClampedLog => Barrier::ClampedLog,
        BarrierFunction::ClampedLogSquared => Barrier::ClampedLogSquared,
        BarrierFunction::Cubic => Barrier::Cubic,
    }
}

/// Reports a sheet that is thick against its own triangles; the start test finds those
/// that touch their neighbours, and this those that push them.
fn note_thickness(body: &PlacedBody, path: &str, d_hat: f64, problems: &mut Vec<Problem>) {
    let Err(e) = body.surface.check_thickness(0.5 * body.thickness, d_hat) else { return };
    if body.affine.is_some() || body.thickness == 0.0 || e.height <= e.thickness {
        return; // `contact.d_hat` is compared with edges elsewhere
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

fn role(placed: &PlacedBody) -> Role {
    if placed.body.is_kinematic() { Role::Kinematic } else { Role::Simulated }
}

/// Obstacles that stand still, numbered after the bodies.
fn arranged(
    scene: &Scene,
    obstacles: &[PlacedObstacle],
    bodies: usize,
) -> Result<Obstacles, Problem> {
    let (mut planes, mut meshes) = (Vec::new(), Vec::new());
    for (i, (described, obstacle)) in scene.obstacles.iter().zip(obstacles).enumerate() {
        let collider = bodies + i;
        if described.moves() {
            continue; // it is among the bodies
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
                    .map_err(|e| error(path, e, "mend the mesh"))?;
                let positions = mesh.positions.clone();
                meshes.push(ObstacleMesh { mesh: Arc::new(surface), positions, collider });
            }
            (Obstacle::Mesh { .. } | Obstacle::Shape { .. }, None)
            | (Obstacle::Animated { .. }, _) => {}
        }
    }
    Obstacles::new(planes, meshes).map_err(|e| error("obstacles", e, "mend the obstacle"))
}

/// A name, and that of the repeated body it is a copy of.
#[derive(Clone, Copy)]
struct Named<'a> {
    own: &'a str,
    of: &'a str,
    friction: f64,
}

impl Named<'_> {
    fn is(&self, name: &str) -> bool {
        self.own == name || self.of == name
    }
}

/// Colliders of which the rules cannot tell one from another.
struct Classes<'a> {
    /// The class of each collider.
    of: Vec<u32>,
    /// One collider of each class.
    examples: Vec<Named<'a>>,
}

/// Copies of a repeated body are of one class, unless a rule names them singly or their
/// friction differs.
fn classes<'a>(colliders: &[Named<'a>], named: &BTreeSet<&str>) -> Classes<'a> {
    let mut known: BTreeMap<(&str, Option<&str>, u64), u32> = BTreeMap::new();
    let mut classes = Classes { of: Vec::new(), examples: Vec::new() };
    for collider in colliders {
        let singly = named.contains(collider.own).then_some(collider.own);
        let key = (collider.of, singly, collider.friction.to_bits());
        let class = *known.entry(key).or_insert_with(|| {
            classes.examples.push(*collider);
            classes.examples.len() as u32 - 1
        });
        classes.of.push(class);
    }
    classes
}

fn pair_table(
    scene: &Scene,
    expanded: &[ExpandedBody],
    rule: FrictionRule,
    pairs: &[PairFriction],
    off: &[(String, String)],
) -> PairTable {
    let bodies = expanded.iter().map(|ExpandedBody { source, body, .. }| {
        let friction = body.friction.unwrap_or(0.0);
        Named { own: &body.name, of: &scene.bodies[*source].name, friction }
    });
    // An obstacle that moves has two numbers, the second of which nothing uses.
    fn of_obstacle(obstacle: &Obstacle) -> Named<'_> {
        let friction = obstacle.friction().unwrap_or(0.0);
        Named { own: obstacle.name(), of: obstacle.name(), friction }
    }
    let moving = scene.obstacles.iter().filter(|obstacle| obstacle.moves());
    let colliders: Vec<Named<'_>> = bodies
        .chain(moving.map(of_obstacle))
        .chain(scene.obstacles.iter().map(of_obstacle))
        .collect();
    let in_pairs = pairs.iter().flat_map(|pair| [&*pair.a, &*pair.b]);
    let named = in_pairs.chain(off.iter().flat_map(|(a, b)| [&**a, &**b])).collect();
    let Classes { of, examples } = classes(&colliders, &named);
    let mut table = PairTable::of_classes(of);
    for (a, first) in examples.iter().enumerate() {
        for (b, second) in examples.iter().enumerate().skip(a) {
            let meant =
                |x: &str, y: &str| (first.is(x) && second.is(y)) || (first.is(y) && second.is(x));
            // The last pair that fits decides, so a general one can be refined.
            let chosen = pairs.iter().rev().find(|pair| meant(&pair.a, &pair.b));
            let mu = chosen
                .map_or_else(|| rule.combine(first.friction, second.friction), |p| p.friction);
            table.set_friction(a, b, mu);
            if off.iter().any(|(x, y)| meant(x, y)) {
                table.set_filter(a, b, CollisionFilter::Ignored);
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_of_one_class_unless_named_singly_or_of_other_friction() {
        let die = |own| Named { own, of: "dice", friction: 0.3 };
        let floor = Named { own: "floor", of: "floor", friction: 0.3 };
        let slippery = Named { friction: 0.0, ..die("dice[3]") };
        let colliders = [die("dice[0]"), die("dice[1]"), die("dice[2]"), slippery, floor];
        let of = |named: &[&str]| classes(&colliders, &named.iter().copied().collect()).of;
        assert_eq!(of(&[]), [0, 0, 0, 1, 2]);
        assert_eq!(of(&["dice", "floor"]), [0, 0, 0, 1, 2]);
        assert_eq!(of(&["dice[1]"]), [0, 1, 0, 2, 3]);
    }
}
