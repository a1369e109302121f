//! Damaged mesh files: many in a process of their own, which gives them to the readers, and one
//! through the program.

use crate::damage;
use crate::engine::{self, Budget};
use crate::good_files::read::EXTENSIONS;
use crate::place::Place;
use crate::random::Random;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Cases of each reader, as far as there is time for them.
const CASES: u64 = 2000;
/// How long a reader is tried.
const TIME: Duration = Duration::from_secs(5);
/// When a process that reads is taken to hang.
const DEADLINE: Duration = Duration::from_secs(300);

pub(super) fn run(place: &Place<'_>, random: &mut Random) -> Result<(), String> {
    let ending: &str = EXTENSIONS[random.below(EXTENSIONS.len())];
    read_many(ending, random.next())?;
    let (name, good) = random.pick(&place.corpus.meshes);
    let mut bytes = good.clone();
    (0..=random.below(4)).for_each(|_| damage::bytes(&mut bytes, random));
    place.write(name, bytes);
    let sim = place.sim().limited("ulimit -v 4000000");
    for command in [&["info", name][..], &["mesh", name, "-o", "out.msh", "--tets", "50"]] {
        let ended = sim.run(command);
        if ended.ran_out_of_memory() {
            return Err(format!("a small file took more than 4 GB: {}", ended.command));
        }
        ended.must(&[0, 1, 2])?;
    }
    Ok(())
}

/// Starts this program again, as a reader: what ends it, as a full stack, must not end the soak.
fn read_many(ending: &str, number: u64) -> Result<(), String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(this);
    command.args(["--read", ending, "--seed", &number.to_string()]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.map_err(|error| error.to_string())?;
    let begun = Instant::now();
    while matches!(child.try_wait(), Ok(None)) && begun.elapsed() < DEADLINE {
        std::thread::sleep(Duration::from_millis(10));
    }
    let late = matches!(child.try_wait(), Ok(None));
    if late {
        let _ = child.kill();
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    match (late, output.status.success()) {
        (true, _) => Err(format!("the reader of .{ending} hangs, number {number}")),
        (false, true) => Ok(()),
        (false, false) => {
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            Err(format!("the reader of .{ending}, number {number}, {}: {said}", output.status))
        }
    }
}

/// What the process does that reads: tells what went wrong, if anything.
pub(crate) fn read(ending: &str, seeds: Vec<Vec<u8>>, number: u64) -> Result<u64, String> {
    let known = EXTENSIONS.into_iter().find(|&known| known == ending);
    let ending = known.ok_or_else(|| format!("no reader of .{ending}"))?;
    let report = engine::run(ending, seeds, number, Budget { cases: CASES, time: TIME });
    match report.failures.first() {
        None => Ok(report.cases),
        Some((bytes, said)) => Err(format!("{said}: {bytes:?}")),
    }
}
