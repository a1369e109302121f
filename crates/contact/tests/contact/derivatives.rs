//! Every derivative against finite differences, in states where the term acts.

use crate::common::{FRICTION, KINDS, SETTINGS, of_kind, point};
use proptest::prelude::*;
use resile_contact::distance::{BLOCK_PAIRS, Blocks, Closest, Feature, Frame, PairKind};
use resile_contact::stencil::Pair;
use resile_contact::{
    AdhesionPotential, Barrier, CollisionMesh, Contact, Friction, GapLaw, ObstacleMesh, Plane,
    TangentialAdhesion,
};
use resile_system::check::{dissipation_derivatives, energy_derivatives};
use resile_system::{Certificate, Coupling, Energy, Mat3, Path, Psd, Vec3};
use std::sync::Arc;

fn dense(blocks: &Blocks) -> nalgebra::SMatrix<f64, 12, 12> {
    let mut out = nalgebra::SMatrix::zeros();
    for (block, (k, l)) in blocks.iter().zip(BLOCK_PAIRS) {
        for r in 0..3 {
            for c in 0..3 {
                out[(3 * k + r, 3 * l + c)] = block.col(c)[r];
                out[(3 * l + c, 3 * k + r)] = block.col(c)[r];
            }
        }
    }
    out
}

/// Fourth-order central difference of `f` in coordinate `column`.
fn difference<const N: usize>(
    x: &[Vec3; 4],
    column: usize,
    eps: f64,
    f: impl Fn(&[Vec3; 4]) -> [f64; N],
) -> [f64; N] {
    let at = |s: f64| {
        let mut y = *x;
        y[column / 3][column % 3] += s * eps;
        f(&y)
    };
    let (a, b, c, d) = (at(-2.0), at(-1.0), at(1.0), at(2.0));
    std::array::from_fn(|i| (8.0 * (c[i] - b[i]) - (d[i] - a[i])) / (12.0 * eps))
}

fn flat(x: [Vec3; 4]) -> [f64; 12] {
    std::array::from_fn(|i| x[i / 3][i % 3])
}

/// Whether the closest features stay what they are within `eps` of `x`.
fn settled(kind: PairKind, x: &[Vec3; 4], margin: f64) -> bool {
    let feature = Closest::new(kind, x).feature;
    (0..12).all(|c| {
        [-2.0, 2.0].iter().all(|s| {
            let mut y = *x;
            y[c / 3][c % 3] += s * margin;
            Closest::new(kind, &y).feature == feature
        })
    })
}

/// Points of which the closest feature is the asked one: 0 points, 1 line, 2 plane.
fn example(kind: PairKind, expected: usize, p: [Vec3; 4]) -> Option<[Vec3; 4]> {
    let found = match Closest::new(kind, &p).feature {
        Feature::Points => 0,
        Feature::PointLine(_) => 1,
        Feature::Plane(..) => 2,
    };
    (found == expected && settled(kind, &p, 1e-3)).then_some(p)
}

/// All barriers, and adhesion before and beyond its peak at the gap of the tests, which is 1/1.7 of the range.
const LAWS: [GapLaw; 5] = [
    GapLaw::Barrier(Barrier::ALL[0]),
    GapLaw::Barrier(Barrier::ALL[1]),
    GapLaw::Barrier(Barrier::ALL[2]),
    GapLaw::Adhesion { peak: 0.8 },
    GapLaw::Adhesion { peak: 0.3 },
];

