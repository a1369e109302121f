//! Some bodies alone: what they feel is the same, and pairs of all others are left out.

use crate::common::{FRICTION, SETTINGS, arrange, cube};
use resile_contact::{CollisionMesh, CollisionScene, Contact, Friction, Plane};
use resile_system::DissipationFrame;
use resile_system::check::DenseSink;
use resile_system::{
    Body, Coupling, Hessian, LaggedDissipation, Path, PreparedOn, Psd, State, System, SystemOf,
    Vec3,
};
use std::ops::DerefMut;
use std::sync::Arc;

/// Three cubes, one on the other, on a floor, near enough to press.
fn stack() -> (CollisionScene, Vec<Vec3>, usize) {
    let (rest, triangles) = cube(2);
    let mesh = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let floor = Plane { point: Vec3::ZERO, normal: Vec3::Y, collider: 3 };
    let scene = arrange(&[mesh.clone(), mesh.clone(), mesh], vec![floor], vec![], 0.4);
    let lifted = |k: usize| Vec3::new(0.1 * k as f64, 1.05 * k as f64 + 0.05, 0.03 * k as f64);
    let x = (0..3).flat_map(|k| rest.iter().map(move |p| *p + lifted(k))).collect();
    (scene, x, rest.len())
}

fn system(scene: &CollisionScene, nodes: usize) -> System {
    let body = |_| Body::new("cube", vec![1.0; nodes]);
    System::new((0..3).map(body).collect())
        .with_coupling(Contact::new(scene.clone(), SETTINGS))
        .with_dissipation(Friction::new(scene.clone(), SETTINGS, FRICTION))
}

fn at_rest(x: &[Vec3]) -> State {
    State::new(0.0, x.to_vec(), vec![Vec3::ZERO; x.len()])
}

/// Speeds at which the cubes slide on each other.
fn sliding(nodes: usize) -> Vec<Vec3> {
    (0..3 * nodes).map(|i| Vec3::new(0.004 * (i / nodes) as f64, 0.0, 0.003)).collect()
}

/// Potential, gradient, Hessian, dissipation and its gradient, of some bodies or all; and how many pairs there are.
struct Felt {
    values: [f64; 2],
    gradients: [Vec<Vec3>; 2],
    hessian: DenseSink,
    pairs: usize,
}

fn felt(
    scene: &CollisionScene,
    nodes: usize,
    x: &[Vec3],
    at: &[Vec3],
    bodies: Option<&[usize]>,
) -> Felt {
    let mut system = system(scene, nodes);
    let dissipation = system.lagged(&at_rest(x));
    let mut prepared = system.along(&[Path::at(x)]);
    let mut contact = Contact::new(scene.clone(), SETTINGS);
    let (path, v) = (Path { from: x, to: at }, sliding(nodes));
    let Some(bodies) = bodies else {
        return evaluated(prepared, &dissipation, &mut contact, path, &v);
    };
    let among: Vec<bool> = (0..3).map(|b| bodies.contains(&b)).collect();
    let dissipation = dissipation.restricted(bodies);
    let contact = &mut *contact.restricted(&among);
    evaluated(prepared.restricted(bodies), &dissipation, contact, path, &v)
}

fn evaluated<'t, S: DerefMut<Target = SystemOf<'t>>>(
    mut prepared: PreparedOn<'t, S>,
    dissipation: &LaggedDissipation,
    contact: &mut dyn Coupling,
    path: Path<'_>,
    v: &[Vec3],
) -> Felt {
    let at = path.to;
    assert_eq!(prepared.search(&[path]), 1.0);
    let mut of_friction = vec![Vec3::ZERO; v.len()];
    dissipation.add_gradient(&DissipationFrame::at_start(0.0), v, 1.0, &mut of_friction);
    let mut hessian = DenseSink::new(v.len());
    dissipation.add_coupling_hessians(0.0, v, &[], 1.0, Psd::Exact, &mut hessian);
    let values =
        [prepared.potential(0.0, at), dissipation.value(&DissipationFrame::at_start(0.0), v)];
    let gradients = [prepared.gradient(0.0, at), of_friction];
    let pairs = prepared.pair_count();
    // The barrier's own Hessian, pushed as the system would.
    contact.search(&[Path::at(at)]);
    contact.add_hessian(0.0, at, Psd::Exact, &mut Hessian::new(&mut hessian, 0, 1.0));
    Felt { values, gradients, hessian, pairs }
}

#[test]
fn some_bodies_alone_feel_what_they_feel_among_all() {
    let (scene, x, nodes) = stack();
    for bodies in [vec![0], vec![1], vec![2], vec![0, 2], vec![0, 1, 2]] {
        let all = felt(&scene, nodes, &x, &x, None);
        let some = felt(&scene, nodes, &x, &x, Some(&bodies));
        let own: Vec<usize> = bodies.iter().flat_map(|b| b * nodes..(b + 1) * nodes).collect();
        for (all, some) in all.gradients.iter().zip(&some.gradients) {
            let largest = own.iter().map(|&i| all[i].length()).fold(0.0, f64::max);
            assert!(largest > 1e-3, "nothing acts on {bodies:?}");
            let off = own.iter().map(|&i| (all[i] - some[i]).length()).fold(0.0, f64::max);
            assert!(off <= 1e-14 * largest, "{bodies:?}: {off} N of {largest}");
        }
        let entry = |of: &Felt, i: usize, j: usize| of.hessian.at(i, j);
        let pairs = || own.iter().flat_map(|&i| own.iter().map(move |&j| (i, j)));
        for (i, j) in pairs().flat_map(|(i, j)| (0..9).map(move |k| (3 * i + k / 3, 3 * j + k % 3)))
        {
            let (of_all, of_some) = (entry(&all, i, j), entry(&some, i, j));
            assert!((of_all - of_some).abs() <= 1e-12 * of_all.abs().max(1.0), "{bodies:?}");
        }
        let fewer = some.pairs < all.pairs;
        assert!(fewer || bodies.len() > 1 && some.pairs == all.pairs, "{bodies:?}: {}", some.pairs);
    }
}

/// The two lower cubes stay where they are; all that their pairs are worth is a constant.
#[test]
fn values_are_those_of_before_less_a_constant() {
    let (scene, x, nodes) = stack();
    let mut moved = x.clone();
    moved[2 * nodes..].iter_mut().for_each(|x| *x += Vec3::new(0.01, -0.02, 0.0));
    let change = |bodies: Option<&[usize]>| {
        let [before, after] = [&x, &moved].map(|at| felt(&scene, nodes, &x, at, bodies).values[0]);
        (after - before, after)
    };
    let ((of_all, all), (of_some, some)) = (change(None), change(Some(&[2])));
    assert!(of_all > 1e-3, "{of_all} J");
    assert!((of_all - of_some).abs() < 1e-12 * all, "{of_all} J, and {of_some} alone");
    assert!(some < 0.9 * all, "nothing is left out: {some} J of {all}");
}

#[test]
fn everything_is_back_after_a_restriction() {
    let (scene, x, nodes) = stack();
    let before = felt(&scene, nodes, &x, &x, None);
    let mut system = system(&scene, nodes);
    let dissipation = system.lagged(&at_rest(&x));
    let mut prepared = system.along(&[Path::at(&x)]);
    prepared.restricted(&[1]);
    let prepared = prepared.along(&[Path::at(&x)]);
    let values = [
        prepared.potential(0.0, &x),
        dissipation.value(&DissipationFrame::at_start(0.0), &sliding(nodes)),
    ];
    assert_eq!(values, before.values);
    assert_eq!(prepared.gradient(0.0, &x), before.gradients[0]);
}
