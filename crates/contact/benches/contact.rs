//! Costs of one distance, one collision time, one barrier pair.

use criterion::{Criterion, criterion_group, criterion_main};
use resile_contact::ccd::safe_time;
use resile_contact::distance::{Closest, PairKind};
use resile_contact::stencil::Pair;
use resile_system::{Psd, Vec3};
use std::hint::black_box;

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
        group.bench_function("ccd hit", |b| b.iter(|| safe_time(kind, black_box(&x), &through)));
        group.bench_function("ccd free", |b| b.iter(|| safe_time(kind, black_box(&x), &along)));
        for (label, mollifier) in [("", 0.0), (" mollified", 4.0)] {
            if kind == PairKind::VertexFace && mollifier > 0.0 {
                continue;
            }
            let pair = Pair { kind, stiffness: 1.0, d_hat: 0.1, mollifier };
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

criterion_group!(benches, pairs);
criterion_main!(benches);
