//! Checkpoints behind a right checksum, from which a run is taken up.

use resile_assembly::build;
use resile_record::{Existing, Fingerprint};
use resile_runner::{Profile, Run, RunOptions, Stop};
use resile_scene::text::SceneText;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Scenes by the first byte: particles on a spring, plastic cubes, an affine body on a hinge.
pub const SCENES: [&str; 3] =
    [include_str!("spring.ron"), include_str!("clay.ron"), include_str!("door.ron")];
/// Where the data begin: behind magic, version, fingerprint, length and checksum.
const HEAD: usize = 36;

/// A stopped run and its files.
struct Stopped {
    folder: TempDir,
    files: Vec<(PathBuf, Vec<u8>)>,
    head: Vec<u8>,
}

thread_local! {
    static STOPPED: [OnceCell<Stopped>; SCENES.len()] = const { [const { OnceCell::new() }; SCENES.len()] };
}

/// The data of a checkpoint; the first byte says of which scene.
pub fn checkpoint(data: &[u8]) {
    let Some((&first, data)) = data.split_first() else { return };
    let number = usize::from(first.wrapping_sub(b'0'));
    STOPPED.with(|all| {
        if let (Some(cell), Some(scene)) = (all.get(number), SCENES.get(number)) {
            cell.get_or_init(|| Stopped::after(scene, 3)).check_resumption(scene, data);
        }
    });
}

/// The data of the checkpoint of a scene after some steps.
pub fn data_after(scene: &str, steps: usize) -> Vec<u8> {
    let stopped = Stopped::after(scene, steps);
    let bytes = std::fs::read(stopped.path().join("checkpoint")).expect("a run writes it");
    bytes[HEAD..].to_vec()
}

impl Stopped {
    fn after(scene: &str, steps: usize) -> Self {
        let folder = super::folder();
        let path = folder.path().join("run");
        run_of(scene, &path, steps);
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&path).expect("the run wrote it") {
            let file = entry.expect("it can be read").path();
            if file.is_file() {
                let bytes = std::fs::read(&file).expect("it can be read");
                files.push((file, bytes));
            }
        }
        let checkpoint = files.iter().find(|(file, _)| file.ends_with("checkpoint"));
        let head = checkpoint.expect("a run writes it").1[..HEAD].to_vec();
        Self { folder, files, head }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// Takes the run up from these data, and for a step if it can be.
    fn check_resumption(&self, scene: &str, data: &[u8]) {
        for (file, bytes) in &self.files {
            std::fs::write(file, bytes).expect("it can be written");
        }
        let mut bytes = self.head[..20].to_vec();
        bytes.extend((data.len() as u64).to_le_bytes());
        bytes.extend(Fingerprint::EMPTY.with(data).value().to_le_bytes());
        bytes.extend(data);
        std::fs::write(self.path().join("checkpoint"), bytes).expect("it can be written");
        match begun(scene, &self.path(), Existing::Resume) {
            Err(reason) => assert!(!reason.is_empty()),
            Ok(mut run) => {
                // A step may fail, but not from numbers that are none.
                let _ = run.advance();
                let world = run.world();
                for body in 0..world.body_count() {
                    let state = world.state(body);
                    assert!(state.positions.iter().all(|position| position.is_finite()));
                }
            }
        }
    }
}

/// Runs a scene for some steps.
pub fn run_of(scene: &str, folder: &Path, steps: usize) {
    let mut run = begun(scene, folder, Existing::Refuse).expect("it can begin");
    for _ in 0..steps {
        run.advance().expect("the step can be taken");
    }
    run.finish(Stop::Interrupted).expect("it can be written");
}

fn begun(scene: &str, folder: &Path, existing: Existing) -> Result<Run, String> {
    let scene = SceneText::new("fuzz.ron", scene).load().expect("it is good").scene;
    let built = build(&scene, Path::new("")).expect("it can be built");
    let options = RunOptions {
        folder: folder.to_owned(),
        existing,
        name: "fuzz".to_owned(),
        steps: Some(20),
        profile: Profile::InTotal,
        threads: 1,
        fingerprint: built.fingerprint(&scene),
        commit: None,
        set: Vec::new(),
    };
    Run::start(scene, built, options).map_err(|error| error.to_string())
}
