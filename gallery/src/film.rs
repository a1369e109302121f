//! One film: a run of the program, a call of its renderer, and what there is to tell of both.

use crate::plan::{Place, Shot};
use anyhow::{Context as _, Result, ensure};
use resile_record::{Fingerprint, RunFolder, Status, Summary};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a film shows and what its run was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Film {
    /// The fingerprint of the scene's text, as it was filmed.
    pub(crate) scene: String,
    /// The commands that made it.
    pub(crate) commands: [String; 2],
    pub(crate) integrator: String,
    pub(crate) bodies: u64,
    pub(crate) nodes: u64,
    pub(crate) tetrahedra: u64,
    /// Of each material its name and what is known of it.
    pub(crate) materials: Vec<String>,
    pub(crate) d_hat: Option<f64>,
    pub(crate) kappa: Option<f64>,
    pub(crate) time_step: f64,
    /// Of the scene, and of the run (s).
    pub(crate) durations: [f64; 2],
    /// Of the wall (s), and on how many threads.
    pub(crate) seconds: f64,
    pub(crate) threads: usize,
    pub(crate) steps: u64,
    pub(crate) newton: u64,
    pub(crate) min_distance: Option<f64>,
    pub(crate) min_det_f: Option<f64>,
    pub(crate) max_residual: Option<f64>,
}

#[derive(Debug)]
pub(crate) struct Studio {
    pub(crate) sim: PathBuf,
    /// The scenes of the repository, beside which users make meshes that are not in it.
    pub(crate) scenes: PathBuf,
    pub(crate) runs: PathBuf,
    pub(crate) pictures: PathBuf,
    /// Whether runs that are there are computed again.
    pub(crate) fresh: bool,
}

/// The fingerprint of a scene's text.
pub(crate) fn fingerprint(text: &str) -> String {
    format!("{:016x}", Fingerprint::EMPTY.with(text.as_bytes()).value())
}

impl Studio {
    /// The file of a film's picture.
    pub(crate) fn picture(&self, shot: &Shot) -> PathBuf {
        match shot.place {
            Place::First => self.pictures.join(format!("{}.gif", shot.name)),
            Place::Scene | Place::Beside => {
                self.pictures.join("gallery").join(format!("{}.gif", shot.name))
            }
        }
    }

    /// Runs the scene, if that has not been done, and renders it.
    pub(crate) fn make(&self, shot: &Shot) -> Result<Film> {
        let scene = resile_scenes::named(shot.scene).context("there is no such scene")?;
        let file = self.runs.join(format!("{}.ron", shot.scene));
        fs::create_dir_all(&self.runs)?;
        fs::write(&file, scene.text)?;
        self.bring_meshes()?;
        let override_it = shot.integrator.map(|name| format!("--set=integrator={name}"));
        let own: Vec<&str> = override_it.as_deref().into_iter().collect();
        let info = self.sim(&[&["info", path(&file)?, "--json"], &own[..]].concat())?;
        let info: Value = serde_json::from_str(&info).context("sim info")?;
        let number = |name: &str| info[name].as_f64().with_context(|| format!("no {name}"));
        let (step, duration) = (number("time_step")?, number("duration")?);
        let steps = shot.seconds.map(|seconds| (seconds / step).round().to_string());
        let limit: Vec<&str> = steps.iter().flat_map(|steps| ["--steps", steps]).collect();
        let scene_hash = fingerprint(scene.text);
        let run = self.runs.join(format!("{}-{scene_hash}", shot.name));
        let (folder, picture) = (path(&run)?, self.picture(shot));
        if self.fresh || !is_done(&run, steps.as_deref()) {
            let told = ["run", path(&file)?, "-o", folder, "--force", "--plain"];
            self.sim(&[&told[..], &own, &limit].concat())?;
        }
        let picture = path(&picture)?;
        fs::create_dir_all(Path::new(picture).parent().context("it is in a folder")?)?;
        let look = ["--size", shot.place.size(), "--fps", shot.place.rate()];
        let look = [&look[..], shot.camera].concat();
        self.sim(&[&["render", folder, "-o", picture, "--force", "--plain"], &look[..]].concat())?;
        let summary = Summary::read(&RunFolder::at(&run).summary())?;
        let said = |words: &[&[&str]]| words.concat().join(" ");
        let output = format!("out/{}", shot.name);
        let commands = [
            said(&[&["sim run", shot.scene, "-o", &output], &own, &limit]),
            said(&[&["sim render", &output, "-o", "film.gif"], &look]),
        ];
        Ok(film(scene_hash, commands, &info, &summary, [step, duration]))
    }

    /// Copies the meshes beside the scenes to where the scenes are run.
    fn bring_meshes(&self) -> Result<()> {
        for entry in fs::read_dir(&self.scenes)? {
            let mesh = entry?.path();
            if let (Some("msh"), Some(name)) =
                (mesh.extension().and_then(|e| e.to_str()), mesh.file_name())
            {
                fs::copy(&mesh, self.runs.join(name))?;
            }
        }
        Ok(())
    }

    fn sim(&self, arguments: &[&str]) -> Result<String> {
        eprintln!("sim {}", arguments.join(" "));
        let ended = Command::new(&self.sim).args(arguments).output()?;
        let said = String::from_utf8_lossy(&ended.stderr);
        ensure!(ended.status.success(), "sim {}: {said}", arguments.join(" "));
        Ok(String::from_utf8(ended.stdout)?)
    }
}

/// Whether a run is there as far as it is asked for.
fn is_done(run: &Path, steps: Option<&str>) -> bool {
    Summary::read(&RunFolder::at(run).summary()).is_ok_and(|summary| match steps {
        Some(steps) => summary.steps_done.to_string() == steps,
        None => summary.status == Status::Complete && summary.steps_done == summary.steps_asked,
    })
}

fn film(
    scene: String,
    commands: [String; 2],
    info: &Value,
    summary: &Summary,
    [time_step, duration]: [f64; 2],
) -> Film {
    let list = |name: &str| info[name].as_array().cloned().unwrap_or_default();
    let whole = |value: &Value| value.as_u64().unwrap_or_default();
    let copies = |body: &Value| body["copies"].as_u64().unwrap_or(1);
    let material = |material: &Value| {
        let name = material["name"].as_str().unwrap_or_default();
        let stiff = material["young"].as_f64().map(|young| format!(", E {young:e} Pa"));
        let density = material["density"].as_f64().unwrap_or_default();
        format!("{name} ({density} kg/m³{})", stiff.unwrap_or_default())
    };
    Film {
        scene,
        commands,
        integrator: info["integrator"].as_str().unwrap_or_default().to_owned(),
        bodies: list("bodies").iter().map(copies).sum(),
        nodes: whole(&info["nodes"]),
        tetrahedra: whole(&info["tetrahedra"]),
        materials: list("materials").iter().map(material).collect(),
        d_hat: info["contact"]["d_hat"].as_f64(),
        kappa: info["contact"]["kappa"].as_f64(),
        time_step,
        durations: [duration, summary.simulated_seconds],
        seconds: summary.wall_seconds,
        threads: summary.threads,
        steps: summary.steps_done,
        newton: summary.counts.newton_iterations,
        min_distance: summary.min_distance,
        min_det_f: summary.min_det_f,
        max_residual: summary.max_residual,
    }
}

fn path(path: &Path) -> Result<&str> {
    path.to_str().context("a folder has a name that is no text")
}
