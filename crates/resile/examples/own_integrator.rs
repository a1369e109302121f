//! A multistep method from outside the workspace, in a scene that is saved and resumed to the bit.
//!
//! `cargo run --release -p resile --example own_integrator`
//!
//! The method keeps its past in `State::memory` and declares the formats of these records. Islands join and split them,
//! saved states contain them, and a state with other records is refused. None of this code knows the method.

#![allow(clippy::print_stdout, reason = "an example shows what it did")]

use resile::assembly::{Built, build};
use resile::integrators::{ImplicitEuler, Integrator, Lag, Stage, Step, StepEnd, StepError};
use resile::runner::Stepper;
use resile::scene::text::SceneText;
use resile::system::{FieldFormat, Memory, Quantity, Record, RecordFormat, State, Vec3};
use resile::watch::Interrupt;
use std::error::Error;
use std::path::Path;

/// Positions one step ago.
const LAST: &str = "houbolt.last";
/// Positions two steps ago.
const LAST_BUT_ONE: &str = "houbolt.last-but-one";

/// The method of Houbolt (*A recurrence matrix solution for the dynamic response of elastic aircraft*, J. Aeronaut. Sci.
/// 17, 1950):
///
/// ```text
/// m (2 x_n+1 - 5 x_n + 4 x_n-1 - x_n-2) / h^2 = -grad P(x_n+1) - dD/dv(v_n+1)
/// v_n+1 = (11 x_n+1 - 18 x_n + 9 x_n-1 - 2 x_n-2) / 6 h
/// ```
///
/// It is of second order and damps what a step does not resolve. It begins with two steps of implicit Euler, and so it
/// does again where the length of the step changes.
struct Houbolt;

/// The positions (m) under `key` if they are `ago` (s) old.
fn positions<'m>(memory: &'m Memory, key: &str, ago: f64) -> Option<&'m [Vec3]> {
    let field = memory.get(key)?.fields.first()?;
    let Quantity::Position { ago: age } = field.quantity else { return None };
    ((age - ago).abs() <= 1e-9 * ago).then_some(&field.values[..])
}

fn remember(positions: &[Vec3], ago: f64, key: &str, memory: &mut Memory) {
    let record = Record::default().with(Quantity::Position { ago }, positions.to_vec());
    memory.insert(key, record);
}

impl Integrator for Houbolt {
    fn name(&self) -> &'static str {
        "Houbolt"
    }

    fn order(&self) -> u32 {
        2
    }

    fn is_multistep(&self) -> bool {
        true
    }

    /// The second difference of a parabola is its second derivative.
    fn falls_exactly(&self) -> bool {
        true
    }

    fn records(&self) -> Vec<RecordFormat> {
        vec![
            RecordFormat::new(LAST).with_field(FieldFormat::Position { steps: 1 }),
            RecordFormat::new(LAST_BUT_ONE).with_field(FieldFormat::Position { steps: 2 }),
        ]
    }

    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError> {
        let (old, h) = (step.state, step.h);
        let last = positions(&old.memory, LAST, h);
        let last_but_one = positions(&old.memory, LAST_BUT_ONE, 2.0 * h);
        let mut end = match (last, last_but_one) {
            (Some(last), Some(before)) => {
                let x = &old.positions;
                let predictor = |i: usize| 0.5 * (5.0 * x[i] - 4.0 * last[i] + before[i]);
                let shift = |i: usize| (-18.0 * x[i] + 9.0 * last[i] - 2.0 * before[i]) / (6.0 * h);
                let weight = 0.5 * h * h;
                let lag = Lag {
                    time: step.end_time(),
                    force_weight: weight,
                    rate: 11.0 / (6.0 * h),
                    shift: (0..x.len()).map(shift).collect(),
                    co_rotation: None,
                };
                let predictor = (0..x.len()).map(predictor).collect();
                let stage = Stage::at_end(step.end_time(), predictor, weight, lag);
                let end = step.solve_with_friction(&stage, x)?;
                let v = (0..end.len()).map(|i| stage.lag.velocity(i, end[i])).collect();
                let heat = step.heat_along_path(step.end_time(), &end);
                StepEnd::new(State::new(step.end_time(), end, v), heat)
            }
            _ => ImplicitEuler.step(step)?,
        };
        remember(&old.positions, h, LAST, &mut end.state.memory);
        if let Some(last) = last {
            remember(last, 2.0 * h, LAST_BUT_ONE, &mut end.state.memory);
        }
        Ok(end)
    }
}

