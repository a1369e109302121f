//! Steps that are interrupted or exceed their limits.

use super::support::{DICE, Trial, built, finish};
use resile_record::{Existing, Status};
use resile_runner::{Run, RunError, Stepper, Stop};
use resile_watch::{Activity, Cause, Interrupt};

/// A step of a million substeps in which bodies fall and collide with friction: it takes minutes.
const ENDLESS: [&str; 3] = [
    "integrator=ImplicitEuler",
    "time.step=1",
    "time.adaptive=Doubling(error: 1e-12, shortest: 1e-6)",
];

fn start(trial: &Trial<'_>, set: &[&str], existing: Existing) -> Run {
    trial.start(set, existing).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn interrupted_step_repeats_bitwise() {
    let set = ["time.duration=1000", "output.checkpoint_steps=1000"];
    let (interrupt, activity) = (Interrupt::new(), Activity::new());
    let trial = Trial::new(DICE);
    let mut run = start(&trial, &set, Existing::Refuse);
    run.watch(interrupt.clone(), activity.clone(), None);
    let mut steps = 0;
    let stopped = std::thread::scope(|scope| {
        scope.spawn(|| {
            let inside = |activity: &Activity| activity.longest().map(|job| job.progress.iteration);
            while inside(&activity).is_none_or(|iteration| iteration <= 1) {
                std::thread::yield_now();
            }
            interrupt.raise(Cause::Asked);
        });
        loop {
            match run.advance() {
                Ok(_) => steps += 1,
                Err(error) => return error,
            }
        }
    });
    assert!(matches!(stopped, RunError::Interrupted { .. }), "{stopped}");
    let summary = finish(run, Stop::Interrupted);
    assert_eq!((summary.status, summary.steps_done), (Status::Interrupted, steps));

    let go_on = |trial: &Trial<'_>, existing, from: u64| {
        let mut run = start(trial, &set, existing);
        for _ in from..steps + 5 {
            run.advance().unwrap_or_else(|error| panic!("{error}"));
        }
        finish(run, Stop::Interrupted);
        (trial.history(), trial.states(&set))
    };
    let uncut = Trial::new(DICE);
    assert_eq!(go_on(&trial, Existing::Resume, steps), go_on(&uncut, Existing::Refuse, 0));
}

/// Takes a step that ends at a limit.
fn limited(set: &[&str], memory: Option<u64>) -> String {
    let trial = Trial::new(DICE);
    let mut run = start(&trial, set, Existing::Refuse);
    run.watch(Interrupt::new(), Activity::unobserved(), memory);
    let error = run.advance().expect_err("the step takes more than it may");
    assert!(matches!(error, RunError::Limit { .. }), "{error}");
    let summary = finish(run, Stop::Limit(error.to_string()));
    assert_eq!((summary.status, summary.steps_done), (Status::Failed, 0));
    assert!(trial.states(set).contains("time: 0.0"), "the checkpoint stands at the last good step");
    summary.reason
}

#[test]
fn step_over_its_time_limit_fails_and_names_the_active_solve() {
    let reason = limited(&[&ENDLESS[..], &["solver.max_seconds_per_step=0.01"]].concat(), None);
    for word in
        ["step 1 ", "too long", "Newton iteration", "pairs", "max_seconds_per_step", "0.01 s"]
    {
        assert!(reason.contains(word), "{word}: {reason}");
    }
    assert!(["left", "right", "third"].iter().any(|name| reason.contains(name)), "{reason}");
}

#[cfg(target_os = "linux")]
#[test]
fn step_over_its_memory_limit_fails_and_keeps_the_state() {
    let reason = limited(&ENDLESS, Some(1 << 20));
    for word in ["step 1 ", "too much memory", "1.0 MiB"] {
        assert!(reason.contains(word), "{word}: {reason}");
    }
}

#[test]
fn interrupted_settling_restarts() {
    let set = ["settle=true"];
    let trial = Trial::new(DICE);
    let mut run = start(&trial, &set, Existing::Refuse);
    let interrupt = Interrupt::new();
    run.watch(interrupt.clone(), Activity::unobserved(), None);
    interrupt.raise(Cause::Asked);
    let error = run.settle().expect_err("the interrupt is raised");
    assert!(matches!(error, RunError::Interrupted { .. }), "{error}");
    let summary = finish(run, Stop::Interrupted);
    assert_eq!((summary.status, summary.steps_done), (Status::Interrupted, 0));
    let mut run = start(&trial, &set, Existing::Resume);
    assert!(run.is_settling());
    run.settle().unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn unreached_limits_change_nothing() {
    let limits = [Some("solver.max_seconds_per_step=1e6"), None];
    let runs = limits.map(|limit| {
        let set = Vec::from_iter(["time.duration=0.2"].into_iter().chain(limit));
        let trial = Trial::new(DICE);
        trial.complete(&set, Existing::Refuse);
        (trial.history(), trial.states(&set))
    });
    assert_eq!(runs[0], runs[1]);
}

/// A stepper has no file that a test could compare, so all its bits are compared.
#[test]
fn step_of_a_stepper_over_its_time_limit_fails_and_keeps_the_state() {
    let set = [&ENDLESS[..], &["solver.max_seconds_per_step=0.01"]].concat();
    let (scene, built) = built(DICE, &set);
    let mut stepper = Stepper::new(scene, built, Interrupt::new());
    let start = stepper.save();
    let error = stepper.advance().expect_err("the step takes more than it may");
    assert!(matches!(error, RunError::Limit { .. }), "{error}");
    for word in ["step 1 ", "too long", "max_seconds_per_step allows 0.01 s"] {
        assert!(error.to_string().contains(word), "{word}: {error}");
    }
    assert_eq!((stepper.save(), stepper.steps()), (start, 0));
    assert!(!stepper.interrupt().is_raised(), "the next step begins anew");
}

#[test]
fn settling_of_a_stepper_over_its_time_limit_fails() {
    let (scene, built) = built(DICE, &["settle=true", "solver.max_seconds_per_step=1e-9"]);
    let mut stepper = Stepper::new(scene, built, Interrupt::new());
    let mut settled = Ok(true);
    while matches!(settled, Ok(true)) {
        settled = stepper.settle();
    }
    let error = settled.expect_err("a step of settling takes longer than a nanosecond");
    assert!(matches!(&error, RunError::Limit { step, .. } if step.contains("settling")), "{error}");
}
