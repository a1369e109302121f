//! Damaged scenes: `sim check` and two steps of `sim run` must agree, and neither may hang, panic
//! or call numbers complete that are not finite.

use crate::damage;
use crate::place::{Place, complete, finite};
use crate::random::Random;
use std::time::Duration;

/// What a damaged scene may ask for at most (KiB), so that the machine stays usable.
const MEMORY: &str = "ulimit -v 4000000";
/// A check ends by itself.
const CHECK: Duration = Duration::from_secs(120);
/// A damaged scene may ask for years: after this a run is asked to stop, and has to.
const RUN: Duration = Duration::from_secs(20);

pub(super) fn run(place: &Place<'_>, random: &mut Random) -> Result<(), String> {
    let (_, scene) = random.pick(&place.corpus.scenes);
    let (_, other) = random.pick(&place.corpus.scenes);
    let mut text = damage::text(scene, other, random);
    while random.once_in(3) {
        text = damage::text(&text, other, random);
    }
    place.write("scene.ron", &text);
    checked_and_run(place, &[])
}

/// Checks the scene and takes two steps of it, with the same options.
pub(super) fn checked_and_run(place: &Place<'_>, options: &[String]) -> Result<(), String> {
    let sim = place.sim().limited(MEMORY);
    let with = |command: &[&str]| -> Vec<String> {
        command.iter().map(|&word| word.to_owned()).chain(options.iter().cloned()).collect()
    };
    let checked = sim.run_within(&with(&["check", "scene.ron"]), CHECK);
    let command = ["run", "scene.ron", "-o", "out", "--steps", "2", "-q"];
    let run = sim.run_within(&with(&command), RUN);
    let folder = place.path("out");
    finite(&folder)?;
    if checked.ran_out_of_memory() || run.ran_out_of_memory() {
        return Ok(());
    }
    checked.must(&[0, 2])?;
    run.must_when_asked(&[0, 1, 2])?;
    if (checked.code == Some(2)) != (run.code == Some(2)) {
        let codes = format!("check ended with {:?}, run with {:?}", checked.code, run.code);
        return Err(format!("{codes}\n{}\n{}", checked.stderr, run.stderr));
    }
    match run.code {
        Some(0) => complete(&folder),
        Some(2) if folder.exists() => Err("a scene was refused after something was written".into()),
        Some(1 | 2) if run.stderr.trim().is_empty() => Err("no reason was given".to_owned()),
        _ => Ok(()),
    }
}
