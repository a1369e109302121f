//! A stiff body that turns about joints, as the four nodes of an affine body, beside the equations
//! of Euler.

use crate::problems::tight_solver;
use resile_energy::{Anchor, Attachment, Gravity, Lame, Material, Spring, TetElasticity};
use resile_integrators::{A1, ASearch, ImplicitEuler, Integrator, advance};
use resile_math::{Mat3, Vec3, cross_matrix, outer};
use resile_system::{Body, Flight, Motion, Pivot, State, System};

/// A weight of 9.81 m/s^2.
const FIELD: Vec3 = Vec3::new(0.0, -9.81, 0.0);

/// A box and the places that hold it.
#[derive(Clone)]
struct Held {
    size: Vec3,
    /// Its centre (m) and its axes, from the origin.
    centre: Vec3,
    axes: Mat3,
    /// (rad/s).
    spin: Vec3,
    places: Vec<Vec3>,
}

const DENSITY: f64 = 2000.0;
const H: f64 = 1.0 / 120.0;

impl Held {
    fn mass(&self) -> f64 {
        DENSITY * self.size.x * self.size.y * self.size.z
    }

    /// With velocities of a rotation about the origin.
    fn system(&self) -> (System, State) {
        let corners = [[1, 1, 1], [-1, 1, -1], [1, -1, -1], [-1, -1, 1]];
        let corners = corners.map(|[x, y, z]| Vec3::new(f64::from(x), f64::from(y), f64::from(z)));
        let arms = corners.map(|t| t * self.size / 12f64.sqrt());
        let nodes = arms.map(|arm| self.centre + self.axes * arm);
        let material = Material::NeoHookean(Lame::from_young_poisson(1.6e10, 0.3).unwrap());
        let elasticity = TetElasticity::new(&nodes, &[[0, 1, 2, 3]], material).unwrap();
        let weights = |p: &Vec3| {
            let local = self.axes.transpose() * (*p - self.centre) / self.size * 12f64.sqrt();
            (0..4).map(|k| (k, 0.25 * (1.0 + corners[k].dot(local)))).collect()
        };
        let stiffness = 1e6;
        let spring = |place: &Vec3| Spring {
            point: Anchor::new(weights(place)),
            start: *place,
            motion: Motion::Fixed,
            stiffness,
        };
        let springs = Attachment::new(4, self.places.iter().map(spring).collect()).unwrap();
        let masses = vec![0.25 * self.mass(); 4];
        let mut flight = Flight::Rigid;
        flight.hold(self.places.iter().map(|place| Pivot { place: *place, stiffness }));
        let body = Body::new("box", masses.clone()).with(elasticity).with(springs);
        let body = Body { flight, ..body.with(Gravity::new(masses, FIELD)) };
        let velocities = nodes.map(|x| self.spin.cross(x)).to_vec();
        (System::new(vec![body]), State::new(0.0, nodes.to_vec(), velocities))
    }

    /// The centre (m) after every step of the rigid body about the origin, which is its only support:
    /// Euler's equations by the classical Runge-Kutta method, at a hundredth of the step.
    fn truth(&self, steps: usize) -> Vec<Vec3> {
        let square = self.size * self.size;
        let about = Vec3::new(square.y + square.z, square.z + square.x, square.x + square.y);
        let lever = self.axes.transpose() * self.centre;
        let inertia = self.mass()
            * (Mat3::from_diagonal(about / 12.0 + Vec3::splat(lever.length_squared()))
                - outer(lever, lever));
        let (inverse, weight) = (inertia.inverse(), self.mass() * FIELD);
        let rate = |(axes, spin): (Mat3, Vec3)| {
            let torque = lever.cross(axes.transpose() * weight) - spin.cross(inertia * spin);
            (axes * cross_matrix(spin), inverse * torque)
        };
        let on = |(a, w): (Mat3, Vec3), (da, dw): (Mat3, Vec3), t: f64| (a + da * t, w + dw * t);
        let dt = H / 100.0;
        let mut now = (self.axes, self.axes.transpose() * self.spin);
        let mut centres = Vec::new();
        for step in 1..=100 * steps {
            let first = rate(now);
            let second = rate(on(now, first, 0.5 * dt));
            let third = rate(on(now, second, 0.5 * dt));
            let fourth = rate(on(now, third, dt));
            for (rate, weight) in [(first, 1.0), (second, 2.0), (third, 2.0), (fourth, 1.0)] {
                now = on(now, rate, dt / 6.0 * weight);
            }
            if step % 100 == 0 {
                centres.push(now.0 * lever);
            }
        }
        centres
    }

