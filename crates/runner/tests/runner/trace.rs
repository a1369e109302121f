//! A row for each iteration of the solver.

use super::support::{DICE, LARGE, Trial, finish};
use resile_record::{Counts, Existing, Summary};
use resile_runner::Stop;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Where the trace of a trial goes.
fn file(trial: &Trial<'_>) -> PathBuf {
    trial.folder().join("trace.csv")
}

fn text(trial: &Trial<'_>) -> String {
    std::fs::read_to_string(file(trial)).expect("there is a trace")
}

/// Takes so many steps with a trace.
fn traced(trial: &Trial<'_>, set: &[&str], existing: Existing, steps: usize) -> Summary {
    let mut run = trial.start(set, existing).unwrap_or_else(|error| panic!("{error}"));
    run.trace(&file(trial)).unwrap_or_else(|error| panic!("{error}"));
    for _ in 0..steps {
        run.advance().unwrap_or_else(|error| panic!("{error}"));
    }
    finish(run, Stop::Interrupted)
}

/// Its rows by the names of columns; no name of these scenes has a comma.
fn rows(text: &str) -> Vec<BTreeMap<&str, &str>> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
    lines.map(|line| names.iter().copied().zip(line.split(',')).collect()).collect()
}

#[test]
fn trace_changes_no_result_and_agrees_with_the_summary() {
    for set in [&[][..], &["solver.linear=Iterative()"], &["solver.method=LocalGlobal()"]] {
        let (plain, with_trace) = (Trial::new(DICE), Trial::new(DICE));
        let mut run = plain.start(set, Existing::Refuse).expect("it is new");
        (0..30).for_each(|_| _ = run.advance().unwrap_or_else(|error| panic!("{error}")));
        let counts = finish(run, Stop::Interrupted).counts;
        assert_eq!(traced(&with_trace, set, Existing::Refuse, 30).counts, counts);
        assert_eq!(with_trace.history(), plain.history());
        assert_eq!(with_trace.states(set), plain.states(set));

        let text = text(&with_trace);
        // The solves of velocities alone are no part of the summary.
        let rows: Vec<_> =
            rows(&text).into_iter().filter(|row| row["unknowns"] == "positions").collect();
        let of_parts = rows.iter().filter(|row| !row["part"].is_empty()).count();
        let sum = |name: &str| -> u64 {
            rows.iter().map(|row| row[name].parse::<u64>().expect("a number")).sum()
        };
        let kept = rows.iter().filter(|row| row["kept"] == "1").count();
        assert_eq!(kept, rows.len(), "no island is solved again in this scene");
        let Counts { island_iterations, part_iterations, .. } = counts;
        assert_eq!((rows.len() - of_parts) as u64, island_iterations, "{set:?}");
        assert_eq!(of_parts as u64, part_iterations, "{set:?}");
        assert_eq!(sum("linear"), counts.linear_iterations, "{set:?}");
        assert_eq!(sum("backtracks"), counts.backtracks, "{set:?}");
    }
}

#[test]
fn trace_rows_hold_step_bounds_and_energy_decrease() {
    let trial = Trial::new(DICE);
    traced(&trial, &[], Existing::Refuse, 40);
    let text = text(&trial);
    let rows = rows(&text);
    let impacts: Vec<_> = rows.iter().filter(|row| row["cut"] == "impact").collect();
    assert!(!impacts.is_empty(), "dice fall on a floor");
    for row in &impacts {
        let number = |name: &str| row[name].parse::<f64>().expect("a number");
        assert!(row["limit"].contains(" and "), "{row:?}");
        assert!(number("bound") < 1.0 && number("fraction") == number("bound"), "{row:?}");
    }
    let whole = rows.windows(2).filter(|pair| {
        let [a, b] = pair else { return false };
        (a["step"], a["solve"]) == (b["step"], b["solve"]) && a["part"].is_empty()
    });
    let mut seen = 0;
    for pair in whole.filter(|pair| pair[1]["part"].is_empty()) {
        let number = |row: usize, name: &str| pair[row][name].parse::<f64>().expect("a number");
        let fallen = number(0, "energy") - number(1, "energy");
        let scale = number(0, "energy").abs().max(fallen.abs());
        assert!((number(0, "actual") - fallen).abs() <= 1e-12 * scale, "{pair:?}");
        assert_eq!(pair[0]["ending"], "");
        seen += 1;
    }
    assert!(seen > 20, "{seen} pairs of iterations");
    assert_eq!(rows.last().map(|row| row["ending"]), Some("converged"));
    assert!(trial.folder().join("trace.svg").exists());
}

#[test]
fn trace_is_equal_for_any_number_of_threads() {
    for (scene, steps) in [(DICE, 30), (LARGE, 8)] {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads can be started").install(|| {
                let trial = Trial::new(scene);
                traced(&trial, &[], Existing::Refuse, steps);
                text(&trial)
            })
        };
        let one = on(1);
        assert!(one.lines().count() > 10);
        assert!(on(3) == one, "rows of three threads differ");
    }
}

#[test]
fn trace_continues_with_a_resumed_run() {
    let (parts, whole) = (Trial::new(DICE), Trial::new(DICE));
    traced(&parts, &[], Existing::Refuse, 17);
    traced(&parts, &[], Existing::Resume, 13);
    traced(&whole, &[], Existing::Refuse, 30);
    assert!(text(&parts) == text(&whole), "the rows of a resumed run differ");
    let mut run = parts.start(&[], Existing::Resume).expect("there is a checkpoint");
    let refused = run.trace(&parts.folder().join("history.csv")).expect_err("it is the run's");
    assert!(refused.to_string().contains("history.csv"), "{refused}");
}

#[test]
fn trace_rows_of_a_failed_step_hold_the_cause() {
    let trial = Trial::new(DICE);
    let set = ["solver.max_iterations=1", "solver.max_halvings=1"];
    let mut run = trial.start(&set, Existing::Refuse).expect("it is new");
    run.trace(&file(&trial)).expect("it is new");
    while run.advance().is_ok() {}
    finish(run, Stop::Interrupted);
    let text = text(&trial);
    let rows = rows(&text);
    let last = rows.last().expect("there are rows");
    assert_eq!([last["ending"], last["kept"]], ["too many iterations", "0"]);
}
