//! Derivatives and parts of the objective of a stage.

use super::*;
use crate::stage::Lag;
use resile_energy::{EtherDrag, SpringElement, SpringLaw, Springs};
use resile_solver::{LocalGlobal, LocalGlobalSettings, Minimiser as _};
use resile_system::{Body, State, System};

fn at_rest(x: &[Vec3]) -> State {
    State::new(0.0, x.to_vec(), vec![Vec3::ZERO; x.len()])
}

/// A stage as AVF and damping make it: two points of evaluation, and a velocity.
fn stage(x: &[Vec3]) -> Stage {
    let off = |by: Vec3| x.iter().map(|x| *x + by).collect::<Vec<_>>();
    let term = |time, weight, fraction, base| PotentialTerm { time, weight, fraction, base };
    Stage {
        time: 0.1,
        predictor: off(Vec3::new(0.1, -0.2, 0.05)),
        terms: vec![
            term(0.05, 2e-3, 0.5, off(Vec3::new(0.0, 0.1, 0.3))),
            term(0.1, 5e-4, 1.0, Vec::new()),
        ],
        lag: Lag {
            time: 0.07,
            force_weight: 0.3,
            rate: 7.0,
            shift: off(Vec3::splat(-2.0)),
            co_rotation: None,
        },
    }
}

#[test]
fn the_gradient_is_that_of_the_value_with_several_points_and_damping() {
    let x = [Vec3::ZERO, Vec3::new(1.0, 0.3, -0.2), Vec3::new(0.4, 1.1, 0.6)];
    let elements = [[0, 1], [1, 2], [0, 2]];
    let springs = elements.map(|nodes| SpringElement { nodes, rest: 0.7, stiffness: 300.0 });
    let springs = Springs::new(3, springs.into(), SpringLaw::StVenantKirchhoff).unwrap();
    let drag = EtherDrag::new(3, 0.4);
    let body = Body::new("springs", vec![0.5, 1.0, 2.0]).with(springs).with_dissipation(drag);
    let mut system = System::new(vec![body]);
    let stage = stage(&x);
    // At all points of the finite difference.
    let [low, high] = [-1.0, 1.0].map(|by| x.map(|x| x + Vec3::splat(by)));
    let dissipation = system.lagged(&at_rest(&x));
    let prepared = system.along(&[Path { from: &low, to: &high }]);
    let objective = StageObjective::new(prepared, &dissipation, &stage);
    let mut gradient = [Vec3::ZERO; 3];
    objective.gradient(&x, &mut gradient);
    let size = gradient.iter().map(|g| g.length()).fold(0.0, f64::max);
    let step = 1e-5;
    for i in 0..3 {
        for axis in 0..3 {
            let value = |by: f64| {
                let mut moved = x;
                moved[i][axis] += by;
                objective.value(&moved)
            };
            let measured = (value(step) - value(-step)) / (2.0 * step);
            let error = (measured - gradient[i][axis]).abs() / size;
            assert!(error < 1e-8, "node {i}, axis {axis}: {measured}, not {}", gradient[i][axis]);
        }
    }
}

/// Without a guess of where the minimum is: the first iterate is the start.
struct Unguided<'a>(StageObjective<'a, 'static>);

impl Objective for Unguided<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn free(&self) -> &[bool] {
        self.0.free()
    }
    fn prescribed(&self) -> &[(usize, Vec3)] {
        self.0.prescribed()
    }
    fn value(&self, u: &[Vec3]) -> f64 {
        self.0.value(u)
    }
    fn gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
        self.0.gradient(u, out);
    }
    fn hessian(&self, u: &[Vec3], at: &Linearisation, psd: Psd, out: &mut Assembly) {
        self.0.hessian(u, at, psd, out);
    }
    fn laplacian(&self, u: &[Vec3], out: &mut Assembly<f64>) {
        self.0.laplacian(u, out);
    }
    fn coupling_hessian(&self, u: &[Vec3], at: &Linearisation, out: &mut Assembly) {
        self.0.coupling_hessian(u, at, out);
    }
    fn step_bound(&mut self, from: &[Vec3], to: &[Vec3]) -> f64 {
        self.0.step_bound(from, to)
    }
}