/// The law among [`LAWS`] that is concave at the gap of the tests.
const CONCAVE: usize = 4;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn distance_derivatives_agree_with_differences(
        p in prop::array::uniform4(point(1.0)), kind in 0usize..4, wanted in 0usize..3,
    ) {
        let kind = KINDS[kind];
        let wanted = wanted.min(kind.points() - 2);
        let Some(x) = example(kind, wanted, of_kind(kind, p)) else { return Err(TestCaseError::reject("feature")) };
        let frame = Frame::new(&Closest::new(kind, &x), &x).unwrap();
        prop_assume!(frame.distance > 0.1);
        let sine2 = (x[1] - x[0]).cross(x[3] - x[2]).length_squared();
        let area2 = (x[2] - x[1]).cross(x[3] - x[1]).length_squared();
        prop_assume!(wanted < 2 || sine2.min(area2) > 0.05);
        let h = dense(&frame.hessian());
        let g = flat(frame.gradient());
        for column in 0..12 {
            let [slope] = difference(&x, column, 1e-4, |y| [Closest::new(kind, y).distance()]);
            prop_assert!((slope - g[column]).abs() < 1e-9);
            let want = difference(&x, column, 1e-4, |y| {
                flat(Frame::new(&Closest::new(kind, y), y).unwrap().gradient())
            });
            for row in 0..12 {
                prop_assert!((want[row] - h[(row, column)]).abs() < 1e-7 * (1.0 + h.amax()));
            }
        }
    }

    #[test]
    fn pair_derivatives_agree_with_differences_mollified_or_not(
        p in prop::array::uniform4(point(1.0)), kind in 0usize..4, wanted in 0usize..3,
        mollify in any::<bool>(), law in 0usize..5, thick in prop_oneof![Just(0.0), 0.1f64..0.6],
    ) {
        let kind = KINDS[kind];
        let wanted = wanted.min(kind.points() - 2);
        let Some(x) = example(kind, wanted, of_kind(kind, p)) else { return Err(TestCaseError::reject("feature")) };
        let c = (x[1] - x[0]).cross(x[3] - x[2]).length_squared();
        let area2 = (x[2] - x[1]).cross(x[3] - x[1]).length_squared();
        prop_assume!(wanted < 2 || c.min(area2) > 0.05);
        let distance = Closest::new(kind, &x).distance();
        prop_assume!(distance > 0.1);
        let mollifier = if mollify { 2.0 * c } else { 0.5 * c };
        let (offset, d_hat) = (thick * distance, 1.7 * (1.0 - thick) * distance);
        let pair = Pair { kind, law: LAWS[law], stiffness: 3.0, d_hat, min_separation: offset, mollifier };
        let g = flat(pair.gradient(&x).unwrap());
        let h = dense(&pair.hessian(&x, Psd::Exact).unwrap());
        let largest = g.iter().fold(0.0f64, |m, g| m.max(g.abs()));
        prop_assert!(largest > 1e-3, "vacuous");
        for column in 0..12 {
            let [slope] = difference(&x, column, 1e-4, |y| [pair.value(y)]);
            prop_assert!((slope - g[column]).abs() < 1e-7 * largest);
            let want = difference(&x, column, 1e-4, |y| flat(pair.gradient(y).unwrap()));
            for row in 0..12 {
                prop_assert!((want[row] - h[(row, column)]).abs() < 1e-6 * h.amax());
            }
        }
    }

    #[test]
    fn projected_blocks_are_semi_definite_and_never_below_the_exact_ones(
        p in prop::array::uniform4(point(1.0)), kind in 0usize..4, wanted in 0usize..3,
        mollify in any::<bool>(), law in 0usize..5, thick in prop_oneof![Just(0.0), 0.1f64..0.9],
    ) {
        let kind = KINDS[kind];
        let wanted = wanted.min(kind.points() - 2);
        let Some(x) = example(kind, wanted, of_kind(kind, p)) else { return Err(TestCaseError::reject("feature")) };
        let c = (x[1] - x[0]).cross(x[3] - x[2]).length_squared();
        let distance = Closest::new(kind, &x).distance();
        prop_assume!(distance > 1e-3);
        let mollifier = if mollify { 2.0 * c } else { 0.5 * c };
        let (offset, d_hat) = (thick * distance, 1.7 * (1.0 - thick) * distance);
        let pair = Pair { kind, law: LAWS[law], stiffness: 3.0, d_hat, min_separation: offset, mollifier };
        let exact = dense(&pair.hessian(&x, Psd::Exact).unwrap());
        let clamped = dense(&pair.hessian(&x, Psd::Clamp).unwrap());
        prop_assert!((clamped - clamped.transpose()).amax() == 0.0);
        let rounding = 1e-12 * clamped.amax().max(exact.amax());
        prop_assert!(clamped.symmetric_eigenvalues().min() > -rounding);
        prop_assert!((clamped - exact).symmetric_eigenvalues().min() > -rounding);
        // The curvature of moving one piece against the other is kept along the
        // normal, unless the mollifier mixes it with turning or it is negative.
        let frame = Frame::new(&Closest::new(kind, &x), &x).unwrap();
        let ahead = if kind == PairKind::EdgeEdge { vec![2, 3] } else { vec![0] };
        let apart = nalgebra::SVector::<f64, 12>::from_fn(|i, _| {
            if ahead.contains(&(i / 3)) { frame.normal[i % 3] } else { 0.0 }
        });
        let is_concave = law == CONCAVE;
        prop_assert!(is_concave || mollify || ((clamped - exact) * apart).dot(&apart).abs() < rounding);
    }
}

