//! Files that are there whole or not at all.

use super::{OutputError, io};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What the name of a file that is not whole yet ends with.
pub(crate) const UNFINISHED: &str = ".tmp";

/// Where a file is written before it takes the place of the old one.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(UNFINISHED);
    path.with_file_name(name)
}

/// Replaces a file in one step: whoever reads it, even after a loss of power, finds
/// the old contents or the new ones.
///
/// # Errors
/// If the system refuses.
pub fn write_atomically(path: &Path, contents: &[u8]) -> Result<(), OutputError> {
    let temporary = unfinished(path);
    let mut file = File::create(&temporary).map_err(io("create", &temporary))?;
    file.write_all(contents).map_err(io("write", &temporary))?;
    file.sync_all().map_err(io("write", &temporary))?;
    fs::rename(&temporary, path).map_err(io("write", path))?;
    // Without this the new name may be lost with the power. Not every system lets
    // folders be opened, and the file itself is safe already.
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Replaces a file by what `write` writes, whole or not at all: a full disk leaves the old file as it
/// was. What is no file (a pipe, a device) is written to as it is.
///
/// # Errors
/// If `write` fails, or the system refuses.
pub fn replace_file(
    path: &Path,
    write: impl FnOnce(&mut File) -> std::io::Result<()>,
) -> std::io::Result<()> {
    if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        return write(&mut File::create(path)?);
    }
    let temporary = unfinished(path);
    let mut file = File::create(&temporary)?;
    let written = write(&mut file).and_then(|()| file.sync_all());
    let placed = written.and_then(|()| fs::rename(&temporary, path));
    placed.inspect_err(|_| drop(fs::remove_file(&temporary)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, Read as _};

    #[test]
    fn a_file_is_replaced_whole_or_stays_as_it_was() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("mesh.obj");
        for text in ["first", "second"] {
            replace_file(&path, |file| file.write_all(text.as_bytes())).expect("there is room");
            assert_eq!(fs::read_to_string(&path).expect("it was written"), text);
        }
        let full = replace_file(&path, |file| {
            file.write_all(b"half")?;
            Err(Error::other("the disk is full"))
        });
        assert_eq!(full.expect_err("it failed").to_string(), "the disk is full");
        assert_eq!(fs::read_to_string(&path).expect("it is still there"), "second");
        assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_file_is_written_to() {
        replace_file(Path::new("/dev/null"), |file| file.write_all(b"gone")).expect("it takes all");
        let mut none = String::new();
        let device = File::open("/dev/null").expect("it is still a device");
        device.take(1).read_to_string(&mut none).expect("it can be read");
        assert_eq!(none, "");
    }
}
