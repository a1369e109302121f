//! Closed and full output pipes.

use crate::place::Place;
use crate::random::Random;
use std::fs::File;
use std::path::PathBuf;
use std::process::Stdio;

const COMMANDS: [&[&str]; 9] = [
    &["run", "scene.ron", "-o", "out", "--steps", "2"],
    &["run", "scene.ron", "-o", "out", "--steps", "2", "--plain"],
    &["check", "scene.ron"],
    &["check", "scene.ron", "--json"],
    &["info", "scene.ron"],
    &["info", "wedge.obj", "--json"],
    &["compare", "scene.ron", "-i", "ImplicitEuler,Bdf2", "--steps", "2", "-o", "out"],
    &["bench", "scene.ron", "--runs", "1", "--steps", "2"],
    &["--help"],
];

/// What stands behind an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// A pipe whose reader has closed it.
    Closed,
    /// A device that is full.
    Full,
    /// A file.
    File,
}

pub(super) fn run(place: &Place<'_>, random: &mut Random) -> Result<(), String> {
    place.a_scene(random);
    let ends = [(); 2].map(|()| *random.pick(&[End::Closed, End::Full, End::File]));
    let names = ["stdout-0", "stderr-0"].map(|name| place.path(name));
    let streams = [stream(ends[0], &names[0])?, stream(ends[1], &names[1])?];
    let command = *random.pick(&COMMANDS);
    let ended = place.sim().start_into(command, streams, names).end();
    let codes: &[i32] = match ends[0] {
        End::Full => &[0, 1],
        End::Closed | End::File => &[0],
    };
    ended.must(codes).map_err(|said| format!("{ends:?}: {said}"))
}

fn stream(end: End, file: &PathBuf) -> Result<Stdio, String> {
    let opened = match end {
        End::Closed => {
            let (reader, writer) = std::io::pipe().map_err(|error| error.to_string())?;
            drop(reader);
            return Ok(writer.into());
        }
        End::Full => File::options().write(true).open("/dev/full"),
        End::File => File::create(file),
    };
    opened.map(Into::into).map_err(|error| format!("{end:?}: {error}"))
}
