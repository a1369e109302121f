//! Damping: derivatives, that it only ever slows, and what it leaves alone.

use crate::common::*;
use nalgebra::DMatrix;
use proptest::prelude::*;
use resile_energy::{
    EtherDrag, MassDamping, Material, RigidPreservingDamping, SpringElement, SpringLaw, Springs,
    StiffnessDamping,
};
use resile_math::{Mat3, Vec3};
use resile_system::check::{DenseSink, dissipation_derivatives};
use resile_system::{Dissipation, DissipationPotential, Hessian, Psd};
use std::sync::Arc;

fn masses(nodes: usize) -> Vec<f64> {
    (0..nodes).map(|i| 1.5 + noise(i)).collect()
}

fn random(nodes: usize, seed: usize) -> Vec<Vec3> {
    let component = |i: usize, c: usize| noise(1000 * seed + 3 * i + c);
    (0..nodes).map(|i| Vec3::new(component(i, 0), component(i, 1), component(i, 2))).collect()
}

/// A box of ten tetrahedra or more, pressed and shaken.
fn pressed() -> (Vec<Vec3>, Vec<[u32; 4]>, Vec<Vec3>) {
    let (rest, tets) = grid(2, 1, 1);
    let x = deformed(&rest, Mat3::from_diagonal(Vec3::new(0.6, 0.7, 0.9)), 0.05);
    (rest, tets, x)
}

/// A potential with its name.
type Named = (String, Arc<dyn DissipationPotential>);

/// All dampings of a pressed box.
fn dampings() -> (Vec<Named>, usize) {
    let (rest, tets, x) = pressed();
    let n = x.len();
    let tets = body(&(rest, tets), Material::NeoHookean(lame()));
    let all: [Box<dyn Dissipation>; 4] = [
        Box::new(EtherDrag::new(n, 0.7)),
        Box::new(MassDamping::new(masses(n), 0.4)),
        Box::new(StiffnessDamping::new(Box::new(tets), n, 0.02)),
        Box::new(RigidPreservingDamping::new(masses(n), 3.0)),
    ];
    (all.iter().map(|law| (law.name().to_owned(), law.lagged(&x))).collect(), n)
}

fn gradient_of(term: &dyn DissipationPotential, v: &[Vec3]) -> Vec<Vec3> {
    let mut out = vec![Vec3::ZERO; v.len()];
    term.add_gradient(0.0, v, 1.0, &mut out);
    out
}

fn hessian_of(term: &dyn DissipationPotential, v: &[Vec3]) -> DMatrix<f64> {
    let mut sink = DenseSink::new(v.len());
    term.add_hessian(0.0, v, Psd::Clamp, &mut Hessian::new(&mut sink, 0, 1.0));
    DMatrix::from_fn(sink.size(), sink.size(), |i, j| sink.at(i, j))
}

/// The second derivative of a quadratic potential, from its gradients.
fn true_hessian(term: &dyn DissipationPotential, nodes: usize) -> DMatrix<f64> {
    let columns = (0..3 * nodes).map(|column| {
        let mut v = vec![Vec3::ZERO; nodes];
        v[column / 3][column % 3] = 1.0;
        gradient_of(term, &v)
    });
    let columns: Vec<Vec<Vec3>> = columns.collect();
    DMatrix::from_fn(3 * nodes, 3 * nodes, |i, j| columns[j][i / 3][i % 3])
}

#[test]
fn derivatives_equal_those_of_the_value() {
    let (all, n) = dampings();
    for (name, term) in &all {
        let errors = dissipation_derivatives(&**term, &random(n, 1), 1e-2).expect("it is moving");
        assert!(errors.gradient < 1e-10, "{name} {errors:?}");
        if name != "rigid preserving damping" {
            assert!(errors.hessian < 1e-10, "{name} {errors:?}");
        }
    }
}

