//! `sim scenes` and `sim new`: the scenes inside the program.

use crate::Failure;
use crate::stream::{note, print};
use clap::Args;
use resile_files::Folder;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    /// The file to write; one that is there is left as it is.
    pub(crate) file: PathBuf,
    /// The scene to begin with, a name from `sim scenes`.
    #[arg(long, value_name = "NAME", default_value = "first")]
    pub(crate) from: String,
}

/// A line for each scene.
pub(crate) fn list() -> Result<ExitCode, Failure> {
    let scenes = resile_scenes::ALL;
    let width = scenes.iter().map(|scene| scene.name.len()).max().unwrap_or(0);
    let line = |scene: &resile_scenes::ExampleScene| {
        format!("{:width$}  {}\n", scene.name, scene.summary())
    };
    let lines: String = scenes.iter().map(line).collect();
    print(
        lines
            + "\nsim run first             runs one\nsim new my.ron --from dice  writes one to a file, to be changed\n",
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a scene's text, comments and all.
pub(crate) fn new(arguments: &NewArguments) -> Result<ExitCode, Failure> {
    let NewArguments { file, from } = arguments;
    let Some(scene) = resile_scenes::named(from) else {
        let names: Vec<&str> = resile_scenes::ALL.iter().map(|scene| scene.name).collect();
        let message = format!("error: there is no scene `{from}` inside the program");
        return Err(Failure::Input(format!("{message}\n  there are: {}", names.join(", "))));
    };
    let refused = |error: std::io::Error| {
        let reason = match error.kind() {
            ErrorKind::AlreadyExists => "there is such a file; choose another name".to_owned(),
            _ => error.to_string(),
        };
        Failure::Input(format!("error: {} was not written: {reason}", file.display()))
    };
    let (folder, name) = Folder::around(file).map_err(refused)?;
    folder.write_new(name, scene.text.as_bytes()).map_err(refused)?;
    note(format_args!("wrote {0}; next: sim run {0}", file.display()));
    Ok(ExitCode::SUCCESS)
}
