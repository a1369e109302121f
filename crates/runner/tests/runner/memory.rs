//! A run in memory is the run in a folder.

use super::support::{DICE, Trial, built, finish};
use resile_files::MemoryFolder;
use resile_record::{Existing, Playback, copy_run};
use resile_runner::{Profile, Run, RunError, RunOptions, Stop};
use std::collections::BTreeMap;
use std::path::Path;

const SET: [&str; 2] = ["time.duration=0.25", "output.formats=[Vtu]"];

/// A run in memory that was interrupted after `steps` steps.
fn run_in_memory(steps: usize) -> MemoryFolder {
    let memory = MemoryFolder::new();
    let work = || -> Result<(), RunError> {
        let (scene, built) = built(DICE, &SET);
        let options = RunOptions {
            folder: MemoryFolder::path().to_owned(),
            existing: Existing::Refuse,
            name: "trial".to_owned(),
            steps: None,
            profile: Profile::InTotal,
            threads: 1,
            fingerprint: built.fingerprint(&scene),
            commit: None,
            set: Vec::new(),
        };
        let mut run = Run::start(scene, built, options)?;
        for _ in 0..steps {
            run.advance()?;
        }
        finish(run, Stop::Done);
        Ok(())
    };
    memory.mounted(work).unwrap_or_else(|error| panic!("{error}"));
    memory
}

/// Contents of the files in a folder and its folder of frames that contain no computing times.
fn reproducible_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for below in ["", "frames"] {
        for entry in std::fs::read_dir(folder.join(below)).expect("a folder of a run") {
            let path = entry.expect("it can be read").path();
            let name = path.strip_prefix(folder).expect("it is inside").display().to_string();
            let has_times = ["history.csv", "summary.json", "checkpoint"].contains(&&*name);
            let contents = match has_times || path.is_dir() {
                true => Vec::new(),
                false => std::fs::read(&path).expect("it can be read"),
            };
            files.insert(name, contents);
        }
    }
    files
}

#[test]
fn copy_of_a_run_in_memory_is_the_run_in_a_folder() {
    let on_disk = Trial::new(DICE);
    on_disk.complete(&SET, Existing::Refuse);
    let (memory, copied) = (run_in_memory(30), Trial::new(DICE));
    copy_run(&memory.folder(), &copied.folder(), Existing::Refuse).expect("there is room");
    assert_eq!(copied.history(), on_disk.history());
    assert_eq!(copied.states(&SET), on_disk.states(&SET));
    let files = reproducible_files(&copied.folder());
    assert!(files.contains_key("frames/frame_000010.vtu"), "{:?}", files.keys());
    assert_eq!(files, reproducible_files(&on_disk.folder()));
    let [in_memory, played] = [
        memory.mounted(|| Playback::open(MemoryFolder::path()).and_then(|run| run.frame(10))),
        Playback::open(on_disk.folder()).and_then(|run| run.frame(10)),
    ];
    assert_eq!(in_memory.expect("it is in memory"), played.expect("it was written"));
    let taken = copy_run(&memory.folder(), &copied.folder(), Existing::Refuse);
    assert!(taken.expect_err("there is a run").to_string().contains("already holds a run"));
    copy_run(&memory.folder(), &copied.folder(), Existing::Replace).expect("it may be replaced");
}

#[test]
fn run_in_memory_is_resumed_from_its_copy() {
    let [whole, resumed] = [(); 2].map(|()| Trial::new(DICE));
    whole.complete(&SET, Existing::Refuse);
    copy_run(&run_in_memory(13).folder(), &resumed.folder(), Existing::Refuse)
        .expect("there is room");
    resumed.complete(&SET, Existing::Resume);
    assert_eq!(resumed.history(), whole.history());
    assert_eq!(reproducible_files(&resumed.folder()), reproducible_files(&whole.folder()));
}