#[test]
fn damping_only_slows_and_dissipates_twice_its_potential() {
    let (all, n) = dampings();
    for (name, term) in &all {
        for seed in 0..20 {
            let v = random(n, seed);
            let d = term.value(0.0, &v);
            let power: f64 = gradient_of(&**term, &v).iter().zip(&v).map(|(g, v)| g.dot(*v)).sum();
            assert!(d > 0.0, "{name} {d}");
            assert!((power - 2.0 * d).abs() < 1e-12 * power, "{name} {power} {d}");
        }
        assert_eq!(term.value(0.0, &vec![Vec3::ZERO; n]), 0.0, "{name}");
    }
}

#[test]
fn values_are_those_of_the_formulas() {
    let v = [Vec3::new(1.0, 2.0, 2.0), Vec3::X];
    assert_eq!(EtherDrag::new(2, 0.5).value(0.0, &v), 2.5);
    assert_eq!(MassDamping::new(vec![2.0, 4.0], 0.5).value(0.0, &v), 5.5);
    // A spring of 8 N/m pulled by a relative velocity of 3 m/s along it.
    let spring = SpringElement { nodes: [0, 1], rest: 1.0, stiffness: 8.0 };
    let springs = Springs::new(2, vec![spring], SpringLaw::Hooke).expect("in order");
    let damping = StiffnessDamping::new(Box::new(springs), 2, 0.25).lagged(&[Vec3::ZERO, Vec3::X]);
    assert_eq!(damping.value(0.0, &[Vec3::ZERO, Vec3::new(3.0, 5.0, -1.0)]), 0.125 * 8.0 * 9.0);
}

#[test]
fn stiffness_damping_is_the_clamped_hessian_where_it_is_lagged() {
    let (rest, tets, x) = pressed();
    for material in materials() {
        let elastic = || body(&(rest.clone(), tets.clone()), material);
        let law = StiffnessDamping::new(Box::new(elastic()), x.len(), 0.02);
        // A potential uses the memory of one of an earlier step, but not its numbers.
        drop(law.lagged(&deformed(&rest, Mat3::IDENTITY, 0.2)));
        let damping = law.lagged(&x);
        let want = hessian(&elastic(), &x, Psd::Clamp) * 0.02;
        let ours = hessian_of(&*damping, &x);
        assert!((&ours - &want).norm() < 1e-14 * want.norm(), "{material:?}");
        let acting = true_hessian(&*damping, x.len());
        assert!((&acting - &want).norm() < 1e-14 * want.norm(), "{material:?}");
        assert!(hessian(&elastic(), &x, Psd::Exact).symmetric_eigenvalues().min() < -1e-3);
        assert!(ours.symmetric_eigenvalues().min() > -1e-14, "{material:?}");
    }
}

#[test]
fn stiffness_damping_ignores_rigid_motion() {
    let mesh = grid(2, 1, 1);
    let law = StiffnessDamping::new(
        Box::new(body(&mesh, Material::Corotated(lame()))),
        mesh.0.len(),
        1.0,
    );
    let damping = law.lagged(&mesh.0);
    let rigid = rigid_motion(&mesh.0);
    assert!(damping.value(0.0, &rigid) < 1e-12, "{}", damping.value(0.0, &rigid));
    let stretching: Vec<Vec3> = mesh.0.iter().map(|x| Vec3::X * x.x).collect();
    assert!(damping.value(0.0, &stretching) > 0.1);
}

fn rigid_motion(x: &[Vec3]) -> Vec<Vec3> {
    let (drift, spin) = (Vec3::new(3.0, -1.0, 2.0), Vec3::new(0.5, 2.0, -1.5));
    x.iter().map(|x| drift + spin.cross(*x)).collect()
}

/// Nodes in space, in a plane, on a slanted line, all at one place, and one alone.
fn shapes() -> Vec<(&'static str, Vec<Vec3>)> {
    let space = random(6, 3);
    let plane = space.iter().map(|x| Vec3::new(x.x, x.y, 2.0 * x.x - x.y)).collect();
    let along = Vec3::new(1.0, -2.0, 0.7).normalize();
    let line = space.iter().map(|x| Vec3::splat(100.0) + along * x.x).collect();
    let place = vec![Vec3::new(4.0, 5.0, 6.0); 4];
    vec![
        ("space", space),
        ("plane", plane),
        ("line", line),
        ("place", place),
        ("node", vec![Vec3::new(1.0, 2.0, 3.0)]),
    ]
}

