#![doc = include_str!("../README.md")]
#![deny(clippy::disallowed_methods)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program to be run by hand")]

mod film;
mod page;
mod plan;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Parser;
use film::Studio;
use page::Films;
use plan::{BESIDE, FIRST, Place, SCENES, Shot};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes the films of the documentation, and `docs/gallery.md`.
#[derive(Debug, Parser)]
#[command(name = "resile-gallery")]
struct Arguments {
    /// Only these films; all of them if none is named.
    films: Vec<String>,
    /// Compute runs that are there once more.
    #[arg(long)]
    fresh: bool,
    /// The program; by default it is built first, as this one was.
    #[arg(long, value_name = "FILE")]
    sim: Option<PathBuf>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let chosen = chosen(&arguments.films)?;
    let studio = Studio {
        sim: program(arguments.sim.as_deref())?,
        scenes: root().join("scenes"),
        runs: root().join("target/gallery"),
        pictures: root().join("docs/images"),
        fresh: arguments.fresh,
    };
    for shot in chosen {
        let film = studio.make(shot)?;
        println!("{}: {:.1} s of computing", studio.picture(shot).display(), film.seconds);
        if shot.place == Place::First {
            continue;
        }
        // Read and written each time, so that what is done is kept whatever comes next.
        let mut films = films()?;
        films.insert(shot.name.to_owned(), film);
        fs::write(table(), serde_json::to_string_pretty(&films)? + "\n")?;
        fs::write(root().join("docs/gallery.md"), page::page(&films))?;
    }
    Ok(())
}

fn shots() -> impl Iterator<Item = &'static Shot> {
    SCENES.iter().chain([&FIRST]).chain(BESIDE.as_flattened())
}

fn chosen(names: &[String]) -> Result<Vec<&'static Shot>> {
    for name in names {
        if shots().all(|shot| shot.name != name) {
            let known: Vec<&str> = shots().map(|shot| shot.name).collect();
            bail!("there is no film {name:?}; there are {}", known.join(", "));
        }
    }
    let is_chosen = |shot: &&Shot| names.is_empty() || names.iter().any(|name| name == shot.name);
    Ok(shots().filter(is_chosen).collect())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn table() -> PathBuf {
    root().join("docs/images/gallery/films.json")
}

fn films() -> Result<Films> {
    match fs::read_to_string(table()) {
        Ok(text) => serde_json::from_str(&text).context("films.json"),
        Err(_) => Ok(Films::new()),
    }
}

/// The program `sim`: built now, beside this one, unless there is a given one.
fn program(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(given) = given {
        return given.canonicalize().with_context(|| given.display().to_string());
    }
    let this = std::env::current_exe()?;
    let folder = this.parent().context("this program is in no folder")?;
    if let Some(cargo) = std::env::var_os("CARGO") {
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "-p", "resile-cli"]).current_dir(root());
        if folder.ends_with("release") {
            build.arg("--release");
        }
        ensure!(build.status()?.success(), "sim cannot be built");
    }
    let program = folder.join(format!("sim{}", std::env::consts::EXE_SUFFIX));
    ensure!(program.is_file(), "{} is not there; name it by --sim", program.display());
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn page_lists_every_scene_in_plan_order() {
        let planned: Vec<&str> = SCENES.iter().map(|shot| shot.scene).collect();
        let inside: Vec<&str> =
            resile_scenes::FOLDERS[0].scenes().map(|scene| scene.name).collect();
        assert_eq!(planned, inside);
        let names: BTreeSet<_> =
            SCENES.iter().chain(BESIDE.as_flattened()).map(|shot| shot.name).collect();
        assert_eq!(names.len(), SCENES.len() + BESIDE.as_flattened().len());
    }

    #[test]
    fn recorded_hashes_equal_those_of_the_scene_files() {
        for (name, film) in films().expect("it can be read") {
            let shot = shots().find(|shot| shot.name == name);
            let shot = shot.unwrap_or_else(|| panic!("nothing is called {name} any more"));
            let scene = resile_scenes::named(shot.scene).expect("the plan names scenes");
            let remedy = format!("cargo run --release -p resile-gallery -- {name}");
            assert_eq!(film.scene, film::fingerprint(scene.text), "{name} is stale: {remedy}");
            let file = root().join(format!("docs/images/gallery/{name}.gif"));
            assert!(file.is_file(), "{name} has no picture: {remedy}");
        }
    }

    #[test]
    fn committed_page_equals_the_generated_page() {
        let page = fs::read_to_string(root().join("docs/gallery.md")).expect("it is there");
        let made = page::page(&films().expect("it can be read"));
        assert!(page == made, "make it with cargo run --release -p resile-gallery -- first");
    }

    #[test]
    fn pictures_total_less_than_twelve_megabytes() {
        let size = |folder: &str| -> u64 {
            let entries = fs::read_dir(root().join(folder)).expect("the folder is there");
            let sizes = entries.map(|entry| entry.and_then(|entry| entry.metadata()));
            sizes.map(|file| file.expect("it can be asked").len()).sum()
        };
        let all = size("docs/images") + size("docs/images/gallery");
        assert!(all < 12_000_000, "{all} bytes");
    }
}
