//! `sim verify`: checks the frames of a run and reports violations.

use crate::coverage::uncovered_part;
use crate::load::read;
use crate::options::{SceneArguments, WorkArguments, set_threads};
use crate::progress::{Style, bar_or_hidden};
use crate::report::DiagnosticReport;
use crate::stream::{note, one_line, print, print_json};
use crate::{BAD_INPUT, Failure, NOT_COMPLETE, origin};
use clap::Args;
use resile_scene::description::{Scene, Units};
use resile_scene::text::SceneText;
use resile_verify::{
    Change, Crossing, Part, Passage, Reason, Report, Sweep, Unchecked, Verdict, Verifier,
    VerifyError,
};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

const EXIT_CODES: &str = "\
Exit codes: 0 no intersection was found, 1 surfaces intersect, 2 there are no frames, they do not
fit the scene or do not cover the run, or a frame could not be read.

Limits of the check: docs/verify.md.";

#[derive(Debug, Args)]
#[command(after_long_help = EXIT_CODES)]
pub(crate) struct VerifyArguments {
    /// Folder of a run, such as out/dice, or the scene of a run.
    scene: PathBuf,
    /// Override of the scene as given to `sim run`; the folder of a run contains its overrides.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Folder of the frames [default: that of the run, or out/NAME of the scene].
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    work: WorkArguments,
}

/// Checks all frames.
pub(crate) fn verify(arguments: &VerifyArguments) -> Result<ExitCode, Failure> {
    set_threads(arguments.work.threads)?;
    let VerifiedScene { scene, name, folder } = read_scene(arguments)?;
    let run = arguments.output.clone().unwrap_or(folder);
    let open_failure = |error: VerifyError| Failure::Input(format!("error: {error}"));
    let verifier = Verifier::open(&scene.rules(), &run).map_err(open_failure)?;
    let has_bar = Style::choose(&arguments.work) == Style::Bar;
    let bar = bar_or_hidden(has_bar, verifier.frames(), "{bar:30} {pos}/{len} frames, {eta} left");
    let report = verifier.run(&mut |done| bar.set_position(done));
    bar.finish_and_clear();
    let uncovered = uncovered_part(&run, &verifier.times());
    if arguments.json {
        print_json(&report.to_json())?;
    } else if !arguments.work.quiet || report.verdict != Verdict::Apart {
        print(report_table(&name, &report, scene.units))?;
    }
    if let Some(part) = &uncovered {
        note(format_args!("error: not the whole run was checked: {part}"));
    }
    Ok(match report.verdict {
        Verdict::Apart if uncovered.is_some() => ExitCode::from(BAD_INPUT),
        Verdict::Apart => ExitCode::SUCCESS,
        Verdict::Crossed => ExitCode::from(NOT_COMPLETE),
        Verdict::Incomplete => ExitCode::from(BAD_INPUT),
    })
}

/// The scene of the frames to be checked.
struct VerifiedScene {
    /// The description in the file.
    scene: Scene,
    name: String,
    /// Default folder of its frames.
    folder: PathBuf,
}

/// Reads the description of the scene of a run. The scene is not built, because the check must not share code with the
/// run.
fn read_scene(arguments: &VerifyArguments) -> Result<VerifiedScene, Failure> {
    let VerifyArguments { scene: path, set, .. } = arguments;
    let refuse = |diagnostics: Vec<_>| Failure::Scene(DiagnosticReport::refusal(&diagnostics));
    let run = origin::folder(path)?;
    let (text, file) = match &run {
        Some(run) => {
            origin::refuse_overrides(set)?;
            let (origin, text) = origin::read(run)?;
            (SceneText::new(run.scene().display().to_string(), text), origin.scene)
        }
        None => {
            let scene = SceneArguments::new(path.clone(), set.clone());
            (read(&scene)?.map_err(refuse)?, path.clone())
        }
    };
    let scene = text.load().map_err(refuse)?.scene;
    let stem = || file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = scene.name.clone().or_else(stem).unwrap_or_else(|| "scene".to_owned());
    let folder = run.map_or_else(|| PathBuf::from("out").join(&name), |run| run.path().into());
    Ok(VerifiedScene { scene, name, folder })
}

/// The verdict, counts of what was tested, and a line for each violation.
fn report_table(name: &str, report: &Report, units: Units) -> String {
    let mut out = String::new();
    let mut row = |name: &str, value: String| {
        let (name, value) = (one_line(name), one_line(&value));
        let _ = writeln!(out, "  {name:<18}{value}");
    };
    let verdict = match report.verdict {
        Verdict::Apart => "no intersections",
        Verdict::Crossed => "CROSSED",
        Verdict::Incomplete => "INCOMPLETE: some frames could not be read",
    };
    row(name, verdict.to_owned());
    row("frames", report.frames.to_string());
    let [closed, open] = [report.closed_pieces, report.open_pieces];
    let pieces = format!("{} triangles; {closed} closed and {open} open pieces", report.triangles);
    row("surfaces", pieces);
    if report.rod_pieces > 0 {
        row("rods", format!("{} pieces; {} pairs tested", report.rod_pieces, report.rod_pairs));
    }
    row(
        "tested",
        format!(
            "{} pairs of triangles, {} times a vertex and a plane",
            report.pairs, report.plane_tests
        ),
    );
    let depth = match report.crossing_count {
        0 => String::new(),
        _ => format!(", {:.3e} deep", units.show(report.deepest, "m")),
    };
    row("crossings", format!("{}{depth}", report.crossing_count));
    row("passages", report.passages.len().to_string());
    row("touching", format!("{} within the precision of the frames", report.touching));
    if report.intervals > 0 {
        let [poses, sweeps] = [report.poses, report.sweep_count];
        row(
            "between frames",
            format!("{poses} poses of kinematic bodies; {sweeps} pairs moved through each other"),
        );
    }
    if report.unnamed_files > 0 {
        row("not read", format!("{} missing from the index", report.unnamed_files));
    }
    for line in violation_lines(report, units) {
        let _ = writeln!(out, "{}", one_line(&line));
    }
    out.truncate(out.trim_end().len());
    out
}

