//! The command line.

use crate::bench::BenchArguments;
use crate::check::CheckArguments;
use crate::compare::CompareArguments;
use crate::export::ExportArguments;
use crate::import::ImportArguments;
use crate::info::InfoArguments;
use crate::live::LiveArguments;
use crate::manual::{CompletionsArguments, ManArguments};
use crate::mesh::MeshArguments;
use crate::modes::ModesArguments;
use crate::pdf::PdfArguments;
use crate::render::RenderArguments;
use crate::rerun::RerunArguments;
use crate::run::{RunArguments, StaticArguments};
use crate::scenes::{NewArguments, ScenesArguments};
use crate::schema::SchemaArguments;
use crate::study::StudyArguments;
use crate::suite::SuiteArguments;
use crate::sweep::SweepArguments;
use crate::verify::VerifyArguments;
use crate::view::ViewArguments;
use clap::{Parser, Subcommand};

/// Simulates elastic bodies in contact: nothing passes through anything, and
/// energy is under your control.
#[derive(Debug, Parser)]
#[command(name = "sim", version = env!("RESILE_VERSION"), arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scene and write its results to a folder.
    Run(RunArguments),
    /// Solve for static equilibrium in load steps.
    ///
    /// The same as `sim run` with --set analysis=Static, unless the scene follows an equilibrium path.
    /// Each step of the scene's time ends in the equilibrium under the loads and prescribed motions of
    /// its end, including contact and friction.
    ///
    /// With --arc-length, steps follow the path of equilibria where the load passes its largest value.
    Static(StaticArguments),
    /// Find the natural frequencies and shapes of a scene's bodies.
    #[command(after_long_help = crate::modes::OUTPUT_HELP)]
    Modes(ModesArguments),
    /// Find the load factors and shapes at which a scene's bodies buckle.
    #[command(after_long_help = crate::buckle::OUTPUT_HELP)]
    Buckle(ModesArguments),
    /// Repeat a run and check that its results are bitwise equal.
    Rerun(RerunArguments),
    /// List the built-in scenes, all or those of one folder.
    Scenes(ScenesArguments),
    /// Copy a built-in scene to a file as the start of a new one.
    New(NewArguments),
    /// Print the JSON Schema of scenes, for editors and other programs.
    Schema(SchemaArguments),
    /// Run a scene with several integrators and time steps and tabulate the results.
    Compare(CompareArguments),
    /// Run a scene with many values of its parameters and collect the results in one table.
    Sweep(SweepArguments),
    /// Convert a scene of IPC or PolyFEM, or an input deck (`.inp`), to a scene file.
    Import(ImportArguments),
    /// Run scenes several times and report how long they take.
    Bench(BenchArguments),
    /// Report all errors and warnings of a scene without running it.
    Check(CheckArguments),
    /// Describe a mesh, a scene or a run: sizes, quality, defects.
    Info(InfoArguments),
    /// Fill a closed surface with tetrahedra, repair a surface, or convert a mesh.
    Mesh(MeshArguments),
    /// Measure the integrators: orders, stability, conservation, the papers' tables.
    Study(StudyArguments),
    /// Run a folder of scenes of other programs and compare with the norms that they record.
    Suite(SuiteArguments),
    /// Check that no surfaces intersect or pass through each other in the frames of a run.
    Verify(VerifyArguments),
    /// Render a film or a picture of a run.
    Render(RenderArguments),
    /// Write a run as one HTML file and open it in a browser.
    View(ViewArguments),
    /// Simulate a scene in real time in the browser, where bodies can be dragged.
    Live(LiveArguments),
    /// Convert a run for other programs: Blender, Houdini, pandas and more.
    Export(ExportArguments),
    /// Convert a plot of a run to PDF.
    Pdf(PdfArguments),
    /// Print a shell completion script.
    Completions(CompletionsArguments),
    /// Print the man page of the program or of a command.
    Man(ManArguments),
}
