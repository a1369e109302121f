//! A disk that is too small: the run fails with a reason, and goes on where there is room.

use super::kills::{finished, how_to_go_on};
use crate::place::{Place, finite, same};
use crate::random::Random;
use std::path::Path;
use std::process::{Command, Stdio};

pub(super) fn run(place: &Place<'_>, random: &mut Random) -> Result<(), String> {
    let name = place.a_scene(random);
    let expected = place.reference(name)?;
    let out = place.path("out");
    std::fs::create_dir_all(&out).map_err(|error| error.to_string())?;
    let pages = 1 + random.below(60);
    match Disk::mounted(&out, pages) {
        Some(disk) => {
            let ended = place.sim().run(&["run", "scene.ron", "-o", "out", "-q"]);
            ended.must(&[0, 1]).map_err(|said| format!("{pages} pages: {said}"))?;
            finite(&out)?;
            if random.once_in(3) {
                // Still too small.
                let how = how_to_go_on(place);
                let again = place.sim().run(&["run", "scene.ron", "-o", "out", "-q", how]);
                again.must(&[0, 1]).map_err(|said| format!("{pages} pages again: {said}"))?;
            }
            disk.grow()?;
            finished(place).and_then(|()| same(&out, &expected))
        }
        // Mounting is not permitted here; a limit on file size has much the same effect.
        None => {
            let limit = format!("trap '' XFSZ; ulimit -f {}", 1 + random.below(40));
            let ended = place.sim().limited(&limit).run(&["run", "scene.ron", "-o", "out", "-q"]);
            ended.must(&[0, 1]).map_err(|said| format!("{limit}: {said}"))?;
            finite(&out)?;
            finished(place).and_then(|()| same(&out, &expected))
        }
    }
}

/// A file system in memory, gone when it is dropped.
#[derive(Debug)]
struct Disk<'a> {
    folder: &'a Path,
}

/// Bytes of a page, the least that such a file system gives.
const PAGE: usize = 4096;

impl<'a> Disk<'a> {
    /// So many pages large; nothing where the system does not allow it.
    fn mounted(folder: &'a Path, pages: usize) -> Option<Self> {
        let size = format!("size={}", pages * PAGE);
        mount(&["-t", "tmpfs", "-o", &size, "tmpfs"], folder).then_some(Self { folder })
    }

    fn grow(&self) -> Result<(), String> {
        let grown = mount(&["-o", "remount,size=256m"], self.folder);
        grown.then_some(()).ok_or_else(|| "the disk could not be made larger".to_owned())
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.folder).stderr(Stdio::null()).status();
    }
}

fn mount(options: &[&str], folder: &Path) -> bool {
    let mut command = Command::new("mount");
    let status = command.args(options).arg(folder).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
