//! Block Gauss-Seidel, forward and backward, in single precision, with restriction and prolongation.
//!
//! A preconditioner need not be exact, and a memory-bound sweep takes half the time in single
//! precision. Each part is traversed once down (sweep, residual, restriction) and once up
//! (prolongation, sweep, scalar product). The thread of a part multiplies the blocks between part
//! and separator, before and after one thread solves the separator's own rows. Threads therefore
//! synchronise four times per cycle.
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

/// The matrix for the sweeps. Vectors in double precision are multiplied by `unit`, which brings the
/// right-hand side near one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Smoother<'a> {
    pub(super) division: &'a Division,
    pub(super) rows: &'a Rows,
    pub(super) modes: &'a Modes,
    pub(super) unit: f64,
}

impl Smoother<'_> {
    /// Sets `x = (D + L)^-1 r` and computes the force and the torque of the residual on each aggregate.
    ///
    /// `own` holds, for each part, the values pushed to its places and those that rows of the separator pull from it,
    /// then the values that rows of the separator push to each other. Pushed values are zero before and after.
    pub(super) fn down(
        &self,
        r: &[Vec3],
        x: &mut [Vec3A],
        own: &mut [Vec3A],
        forces: &mut [[Vec3; 2]],
    ) {
        let (parts, across) = (self.division.parts(), self.division.across());
        let (inner, outer) = x.split_at_mut(self.division.separator());
        let (own, pushed) = own.split_at_mut(self.division.own_entries());
        over_parts(
            parts,
            (inner, &mut *own, &mut [(); 0]),
            &|part| [part.places.len(), part.places.len() + across, 0],
            &|part, x, own, _| {
                self.part_down(part, r, x, own);
                0.0
            },
        );
        self.separator_down(r, outer, own, pushed);
        over_parts(
            parts,
            (own, &mut *forces, &mut [(); 0]),
            &|part| [part.places.len() + across, part.aggregates.len(), 0],
            &|part, own, forces, _| {
                self.part_loads(part, outer, own, forces);
                0.0
            },
        );
        for (place, left) in (self.division.separator()..).zip(pushed) {
            self.load(place, std::mem::replace(left, Vec3A::ZERO), 0, forces);
        }
    }

    fn part_down(&self, part: &Part, r: &[Vec3], x: &mut [Vec3A], own: &mut [Vec3A]) {
        let (pushed, pulled) = own.split_at_mut(x.len());
        let start = part.places.start;
        for (k, place) in part.places.clone().enumerate() {
            let row = self.rows.row(place);
            let known = self.rows.pull(row.own(), |p| x[p - start]);
            x[k] = self.rows.inverse(place) * (self.right_side(r, place) - known);
            self.rows.push(row.own(), x[k], |p, v| pushed[p - start] -= v);
        }
        for (k, pulled) in pulled.iter_mut().enumerate() {
            *pulled = self.rows.pull(self.rows.across(part.number, k), |p| x[p - start]);
        }
    }

    fn separator_down(&self, r: &[Vec3], x: &mut [Vec3A], own: &[Vec3A], pushed: &mut [Vec3A]) {
        let at = self.division.separator();
        for k in 0..x.len() {
            let row = self.rows.row(at + k);
            let known = self.rows.pull(row.own(), |p| x[p - at]);
            let known = self.division.add_own(own, k, known);
            x[k] = self.rows.inverse(at + k) * (self.right_side(r, at + k) - known);
            self.rows.push(row.own(), x[k], |p, v| pushed[p - at] -= v);
        }
    }

    /// The residual at the places of a part, by aggregate, including the values pushed by the separator, whose
    /// solution is `outer`.
    fn part_loads(
        &self,
        part: &Part,
        outer: &[Vec3A],
        own: &mut [Vec3A],
        forces: &mut [[Vec3; 2]],
    ) {
        let start = part.places.start;
        let pushed = &mut own[..part.places.len()];
        for (k, x) in outer.iter().enumerate() {
            let across = self.rows.across(part.number, k);
            self.rows.push(across, *x, |p, v| pushed[p - start] -= v);
        }
        forces.fill([Vec3::ZERO; 2]);
        for (place, left) in part.places.clone().zip(pushed) {
            let left = std::mem::replace(left, Vec3A::ZERO);
            self.load(place, left, part.aggregates.start, forces);
        }
    }

    #[inline(always)]
    fn right_side(&self, r: &[Vec3], place: usize) -> Vec3A {
        single(r[place] * self.unit)
    }

    /// Adds the residual `left` at a place to the force and torque of its aggregate; `forces` begin with
    /// aggregate `first`.
    #[inline(always)]
    fn load(&self, place: usize, left: Vec3A, first: usize, forces: &mut [[Vec3; 2]]) {
        if let Some(aggregate) = self.modes.aggregate_at(place) {
            let left = double(left);
            let [force, torque] = &mut forces[aggregate - first];
            *force += left;
            *torque += self.modes.arms[place].cross(left);
        }
    }

    /// Sets `z = (D + L^T)^-1 (r - L (x + P c))` and returns `r.z`; `rigid` is the motion `P c` of each
    /// aggregate. Overwrites `x`; `own` as in [`down`](Self::down).
    pub(super) fn up(
        &self,
        r: &[Vec3],
        rigid: &[[Vec3; 2]],
        x: &mut [Vec3A],
        own: &mut [Vec3A],
        z: &mut [Vec3],
    ) -> f64 {
        let (parts, across) = (self.division.parts(), self.division.across());
        let at = self.division.separator();
        let (inner, outer) = x.split_at_mut(at);
        let (inner_z, outer_z) = z.split_at_mut(at);
        let (own, pushed) = own.split_at_mut(self.division.own_entries());
        over_parts(
            parts,
            (&mut *inner, &mut *own, &mut [(); 0]),
            &|part| [part.places.len(), part.places.len() + across, 0],
            &|part, x, own, _| {
                self.part_moves(part, rigid, x, own);
                0.0
            },
        );
        self.separator_up(r, rigid, (outer, own, pushed), outer_z);
        let sum = over_parts(
            parts,
            (inner, own, inner_z),
            &|part| [part.places.len(), part.places.len() + across, part.places.len()],
            &|part, x, own, z| {
                self.part_up(part, r, (outer, x, own), z);
                dot(&r[part.places.clone()], z)
            },
        );
        sum + dot(&r[at..], outer_z)
    }

    /// Adds the coarse motion to a part, and computes what rows of the separator then pull from it.
    fn part_moves(&self, part: &Part, rigid: &[[Vec3; 2]], x: &mut [Vec3A], own: &mut [Vec3A]) {
        let start = part.places.start;
        for (x, place) in x.iter_mut().zip(part.places.clone()) {
            *x += self.moved(place, rigid);
        }
        for (k, pulled) in own[x.len()..].iter_mut().enumerate() {
            *pulled = self.rows.pull(self.rows.across(part.number, k), |p| x[p - start]);
        }
    }

    fn separator_up(
        &self,
        r: &[Vec3],
        rigid: &[[Vec3; 2]],
        (x, own, pushed): (&mut [Vec3A], &[Vec3A], &mut [Vec3A]),
        z: &mut [Vec3],
    ) {
        let at = self.division.separator();
        for (x, place) in x.iter_mut().zip(at..) {
            *x += self.moved(place, rigid);
        }
        for k in (0..x.len()).rev() {
            let row = self.rows.row(at + k);
            let known = self.rows.pull(row.own(), |p| x[p - at]);
            let known = known + std::mem::replace(&mut pushed[k], Vec3A::ZERO);
            let known = self.division.add_own(own, k, known);
            x[k] = self.rows.inverse(at + k) * (self.right_side(r, at + k) - known);
            self.rows.push(row.own(), x[k], |p, v| pushed[p - at] += v);
            z[k] = double(x[k]) / self.unit;
        }
    }

    fn part_up(
        &self,
        part: &Part,
        r: &[Vec3],
        (outer, x, own): (&[Vec3A], &[Vec3A], &mut [Vec3A]),
        z: &mut [Vec3],
    ) {
        let (start, back) = (part.places.start, 1.0 / self.unit);
        let pushed = &mut own[..x.len()];
        for (k, x) in outer.iter().enumerate() {
            let across = self.rows.across(part.number, k);
            self.rows.push(across, *x, |p, v| pushed[p - start] += v);
        }
        for (k, place) in part.places.clone().enumerate().rev() {
            let row = self.rows.row(place);
            let known = self.rows.pull(row.own(), |p| x[p - start]);
            let known = known + std::mem::replace(&mut pushed[k], Vec3A::ZERO);
            let solution = self.rows.inverse(place) * (self.right_side(r, place) - known);
            self.rows.push(row.own(), solution, |p, v| pushed[p - start] += v);
            z[k] = double(solution) * back;
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
