//! Results do not depend on the number of threads.

use super::support::{DICE, DOOR, LARGE, Trial, built};
use resile_record::Existing;

/// What `work` gives on so many threads.
fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be started").install(work)
}

/// History and last states of a whole run.
fn left_behind(scene: &str, set: &[&str], threads: usize) -> (Vec<String>, String) {
    on_threads(threads, || {
        let trial = Trial::new(scene);
        trial.complete(set, Existing::Refuse);
        (trial.history(), trial.states(set))
    })
}

#[test]
fn merging_islands_are_bitwise_equal_for_any_number_of_threads() {
    let one = left_behind(DICE, &[], 1);
    assert_eq!(one.0.len(), 62, "a header, the start and sixty steps");
    for threads in [2, 3] {
        assert_eq!(left_behind(DICE, &[], threads), one, "{threads} threads");
    }
}

#[test]
fn scene_for_merging_islands_merges_and_splits_them() {
    let (scene, built) = built(DICE, &[]);
    let mut world = built.world;
    let counts: Vec<usize> = (1..=scene.time.steps())
        .map(|step| {
            let (h, end) = (scene.time.step.seconds(), scene.time.step.time_after(step));
            world.step(h, end).unwrap_or_else(|failure| panic!("{failure}")).islands.len()
        })
        .collect();
    let met = counts.iter().position(|&islands| islands < 3);
    let met = met.unwrap_or_else(|| panic!("they never meet: {counts:?}"));
    assert!(met > 0, "they begin apart: {counts:?}");
    assert!(counts[met..].contains(&3), "they part again: {counts:?}");
}

#[test]
fn joints_cloth_and_kinematic_bodies_are_bitwise_equal_for_any_number_of_threads() {
    for integrator in ["integrator=ASearch()", "integrator=Bdf2"] {
        let one = left_behind(DOOR, &[integrator], 1);
        assert_eq!(one.0.len(), 32, "a header, the start and thirty steps");
        assert_eq!(left_behind(DOOR, &[integrator], 3), one, "{integrator}");
    }
}

#[test]
fn large_body_is_bitwise_equal_for_any_number_of_threads() {
    for linear in ["solver.linear=Direct", "solver.linear=Iterative()"] {
        let one = left_behind(LARGE, &[linear], 1);
        let contacts = one.0[0].split(',').position(|column| column == "contacts");
        let contacts = contacts.expect("a column of the history");
        let touched = |row: &String| row.split(',').nth(contacts) != Some("0");
        assert!(one.0[1..].iter().any(touched), "it meets the floor");
        assert_eq!(left_behind(LARGE, &[linear], 2), one, "{linear}");
    }
}

#[test]
fn local_global_steps_are_bitwise_equal_for_any_number_of_threads() {
    let set = ["solver.method=LocalGlobal(iterations: 8)", "integrator=Blend()"];
    for scene in [DICE, LARGE] {
        let one = left_behind(scene, &set, 1);
        assert_eq!(left_behind(scene, &set, 2), one);
    }
}
