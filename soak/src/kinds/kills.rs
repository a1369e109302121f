//! Runs that are killed or stopped at any time, taken up again and again: their results are those
//! of the run that was left alone.

use crate::place::{Place, complete, same};
use crate::random::Random;
use crate::sim::Ended;
use std::time::Duration;

/// Kills of one run at most.
const KILLS: usize = 4;

pub(super) fn run(place: &Place<'_>, random: &mut Random) -> Result<(), String> {
    let name = place.a_scene(random);
    let expected = place.reference(name)?;
    let mut how = None;
    for _ in 0..=random.below(KILLS) {
        let run = ["run", "scene.ron", "-o", "out", "-q"];
        let mut running = place.sim().start(&[&run[..], how.as_slice()].concat());
        std::thread::sleep(Duration::from_millis(random.below(400) as u64));
        let signal = *random.pick(&["KILL", "TERM", "INT"]);
        if running.goes_on() {
            running.signal(signal);
        }
        let ended = running.end();
        fits(&ended, signal)?;
        if ended.code == Some(0) {
            break;
        }
        how = Some(how_to_go_on(place));
    }
    finished(place)?;
    same(&place.path("out"), &expected)
}

/// Whether a program that was sent a signal has ended as it should.
fn fits(ended: &Ended, signal: &str) -> Result<(), String> {
    match (signal, ended.signal) {
        // SIGKILL, of which no program hears; the others before anything listens to them.
        ("KILL", Some(9)) | ("TERM", Some(15)) | ("INT", Some(2)) => Ok(()),
        _ => ended.must(&[0, 1]),
    }
}

/// What makes a run go on that was cut off somewhere.
pub(super) fn how_to_go_on(place: &Place<'_>) -> &'static str {
    match place.path("out/checkpoint").exists() {
        true => "--resume",
        // Before the first checkpoint there is nothing to go on from.
        false => "--force",
    }
}

/// Takes the run up and to its end.
pub(super) fn finished(place: &Place<'_>) -> Result<(), String> {
    let how = how_to_go_on(place);
    let ended = place.sim().run(&["run", "scene.ron", "-o", "out", "-q", how]);
    ended.must(&[0])?;
    complete(&place.path("out"))
}
