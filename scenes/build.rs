//! Lists the scenes in folders, so that a scene is inside the program once its file is there.
#![allow(clippy::print_stdout, reason = "cargo listens to what a build script prints")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    // A new folder changes the root alone.
    println!("cargo::rerun-if-changed={}", root.display());
    let mut list = String::from("&[\n");
    for folder in sorted(&root)?.iter().filter(|path| path.is_dir()) {
        println!("cargo::rerun-if-changed={}", folder.display());
        let files = sorted(folder)?;
        for file in files.iter().filter(|file| has_ending(file, "ron")) {
            write_scene(&mut list, file, &files)?;
        }
    }
    list.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("in_folders.rs"), list)
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = entries.collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn has_ending(file: &Path, ending: &str) -> bool {
    file.extension().is_some_and(|own| own == ending)
}

/// The name of a file or folder.
fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("names of scenes are UTF-8")
}

/// A scene with those of the files beside it that it names.
fn write_scene(list: &mut String, file: &Path, beside: &[PathBuf]) -> io::Result<()> {
    let text = fs::read_to_string(file)?;
    let folder = file.parent().map_or("", name);
    let stem = name(file).trim_end_matches(".ron");
    let reads = |other: &&PathBuf| text.contains(&format!("\"{}\"", name(other)));
    let files: String = beside
        .iter()
        .filter(reads)
        .map(|file| format!("({:?}, include_bytes!({:?})), ", name(file), file))
        .collect();
    writeln!(
        list,
        "    ExampleScene {{ name: \"{folder}/{stem}\", text: include_str!({file:?}), files: &[{files}] }},"
    )
    .expect("text");
    Ok(())
}
