//! What elasticity of 24,000 tetrahedra in moderate strain and a shell of 31,000 triangles
//! cost, with one and two threads. Nanoseconds an element are the inverse of the elements a second.

#[path = "../tests/energy/common/mod.rs"]
mod common;

use common::{body, deformed, grid, materials};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use rayon::ThreadPool;
use resile_energy::{Material, MembraneLaw, PlaneLame, RestAngles, ShellBending, ShellMembrane};
use resile_math::{Mat3, Vec3};
use resile_mesh::generate::Sheet;
use resile_sparse::{Assembly, BlockSink};
use resile_system::{Energy, Hessian, Path, Psd};
use std::hint::black_box;

/// Takes blocks and does next to nothing: evaluation without assembly.
struct Trace(f64);

impl BlockSink for Trace {
    fn add(&mut self, _i: usize, _j: usize, block: Mat3) {
        self.0 += block.x_axis.x;
    }
}

fn name(material: Material) -> &'static str {
    match material {
        Material::NeoHookean(_) => "neo-hookean",
        Material::Corotated(_) => "corotated",
        Material::StVenantKirchhoff(_) => "stvk",
        Material::Hencky(_) => "hencky",
        Material::ElastoPlastic(_) => "hencky with flow",
        Material::Maxwell(_) => "maxwell",
        _ => unreachable!("not among `materials`"),
    }
}

fn push(term: &dyn Energy, x: &[Vec3], sink: &mut dyn BlockSink) {
    term.add_hessian(0.0, x, Psd::Clamp, &mut Hessian::new(sink, 0, 1.0));
}

/// What a Newton iteration asks of a term.
fn evaluations(
    group: &mut BenchmarkGroup<'_, WallTime>,
    pool: &ThreadPool,
    term: &mut dyn Energy,
    x: &[Vec3],
    to: &[Vec3],
) {
    let mut out = vec![Vec3::ZERO; x.len()];
    let mut assembly = Assembly::new(x.len());
    group.bench_function("value", |b| {
        b.iter(|| pool.install(|| term.value(0.0, black_box(x))));
    });
    group.bench_function("value and gradient", |b| {
        b.iter(|| {
            pool.install(|| {
                term.add_gradient(0.0, black_box(x), 1.0, &mut out);
                term.value(0.0, x)
            })
        });
    });
    group.bench_function("projected Hessian, no assembly", |b| {
        b.iter(|| pool.install(|| push(term, x, &mut Trace(0.0))));
    });
    group.bench_function("projected Hessian, assembled", |b| {
        b.iter(|| {
            pool.install(|| {
                assembly.begin();
                push(term, x, &mut assembly);
                assembly.end_static();
                assembly.finish().blocks[0]
            })
        });
    });
    group.bench_function("value, gradient and projected Hessian", |b| {
        b.iter(|| {
            pool.install(|| {
                term.add_gradient(0.0, black_box(x), 1.0, &mut out);
                let mut trace = Trace(term.value(0.0, x));
                push(term, x, &mut trace);
                trace.0
            })
        });
    });
    group.bench_function("step bound", |b| {
        b.iter(|| pool.install(|| term.step_bound(&[Path { from: x, to }])));
    });
}

fn elements(c: &mut Criterion) {
    let mesh = grid(20, 20, 10);
    let x = deformed(&mesh.0, Mat3::from_rotation_y(0.7), 0.1);
    let to = deformed(&mesh.0, Mat3::from_rotation_y(0.71), 0.12);
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("threads can be started");
        for material in materials() {
            let mut term = body(&mesh, material);
            let mut group = c.benchmark_group(format!("{}/{threads}", name(material)));
            group.sample_size(20).throughput(Throughput::Elements(mesh.1.len() as u64));
            evaluations(&mut group, &pool, &mut term, &x, &to);
            group.finish();
        }
    }
}

/// The membrane of 31,000 triangles, crumpled by a fifth of an edge, and its hinges.
fn shells(c: &mut Criterion) {
    let sheet = Sheet { cells: [125, 125], size: [125.0, 125.0] };
    let mesh = sheet.build().expect("sizes are positive");
    let x = deformed(&mesh.positions, Mat3::from_rotation_y(0.7), 0.2);
    let to = deformed(&mesh.positions, Mat3::from_rotation_y(0.71), 0.22);
    let lame = PlaneLame::from_stretching(3.0, 0.35).expect("parameters in range");
    let membrane = |law| {
        ShellMembrane::new(&mesh.positions, &mesh.triangles, law).expect("the mesh is a proper one")
    };
    let stvk = membrane(MembraneLaw::StVenantKirchhoff(lame));
    let neo_hookean = membrane(MembraneLaw::NeoHookean(lame));
    let bending = ShellBending::new(&mesh.positions, &mesh.triangles, 0.1, RestAngles::Flat)
        .expect("the mesh is a proper one");
    let (triangles, hinges) = (stvk.triangle_count(), bending.hinge_count());
    let terms: [(&str, usize, Box<dyn Energy>); 3] = [
        ("membrane stvk", triangles, Box::new(stvk)),
        ("membrane neo-hookean", triangles, Box::new(neo_hookean)),
        ("bending", hinges, Box::new(bending)),
    ];
    for (name, count, mut term) in terms {
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.expect("threads can be started");
            let mut group = c.benchmark_group(format!("{name}/{threads}"));
            group.sample_size(20).throughput(Throughput::Elements(count as u64));
            evaluations(&mut group, &pool, &mut *term, &x, &to);
            group.finish();
        }
    }
}

criterion_group!(benches, elements, shells);
criterion_main!(benches);
