//! New files are complete, lie where they were asked for and replace no other file; opened files are regular.
#![cfg(unix)]

use resile_files::{
    Durability, Folder, Kind, MemoryFolder, Refusal, open_linked, read, replace, syncs,
    with_deferred_syncs,
};
use rustix::fs::{CWD, Mode, mkfifoat};
use std::fs;
use std::io::{Error, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Duration;
use tempfile::{TempDir, tempdir};

const MINE: &str = "a file of the user";

/// A folder, and a file of another owner outside of it.
fn places() -> (TempDir, TempDir, std::path::PathBuf) {
    let [inside, outside] = [(); 2].map(|()| tempdir().expect("a temporary folder"));
    let theirs = outside.path().join("theirs");
    fs::write(&theirs, MINE).expect("it can be written");
    (inside, outside, theirs)
}

fn open(folder: &TempDir) -> Folder {
    Folder::open(folder.path()).expect("it is there")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("it is there").map(|e| e.expect("it is read"));
    let mut names: Vec<_> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn write_replaces_a_symlink_and_keeps_its_target() {
    let (inside, _outside, theirs) = places();
    let folder = open(&inside);
    for target in [&*theirs, Path::new("/dev/null"), Path::new("nowhere")] {
        let _ = fs::remove_file(inside.path().join("name"));
        symlink(target, inside.path().join("name")).expect("links can be made");
        folder.write("name", b"ours", Durability::Synced).expect("there is room");
        assert_eq!(folder.read("name", 9).expect("it is a file"), b"ours");
        assert_eq!(names(inside.path()), ["name"], "no temporary file is left");
    }
    assert_eq!(fs::read_to_string(theirs).expect("it is there"), MINE);
    assert!(!Path::new("nowhere").exists());
}

#[test]
fn replace_is_atomic() {
    let (inside, ..) = places();
    let path = inside.path().join("mesh.obj");
    fs::write(inside.path().join("mesh.obj.tmp"), MINE).expect("it can be written");
    for text in ["first", "second"] {
        replace(&path, |file| file.write_all(text.as_bytes())).expect("there is room");
        assert_eq!(fs::read_to_string(&path).expect("it was written"), text);
    }
    let full = replace(&path, |file| {
        file.write_all(b"half")?;
        Err(Error::other("the disk is full"))
    });
    assert_eq!(full.expect_err("it failed").to_string(), "the disk is full");
    assert_eq!(fs::read_to_string(&path).expect("it is still there"), "second");
    let theirs = fs::read_to_string(inside.path().join("mesh.obj.tmp"));
    assert_eq!(theirs.expect("it is there"), MINE);
    assert_eq!(names(inside.path()), ["mesh.obj", "mesh.obj.tmp"]);
}

#[test]
fn concurrent_writers_leave_the_contents_of_one() {
    let (inside, ..) = places();
    let path = inside.path().join("table.csv");
    std::thread::scope(|scope| {
        for letter in b'a'..=b'h' {
            let path = &path;
            scope.spawn(move || {
                for _ in 0..20 {
                    let pieces = |file: &mut dyn std::io::Write| {
                        (0..50).try_for_each(|_| file.write_all(&[letter; 7]))
                    };
                    replace(path, pieces).expect("there is room");
                }
            });
        }
    });
    let text = fs::read(&path).expect("it was written");
    assert_eq!(text.len(), 350);
    assert!(text.iter().all(|letter| *letter == text[0]), "{text:?}");
    assert_eq!(names(inside.path()), ["table.csv"]);
}

#[test]
fn unfinished_files_are_removed_unless_kept() {
    let (inside, ..) = places();
    let folder = open(&inside);
    let mut file = folder.begin("name").expect("there is room");
    file.write_all(b"half").expect("there is room");
    let made = folder.begin_folder("frames").expect("there is room");
    made.folder().write("one", b"1", Durability::Written).expect("there is room");
    assert_eq!(names(inside.path()).len(), 2);
    drop((file, made));
    assert_eq!(names(inside.path()), [""; 0]);
}

#[test]
fn finished_folder_replaces_the_old_folder() {
    let (inside, ..) = places();
    let folder = open(&inside);
    for (file, other) in [("one", "two"), ("two", "one")] {
        let made = folder.begin_folder("frames").expect("there is room");
        made.folder().write(file, b"1", Durability::Written).expect("there is room");
        made.keep().expect("it can be renamed");
        assert_eq!(names(inside.path()), ["frames"]);
        assert_eq!(names(&inside.path().join("frames")), [file], "{other} is gone");
    }
}

#[test]
fn files_are_written_to_the_opened_directory_after_a_rename() {
    let (inside, outside, _) = places();
    let run = inside.path().join("run");
    let folder = Folder::create(&run).expect("there is room");
    let mut file = folder.begin("name").expect("there is room");
    fs::rename(&run, inside.path().join("moved")).expect("it can be moved");
    symlink(outside.path(), &run).expect("links can be made");
    file.write_all(b"ours").expect("there is room");
    file.keep(Durability::Written).expect("it can be renamed");
    assert_eq!(names(&inside.path().join("moved")), ["name"]);
    assert_eq!(names(outside.path()), ["theirs"]);
}

#[test]
fn open_rejects_pipes_and_devices_without_blocking() {
    let (inside, outside, theirs) = places();
    let folder = open(&inside);
    let at = |name: &str| inside.path().join(name);
    mkfifoat(CWD, at("pipe"), Mode::RWXU).expect("pipes can be made");
    let _socket = UnixListener::bind(at("socket")).expect("sockets can be made");
    fs::create_dir(at("folder")).expect("it can be made");
    symlink(&theirs, at("link")).expect("links can be made");
    symlink("/dev/zero", at("device")).expect("links can be made");
    symlink(outside.path(), at("away")).expect("links can be made");
    for name in ["pipe", "socket", "folder", "link", "device", "away", "missing"] {
        assert!(folder.open_file(name).is_err(), "{name}");
        assert!(folder.open_to_append(name).is_err(), "{name}");
        assert!(read(&at(name), 100).is_err(), "{name}");
        let made = folder.open_or_create(name);
        assert_eq!(made.is_ok(), name == "missing", "{name}");
    }
    for name in ["pipe", "socket", "folder", "device"] {
        assert!(open_linked(&at(name)).is_err(), "{name}");
    }
    assert!(open_linked(&at("link")).is_ok(), "a scene may name a link");
    let refused = |name: &str| Refusal::of(&folder.open_file(name).expect_err("it is none"));
    assert_eq!([refused("link"), refused("device")], [Some(Refusal::Link); 2]);
    assert_eq!([refused("pipe"), refused("socket")], [Some(Refusal::NotRegular); 2]);
    for name in ["away", "link", "pipe"] {
        assert!(folder.folder(name).is_err(), "{name}");
        assert!(folder.create_folder(name).is_err(), "{name}");
    }
    assert_eq!(folder.kind("away").expect("it is there"), Some(Kind::Link));
}

#[test]
fn names_with_separators_are_rejected() {
    let (inside, ..) = places();
    let folder = open(&inside);
    for name in ["", ".", "..", "a/b", "/tmp", "../x", "a/", "./a"] {
        assert!(folder.begin(name).is_err(), "{name}");
        assert!(folder.open_file(name).is_err(), "{name}");
        assert!(folder.remove(name).is_err(), "{name}");
    }
}

#[test]
fn read_rejects_files_above_the_limit() {
    let (inside, ..) = places();
    let folder = open(&inside);
    let file = fs::File::create(inside.path().join("sparse")).expect("there is room");
    file.set_len(1 << 42).expect("nothing of it is stored");
    let refused = folder.read("sparse", 1 << 20).expect_err("it is too long");
    assert_eq!(Refusal::of(&refused), Some(Refusal::TooLong { most: 1 << 20 }));
}

#[test]
fn create_new_rejects_existing_names() {
    let (inside, ..) = places();
    let folder = open(&inside);
    symlink(inside.path().join("nowhere"), inside.path().join("link")).expect("links can be made");
    let taken = folder.write_new("link", b"ours").expect_err("it is taken");
    assert_eq!(taken.kind(), ErrorKind::AlreadyExists);
    folder.write_new("new", b"ours").expect("there is room");
    assert_eq!(names(inside.path()), ["link", "new"]);
}

#[test]
fn folders_are_not_opened_or_created_at_files_or_below() {
    let (inside, ..) = places();
    let file = inside.path().join("file");
    fs::write(&file, "ours").expect("there is room");
    for path in [file.clone(), file.join("below")] {
        for refused in [Folder::create(&path), Folder::open(&path)] {
            let error = refused.expect_err("a file is there");
            assert_eq!(Refusal::of(&error), Some(Refusal::FileOnPath), "{error}");
        }
    }
}

#[test]
fn replace_writes_to_named_pipes_and_devices() {
    let (inside, ..) = places();
    symlink("/dev/null", inside.path().join("link")).expect("links can be made");
    for path in [Path::new("/dev/null"), &inside.path().join("link")] {
        replace(path, |file| file.write_all(b"gone")).expect("it takes all");
    }
    assert_eq!(names(inside.path()), ["link"]);
}

#[test]
fn sweep_removes_only_marked_temporary_files() {
    let (inside, ..) = places();
    let folder = open(&inside).with_temporary_prefix(".run-");
    let left = folder.begin("name").expect("there is room");
    std::mem::forget(left);
    for name in [".run-", "a.tmp", ".sim-abc.tmp"] {
        fs::write(inside.path().join(name), MINE).expect("it can be written");
    }
    symlink("a.tmp", inside.path().join(".run-link.tmp")).expect("links can be made");
    folder.sweep().expect("it can be swept");
    assert_eq!(names(inside.path()), [".run-", ".run-link.tmp", ".sim-abc.tmp", "a.tmp"]);
}

#[test]
fn sweep_abandoned_removes_only_unlocked_temporary_files() {
    let (inside, ..) = places();
    let folder = open(&inside);
    let (file, directory) =
        (folder.begin("file").expect("room"), folder.begin_folder("folder").expect("room"));
    let in_use = names(inside.path());
    fs::create_dir(inside.path().join(".sim-folder.tmp")).expect("it can be made");
    for name in [".sim-file.tmp", ".sim-folder.tmp/frame.obj", ".run-abc.tmp", "a.tmp"] {
        fs::write(inside.path().join(name), MINE).expect("it can be written");
    }
    symlink("a.tmp", inside.path().join(".sim-link.tmp")).expect("links can be made");
    open(&inside).remove_abandoned().expect("the names can be read");
    let left = names(inside.path());
    let others = [".run-abc.tmp", ".sim-link.tmp", "a.tmp"];
    assert!(
        in_use.iter().map(String::as_str).chain(others).all(|name| left.iter().any(|l| l == name)),
        "{left:?}"
    );
    assert_eq!(left.len(), in_use.len() + others.len(), "{left:?}");
    file.keep(Durability::Written).expect("it is in place");
    directory.keep().expect("it is in place");
}

/// What every operation of a folder returns, as text.
fn observations(folder: &Folder) -> Result<Vec<String>, Error> {
    let mut seen = Vec::new();
    let mut kind = |of: &Folder, name: &str| seen.push(format!("{name}: {:?}", of.kind(name)));
    folder.write("whole", b"first", Durability::Synced)?;
    folder.write("whole", b"second", Durability::Synced)?;
    let below = folder.create_folder("below")?;
    folder.create_folder("below")?.write_new("inner", b"")?;
    drop(folder.begin("dropped")?);
    drop(folder.begin_folder("dropped")?);
    let made = folder.begin_folder("made")?;
    made.folder().write_new("part", b"part")?;
    made.keep()?;
    kind(folder, "whole");
    kind(folder, "below");
    kind(folder, "dropped");
    kind(&below, "inner");
    let mut file = folder.begin("table")?;
    file.write_all(b"0123456789")?;
    file.seek(SeekFrom::Start(2))?;
    file.write_all(b"ab")?;
    let file = file.keep(Durability::Written)?;
    file.set_len(6)?;
    let mut rows = folder.open_to_append("table")?;
    rows.write_all(b"x")?;
    rows.seek(SeekFrom::Start(0))?;
    rows.write_all(b"y")?;
    rows.set_len(9)?;
    let mut text = Vec::new();
    let mut read = folder.open_file("table")?;
    read.seek(SeekFrom::End(-7))?;
    (&mut read).take(3).read_to_end(&mut text)?;
    read.try_clone()?.read_to_end(&mut text)?;
    let place = (read.stream_position()?, read.seek(SeekFrom::Current(-20)).is_err());
    seen.push(format!("{text:?} {place:?} {} {}", read.length()?, rows.read(&mut [0]).is_err()));
    seen.push(format!("{} {}", read.write(b"z").is_err(), read.set_len(0).is_err()));
    folder.remove("whole")?;
    folder.remove("whole")?;
    folder.sync(&["table".to_owned()])?;
    folder.sweep()?;
    seen.push(format!("{:?} {:?}", folder.names()?, below.names()?));
    let refused = [
        folder.create_new("table").err(),
        folder.open_file("whole").err(),
        folder.folder("whole").err(),
        folder.folder("table").err(),
        folder.read("table", 8).err(),
        folder.create_new("a/b").err(),
    ];
    seen.extend(refused.map(|error| format!("{:?}", error.map(|error| error.kind()))));
    Ok(seen)
}

#[test]
fn folder_in_memory_behaves_like_one_on_disk() {
    let disk = tempdir().expect("a temporary folder");
    let memory = MemoryFolder::new();
    let [on_disk, in_memory] = [open(&disk), memory.folder()].map(|folder| observations(&folder));
    assert_eq!(in_memory.expect("it is in memory"), on_disk.expect("it can be written"));
    assert_eq!(memory.bytes(), 9 + 4, "of `table` and `made/part`");
}

#[test]
fn folder_in_memory_has_a_path_while_it_is_mounted() {
    let [outer, inner] = [(); 2].map(|()| MemoryFolder::new());
    let path = MemoryFolder::path().join("run/frames");
    let before = syncs();
    let write = |text: &str| {
        let folder = Folder::create(&path).expect("it is in memory");
        folder.write("frame", text.as_bytes(), Durability::Synced).expect("it is in memory");
    };
    outer.mounted(|| {
        write("outer");
        inner.mounted(|| write("inner"));
        let panicked = std::panic::catch_unwind(|| inner.mounted(|| panic!("on purpose")));
        assert!(panicked.is_err());
        let text = read(&path.join("frame"), 10).expect("it was written");
        assert_eq!(text, b"outer", "the inner folder is mounted no more");
        let elsewhere = std::thread::spawn(|| Folder::open(MemoryFolder::path()).map(drop));
        assert!(elsewhere.join().expect("it ends").is_err(), "mounted on this thread only");
    });
    assert_eq!(syncs(), before, "nothing is synced");
    assert!(Folder::create(&path).is_err() && Folder::open(MemoryFolder::path()).is_err());
    assert_eq!(inner.mounted(|| read(&path.join("frame"), 10)).expect("it was written"), b"inner");
}

#[cfg(target_os = "linux")]
#[test]
fn deferred_syncs_are_made_by_one_call_after_the_delay() {
    let folder = tempdir().expect("a temporary folder");
    let write = |name: &str| {
        let before = syncs();
        let written = open(&folder).write(name, b"text", Durability::Synced);
        written.expect("it can be written");
        syncs() - before
    };
    let hour = Duration::from_secs(3600);
    let early = with_deferred_syncs(&open(&folder), hour, || write("a") + write("b"));
    assert_eq!(early, 0);
    let before = syncs();
    open(&folder).sync_file_system().expect("it is there");
    assert_eq!(syncs() - before, 1, "one call for both files");
    let late = with_deferred_syncs(&open(&folder), Duration::ZERO, || [write("c"), write("d")]);
    assert_eq!(late, [write("e"); 2], "after the delay syncs are as usual");
}
