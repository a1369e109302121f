//! Where Newton's method begins if the objective has an idea.

use crate::support::{Springs, distance, shaken};
use resile_math::Vec3;
use resile_solver::{Linearisation, Newton, Objective, Psd};
use resile_sparse::Assembly;

/// Springs that say where to begin, on a path that may be shut.
struct Guessing {
    springs: Springs,
    guess: Vec<Vec3>,
    bound: f64,
}

impl Objective for Guessing {
    fn len(&self) -> usize {
        self.springs.len()
    }
    fn free(&self) -> &[bool] {
        self.springs.free()
    }
    fn prescribed(&self) -> &[(usize, Vec3)] {
        self.springs.prescribed()
    }
    fn guess(&self, _: &[Vec3], _: &[Vec3]) -> Option<Vec<Vec3>> {
        Some(self.guess.clone())
    }
    fn value(&self, u: &[Vec3]) -> f64 {
        assert!(u.iter().all(|x| x.is_finite()), "evaluated off the searched path");
        self.springs.value(u)
    }
    fn gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
        self.springs.gradient(u, out);
    }
    fn hessian(&self, u: &[Vec3], linearisation: &Linearisation, psd: Psd, out: &mut Assembly) {
        self.springs.hessian(u, linearisation, psd, out);
    }
    fn step_bound(&mut self, _: &[Vec3], to: &[Vec3]) -> f64 {
        if to == self.guess { self.bound } else { 1.0 }
    }
}

#[test]
fn guess_is_used_if_collision_free_and_descending() {
    let springs = Springs::block(3, 30.0, 0.5);
    let start = shaken(&springs.pull, 0.3);
    let mut expected = start.clone();
    let plain = Newton::default().minimise(&mut springs.clone(), &mut expected, 1e-8).unwrap();
    let solve = |guess: &[Vec3], bound| {
        let mut u = start.clone();
        let mut objective = Guessing { springs: springs.clone(), guess: guess.to_vec(), bound };
        let report = Newton::default().minimise(&mut objective, &mut u, 1e-8).unwrap();
        (u, report.iterations)
    };
    let near = shaken(&expected, 1e-4);
    let (found, iterations) = solve(&near, 1.0);
    assert!(iterations + 2 <= plain.iterations, "{iterations} of {}", plain.iterations);
    assert!(distance(&found, &expected) < 1e-12);

    assert_eq!(solve(&near, 0.9), (expected.clone(), plain.iterations), "the path is shut");
    let higher = shaken(&expected, 2.0);
    assert_eq!(solve(&higher, 1.0), (expected, plain.iterations), "the path leads up");
}

#[test]
fn non_finite_guess_is_never_evaluated() {
    let springs = Springs::block(3, 30.0, 0.5);
    let start = shaken(&springs.pull, 0.3);
    let solve = |objective: &mut dyn Objective| {
        let mut u = start.clone();
        let report = Newton::default().minimise(objective, &mut u, 1e-8).unwrap();
        (u, report.iterations)
    };
    let plain = solve(&mut springs.clone());
    for bad in [f64::NAN, f64::INFINITY] {
        let mut guess = start.clone();
        guess[1].y = bad;
        let mut objective = Guessing { springs: springs.clone(), guess, bound: 1.0 };
        assert_eq!(solve(&mut objective), plain, "{bad}");
    }
}
