//! What a step takes from bodies, and what is done on them.

use super::Step;
use crate::accounting;
use crate::free_flight::Frame;
use resile_math::Vec3;
use resile_system::Way;

impl Step<'_> {
    /// Accounts for friction and damping that acted at the velocity `v` for this `share`
    /// of the step: `h share dD/dv . v`, which is heat and no convex D makes negative. That
    /// of the free nodes is taken from bodies, that of the others supplied by hands.
    pub fn lose(&mut self, share: f64, v: &[Vec3]) {
        let lost = self.power(v);
        let h = self.h;
        self.add_dissipated(&lost.iter().map(|power| h * share * power).collect::<Vec<_>>());
        let dragged = self.dragging_power(v);
        self.add_dragged(&dragged.iter().map(|power| h * share * power).collect::<Vec<_>>());
    }

    /// Accounts for friction and damping that acted at the mean velocity on the way to `x`.
    pub fn lose_on_the_way(&mut self, x: &[Vec3]) {
        let mean = self.mean_velocities(x, &Frame::default());
        self.lose(1.0, &mean);
    }

    /// The mean velocities (m/s) on the way to `x` in `frame`, but for the turning.
    pub(crate) fn mean_velocities(&self, x: &[Vec3], frame: &Frame) -> Vec<Vec3> {
        let (old, detour) = (&self.state.positions, frame.detour(x.len()));
        (0..x.len()).map(|i| (x[i] - (old[i] + detour[i])) / self.h).collect()
    }

    /// What friction and damping, acting with the force they have at the velocities `v`, took
    /// from the free nodes of each body (J) while these moved at `moved` (m/s).
    pub(crate) fn loss_at(&self, v: &[Vec3], moved: &[Vec3]) -> Vec<f64> {
        let (force, free, h) = (self.dissipative_gradient(v), self.system.free(), self.h);
        self.system.sum_by_body(|i| if free[i] { h * force[i].dot(moved[i]) } else { 0.0 })
    }

    /// Accounts for what hands supplied to friction and damping, as if these acted at the mean
    /// velocity on the way to `x`.
    pub(crate) fn drag_on_the_way(&mut self, x: &[Vec3]) {
        let mean = self.mean_velocities(x, &Frame::default());
        let h = self.h;
        let dragged: Vec<f64> = self.dragging_power(&mean).iter().map(|power| h * power).collect();
        self.add_dragged(&dragged);
    }

    /// What friction and damping take from the free nodes of each body at the velocity
    /// `v` (W): their kinetic energy is the system's. Negative where a hand drags them.
    pub(crate) fn power(&self, v: &[Vec3]) -> Vec<f64> {
        let force = self.dissipative_gradient(v);
        let free = self.system.free();
        self.system.sum_by_body(|i| if free[i] { force[i].dot(v[i]) } else { 0.0 })
    }

    /// What hands supply to friction and damping at each body while nodes move at `v` (W);
    /// nothing where none moves.
    pub(crate) fn dragging_power(&self, v: &[Vec3]) -> Vec<f64> {
        match self.system.is_driven() && self.system.dissipates() {
            true => self.system.dragging_power(v, &self.dissipative_gradient(v)),
            false => Vec::new(),
        }
    }

    /// Accounts for what hands supplied to friction and damping at each body (J).
    pub(crate) fn add_dragged(&mut self, supplied: &[f64]) {
        self.dragged.iter_mut().zip(supplied).for_each(|(sum, supplied)| *sum += supplied);
    }

    /// Accounts for energy (J) taken from each body by friction and damping.
    pub fn add_dissipated(&mut self, lost: &[f64]) {
        self.report.dissipated.iter_mut().zip(lost).for_each(|(sum, lost)| *sum += lost);
    }

    /// Takes back what was accounted for since `before`, for a method that uses only part
    /// of what another one did; what hands supplied so far is forgotten.
    pub(crate) fn take_dissipated_since(&mut self, before: &[f64]) -> Vec<f64> {
        self.dragged.fill(0.0);
        let now = std::mem::replace(&mut self.report.dissipated, before.to_vec());
        now.iter().zip(before).map(|(now, before)| now - before).collect()
    }

    /// Accounts for the work of hands and moving targets on the way to the end `x`,
    /// at which the system can be evaluated, before and after.
    pub(crate) fn account_work(&mut self, x: &[Vec3]) {
        let path = Way { from: &self.state.positions, to: x };
        let times = [self.state.time, self.end_time()];
        self.report.work = accounting::work(&mut self.system, path, times);
        self.worked = true;
    }
}
