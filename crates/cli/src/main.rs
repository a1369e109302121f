//! The program `sim`: arguments, progress, exit codes.
//!
//! Everything that can be tested without a terminal is in `resile-scene`; this crate is the user
//! interface. Exit codes: 0 complete, 1 failed or interrupted, 2 invalid command line or scene.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod aligned;
mod arguments;
mod bench;
mod buckle;
mod check;
mod compare;
mod export;
mod follow;
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
mod pdf;
mod place;
mod processor;
mod progress;
mod render;
mod report;
mod rerun;
mod run;
mod scenes;
mod schema;
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

fn main() -> ExitCode {
    if let Some(reason) = processor::missing() {
        note(format_args!("error: {reason}"));
        return ExitCode::from(NOT_COMPLETE);
    }
    let code = command();
    load::drop_files();
    code
}

/// Runs the command. Not inlined, because nothing may run before the instruction sets of the processor are checked.
#[inline(never)]
fn command() -> ExitCode {
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
    let ended = match arguments.command {
        Command::Rerun(options) => rerun::rerun(options),
        Command::Run(run) => run::run(&run),
        Command::Static(run) => run::run(&run.into_run()),
        Command::Scenes(scenes) => scenes::list(&scenes),
        Command::Schema(wanted) => schema::schema(&wanted),
        Command::New(new) => scenes::new(&new),
        Command::Render(render) => render::render(&render),
        Command::Compare(compare) => compare::compare(&compare),
        Command::Sweep(sweep) => sweep::sweep(&sweep),
        Command::Bench(bench) => bench::bench(&bench),
        Command::Check(check) => check::check(&check),
        Command::Import(asked) => import::import(&asked),
        Command::Info(info) => info::info(&info),
        Command::Buckle(wanted) => buckle::buckle(wanted),
        Command::Modes(wanted) => modes::modes(wanted),
        Command::Mesh(mesh) => mesh::mesh(&mesh),
        Command::Suite(asked) => suite::suite(&asked),
        Command::Study(study) => study::study(&study, study_book::book),
        Command::Verify(verify) => verify::verify(&verify),
        Command::View(view) => view::view(&view),
        Command::Live(shown) => live::live(&shown),
        Command::Export(export) => export::export(&export),
        Command::Pdf(wanted) => pdf::pdf(&wanted),
        Command::Completions(wanted) => manual::completions(&wanted, Arguments::command()),
        Command::Man(wanted) => manual::man(&wanted, Arguments::command()),
    };
    match ended {
        Ok(code) => code,
        Err(Failure::Input(message)) => {
            note(message.trim_end());
            ExitCode::from(BAD_INPUT)
        }
        Err(Failure::Scene(diagnostics)) => {
            diagnostics.print();
            ExitCode::from(BAD_INPUT)
        }
        Err(Failure::Work(error)) => {
            note(format_args!("error: {}", report::error_chain(&error)));
            ExitCode::from(NOT_COMPLETE)
        }
    }
}
