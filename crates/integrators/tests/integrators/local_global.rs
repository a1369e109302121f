//! Local and global steps end where Newton's method ends.

use resile_energy::{Gravity, Lame, Material, SpringElement, SpringLaw, Springs, TetElasticity};
use resile_integrators::{Blend, ImplicitEuler, Integrator, StageSolver, Theta, advance};
use resile_math::Vec3;
use resile_solver::{LocalGlobalSettings, Method, NewtonSettings};
use resile_system::{Body, Energy, State, System};

/// Nodes along each axis of the bar.
const NODES: [usize; 3] = [6, 3, 3];

/// A bar of cubes of 0.1 m, each cut into six tetrahedra around a diagonal (Kuhn).
fn bar() -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let [nx, ny, nz] = NODES;
    let number = |i: usize, j: usize, k: usize| (i + nx * (j + ny * k)) as u32;
    let mut rest = Vec::new();
    let mut tets = Vec::new();
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                rest.push(0.1 * Vec3::new(i as f64, j as f64, k as f64));
            }
        }
    }
    let axes = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [2, 1, 0]];
    for k in 0..nz - 1 {
        for j in 0..ny - 1 {
            for i in 0..nx - 1 {
                for (path, order) in axes.iter().enumerate() {
                    let mut at = [i, j, k];
                    let mut tet = [number(i, j, k); 4];
                    for (step, &axis) in order.iter().enumerate() {
                        at[axis] += 1;
                        tet[step + 1] = number(at[0], at[1], at[2]);
                    }
                    if path >= 3 {
                        tet.swap(2, 3);
                    }
                    tets.push(tet);
                }
            }
        }
    }
    (rest, tets)
}

fn springs(rest: &[Vec3], tets: &[[u32; 4]], law: SpringLaw, stiffness: f64) -> Springs {
    let mut edges: Vec<[usize; 2]> = tets
        .iter()
        .flat_map(|t| (0..4).flat_map(move |a| (0..a).map(move |b| [t[a], t[b]])))
        .map(|[a, b]| [a.min(b) as usize, a.max(b) as usize])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let of = |nodes| SpringElement::at_rest(nodes, rest, stiffness);
    Springs::new(rest.len(), edges.into_iter().map(of).collect(), law).expect("edges are springs")
}

/// The materials on which both methods are compared.
fn terms() -> Vec<(&'static str, Box<dyn Energy>)> {
    let (rest, tets) = bar();
    let lame = |poisson| Lame::from_young_poisson(2e4, poisson).expect("in range");
    let solid = |material: Material| -> Box<dyn Energy> {
        Box::new(TetElasticity::new(&rest, &tets, material).expect("upright tetrahedra"))
    };
    vec![
        ("springs", Box::new(springs(&rest, &tets, SpringLaw::Hooke, 300.0))),
        ("quartic springs", Box::new(springs(&rest, &tets, SpringLaw::StVenantKirchhoff, 2e4))),
        ("rotations", solid(Material::Corotated(lame(0.0)))),
        ("corotated", solid(Material::Corotated(lame(0.3)))),
        ("neo-Hookean", solid(Material::NeoHookean(lame(0.3)))),
    ]
}

/// A bar that bends, twists and falls; one end is held.
fn problem(term: Box<dyn Energy>) -> (System, State) {
    let (rest, _) = bar();
    let n = rest.len();
    let mut body =
        Body::new("bar", vec![0.02; n]).with(Gravity::new(vec![0.02; n], -9.8 * Vec3::Y));
    body.energies.push(term.into());
    for (node, &start) in rest.iter().enumerate().filter(|(_, x)| x.x == 0.0) {
        let motion = resile_system::Motion::Fixed;
        body.prescribed.push(resile_system::Prescribed {
            node,
            start,
            motion,
            until: None,
            held: resile_system::Held::All,
        });
    }
    let velocity = |x: &Vec3| Vec3::new(0.0, 6.0 * x.x, 0.0) + Vec3::X.cross(*x) * 20.0 * x.x;
    let v = rest.iter().map(velocity).collect();
    (System::new(vec![body]), State::new(0.0, rest, v))
}

fn methods() -> Vec<Box<dyn Integrator>> {
    vec![Box::new(ImplicitEuler), Box::new(Theta::MIDPOINT), Box::new(Blend::default())]
}

fn after(
    steps: usize,
    method: &dyn Integrator,
    term: Box<dyn Energy>,
    solver: Method,
    tolerance: f64,
) -> (State, usize) {
    let (mut system, mut state) = problem(term);
    let mut solver = StageSolver::new(tolerance, solver);
    let mut unconverged = 0;
    for _ in 0..steps {
        let report = advance(method, &mut system, &mut solver, &mut state, 0.01);
        let report = report.unwrap_or_else(|error| panic!("{}: {error}", method.name()));
        unconverged += report.solve.unconverged;
    }
    (state, unconverged)
}

fn farthest(a: &State, b: &State) -> f64 {
    let deviation = a.positions.iter().zip(&b.positions).map(|(a, b)| a.distance(*b));
    deviation.fold(0.0, f64::max)
}

#[test]
fn converged_local_global_solution_equals_newton() {
    let newton = NewtonSettings { max_iterations: 3000, ..NewtonSettings::default() };
    let to_the_end = LocalGlobalSettings { iterations: None, newton };
    for method in methods() {
        for ((name, term), (_, again)) in terms().into_iter().zip(terms()) {
            let (expected, _) = after(4, &*method, term, Method::from(newton), 1e-10);
            let (found, unmet) = after(4, &*method, again, Method::from(to_the_end), 1e-8);
            let deviation = farthest(&expected, &found);
            let moved = farthest(&expected, &problem(terms().remove(0).1).1);
            assert!(moved > 1e-3 && unmet == 0, "{name}: {moved}, {unmet}");
            // Four steps of 1e-10 m each, and what the dynamics makes of them.
            assert!(deviation < 3e-9, "{}, {name}: {deviation:e} m", method.name());
        }
    }
}

#[test]
fn few_local_global_iterations_report_no_convergence_and_more_are_closer() {
    let newton = NewtonSettings::default();
    let (_, neo_hookean) = terms().remove(4);
    let (expected, _) = after(1, &ImplicitEuler, neo_hookean, Method::from(newton), 1e-10);
    let error = |iterations| {
        let settings = LocalGlobalSettings { iterations: Some(iterations), newton };
        let term = terms().remove(4).1;
        let (found, unmet) = after(1, &ImplicitEuler, term, Method::from(settings), 1e-10);
        assert_eq!(unmet, 1, "{iterations} iterations");
        farthest(&expected, &found)
    };
    let [two, five, fifteen] = [2, 5, 15].map(error);
    assert!(fifteen < 0.1 * five && five < 0.5 * two, "{two:e} {five:e} {fifteen:e} m");
}
