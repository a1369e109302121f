//! What linear systems of elastic blocks cost, long and flat ones and cubes: an implicit Euler step of 1/120 s of
//! neo-Hookean rubber (3e5 Pa, 10 cm, moderately strained), without contact.

#[path = "../tests/energy/common/mod.rs"]
mod common;

use common::{deformed, grid, noise};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use resile_energy::{Lame, Material, TetElasticity};
use resile_linalg::cg::{BlockJacobi, CgLimits, ConjugateGradients, Preconditioned};
use resile_linalg::direct::Cholesky;
use resile_linalg::two_level::{Layout, TwoLevel};
use resile_math::{Mat3, Vec3};
use resile_sparse::{Assembly, BlockSink};
use resile_system::{Energy, Hessian, Psd};

/// One system.
struct System {
    positions: Vec<Vec3>,
    free: Vec<bool>,
    assembly: Assembly,
    b: Vec<Vec3>,
}

impl System {
    /// A block of so many cells along each axis, 10 cm along the longest.
    fn block([nx, ny, nz]: [usize; 3]) -> Self {
        let (mut rest, tets) = grid(nx, ny, nz);
        let cells = nx.max(ny).max(nz) as f64;
        rest.iter_mut().for_each(|x| *x *= 0.1 / cells);
        let lame = Lame::from_young_poisson(3e5, 0.3).expect("parameters in range");
        let term = TetElasticity::new(&rest, &tets, Material::NeoHookean(lame));
        let term = term.expect("the mesh is a proper one");
        let positions = deformed(&rest, Mat3::from_rotation_y(0.7), 1e-3 / cells);
        let mut assembly = Assembly::new(rest.len());
        let (mass, h) = (1.0 / rest.len() as f64, 1.0 / 120.0);
        assembly.begin();
        (0..rest.len()).for_each(|i| assembly.add(i, i, Mat3::IDENTITY * mass));
        term.add_hessian(0.0, &positions, Psd::Clamp, &mut Hessian::new(&mut assembly, 0, h * h));
        assembly.end_static();
        let b = (0..rest.len()).map(|i| Vec3::new(noise(i), noise(i + 7), noise(3 * i))).collect();
        Self { free: vec![true; rest.len()], positions, assembly, b }
    }

    fn layout(&self) -> Layout<'_> {
        Layout {
            pattern: self.assembly.static_pattern(),
            free: &self.free,
            positions: &self.positions,
            stiff: &[],
        }
    }
}

/// What a product must read and write at least once: the blocks below the diagonal in single
/// precision with their columns, diagonal blocks, the beginnings of rows, three vectors.
fn product_bytes(system: &System) -> u64 {
    let pattern = system.assembly.static_pattern();
    let blocks = pattern.len() - pattern.rows();
    (blocks * (36 + 4) + pattern.rows() * (72 + 12 + 24 + 48 + 24)) as u64
}

/// What conjugate gradients are preconditioned by.
#[derive(Clone, Copy)]
enum Inverse {
    VCycle,
    Jacobi,
}

fn two_levels(c: &mut Criterion, cells: usize, threads: usize) {
    let system = System::block([cells; 3]);
    let a = system.assembly.matrix();
    let mut x = system.b.clone();
    let mut cycle = TwoLevel::new();
    let mut prepare =
        || cycle.prepare(a, &system.layout()).expect("the matrix is positive definite");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.expect("threads can be started");
    let name = format!("{} nodes/{threads}", a.rows());
    let mut group = c.benchmark_group(&name);
    group.sample_size(20);
    group.bench_function("V-cycle, setup", |b| b.iter(|| pool.install(&mut prepare)));
    group.bench_function("V-cycle, apply", |b| {
        b.iter(|| pool.install(|| cycle.apply(&system.b, 1.0, &mut x)));
    });
    let mut gradients = ConjugateGradients::new();
    for tolerance in [3e-2, 1e-6] {
        let limits = CgLimits { tolerance, max_iterations: 2000 };
        let mut solve = |by_what: Inverse| {
            let mut by = |inverse: &mut (dyn Preconditioned + Send)| {
                gradients.solve(a, inverse, &system.b, &mut x, limits).iterations()
            };
            pool.install(|| match by_what {
                Inverse::VCycle => {
                    let prepared = cycle.prepare(a, &system.layout());
                    prepared.expect("the matrix is positive definite");
                    by(&mut cycle)
                }
                Inverse::Jacobi => {
                    by(&mut BlockJacobi::new(a).expect("the matrix is positive definite"))
                }
            })
        };
        for (name, what) in [("V-cycle", Inverse::VCycle), ("Jacobi", Inverse::Jacobi)] {
            let name = format!("{name} to {tolerance:e}, {} iterations", solve(what));
            group.bench_function(name, |b| b.iter(|| solve(what)));
        }
    }
    group.throughput(Throughput::Bytes(product_bytes(&system)));
    group.bench_function("product", |b| {
        let mut direction = system.b.clone();
        b.iter(|| pool.install(|| cycle.update_direction(0.5, &system.b, &mut direction, &mut x)));
    });
    group.finish();
}

/// Cholesky beside one iteration of conjugate gradients and its setup, each named with the blocks
/// of the matrix, those of the factor, and the operations: what the choice between the two is made by.
fn factorisation(c: &mut Criterion, cells: [usize; 3]) {
    let system = System::block(cells);
    let a = system.assembly.matrix();
    let mut x = system.b.clone();
    let (mut cholesky, mut cycle) = (Cholesky::new(), TwoLevel::new());
    let price = cholesky.predict(&a.pattern).expect("it fits in memory");
    let mut gradients = ConjugateGradients::new();
    let mut group = c.benchmark_group(format!("{cells:?} cells/1"));
    group.sample_size(10);
    let name =
        format!("{} blocks, factor {}, {:.1e} flops", a.pattern.len(), price.blocks, price.flops);
    group.bench_function(format!("Cholesky, {name}"), |b| {
        b.iter(|| {
            cholesky.factorize(a).expect("the matrix is positive definite");
            cholesky.solve(&system.b, &mut x);
        });
    });
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started");
    for max_iterations in [1, 11] {
        let limits = CgLimits { tolerance: 1e-3, max_iterations };
        group.bench_function(format!("setup and {max_iterations} iterations"), |b| {
            b.iter(|| {
                pool.install(|| {
                    let prepared = cycle.prepare(a, &system.layout());
                    prepared.expect("the matrix is positive definite");
                    gradients.solve(a, &mut cycle, &system.b, &mut x, limits)
                })
            });
        });
    }
    group.finish();
}

fn linear(c: &mut Criterion) {
    for cells in [2, 4, 8, 16] {
        two_levels(c, cells, 1);
    }
    let long = [[800, 1, 1], [200, 2, 2], [200, 4, 4]];
    let flat = [[40, 40, 1], [80, 80, 1]];
    let cubes = [[2; 3], [4; 3], [8; 3], [16; 3]];
    for cells in long.into_iter().chain(flat).chain(cubes) {
        factorisation(c, cells);
    }
    two_levels(c, 16, 2);
    two_levels(c, 28, 2);
}

criterion_group!(benches, linear);
criterion_main!(benches);
