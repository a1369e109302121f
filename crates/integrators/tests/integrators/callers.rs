//! What callers can get wrong: parameters that are no method, states changed between steps.

use resile_integrators::{
    A1, ASearch, AlphaRule, Avf, Bdf2, Blend, Control, DecayPhase, EnergyTarget, GeneralizedAlpha,
    Integrator, Newmark, Quadrature, RungeKutta, StageSolver, StepError, Tableau, Theta, advance,
    check_memory, registry,
};
use resile_math::{Mat3, Vec3};
use resile_solver::NewtonSettings;
use resile_system::{Body, Energy, Hessian, Memory, Psd, Quantity, Record, State, System};
use std::sync::Arc;

/// A spring of stiffness 40 N/m to the origin.
#[derive(Debug)]
struct Spring;

/// Of the spring (N/m).
const STIFFNESS: f64 = 40.0;

impl Energy for Spring {
    fn name(&self) -> &'static str {
        "elastic"
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        0.5 * STIFFNESS * x[0].length_squared()
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        out[0] += scale * STIFFNESS * x[0];
    }

    fn add_hessian(&self, _time: f64, _: &[Vec3], _: Psd, out: &mut Hessian<'_>) {
        out.add(0, 0, Mat3::from_diagonal(Vec3::splat(STIFFNESS)));
    }
}

fn system() -> System {
    let mut body = Body::new("bob", vec![1.0]);
    body.energies.push(Arc::new(Spring));
    System::new(vec![body])
}

fn solver() -> StageSolver {
    StageSolver::new(1e-10, NewtonSettings::default())
}

fn at_rest() -> State {
    State::new(0.0, vec![Vec3::X], vec![Vec3::ZERO])
}

fn refusal(integrator: &dyn Integrator) -> String {
    let (mut system, mut state) = (system(), at_rest());
    let before = state.clone();
    let error = advance(integrator, &mut system, &mut solver(), &mut state, 0.01);
    let Err(StepError::Parameters { cause, .. }) = error else { panic!("{error:?}") };
    assert_eq!((state.positions, state.time), (before.positions, before.time));
    cause.to_string()
}

fn a_search(rule: AlphaRule) -> ASearch {
    ASearch { rule, ..ASearch::default() }
}

fn decaying(schedule: Vec<(f64, Option<f64>)>) -> ASearch {
    let decay = schedule.into_iter().map(|(start, tau)| DecayPhase { start, tau }).collect();
    let target = EnergyTarget { decay, ..EnergyTarget::default() };
    ASearch { target, ..ASearch::default() }
}

#[test]
fn invalid_parameters_are_rejected_with_name_and_value() {
    let limits = |limits| a_search(AlphaRule { limits, ..AlphaRule::default() });
    let control = |control| a_search(AlphaRule { control, ..AlphaRule::default() });
    let cases: Vec<(Box<dyn Integrator>, &str)> = vec![
        (Box::new(Theta { theta: 0.0 }), "theta must be above 0 and at most 1, but is 0"),
        (Box::new(Theta { theta: 1.5 }), "theta"),
        (Box::new(Theta { theta: f64::NAN }), "NaN"),
        (Box::new(Avf { quadrature: Quadrature::Gauss { nodes: 6 } }), "from 1 to 5, but is 6"),
        (Box::new(Avf { quadrature: Quadrature::NewtonCotes { nodes: 1 } }), "from 2 to 5"),
        (Box::new(Newmark { beta: 0.0, gamma: 0.5 }), "beta"),
        (Box::new(Newmark { beta: 1.5, gamma: 0.5 }), "beta"),
        (Box::new(Newmark { beta: 0.25, gamma: 0.0 }), "gamma"),
        (Box::new(Newmark { beta: 0.25, gamma: -0.1 }), "gamma must be above 0 and at most 1"),
        (Box::new(limits([-0.1, 1.1])), "lower limit of alpha"),
        (Box::new(GeneralizedAlpha { rho_inf: 1.1 }), "rho_inf"),
        (Box::new(limits([1.1, 0.0])), "in order, but are 1.1 and 0"),
        (Box::new(limits([0.0, f64::NAN])), "limits of alpha"),
        (Box::new(control(Control::Filtered { gain: 0.0, memory: 0.1 })), "gain"),
        (Box::new(control(Control::Sparse { dead_band: -1.0 })), "dead_band"),
        (Box::new(decaying(vec![(0.0, Some(-1.0))])), "tau must be a positive finite number"),
        (Box::new(decaying(vec![(1.0, Some(1.0)), (0.0, None)])), "entry 1 of the decay"),
        (Box::new(Blend { tolerance: 0.0, ..Blend::default() }), "tolerance"),
    ];
    for (integrator, part) in cases {
        let told = refusal(&*integrator);
        assert!(told.contains(part), "{}: {told}", integrator.name());
    }
}

