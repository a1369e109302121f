//! Curvature information from recent steps (L-BFGS) that a constant matrix lacks.

use resile_linalg::cg::dot;
use resile_math::Vec3;
use std::collections::VecDeque;

/// Number of remembered steps, as recommended in section 4.2 of Liu, Bouaziz & Kavan 2017.
const MAX_PAIRS: usize = 5;

/// Smallest cosine between a step and its change of the gradient for which the pair is used: about the square root of
/// the rounding error; below it the product of the two is mostly rounding.
const MIN_COSINE: f64 = 1e-8;

/// Limited-memory BFGS (Nocedal & Wright, *Numerical Optimization*, algorithm 7.4). Between the two loops the caller
/// solves with the initial matrix.
#[derive(Debug, Default)]
pub(crate) struct CurvatureMemory {
    /// The most recent pair is first.
    pairs: VecDeque<Pair>,
    /// The last point.
    last: Option<LastPoint>,
    /// The coefficients of the first loop, one per pair.
    coefficients: Vec<f64>,
}

/// A point of a minimisation and the gradient there.
#[derive(Debug)]
struct LastPoint {
    u: Vec<Vec3>,
    gradient: Vec<Vec3>,
}

/// A step s and the change y of the gradient along it.
#[derive(Debug)]
struct Pair {
    s: Vec<Vec3>,
    y: Vec<Vec3>,
    /// `1 / s.y`.
    inverse_curvature: f64,
}

impl CurvatureMemory {
    /// Removes all pairs and the last point.
    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
        self.last = None;
    }

    /// Adds the pair from the last point to `u`, which becomes the last point. Pairs without positive curvature are
    /// omitted.
    pub(crate) fn add_pair(&mut self, u: &[Vec3], gradient: &[Vec3]) {
        if let Some(last) = &self.last {
            let difference = |a: &[Vec3], b: &[Vec3]| -> Vec<Vec3> {
                a.iter().zip(b).map(|(a, b)| *a - *b).collect()
            };
            let (s, y) = (difference(u, &last.u), difference(gradient, &last.gradient));
            let curvature = dot(&s, &y);
            if curvature > MIN_COSINE * (dot(&s, &s) * dot(&y, &y)).sqrt() {
                self.pairs.truncate(MAX_PAIRS - 1);
                self.pairs.push_front(Pair { s, y, inverse_curvature: 1.0 / curvature });
            }
        }
        self.last = Some(LastPoint { u: u.to_vec(), gradient: gradient.to_vec() });
    }

    /// First loop of the two-loop recursion, applied to `right_side`.
    pub(crate) fn first_loop(&mut self, right_side: &mut [Vec3]) {
        self.coefficients.clear();
        for Pair { s, y, inverse_curvature } in &self.pairs {
            let coefficient = inverse_curvature * dot(s, right_side);
            right_side.iter_mut().zip(y).for_each(|(b, y)| *b -= coefficient * *y);
            self.coefficients.push(coefficient);
        }
    }

    /// Second loop of the two-loop recursion, applied to the solution.
    pub(crate) fn second_loop(&self, step: &mut [Vec3]) {
        let pairs = self.pairs.iter().zip(&self.coefficients).rev();
        for (Pair { s, y, inverse_curvature }, coefficient) in pairs {
            let correction = coefficient - inverse_curvature * dot(y, step);
            step.iter_mut().zip(s).for_each(|(p, s)| *p += correction * *s);
        }
    }
}
