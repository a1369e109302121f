//! `sim schema`: what editors and other programs know of scenes.

use crate::Failure;
use crate::stream::print_json;
use clap::Args;
use std::process::ExitCode;

/// How editors find it.
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
