//! Embedded surfaces against ordinary ones with the same points.

use crate::common::{FRICTION, SETTINGS, arrange, cube, relaxed_residual, rotation};
use nalgebra::{DMatrix, DVector};
use resile_contact::{
    Collider, CollisionMesh, CollisionMeshError, CollisionScene, Contact, Embedding, Friction,
    ObstacleMesh, Plane, Primitive, intersections,
};
use resile_system::check::{DenseSink, dissipation_derivatives, energy_derivatives};
use resile_system::{
    Coupling, CouplingDissipationPotential, DissipationPotential, Energy, Hessian, Links, Path,
    Psd, Vec3,
};
use std::sync::Arc;

/// Barycentric coordinates of `x` in a tetrahedron.
fn weights(corners: [Vec3; 4], x: Vec3) -> [f64; 4] {
    let [a, b, c, d] = corners;
    let edges = resile_system::Mat3::from_cols(b - a, c - a, d - a);
    let w = edges.inverse() * (x - a);
    [1.0 - w.x - w.y - w.z, w.x, w.y, w.z]
}

/// A body as contact sees it twice: with nodes that its surface hangs on, and with the
/// points of the surface for nodes.
struct Twin {
    embedded: Arc<CollisionMesh>,
    plain: Arc<CollisionMesh>,
    nodes: Vec<Vec3>,
}

const CORNERS: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];

/// A cube on four nodes, some of its points far outside their tetrahedron.
fn affine(n: usize, place: impl Fn(Vec3) -> Vec3) -> Twin {
    let (rest, triangles) = cube(n);
    let hang = |x: &Vec3| Embedding { nodes: [0, 1, 2, 3], weights: weights(CORNERS, *x) };
    let embedding = rest.iter().map(hang).collect();
    Twin {
        embedded: Arc::new(CollisionMesh::embedded(&rest, &triangles, embedding, 4).unwrap()),
        plain: Arc::new(CollisionMesh::new(&rest, &triangles).unwrap()),
        nodes: CORNERS.map(place).to_vec(),
    }
}

/// A cube in two tetrahedra with a common face: on five nodes, one of which each half
/// of it lacks.
fn halves(n: usize, place: impl Fn(Vec3) -> Vec3) -> Twin {
    let (rest, triangles) = cube(n);
    let far = Vec3::ONE * 1.1;
    let hang = |x: &Vec3| {
        if x.x + x.y + x.z < 1.0 {
            return Embedding { nodes: [0, 1, 2, 3], weights: weights(CORNERS, *x) };
        }
        let corners = [far, CORNERS[1], CORNERS[2], CORNERS[3]];
        Embedding { nodes: [4, 1, 2, 3], weights: weights(corners, *x) }
    };
    let embedding = rest.iter().map(hang).collect();
    let mut nodes = CORNERS.map(&place).to_vec();
    nodes.push(place(far));
    Twin {
        embedded: Arc::new(CollisionMesh::embedded(&rest, &triangles, embedding, 5).unwrap()),
        plain: Arc::new(CollisionMesh::new(&rest, &triangles).unwrap()),
        nodes,
    }
}

/// A cube with its points for nodes.
fn ordinary(n: usize, place: impl Fn(Vec3) -> Vec3) -> Twin {
    let (rest, triangles) = cube(n);
    let plain = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    Twin { embedded: plain.clone(), plain, nodes: rest.iter().map(|x| place(*x)).collect() }
}

/// The same bodies twice, and the matrix that leads from all nodes to all points.
struct Scene {
    embedded: CollisionScene,
    plain: CollisionScene,
    x: Vec<Vec3>,
    to_points: DMatrix<f64>,
}

impl Scene {
    fn points(&self, nodes: &[Vec3]) -> Vec<Vec3> {
        let flat = DVector::from_iterator(3 * nodes.len(), nodes.iter().flat_map(|x| x.to_array()));
        let points = &self.to_points * flat;
        points.as_slice().chunks(3).map(|p| Vec3::new(p[0], p[1], p[2])).collect()
    }
}