fn rigid_preserving(x: &[Vec3]) -> Arc<dyn DissipationPotential> {
    RigidPreservingDamping::new(masses(x.len()), 3.0).lagged(x)
}

#[test]
fn rigid_motion_is_not_damped_whatever_the_shape() {
    for (shape, x) in shapes() {
        let damping = rigid_preserving(&x);
        let v = rigid_motion(&x);
        let kinetic: f64 =
            masses(x.len()).iter().zip(&v).map(|(m, v)| 0.5 * m * v.length_squared()).sum();
        assert!(damping.value(0.0, &v) < 1e-24 * kinetic, "{shape}: {}", damping.value(0.0, &v));
    }
}

#[test]
fn damping_conserves_both_momenta() {
    for (shape, x) in shapes() {
        let damping = rigid_preserving(&x);
        let v = random(x.len(), 8);
        let force = gradient_of(&*damping, &v);
        let size: f64 = force.iter().zip(&x).map(|(f, x)| f.length() * (1.0 + x.length())).sum();
        let push: Vec3 = force.iter().sum();
        let turn: Vec3 = force.iter().zip(&x).map(|(f, x)| x.cross(*f)).sum();
        assert!(push.length() < 1e-13 * (size + 1.0), "{shape}: {push}");
        assert!(turn.length() < 1e-12 * (size + 1.0), "{shape}: {turn}");
        let deforms = x.len() > 1;
        assert_eq!(size > 0.1, deforms, "{shape}: what deforms is damped, {size}");
    }
}

#[test]
fn hessian_of_few_nodes_is_exact() {
    for (shape, x) in shapes() {
        let damping = rigid_preserving(&x);
        let error = hessian_of(&*damping, &x) - true_hessian(&*damping, x.len());
        assert!(error.norm() < 1e-10, "{shape}: {}", error.norm());
    }
}

#[test]
fn hessian_of_many_nodes_is_an_upper_bound_that_differs_for_rigid_motions_only() {
    let x = random(20, 3);
    let damping = rigid_preserving(&x);
    let excess = hessian_of(&*damping, &x) - true_hessian(&*damping, x.len());
    let eigenvalues = excess.clone().symmetric_eigenvalues();
    assert!((&excess - excess.transpose()).norm() < 1e-12, "D has a symmetric Hessian");
    assert!(eigenvalues.min() > -1e-12, "{}", eigenvalues.min());
    assert_eq!(eigenvalues.iter().filter(|&&e| e > 1e-9).count(), 6);
}

/// The inertia around a line's own axis is rounding, of either sign and any size:
/// taken for inertia, some lines of a hundred would spin.
#[test]
fn lines_in_every_direction_have_five_rigid_motions() {
    for seed in 0..100 {
        let along = random(1, seed)[0];
        let place = |x: &Vec3| Vec3::splat(1e4) + along * x.x;
        let x: Vec<Vec3> = random(3, seed + 200).iter().map(place).collect();
        let damping = rigid_preserving(&x);
        let eigenvalues = hessian_of(&*damping, &x).symmetric_eigenvalues();
        assert_eq!(
            eigenvalues.iter().filter(|e| e.abs() < 1e-9).count(),
            5,
            "{seed}: {eigenvalues}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn energy_is_frame_indifferent(r in rotation(), seed in 0usize..100) {
        let (x, v) = (random(6, seed), random(6, seed + 500));
        let turned = |a: &[Vec3]| a.iter().map(|a| r * *a).collect::<Vec<_>>();
        let (here, there) = (rigid_preserving(&x), rigid_preserving(&turned(&x)));
        let d = here.value(0.0, &v);
        prop_assert!((there.value(0.0, &turned(&v)) - d).abs() < 1e-10 * d);
    }
}
