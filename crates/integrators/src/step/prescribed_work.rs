//! The work of prescribed motions along the path of a step.
//!
//! Prescribed nodes move straight from the start of a step to its end, against the forces of all potentials on them:
//!
//! ```text
//!   W = integral over s from 0 to 1 of grad P(x(s)) . dx,   x(s) = x_n + s dx   [J]
//! ```
//!
//! Barriers have a short range and are steep: the trapezoidal rule has an error of 1 % of the work when a cube is
//! crushed. The integral is therefore computed with the Gauss-Lobatto rule of four points and its Kronrod extension of
//! seven (Gander and Gautschi 2000, "Adaptive quadrature - revisited"), with bisection where they differ.
//!
//! The path of Newton's method is polygonal. Where a prescribed surface grazes another one, their chords may pass closer
//! than both ends, and the integral is then dominated by forces that the bodies never had. The energy of contact of a
//! body is then far larger on the chord than at its ends, and the work is that of the trapezoidal rule. This energy is the same
//! in all inertial frames, which the power is not.
//!
//! If blocked nodes lag behind their targets, the force on them at the end is that of the contact or of the nearly flat
//! elements that block them, and the trapezoidal rule would count it on half of their way. The forces on free nodes are
//! inertial, so the work is then computed from the change of the potential and the trapezoidal rule over free nodes:
//!
//! ```text
//!   W = P(x_1) - P(x_0) - sum over free nodes of 1/2 (grad P(x_0) + grad P(x_1)) . dx
//! ```
//!
//! In a frame that moves at `V`, the surroundings of a body move by `-V h` in addition, with the work `V h . sum grad
//! P` over the free nodes of the body. Forces of springs to moving targets are interpolated between both ends: the
//! targets may accelerate, so that on the chord at intermediate times the springs would have elongations that they
//! never had (`a s (1 - s) h^2 / 2`). The work of the targets is computed by the same rule, so a frame that moves with
//! the targets does no work.

mod blocked;

use crate::step::co_moving::CoMoving;
use crate::step::support_lag::support_gradient;
use resile_math::Vec3;
use resile_system::{Path, Prepared};

/// Tolerance of the integral, relative to the largest power on the path.
const TOLERANCE: f64 = 1e-5;
/// Maximum number of nested bisections of an interval.
const MAX_BISECTIONS: u32 = 6;
/// Ratio of the largest energy of couplings on the chord to the larger one of its ends above which the trapezoidal rule is
/// used. On an approach or a retreat the energy is largest at an end.
const MAX_INTERIOR_RATIO: f64 = 2.0;
/// Maximum number of intervals of the chord, each of which ends at the step bound. The path of Newton's method is
/// polygonal, so the chord of both ends may not be free of collisions.
const MAX_INTERVALS: usize = 16;

/// Work (J) of prescribed nodes on each body along a straight `path` between two `times` (s), in the frames in which
/// energies are measured. The work of a node counts for its body, that of a kinematic body for the bodies that it pushes.
/// The work is zero if a position is not finite, or if no prescribed node and no frame moves. In all other cases the
/// system is afterwards prepared at the end of the path.
///
/// The trapezoidal rule over both ends is used if the path is not free of collisions and inversions, or if the energy of
/// couplings of a body is much larger on the path than at its ends.
pub(crate) fn work(
    system: &mut Prepared<'_>,
    path: Path<'_>,
    times: [f64; 2],
    frames: &CoMoving,
) -> Vec<f64> {
    let prescribed_displacement = |i: usize| system.held_part(i, path.to[i] - path.from[i]);
    let displacements: Vec<Vec3> = (0..path.to.len()).map(prescribed_displacement).collect();
    let is_finite = path.to.iter().all(|x| x.is_finite());
    let is_static = displacements.iter().all(|u| *u == Vec3::ZERO) && frames.is_at_rest();
    if !is_finite || is_static {
        return vec![0.0; system.bodies().len()];
    }
    let moves_partly_prescribed = (0..system.bodies().len()).any(|b| {
        !system.bodies()[b].is_kinematic()
            && system.nodes(b).any(|i| displacements[i] != Vec3::ZERO)
    });
    let system_bodies = system.bodies().len();
    let frame_displacement = |b| (times[1] - times[0]) * frames.velocity(b);
    let drift = (0..system.bodies().len()).map(frame_displacement).collect();
    let ends = [(times[0], path.from), (times[1], path.to)];
    let target_gradients = ends.map(|(time, x)| target_gradients(system, time, x, times));
    let mut chord = Chord {
        system: system.reborrow(),
        path,
        times,
        displacements,
        moves_partly_prescribed,
        drift,
        target_gradients,
        largest_drift_power: 0.0,
        largest_energies: vec![0.0; system_bodies],
    };
    let work = chord.work();
    chord.system.along(&[Path::at(path.to)]);
    work
}