fn scene_of(twins: &[Twin], planes: Vec<Plane>, meshes: Vec<ObstacleMesh>, mu: f64) -> Scene {
    let x: Vec<Vec3> = twins.iter().flat_map(|t| t.nodes.clone()).collect();
    let rows = twins.iter().map(|t| t.plain.node_count()).sum::<usize>();
    let mut to_points = DMatrix::zeros(3 * rows, 3 * x.len());
    let (mut node, mut point) = (0, 0);
    for twin in twins {
        for p in 0..twin.plain.node_count() {
            let own = Embedding { nodes: [p as u32; 4], weights: [1.0, 0.0, 0.0, 0.0] };
            let hang = twin.embedded.embedding().map_or(own, |all| all[p]);
            for (n, w) in hang.nodes.iter().zip(hang.weights) {
                for c in 0..3 {
                    to_points[(3 * (point + p) + c, 3 * (node + *n as usize) + c)] += w;
                }
            }
        }
        node += twin.nodes.len();
        point += twin.plain.node_count();
    }
    let embedded: Vec<_> = twins.iter().map(|t| t.embedded.clone()).collect();
    let plain: Vec<_> = twins.iter().map(|t| t.plain.clone()).collect();
    Scene {
        embedded: arrange(&embedded, planes.clone(), meshes.clone(), mu),
        plain: arrange(&plain, planes, meshes, mu),
        x,
        to_points,
    }
}

/// An ordinary cube between an affine one and one of two tetrahedra, a second affine
/// one beside them, a plane below and a fixed cube behind.
fn mixed(mu: f64) -> Scene {
    let turn = |angles: Vec3, shift: Vec3| {
        let turn = rotation(angles);
        move |x: Vec3| turn(x - Vec3::ONE * 0.5) + Vec3::ONE * 0.5 + shift
    };
    let twins = [
        affine(3, turn(Vec3::new(0.01, 0.2, 0.005), Vec3::new(0.02, 0.03, 0.01))),
        ordinary(2, turn(Vec3::new(0.01, 0.5, 0.02), Vec3::new(0.1, 1.09, 0.2))),
        halves(3, turn(Vec3::new(0.02, -0.3, 0.01), Vec3::new(0.0, 2.15, 0.1))),
        affine(2, turn(Vec3::new(0.03, 0.21, 0.01), Vec3::new(1.06, 0.05, -0.18))),
    ];
    let plane = Plane { point: Vec3::ZERO, normal: Vec3::Y, collider: 4 };
    let behind = affine(1, turn(Vec3::new(0.0, 0.22, 0.01), Vec3::new(0.23, 0.1, 1.05)));
    let mesh = ObstacleMesh { mesh: behind.embedded, positions: behind.nodes, collider: 5 };
    scene_of(&twins, vec![plane], vec![mesh], mu)
}

fn gradient(term: &dyn Energy, x: &[Vec3]) -> DVector<f64> {
    of_energy(x, |g| term.add_gradient(0.0, x, 1.0, g))
}

fn of_energy(x: &[Vec3], add: impl FnOnce(&mut [Vec3])) -> DVector<f64> {
    let mut g = vec![Vec3::ZERO; x.len()];
    add(&mut g);
    DVector::from_iterator(3 * x.len(), g.iter().flat_map(|g| g.to_array()))
}

