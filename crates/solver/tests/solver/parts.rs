//! Bodies that hold up the others are solved for alone.

use resile_math::{Mat3, Vec3};
use resile_solver::{Linearisation, Newton, Objective, Psd};
use resile_sparse::{Assembly, BlockSink};
use std::cell::RefCell;
use std::ops::Range;

/// Many bodies of one node each, every one tied to the next by a spring, and the first in the valley of
/// Rosenbrock's function: `(1 - x)^2 + 100 (y - x^2)^2`.
#[derive(Clone)]
struct Valley {
    bodies: usize,
    /// Whether they may be solved for alone.
    parts: bool,
    free: Vec<bool>,
    /// Those that act; all of the whole.
    acting: Option<Vec<usize>>,
    /// Values of the whole at places that were taken.
    taken: RefCell<Vec<f64>>,
    /// The segment that was bounded last.
    path: [Vec<Vec3>; 2],
}

const SPRING: f64 = 0.3;

impl Valley {
    fn new(bodies: usize, parts: bool) -> Self {
        let (free, taken) = (vec![true; bodies], RefCell::default());
        Self { bodies, parts, free, acting: None, taken, path: Default::default() }
    }

    fn acts(&self, body: usize) -> bool {
        self.acting.as_ref().is_none_or(|acting| acting.contains(&body))
    }

    /// The springs that an active body has a part in.
    fn springs(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        let all = (1..self.bodies).map(|i| [i - 1, i]);
        all.filter(|[i, j]| self.acts(*i) || self.acts(*j))
    }

    /// Every evaluation lies on the segment that was bounded last, at one fraction of it.
    fn assert_bounded(&self, u: &[Vec3]) {
        let [from, to] = &self.path;
        let inside = |i: usize| {
            let (low, high) = (from[i].min(to[i]), from[i].max(to[i]));
            (u[i] - low).min_element() >= -1e-12 && (high - u[i]).min_element() >= -1e-12
        };
        assert!(from.len() == u.len() && (0..u.len()).all(inside), "off the path");
    }
}

impl Objective for Valley {
    fn len(&self) -> usize {
        self.bodies
    }
    fn free(&self) -> &[bool] {
        &self.free
    }
    fn prescribed(&self) -> &[(usize, Vec3)] {
        &[]
    }
    fn value(&self, u: &[Vec3]) -> f64 {
        self.assert_bounded(u);
        let mut value = 0.0;
        if self.acts(0) {
            value += (1.0 - u[0].x).powi(2) + 100.0 * (u[0].y - u[0].x * u[0].x).powi(2);
            value += u[0].z * u[0].z;
        }
        let own = |i: usize| 0.5 * (u[i] - Vec3::X).length_squared();
        value += (1..self.bodies).filter(|&i| self.acts(i)).map(own).sum::<f64>();
        let spring = |[i, j]: [usize; 2]| 0.5 * SPRING * (u[i] - u[j]).length_squared();
        value += self.springs().map(spring).sum::<f64>();
        value
    }
    fn gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
        if self.acting.is_none() {
            self.taken.borrow_mut().push(self.value(u));
        }
        out.fill(Vec3::ZERO);
        if self.acts(0) {
            let w = u[0].y - u[0].x * u[0].x;
            out[0] = Vec3::new(-2.0 * (1.0 - u[0].x) - 400.0 * u[0].x * w, 200.0 * w, 2.0 * u[0].z);
        }
        (1..self.bodies).filter(|&i| self.acts(i)).for_each(|i| out[i] = u[i] - Vec3::X);
        for [i, j] in self.springs() {
            let force = SPRING * (u[i] - u[j]);
            out[i] += force;
            out[j] -= force;
        }
    }
    fn hessian(&self, u: &[Vec3], _: &Linearisation, psd: Psd, out: &mut Assembly) {
        out.begin();
        if self.acts(0) {
            let bend = if psd == Psd::Exact { -400.0 * (u[0].y - u[0].x * u[0].x) } else { 0.0 };
            let x = Vec3::new(2.0 + 800.0 * u[0].x * u[0].x + bend, -400.0 * u[0].x, 0.0);
            let y = Vec3::new(-400.0 * u[0].x, 200.0, 0.0);
            out.add(0, 0, Mat3::from_cols(x, y, Vec3::Z * 2.0));
        }
        (1..self.bodies).filter(|&i| self.acts(i)).for_each(|i| out.add(i, i, Mat3::IDENTITY));
        out.end_static();
        for [i, j] in self.springs() {
            let block = Mat3::IDENTITY * SPRING;
            out.add(i, i, block);
            out.add(j, j, block);
            out.add(j, i, -block);
        }
        out.finish();
    }
    fn step_bound(&mut self, from: &[Vec3], to: &[Vec3]) -> f64 {
        for i in (0..self.bodies).filter(|&i| !self.acts(i)) {
            assert_eq!(from[i], to[i], "a body that does not act moves");
        }
        self.path = [from.to_vec(), to.to_vec()];
        1.0
    }
    fn bodies(&self) -> Vec<Range<usize>> {
        let all = 0..if self.parts { self.bodies } else { 0 };
        all.map(|i| i..i + 1).collect()
    }
    fn restricted(&mut self, bodies: &[usize]) -> Option<Box<dyn Objective + '_>> {
        let (acting, path) = (Some(bodies.to_vec()), Default::default());
        let part = Self { acting, path, ..self.clone() };
        Some(Box::new(ValleyPart { part, whole: self }))
    }
}

