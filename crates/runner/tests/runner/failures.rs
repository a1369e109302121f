//! Steps that fail: saved by halving, or the end of the run.

use super::support::{DICE, Trial};
use resile_record::{Existing, Status};

/// An impact that few Newton iterations cannot solve.
const HARD: [&str; 2] = ["bodies.left.velocity=(0, -5, 0)", "time.duration=0.15"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    HARD.iter().chain(more).copied().collect()
}

#[test]
fn failed_run_reports_the_cause_and_keeps_its_last_good_state() {
    let trial = Trial::new(DICE);
    let poor = with(&["solver.max_iterations=2", "solver.max_halvings=1"]);
    let summary = trial.run(&poor, Existing::Refuse);
    assert_eq!(summary.status, Status::Failed);
    let failed = summary.steps_done + 1;
    assert!(summary.steps_done < summary.steps_asked);
    for word in [&format!("step {failed} failed"), "in 2 substeps", "2 iterations", "tolerance"] {
        assert!(summary.reason.contains(word), "{word}: {}", summary.reason);
    }
    assert_eq!(trial.history().len() as u64, summary.steps_done + 2);
    let time = format!("time: {:?}", summary.simulated_seconds);
    assert!(trial.states(&poor).contains(&time), "the checkpoint stands at the last good step");
}

#[test]
fn failed_run_resumes_with_more_robust_solver_settings() {
    let trial = Trial::new(DICE);
    let poor = with(&["solver.max_iterations=2", "solver.max_halvings=1"]);
    let failed = trial.run(&poor, Existing::Refuse);
    assert_eq!(failed.status, Status::Failed);
    let good = trial.complete(&HARD, Existing::Resume);
    assert_eq!(good.steps_done, good.steps_asked);
    assert_eq!(trial.history().len() as u64, good.steps_asked + 2);
    assert!(good.min_distance.is_some_and(|d| d > 0.0) && good.min_det_f.is_some_and(|d| d > 0.0));
}

#[test]
fn halved_step_records_its_substeps_and_ends_at_the_step_end() {
    let trial = Trial::new(DICE);
    let few = [
        "solver.max_iterations=8",
        "solver.tolerance=0.01",
        "solver.friction=(rounds: 0)",
        "integrator=ImplicitEuler",
    ];
    trial.complete(&with(&few), Existing::Refuse);
    let (steps, times) = (trial.column("h"), trial.column("time"));
    let h = 1.0 / 120.0;
    assert!(steps.iter().any(|&taken| taken < h), "no step was halved: {steps:?}");
    assert!(steps.contains(&h), "the others are whole: {steps:?}");
    for taken in steps {
        let halvings = (h / taken).log2();
        assert_eq!(halvings.fract(), 0.0, "{taken} is no half of halves of {h}");
    }
    for (step, time) in times.into_iter().enumerate() {
        assert_eq!(time, (step + 1) as f64 / 120.0);
    }
    assert!(trial.column("residual").iter().all(|&residual| residual <= 0.01));
}

#[test]
fn run_reports_a_failed_first_step() {
    let trial = Trial::new(DICE);
    let set =
        ["solver.max_iterations=1", "solver.max_halvings=0", "bodies.left.velocity=(9, 0, 0)"];
    let summary = trial.run(&set, Existing::Refuse);
    assert_eq!((summary.status, summary.steps_done), (Status::Failed, 0));
    assert!(summary.reason.contains("step 1 failed"), "{}", summary.reason);
    assert!(trial.folder().join("summary.json").is_file());
}
