//! Costs of one distance, one collision time, one barrier pair.

use criterion::{Criterion, criterion_group, criterion_main};
use resile_contact::ccd::time_of_impact;
use resile_contact::distance::{Closest, PairKind};
use resile_contact::stencil::Pair;
use resile_contact::{Barrier, BarrierPotential, CollisionMesh, Contact, Friction, Plane};
use resile_sparse::Assembly;
use resile_system::{Coupling, Energy, Hessian, Path, Psd, Vec3};
use std::hint::black_box;
use std::sync::Arc;

const FACE: [Vec3; 4] =
    [Vec3::new(0.3, 0.05, 0.2), Vec3::ZERO, Vec3::new(1.0, 0.0, 0.1), Vec3::new(0.1, 0.0, 1.0)];
const EDGES: [Vec3; 4] = [
    Vec3::new(-0.5, 0.0, 0.0),
    Vec3::new(0.5, 0.0, 0.1),
    Vec3::new(0.0, 0.05, -0.4),
    Vec3::new(0.1, 0.05, 0.6),
];

fn pairs(c: &mut Criterion) {
    for (name, kind, x) in
        [("vertex-face", PairKind::VertexFace, FACE), ("edge-edge", PairKind::EdgeEdge, EDGES)]
    {
        let mut group = c.benchmark_group(name);
        group.bench_function("distance", |b| b.iter(|| Closest::new(kind, black_box(&x))));
        let ahead: &[usize] = if kind == PairKind::EdgeEdge { &[2, 3] } else { &[0] };
        let mut through = x;
        let mut along = x;
        for &i in ahead {
            through[i] += Vec3::new(0.02, -0.2, 0.01);
            along[i] += Vec3::new(0.2, -0.02, 0.1);
        }
        group.bench_function("ccd hit", |b| {
            b.iter(|| time_of_impact(kind, black_box(&x), &through, 0.0));
        });
        group.bench_function("ccd free", |b| {
            b.iter(|| time_of_impact(kind, black_box(&x), &along, 0.0));
        });
        for (label, mollifier) in [("", 0.0), (" mollified", 4.0)] {
            if kind == PairKind::VertexFace && mollifier > 0.0 {
                continue;
            }
            let pair = Pair {
                kind,
                law: Barrier::ClampedLog.into(),
                stiffness: 1.0,
                d_hat: 0.1,
                min_separation: 0.0,
                mollifier,
            };
            group.bench_function(format!("gradient{label}"), |b| {
                b.iter(|| pair.gradient(black_box(&x)));
            });
            for psd in [Psd::Exact, Psd::Clamp] {
                group.bench_function(format!("hessian {psd:?}{label}"), |b| {
                    b.iter(|| pair.hessian(black_box(&x), psd));
                });
            }
        }
        group.finish();
    }
}

#[path = "../tests/contact/common/mod.rs"]
mod common;

/// Eight touching cubes of 768 triangles each on a plane: what one Newton iteration
/// asks of contact.
fn dice(c: &mut Criterion) {
    let (rest, triangles) = common::cube(8);
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).expect("a cube has area"));
    let barrier = BarrierPotential { barrier: Barrier::ClampedLog, d_hat: 0.02, kappa: 1e5 };
    let mut x = Vec::new();
    for k in 0..8 {
        let turn = common::rotation(Vec3::Y * 0.1 * f64::from(k));
        let stack = Vec3::new(1.5 * f64::from(k / 4), 0.01 + 1.01 * f64::from(k % 4), 0.0);
        x.extend(rest.iter().map(|p| turn(*p - Vec3::ONE * 0.5) + Vec3::ONE * 0.5 + stack));
    }
    let planes = vec![Plane { point: Vec3::ZERO, normal: Vec3::Y, collider: 8 }];
    let scene = common::arrange(&vec![surface; 8], planes, vec![], 0.3);
    let to: Vec<Vec3> =
        x.iter().enumerate().map(|(i, x)| *x + Vec3::Y * 1e-3 * (i as f64).sin()).collect();
    let mut contact = Contact::new(scene.clone(), barrier);
    let mut group = c.benchmark_group("eight dice");
    group.bench_function("step bound", |b| {
        b.iter(|| contact.search(&[Path { from: &x, to: &to }]));
    });
    group.bench_function("value", |b| b.iter(|| contact.value(0.0, &x)));
    let mut g = vec![Vec3::ZERO; x.len()];
    group.bench_function("gradient", |b| b.iter(|| contact.add_gradient(0.0, &x, 1.0, &mut g)));
    let mut assembly = Assembly::new(x.len());
    assembly.end_static();
    group.bench_function("hessian", |b| {
        b.iter(|| {
            assembly.begin();
            contact.add_hessian(0.0, &x, Psd::Clamp, &mut Hessian::new(&mut assembly, 0, 1.0));
            assembly.finish().blocks.len()
        });
    });
    let friction = Friction::new(scene, barrier, common::FRICTION);
    group.bench_function("lag friction", |b| b.iter(|| friction.at(&x, &[])));
    group.finish();
}

criterion_group!(benches, pairs, dice);
criterion_main!(benches);
