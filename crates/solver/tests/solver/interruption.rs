//! A solve that is interrupted anywhere ends soon, leaves everything as it was, and can be made
//! again.

use crate::support::{Floor, OneNode, Springs, shaken};
use resile_math::{Mat3, Vec3};
use resile_solver::{
    Iterative, LinearChoice, Linearisation, Newton, NewtonSettings, Objective, Psd, SolveError,
    SolveReport,
};
use resile_sparse::Assembly;
use resile_watch::{Activity, Cause, Interrupt};
use std::cell::Cell;

/// An objective that raises an interrupt at one of its evaluations, and counts those after it.
struct Fuse<O> {
    inner: O,
    interrupt: Interrupt,
    /// Evaluations before it is raised.
    left: Cell<usize>,
    after: Cell<usize>,
}

impl<O> Fuse<O> {
    fn new(inner: O) -> Self {
        let interrupt = Interrupt::new();
        Self { inner, interrupt, left: usize::MAX.into(), after: 0.into() }
    }

    fn burn(&self) {
        if self.interrupt.is_raised() {
            self.after.set(self.after.get() + 1);
        } else if self.left.get() == 0 {
            self.interrupt.raise(Cause::Asked);
        } else {
            self.left.set(self.left.get() - 1);
        }
    }
}

impl<O: Objective> Objective for Fuse<O> {
    fn len(&self) -> usize {
        self.inner.len()
    }
    fn free(&self) -> &[bool] {
        self.inner.free()
    }
    fn prescribed(&self) -> &[(usize, Vec3)] {
        self.inner.prescribed()
    }
    fn value(&self, u: &[Vec3]) -> f64 {
        self.burn();
        self.inner.value(u)
    }
    fn gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
        self.burn();
        self.inner.gradient(u, out);
    }
    fn hessian(&self, u: &[Vec3], linearisation: &Linearisation, psd: Psd, out: &mut Assembly) {
        self.burn();
        self.inner.hessian(u, linearisation, psd, out);
    }
    fn step_bound(&mut self, from: &[Vec3], to: &[Vec3]) -> f64 {
        self.burn();
        self.inner.step_bound(from, to)
    }
    fn pair_count(&self) -> usize {
        7
    }
}

fn bits(u: &[Vec3]) -> Vec<[u64; 3]> {
    u.iter().map(|u| u.to_array().map(f64::to_bits)).collect()
}

/// Compressed springs thrown at a floor, which take exact and projected Hessians.
fn thrown() -> (Floor, Vec<Vec3>) {
    let mut springs = Springs::block(3, 50.0, 0.1);
    let mut start = shaken(&springs.pull, 0.4);
    start.iter_mut().for_each(|u| u.z += 0.5);
    springs.pull.iter_mut().for_each(|y| y.z -= 2.0);
    (Floor { springs, reach: 0.2, stiffness: 1e3 }, start)
}

/// Interrupts a minimisation at each of its evaluations in turn.
fn interrupt_everywhere(
    linear: LinearChoice,
    inner: impl Objective,
    start: &[Vec3],
) -> SolveReport {
    let settings = NewtonSettings { linear, ..NewtonSettings::default() };
    let mut fuse = Fuse::new(inner);
    let mut expected = start.to_vec();
    let mut newton = Newton::new(settings);
    newton.set_interrupt(&fuse.interrupt);
    let report = newton.minimise(&mut fuse, &mut expected, 1e-9).expect("it has a minimum");
    let evaluations = usize::MAX - fuse.left.get();
    for left in 0..evaluations {
        fuse.left.set(left);
        fuse.after.set(0);
        let mut u = start.to_vec();
        let error = newton.minimise(&mut fuse, &mut u, 1e-9).expect_err("it is interrupted");
        let SolveError::Interrupted { cause: Cause::Asked, pairs: 7, .. } = error else {
            panic!("{error}")
        };
        assert_eq!(bits(&u), bits(start));
        // The rest of one iteration without its line search.
        assert!(fuse.after.get() <= 6, "{} evaluations after {left}", fuse.after.get());
        fuse.interrupt.lower(Cause::Asked);
        fuse.left.set(usize::MAX);
        newton.minimise(&mut fuse, &mut u, 1e-9).expect("it has a minimum");
        assert_eq!(bits(&u), bits(&expected), "interrupted after {left} evaluations");
    }
    report
}

#[test]
fn interrupted_solve_ends_soon_and_leaves_no_trace() {
    for linear in [LinearChoice::Direct, LinearChoice::Iterative(Iterative::default())] {
        let (floor, start) = thrown();
        let report = interrupt_everywhere(linear, floor, &start);
        assert!(report.iterations > 8 && report.projected > 0, "{report:?}");
    }
    let valley = OneNode {
        wall: f64::NEG_INFINITY,
        value: |u: Vec3| (1.0 - u.x).powi(2) + 100.0 * (u.y - u.x * u.x).powi(2) + u.z * u.z,
        gradient: |u: Vec3| {
            let off = u.y - u.x * u.x;
            Vec3::new(-2.0 * (1.0 - u.x) - 400.0 * u.x * off, 200.0 * off, 2.0 * u.z)
        },
        hessian: |u: Vec3, _| {
            let xx = 2.0 - 400.0 * (u.y - 3.0 * u.x * u.x);
            let columns = [[xx, -400.0 * u.x, 0.0], [-400.0 * u.x, 200.0, 0.0], [0.0, 0.0, 2.0]];
            Mat3::from_cols_array_2d(&columns)
        },
    };
    let start = [Vec3::new(-1.2, 1.0, 0.5)];
    let report = interrupt_everywhere(LinearChoice::Direct, valley, &start);
    assert!(report.backtracks > 3, "{report:?}");
}

#[test]
fn solve_reports_its_progress() {
    let activity = Activity::new();
    let (floor, start) = thrown();
    let mut fuse = Fuse::new(floor);
    let mut newton = Newton::default();
    let job = activity.begin(|| "springs".into());
    newton.set_progress(&job);
    let report = newton.minimise(&mut fuse, &mut start.clone(), 1e-9).expect("it has a minimum");
    let reading = activity.longest().expect("the job goes on").progress;
    assert_eq!((reading.iteration, reading.pairs), (report.iterations, 7));
    assert_eq!(reading.step, report.last_step);
}