    /// The centre (m) and the energy (J, above that at the start) after every step.
    fn simulated(&self, method: &dyn Integrator, steps: usize) -> Vec<(Vec3, f64)> {
        self.simulated_in(method, steps, 1)
    }

    /// The same, each step taken in so many parts.
    fn simulated_in(
        &self,
        method: &dyn Integrator,
        steps: usize,
        parts: usize,
    ) -> Vec<(Vec3, f64)> {
        let (mut system, mut state) = self.system();
        let mut solver = tight_solver();
        let energy = |system: &mut System, state: &State| {
            let kinetic: f64 = system.kinetic_by_body(&state.velocities).iter().sum();
            kinetic + system.at(&state.positions).potential(state.time, &state.positions)
        };
        let start = energy(&mut system, &state);
        let mut seen = Vec::new();
        for _ in 0..steps {
            for _ in 0..parts {
                advance(method, &mut system, &mut solver, &mut state, H / parts as f64).unwrap();
            }
            let centre = state.positions.iter().sum::<Vec3>() / 4.0;
            seen.push((centre, energy(&mut system, &state) - start));
        }
        seen
    }

    fn kinetic(&self) -> f64 {
        let (system, state) = self.system();
        system.kinetic_by_body(&state.velocities).iter().sum()
    }
}

fn methods() -> [Box<dyn Integrator>; 3] {
    [Box::new(ImplicitEuler), Box::new(A1), Box::new(ASearch::default())]
}

/// The angle (rad) by which something goes round the vertical, from place to place.
fn round(places: impl Iterator<Item = Vec3>) -> f64 {
    let angles: Vec<f64> = places.map(|place| (-place.z).atan2(place.x)).collect();
    let step = |pair: &[f64]| {
        let way = pair[1] - pair[0];
        way - std::f64::consts::TAU * (way / std::f64::consts::TAU).round()
    };
    angles.windows(2).map(step).sum()
}

/// In steady precession, `m g l / (I omega)`, half a radian a step: without the path about the joint
/// it precesses at 0.83 of that under A-search and sinks by a quarter of its arm.
#[test]
fn gyroscope_precesses_at_the_theoretical_rate_and_stays_level() {
    let (arm, spin) = (0.1, 60.0);
    let rate = 9.81 * arm * 6.0 / (0.1 * 0.1 * spin);
    let gyroscope = Held {
        size: Vec3::new(0.02, 0.1, 0.1),
        centre: Vec3::X * arm,
        axes: Mat3::IDENTITY,
        spin: Vec3::new(spin, rate, 0.0),
        places: vec![Vec3::ZERO],
    };
    for method in methods() {
        let seen = gyroscope.simulated(&*method, 240);
        let turned = round(seen.iter().map(|(centre, _)| *centre));
        let error = turned / (rate * 239.0 * H) - 1.0;
        assert!(error.abs() < 2e-3, "{}: precession off by {error:e}", method.name());
        let sunk = seen.iter().map(|(centre, _)| centre.y.abs() / arm).fold(0.0, f64::max);
        assert!(sunk < 2e-3, "{}: axis off level by {sunk:e}", method.name());
    }
}

