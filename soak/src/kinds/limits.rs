//! Few open files, little memory, a small stack: the program fails with a reason, and what it
//! left can be taken up.

use super::kills::finished;
use crate::place::{Place, finite, same};
use crate::random::Random;

/// Below this many open files, or this much memory (KiB), the system cannot even start it.
const FILES: usize = 3;
const MEMORY: usize = 40_000;
/// Of the first thread (KiB).
const STACK: usize = 128;

/// The signal by which the allocator ends a program that gets no memory.
const ABORTED: i32 = 6;

pub(super) fn run(place: &Place<'_>, random: &mut Random) -> Result<(), String> {
    let name = place.a_scene(random);
    let expected = place.reference(name)?;
    let limit = match random.below(3) {
        0 => format!("ulimit -n {}", FILES + random.below(12)),
        1 => format!("ulimit -v {}", MEMORY + random.below(400_000)),
        _ => format!("ulimit -s {}", STACK + random.below(512)),
    };
    let ended = place.sim().limited(&limit).run(&["run", "scene.ron", "-o", "out", "-q"]);
    let memory = limit.contains("-v");
    // The loader fails before `main` can report a reason: exit code 127.
    let unborn = ended.code == Some(127) && !place.path("out").exists();
    let aborted = memory && ended.signal == Some(ABORTED);
    if !(unborn || aborted) {
        ended.must(&[0, 1, 2]).map_err(|said| format!("{limit}: {said}"))?;
    }
    finite(&place.path("out"))?;
    finished(place).and_then(|()| same(&place.path("out"), &expected))
}
