//! Kinematic bodies: to others what a fixed mesh in the same place is.

use crate::common::{FRICTION, SETTINGS, arrange, arrange_as, cube, rotation};
use resile_contact::{
    CollisionMesh, CollisionScene, Contact, Embedding, Friction, ObstacleMesh, Plane, Role,
    intersections,
};
use resile_system::check::{dissipation_derivatives, energy_derivatives};
use resile_system::{
    Coupling, CouplingDissipationPotential, DissipationPotential, Energy, Links, Path, Vec3,
};
use std::sync::Arc;

const CORNERS: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];

/// A cube on four nodes.
fn block(n: usize) -> Arc<CollisionMesh> {
    let (rest, triangles) = cube(n);
    let hang = |x: &Vec3| Embedding {
        nodes: [0, 1, 2, 3],
        weights: [1.0 - x.x - x.y - x.z, x.x, x.y, x.z],
    };
    let embedding = rest.iter().map(hang).collect();
    Arc::new(CollisionMesh::embedded(&rest, &triangles, embedding, 4).unwrap())
}

/// Two simulated cubes, one of them on four nodes, side by side on a kinematic block, and
/// what they would be on a fixed block in the same place. The kinematic one is the
/// system's first body.
fn on_a_block(mu: f64) -> (CollisionScene, CollisionScene, Vec<Vec3>) {
    let (rest, triangles) = cube(2);
    let plain = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let (floor, small) = (block(3), block(2));
    let turn = rotation(Vec3::new(0.01, 0.4, 0.02));
    let mut x: Vec<Vec3> = CORNERS.map(|p| p * 3.0 - Vec3::new(1.0, 3.0, 1.0)).to_vec();
    let positions = x.clone();
    x.extend(rest.iter().map(|p| turn(*p) + Vec3::Y * 0.06));
    x.extend(CORNERS.map(|p| p + Vec3::new(-1.06, 0.05, 0.2)));
    let surfaces = [floor.clone(), plain, small];
    let plane = Plane { point: -Vec3::Z * 0.5, normal: Vec3::Z, collider: 3 };
    let roles = [Role::Kinematic, Role::Simulated, Role::Simulated];
    let moving = arrange_as(&roles, &surfaces, vec![plane], vec![], mu);
    let mesh = ObstacleMesh { mesh: floor, positions, collider: 0 };
    let fixed = arrange(&surfaces[1..], vec![plane], vec![mesh], mu);
    (moving, fixed, x)
}

fn contact(scene: &CollisionScene, x: &[Vec3]) -> Contact {
    let mut contact = Contact::new(scene.clone(), SETTINGS);
    contact.search(&[Path::at(x)]);
    contact
}

#[test]
fn others_feel_a_fixed_mesh_in_the_same_place() {
    let (moving, fixed, x) = on_a_block(0.3);
    let (moving, mut fixed) = (contact(&moving, &x), contact(&fixed, &x[4..]));
    let value = fixed.value(0.0, &x[4..]);
    assert!(value > 0.0 && (moving.value(0.0, &x) / value - 1.0).abs() < 1e-12);
    let of = |term: &Contact, x: &[Vec3]| {
        let mut g = vec![Vec3::ZERO; x.len()];
        term.add_gradient(0.0, x, 1.0, &mut g);
        g
    };
    let (actual, expected) = (of(&moving, &x), of(&fixed, &x[4..]));
    let size = expected.iter().map(|g| g.length()).fold(0.0, f64::max);
    assert!(actual[4..].iter().zip(&expected).all(|(g, w)| (*g - *w).length() < 1e-11 * size));
    let (mut shares, mut wanted) = ([0.0; 3], [0.0; 2]);
    moving.add_energy_by_body(0.0, &x, &mut shares);
    fixed.search(&[Path::at(&x[4..])]);
    fixed.add_energy_by_body(0.0, &x[4..], &mut wanted);
    assert!(shares[0] == 0.0 && wanted.iter().all(|&share| share > 0.0));
    assert!(
        shares[1..]
            .iter()
            .zip(wanted)
            .all(|(actual, expected)| (actual / expected - 1.0).abs() < 1e-12)
    );
}

#[test]
fn a_kinematic_body_links_nobody() {
    let (moving, _, mut x) = on_a_block(0.0);
    // Far enough from each other to meet the block alone.
    x[4 + 26..].iter_mut().for_each(|p| *p -= Vec3::X * 0.5);
    let contact = contact(&moving, &x);
    let mut shares = [0.0; 3];
    contact.add_energy_by_body(0.0, &x, &mut shares);
    assert!(shares[1] > 0.0 && shares[2] > 0.0);
    let mut links = Links::new(3);
    contact.link(&x, &mut links);
    assert_eq!(links.groups().len(), 3);
}

