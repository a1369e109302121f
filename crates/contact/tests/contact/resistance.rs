//! Contact damping and rolling friction: derivatives, bounds, invariance.

use proptest::prelude::*;
use resile_contact::{
    BarrierPotential, Candidates, Collider, CollisionMesh, CollisionScene, ContactDamping,
    Embedding, FrictionPotential, LaggedContactDamping, LaggedRollingFriction, Obstacles,
    PairTable, Plane, Role, RollingFriction, Vec3,
};
use resile_system::DissipationPotential;
use resile_system::check::dissipation_derivatives;
use std::sync::Arc;

const BARRIER: BarrierPotential =
    BarrierPotential { barrier: resile_contact::Barrier::ClampedLog, d_hat: 2e-3, kappa: 1e3 };

/// Two triangles 1 mm apart, within a barrier of 2 mm.
fn triangles(damping: f64) -> (CollisionScene, Vec<Vec3>) {
    let rest = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let mesh = || CollisionMesh::new(&rest, &[[0, 1, 2]]).expect("a triangle");
    let mut scene = CollisionScene::of_meshes([mesh(), mesh()]);
    let mut pairs = PairTable::new(2);
    pairs.set_contact_damping(0, 1, damping);
    scene.pairs = pairs.into();
    let lifted = rest.map(|p| p * 0.9 + Vec3::new(0.03, 0.02, 1e-3));
    (scene, rest.into_iter().chain(lifted).collect())
}

fn damped(damping: f64) -> (LaggedContactDamping, Vec<Vec3>) {
    let (scene, x) = triangles(damping);
    (ContactDamping::new(scene, BARRIER).at(&x), x)
}

/// A tetrahedron with affine motion that carries a triangle at its foot, 1 mm over a plane.
fn roller(rho: f64) -> (LaggedRollingFriction, Vec<Vec3>) {
    let nodes = [[0.1, 0.0, 0.0], [-0.1, 0.01, 0.0], [0.0, 0.0, 0.1], [0.0, 0.2, -0.05]];
    let nodes = nodes.map(Vec3::from_array);
    let foot = [[0.5, 0.5, 0.0, 0.0], [0.4, 0.5, 0.1, 0.0], [0.5, 0.4, 0.0, 0.1]];
    let points = foot.map(|weights| Embedding { nodes: [0, 1, 2, 3], weights });
    let at = |e: &Embedding| (0..4).map(|k| nodes[k] * e.weights[k]).sum::<Vec3>();
    let rest: Vec<Vec3> = points.iter().map(at).collect();
    let mesh = CollisionMesh::embedded(&rest, &[[0, 1, 2]], points.to_vec(), 4);
    let mesh = mesh.expect("a triangle");
    let low = rest.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let point = Vec3::Y * (low - 1e-3);
    let plane = Plane { point, normal: Vec3::Y, collider: 1 };
    let obstacles = Obstacles::new(vec![plane], Vec::new()).expect("a plane");
    let pairs = PairTable::new(2).with_rolling_friction(vec![Some(rho), Some(0.0)]);
    let collider = Collider {
        role: Role::Simulated,
        mesh: Arc::new(mesh),
        number: 0,
        body: 0,
        first_node: 0,
        half_thickness: 0.0,
    };
    let scene = CollisionScene::new(vec![collider], Arc::new(obstacles), Arc::new(pairs));
    let law = RollingFriction::new(scene, BARRIER, FrictionPotential { slip_speed: 1e-3 });
    (law.at(&nodes), nodes.to_vec())
}

fn gradient(term: &dyn DissipationPotential, v: &[Vec3]) -> Vec<Vec3> {
    let mut out = vec![Vec3::ZERO; v.len()];
    term.add_gradient(0.0, v, 1.0, &mut out);
    out
}

fn velocities(n: usize) -> impl Strategy<Value = Vec<Vec3>> {
    prop::collection::vec(prop::array::uniform3(-1.0f64..1.0).prop_map(Vec3::from_array), n)
}

