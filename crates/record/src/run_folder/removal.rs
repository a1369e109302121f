//! Which files of a folder are a run's, and how a run is removed without any other file.

use super::RunFolder;
use crate::atomic::{UNFINISHED, unfinished};
use crate::frames::{
    ENDINGS, FRAME, FRAME_DIGITS, INDEX, INDEX_ENDINGS, OBSTACLES, ORIGINAL, PLANES,
};
use crate::originals::ORIGINALS;
use crate::{OutputError, checkpoint, history, io};
use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

impl RunFolder {
    fn files(&self) -> [PathBuf; 13] {
        [
            self.history(),
            self.bodies(),
            self.poses(),
            self.contacts(),
            self.momentum(),
            self.probes(),
            self.origin(),
            self.scene(),
            self.summary(),
            self.energy_plot(),
            self.profile(),
            self.profile_plot(),
            self.checkpoint(),
        ]
    }

    /// Whether there are files that a run would write over.
    pub(super) fn is_taken(&self) -> bool {
        self.taken().next().is_some()
    }

    /// The files that a run would write over.
    fn taken(&self) -> impl Iterator<Item = PathBuf> {
        let frames = fs::read_dir(self.frames()).into_iter().flatten().flatten();
        let frames = frames.map(|entry| entry.path()).filter(|file| is_of_frames(file));
        // A link that leads nowhere would be written through.
        let files = self.files().into_iter().filter(|file| fs::symlink_metadata(file).is_ok());
        files.chain(frames)
    }

    /// Whether a run of ours was written here, by the first bytes of its checkpoint or history.
    fn holds_a_run(&self) -> bool {
        let begins = |file: &Path, with: &[u8]| {
            let mut head = vec![0; with.len()];
            let read = File::open(file).and_then(|mut file| file.read_exact(&mut head));
            read.is_ok() && head == with
        };
        begins(&self.checkpoint(), checkpoint::MAGIC)
            || begins(&self.history(), history::BEFORE.as_bytes())
            || self.holds_a_beginning()
    }

    /// Whether a run was cut off here in its first line: its history is the only file.
    fn holds_a_beginning(&self) -> bool {
        let history = self.history();
        let short = fs::metadata(&history)
            .is_ok_and(|data| data.is_file() && data.len() < history::BEFORE.len() as u64);
        let begun = || {
            let text = fs::read(&history).unwrap_or_default();
            history::BEFORE.as_bytes().starts_with(&text)
        };
        self.taken().eq([history.clone()]) && short && begun()
    }

    pub(super) fn clear(&self) -> Result<(), OutputError> {
        let (frames, is_a_run) = (self.frames(), self.holds_a_run());
        let linked = fs::symlink_metadata(&frames).is_ok_and(|data| data.is_symlink());
        if linked || (self.is_taken() && !is_a_run) {
            return Err(OutputError::NotARun { folder: self.path.clone() });
        }
        let entries = match fs::read_dir(&frames) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            entries => Some(entries.map_err(io("read", &frames))?),
        };
        for entry in entries.into_iter().flatten() {
            let file = entry.map_err(io("read", &frames))?.path();
            if is_of_frames(&file) {
                remove(&file)?;
            }
        }
        // What shows that this is a run goes last, so that clearing can be begun again.
        let files = self.files();
        let unfinished = files.iter().map(|file| unfinished(file));
        // A link, or a folder of that name, is somebody's else, and so is all where no run is.
        let is_ours = |file: &PathBuf| {
            is_a_run && fs::symlink_metadata(file).is_ok_and(|data| data.is_file())
        };
        let mut made = MADE_FROM_RUNS.iter().map(|name| self.path.join(name)).filter(is_ours);
        made.try_for_each(|file| remove(&file))?;
        unfinished.chain(files.iter().rev().cloned()).try_for_each(|file| remove(&file))
    }
}

/// What `sim view`, `sim render` and `sim export` make of a run, by the names that they give it where
/// nobody says another. They show the run that is replaced, and go with it. Folders that they make
/// stay, for more may be in them.
pub const MADE_FROM_RUNS: [&str; 7] = [
    "view.html",
    "film.mp4",
    "picture.png",
    "export.glb",
    "export.usda",
    "export.csv",
    "export.npz",
];