fn dense(nodes: usize, push: impl FnOnce(&mut Hessian<'_>)) -> DMatrix<f64> {
    let mut sink = DenseSink::new(nodes);
    push(&mut Hessian::new(&mut sink, 0, 1.0));
    DMatrix::from_fn(3 * nodes, 3 * nodes, |i, j| sink.at(i, j))
}

#[test]
fn energy_and_derivatives_are_those_of_the_points() {
    let scene = mixed(0.0);
    let points = scene.points(&scene.x);
    let [mut embedded, mut plain] =
        [&scene.embedded, &scene.plain].map(|a| Contact::new(a.clone(), SETTINGS));
    // A path, so that there are several sets of candidates to be joined.
    let away: Vec<Vec3> = scene.x.iter().map(|x| *x + Vec3::Y * 0.01).collect();
    let moved = scene.points(&away);
    let paths = [Path::at(&scene.x), Path { from: &scene.x, to: &away }];
    let bound = embedded.search(&paths);
    let paths = [Path::at(&points), Path { from: &points, to: &moved }];
    assert!((bound - plain.search(&paths)).abs() < 1e-12);
    let (value, expected) = (embedded.value(0.0, &scene.x), plain.value(0.0, &points));
    assert!(expected > 0.0 && (value / expected - 1.0).abs() < 1e-10, "{value} for {expected}");
    let (certificate, expected) = (embedded.certificate(&scene.x), plain.certificate(&points));
    assert!(
        certificate.contacts > 50 && certificate.contacts == expected.contacts,
        "{certificate:?}"
    );
    assert!((certificate.min_distance - expected.min_distance).abs() < 1e-12);

    let transposed = scene.to_points.transpose();
    let expected = &transposed * gradient(&plain, &points);
    let actual = gradient(&embedded, &scene.x);
    assert!((&actual - &expected).amax() < 1e-9 * expected.amax());
    for psd in [Psd::Exact, Psd::Clamp] {
        let of_points = dense(points.len(), |out| plain.add_hessian(0.0, &points, psd, out));
        let expected = &transposed * of_points * &scene.to_points;
        let actual = dense(scene.x.len(), |out| embedded.add_hessian(0.0, &scene.x, psd, out));
        assert!(
            expected.amax() > 0.0 && (&actual - &expected).amax() < 1e-9 * expected.amax(),
            "{psd:?}"
        );
    }

    let (mut shares, mut expected) = ([0.0; 4], [0.0; 4]);
    embedded.add_energy_by_body(0.0, &scene.x, &mut shares);
    plain.add_energy_by_body(0.0, &points, &mut expected);
    assert!(expected.iter().all(|&w| w > 0.0));
    assert!(
        shares
            .iter()
            .zip(expected)
            .all(|(actual, expected)| (actual / expected - 1.0).abs() < 1e-10)
    );
    let (mut links, mut wanted) = (Links::new(4), Links::new(4));
    embedded.link(&scene.x, &mut links);
    plain.link(&points, &mut wanted);
    assert_eq!(links.groups(), wanted.groups());
}

/// Blocks are summed between at most sixteen nodes at a time: four bodies of this tower.
#[test]
fn a_tower_of_affine_bodies_has_the_hessian_of_its_points() {
    let storey = |k: usize| {
        let turn = rotation(Vec3::new(0.01, 0.2 * k as f64, 0.005));
        affine(2, move |x| turn(x - Vec3::ONE * 0.5) + Vec3::Y * (1.06 * k as f64))
    };
    let scene = scene_of(&(0..8).map(storey).collect::<Vec<_>>(), vec![], vec![], 0.0);
    let points = scene.points(&scene.x);
    let [mut embedded, mut plain] =
        [&scene.embedded, &scene.plain].map(|a| Contact::new(a.clone(), SETTINGS));
    embedded.search(&[Path::at(&scene.x)]);
    plain.search(&[Path::at(&points)]);
    for psd in [Psd::Exact, Psd::Clamp] {
        let of_points = dense(points.len(), |out| plain.add_hessian(0.0, &points, psd, out));
        let expected = scene.to_points.transpose() * of_points * &scene.to_points;
        let actual = dense(scene.x.len(), |out| embedded.add_hessian(0.0, &scene.x, psd, out));
        let between =
            expected.view((0, 12), (12, 12)).amax().min(expected.view((72, 84), (12, 12)).amax());
        assert!(between > 0.0 && (&actual - &expected).amax() < 1e-9 * expected.amax(), "{psd:?}");
    }
}

#[test]
fn friction_is_that_of_the_points() {
    let scene = mixed(0.4);
    let points = scene.points(&scene.x);
    let [embedded, plain] = [(&scene.embedded, &scene.x), (&scene.plain, &points)]
        .map(|(a, x)| Friction::new(a.clone(), SETTINGS, FRICTION).at(x, &[]));
    assert!(plain.pair_count() > 50 && embedded.pair_count() == plain.pair_count());
    let v: Vec<Vec3> = (0..scene.x.len())
        .map(|i| Vec3::new((i as f64).sin(), (2.0 * i as f64).cos(), (3.0 + i as f64).sin()))
        .map(|v| v * 0.01)
        .collect();
    let of_points = scene.points(&v);
    let expected = plain.value(0.0, &of_points);
    assert!((embedded.value(0.0, &v) / expected - 1.0).abs() < 1e-10);
    let actual = dense(v.len(), |out| embedded.add_hessian(0.0, &v, Psd::Clamp, out));
    let expected = dense(points.len(), |out| plain.add_hessian(0.0, &of_points, Psd::Clamp, out));
    let expected = scene.to_points.transpose() * expected * &scene.to_points;
    assert!(expected.amax() > 0.0 && (&actual - &expected).amax() < 1e-9 * expected.amax());
    let errors = dissipation_derivatives(&embedded, &v, 1e-7).unwrap();
    assert!(errors.gradient < 1e-7 && errors.hessian < 1e-6, "{errors:?}");
    let [left, before] = relaxed_residual(&embedded, &v, 1e-7, 2);
    assert!(left < 1e-9 * before, "{left} of {before}");
}

#[test]
fn derivatives_agree_with_differences() {
    let scene = mixed(0.0);
    let mut contact = Contact::new(scene.embedded, SETTINGS);
    contact.search(&[Path::at(&scene.x)]);
    let errors = energy_derivatives(&contact, &scene.x, 1e-7).unwrap();
    assert!(errors.gradient < 1e-6 && errors.hessian < 1e-5, "{errors:?}");
}

#[test]
fn an_affine_body_does_not_meet_itself_and_an_embedded_one_does() {
    // Squeezed to less than d_hat, so that opposite faces are near each other.
    let flat = |x: Vec3| Vec3::new(x.x, 0.5 * SETTINGS.d_hat * x.y, x.z);
    let energy = |twin: Twin| {
        let scene = scene_of(&[twin], vec![], vec![], 0.0);
        let mut contact = Contact::new(scene.embedded, SETTINGS);
        contact.search(&[Path::at(&scene.x)]);
        contact.value(0.0, &scene.x)
    };
    assert_eq!(energy(affine(2, flat)), 0.0);
    assert!(energy(halves(2, flat)) > 0.0);
}

#[test]
fn affine_bodies_stop_before_they_touch_and_crossings_name_points() {
    let shift = |by: Vec3| move |x: Vec3| x + by;
    let twins = [affine(4, shift(Vec3::ZERO)), affine(4, shift(Vec3::new(0.13, 1.5, 0.17)))];
    let scene = scene_of(&twins, vec![], vec![], 0.0);
    let mut to = scene.x.clone();
    to[4..].iter_mut().for_each(|x| *x -= Vec3::Y);
    let bound =
        Contact::new(scene.embedded.clone(), SETTINGS).search(&[Path { from: &scene.x, to: &to }]);
    assert!((0.4..0.5).contains(&bound), "{bound}");
    assert!(intersections(&scene.embedded, &scene.x, 10).is_empty());
    let found = intersections(&scene.embedded, &to, 10);
    assert_eq!(found.len(), 10);
    for crossing in found {
        let Primitive::Triangle(t) = crossing.primitives[1] else { panic!("{crossing:?}") };
        assert!(t.iter().any(|&p| p > 4), "points, not nodes: {t:?}");
        assert_eq!(crossing.colliders.iter().sum::<usize>(), 1);
    }
}

#[test]
fn evaluation_is_the_same_to_the_bit_on_one_and_on_two_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let lay = |by: Vec3| {
                let turn = rotation(Vec3::new(0.0, by.y, 0.0));
                move |x: Vec3| turn(x) + by
            };
            let twins: Vec<Twin> =
                (0..4).map(|k| affine(12, lay(Vec3::Y * 1.05 * f64::from(k)))).collect();
            let scene = scene_of(&twins, vec![], vec![], 0.0);
            let mut contact = Contact::new(scene.embedded, SETTINGS);
            contact.search(&[Path::at(&scene.x)]);
            assert!(contact.candidate_count() > 2000);
            let h = dense(scene.x.len(), |out| contact.add_hessian(0.0, &scene.x, Psd::Clamp, out));
            (contact.value(0.0, &scene.x), gradient(&contact, &scene.x), h)
        })
    };
    assert!(run(1) == run(2));
}