/// Two cubes of rubber that fall on a floor and on each other.
const SCENE: &str = r#"(
    version: 2,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 1e5, poisson: 0.3))},
    bodies: [
        (
            name: "lower",
            shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
            material: "rubber",
            placement: (translate: (0, 0.06, 0)),
            friction: 0.4,
        ),
        (
            name: "upper",
            shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)),
            material: "rubber",
            placement: (translate: (0.02, 0.18, 0.01)),
            velocity: (0.3, 0, 0),
            friction: 0.4,
        ),
    ],
    gravity: (0, -9.81, 0),
    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0.4)],
    contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
    integrator: ImplicitEuler,
    time: (step: "1/120", duration: 1),
)"#;

/// The scene before its first step, with this method in place of its own.
fn stepper(method: Option<Box<dyn Integrator>>) -> Result<Stepper, Box<dyn Error>> {
    let scene =
        SceneText::new("two-cubes.ron", SCENE).load().map_err(|found| format!("{found:?}"))?.scene;
    let built = build(&scene, Path::new(".")).map_err(|problems| format!("{problems:?}"))?;
    let Built { world, .. } = built;
    let world = match method {
        Some(method) => world.with_integrator(method),
        None => world,
    };
    Ok(Stepper::new(scene, Built { world, ..built }, Interrupt::new()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut whole = stepper(Some(Box::new(Houbolt)))?;
    println!("time (s), heights of the centres (m)");
    for _ in 0..20 {
        whole.advance()?;
    }
    let saved = whole.save();
    let mut resumed = stepper(Some(Box::new(Houbolt)))?;
    resumed.load(&saved)?;
    for _ in 0..20 {
        whole.advance()?;
        resumed.advance()?;
        let [lower, upper] = [0, 1].map(|body| whole.world().center_of_mass(body).y);
        println!("{:.4} {lower:.4} {upper:.4}", whole.time());
        assert_eq!(whole.save(), resumed.save(), "to the bit");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn houbolt() -> Stepper {
        stepper(Some(Box::new(Houbolt))).unwrap_or_else(|error| panic!("{error}"))
    }

    /// After one and two steps the past is incomplete; from the tenth on the cubes touch and are solved together.
    #[test]
    fn run_resumes_bitwise_after_any_step() {
        let mut whole = houbolt();
        let mut saved = Vec::new();
        for _ in 0..30 {
            whole.advance().expect("the step can be taken");
            saved.push(whole.save());
        }
        for stop in [1, 2, 3, 10, 20] {
            let mut resumed = houbolt();
            resumed.load(&saved[stop - 1]).expect("the state is the method's");
            for (step, there) in saved.iter().enumerate().skip(stop) {
                resumed.advance().expect("the step can be taken");
                assert!(resumed.save() == *there, "stopped after {stop}: step {}", step + 1);
            }
        }
    }

    /// The law above holds of a method that ignores its memory, too.
    #[test]
    fn memory_of_past_states_affects_the_next_step() {
        let mut whole = houbolt();
        for _ in 0..3 {
            whole.advance().expect("the step can be taken");
        }
        let mut forgetful = houbolt();
        forgetful.load(&whole.save()).expect("the state is the method's");
        let world = forgetful.world_mut();
        for body in 0..world.body_count() {
            let state = State { memory: Memory::default(), ..world.state(body).clone() };
            world.set_state(body, state);
        }
        whole.advance().expect("the step can be taken");
        forgetful.advance().expect("the step can be taken");
        assert_ne!(whole.world().state(0).positions, forgetful.world().state(0).positions);
    }

    #[test]
    fn state_of_another_method_is_rejected_by_name() {
        let mut other = stepper(None).expect("the scene can be built");
        let mut whole = houbolt();
        whole.advance().expect("the step can be taken");
        let refused = other.load(&whole.save()).expect_err("implicit Euler has no such record");
        assert!(refused.to_string().contains("`houbolt.last`"), "{refused}");
    }
}
