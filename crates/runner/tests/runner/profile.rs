//! Where time went, step by step, is where it went in all.

use super::support::{DICE, Trial, finish};
use resile_record::{Counts, Existing, Summary};
use resile_runner::{Profile, Run, Stop};

fn take(run: &mut Run, steps: usize) {
    for _ in 0..steps {
        run.advance().unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Header and rows of the profile.
fn rows(trial: &Trial<'_>) -> (Vec<String>, Vec<Vec<f64>>) {
    let path = trial.folder().join("profile.csv");
    let text = std::fs::read_to_string(path).expect("there is a profile");
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned));
    let header = lines.next().expect("a header").collect();
    let number = |cell: String| cell.parse().expect("a number in every cell");
    (header, lines.map(|line| line.map(number).collect()).collect())
}

fn column(trial: &Trial<'_>, name: &str) -> Vec<f64> {
    let (header, rows) = rows(trial);
    let index = header.iter().position(|column| column == name);
    let index = index.unwrap_or_else(|| panic!("no column {name} in {header:?}"));
    rows.iter().map(|row| row[index]).collect()
}

fn sums_are_those_of_the_summary(trial: &Trial<'_>, summary: &Summary) {
    let sum = |name| column(trial, name).iter().sum::<f64>();
    let largest = |name| column(trial, name).into_iter().fold(0.0, f64::max);
    let found = Counts {
        newton_iterations: sum("newton") as u64,
        island_iterations: sum("island_iterations") as u64,
        part_iterations: sum("part_iterations") as u64,
        linear_iterations: sum("linear") as u64,
        projected_iterations: sum("projected") as u64,
        direct_solves: sum("direct_solves") as u64,
        unconverged_solves: 0,
        backtracks: sum("backtracks") as u64,
        most_islands: largest("islands") as u64,
        largest_island: largest("largest_island") as u64,
    };
    assert_eq!(found, summary.counts);
    let phases = &summary.phase_seconds;
    for (name, total) in [
        ("assembly", phases.assembly),
        ("linear_solve", phases.linear_solve),
        ("collision", phases.collision),
        ("line_search", phases.line_search),
    ] {
        assert!(total > 0.0, "{name} takes time");
        assert!((sum(name) - total).abs() <= 1e-12 * total, "{name}: {} of {total}", sum(name));
    }
    // The last checkpoint and the plots belong to no step.
    assert!(sum("output") > 0.0 && sum("output") <= phases.output);
    assert!(sum("seconds") + sum("output") <= summary.wall_seconds);
    for step in 0..column(trial, "step").len() {
        let at = |name| column(trial, name)[step];
        let phases = ["assembly", "linear_solve", "collision", "line_search"].map(at);
        let rest = at("seconds") - phases.iter().sum::<f64>();
        assert!((at("other") - rest.max(0.0)).abs() <= 1e-12, "step {step}");
    }
}

#[test]
fn profile_sums_equal_the_summary_across_a_resumption() {
    let trial = Trial::new(DICE);
    let mut run = trial.start_with(Profile::EachStep, &[], Existing::Refuse).expect("it is new");
    take(&mut run, 13);
    let first = finish(run, Stop::Interrupted);
    sums_are_those_of_the_summary(&trial, &first);
    // What was begun is gone on with, so that a profile has no gaps.
    let mut run = trial.start(&[], Existing::Resume).expect("there is a checkpoint");
    take(&mut run, 9);
    let all = finish(run, Stop::Interrupted);
    assert_eq!(column(&trial, "step"), (1..=22).map(f64::from).collect::<Vec<_>>());
    assert!(all.counts.newton_iterations > first.counts.newton_iterations);
    assert!(all.counts.most_islands > 1, "islands are side by side: {:?}", all.counts);
    sums_are_those_of_the_summary(&trial, &all);
    assert_eq!(trial.column("newton"), column(&trial, "newton"));
    assert!(trial.folder().join("profile.svg").exists());
}

#[test]
fn profile_is_optional_and_changes_no_result() {
    let (plain, profiled) = (Trial::new(DICE), Trial::new(DICE));
    let mut run = plain.start(&[], Existing::Refuse).expect("it is new");
    take(&mut run, 12);
    let counted = finish(run, Stop::Interrupted).counts;
    for file in ["profile.csv", "profile.svg"] {
        assert!(!plain.folder().join(file).exists(), "{file}");
    }
    let mut run = profiled.start_with(Profile::EachStep, &[], Existing::Refuse).expect("it is new");
    take(&mut run, 12);
    assert_eq!(finish(run, Stop::Interrupted).counts, counted);
    assert_eq!(profiled.history(), plain.history());
}

#[test]
fn profile_may_start_at_a_resumption() {
    let trial = Trial::new(DICE);
    let mut run = trial.start(&[], Existing::Refuse).expect("it is new");
    take(&mut run, 3);
    finish(run, Stop::Interrupted);
    // Killed before the next checkpoint, and taken up again where it was.
    for _ in 0..2 {
        let run = trial.start_with(Profile::EachStep, &[], Existing::Resume);
        let mut run = run.expect("there is a checkpoint");
        take(&mut run, 2);
    }
    assert_eq!(column(&trial, "step"), [4.0, 5.0]);
}