#[test]
fn what_does_not_hang_together_is_refused() {
    let (rest, triangles) = cube(1);
    let try_with = |change: &dyn Fn(&mut Vec<Embedding>)| {
        let hang = |x: &Vec3| Embedding { nodes: [0, 1, 2, 3], weights: weights(CORNERS, *x) };
        let mut embedding = rest.iter().map(hang).collect();
        change(&mut embedding);
        CollisionMesh::embedded(&rest, &triangles, embedding, 4)
    };
    assert!(try_with(&|_| ()).is_ok());
    let missing = try_with(&|e| e.truncate(7)).unwrap_err();
    assert_eq!(missing, CollisionMeshError::WrongCount { points: 7, wanted: 8 });
    let nowhere = try_with(&|e| e[2].nodes[1] = 4).unwrap_err();
    assert_eq!(nowhere, CollisionMeshError::NoSuchSupport { point: 2, node: 4, nodes: 4 });
    let drifting = try_with(&|e| e[3].weights = [0.5, 0.25, 0.5, 0.0]).unwrap_err();
    assert_eq!(drifting, CollisionMeshError::NotAffine { point: 3, sum: 1.25 });
}

/// The nodes `x`, those of body `b` shifted.
fn shifted(scene: &CollisionScene, x: &[Vec3], b: usize, by: Vec3) -> Vec<Vec3> {
    let Collider { first_node, ref mesh, .. } = scene.colliders()[b];
    let mut x = x.to_vec();
    x[first_node..first_node + mesh.node_count()].iter_mut().for_each(|x| *x += by);
    x
}

