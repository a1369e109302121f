//! What projections of small dense matrices cost: of 6 rows as in rods, of 9 as in nearly parallel edges, of 12 as in
//! torsion and volume springs. The matrices are of low rank and some noise, a stiff direction beside soft ones.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use resile_math::small::{SymmetricEigen, project_psd};
use std::array;
use std::hint::black_box;

/// So many different matrices: one, repeated, would hide from the predictor of branches what they differ in.
const MATRICES: usize = 1000;

fn matrices<const N: usize>() -> Vec<[[f64; N]; N]> {
    let matrix = |k: usize| {
        let number = |i: usize| ((31 * i + 17 * k) as f64 * 0.37).sin();
        array::from_fn(|i| {
            let entry = |j: usize| {
                let (low, high) = (i.min(j), i.max(j));
                1e3 * number(low) * number(high) + 10.0 * number(7 * low + 13 * high + 5)
            };
            array::from_fn(entry)
        })
    };
    (0..MATRICES).map(matrix).collect()
}

fn projection<const N: usize>(c: &mut Criterion) {
    let matrices = matrices::<N>();
    let mut group = c.benchmark_group("small matrices");
    group.throughput(Throughput::Elements(MATRICES as u64));
    group.bench_function(BenchmarkId::new("projected", N), |b| {
        b.iter(|| {
            for matrix in &matrices {
                let mut matrix = *matrix;
                project_psd(&mut matrix);
                black_box(matrix);
            }
        });
    });
    group.bench_function(BenchmarkId::new("eigenvectors by Jacobi rotations", N), |b| {
        b.iter(|| {
            for matrix in &matrices {
                black_box(SymmetricEigen::new(matrix));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, projection::<6>, projection::<9>, projection::<12>);
criterion_main!(benches);
