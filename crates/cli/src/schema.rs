//! `sim schema`: the JSON schema of scenes for editors and other programs.

use crate::Failure;
use crate::stream::print_json;
use clap::Args;
use std::process::ExitCode;

/// Long help: editors.
const EDITORS: &str = "\
Where editors look for it:
  sim schema > scene.schema.json, and in the scene \"$schema\": \"./scene.schema.json\" as its first field.

VS Code and the JetBrains editors then complete names, show meanings and units, and underline mistakes.";

#[derive(Debug, Args)]
#[command(after_long_help = EDITORS)]
pub(crate) struct SchemaArguments {}

/// Prints the schema.
pub(crate) fn schema(_: &SchemaArguments) -> Result<ExitCode, Failure> {
    print_json(&format!("{:#}", resile_scene::schema::schema()))?;
    Ok(ExitCode::SUCCESS)
}