/// Bodies move in a restriction and in one within it, by several searches each. What was found there and what was known
/// of all others before is what a search from nothing finds.
#[test]
fn where_bodies_were_left_in_a_restriction_nothing_is_searched_for_again() {
    let scene = mixed(0.0);
    let mut contact = Contact::new(scene.embedded.clone(), SETTINGS);
    let _ = contact.search(&[Path::at(&scene.x)]);
    let mut at = scene.x.clone();
    let go = |contact: &mut dyn Coupling, at: &mut Vec<Vec3>, b: usize, by: Vec3| {
        let to = shifted(&scene.embedded, at, b, by);
        let free = contact.search(&[Path { from: at, to: &to }]);
        assert!(free > 0.1, "{free}");
        *at = at.iter().zip(&to).map(|(from, to)| *from + free * (*to - *from)).collect();
    };
    let small = Vec3::new(0.003, -0.004, 0.002);
    let mut two = contact.restricted(&[true, true, false, false]);
    go(&mut *two, &mut at, 0, small);
    go(&mut *two, &mut at, 1, -small);
    let mut one = two.restricted(&[false, true, false, false]);
    go(&mut *one, &mut at, 1, Vec3::X * 0.005);
    go(&mut *one, &mut at, 1, small);
    drop(one);
    let own = scene.embedded.colliders()[2].first_node;
    let mut fresh = Contact::new(scene.embedded.clone(), SETTINGS);
    let _ = fresh.search(&[Path::at(&at)]);
    let (felt, right) =
        (of_energy(&at, |g| two.add_gradient(0.0, &at, 1.0, g)), gradient(&fresh, &at));
    assert!((felt - &right).rows(0, 3 * own).amax() < 1e-12 * right.amax(), "of the two bodies");
    go(&mut *two, &mut at, 0, small);
    drop(two);

    let mut fresh = Contact::new(scene.embedded.clone(), SETTINGS);
    let _ = fresh.search(&[Path::at(&at)]);
    let [value, right] = [&contact, &fresh].map(|contact| contact.value(0.0, &at));
    assert!(right > 0.0 && (value - right).abs() < 1e-13 * right, "{value} J of {right}");
    let [felt, right] = [&contact, &fresh].map(|contact| gradient(contact, &at));
    assert!((felt - &right).amax() < 1e-12 * right.amax());
    assert_eq!(contact.certificate(&at), fresh.certificate(&at));
    let [shares, right] = [&contact, &fresh].map(|contact| {
        let mut shares = [0.0; 4];
        contact.add_energy_by_body(0.0, &at, &mut shares);
        shares
    });
    for (share, right) in shares.iter().zip(right) {
        assert!(right > 0.0 && (share - right).abs() < 1e-12 * right, "{share} J, not {right}");
    }
}

