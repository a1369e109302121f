//! Two processes with one folder: one of them is told so, or both come to an end one after the
//! other; the results are those of one.

use super::kills::finished;
use crate::place::{Place, same};
use crate::random::Random;
use std::time::Duration;

pub(super) fn run(place: &Place<'_>, random: &mut Random) -> Result<(), String> {
    let name = place.a_scene(random);
    let expected = place.reference(name)?;
    if random.once_in(2) {
        place.copy_run(&place.stopped(name)?, "out")?;
    }
    let mut hows = || match random.below(3) {
        0 => vec![],
        1 => vec!["--resume"],
        _ => vec!["--force"],
    };
    let (one, other) = (hows(), hows());
    let wait = Duration::from_millis(random.below(60) as u64);
    let start = |how: &[&str]| {
        place.sim().start(&[&["run", "scene.ron", "-o", "out", "-q"][..], how].concat())
    };
    let first = start(&one);
    std::thread::sleep(wait);
    let second = start(&other);
    for ended in [first.end(), second.end()] {
        ended.must(&[0, 2])?;
    }
    finished(place)?;
    same(&place.path("out"), &expected)
}