proptest! {
    /// Heat is never negative, and surfaces are never pulled together.
    #[test]
    fn contact_damping_dissipates_and_never_pulls(v in velocities(6), exponent in -7.0f64..2.0) {
        let (damping, _) = damped(10f64.powf(exponent));
        let g = gradient(&damping, &v);
        let power: f64 = g.iter().zip(&v).map(|(g, v)| g.dot(*v)).sum();
        prop_assert!(power >= 0.0, "{} W", power);
        // The force on the upper triangle, opposite to the gradient, is upwards.
        prop_assert!(g[3..].iter().map(|g| g.z).sum::<f64>() <= 0.0);
    }

    #[test]
    fn rolling_friction_dissipates_and_is_a_couple(v in velocities(4)) {
        let (rolling, x) = roller(0.02);
        prop_assert!(rolling.pair_count() > 0);
        let g = gradient(&rolling, &v);
        let power: f64 = g.iter().zip(&v).map(|(g, v)| g.dot(*v)).sum();
        prop_assert!(power > 0.0, "{} W", power);
        let size: f64 = g.iter().map(|g| g.length()).sum();
        prop_assert!(g.iter().copied().sum::<Vec3>().length() < 1e-12 * size);
        let moment: Vec3 = g.iter().zip(&x).map(|(g, x)| x.cross(*g)).sum();
        prop_assert!(moment.y.abs() < 1e-12 * size, "no torque about the normal");
        // A translation rolls nothing.
        let moved: Vec<Vec3> = v.iter().map(|v| *v + Vec3::new(0.3, -0.2, 0.7)).collect();
        let same = gradient(&rolling, &moved);
        prop_assert!(g.iter().zip(&same).all(|(a, b)| a.distance(*b) < 1e-9 * size));
    }
}

#[test]
fn derivatives_agree_with_differences() {
    let (damping, _) = damped(1e-4);
    assert!(damping.pair_count() > 0);
    let fall = |k: usize| Vec3::new(0.1, -0.2, if k > 2 { -1.0 } else { 0.1 * k as f64 });
    let v: Vec<Vec3> = (0..6).map(fall).collect();
    let errors = dissipation_derivatives(&damping, &v, 1e-5).expect("it dissipates");
    assert!(errors.gradient < 1e-7 && errors.hessian < 1e-6, "{errors:?}");
    let (rolling, x) = roller(0.02);
    // Above and below the angular speed at which the torque is complete.
    for speed in [0.5, 4e-3] {
        let spin = Vec3::new(speed, 0.4 * speed, -0.7 * speed);
        let v: Vec<Vec3> = x.iter().map(|x| spin.cross(*x)).collect();
        let errors = dissipation_derivatives(&rolling, &v, 1e-3 * speed).expect("it dissipates");
        assert!(errors.gradient < 1e-5 && errors.hessian < 1e-5, "{errors:?}");
    }
}

/// The force of damping is its time, times the stiffness of the barrier, times the speed of approach.
#[test]
fn damping_force_is_damping_times_stiffness_times_speed() {
    let (tau, speed) = (1e-4, -0.3);
    let (damping, x) = damped(tau);
    let (scene, _) = triangles(tau);
    let force = |by: f64| {
        let mut x = x.clone();
        x[3..].iter_mut().for_each(|x| x.z += by);
        let candidates = Candidates::near(&scene, &x, BARRIER.d_hat);
        BARRIER.gradient(&scene, &candidates, &x)[3..].iter().map(|g| g.z).sum::<f64>()
    };
    let stiffness = (force(1e-7) - force(-1e-7)) / 2e-7;
    let v = [[Vec3::ZERO; 3], [Vec3::Z * speed; 3]].concat();
    let sum: f64 = gradient(&damping, &v)[3..].iter().map(|g| g.z).sum();
    assert!((sum / (tau * stiffness * speed) - 1.0).abs() < 1e-5, "{sum} {stiffness}");
    assert_eq!(damped(0.0).0.pair_count(), 0);
}

/// The torque is the coefficient times the normal force.
#[test]
fn rolling_torque_is_the_coefficient_times_the_normal_force() {
    let torque = |rho: f64| {
        let (rolling, x) = roller(rho);
        let v: Vec<Vec3> = x.iter().map(|x| Vec3::X.cross(*x) * 3.0).collect();
        let g = gradient(&rolling, &v);
        g.iter().zip(&x).map(|(g, x)| x.cross(*g)).sum::<Vec3>()
    };
    let (one, two) = (torque(0.01), torque(0.02));
    assert!(one.x > 0.0 && (one * 2.0).distance(two) < 1e-12 * two.x, "{one} {two}");
    assert!(one.y.abs() + one.z.abs() < 1e-12 * one.x);
    // Points that press with the force of the barrier.
    let (rolling, x) = roller(0.01);
    assert!(rolling.value(0.0, &x.iter().map(|_| Vec3::ZERO).collect::<Vec<_>>()) > 0.0);
}