#[test]
fn inconsistent_tableaux_are_rejected() {
    let midpoint = Tableau::butcher(&[vec![0.5]], &[1.0]).expect("a method");
    let with = |change: &dyn Fn(&mut Tableau)| {
        let mut tableau = midpoint.clone();
        change(&mut tableau);
        refusal(&RungeKutta { name: "mine", tableau, order: 1, companion: None })
    };
    assert!(with(&|t| t.velocity_weights[0] = 0.9).contains("sum up to 0.9"));
    assert!(with(&|t| t.position_weights[0] = 0.9).contains("sum up to 0.9"));
    assert!(with(&|t| t.velocity_rows[0].clear()).contains("row 1"));
    assert!(with(&|t| t.position_rows.clear()).contains("1 stages"));
    assert!(with(&|t| t.velocity_rows[0][0] = -0.5).contains("negative"));
    assert!(with(&|t| t.velocity_weights.clear()).contains("no stage"));
    assert!(with(&|t| t.position_rows[0][0] = f64::NAN).contains("finite"));
}

/// Methods that remember something of the step before.
fn with_memory() -> Vec<Box<dyn Integrator>> {
    vec![
        Box::new(A1),
        Box::new(ASearch::default()),
        Box::new(Bdf2),
        Box::new(Newmark { beta: 0.25, gamma: 0.5 }),
        Box::new(GeneralizedAlpha { rho_inf: 0.5 }),
        Box::new(Blend::default()),
        Box::new(RungeKutta::verlet()),
    ]
}

/// A state that a caller has changed is a new start: what was remembered of another one is not used.
#[test]
fn state_changed_between_steps_discards_memory() {
    let changes: [fn(&mut State); 2] =
        [|state| state.positions[0] *= 3.0, |state| state.velocities[0] = Vec3::Y];
    for integrator in with_memory() {
        for change in changes {
            let (mut system, mut solver) = (system(), solver());
            let mut state = at_rest();
            for _ in 0..3 {
                advance(&*integrator, &mut system, &mut solver, &mut state, 0.01).expect("a step");
            }
            change(&mut state);
            let mut fresh =
                State::new(state.time, state.positions.clone(), state.velocities.clone());
            for state in [&mut state, &mut fresh] {
                advance(&*integrator, &mut system, &mut solver, state, 0.01).expect("a step");
            }
            assert_eq!(state.positions, fresh.positions, "{}", integrator.name());
            assert_eq!(state.velocities, fresh.velocities, "{}", integrator.name());
        }
    }
}

/// The law above says nothing of a method that remembers nothing.
#[test]
fn multistep_methods_use_their_memory() {
    for integrator in with_memory() {
        let (mut system, mut state) = (system(), at_rest());
        advance(&*integrator, &mut system, &mut solver(), &mut state, 0.01).expect("a step");
        assert!(state.memory.records().count() > 1, "{}", integrator.name());
    }
}

/// Every record that a method leaves has a format that it declares, so its checkpoints can be resumed.
#[test]
fn methods_declare_their_memory() {
    for method in registry::all() {
        let (mut system, mut state) = (system(), at_rest());
        for step in 1..=3 {
            advance(&*method.integrator, &mut system, &mut solver(), &mut state, 0.01)
                .expect("a step");
            let checked = check_memory(&*method.integrator, &state.memory, 1, 0.01);
            assert_eq!(checked, Ok(()), "{} after step {step}", method.name);
        }
    }
}

#[test]
fn record_of_another_method_is_rejected() {
    let mut memory = Memory::default();
    let record = Record::default().with(Quantity::Action, vec![Vec3::ZERO]);
    memory.insert("generalized-alpha.acceleration", record);
    assert_eq!(check_memory(&GeneralizedAlpha { rho_inf: 0.5 }, &memory, 1, 0.01), Ok(()));
    let refused = check_memory(&Bdf2, &memory, 1, 0.01).expect_err("BDF2 has no such record");
    assert_eq!(refused.key, "generalized-alpha.acceleration");
}
