//! Interactive scenes.

use super::support::{DICE, DOOR, Trial, built};
use resile_math::Vec3;
use resile_record::{Existing, Playback};
use resile_runner::LiveScene;
use resile_system::State;
use tempfile::TempDir;

/// A scene that is looked at, and where its first frame is.
fn live(text: &str) -> (LiveScene, TempDir) {
    let (scene, built) = built(text, &[]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let live = LiveScene::start(&scene, built, &folder.path().join("live"));
    (live.expect("the frame can be written"), folder)
}

fn states(scene: &LiveScene) -> Vec<State> {
    (0..scene.world().body_count()).map(|body| scene.world().state(body).clone()).collect()
}

fn advance(scene: &mut LiveScene, steps: usize) {
    for _ in 0..steps {
        scene.advance().unwrap_or_else(|failure| panic!("{failure}"));
    }
}

#[test]
fn live_simulation_equals_a_run_until_dragged_and_after_a_restart() {
    let trial = Trial::new(DICE);
    let mut run = trial.start(&[], Existing::Refuse).expect("it can begin");
    let (mut scene, _folder) = live(DICE);
    for _ in 0..20 {
        run.advance().expect("the step can be taken");
    }
    advance(&mut scene, 20);
    let calm = states(&scene);
    for (body, state) in calm.iter().enumerate() {
        assert_eq!(state, run.world().state(body), "body {body}");
    }
    scene.restart();
    for step in 0..20 {
        scene.pull(3, Vec3::new(0.0, 0.1 + 0.01 * f64::from(step), 0.1));
        advance(&mut scene, 1);
    }
    assert_ne!(states(&scene), calm, "a hand was in it");
    scene.restart();
    assert_eq!(scene.time(), 0.0);
    advance(&mut scene, 20);
    assert_eq!(states(&scene), calm);
}

#[test]
fn live_states_index_the_points_of_the_first_frame() {
    for text in [DICE, DOOR] {
        let (mut scene, folder) = live(text);
        let drawn = Playback::open(folder.path().join("live")).expect("there is a frame");
        let first = drawn.frame(0).expect("it can be read").positions;
        let points = scene.points();
        for (position, &point) in first.iter().zip(drawn.points()) {
            assert_eq!(*position, points[point as usize].as_vec3().to_array());
        }
        // Every point that moves by forces follows a hand; all others stay with what moves them.
        for (vertex, &point) in drawn.points().iter().enumerate().step_by(7) {
            scene.restart();
            let before = scene.points()[point as usize];
            for _ in 0..3 {
                scene.pull(point as usize, before + 0.05 * Vec3::Y);
                advance(&mut scene, 1);
            }
            let pulled = scene.points()[point as usize].y;
            scene.restart();
            advance(&mut scene, 3);
            let left = scene.points()[point as usize].y;
            let body = drawn.bodies().iter().find(|body| body.vertices.contains(&vertex));
            let body = body.expect("every vertex is of a body");
            let moves = body.role == resile_record::Role::Body;
            assert_eq!(pulled > left, moves, "vertex {vertex} of {}: {pulled} {left}", body.name);
        }
    }
}

#[test]
fn dragged_hand_stays_within_its_reach() {
    for text in [DICE, DOOR] {
        let (mut scene, _folder) = live(text);
        let start = scene.points();
        let size = start.iter().map(|point| point.length()).fold(0.0, f64::max);
        let directions = [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::new(1.0, -1.0, 1.0)];
        for (far, direction) in [10.0, 1e30, f64::MAX].into_iter().zip(directions.iter().cycle()) {
            scene.restart();
            for _ in 0..8 {
                scene.pull(3, far * *direction);
                assert!(scene.is_dragging());
                advance(&mut scene, 1);
            }
            let farthest = scene.points().iter().map(|point| point.length()).fold(0.0, f64::max);
            assert!(farthest < 20.0 * size, "{far:e}: {farthest} m, of {size} m");
        }
        scene.pull(3, Vec3::new(f64::NAN, 0.0, 0.0));
        assert!(!scene.is_dragging(), "no place is no place to go to");
    }
}
