//! Block Gauss-Seidel, forward and backward, in single precision, and what lies between.
//!
//! A preconditioner need not be exact, and half the bytes are half the time of what is
//! bound by memory. Each part is gone through once on the way down (sweep, residual, sums
//! for the coarse level) and once on the way up (coarse motion, sweep, answer), so that
//! threads meet twice in a cycle.
//!
//! With `A = L + D + L^T`: down, `x = (D + L)^-1 r` leaves the residual `-L^T x`, which
//! rows push as they are solved. Up, with y the sum of x and the coarse motion,
//! `z = (D + L^T)^-1 (r - L y)`: rows pull y and push `L^T z`.

use super::division::{Division, Part, over_parts};
use super::modes::Modes;
use super::rows::Rows;
use crate::cg::dot;
use glam::Vec3A;
use resile_math::Vec3;

/// The matrix as the sweeps see it: vectors of double precision are multiplied by `unit`,
/// which brings the right-hand side near one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Smoother<'a> {
    pub(super) division: &'a Division,
    pub(super) rows: &'a Rows,
    pub(super) modes: &'a Modes,
    pub(super) unit: f64,
}

impl Smoother<'_> {
    /// `x = (D + L)^-1 r`, and the force and the torque of the residual on each aggregate.
    /// `pushed` is zero and stays so.
    pub(super) fn down(
        &self,
        r: &[Vec3],
        x: &mut [Vec3A],
        pushed: &mut [Vec3A],
        forces: &mut [[Vec3; 2]],
    ) {
        let at = self.division.separator();
        forces.fill([Vec3::ZERO; 2]);
        over_parts(
            self.division.parts(),
            (&mut x[..at], &mut pushed[..at], &mut *forces),
            &|part| [part.places.len(), part.places.len(), part.aggregates.len()],
            &|part, x, pushed, forces| {
                self.part_down(part, r, x, pushed, forces);
                0.0
            },
        );
        self.separator_down(r, x, &mut pushed[at..], forces);
    }

    fn part_down(
        &self,
        part: &Part,
        r: &[Vec3],
        x: &mut [Vec3A],
        pushed: &mut [Vec3A],
        forces: &mut [[Vec3; 2]],
    ) {
        let start = part.places.start;
        for (k, place) in part.places.clone().enumerate() {
            let row = self.rows.row(place);
            let known = self.rows.pull(row.own(), |p| x[p - start]);
            x[k] = self.rows.inverse(place) * (self.right_side(r, place) - known);
            self.rows.push(row.own(), x[k], |p, v| pushed[p - start] -= v);
        }
        for (k, place) in part.places.clone().enumerate() {
            let left = std::mem::replace(&mut pushed[k], Vec3A::ZERO);
            self.load(place, left, part.aggregates.start, forces);
        }
    }

    fn separator_down(
        &self,
        r: &[Vec3],
        x: &mut [Vec3A],
        pushed: &mut [Vec3A],
        forces: &mut [[Vec3; 2]],
    ) {
        let at = self.division.separator();
        for place in at..x.len() {
            let row = self.rows.row(place);
            let known = self.rows.pull(row.across(), |p| x[p]);
            let known = known + self.rows.pull(row.own(), |p| x[p]);
            x[place] = self.rows.inverse(place) * (self.right_side(r, place) - known);
            self.rows.push(row.across(), x[place], |p, v| self.load(p, -v, 0, forces));
            self.rows.push(row.own(), x[place], |p, v| pushed[p - at] -= v);
        }
        for place in at..x.len() {
            let left = std::mem::replace(&mut pushed[place - at], Vec3A::ZERO);
            self.load(place, left, 0, forces);
        }
    }

    #[inline(always)]
    fn right_side(&self, r: &[Vec3], place: usize) -> Vec3A {
        single(r[place] * self.unit)
    }

    /// Adds what is left at a place to its aggregate; `forces` begin with the `first`.
    #[inline(always)]
    fn load(&self, place: usize, left: Vec3A, first: usize, forces: &mut [[Vec3; 2]]) {
        if let Some(aggregate) = self.modes.aggregate_at(place) {
            let left = double(left);
            let [force, torque] = &mut forces[aggregate - first];
            *force += left;
            *torque += self.modes.arms[place].cross(left);
        }
    }

    /// `z = (D + L^T)^-1 (r - L (x + P c))`; `rigid` is the motion `P c` of each aggregate.
    /// `x` is used up, `pushed` is zero and stays so. The answer is `r.z`.
    pub(super) fn up(
        &self,
        r: &[Vec3],
        rigid: &[[Vec3; 2]],
        x: &mut [Vec3A],
        pushed: &mut [Vec3A],
        z: &mut [Vec3],
    ) -> f64 {
        let at = self.division.separator();
        self.separator_up(r, rigid, x, pushed, z);
        let sum = over_parts(
            self.division.parts(),
            (&mut x[..at], &mut pushed[..at], &mut z[..at]),
            &|part| [part.places.len(); 3],
            &|part, x, pushed, z| {
                self.part_up(part, r, rigid, x, pushed, z);
                dot(&r[part.places.clone()], z)
            },
        );
        sum + dot(&r[at..], &z[at..])
    }

    fn separator_up(
        &self,
        r: &[Vec3],
        rigid: &[[Vec3; 2]],
        x: &mut [Vec3A],
        pushed: &mut [Vec3A],
        z: &mut [Vec3],
    ) {
        let at = self.division.separator();
        for place in at..x.len() {
            x[place] += self.moved(place, rigid);
        }
        for place in (at..x.len()).rev() {
            let row = self.rows.row(place);
            // The parts have not moved yet.
            let known = self.rows.pull(row.across(), |p| x[p] + self.moved(p, rigid));
            let known = known + self.rows.pull(row.own(), |p| x[p]);
            let known = known + std::mem::replace(&mut pushed[place], Vec3A::ZERO);
            x[place] = self.rows.inverse(place) * (self.right_side(r, place) - known);
            self.rows.push(row.across(), x[place], |p, v| pushed[p] += v);
            self.rows.push(row.own(), x[place], |p, v| pushed[p] += v);
            z[place] = double(x[place]) / self.unit;
        }
    }

    fn part_up(
        &self,
        part: &Part,
        r: &[Vec3],
        rigid: &[[Vec3; 2]],
        x: &mut [Vec3A],
        pushed: &mut [Vec3A],
        z: &mut [Vec3],
    ) {
        let (start, back) = (part.places.start, 1.0 / self.unit);
        for (k, place) in part.places.clone().enumerate() {
            x[k] += self.moved(place, rigid);
        }
        for (k, place) in part.places.clone().enumerate().rev() {
            let row = self.rows.row(place);
            let known = self.rows.pull(row.own(), |p| x[p - start]);
            let known = known + std::mem::replace(&mut pushed[k], Vec3A::ZERO);
            let answer = self.rows.inverse(place) * (self.right_side(r, place) - known);
            self.rows.push(row.own(), answer, |p, v| pushed[p - start] += v);
            z[k] = double(answer) * back;
        }
    }

    /// The coarse motion at a place.
    #[inline(always)]
    fn moved(&self, place: usize, rigid: &[[Vec3; 2]]) -> Vec3A {
        self.modes.aggregate_at(place).map_or(Vec3A::ZERO, |aggregate| {
            let [shift, turn] = rigid[aggregate];
            single(shift + turn.cross(self.modes.arms[place]))
        })
    }
}

#[inline(always)]
fn single(v: Vec3) -> Vec3A {
    Vec3A::new(v.x as f32, v.y as f32, v.z as f32)
}

#[inline(always)]
fn double(v: Vec3A) -> Vec3 {
    Vec3::new(v.x.into(), v.y.into(), v.z.into())
}
