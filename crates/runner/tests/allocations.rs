//! What Newton's method allocates: nothing an iteration, once its buffers are there.

use rayon::ThreadPoolBuilder;
use resile_energy::{Lame, Material, TetElasticity};
use resile_integrators::{ImplicitEuler, StageSolver, advance};
use resile_math::Vec3;
use resile_mesh::generate::BoxGrid;
use resile_solver::{Iterative, LinearChoice, NewtonSettings};
use resile_system::{Body, State, System};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<alloc::System> = &INSTRUMENTED_SYSTEM;

/// A rubber cube of several patches of elements, twisted.
fn twisted_cube() -> (System, State) {
    let mesh = BoxGrid { cells: [8; 3], size: Vec3::splat(0.1) }.build().unwrap();
    let lame = Lame::from_young_poisson(1e5, 0.4).unwrap();
    let elasticity =
        TetElasticity::new(&mesh.positions, &mesh.tets, Material::NeoHookean(lame)).unwrap();
    let body = Body::new("cube", mesh.node_masses(1000.0)).with(elasticity);
    let twist = |x: &Vec3| resile_math::Mat3::from_rotation_y(8.0 * x.y) * *x;
    let x: Vec<Vec3> = mesh.positions.iter().map(twist).collect();
    let v = vec![Vec3::ZERO; x.len()];
    (System::new(vec![body]), State::new(0.0, x, v))
}

/// Iterations and allocations of a step solved to `tolerance` (m/s), the second of its kind.
fn second_step(tolerance: f64, linear: LinearChoice) -> (usize, usize) {
    let (mut system, start) = twisted_cube();
    let settings = NewtonSettings { linear, ..NewtonSettings::default() };
    let mut solver = StageSolver::new(tolerance, settings);
    let mut step = || {
        let mut state = start.clone();
        let region = Region::new(ALLOCATOR);
        let report =
            advance(&ImplicitEuler, &mut system, &mut solver, &mut state, 1.0 / 60.0).unwrap();
        let asked = region.change();
        (report.solve.iterations, asked.allocations + asked.reallocations)
    };
    // A second thread would allocate for itself whenever it begins to take part.
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        step();
        step()
    })
}

#[test]
fn newton_iterations_do_not_allocate() {
    let gradients = LinearChoice::Iterative(Iterative::default());
    for linear in [gradients, LinearChoice::Direct] {
        let (few, loose) = second_step(1.0, linear);
        let (many, tight) = second_step(1e-9, linear);
        assert!(many >= few + 3, "{few} and {many} iterations");
        assert_eq!(tight, loose, "allocations of {many} and of {few} iterations, {linear:?}");
    }
}