/// Maximum number of printed lines of each kind.
const MAX_LISTED: usize = 10;

/// A line for each violation and each motion that was not checked, at most [`MAX_LISTED`] of each kind.
fn violation_lines(report: &Report, units: Units) -> Vec<String> {
    let crossings =
        report.crossings.iter().map(|violation| crossing_text(violation, units)).collect();
    let mut lines = shorten(crossings, report.crossing_count);
    let passages = report.passages.iter().take(MAX_LISTED).map(passage_text).collect();
    lines.extend(shorten(passages, report.passages.len() as u64));
    let sweeps = report.sweeps.iter().map(|violation| sweep_text(violation, units)).collect();
    lines.extend(shorten(sweeps, report.sweep_count));
    let unchecked = report.unchecked.iter().take(MAX_LISTED);
    let unchecked = unchecked.map(|record| unchecked_line(record, report.intervals)).collect();
    lines.extend(shorten(unchecked, report.unchecked.len() as u64));
    let unreadable = report.unreadable.iter().take(MAX_LISTED);
    let unreadable = unreadable.map(|frame| format!("{}: {}", frame.file, frame.reason)).collect();
    lines.extend(shorten(unreadable, report.unreadable.len() as u64));
    lines
}

/// Adds a line with the number of omitted lines, if there were `total` of them.
fn shorten(mut lines: Vec<String>, total: u64) -> Vec<String> {
    let omitted = total - lines.len() as u64;
    if omitted > 0 {
        lines.push(format!("... and {omitted} more"));
    }
    lines
}

/// One line about a pair of primitives that intersect in a frame.
fn crossing_text(crossing: &Crossing, units: Units) -> String {
    let Crossing { frame, time, names: [a, b], parts: [p, q], place: point, depth } = crossing;
    let (depth, point) = (units.show(*depth, "m"), units.point(*point));
    let relation = match q.points.is_empty() {
        true => format!("is behind plane \"{b}\""),
        false => format!("crosses {} of \"{b}\"", part_text(q)),
    };
    format!(
        "frame {frame}, t = {time:.6} s: {} of \"{a}\" {relation}, {depth:.3e} deep, at {point}",
        part_text(p)
    )
}

/// The primitive of a crossing: a vertex, a piece of a rod, or a triangle.
fn part_text(part: &Part) -> String {
    let points = part.points.iter().map(u32::to_string).collect::<Vec<_>>().join("-");
    match part.cell {
        Some(cell) if part.points.len() == 2 => format!("piece {points} (cell {cell})"),
        Some(cell) => format!("triangle {points} (cell {cell})"),
        None => format!("vertex {points}"),
    }
}

/// One line about a body that has passed through another one between frames.
fn passage_text(passage: &Passage) -> String {
    let Passage { frame, time, name, through, change } = passage;
    let now = match change {
        Change::Entered => format!("\"{name}\" is inside \"{through}\" and was not at the start"),
        Change::Left => format!("\"{name}\" is not inside \"{through}\" and was at the start"),
        Change::Relinked => {
            format!("\"{name}\" and \"{through}\" have another linking number than at the start")
        }
    };
    format!("frame {frame}, t = {time:.6} s: {now}; one passed through the other between frames")
}

/// One line about a kinematic body whose path between two frames crosses another surface.
fn sweep_text(sweep: &Sweep, units: Units) -> String {
    let Sweep { frame, time, names: [kinematic, through], place: point, depth, .. } = sweep;
    let (depth, point) = (units.show(*depth, "m"), units.point(*point));
    format!(
        "before frame {frame}, t = {time:.6} s: \"{kinematic}\" passes through \"{through}\", \
         {depth:.3e} deep, at {point}"
    )
}

/// One line about a kinematic body that was not checked between frames.
fn unchecked_line(unchecked: &Unchecked, intervals: u64) -> String {
    let why = match unchecked.reason {
        Reason::Rare => "the frame interval exceeds the time step; raise output.frame_rate",
        Reason::Fast => "its displacement between two frames is too large",
        Reason::Astray => "its frames deviate from the motion in the scene",
        Reason::Tied => {
            "its motion may deviate from the prescribed one: it is held, attached, jointed or loaded"
        }
        Reason::Deforming => {
            "a file or an expression prescribes its motion, which is known at the frames only"
        }
        Reason::Bent => "a kinematic body is near, and its path may be curved",
    };
    let Unchecked { name, intervals: unchecked_intervals, .. } = unchecked;
    format!(
        "not checked between frames, {unchecked_intervals} of {intervals} times: \"{name}\"; {why}"
    )
}
