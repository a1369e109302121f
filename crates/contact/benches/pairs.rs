//! What a pair costs among its neighbours: all pairs between two spheres that are near
//! enough, one after the other. Each has another shape and another answer, which a single
//! pair, repeated, would hide from the predictor of branches.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use resile_contact::Barrier;
use resile_contact::ccd::time_of_impact;
use resile_contact::distance::PairKind;
use resile_contact::stencil::Pair;
use resile_system::{Psd, Vec3};
use spheres::Spheres;
use std::collections::BTreeSet;

#[path = "../tests/contact/common/mod.rs"]
mod common;
mod spheres;

/// Gap in metres below which the barrier acts.
const D_HAT: f64 = 5e-3;

/// A pair of primitives of different spheres, by nodes.
type Candidate = (PairKind, [usize; 4]);

/// Nodes, edges and triangles of both spheres.
struct Primitives {
    kinds: [Vec<Vec<usize>>; 3],
}

impl Primitives {
    fn new(spheres: &Spheres, first: usize) -> Self {
        let triangles: Vec<Vec<usize>> =
            spheres.triangles.iter().map(|t| t.map(|i| i as usize + first).to_vec()).collect();
        let edge = |a: usize, b: usize| vec![a.min(b), a.max(b)];
        let edges: BTreeSet<Vec<usize>> =
            triangles.iter().flat_map(|t| (0..3).map(|k| edge(t[k], t[(k + 1) % 3]))).collect();
        let nodes = (first..first + spheres.rest.len()).map(|i| vec![i]).collect();
        Self { kinds: [nodes, edges.into_iter().collect(), triangles] }
    }
}

/// The box of these nodes on their ways.
fn swept(nodes: &[usize], ways: [&[Vec3]; 2]) -> [Vec3; 2] {
    let points = || nodes.iter().flat_map(|&i| ways.map(|x| x[i]));
    let low = points().fold(Vec3::INFINITY, Vec3::min);
    [low, points().fold(Vec3::NEG_INFINITY, Vec3::max)]
}

fn near(a: &[Vec3; 2], b: &[Vec3; 2], reach: f64) -> bool {
    let reach = Vec3::splat(reach);
    a[0].cmple(b[1] + reach).all() && b[0].cmple(a[1] + reach).all()
}

/// All pairs whose boxes come nearer than `reach`, found the slow way.
fn candidates(spheres: &Spheres, ways: [&[Vec3]; 2], reach: f64) -> Vec<Candidate> {
    let both = [0, spheres.rest.len()].map(|first| Primitives::new(spheres, first));
    let whole = both.each_ref().map(|primitives| swept(&primitives.kinds[0].concat(), ways));
    let close = |sphere: usize, kind: usize| -> Vec<(&Vec<usize>, [Vec3; 2])> {
        let boxed = both[sphere].kinds[kind].iter().map(|nodes| (nodes, swept(nodes, ways)));
        boxed.filter(|(_, own)| near(own, &whole[1 - sphere], reach)).collect()
    };
    let mut found = Vec::new();
    for (kind, [a, b]) in [
        (PairKind::VertexFace, [(0, 0), (1, 2)]),
        (PairKind::VertexFace, [(1, 0), (0, 2)]),
        (PairKind::EdgeEdge, [(0, 1), (1, 1)]),
    ] {
        let others = close(b.0, b.1);
        for (first, own) in close(a.0, a.1) {
            for (second, _) in others.iter().filter(|(_, other)| near(&own, other, reach)) {
                let nodes = [&first[..], &second[..]].concat();
                found.push((kind, nodes.try_into().expect("four nodes")));
            }
        }
    }
    found
}

/// Whether two spheres' pairs collide in a step, at a distance at which most do not.
fn collisions(c: &mut Criterion) {
    let spheres = Spheres::new();
    let found = candidates(&spheres, [&spheres.x, &spheres.to], 1e-3);
    let at = |x: &[Vec3], nodes: &[usize; 4]| nodes.map(|i| x[i]);
    let queries: Vec<_> = found
        .iter()
        .map(|(kind, nodes)| (*kind, at(&spheres.x, nodes), at(&spheres.to, nodes)))
        .collect();
    let mut group = c.benchmark_group("pairs of two spheres");
    group.throughput(Throughput::Elements(queries.len() as u64));
    group.bench_function("collision time", |b| {
        b.iter(|| {
            let times = queries.iter().map(|(kind, from, to)| time_of_impact(*kind, from, to, 0.0));
            times.sum::<f64>()
        });
    });
    group.finish();
}

/// The barrier of all pairs that it acts on, mollified edges among them.
fn barriers(c: &mut Criterion) {
    let spheres = Spheres::new();
    let found = candidates(&spheres, [&spheres.x, &spheres.x], D_HAT);
    let rest = |i: usize| spheres.rest[i % spheres.rest.len()];
    let length2 = |a: usize, b: usize| (rest(a) - rest(b)).length_squared();
    let active: Vec<(Pair, [Vec3; 4])> = found
        .iter()
        .filter_map(|&(kind, nodes)| {
            // Li et al. 2020, section 3.6.
            let mollifier = match kind {
                PairKind::EdgeEdge => {
                    1e-3 * length2(nodes[0], nodes[1]) * length2(nodes[2], nodes[3])
                }
                _ => 0.0,
            };
            let pair = Pair {
                kind,
                law: Barrier::ClampedLog.into(),
                stiffness: 1.0,
                d_hat: D_HAT,
                min_separation: 0.0,
                mollifier,
            };
            let points = nodes.map(|i| spheres.x[i]);
            pair.closest_if_active(&points).map(|_| (pair, points))
        })
        .collect();
    let mut group = c.benchmark_group("pairs of two spheres");
    group.throughput(Throughput::Elements(active.len() as u64));
    group.bench_function("value", |b| {
        b.iter(|| active.iter().map(|(pair, x)| pair.value(x)).sum::<f64>());
    });
    group.bench_function("gradient", |b| {
        b.iter(|| {
            active.iter().filter_map(|(pair, x)| pair.gradient(x)).fold(0.0, |s, g| s + g[0].x)
        });
    });
    for (name, psd) in [("Hessian, exact", Psd::Exact), ("Hessian, projected", Psd::Clamp)] {
        group.bench_function(name, |b| {
            b.iter(|| {
                let hessians = active.iter().filter_map(|(pair, x)| pair.hessian(x, psd));
                hessians.fold(0.0, |sum, blocks| sum + blocks[0].x_axis.x)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, collisions, barriers);
criterion_main!(benches);
