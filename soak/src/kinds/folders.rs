//! Damaged folders: what a resumed run counts on is refused by name, what it can make again is
//! made again, to the bit.

use crate::damage;
use crate::place::{Place, same};
use crate::random::Random;
use std::fs;
use std::path::{Path, PathBuf};

pub(super) fn run(place: &Place<'_>, random: &mut Random) -> Result<(), String> {
    let name = place.a_scene(random);
    let run = place.copy_run(&place.stopped(name)?, "out")?;
    let files = files(&run);
    let file = random.pick(&files).clone();
    let good = fs::read(&file).map_err(|error| error.to_string())?;
    let known = file.strip_prefix(&run).unwrap_or(&file).to_string_lossy().into_owned();
    let mut bytes = Some(good.clone());
    while bytes.as_ref() == Some(&good) {
        bytes = match random.below(4) {
            0 => None,
            1 => Some(good[..random.below(good.len())].to_vec()),
            _ => {
                let mut changed = good.clone();
                damage::bytes(&mut changed, random);
                Some(changed)
            }
        };
    }
    let cut = bytes.as_ref().is_none_or(|bytes| bytes.len() != good.len());
    match &bytes {
        Some(bytes) => fs::write(&file, bytes),
        None => fs::remove_file(&file),
    }
    .map_err(|error| error.to_string())?;
    let ended = place.sim().run(&["run", "scene.ron", "-o", "out", "--resume", "-q"]);
    let table = known.ends_with(".csv") || known == "checkpoint";
    let frame = known.contains("frame_");
    if table || (frame && cut) {
        ended.must(&[2])?;
        let named = ended.stderr.contains(&known) || known == "checkpoint";
        return if named { Ok(()) } else { Err(format!("{known}: {}", ended.stderr)) };
    }
    ended.must(&[0])?;
    if frame {
        // Of a frame only the length is looked at: it stays as it is.
        fs::write(&file, &good).map_err(|error| error.to_string())?;
    }
    same(&run, &place.reference(name)?).map_err(|difference| format!("{known}: {difference}"))
}

/// All files of a run, in the order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if fs::metadata(&path).is_ok_and(|data| data.len() > 0) {
            found.push(path);
        }
    }
    found.sort();
    found
}