/// Some bodies of a valley. What was bounded last in it is bounded for the whole.
struct ValleyPart<'t> {
    part: Valley,
    whole: &'t mut Valley,
}

impl Drop for ValleyPart<'_> {
    fn drop(&mut self) {
        self.whole.path = std::mem::take(&mut self.part.path);
    }
}

impl Objective for ValleyPart<'_> {
    fn len(&self) -> usize {
        self.part.len()
    }
    fn free(&self) -> &[bool] {
        self.part.free()
    }
    fn prescribed(&self) -> &[(usize, Vec3)] {
        &[]
    }
    fn value(&self, u: &[Vec3]) -> f64 {
        self.part.value(u)
    }
    fn gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
        self.part.gradient(u, out);
    }
    fn hessian(&self, u: &[Vec3], linearisation: &Linearisation, psd: Psd, out: &mut Assembly) {
        self.part.hessian(u, linearisation, psd, out);
    }
    fn step_bound(&mut self, from: &[Vec3], to: &[Vec3]) -> f64 {
        self.part.step_bound(from, to)
    }
    fn bodies(&self) -> Vec<Range<usize>> {
        self.part.bodies()
    }
    fn restricted(&mut self, bodies: &[usize]) -> Option<Box<dyn Objective + '_>> {
        self.part.restricted(bodies)
    }
}

fn start(bodies: usize) -> Vec<Vec3> {
    let mut u = vec![Vec3::new(0.9, 0.1, 0.0); bodies];
    u[0] = Vec3::new(-1.2, 1.0, 0.5);
    u
}

#[test]
fn nonlinear_elimination_isolates_a_body_in_a_curved_valley() {
    let solved = |parts: bool| {
        let mut valley = Valley::new(40, parts);
        let mut u = start(40);
        let report = Newton::default().minimise(&mut valley, &mut u, 1e-10).unwrap();
        (u, report)
    };
    let ((together, of_all), (apart, of_parts)) = (solved(false), solved(true));
    let off = together.iter().zip(&apart).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
    assert!(off < 1e-9, "another minimum, {off} away");
    assert_eq!(of_all.part_iterations, 0);
    let (with, without) = (of_parts.iterations, of_all.iterations);
    assert!(2 * with < without, "{with} iterations of all bodies, {without} without parts");
    assert!(of_parts.part_iterations > 5, "{}", of_parts.part_iterations);
}

#[test]
fn nonlinear_elimination_never_increases_the_total() {
    let mut valley = Valley::new(40, true);
    let mut u = start(40);
    Newton::default().minimise(&mut valley, &mut u, 1e-10).unwrap();
    // A gradient is asked for where a step was taken, or a part has led; no step here is tried by its slope.
    let taken = valley.taken.into_inner();
    assert!(taken.len() > 5 && taken.is_sorted_by(|a, b| *b <= a + 1e-14), "{taken:?}");
}

#[test]
fn large_subsets_are_not_eliminated() {
    let mut valley = Valley::new(3, true);
    let mut u = start(3);
    let report = Newton::default().minimise(&mut valley, &mut u, 1e-10).unwrap();
    assert_eq!(report.part_iterations, 0);
}
