//! An objective may have another matrix than its second derivative between iterates.

use resile_math::{Mat3, Vec3};
use resile_solver::{Linearisation, Newton, Objective, Psd};
use resile_sparse::{Assembly, BlockSink};

/// `|u|^2 / 2 + |u|^4 / 20` of one node; between iterates its matrix is this many times the second derivative.
struct Stiffened {
    factor: f64,
}

impl Objective for Stiffened {
    fn len(&self) -> usize {
        1
    }

    fn free(&self) -> &[bool] {
        &[true]
    }

    fn prescribed(&self) -> &[(usize, Vec3)] {
        &[]
    }

    fn value(&self, u: &[Vec3]) -> f64 {
        let square = u[0].length_squared();
        0.5 * square + 0.05 * square * square
    }

    fn gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
        out[0] = u[0] * (1.0 + 0.2 * u[0].length_squared());
    }

    fn linearise(&self, _: &[Vec3], previous: Option<&Linearisation>) -> Linearisation {
        Linearisation { is_exact: previous.is_none(), duals: Vec::new() }
    }

    fn hessian(&self, u: &[Vec3], linearisation: &Linearisation, _: Psd, out: &mut Assembly) {
        let square = u[0].length_squared();
        let factor = if linearisation.is_exact { 1.0 } else { self.factor };
        let along = resile_math::outer(u[0], u[0]) * 0.4;
        out.begin();
        out.add(0, 0, (Mat3::IDENTITY * (1.0 + 0.2 * square) + along) * factor);
        out.end_static();
        out.finish();
    }

    fn step_bound(&mut self, _: &[Vec3], _: &[Vec3]) -> f64 {
        1.0
    }
}

#[test]
fn a_short_step_by_a_stiffer_matrix_is_not_the_last() {
    // The first step takes four fifths of the gradient away; the next one would be a four hundredth of what remains.
    let tolerance = 0.01;
    for factor in [1.0, 10.0, 100.0, 1e4] {
        let mut u = [Vec3::X];
        let mut objective = Stiffened { factor };
        let report = Newton::default().minimise(&mut objective, &mut u, tolerance).unwrap();
        assert!(u[0].length() <= tolerance, "{factor}: {} after {report:?}", u[0].length());
    }
}