/// Tilted by 30 degrees, at first without precession: it nutates by 2.7 degrees. 0.83 rad a step.
#[test]
fn top_follows_the_euler_equations() {
    let axis = Vec3::new(-0.5, 0.75f64.sqrt(), 0.0);
    let axes = Mat3::from_cols(Vec3::new(axis.y, -axis.x, 0.0), axis, Vec3::Z);
    let top = Held {
        size: Vec3::new(0.1, 0.02, 0.1),
        centre: 0.06 * axis,
        axes,
        spin: 100.0 * axis,
        places: vec![Vec3::ZERO],
    };
    let truth = top.truth(240);
    let true_round = round(truth.iter().copied());
    for method in methods() {
        let seen = top.simulated(&*method, 240);
        let error = round(seen.iter().map(|(centre, _)| *centre)) / true_round - 1.0;
        assert!(error.abs() < 5e-3, "{}: precession off by {error:e}", method.name());
        let lowest = |heights: &mut dyn Iterator<Item = f64>| heights.fold(1.0, f64::min);
        let [seen, truth] = [
            lowest(&mut seen.iter().map(|(centre, _)| centre.y / 0.06)),
            lowest(&mut truth.iter().map(|centre| centre.y / 0.06)),
        ];
        assert!((seen - truth).abs() < 2e-3, "{}: falls to {seen}, not {truth}", method.name());
    }
}

/// Half a radian a step: it keeps the energy that it has without its bearings, and its angle.
#[test]
fn flywheel_between_bearings_keeps_its_speed() {
    let wheel = Held {
        size: Vec3::new(0.2, 0.2, 0.03),
        centre: Vec3::ZERO,
        axes: Mat3::IDENTITY,
        spin: Vec3::Z * 60.0,
        places: vec![Vec3::Z * 0.1, Vec3::Z * -0.1],
    };
    let kinetic = wheel.kinetic();
    for method in methods() {
        for (step, (_, change)) in wheel.simulated(&*method, 1200).into_iter().enumerate() {
            let change = change / kinetic;
            assert!(change.abs() < 1e-4, "{}: {change:e} at step {step}", method.name());
        }
    }
}

/// Whatever it hangs on, and however it is thrown about its joints, at 0.17 and at 0.5 rad a step:
/// there is no energy from nowhere, and little is lost in 10 s.
#[test]
fn released_body_conserves_its_energy() {
    for (spin, lost) in [(20.0, 0.005), (60.0, 0.02)] {
        for (turn, places) in [
            (Vec3::new(0.8, 0.2, 0.55), vec![Vec3::ZERO]),
            (Vec3::new(0.1, -0.9, 0.4), vec![Vec3::ZERO]),
            (Vec3::Z, vec![Vec3::Z * 0.05, Vec3::Z * -0.05]),
        ] {
            let rod = Held {
                size: Vec3::new(0.12, 0.04, 0.06),
                centre: Vec3::X * 0.07,
                axes: Mat3::IDENTITY,
                spin: spin * turn.normalize(),
                places,
            };
            let kinetic = rod.kinetic();
            for method in methods() {
                for (step, (_, change)) in rod.simulated(&*method, 1200).into_iter().enumerate() {
                    let change = change / kinetic;
                    let name = method.name();
                    assert!(change < 1e-9, "{name}, {turn} {spin}: gains {change:e} at {step}");
                    assert!(change > -lost, "{name}, {turn} {spin}: loses {change:e} at {step}");
                }
            }
        }
    }
}

/// At 1/3840 s a step resolves how the top swings on its joint, `k h^2 < m`. Not followed there it falls under implicit Euler, which
/// keeps it upright at 1/960 s.
#[test]
fn top_error_does_not_grow_at_a_quarter_of_the_step() {
    let tilt = 30f64.to_radians();
    let axes = Mat3::from_cols(
        Vec3::new(tilt.cos(), -tilt.sin(), 0.0),
        Vec3::new(tilt.sin(), tilt.cos(), 0.0),
        Vec3::Z,
    );
    let top = Held {
        size: Vec3::new(0.1, 0.02, 0.1),
        centre: axes * (0.06 * Vec3::Y),
        axes,
        spin: axes * (150.0 * Vec3::Y),
        places: vec![Vec3::ZERO],
    };
    let steps = 60;
    let truth = top.truth(steps);
    for method in methods() {
        let error = |parts: usize| {
            let measured = top.simulated_in(&*method, steps, parts);
            let off = measured.iter().zip(&truth).map(|((x, _), there)| (*x - *there).length());
            off.fold(0.0, f64::max)
        };
        let [whole, quarter] = [8, 32].map(error);
        assert!(
            quarter <= whole,
            "{}: {quarter} m, at four times the step {whole} m",
            method.name()
        );
        assert!(quarter < 0.005, "{}: {quarter} m", method.name());
    }
}
