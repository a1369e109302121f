//! Removal of a run's files and no others.

use super::RunLock;
use super::contents::{FILES, FRAMES, holds_a_run, is_frame_file, is_taken};
use crate::{OutputError, io};
use resile_files::{Folder, Kind};
use std::ffi::OsStr;

impl RunLock {
    /// Refuses a folder whose files have the names of run files but are not those of a run, or cannot be removed because
    /// one of them is a folder.
    pub(super) fn check_replaceable(&self, opened: &Folder) -> Result<(), OutputError> {
        let frames = opened.kind(FRAMES).map_err(io("read", &self.path().join(FRAMES)))?;
        let is_not_a_folder = frames.is_some_and(|kind| kind != Kind::Folder);
        let is_folder = |name: &&str| matches!(opened.kind(name), Ok(Some(Kind::Folder)));
        let is_foreign = is_taken(opened) && !holds_a_run(opened);
        if is_not_a_folder || is_foreign || FILES.iter().any(is_folder) {
            return Err(OutputError::NotARun { folder: self.path().to_owned() });
        }
        Ok(())
    }

    /// Removes the files of an earlier run from a [replaceable](Self::check_replaceable) folder.
    pub(super) fn clear(&self, opened: &Folder) -> Result<(), OutputError> {
        let is_a_run = holds_a_run(opened);
        if let Ok(Some(_)) = opened.kind(FRAMES) {
            let frames = opened.folder(FRAMES).map_err(io("open", &self.path().join(FRAMES)))?;
            let names = frames.names().map_err(io("read", frames.path()))?;
            let mut files_of_frames =
                names.iter().filter(|name| is_frame_file(&name.to_string_lossy()));
            files_of_frames.try_for_each(|name| remove(&frames, name))?;
        }
        // Derived files are removed only with a run; symbolic links and folders with their names are not derived files.
        let is_derived_file =
            |name: &&&str| is_a_run && matches!(opened.kind(name), Ok(Some(Kind::File { .. })));
        let mut derived = MADE_FROM_RUNS.iter().filter(is_derived_file);
        derived.try_for_each(|name| remove(opened, name.as_ref()))?;
        // Files that identify the run are removed last, so that an interrupted removal can be repeated.
        FILES.iter().rev().try_for_each(|name| remove(opened, name.as_ref()))
    }
}

/// Default names of the files that `sim view`, `sim render` and `sim export` derive from a run. They are
/// removed with the run. Folders stay, because they may hold other files.
pub const MADE_FROM_RUNS: [&str; 7] = [
    "view.html",
    "film.mp4",
    "picture.png",
    "export.glb",
    "export.usda",
    "export.csv",
    "export.npz",
];

/// Removes a file, if it exists.
fn remove(folder: &Folder, name: &OsStr) -> Result<(), OutputError> {
    folder.remove(name).map_err(io("remove", &folder.path().join(name)))
}

#[cfg(test)]
mod tests {
    use super::super::{Existing, RunFolder};
    use super::*;
    use crate::history;
    use std::fs;

    #[test]
    fn unknown_files_are_neither_overwritten_nor_removed() {
        for name in ["history.csv", "summary.json", "frames/frame_000000.vtu", "frames/frames.pvd"]
        {
            let outer = tempfile::tempdir().expect("a temporary folder");
            let file = outer.path().join(name);
            fs::create_dir_all(outer.path().join("frames")).expect("the folder can be written");
            fs::write(&file, "a file of the user").expect("the folder can be written");
            let open = |existing| RunFolder::open(outer.path(), existing).expect_err("taken");
            assert!(matches!(open(Existing::Refuse), OutputError::Exists { .. }), "{name}");
            assert!(matches!(open(Existing::Replace), OutputError::NotARun { .. }), "{name}");
            assert!(
                matches!(open(Existing::Resume), OutputError::NothingToResume { .. }),
                "{name}"
            );
            let left = fs::read_to_string(&file).expect("it is there");
            assert_eq!(left, "a file of the user", "{name}");
        }
    }

    #[test]
    fn folder_with_the_name_of_a_run_file_is_refused_before_anything_is_removed() {
        for name in ["history.csv", "summary.json", "profile.csv"] {
            let outer = tempfile::tempdir().expect("a temporary folder");
            let path = |name: &str| outer.path().join(name);
            fs::write(path("checkpoint"), crate::checkpoint::MAGIC).expect("it can be written");
            fs::create_dir(path(name)).expect("the folder can be written");
            let refused = RunFolder::open(outer.path(), Existing::Replace).expect_err(name);
            assert!(matches!(refused, OutputError::NotARun { .. }), "{refused}");
            assert!(path("checkpoint").exists(), "{name}");
        }
    }

