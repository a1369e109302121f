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
//! In a frame that moves at `V`, the surroundings of a body move by `-V h` in addition, with the work `V h . sum grad
//! P` over the free nodes of the body.

use crate::step::co_moving::CoMoving;
use resile_math::Vec3;
use resile_system::{Path, Prepared};

/// Tolerance of the integral, relative to the largest power on the path.
const TOLERANCE: f64 = 1e-5;
/// Maximum number of bisections of a part of the path.
const MAX_BISECTIONS: u32 = 6;
/// Maximum number of parts of the chord, each of which ends at the step bound. The path of Newton's method is
/// polygonal, so the chord of both ends may not be free of collisions.
const MAX_PARTS: usize = 16;

/// Work (J) of prescribed nodes on each body: that of a node counts for its body, that of a kinematic body for the
/// bodies that it pushes. Afterwards the system can be evaluated at the end of the path.
///
/// If the chord is not free of collisions and inversions, the trapezoidal rule over both ends is used.
pub(crate) fn work(
    system: &mut Prepared<'_>,
    path: Path<'_>,
    times: [f64; 2],
    frames: &CoMoving,
) -> Vec<f64> {
    let displacements = |i: usize| system.held_part(i, path.to[i] - path.from[i]);
    let displacements: Vec<Vec3> = (0..path.to.len()).map(displacements).collect();
    let finite = path.to.iter().all(|x| x.is_finite());
    let rests = displacements.iter().all(|path| *path == Vec3::ZERO) && frames.is_at_rest();
    if !finite || rests {
        return vec![0.0; system.bodies().len()];
    }
    let has_partial_holds = (0..system.bodies().len()).any(|b| {
        !system.bodies()[b].is_kinematic()
            && system.nodes(b).any(|i| displacements[i] != Vec3::ZERO)
    });
    let of_frame = |b| (times[1] - times[0]) * frames.velocity(b);
    let drift = (0..system.bodies().len()).map(of_frame).collect();
    let mut chord = Chord {
        system: system.reborrow(),
        path,
        times,
        displacements,
        has_partial_holds,
        drift,
        largest: 0.0,
    };
    let work = chord.along_the_chord().unwrap_or_else(|| chord.trapezoid());
    chord.system.along(&[Path::at(path.to)]);
    work
}

/// The straight path of a step.
struct Chord<'a> {
    system: Prepared<'a>,
    path: Path<'a>,
    times: [f64; 2],
    /// Displacements of prescribed nodes (m); zero for others.
    displacements: Vec<Vec3>,
    /// Whether a body that is not kinematic has prescribed nodes.
    has_partial_holds: bool,
    /// Displacement (m) of the frame of each body.
    drift: Vec<Vec3>,
    /// The largest `dW/ds` (J) of the drift so far, which contributes to the scale of errors.
    largest: f64,
}

/// A part of the path, and the power at both ends.
struct Part {
    ends: [f64; 2],
    powers: [Vec<f64>; 2],
}