const X: [Vec3; 4] =
    [Vec3::ZERO, Vec3::new(1.0, 0.3, -0.2), Vec3::new(0.4, 1.1, 0.6), Vec3::new(0.2, 0.1, 1.4)];
const MASSES: [f64; 4] = [0.5, 1.0, 2.0, 0.7];

fn tangle(law: SpringLaw) -> (System, Vec<SpringElement>) {
    let elements = [[0, 1], [1, 2], [0, 2], [2, 3], [1, 3]];
    let springs: Vec<_> = (elements.iter().enumerate())
        .map(|(k, &nodes)| SpringElement { nodes, rest: 0.7, stiffness: 100.0 + 40.0 * k as f64 })
        .collect();
    let term = Springs::new(4, springs.clone(), law).unwrap();
    (System::new(vec![Body::new("springs", MASSES.to_vec()).with(term)]), springs)
}

/// Point and value after a number of iterations from `X`.
fn after(iterations: usize, law: SpringLaw, stage: &Stage) -> (Vec<Vec3>, f64) {
    let (mut system, _) = tangle(law);
    let dissipation = system.lagged(&at_rest(&X));
    let prepared = system.along(&[Path::at(&X)]);
    let mut objective = Unguided(StageObjective::new(prepared, &dissipation, stage));
    let settings = LocalGlobalSettings { iterations: Some(iterations), ..Default::default() };
    let mut u = X.to_vec();
    LocalGlobal::new(settings).minimise(&mut objective, &mut u, 0.0).expect("springs");
    let value = objective.value(&u);
    (u, value)
}

/// Implicit Euler with a weight of forces `w`, from `X` at rest towards a predictor.
fn euler(weight: f64) -> Stage {
    let y = X.map(|x| x + Vec3::new(0.1 * x.z, -0.2, 0.05 * x.x)).to_vec();
    let shift = vec![Vec3::ZERO; 4];
    let lag = Lag { time: 0.1, force_weight: 0.0, rate: 1.0, shift, co_rotation: None };
    Stage::at_end(0.1, y, weight, lag)
}

/// Projective Dynamics as published: lengths are projected, then a dense system is solved for each component.
#[test]
fn an_iteration_on_springs_is_a_local_and_a_global_step() {
    let weight = 1e-2;
    let stage = euler(weight);
    let (_, springs) = tangle(SpringLaw::Hooke);
    let mut matrix = [[0.0; 4]; 4];
    let mut right = [Vec3::ZERO; 4];
    for i in 0..4 {
        matrix[i][i] = MASSES[i];
        right[i] = MASSES[i] * stage.predictor[i];
    }
    for SpringElement { nodes: [a, b], rest, stiffness } in springs {
        let edge = X[b] - X[a];
        let pull = weight * stiffness * (edge * (rest / edge.length()));
        right[a] -= pull;
        right[b] += pull;
        for (i, j, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
            matrix[i][j] += sign * weight * stiffness;
        }
    }
    let expected = eliminate(matrix, right);
    let (found, _) = after(1, SpringLaw::Hooke, &stage);
    for (expected, found) in expected.iter().zip(&found) {
        assert!(expected.distance(*found) < 1e-13, "{found}, not {expected}");
    }
}

/// Gaussian elimination without pivots, which a positive definite matrix does not need.
fn eliminate(mut a: [[f64; 4]; 4], mut b: [Vec3; 4]) -> [Vec3; 4] {
    for k in 0..4 {
        for i in (0..4).filter(|&i| i != k) {
            let factor = a[i][k] / a[k][k];
            let row = a[k];
            a[i].iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
            let side = b[k];
            b[i] -= factor * side;
        }
    }
    std::array::from_fn(|k| b[k] / a[k][k])
}

#[test]
fn the_value_never_rises_over_iterations() {
    for law in [SpringLaw::Hooke, SpringLaw::StVenantKirchhoff] {
        for weight in [1e-3, 1e-1, 10.0] {
            let stage = euler(weight);
            let values: Vec<f64> = (1..=30).map(|k| after(k, law, &stage).1).collect();
            let falls = values.windows(2).all(|v| v[1] <= v[0] + 1e-12 * v[0].abs());
            assert!(falls && values[29] < values[0], "{law:?}, {weight}: {values:?}");
        }
    }
}
