//! The program `sim`: arguments, progress, exit codes.
//!
//! The library crates contain everything that can be tested without a terminal; this crate is the user interface. Exit
//! codes: 0 complete, 1 failed or interrupted, 2 invalid command line or scene.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod aligned;
mod arguments;
mod bench;
mod buckle;
mod check;
mod compare;
mod coverage;
mod example;
mod export;
mod follow;
mod generated;
mod import;
mod info;
mod info_text;
mod live;
mod load;
mod manual;
mod mesh;
mod mesh_progress;
mod modes;
mod options;
mod origin;
mod output_path;
mod pdf;
mod processor;
mod progress;
mod render;
mod report;
mod rerun;
mod run;
mod run_warnings;
mod scene_file;
mod scenes;
mod schema;
mod several_runs;
mod signals;
mod stream;
mod study;
mod study_book;
mod suite;
mod suite_table;
mod sweep;
mod ticker;
mod verify;
mod view;

use arguments::{Arguments, Command};
use clap::{CommandFactory as _, Parser as _};
use report::DiagnosticReport;
use resile_files::Refusal;
use std::process::ExitCode;
use stream::note;

/// Exit code: the run is not complete.
const NOT_COMPLETE: u8 = 1;
/// Exit code: the command line or the scene is invalid.
const BAD_INPUT: u8 = 2;

/// The failure of a command.
#[derive(Debug)]
enum Failure {
    /// Invalid usage or an invalid scene, with a message for its author.
    Input(String),
    /// An invalid scene with located diagnostics.
    Scene(DiagnosticReport),
    /// The command itself failed.
    Work(anyhow::Error),
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Work(error)
    }
}

/// Runs the command and deletes the temporary folders of generated meshes. Fails at once if the processor lacks an
/// instruction set that the program needs.
fn main() -> ExitCode {
    if let Some(reason) = processor::missing_instruction_set() {
        note(format_args!("error: {reason}"));
        return ExitCode::from(NOT_COMPLETE);
    }
    let code = run_command();
    generated::remove_generated_folders();
    code
}

/// Parses the command line and runs the command. Not inlined: inlined code could use instructions of the build before
/// `main` has checked that the processor has them.
#[inline(never)]
fn run_command() -> ExitCode {
    signals::ignore_file_size_signal();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // Help is trusted text; errors repeat arguments and are escaped.
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => {
            note(error.render().to_string().trim_end());
            return ExitCode::from(BAD_INPUT);
        }
    };
    let result = match arguments.command {
        Command::Rerun(options) => rerun::rerun(options),
        Command::Run(options) => run::run(&options),
        Command::Static(options) => run::run(&options.into_run()),
        Command::Scenes(options) => scenes::list(&options),
        Command::Schema(options) => schema::schema(&options),
        Command::New(options) => scenes::new(&options),
        Command::Render(options) => render::render(&options),
        Command::Compare(options) => compare::compare(&options),
        Command::Sweep(options) => sweep::sweep(&options),
        Command::Bench(options) => bench::bench(&options),
        Command::Check(options) => check::check(&options),
        Command::Import(options) => import::import(&options),
        Command::Info(options) => info::info(&options),
        Command::Buckle(options) => buckle::buckle(options),
        Command::Modes(options) => modes::modes(options),
        Command::Mesh(options) => mesh::mesh(&options),
        Command::Suite(options) => suite::suite(&options),
        Command::Study(options) => study::study(&options, study_book::book),
        Command::Verify(options) => verify::verify(&options),
        Command::View(options) => view::view(&options),
        Command::Live(options) => live::live(&options),
        Command::Export(options) => export::export(&options),
        Command::Pdf(options) => pdf::pdf(&options),
        Command::Completions(options) => manual::completions(&options, Arguments::command()),
        Command::Man(options) => manual::man(&options, Arguments::command()),
    };
    match result {
        Ok(code) => code,
        Err(Failure::Input(message)) => {
            note(message.trim_end());
            ExitCode::from(BAD_INPUT)
        }
        Err(Failure::Scene(diagnostics)) => {
            diagnostics.print();
            ExitCode::from(BAD_INPUT)
        }
        Err(Failure::Work(error)) if names_file_as_folder(&error) => {
            let message = report::error_chain(&error);
            note(format_args!("error: {message}; choose another path with -o"));
            ExitCode::from(BAD_INPUT)
        }
        Err(Failure::Work(error)) => {
            note(format_args!("error: {}", report::error_chain(&error)));
            ExitCode::from(NOT_COMPLETE)
        }
    }
}

/// Whether the cause of an error is a file at or on the way to a folder that the command line names.
fn names_file_as_folder(error: &anyhow::Error) -> bool {
    let causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.filter_map(Refusal::of).any(|refusal| refusal == Refusal::FileOnPath)
}
