//! Tests of fine surfaces embedded in coarse tetrahedral meshes: the surface moves with the mesh, and forces on it
//! are transferred to the mesh.

use super::body::{PlacedBody, place_body};
use super::shape::Meshes;
use resile_contact::{
    Barrier, BarrierPotential, Collider, CollisionMesh, CollisionScene, Contact, Friction,
    FrictionPotential, Obstacles, PairTable, Role,
};
use resile_math::{Mat3, Vec3};
use resile_mesh::generate::Icosphere;
use resile_mesh::read::Groups;
use resile_mesh::read::read_obj;
use resile_mesh::write::write_obj;
use resile_scene::text::SceneText;
use resile_system::check::{dissipation_derivatives, energy_derivatives};
use resile_system::{Coupling, DissipationPotential, Energy, Path};
use std::sync::Arc;

/// Two balls of 1 m side by side, the second rotated, with a gap below `d_hat`.
const SCENE: &str = r#"(
    version: 2,
    materials: { "rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3)) },
    bodies: [
        (
            name: "left",
            shape: Fill(file: "ball.obj", resolution: Tets(150), surface: (draw: Original, contact: Original)),
            material: "rubber",
            friction: 0.4,
        ),
        (
            name: "right",
            shape: Fill(file: "ball.obj", resolution: Tets(150), surface: (draw: Original, contact: Original)),
            material: "rubber",
            friction: 0.4,
            placement: (translate: (1.02, 0.05, 0.03), rotate: [(axis: (0, 0, 1), degrees: 20)]),
        ),
    ],
    gravity: (0, 0, 0),
    contact: Barrier(d_hat: 0.1, kappa: 1e4, friction_rule: Mean),
    integrator: ASearch(),
    time: (step: "1/100", duration: 1),
)"#;
const BARRIER: BarrierPotential =
    BarrierPotential { barrier: Barrier::ClampedLog, d_hat: 0.1, kappa: 1e4 };
const FRICTION: FrictionPotential = FrictionPotential { slip_speed: 0.01 };

/// The file of a ball.
fn ball_obj() -> Vec<u8> {
    let mut file = Vec::new();
    let mut ball = Icosphere { radius: 0.5, subdivisions: 2 }.build().expect("a sphere");
    // The coarse mesh would lose too much of the volume of a closed surface.
    ball.triangles.pop();
    write_obj(&ball, &Groups::new(), &mut file).expect("memory takes everything");
    file
}

/// The vertices of the ball in the order in which they are read.
fn fine_points() -> Vec<Vec3> {
    read_obj(&ball_obj()[..]).expect("it is a surface").mesh.positions
}

fn balls() -> Vec<PlacedBody> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("ball.obj"), ball_obj()).expect("it is written");
    let scene = SceneText::new("two balls", SCENE.to_owned()).load().expect("it is good").scene;
    let mut meshes = Meshes::new(folder.path(), scene.units);
    let place_ball = |expanded| place_body(expanded, &scene, &mut meshes).expect("it is good");
    let balls: Vec<PlacedBody> = scene.expand().iter().map(place_ball).collect();
    let (points, nodes) = (fine_points().len(), balls[0].state.positions.len());
    assert!(points > nodes, "{points} points on {nodes} nodes are not fine");
    let embedding = balls[0].surface.embedding().expect("the surface is embedded");
    let outside = |w: &[f64; 4]| w.iter().any(|&w| w < -1e-3);
    assert!(embedding.iter().any(|e| outside(&e.weights)), "some points are outside of the mesh");
    balls
}

/// Pseudo-random numbers between -1 and 1.
fn noise(count: usize) -> Vec<Vec3> {
    let at = |k: usize| (1.0 + 7.3 * k as f64).sin();
    (0..count).map(|i| Vec3::new(at(3 * i), at(3 * i + 1), at(3 * i + 2))).collect()
}

/// Perturbed positions of all nodes, so that the motion is not affine.
fn nodes(balls: &[PlacedBody]) -> Vec<Vec3> {
    let all: Vec<Vec3> = balls.iter().flat_map(|b| b.state.positions.clone()).collect();
    all.iter().zip(noise(all.len())).map(|(x, n)| *x + 5e-3 * n).collect()
}

/// Positions (or velocities) of the points of both surfaces for nodes at `x`.
fn points(balls: &[PlacedBody], x: &[Vec3]) -> Vec<Vec3> {
    let (left, right) = x.split_at(balls[0].state.positions.len());
    [&*balls[0].surface.points(left), &*balls[1].surface.points(right)].concat()
}

fn collision_scene(surfaces: [Arc<CollisionMesh>; 2]) -> CollisionScene {
    let mut pairs = PairTable::of_groups(vec![0; 2]);
    pairs.set_friction(0, 0, 0.4);
    let second = surfaces[0].node_count();
    let placed = surfaces.into_iter().zip([0, second]).enumerate();
    let colliders = placed.map(|(body, (mesh, first_node))| Collider {
        role: Role::Simulated,
        mesh,
        number: body,
        body,
        first_node,
        half_thickness: 0.0,
    });
    let obstacles = Arc::new(Obstacles::new(vec![], vec![]).expect("there are none"));
    CollisionScene::new(colliders.collect(), obstacles, Arc::new(pairs))
}

fn embedded(balls: &[PlacedBody]) -> CollisionScene {
    collision_scene([balls[0].surface.clone(), balls[1].surface.clone()])
}

