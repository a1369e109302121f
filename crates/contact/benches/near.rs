//! Cost of the broad and narrow phase: two spheres, many bodies, recorded queries.

use criterion::{Criterion, criterion_group, criterion_main};
use resile_contact::ccd::time_of_impact;
use resile_contact::distance::PairKind;
use resile_contact::{Barrier, BarrierPotential, CollisionMesh, Contact, Embedding, Plane};
use resile_system::{Coupling, Path, Vec3};
use spheres::Spheres;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

#[path = "../tests/contact/common/mod.rs"]
mod common;
mod spheres;

const BARRIER: BarrierPotential =
    BarrierPotential { barrier: Barrier::ClampedLog, d_hat: 1e-3, kappa: 1e5 };

fn spheres(c: &mut Criterion) {
    let Spheres { rest, triangles, x, to } = Spheres::new();
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).expect("a sphere has area"));
    let surfaces = [surface.clone(), surface];
    let scene = common::arrange(&surfaces, vec![], vec![], 0.3);
    let mut contact = Contact::new(scene, BARRIER);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    let mut group = c.benchmark_group("two spheres, one thread");
    group.bench_function("surface of one", |b| {
        b.iter(|| one.install(|| CollisionMesh::new(black_box(&rest), &triangles).is_ok()));
    });
    group.bench_function("at rest", |b| {
        b.iter(|| one.install(|| contact.search(&[Path::at(&x)])));
    });
    group.bench_function("approaching", |b| {
        b.iter(|| one.install(|| contact.search(&[Path { from: &x, to: &to }])));
    });
    group.finish();
}

/// 2,000 cubes on four nodes each in a grid, a tenth of an edge apart.
fn grid(c: &mut Criterion) {
    let (rest, triangles) = common::cube(2);
    let hang = |x: &Vec3| Embedding {
        nodes: [0, 1, 2, 3],
        weights: [1.0 - x.x - x.y - x.z, x.x, x.y, x.z],
    };
    let embedding = rest.iter().map(hang).collect();
    let surface =
        CollisionMesh::embedded(&rest, &triangles, embedding, 4).expect("a cube has area");
    let surface = Arc::new(surface);
    let mut x = Vec::new();
    for k in 0..2000 {
        let place = Vec3::new(f64::from(k % 10), f64::from(k / 10 % 10), f64::from(k / 100)) * 1.1;
        x.extend([Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|p| p + place));
    }
    let planes = vec![Plane { point: Vec3::Y * -0.01, normal: Vec3::Y, collider: 2000 }];
    let scene = common::arrange(&vec![surface; 2000], planes, vec![], 0.3);
    let to: Vec<Vec3> = x.iter().map(|x| *x - Vec3::Y * 0.005).collect();
    let mut contact = Contact::new(scene, BARRIER);
    let mut group = c.benchmark_group("2,000 cubes");
    group.sample_size(20);
    group.bench_function("step bound", |b| {
        b.iter(|| contact.search(&[Path { from: &x, to: &to }]));
    });
    group.finish();
}

type Query = (PairKind, [Vec3; 4], [Vec3; 4]);

/// The queries recorded by Wang et al. 2021, if they are there.
fn recorded() -> Vec<Query> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/ccd");
    let mut all = Vec::new();
    for (file, kind) in
        [("vertex_face.csv", PairKind::VertexFace), ("edge_edge.csv", PairKind::EdgeEdge)]
    {
        let text = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
        for line in text.lines().skip(1) {
            let cells: Vec<f64> =
                line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
            let points = |first: usize| {
                std::array::from_fn(|k| Vec3::from_slice(&cells[first + 3 * k..first + 3 * k + 3]))
            };
            all.push((kind, points(2), points(14)));
        }
    }
    all
}

/// All recorded queries, one after the other, and the slowest of them.
fn hard_queries(c: &mut Criterion) {
    let queries = recorded();
    let time = |(kind, from, to): &Query| {
        let start = Instant::now();
        black_box(time_of_impact(*kind, black_box(from), black_box(to), 0.0));
        start.elapsed()
    };
    let least = |query: &&Query| (0..50).map(|_| time(query)).min();
    let Some(slowest) = queries.iter().max_by_key(least) else { return };
    let mut group = c.benchmark_group("recorded queries");
    group.throughput(criterion::Throughput::Elements(queries.len() as u64));
    group.bench_function("all", |b| {
        b.iter(|| {
            let times = queries.iter().map(|(kind, from, to)| time_of_impact(*kind, from, to, 0.0));
            times.sum::<f64>()
        });
    });
    group.throughput(criterion::Throughput::Elements(1));
    group.bench_function("slowest", |b| b.iter(|| time(slowest)));
    group.finish();
}

criterion_group!(benches, spheres, grid, hard_queries);
criterion_main!(benches);