#[test]
fn derivatives_by_all_nodes_agree_with_differences() {
    let (moving, _, x) = on_a_block(0.3);
    let errors = energy_derivatives(&contact(&moving, &x), &x, 1e-7).unwrap();
    assert!(errors.gradient < 1e-6 && errors.hessian < 1e-5, "{errors:?}");
    let friction = Friction::new(moving, SETTINGS, FRICTION).at(&x, &[]);
    assert!(friction.pair_count() > 10);
    let v: Vec<Vec3> = (0..x.len())
        .map(|i| Vec3::new((i as f64).sin(), (2.0 * i as f64).cos(), (3.0 + i as f64).sin()))
        .collect();
    let errors = dissipation_derivatives(&friction, &v, 1e-6).unwrap();
    assert!(errors.gradient < 1e-7 && errors.hessian < 1e-6, "{errors:?}");
}

#[test]
fn rates_of_shares_are_their_derivatives() {
    let (moving, _, x) = on_a_block(0.0);
    let contact = contact(&moving, &x);
    let along = |i: usize| Vec3::new((i as f64).sin(), (2.0 * i as f64).cos(), 0.3);
    let everything: Vec<Vec3> = (0..x.len()).map(along).collect();
    let kinematic: Vec<Vec3> =
        (0..x.len()).map(|i| if i < 4 { along(i) } else { Vec3::ZERO }).collect();
    for v in [everything, kinematic] {
        let mut rates = [0.0; 3];
        contact.add_energy_rates_by_body(0.0, &x, &v, &mut rates);
        let shares = |t: f64| {
            let at: Vec<Vec3> = x.iter().zip(&v).map(|(x, v)| *x + *v * t).collect();
            let mut shares = [0.0; 3];
            contact.add_energy_by_body(0.0, &at, &mut shares);
            shares
        };
        let t = 1e-6;
        let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|k| shares(k * t));
        assert!(rates[0] == 0.0 && rates[1..].iter().all(|rate| rate.abs() > 1.0), "{rates:?}");
        for k in 1..3 {
            let expected = (8.0 * (c[k] - b[k]) - (d[k] - a[k])) / (12.0 * t);
            assert!((rates[k] / expected - 1.0).abs() < 1e-7, "{k}: {} for {expected}", rates[k]);
        }
    }
}

#[test]
fn kinematic_bodies_pass_through_each_other_and_through_obstacles() {
    let surfaces = [block(2), block(2), block(2)];
    let roles = [Role::Kinematic, Role::Kinematic, Role::Simulated];
    let plane = Plane { point: Vec3::Y * 0.5, normal: Vec3::Y, collider: 3 };
    let scene = arrange_as(&roles, &surfaces, vec![plane], vec![], 0.0);
    let mut x: Vec<Vec3> = Vec::new();
    for by in [Vec3::ZERO, Vec3::splat(0.25), Vec3::new(0.1, 5.0, 0.2)] {
        x.extend(CORNERS.map(|p| p + by));
    }
    assert!(intersections(&scene, &x, 10).is_empty());
    assert_eq!(contact(&scene, &x).value(0.0, &x), 0.0);
    x[8..].iter_mut().for_each(|p| *p -= Vec3::Y * 4.0);
    assert!(!intersections(&scene, &x, 10).is_empty(), "others it does not");
}

#[test]
fn a_body_that_is_come_upon_stops_the_way() {
    let (moving, _, x) = on_a_block(0.0);
    let mut to = x.clone();
    to[..4].iter_mut().for_each(|p| *p += Vec3::Y * 0.5);
    let bound = Contact::new(moving, SETTINGS).search(&[Path { from: &x, to: &to }]);
    assert!((0.02..0.1).contains(&bound), "{bound}");
}

#[test]
fn what_drags_is_shared_among_those_that_it_drags() {
    let (moving, _, x) = on_a_block(0.3);
    let friction = Friction::new(moving, SETTINGS, FRICTION).at(&x, &[]);
    let along = |i: usize| Vec3::new((i as f64).sin(), (2.0 * i as f64).cos(), 0.3);
    let v: Vec<Vec3> = (0..x.len()).map(along).collect();
    let mut force = vec![Vec3::ZERO; x.len()];
    friction.add_gradient(0.0, &v, 1.0, &mut force);
    let power =
        |kinematic: &[Vec3]| -> f64 { force.iter().zip(kinematic).map(|(f, v)| f.dot(*v)).sum() };
    let block: Vec<Vec3> = (0..x.len()).map(|i| if i < 4 { v[i] } else { Vec3::ZERO }).collect();
    for kinematic in [&v, &block] {
        let mut shares = [0.0; 3];
        friction.add_power_by_body(0.0, &v, kinematic, &mut shares);
        assert!(shares[0] == 0.0 && shares[1] != 0.0 && shares[2] != 0.0, "{shares:?}");
        let (sum, whole) = (shares.iter().sum::<f64>(), power(kinematic));
        assert!((sum - whole).abs() < 1e-12 * whole.abs(), "{sum} of {whole} W");
    }
    let mut shares = [0.0; 3];
    friction.add_power_by_body(0.0, &v, &v, &mut shares);
    assert!(shares[1] > 0.0 && shares[2] > 0.0, "friction heats both bodies: {shares:?}");
}
