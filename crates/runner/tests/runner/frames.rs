//! When frames are written.

use super::support::{DICE, Trial, built};
use resile_mesh::read::{OtherSolidPolicy, read_ply, read_vtu};
use resile_record::Existing;
use resile_verify::Verifier;

/// Times (s) in the index.
fn times(trial: &Trial<'_>) -> Vec<f64> {
    let index = std::fs::read_to_string(trial.folder().join("frames/frames.pvd"));
    let index = index.expect("a run with frames writes their index");
    let frames = index.lines().filter(|line| line.contains("part=\"0\""));
    frames.map(|line| line.split('"').nth(1).expect("a time").parse().expect("a time")).collect()
}

fn steps_of_frames(rate: &str) -> Vec<u64> {
    let trial = Trial::new(DICE);
    let set = ["output.formats=[Vtu]", "time.duration=0.1", rate];
    trial.complete(&set, Existing::Refuse);
    times(&trial).into_iter().map(|time| (time * 120.0).round() as u64).collect()
}

#[test]
fn frames_are_one_frame_interval_apart() {
    assert_eq!(steps_of_frames("output.frame_rate=60"), [0, 2, 4, 6, 8, 10, 12]);
    assert_eq!(steps_of_frames("output.frame_rate=120"), (0..=12).collect::<Vec<_>>());
    // Intervals of 2.4 steps end at 2.4, 4.8, 7.2, 9.6 and 12 steps.
    assert_eq!(steps_of_frames("output.frame_rate=50"), [0, 2, 5, 7, 10, 12]);
    // Those of 2.5 steps in the middle of two steps, of which the earlier one is taken.
    assert_eq!(steps_of_frames("output.frame_rate=48"), [0, 2, 5, 7, 10, 12]);
}

#[test]
fn frame_rate_above_the_step_rate_gives_one_frame_per_step() {
    assert_eq!(steps_of_frames("output.frame_rate=1000"), (0..=12).collect::<Vec<_>>());
}

#[test]
fn frames_enabled_on_resumption_keep_their_rate() {
    let trial = Trial::new(DICE);
    trial.complete(&["time.duration=0.1"], Existing::Refuse);
    trial.complete(&["time.duration=0.2", "output.formats=[Vtu]"], Existing::Resume);
    let steps: Vec<u64> = times(&trial).iter().map(|time| (time * 120.0).round() as u64).collect();
    assert_eq!(steps, [14, 16, 18, 20, 22, 24]);
}

#[test]
fn ply_surfaces_are_the_boundaries_of_vtu_solids() {
    let trial = Trial::new(DICE);
    trial.complete(&["output.formats=[Ply, Vtu]", "time.duration=0.1"], Existing::Refuse);
    for number in [0, 6] {
        let open = |ending| {
            let name = format!("frames/frame_{number:06}.{ending}");
            std::fs::File::open(trial.folder().join(name)).expect("a run writes its frames")
        };
        let solid = read_vtu(open("vtu"), OtherSolidPolicy::Refuse).expect("a solid").mesh;
        let surface = read_ply(open("ply")).expect("a surface").mesh;
        assert_eq!(surface, solid.boundary());
        assert_eq!(surface.triangles.len(), 144, "three dice");
    }
}

/// Surfaces in PLY are those of the grids, so that the same is found in them.
#[test]
fn verification_of_ply_frames_equals_that_of_grids() {
    let verify = |formats: &str| {
        let trial = Trial::new(DICE);
        let set = [formats, "time.duration=0.1"];
        trial.complete(&set, Existing::Refuse);
        let (scene, _) = built(DICE, &set);
        let verifier = Verifier::open(&scene.rules(), &trial.folder());
        verifier.unwrap_or_else(|error| panic!("{error}")).run(&mut |_| {})
    };
    let [ply, vtu] = ["output.formats=[Ply]", "output.formats=[Vtu]"].map(verify);
    assert_eq!(ply.to_json(), vtu.to_json());
    assert!(ply.frames == 7 && ply.pairs > 0, "{}", ply.to_json());
}

#[test]
fn verification_without_frames_is_rejected_with_a_remedy() {
    let trial = Trial::new(DICE);
    let set = ["output.formats=[]", "time.duration=0.05"];
    trial.complete(&set, Existing::Refuse);
    let (scene, _) = built(DICE, &set);
    let error = Verifier::open(&scene.rules(), &trial.folder()).expect_err("there are no frames");
    assert!(error.to_string().contains("with `Vtu` or `Ply` in `output.formats`"), "{error}");
}

/// A frame is put on the disk with the checkpoint that counts on it, and all those of a checkpoint in one call.
#[test]
fn files_are_synced_per_checkpoint_and_not_per_frame() {
    let syncs = |duration: &str, checkpoints: &str| {
        let trial = Trial::new(DICE);
        let set = ["output.formats=[Vtu]", "output.frame_rate=120", duration, checkpoints];
        let before = resile_files::syncs();
        trial.complete(&set, Existing::Refuse);
        resile_files::syncs() - before
    };
    let [short, long] = ["time.duration=0.1", "time.duration=0.2"];
    let [few, many] = ["output.checkpoint_steps=12", "output.checkpoint_steps=3"];
    // Twelve frames more at the same number of checkpoints, and six checkpoints more for the same frames.
    assert_eq!(syncs(long, "output.checkpoint_steps=24"), syncs(short, few));
    let each = (syncs(long, many) - syncs(long, few)) as f64 / 6.0;
    // The table, the frames, the checkpoint and its name.
    assert!(cfg!(not(target_os = "linux")) || each <= 4.0, "{each} a checkpoint");
    assert!(syncs(short, few) < 40, "{}", syncs(short, few));
}