fn tetrahedron() -> Arc<CollisionMesh> {
    Arc::new(CollisionMesh::new(&tetrahedron_nodes(), &TETRAHEDRON).unwrap())
}

fn tetrahedron_nodes() -> [Vec3; 4] {
    [Vec3::ZERO, Vec3::X, Vec3::new(0.3, 1.0, 0.1), Vec3::new(0.2, 0.3, 0.9)]
}

const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

/// Two tetrahedra, one above the other, over a plane and beside a fixed one.
fn scene(mu: f64) -> (resile_contact::CollisionScene, Vec<Vec3>) {
    let surface = tetrahedron();
    let mut x: Vec<Vec3> = tetrahedron_nodes().to_vec();
    x.extend(
        tetrahedron_nodes().map(|p| Vec3::new(p.x, p.z + 1.03, p.y) + Vec3::new(0.05, 0.0, 0.0)),
    );
    let plane = Plane { point: Vec3::new(0.0, -0.04, 0.0), normal: Vec3::Y, collider: 2 };
    let positions =
        tetrahedron_nodes().map(|p| Vec3::new(p.x - 1.05, p.y + 0.1, p.z - 0.02)).to_vec();
    let mesh = ObstacleMesh { mesh: surface.clone(), positions, collider: 3 };
    let bodies = [surface.clone(), surface];
    (crate::common::arrange(&bodies, vec![plane], vec![mesh], mu), x)
}

#[test]
fn the_whole_term_agrees_with_differences() {
    let (scene, x) = scene(0.0);
    let mut contact = Contact::new(scene, SETTINGS);
    contact.search(&[Path::at(&x)]);
    assert!(contact.certificate(&x).contacts >= 4, "{:?}", contact.certificate(&x));
    let errors = energy_derivatives(&contact, &x, 1e-6).unwrap();
    assert!(errors.gradient < 1e-7 && errors.hessian < 1e-6, "{errors:?}");
}

#[test]
fn adhesion_of_a_scene_agrees_with_differences() {
    let (scene, x) = scene(0.0);
    // Gaps of 0.04 m and more are before the peak, beyond it and beyond the range.
    for (peak, range) in [(0.047, 0.06), (0.011, 0.062), (0.033, 0.045)] {
        let potential = AdhesionPotential { strength: 1e4, peak, range };
        let mut adhesion = Contact::adhesive(scene.clone(), potential);
        adhesion.search(&[Path::at(&x)]);
        assert!(adhesion.value(0.0, &x) < 0.0);
        assert_eq!(adhesion.certificate(&x), Certificate::NOTHING);
        let errors = energy_derivatives(&adhesion, &x, 1e-6).unwrap();
        assert!(errors.gradient < 1e-7 && errors.hessian < 1e-6, "{errors:?}");
    }
}