/// The surfaces with their points as nodes.
fn simple_scene(balls: &[PlacedBody]) -> CollisionScene {
    let own = |ball: &PlacedBody| {
        let points = ball.surface.points(&ball.state.positions);
        Arc::new(CollisionMesh::new(&points, ball.surface.triangles()).expect("it is a surface"))
    };
    collision_scene([own(&balls[0]), own(&balls[1])])
}

/// The sum of forces and that of torques about the origin.
fn wrench(x: &[Vec3], forces: &[Vec3]) -> [Vec3; 2] {
    let torques = x.iter().zip(forces).map(|(x, f)| x.cross(*f));
    [forces.iter().copied().sum(), torques.sum()]
}

#[track_caller]
fn assert_near(actual: Vec3, expected: Vec3, size: f64) {
    assert!((actual - expected).length() < 1e-12 * size, "{actual:?} for {expected:?}, of {size}");
}

/// Checks that the forces on points and on nodes have equal resultants. Returns force and torque on the left and the
/// right body, and the sum of the magnitudes of all forces.
fn check_resultants(
    of_nodes: [&[Vec3]; 2],
    of_points: [&[Vec3]; 2],
    split: [usize; 2],
) -> ([[Vec3; 2]; 2], f64) {
    let side = |[x, f]: [&[Vec3]; 2], at: usize| {
        let [(a, b), (p, q)] = [x.split_at(at), f.split_at(at)];
        [wrench(a, p), wrench(b, q)]
    };
    let [left, right] = side(of_nodes, split[0]);
    let wanted = side(of_points, split[1]);
    let size: f64 = of_points[1].iter().map(|f| f.length()).sum();
    assert!(left[0].length() > 1e-3 * size && left[1].length() > 1e-4 * size, "{left:?}");
    for k in 0..2 {
        assert_near(left[k], wanted[0][k], size);
        assert_near(right[k], wanted[1][k], size);
    }
    ([left, right], size)
}

#[test]
fn embedded_surface_follows_affine_motions_of_the_mesh() {
    let fine = fine_points();
    let [ball, _] = &balls()[..] else { panic!("two balls") };
    let shear = Mat3::from_cols(
        Vec3::new(0.7, 0.2, -0.1),
        Vec3::new(-0.4, 1.3, 0.6),
        Vec3::new(0.5, -0.3, 0.9),
    );
    let moved = |x: &Vec3| shear * *x + Vec3::new(3.0, -2.0, 1.0);
    let nodes: Vec<Vec3> = ball.state.positions.iter().map(moved).collect();
    let found = ball.surface.points(&nodes);
    assert_eq!(found.len(), fine.len());
    for (found, x) in found.iter().zip(&fine) {
        assert!((*found - moved(x)).length() < 1e-13, "{found:?} for {:?}", moved(x));
    }
}

#[test]
fn embedded_contact_has_the_derivatives_of_its_energy() {
    let balls = balls();
    let x = nodes(&balls);
    let mut contact = Contact::new(embedded(&balls), BARRIER);
    contact.search(&[Path::at(&x)]);
    let errors = energy_derivatives(&contact, &x, 1e-6).expect("the balls are near");
    assert!(errors.gradient < 1e-7 && errors.hessian < 1e-6, "{errors:?}");
    let friction = Friction::new(embedded(&balls), BARRIER, FRICTION).at(&x, &[]);
    let v: Vec<Vec3> = noise(x.len()).iter().map(|n| 0.02 * *n).collect();
    let errors = dissipation_derivatives(&friction, &v, 1e-6).expect("the balls rub");
    assert!(errors.gradient < 1e-6 && errors.hessian < 1e-5, "{errors:?}");
}

#[test]
fn embedding_conserves_force_and_torque() {
    let balls = balls();
    let x = nodes(&balls);
    let p = points(&balls, &x);
    let split = [balls[0].state.positions.len(), balls[0].surface.points(&x).len()];
    let gradient = |scene: CollisionScene, x: &[Vec3]| {
        let mut contact = Contact::new(scene, BARRIER);
        contact.search(&[Path::at(x)]);
        let mut g = vec![Vec3::ZERO; x.len()];
        contact.add_gradient(0.0, x, 1.0, &mut g);
        g
    };
    let (of_nodes, of_points) =
        (gradient(embedded(&balls), &x), gradient(simple_scene(&balls), &p));
    let ([left, right], size) = check_resultants([&x, &of_nodes], [&p, &of_points], split);
    assert_near(left[0], -right[0], size);
    assert_near(left[1], -right[1], size);
    // Friction is lagged at a state, then evaluated at velocities.
    let rub = |scene: CollisionScene, x: &[Vec3], v: &[Vec3]| {
        let friction = Friction::new(scene, BARRIER, FRICTION).at(x, &[]);
        let mut g = vec![Vec3::ZERO; v.len()];
        friction.add_gradient(0.0, v, 1.0, &mut g);
        g
    };
    let v: Vec<Vec3> = noise(x.len()).iter().map(|n| 0.02 * *n).collect();
    let of_nodes = rub(embedded(&balls), &x, &v);
    let of_points = rub(simple_scene(&balls), &p, &points(&balls, &v));
    let ([left, right], size) = check_resultants([&x, &of_nodes], [&p, &of_points], split);
    // The two forces act on opposite sides of the gap and thus have a torque.
    assert_near(left[0], -right[0], size);
}