impl Chord<'_> {
    fn at(&self, fraction: f64) -> Vec<Vec3> {
        let Path { from, to } = self.path;
        if fraction == 1.0 {
            return to.to_vec();
        }
        from.iter().zip(to).map(|(from, to)| *from + (*to - *from) * fraction).collect()
    }

    /// The time (s) at a `fraction` of the path.
    fn time(&self, fraction: f64) -> f64 {
        let [start, end] = self.times;
        if fraction == 1.0 { end } else { start + fraction * (end - start) }
    }

    /// `dW/ds` of each body (J) at a `fraction` of the path at which the system is prepared.
    fn power(&mut self, fraction: f64) -> Vec<f64> {
        let x = self.at(fraction);
        let time = self.time(fraction);
        let system = &self.system;
        let mut power = system.kinematic_power(time, &x, &self.displacements);
        let drifts = self.drift.iter().any(|drift| *drift != Vec3::ZERO);
        if !drifts && !self.has_partial_holds {
            return power;
        }
        let gradient = system.gradient(time, &x);
        if drifts {
            let of_node = |i: usize| system.free_part(i, gradient[i]);
            for (b, drift) in self.drift.iter().enumerate() {
                let power_of_drift = drift.dot(system.nodes(b).map(of_node).sum::<Vec3>());
                power[b] += power_of_drift;
                self.largest = self.largest.max(power_of_drift.abs());
            }
        }
        if self.has_partial_holds {
            let power_of_nodes = system.sum_by_body(|i| gradient[i].dot(self.displacements[i]));
            for (b, power_of_body) in power_of_nodes.into_iter().enumerate() {
                if !system.bodies()[b].is_kinematic() {
                    power[b] += power_of_body;
                }
            }
        }
        power
    }

    /// The work by quadrature; `None` if the chord is not free of collisions and inversions. At a point that is
    /// inverted by rounding, the step bound may be that of the way back, so the powers are tested, too.
    fn along_the_chord(&mut self) -> Option<Vec<f64>> {
        let mut sum = vec![0.0; self.system.bodies().len()];
        let mut begin = 0.0;
        for _ in 0..MAX_PARTS {
            let from = self.at(begin);
            let path = Path { from: &from, to: self.path.to };
            let free = self.system.along(&[path]).fraction();
            let end = if free == 1.0 { 1.0 } else { begin + free * (1.0 - begin) };
            let powers = [begin, end].map(|fraction| self.power(fraction));
            let part = self.integrate(Part { ends: [begin, end], powers }, None, MAX_BISECTIONS);
            sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            if !sum.iter().all(|work| work.is_finite()) {
                return None;
            }
            if end == 1.0 {
                return Some(sum);
            }
            begin = end;
        }
        None
    }

    /// The integral of the power over a part on which the system can be evaluated. `scale` is the largest power so far
    /// (J).
    fn integrate(&mut self, part: Part, scale: Option<f64>, halvings: u32) -> Vec<f64> {
        let Part { ends: [a, b], powers: [first, last] } = part;
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
        let [outer, inner] = [(2.0f64 / 3.0).sqrt(), 0.2f64.sqrt()];
        let inside = [-outer, -inner, 0.0, inner, outer].map(|at| self.power(middle + at * half));
        let [p1, p2, p3, p4, p5] = &inside;
        let of_body = |k: usize| {
            let (ends, near) = (first[k] + last[k], p2[k] + p4[k]);
            let lobatto = (ends + 5.0 * near) * (half / 6.0);
            let far = p1[k] + p5[k];
            let kronrod = 77.0 * ends + 432.0 * far + 625.0 * near + 672.0 * p3[k];
            (kronrod * (half / 1470.0), lobatto)
        };
        let works: Vec<(f64, f64)> = (0..first.len()).map(of_body).collect();
        let largest = |powers: &Vec<f64>| powers.iter().fold(0.0, |a: f64, p| a.max(p.abs()));
        let scale = scale.unwrap_or_else(|| {
            inside.iter().chain([&first, &last]).map(largest).fold(self.largest, f64::max)
        });
        let error = works.iter().map(|(fine, coarse)| (fine - coarse).abs()).fold(0.0, f64::max);
        if error <= TOLERANCE * scale * (b - a) || halvings == 0 {
            return works.into_iter().map(|(fine, _)| fine).collect();
        }
        let centre = p3.clone();
        let lower = Part { ends: [a, middle], powers: [first, centre.clone()] };
        let upper = Part { ends: [middle, b], powers: [centre, last] };
        let mut sum = self.integrate(lower, Some(scale), halvings - 1);
        let rest = self.integrate(upper, Some(scale), halvings - 1);
        sum.iter_mut().zip(rest).for_each(|(sum, rest)| *sum += rest);
        sum
    }

    fn trapezoid(&mut self) -> Vec<f64> {
        let [start, end] = [0.0, 1.0].map(|fraction| {
            let x = self.at(fraction);
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
