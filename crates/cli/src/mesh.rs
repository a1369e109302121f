//! `sim mesh`.

use crate::info::with_help;
use crate::info_text::{extent, spread};
use crate::mesh_progress::MeshProgress;
use crate::options::set_threads;
use crate::progress::Style;
use crate::report::digits;
use crate::signals::{Signals, note_nothing_written};
use crate::stream::{note, print};
use crate::{Failure, NOT_COMPLETE};
use clap::Args;
use resile_assembly::info::MeshInfo;
use resile_assembly::mesh_file::{MeshFileError, OtherSolidPolicy, Resolution};
use resile_assembly::remesh::{ConvertedMesh, Existing, Remesh, RemeshError, Remeshed};
use resile_files::Refusal;
use resile_watch::{Tally, TaskContext};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
The extensions of both names select the operation:
  sim mesh bunny.obj -o bunny.msh --tets 20000   fill a closed surface with tetrahedra
  sim mesh scan.stl -o mended.obj --repair       repair a surface
  sim mesh bunny.msh -o bunny.vtu                write tetrahedra in another format
  sim mesh bunny.vtk -o skin.obj                 write the boundary of a solid
  sim mesh hybrid.msh -o tets.msh --tets-only    extract the tetrahedra of a mixed mesh

Input formats: .obj, .stl, .ply, .off and .vtp (surfaces); .msh, .vtu, .vtk, .mesh, .node and .ele
(tetrahedra, or surfaces if there are none). Output formats: .obj, .ply, .msh, .vtu and .mesh.

The surface to fill may be imperfect: a point is inside if its generalised winding number is at
least one half. Small holes, overlapping parts and flipped triangles are reported and tolerated.
--repair corrects the surface itself: it welds coincident vertices, removes duplicate and
degenerate triangles, orients triangles consistently outwards, and closes holes of up to 40 edges.

Sharp edges and corners are preserved where the tetrahedra allow it: nodes are moved onto them if
no dihedral angle falls below 12 degrees (docs/meshing.md).

Points, lines and faces in a file of tetrahedra are ignored with a note. Hexahedra, prisms and
pyramids are divided into tetrahedra. --tets-only ignores them, which leaves holes, and reports
their number and their share of the volume.

Exit codes: 0 the file was written, 1 it could not be written or Ctrl-C, 2 the command line or the
input is wrong and nothing was written.";

#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct MeshArguments {
    /// The mesh to read.
    input: PathBuf,
    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Edge length of the tetrahedra in metres.
    #[arg(long, value_name = "S", conflicts_with = "tets", allow_negative_numbers = true)]
    size: Option<f64>,
    /// Approximate number of tetrahedra [default: 20000 if there is no --size].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    tets: Option<u32>,
    /// Number of times that cells may double in size away from the surface: fewer tetrahedra
    /// for the same surface.
    #[arg(long, value_name = "TIMES")]
    grade: Option<u8>,
    /// Preserve edges whose dihedral deviation exceeds this angle [default: 40]; 180 preserves
    /// none.
    #[arg(long, value_name = "DEGREES", value_parser = parse_degrees)]
    creases: Option<f64>,
    /// Repair the surface first and report what was changed.
    #[arg(long)]
    repair: bool,
    /// Extract the tetrahedra of a file with other solid elements, which leave holes.
    #[arg(long)]
    tets_only: bool,
    /// Replace an existing output file.
    #[arg(long)]
    force: bool,
    /// Number of threads [default: all]. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print only warnings and errors.
    #[arg(short, long)]
    quiet: bool,
}

