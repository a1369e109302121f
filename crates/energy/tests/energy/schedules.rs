//! What is switched from outside: derivatives while it acts, and a ledger that closes.

use crate::common::noise;
use resile_energy::{Force, Gravity, Schedule};
use resile_math::Vec3;
use resile_system::Energy;
use resile_system::check::{Vacuous, energy_derivatives_at};

const MASSES: [f64; 3] = [0.5, 2.0, 1.25];

fn random(seed: usize) -> [Vec3; 3] {
    let at = |k| noise(100 * seed + k);
    std::array::from_fn(|i| Vec3::new(at(3 * i), at(3 * i + 1), at(3 * i + 2)))
}

/// Switches at 0.2 s and 0.5 s.
fn gravity() -> Gravity {
    let fields = vec![(0.2, Vec3::new(3.0, 4.0, -1.0)), (0.5, Vec3::new(-5.0, 0.0, 2.0))];
    let down = Vec3::new(0.0, -9.81, 0.0);
    Gravity::scheduled(MASSES.to_vec(), Schedule::changing(down, fields).expect("ascending"))
}

fn force() -> Force {
    let forces = random(7).into_iter().enumerate().map(|(i, f)| (2 - i, f * 10.0)).collect();
    Force::new(3, forces, Schedule::window(0.2, 0.5).expect("a window")).expect("in order")
}

fn both() -> [Box<dyn Energy>; 2] {
    [Box::new(gravity()), Box::new(force())]
}

#[test]
fn derivatives_are_those_of_the_value_at_every_time() {
    for term in both() {
        for time in [0.2, 0.3] {
            let errors = energy_derivatives_at(time, &*term, &random(1), 1e-2).expect("it acts");
            assert!(errors.gradient < 1e-11, "{} {errors:?}", term.name());
        }
    }
    let force = force();
    for time in [0.0, 0.1999, 0.5, 3.0] {
        let outside = energy_derivatives_at(time, &force, &random(1), 1e-2);
        assert_eq!(outside, Err(Vacuous::Inactive), "{time}");
    }
}

/// Three nodes that move freely under `term`, exactly: their accelerations are constant
/// between the switches.
struct Flight {
    term: Box<dyn Energy>,
    time: f64,
    x: [Vec3; 3],
    v: [Vec3; 3],
}

impl Flight {
    fn new(term: Box<dyn Energy>) -> Self {
        Self { term, time: 0.0, x: random(2), v: random(3) }
    }

    fn energy(&self) -> f64 {
        let kinetic = MASSES.iter().zip(&self.v).map(|(m, v)| 0.5 * m * v.length_squared());
        kinetic.sum::<f64>() + self.term.value(self.time, &self.x)
    }

    /// To `end`, over no switch but one at `end` itself.
    fn glide(&mut self, end: f64) {
        let mut gradient = [Vec3::ZERO; 3];
        self.term.add_gradient(self.time, &self.x, 1.0, &mut gradient);
        let s = end - self.time;
        for i in 0..3 {
            let a = -gradient[i] / MASSES[i];
            self.x[i] += self.v[i] * s + a * (0.5 * s * s);
            self.v[i] += a * s;
        }
        self.time = end;
    }

    /// To `end` over whatever switches there are.
    fn fly(&mut self, end: f64) {
        for switch in [0.2, 0.5] {
            if self.time < switch && switch < end {
                self.glide(switch);
            }
        }
        self.glide(end);
    }

    /// `H - H_0 - work` at 0.7 s, after steps that end at the given times.
    fn gap(mut self, ends: &[f64]) -> (f64, f64) {
        let start = self.energy();
        let mut work = 0.0;
        for &end in ends {
            let (from, before) = (self.x, self.time);
            self.fly(end);
            work += self.term.work(&from, &self.x, [before, end]);
        }
        (self.energy() - start - work, work)
    }
}

#[test]
fn the_ledger_of_a_free_flight_closes_over_switches_at_the_ends_of_steps() {
    for make in [0, 1] {
        let flight = || Flight::new(both().into_iter().nth(make).expect("there are two"));
        let (gap, work) = flight().gap(&[0.1, 0.2, 0.35, 0.5, 0.7]);
        assert!(gap.abs() < 1e-13 * (1.0 + work.abs()), "{gap} {work}");
        assert!(work.abs() > 1.0, "the case is not an empty one: {work}");
    }
}

/// Inside a step the positions at the switch are those of a straight line, which a flight
/// is off by a s (h - s) / 2: the gap is of the second order in the step.
#[test]
fn the_gap_of_switches_inside_steps_is_of_second_order() {
    for make in [0, 1] {
        let gap = |steps: usize| {
            // Both switches at a third of a step, whatever its length.
            let h = 0.3 / steps as f64;
            let first = 0.2 - h / 3.0;
            let ends: Vec<f64> = (0..=2 * steps).map(|n| first + h * n as f64).collect();
            let term = both().into_iter().nth(make).expect("there are two");
            Flight::new(term).gap(&ends).0
        };
        let gaps = [1, 2, 4, 8].map(gap);
        for pair in gaps.windows(2) {
            let order = (pair[0] / pair[1]).log2();
            assert!((order - 2.0).abs() < 0.05, "{order} {gaps:?}");
        }
    }
}
