//! `sim scenes` and `sim new`: the built-in scenes.

use crate::Failure;
use crate::example::similar_scene;
use crate::load::read_scene_text;
use crate::output_path::OutputPath;
use crate::report::{DiagnosticReport, shell_word};
use crate::scene_file::{refuse_deck_name, text_in_format};
use crate::stream::{note, print};
use clap::Args;
use resile_files::Folder as Directory;
use resile_import::ForeignFormat;
use resile_scene::text::{Form, SceneText};
use resile_scenes::{FOLDERS, Folder};
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    /// The file to write, in JSON if it ends in .json, else in RON.
    pub(crate) file: PathBuf,
    /// The scene to copy: a name from `sim scenes`, or a file, which is rewritten in the current version of the format.
    #[arg(long, value_name = "NAME|FILE", default_value = "first")]
    pub(crate) from: String,
    /// Replace existing files: the scene, and the files that it reads.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ScenesArguments {
    /// List only the scenes of this folder, such as rods.
    pub(crate) folder: Option<String>,
}

/// Prints one line per scene, by folder.
pub(crate) fn list(arguments: &ScenesArguments) -> Result<ExitCode, Failure> {
    let folders = match arguments.folder.as_deref().map(|name| name.trim_end_matches('/')) {
        None => FOLDERS,
        Some(name) => {
            std::slice::from_ref(Folder::named(name).ok_or_else(|| unknown_folder(name))?)
        }
    };
    let scenes = folders.iter().flat_map(Folder::scenes);
    let width = scenes.map(|scene| scene.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for folder in folders {
        let _ = match folder.name {
            "" => writeln!(out, "Scenes {}:\n", folder.about),
            name => writeln!(out, "{name}: {}\n", folder.about),
        };
        for scene in folder.scenes() {
            let _ = writeln!(out, "{:width$}  {}", scene.name, scene.summary());
        }
        out.push('\n');
    }
    let example =
        folders.iter().flat_map(Folder::scenes).next().map_or("first", |scene| scene.name);
    let _ = writeln!(
        out,
        "`sim run {example}` runs a scene; `sim new my.ron --from {example}` copies it to a file for editing"
    );
    print(out)?;
    Ok(ExitCode::SUCCESS)
}

/// The failure for an unknown folder of built-in scenes.
fn unknown_folder(name: &str) -> Failure {
    let names: Vec<&str> = FOLDERS.iter().map(|folder| folder.name).collect();
    let message = format!("error: there is no folder `{name}` of built-in scenes");
    Failure::Input(format!("{message}\n  there are:{}", names.join(" ")))
}

/// The failure for an unknown built-in scene, with the scenes of the same name in folders, or else with all scenes.
fn unknown_scene(name: &str) -> Failure {
    let similar: Vec<&str> = resile_scenes::called(name).map(|scene| scene.name).collect();
    let folders = FOLDERS[1..].iter().map(|folder| format!("sim scenes {}", folder.name));
    let help = match &similar[..] {
        [] => {
            let top_level: Vec<&str> = FOLDERS[0].scenes().map(|scene| scene.name).collect();
            let folders: Vec<String> = folders.collect();
            format!("there are: {}\n  and those of {}", top_level.join(", "), folders.join(", "))
        }
        _ => format!("there is: {}", similar.join(", ")),
    };
    let similar = similar_scene(name).filter(|_| similar.is_empty());
    let similar = similar.map_or(String::new(), |name| format!("did you mean `{name}`? "));
    Failure::Input(format!("error: there is no built-in scene `{name}`\n  {similar}{help}"))
}

/// Writes the text of a built-in scene with its comments, and the files that it reads. A file that exists with the same
/// contents is kept; any other existing file is an error without `--force`, and then nothing is written.
pub(crate) fn new(arguments: &NewArguments) -> Result<ExitCode, Failure> {
    let NewArguments { file, from, force } = arguments;
    refuse_deck_name(file)?;
    if Path::new(from).is_file() {
        return rewrite(file, Path::new(from), *force);
    }
    let scene = resile_scenes::named(from).ok_or_else(|| unknown_scene(from))?;
    let (directory, _) = Directory::parent_of(file).map_err(|error| write_failure(file, &error))?;
    let is_identical = |(name, contents): &(&str, &[u8])| {
        directory.read(name, contents.len() as u64 + 1).is_ok_and(|existing| existing == *contents)
    };
    let missing: Vec<_> = scene.files.iter().filter(|file| !is_identical(file)).collect();
    for (name, _) in &missing {
        if !force && !matches!(directory.kind(name), Ok(None)) {
            let path = file.with_file_name(name);
            return Err(write_failure(&path, &ErrorKind::AlreadyExists.into()));
        }
    }
    write(file, text_in_format(file, scene.text).as_bytes(), *force)?;
    for (name, contents) in missing {
        write(&file.with_file_name(name), contents, *force)?;
        note(format_args!("wrote {name}, which the scene reads"));
    }
    note(format_args!("wrote {}; next: sim run {}", file.display(), shell_word(file)));
    Ok(ExitCode::SUCCESS)
}

/// Writes a file; replaces an existing one only with `force`.
fn write(path: &Path, contents: &[u8], force: bool) -> Result<(), Failure> {
    if force {
        return OutputPath::new(path)?.write(contents, force);
    }
    let (directory, name) =
        Directory::parent_of(path).map_err(|error| write_failure(path, &error))?;
    directory.write_new(&name, contents).map_err(|error| write_failure(path, &error))
}

/// Writes the scene of the file `from` to `file` in the current version of the format, in RON or JSON by the extension.
fn rewrite(file: &Path, from: &Path, force: bool) -> Result<ExitCode, Failure> {
    if ForeignFormat::of(from).is_some() {
        let message = format!("error: {} is a file of another program", from.display());
        let help = format!("`sim import {} -o {}` converts it", from.display(), file.display());
        return Err(Failure::Input(format!("{message}\n  = help: {help}")));
    }
    let refuse = |errors: Vec<_>| Failure::Scene(DiagnosticReport::refusal(&errors));
    let source = SceneText::new(from.display().to_string(), read_scene_text(from)?);
    let scene = source.read().map_err(refuse)?;
    let text = match (source.form(), Form::of(&file.to_string_lossy(), "(")) {
        (Form::Json, Form::Ron) => source.to_ron().unwrap_or_else(|| scene.to_ron()),
        (Form::Ron, Form::Json) => source.current().to_json().unwrap_or_else(|| scene.to_json()),
        _ => source.current().text().to_owned(),
    };
    write(file, text.as_bytes(), force)?;
    for change in source.changes().unwrap_or_default() {
        note(format_args!("changed: {change}"));
    }
    if file.parent() != from.parent() {
        note(format_args!("paths of mesh files are relative to {}", file.display()));
    }
    note(format_args!("wrote {}; next: sim run {}", file.display(), shell_word(file)));
    Ok(ExitCode::SUCCESS)
}

/// The failure for a file that cannot be written.
fn write_failure(path: &Path, error: &std::io::Error) -> Failure {
    let reason = match error.kind() {
        ErrorKind::AlreadyExists => {
            "the file exists; --force replaces it, or choose another name".to_owned()
        }
        _ => error.to_string(),
    };
    Failure::Input(format!("error: {} was not written: {reason}", path.display()))
}