/// Whether a run gives files names like this, in any format; also such that it had not finished.
fn is_of_frames(file: &Path) -> bool {
    let Some(name) = file.file_name().and_then(|name| name.to_str()) else { return false };
    let Some((stem, ending)) = name.strip_suffix(UNFINISHED).unwrap_or(name).split_once('.') else {
        return false;
    };
    let number = |n: &str| n.len() >= FRAME_DIGITS && n.bytes().all(|b| b.is_ascii_digit());
    match stem {
        INDEX => INDEX_ENDINGS.contains(&ending),
        OBSTACLES | PLANES => ENDINGS.contains(&ending),
        ORIGINALS => ending == "json",
        copy if copy.starts_with(ORIGINAL) => {
            copy.strip_prefix(ORIGINAL).is_some_and(number) && ending == "obj"
        }
        frame => frame.strip_prefix(FRAME).is_some_and(number) && ENDINGS.contains(&ending),
    }
}

fn remove(file: &Path) -> Result<(), OutputError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(io("remove", file)(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Existing;
    use super::*;

    #[test]
    fn files_of_others_are_neither_overwritten_nor_removed() {
        for name in ["history.csv", "summary.json", "frames/frame_000000.vtu", "frames/frames.pvd"]
        {
            let outer = tempfile::tempdir().expect("a temporary folder");
            let file = outer.path().join(name);
            fs::create_dir_all(outer.path().join("frames")).expect("the folder can be written");
            fs::write(&file, "somebody's own").expect("the folder can be written");
            let open = |existing| RunFolder::open(outer.path(), existing).expect_err("taken");
            assert!(matches!(open(Existing::Refuse), OutputError::Exists { .. }), "{name}");
            assert!(matches!(open(Existing::Replace), OutputError::NotARun { .. }), "{name}");
            assert!(
                matches!(open(Existing::Resume), OutputError::NothingToResume { .. }),
                "{name}"
            );
            let left = fs::read_to_string(&file).expect("it is there");
            assert_eq!(left, "somebody's own", "{name}");
        }
    }

    #[test]
    fn a_run_is_replaced_and_every_other_file_beside_it_stays() {
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
            "checkpoint.tmp",
            "summary.json.tmp",
            "frames/frames.pvd",
            "frames/frames.pvd.tmp",
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
        foreign.iter().for_each(|name| write(name, "somebody's own"));
        ours.iter().for_each(|name| write(name, ""));
        write("history.csv", history::BEFORE);
        drop(folder);
        RunFolder::open(outer.path(), Existing::Replace).expect("it holds a run");
        for name in ours {
            assert!(!outer.path().join(name).exists(), "{name} is of the run");
        }
        for name in foreign {
            let left = fs::read_to_string(outer.path().join(name));
            assert_eq!(left.expect(name), "somebody's own", "{name}");
        }
    }

    #[test]
    fn where_there_is_no_run_nothing_is_removed_that_could_be_made_from_one() {
        for name in MADE_FROM_RUNS {
            let outer = tempfile::tempdir().expect("a temporary folder");
            let file = outer.path().join(name);
            fs::write(&file, "somebody's own").expect("the folder can be written");
            drop(RunFolder::open(outer.path(), Existing::Replace).expect("there is no run"));
            let left = fs::read_to_string(&file);
            assert_eq!(left.expect(name), "somebody's own", "{name}");
        }
    }

    #[test]
    fn a_run_that_was_cut_off_in_its_first_line_can_be_replaced() {
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
                fs::write(outer.path().join(other), "somebody's own").expect("it can be written");
            }
            let opened = RunFolder::open(outer.path(), Existing::Replace);
            assert_eq!(opened.is_ok(), replaced, "{history:?} {others:?}: {opened:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_is_not_written_through() {
        let outer = tempfile::tempdir().expect("a temporary folder");
        let elsewhere = outer.path().join("elsewhere.csv");
        let folder = outer.path().join("run");
        fs::create_dir(&folder).expect("the folder can be written");
        std::os::unix::fs::symlink(&elsewhere, folder.join("history.csv")).expect("it can be made");
        for (existing, own) in [(Existing::Refuse, true), (Existing::Replace, false)] {
            let refused = RunFolder::open(&folder, existing).expect_err("it is somebody's");
            assert_eq!(matches!(refused, OutputError::Exists { .. }), own, "{refused}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_removed_through_a_link() {
        let [outer, elsewhere] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let frame = elsewhere.path().join("frame_000000.vtu");
        fs::write(&frame, "somebody's own").expect("the folder can be written");
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