/// The gradient (N) of the springs that tie each body to a target that moves between both `times` (s), summed over its
/// free nodes, at the `time` (s) and the positions `x` (m).
fn target_gradients(system: &Prepared<'_>, time: f64, x: &[Vec3], times: [f64; 2]) -> Vec<Vec3> {
    let body_gradient = |b: usize| {
        let terms = system.bodies()[b].energies.iter();
        terms
            .filter(|term| term.support_velocity(times).is_some())
            .map(|term| support_gradient(system, b, term.as_ref(), time, x))
            .sum()
    };
    (0..system.bodies().len()).map(body_gradient).collect()
}

/// The straight path of a step, along which the work is integrated.
struct Chord<'a> {
    system: Prepared<'a>,
    path: Path<'a>,
    times: [f64; 2],
    /// Displacements of prescribed nodes (m); zero for others.
    displacements: Vec<Vec3>,
    /// Whether prescribed nodes of a body that is not kinematic move.
    moves_partly_prescribed: bool,
    /// Displacement (m) of the frame of each body.
    drift: Vec<Vec3>,
    /// The gradients (N) of springs to moving targets, summed over each body, at both ends of the path.
    target_gradients: [Vec<Vec3>; 2],
    /// The largest `dW/ds` (J) of the drift so far, which contributes to the scale of errors.
    largest_drift_power: f64,
    /// The largest energy of couplings (J) of each body at the points of the path so far.
    largest_energies: Vec<f64>,
}

/// An interval of the path.
struct Interval {
    /// The fractions of the path at both ends of the interval.
    ends: [f64; 2],
    /// `dW/ds` (J) of each body at both ends.
    powers: [Vec<f64>; 2],
}

/// The work (J) on a body in an interval by both quadrature rules.
struct QuadratureWork {
    /// By Kronrod's rule with seven nodes.
    kronrod: f64,
    /// By Lobatto's rule with four of them.
    lobatto: f64,
}