    #[test]
    fn replacing_a_run_keeps_all_other_files() {
        let outer = tempfile::tempdir().expect("a temporary folder");
        let folder = RunFolder::open(outer.path(), Existing::Refuse).expect("it is empty");
        let write = |name: &str, text: &str| {
            let path = outer.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
            fs::write(path, text).expect("the folder can be written");
        };
        let ours = [
            "history.csv",
            "bodies.csv",
            "poses.csv",
            "contacts.csv",
            "momentum.csv",
            "probes.csv",
            "run.json",
            "scene.ron",
            "summary.json",
            "energy.svg",
            "profile.csv",
            "profile.svg",
            "checkpoint",
            "view.html",
            "film.mp4",
            "picture.png",
            "export.glb",
            "export.usda",
            "export.csv",
            "export.npz",
            ".run-0123456789ab.tmp",
            "frames/frames.pvd",
            "frames/.run-0123456789ab.tmp",
            "frames/obstacles.vtu",
            "frames/obstacles.ply",
            "frames/frame_000000.vtu",
            "frames/frame_1000000.ply",
        ];
        let foreign = [
            "notes.txt",
            "history.csv.bak",
            "history.xlsx",
            "checkpoint.old",
            "checkpoint.tmp",
            "summary.json.tmp",
            "frames/frames.pvd.tmp",
            "summary.txt",
            "energy.png",
            "index.html",
            "film.gif",
            "film.mp4.bak",
            "export.txt",
            "export-obj/frame_000000.obj",
            "more/view.html",
            "lock.txt",
            "frame_000000.vtu",
            "frames.pvd",
            "frames/frame_000000.png",
            "frames/frame_0000.vtu",
            "frames/frame_.vtu",
            "frames/frame_00000a.vtu",
            "frames/frame_000000.vtu.bak",
            "frames/frame_000000",
            "frames/frames.mp4",
            "frames/obstacles.blend",
            "frames/obstacles",
            "frames/more/frame_000000.vtu",
            "more/history.csv",
            "more/checkpoint",
        ];
        foreign.iter().for_each(|name| write(name, "a file of the user"));
        ours.iter().for_each(|name| write(name, ""));
        write("history.csv", &history::first_labels(resile_math::units::Units::Metres));
        drop(folder);
        RunFolder::open(outer.path(), Existing::Replace).expect("it holds a run");
        for name in ours {
            assert!(!outer.path().join(name).exists(), "{name} is of the run");
        }
        for name in foreign {
            let left = fs::read_to_string(outer.path().join(name));
            assert_eq!(left.expect(name), "a file of the user", "{name}");
        }
    }

    #[test]
    fn folder_without_a_run_keeps_all_files() {
        for name in MADE_FROM_RUNS {
            let outer = tempfile::tempdir().expect("a temporary folder");
            let file = outer.path().join(name);
            fs::write(&file, "a file of the user").expect("the folder can be written");
            drop(RunFolder::open(outer.path(), Existing::Replace).expect("there is no run"));
            let left = fs::read_to_string(&file);
            assert_eq!(left.expect(name), "a file of the user", "{name}");
        }
    }

    #[test]
    fn run_truncated_in_its_first_line_can_be_replaced() {
        for (history, others, replaced) in [
            ("", &[][..], true),
            ("step,ti", &[], true),
            ("step,ti", &["notes.txt"], true),
            ("steps", &[], false),
            ("", &["summary.json"], false),
            ("", &["frames/frame_000000.vtu"], false),
        ] {
            let outer = tempfile::tempdir().expect("a temporary folder");
            fs::create_dir(outer.path().join("frames")).expect("the folder can be written");
            fs::write(outer.path().join("history.csv"), history).expect("it can be written");
            for other in others {
                fs::write(outer.path().join(other), "a file of the user")
                    .expect("it can be written");
            }
            let opened = RunFolder::open(outer.path(), Existing::Replace);
            assert_eq!(opened.is_ok(), replaced, "{history:?} {others:?}: {opened:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn dangling_symlink_is_not_written_through() {
        let outer = tempfile::tempdir().expect("a temporary folder");
        let elsewhere = outer.path().join("elsewhere.csv");
        let folder = outer.path().join("run");
        fs::create_dir(&folder).expect("the folder can be written");
        std::os::unix::fs::symlink(&elsewhere, folder.join("history.csv")).expect("it can be made");
        for (existing, own) in [(Existing::Refuse, true), (Existing::Replace, false)] {
            let refused =
                RunFolder::open(&folder, existing).expect_err("it belongs to another owner");
            assert_eq!(matches!(refused, OutputError::Exists { .. }), own, "{refused}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn removal_does_not_follow_symlinks() {
        let [outer, elsewhere] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let frame = elsewhere.path().join("frame_000000.vtu");
        fs::write(&frame, "a file of the user").expect("the folder can be written");
        let folder = RunFolder::open(outer.path(), Existing::Refuse).expect("it is empty");
        fs::write(folder.history(), "step,time,h,kinetic,potential\n").expect("it can be written");
        fs::remove_dir(folder.frames()).expect("it is empty");
        std::os::unix::fs::symlink(elsewhere.path(), folder.frames()).expect("links can be made");
        drop(folder);
        let refused = RunFolder::open(outer.path(), Existing::Replace).expect_err("a link");
        assert!(matches!(refused, OutputError::NotARun { .. }), "{refused}");
        assert!(frame.exists());
    }
}