/// A stage may evaluate a term at two places, between which bodies outside of a restriction lie elsewhere.
#[test]
fn in_a_restriction_bodies_out_of_it_may_be_evaluated_at_two_places() {
    let scene = mixed(0.0);
    // Other primitives of the second body are above the first one there.
    let other = shifted(&scene.embedded, &scene.x, 1, Vec3::X * 0.4);
    let mut contact = Contact::new(scene.embedded.clone(), SETTINGS);
    let _ = contact.search(&[Path::at(&scene.x), Path::at(&other)]);
    let mut part = contact.restricted(&[true, false, false, false]);
    let own = scene.embedded.colliders()[1].first_node;
    let by = Vec3::new(0.002, 0.001, -0.001);
    for _ in 0..2 {
        let [here, there] = [&scene.x, &other].map(|x| shifted(&scene.embedded, x, 0, by));
        let _ = part.search(&[Path::at(&here), Path::at(&there)]);
        for at in [&here, &there] {
            let mut fresh = Contact::new(scene.embedded.clone(), SETTINGS);
            let _ = fresh.search(&[Path::at(at)]);
            let felt = of_energy(at, |g| part.add_gradient(0.0, at, 1.0, g));
            let right = gradient(&fresh, at);
            assert!((felt - &right).rows(0, 3 * own).amax() < 1e-12 * right.amax());
        }
    }
}

/// One after the other, so that what is left of one sum would be seen in the next.
#[test]
fn friction_on_some_bodies_alone_is_that_of_all() {
    let scene = mixed(0.4);
    let friction = Friction::new(scene.embedded.clone(), SETTINGS, FRICTION).at(&scene.x, &[]);
    let v: Vec<Vec3> = (0..scene.x.len()).map(|i| Vec3::splat(1e-3 * (i % 5) as f64)).collect();
    let felt = |friction: &dyn CouplingDissipationPotential| {
        let mut out = vec![Vec3::ZERO; v.len()];
        friction.add_gradient(0.0, &v, 1.0, &mut out);
        out
    };
    let all = felt(&friction);
    for b in [0, 3, 2, 0, 1] {
        let among: Vec<bool> = (0..4).map(|k| k == b).collect();
        let some = felt(&*friction.restricted(&among));
        let Collider { first_node, ref mesh, .. } = scene.embedded.colliders()[b];
        let own = first_node..first_node + mesh.node_count();
        let largest = own.clone().map(|i| all[i].length()).fold(0.0, f64::max);
        assert!(largest > 0.0, "nothing rubs on {b}");
        let off = own.map(|i| (all[i] - some[i]).length()).fold(0.0, f64::max);
        assert!(off < 1e-12 * largest, "{b}: {off} N of {largest}");
    }
    assert_eq!(felt(&friction), all);
}