impl Chord<'_> {
    /// The positions (m) at a `fraction` of the path.
    fn positions_at(&self, fraction: f64) -> Vec<Vec3> {
        let Path { from, to } = self.path;
        if fraction == 1.0 {
            return to.to_vec();
        }
        from.iter().zip(to).map(|(from, to)| *from + (*to - *from) * fraction).collect()
    }

    /// The time (s) at a `fraction` of the path.
    fn time_at(&self, fraction: f64) -> f64 {
        let [start, end] = self.times;
        if fraction == 1.0 { end } else { start + fraction * (end - start) }
    }

    /// `dW/ds` of each body (J) at a `fraction` of the path at which the system is prepared.
    fn power(&mut self, fraction: f64) -> Vec<f64> {
        let x = self.positions_at(fraction);
        let time = self.time_at(fraction);
        let system = &self.system;
        let energies = system.coupling_energy_by_body(time, &x);
        let largest_energies = self.largest_energies.iter_mut().zip(&energies);
        largest_energies.for_each(|(largest, energy)| *largest = largest.max(*energy));
        let mut power = system.kinematic_power(time, &x, &self.displacements);
        let has_drift = self.drift.iter().any(|drift| *drift != Vec3::ZERO);
        if !has_drift && !self.moves_partly_prescribed {
            return power;
        }
        let gradient = system.gradient(time, &x);
        if has_drift {
            let free_gradient = |i: usize| system.free_part(i, gradient[i]);
            let on_chord = target_gradients(system, time, &x, self.times);
            let [first, last] = &self.target_gradients;
            for (b, drift) in self.drift.iter().enumerate() {
                let interpolated = first[b].lerp(last[b], fraction);
                let sum = system.nodes(b).map(free_gradient).sum::<Vec3>();
                let drift_power = drift.dot(sum - on_chord[b] + interpolated);
                power[b] += drift_power;
                self.largest_drift_power = self.largest_drift_power.max(drift_power.abs());
            }
        }
        if self.moves_partly_prescribed {
            let nodal_powers = system.sum_by_body(|i| gradient[i].dot(self.displacements[i]));
            for (b, nodal_power) in nodal_powers.into_iter().enumerate() {
                if !system.bodies()[b].is_kinematic() {
                    power[b] += nodal_power;
                }
            }
        }
        power
    }

    /// The work (J) on each body, by quadrature if the forces on the chord are those of a free path. One rule serves all
    /// bodies, so that the work of the forces between two bodies in a moving frame cancels.
    fn work(&mut self) -> Vec<f64> {
        let Some(work) = self.integrate_chord() else { return self.work_between_ends() };
        let [start, end] = [0.0, 1.0].map(|fraction| self.coupling_energies_at(fraction));
        let is_grazing =
            |(b, largest): (usize, &f64)| *largest > MAX_INTERIOR_RATIO * start[b].max(end[b]);
        match self.largest_energies.iter().enumerate().any(is_grazing) {
            true => self.work_between_ends(),
            false => work,
        }
    }

    /// The energy of couplings (J) of each body at a `fraction` of the path. The system is then prepared there.
    fn coupling_energies_at(&mut self, fraction: f64) -> Vec<f64> {
        let (x, time) = (self.positions_at(fraction), self.time_at(fraction));
        self.system.along(&[Path::at(&x)]).coupling_energy_by_body(time, &x)
    }

    /// The work (J) on each body by quadrature; `None` if the chord is not free of collisions and inversions. The step
    /// bound is not reliable at a point that rounding has inverted, so the powers are also tested for finiteness.
    fn integrate_chord(&mut self) -> Option<Vec<f64>> {
        let mut work = vec![0.0; self.system.bodies().len()];
        let mut start = 0.0;
        for _ in 0..MAX_INTERVALS {
            let from = self.positions_at(start);
            let path = Path { from: &from, to: self.path.to };
            let fraction = self.system.along(&[path]).fraction();
            let end = if fraction == 1.0 { 1.0 } else { start + fraction * (1.0 - start) };
            let powers = [start, end].map(|s| self.power(s));
            let interval = Interval { ends: [start, end], powers };
            let interval_work = self.integrate(interval, None, MAX_BISECTIONS);
            work.iter_mut().zip(interval_work).for_each(|(total, work)| *total += work);
            if !work.iter().all(|total| total.is_finite()) {
                return None;
            }
            if end == 1.0 {
                return Some(work);
            }
            start = end;
        }
        None
    }

    /// The integral (J) of the power of each body over an interval in which the system can be evaluated, with at most
    /// `max_bisections` nested bisections. `scale` (J) is the largest power in the interval that bisection started with;
    /// `None` for that interval itself.
    fn integrate(
        &mut self,
        interval: Interval,
        scale: Option<f64>,
        max_bisections: u32,
    ) -> Vec<f64> {
        let Interval { ends: [a, b], powers: [first, last] } = interval;
        let (middle, half_length) = (0.5 * (a + b), 0.5 * (b - a));
        let [outer, inner] = [(2.0f64 / 3.0).sqrt(), 0.2f64.sqrt()];
        let interior_powers =
            [-outer, -inner, 0.0, inner, outer].map(|node| self.power(middle + node * half_length));
        let [p1, p2, p3, p4, p5] = &interior_powers;
        let body_work = |k: usize| {
            let (end_powers, inner_powers) = (first[k] + last[k], p2[k] + p4[k]);
            let lobatto = (end_powers + 5.0 * inner_powers) * (half_length / 6.0);
            let outer_powers = p1[k] + p5[k];
            let weighted_sum =
                77.0 * end_powers + 432.0 * outer_powers + 625.0 * inner_powers + 672.0 * p3[k];
            QuadratureWork { kronrod: weighted_sum * (half_length / 1470.0), lobatto }
        };
        let works: Vec<QuadratureWork> = (0..first.len()).map(body_work).collect();
        let largest_power = |powers: &Vec<f64>| powers.iter().fold(0.0, |a: f64, p| a.max(p.abs()));
        let scale = scale.unwrap_or_else(|| {
            interior_powers
                .iter()
                .chain([&first, &last])
                .map(largest_power)
                .fold(self.largest_drift_power, f64::max)
        });
        let difference = |work: &QuadratureWork| (work.kronrod - work.lobatto).abs();
        let max_difference = works.iter().map(difference).fold(0.0, f64::max);
        if max_difference <= TOLERANCE * scale * (b - a) || max_bisections == 0 {
            return works.into_iter().map(|work| work.kronrod).collect();
        }
        let middle_powers = p3.clone();
        let lower = Interval { ends: [a, middle], powers: [first, middle_powers.clone()] };
        let upper = Interval { ends: [middle, b], powers: [middle_powers, last] };
        let mut work = self.integrate(lower, Some(scale), max_bisections - 1);
        let upper_work = self.integrate(upper, Some(scale), max_bisections - 1);
        work.iter_mut().zip(upper_work).for_each(|(total, upper)| *total += upper);
        work
    }

    /// The work (J) on each body from the energies and forces at both ends of the path alone.
    fn work_between_ends(&mut self) -> Vec<f64> {
        match self.system.prescribed_lag(self.times[1], self.path.to) > 0.0 {
            true => self.work_against_blocking_forces(),
            false => self.trapezoid(),
        }
    }

    /// The work (J) on each body by the trapezoidal rule over both ends of the path.
    fn trapezoid(&mut self) -> Vec<f64> {
        let [start, end] = [0.0, 1.0].map(|fraction| {
            let x = self.positions_at(fraction);
            self.system.along(&[Path::at(&x)]);
            self.power(fraction)
        });
        start.iter().zip(&end).map(|(start, end)| 0.5 * (start + end)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_energy::{SpringElement, SpringLaw, Springs};
    use resile_system::{Body, Energy, Held, Hessian, Motion, Prescribed, Psd, System};
    use std::ops::Range;

    /// `P = c exp(-(gap - g) / l)` along x between node 0, which is prescribed, and node 1: as steep as
    /// a barrier.
    struct Steep {
        length: f64,
        /// Fraction of the path that is free of collisions.
        free: f64,
        /// Range of the gap (m) in which the value is not a number.
        inverted: Range<f64>,
    }

    impl Energy for Steep {
        fn name(&self) -> &'static str {
            "steep"
        }

        fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
            let gap = x[1].x - x[0].x;
            if self.inverted.contains(&gap) {
                return f64::NAN;
            }
            3.0 * (-(gap - 0.5) / self.length).exp()
        }

        fn add_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
            let force = self.value(time, x) / self.length * scale;
            out[0].x += force;
            out[1].x -= force;
        }

        fn add_hessian(&self, _time: f64, _x: &[Vec3], _psd: Psd, _out: &mut Hessian<'_>) {}

        fn step_bound(&self, _paths: &[Path<'_>]) -> f64 {
            self.free
        }
    }

    fn system(length: f64, free: f64) -> System {
        system_of(Steep { length, free, inverted: 0.0..0.0 })
    }

    fn system_of(steep: Steep) -> System {
        let springs = vec![SpringElement { nodes: [0, 1], rest: 0.9, stiffness: 50.0 }];
        let springs = Springs::new(2, springs, SpringLaw::StVenantKirchhoff).unwrap();
        let mut body = Body::new("pair", vec![1.0; 2]).with(springs).with(steep);
        let motion = Motion::Steady {
            start: 0.0,
            end: 9.0,
            velocity: Vec3::X,
            angular_velocity: Vec3::ZERO,
            pivot: Vec3::ZERO,
        };
        body.prescribed =
            vec![Prescribed { node: 0, start: Vec3::ZERO, motion, until: None, held: Held::All }];
        System::new(vec![body])
    }

    const FROM: [Vec3; 2] = [Vec3::ZERO, Vec3::X];
    const TO: [Vec3; 2] = [Vec3::new(0.6, 0.0, 0.0), Vec3::new(1.1, 0.2, 0.0)];

    fn power(system: &mut System, s: f64) -> f64 {
        let x: Vec<Vec3> = FROM.iter().zip(&TO).map(|(a, b)| *a + (*b - *a) * s).collect();
        let gradient = system.at(&x).gradient(0.0, &x);
        gradient[0].dot(TO[0] - FROM[0])
    }

    fn worked(system: &mut System) -> f64 {
        let path = Path { from: &FROM, to: &TO };
        work(&mut system.at(&FROM), path, [0.0, 0.6], &CoMoving::default())[0]
    }

    #[test]
    fn the_work_is_the_integral_along_the_path_however_steep() {
        for length in [1.0, 0.1, 0.01] {
            let mut system = system(length, 1.0);
            let parts = 200_000;
            let middle = |k: i32| power(&mut system, (f64::from(k) + 0.5) / f64::from(parts));
            let expected = (0..parts).map(middle).sum::<f64>() / f64::from(parts);
            let error = worked(&mut system) - expected;
            assert!(error.abs() < TOLERANCE * power(&mut system, 1.0), "{length}: {error} J");
        }
    }

    #[test]
    fn a_chord_that_is_not_free_is_worth_the_mean_of_its_ends() {
        // A bound of 0.7 of the remainder, repeated, never reaches the end.
        let mut system = system(0.1, 0.7);
        let mean = 0.5 * (power(&mut system, 0.0) + power(&mut system, 1.0));
        assert!((worked(&mut system) - mean).abs() < 1e-12 * mean);
    }

    #[test]
    fn a_chord_with_inverted_points_is_worth_the_mean_of_its_ends() {
        let mut system = system_of(Steep { length: 0.1, free: 1.0, inverted: 0.6..0.9 });
        let mean = 0.5 * (power(&mut system, 0.0) + power(&mut system, 1.0));
        assert!((worked(&mut system) - mean).abs() < 1e-12 * mean);
    }

    #[test]
    fn where_nothing_moves_nothing_is_asked() {
        let mut system = system(0.1, 1.0);
        let to = [FROM[0], TO[1]];
        let path = Path { from: &FROM, to: &to };
        let ground = CoMoving::default();
        assert_eq!(work(&mut system.at(&FROM), path, [9.5, 9.6], &ground), [0.0]);
    }
}