#[test]
fn friction_agrees_with_differences_at_rest_in_stick_and_in_slip() {
    let (scene, x) = scene(0.4);
    let friction = Friction::new(scene, SETTINGS, FRICTION).at(&x, &[]);
    assert!(friction.pair_count() >= 4);
    for speed in [0.2e-2, 1.0] {
        let v: Vec<Vec3> = (0..x.len())
            .map(|i| Vec3::new((i as f64).sin(), (2.0 * i as f64).cos(), (3.0 + i as f64).sin()))
            .map(|v| v * speed)
            .collect();
        let errors = dissipation_derivatives(&friction, &v, 1e-5 * speed).unwrap();
        assert!(errors.gradient < 1e-8 && errors.hessian < 1e-7, "{speed}: {errors:?}");
    }
}

#[test]
fn tangential_adhesion_agrees_with_differences_at_rest_in_stick_and_in_slip() {
    let (scene, x) = scene(0.0);
    let adhesion = AdhesionPotential { strength: 1e4, peak: 0.05, range: 0.2 };
    let law = TangentialAdhesion { coefficient: 0.4, slip_speed: FRICTION.slip_speed };
    let bonds = Friction::adhesive(scene, adhesion, law).at(&x, &vec![Vec3::ZERO; x.len()]);
    assert!(bonds.pair_count() >= 4);
    for speed in [0.2e-2, 1.0] {
        let v: Vec<Vec3> = (0..x.len())
            .map(|i| Vec3::new((i as f64).sin(), (2.0 * i as f64).cos(), (3.0 + i as f64).sin()))
            .map(|v| v * speed)
            .collect();
        let errors = dissipation_derivatives(&bonds, &v, 1e-5 * speed).unwrap();
        assert!(errors.gradient < 1e-8 && errors.hessian < 1e-7, "{speed}: {errors:?}");
    }
}

#[test]
fn a_pair_is_continuous_with_its_force_where_closest_features_change() {
    // A vertex walks over a face, its edge, beyond, and past a corner.
    let pair = Pair {
        kind: PairKind::VertexFace,
        law: Barrier::ClampedLog.into(),
        stiffness: 1.0,
        d_hat: 0.4,
        min_separation: 0.1,
        mollifier: 0.0,
    };
    let at = |s: f64, z: f64| {
        [Vec3::new(0.2 + s, 0.1 + 0.3 * s, z), Vec3::ZERO, Vec3::X, Vec3::new(0.0, 1.0, 0.0)]
    };
    let step = 1e-4;
    let mut features = Vec::new();
    for i in -5_000..12_000 {
        let (a, b) = (at(f64::from(i) * step, 0.2), at(f64::from(i + 1) * step, 0.2));
        features.push(Closest::new(PairKind::VertexFace, &a).feature);
        assert!((pair.value(&a) - pair.value(&b)).abs() < 20.0 * step);
        let force = |x: &[Vec3; 4]| pair.gradient(x).map_or(Vec3::ZERO, |g| g[0]);
        assert!((force(&a) - force(&b)).length() < 200.0 * step);
    }
    features.dedup();
    assert!(features.len() >= 3, "{features:?}");
}

#[test]
fn mollified_edges_have_no_force_when_parallel() {
    let x = [Vec3::ZERO, Vec3::X, Vec3::new(0.2, 0.1, 0.0), Vec3::new(1.4, 0.1, 0.0)];
    let pair = Pair {
        kind: PairKind::EdgeEdge,
        law: Barrier::ClampedLog.into(),
        stiffness: 1.0,
        d_hat: 0.5,
        min_separation: 0.05,
        mollifier: 1e-3,
    };
    assert_eq!(pair.value(&x), 0.0);
    for psd in [Psd::Exact, Psd::Clamp] {
        assert!(pair.hessian(&x, psd).unwrap().iter().all(Mat3::is_finite));
    }
}