/// Time after a signal in which meshing can stop by itself before the program is terminated.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// Reads, repairs, fills and writes a mesh.
pub(crate) fn mesh(arguments: &MeshArguments) -> Result<ExitCode, Failure> {
    set_threads(arguments.threads)?;
    refuse_missing_folder(&arguments.output)?;
    let start = Instant::now();
    let resolution = match (arguments.size, arguments.tets) {
        (Some(size), _) => Some(Resolution::Size(size)),
        (None, tets) => tets.map(|tets| Resolution::Tets(tets as usize)),
    };
    let remesh = Remesh {
        input: arguments.input.clone(),
        output: arguments.output.clone(),
        resolution,
        grade: arguments.grade,
        creases: arguments.creases,
        repair: arguments.repair,
        others: if arguments.tets_only {
            OtherSolidPolicy::LeaveOut
        } else {
            OtherSolidPolicy::Divide
        },
        existing: if arguments.force { Existing::Replace } else { Existing::Refuse },
    };
    let signals = Signals::listen(STOP_TIMEOUT)?;
    let context = TaskContext { interrupt: signals.interrupt.clone(), tally: Tally::new() };
    let progress = MeshProgress::show(Style::of_terminal(arguments.quiet), context.tally.clone());
    let converted = remesh.make(&context);
    drop(progress);
    // From here on a signal does not end the program: the file is completed and replaces an older one atomically.
    signals.defer_termination();
    if matches!(converted, Err(RemeshError::Interrupted(_))) {
        note_nothing_written();
        return Ok(ExitCode::from(NOT_COMPLETE));
    }
    let remeshed = converted.and_then(ConvertedMesh::write).map_err(|error| match error {
        RemeshError::File(MeshFileError::Write { .. }) => Failure::Work(error.into()),
        error => Failure::Input(with_help(&error, &error.help())),
    })?;
    if !arguments.quiet {
        remeshed.notes.iter().for_each(|remark| note(format_args!("note: {remark}")));
    }
    remeshed.warnings.iter().for_each(|warning| note(format_args!("warning: {warning}")));
    let unrepaired_defects = remeshed.mended.as_ref().map_or(&[][..], |mended| &mended.left);
    unrepaired_defects
        .iter()
        .for_each(|defect| note(format_args!("warning: not repaired: {defect}")));
    if !unrepaired_defects.is_empty() {
        note(format_args!(
            "  = help: correct these in the program that made the surface; to be filled with tetrahedra \
             (-o model.msh), a surface need not be without them"
        ));
    }
    if !arguments.quiet {
        print(table(arguments, &remeshed, start.elapsed().as_secs_f64()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses an output file whose folder does not exist or is a file, before any work.
fn refuse_missing_folder(output: &Path) -> Result<(), Failure> {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Some(folder) = folder.filter(|folder| !folder.is_dir()) else { return Ok(()) };
    let (reason, help) = match folder.ancestors().any(Path::is_file) {
        true => (Refusal::FileOnPath.to_string(), "choose another name with -o"),
        false => (
            format!("there is no folder {}", folder.display()),
            "create it, or choose another name with -o",
        ),
    };
    let output = output.display();
    Err(Failure::Input(format!("error: {output} cannot be written: {reason}\n   = help: {help}")))
}

/// The report: counts, sizes and quality of the input and of the output, one property per row.
fn table(arguments: &MeshArguments, remeshed: &Remeshed, seconds: f64) -> String {
    let mut out = String::new();
    let mut row = |name: &str, value: String| {
        let _ = writeln!(out, "  {name:<10}{value}");
    };
    row("read", format!("{}: {}", arguments.input.display(), count_text(&remeshed.input)));
    row("size", extent(remeshed.input.size()));
    if let Some(mended) = &remeshed.mended {
        let nothing = vec!["no defects".to_owned()];
        let repairs = if mended.done.is_empty() { &nothing } else { &mended.done };
        let names = std::iter::once("repaired").chain(std::iter::repeat(""));
        names.zip(repairs).for_each(|(name, repair)| row(name, repair.clone()));
    }
    row("written", format!("{}: {}", arguments.output.display(), count_text(&remeshed.output)));
    row("volume", volume_text(remeshed.input.volume(), remeshed.output.volume()));
    if let MeshInfo::Solid(solid) = &remeshed.output {
        let angles = solid.smallest_angles;
        let (smallest, median) = (angles.smallest, angles.median);
        row(
            "angles",
            format!(
                "smallest dihedral {smallest:.1} degrees; median of each element's smallest {median:.1}"
            ),
        );
        row("edges", spread(solid.edge_lengths, "m"));
    }
    if let Some(deviation) = &remeshed.deviation {
        let diagonal = remeshed.input.size().iter().map(|s| s * s).sum::<f64>().sqrt();
        let percent_per_metre = 100.0 / diagonal;
        let (largest, rms) = (deviation.largest, deviation.root_mean_square);
        row(
            "surface",
            format!(
                "at most {} m from the input, {} m root mean square \
             ({:.3} % and {:.3} % of its diagonal)",
                digits(largest),
                digits(rms),
                largest * percent_per_metre,
                rms * percent_per_metre
            ),
        );
    }
    if let Some(creases) = remeshed.creases.filter(|creases| creases.cut_off > 0) {
        let (cut_off, moved, remaining) = (creases.cut_off, creases.moved, creases.left);
        row(
            "creases",
            format!(
                "{moved} nodes moved onto them; {remaining} of {cut_off} edges that cut across them remain"
            ),
        );
    }
    row("time", format!("{seconds:.2} s"));
    out.truncate(out.trim_end().len());
    out
}

/// Parses a dihedral angle.
fn parse_degrees(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(degrees) if 0.0 < degrees && degrees <= 180.0 => Ok(degrees),
        _ => Err("must be degrees, above 0 and at most 180".to_owned()),
    }
}

/// The counts of nodes and elements.
fn count_text(info: &MeshInfo) -> String {
    match info {
        MeshInfo::Solid(solid) => {
            format!("{} nodes, {} tetrahedra", solid.nodes, solid.tetrahedra)
        }
        MeshInfo::Curves(curves) => format!("{} vertices of curves", curves.vertices),
        MeshInfo::Surface(surface) => {
            let closed = if surface.closed { "closed" } else { "not closed" };
            let (vertices, triangles) = (surface.vertices, surface.triangles);
            format!("{vertices} vertices, {triangles} triangles, {closed}")
        }
    }
}

/// The volumes (m^3) of the input and of the output, with the relative change.
fn volume_text(before: Option<f64>, after: Option<f64>) -> String {
    match (before, after) {
        (Some(before), Some(after)) => {
            let change = 100.0 * (after / before - 1.0);
            format!("{} m^3 before, {} m^3 after ({change:+.3} %)", digits(before), digits(after))
        }
        (None, Some(after)) => {
            format!("{} m^3; the input is not closed and has none", digits(after))
        }
        (_, None) => "none, the output is not closed".to_owned(),
    }
}
