//! `sim render`: a film or a picture of a run.

use crate::coverage::note_uncovered_part;
use crate::options::{WorkArguments, refuse_reversed_times, set_threads, up_axis};
use crate::progress::{Style, bar_or_hidden};
use crate::signals::Signals;
use crate::stream::{note, print};
use crate::{Failure, NOT_COMPLETE};
use clap::Args;
use output::{Output, RenderTarget};
use resile_record::{Playback, VertexScalar};
use resile_render::{Coloring, EncodeError, Film, FilmError, FilmOptions, Overlay, SectionEffect};
use resile_scene::description::Units;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::{Duration, Instant};

mod output;

const HELP: &str = "\
The name given with -o selects the output:
  film.mp4          a video (H.264), plays everywhere; even width and height
  film.gif          256 colours, loops; at most 50 pictures per second
  film.png          an animated PNG: lossless, large
  picture.png       with --at: one picture
  FOLDER            any name without an extension: PNG pictures, picture_000000.png and so on
Existing files are replaced only with --force.

Pictures between two frames are interpolated.

Exit codes: 0 the film is complete, 1 it was interrupted or could not be written, 2 the command
line is wrong, or there is no such run.

More, with pictures: docs/render.md.";

#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub(crate) struct RenderArguments {
    /// Folder of the run, such as out/first.
    run: PathBuf,
    /// The output [default: film.mp4 in the folder of the run].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace an existing output.
    #[arg(long)]
    force: bool,
    /// Width and height in pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = parse_size)]
    size: [usize; 2],
    /// Pictures per second [default: that of the frames, at most 60, and 25 for a GIF].
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    fps: Option<f64>,
    /// Playback speed: 0.5 is half the simulated speed.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, allow_negative_numbers = true)]
    speed: f64,
    /// Start of the film in simulated time (s).
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    from: Option<f64>,
    /// End of the film in simulated time (s).
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    to: Option<f64>,
    /// Render one picture at this time (s) instead of a film.
    #[arg(long, value_name = "S", conflicts_with_all = ["from", "to", "fps", "speed", "orbit"], allow_negative_numbers = true)]
    at: Option<f64>,
    /// Quantity shown by colours: body, speed, or another field of the frames, also a component (`displacement_y`,
    /// `cauchy_stress_xx`) or a principal value (`cauchy_stress_1`).
    #[arg(long, value_name = "WHAT", default_value = "body", value_parser = parse_coloring)]
    color: Coloring,
    /// Values of the first and last colour, in the unit of the legend.
    #[arg(long, value_name = "A,B", value_parser = parse_range, allow_hyphen_values = true)]
    range: Option<[f32; 2]>,
    /// Draw the edges of triangles.
    #[arg(long)]
    edges: bool,
    /// Cut away what has A x + B y + C z > D, in the unit of length of the scene, and fill the cut faces of solids.
    #[arg(long, value_name = "A,B,C,D", value_parser = parse_section, allow_hyphen_values = true)]
    section: Option<([f64; 3], f64)>,
    /// Direction from the scene to the camera [default: chosen automatically].
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_direction, allow_hyphen_values = true)]
    view: Option<[f64; 3]>,
    /// The upward axis: x, y or z [default: opposite to gravity; y without gravity].
    #[arg(long, value_name = "AXIS", value_parser = up_axis)]
    up: Option<[f64; 3]>,
    /// Angle by which the camera orbits during the film (degrees).
    #[arg(long, value_name = "DEGREES", default_value_t = 0.0, allow_hyphen_values = true)]
    orbit: f64,
    /// Let the camera follow this body.
    #[arg(long, value_name = "BODY")]
    follow: Option<String>,
    /// Print the time and the energy on the pictures.
    #[arg(long)]
    text: bool,
    /// Plot the energies over time on the pictures.
    #[arg(long)]
    energies: bool,
    #[command(flatten)]
    work: WorkArguments,
}

/// Renders the film or the picture.
pub(crate) fn render(arguments: &RenderArguments) -> Result<ExitCode, Failure> {
    set_threads(arguments.work.threads)?;
    refuse_reversed_times(arguments.from, arguments.to)?;
    let target =
        RenderTarget::choose(arguments.output.as_deref(), &arguments.run, arguments.at.is_some());
    let target = target.map_err(|message| Failure::Input(format!("error: {message}")))?;
    let run = Playback::open(&arguments.run).map_err(|error| render_failure(error.into()))?;
    note_uncovered_part(&run);
    let run = run.with_up(arguments.up);
    let film = Film::new(&run, film_options(arguments, &target, &run)).map_err(render_failure)?;
    note_section(&film, run.scene_units());
    let signals = Signals::listen(Duration::ZERO)?;
    signals.defer_termination();
    let began = Instant::now();
    let has_bar = Style::choose(&arguments.work) == Style::Bar;
    let template = "{bar:30} {pos}/{len} pictures, {eta} left";
    let bar = bar_or_hidden(has_bar, film.pictures() as u64, template);
    let mut output = Output::create(&target, &film, arguments.force)?;
    let mut progress = |done: usize| {
        bar.set_position(done as u64);
        signals.poll()
    };
    let picture_count = film.shoot(output.encoder(), &mut progress).map_err(render_failure)?;
    bar.finish_and_clear();
    if picture_count < film.pictures() {
        note(format_args!("interrupted after picture {picture_count} of {}", film.pictures()));
        return Ok(ExitCode::from(NOT_COMPLETE));
    }
    output.keep().map_err(render_failure)?;
    if !arguments.work.quiet {
        let [width, height] = film.size();
        let seconds = began.elapsed().as_secs_f64();
        let pictures = if picture_count == 1 { "picture" } else { "pictures" };
        print(format_args!(
            "{}: {picture_count} {pictures} of {width}x{height}, {seconds:.1} s",
            target.path().display()
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a note if a section plane cuts nothing or removes everything.
fn note_section(film: &Film<'_>, units: Units) {
    match film.section_effect() {
        Some(SectionEffect::CutsNothing { nearest }) => note(format_args!(
            "note: the section cuts nothing: everything is on the side that is kept, {:.3} from the plane or farther",
            units.show(f64::from(nearest), "m")
        )),
        Some(SectionEffect::RemovesEverything { nearest }) => note(format_args!(
            "note: the section cuts everything away: all is {:.3} or more in front of the plane; four numbers of \
             opposite signs keep the other side",
            units.show(f64::from(nearest), "m")
        )),
        Some(SectionEffect::Cuts) | None => {}
    }
}

/// The options in SI; on the command line they are in the units of the scene.
fn film_options(arguments: &RenderArguments, target: &RenderTarget, run: &Playback) -> FilmOptions {
    let units = run.scene_units();
    let displayed = match &arguments.color {
        // A frame that cannot be read is reported when the film is made.
        Coloring::Field(name) => {
            run.frame(0).ok().and_then(|frame| VertexScalar::find(&frame, name))
        }
        Coloring::Body => None,
    };
    let unit = displayed.as_ref().and_then(|scalar| run.unit(scalar.field()));
    let to_si = |value: f32| unit.map_or(value, |si| units.in_si(f64::from(value), si) as f32);
    let overlays = [(arguments.text, Overlay::Text), (arguments.energies, Overlay::Energies)];
    let overlays =
        overlays.into_iter().filter_map(|(is_enabled, overlay)| is_enabled.then_some(overlay));
    FilmOptions {
        size: arguments.size,
        rate: arguments.fps.or(target.default_rate()),
        speed: arguments.speed,
        from: arguments.at.or(arguments.from),
        to: arguments.at.or(arguments.to),
        coloring: arguments.color.clone(),
        range: arguments.range.map(|ends| ends.map(to_si)),
        edges: arguments.edges,
        section: arguments.section.map(|(normal, offset)| (normal, units.in_si(offset, "m"))),
        view: arguments.view,
        orbit: arguments.orbit,
        follow: arguments.follow.clone(),
        overlays: overlays.collect(),
    }
}

/// An error of the system is a failure of the work (exit code 1); every other one is an error of the command (2).
fn render_failure(error: FilmError) -> Failure {
    match error {
        FilmError::Encode(EncodeError::Io(error)) => {
            Failure::Work(anyhow::Error::new(error).context("the film could not be written"))
        }
        other => Failure::Input(format!("error: {other}")),
    }
}

/// Parses `WIDTHxHEIGHT`.
fn parse_size(text: &str) -> Result<[usize; 2], String> {
    let parts = text.split_once(['x', 'X']);
    let number = |part: &str| part.parse::<usize>().ok();
    let size = parts.and_then(|(width, height)| Some([number(width)?, number(height)?]));
    size.ok_or_else(|| "must be width x height in pixels, such as 1280x720".to_owned())
}

/// Parses what colours show: the bodies, or a field by its name.
fn parse_coloring(text: &str) -> Result<Coloring, String> {
    Ok(match text {
        "body" => Coloring::Body,
        field => Coloring::Field(field.to_owned()),
    })
}

/// Parses the ends of a range of values.
fn parse_range(text: &str) -> Result<[f32; 2], String> {
    parse_numbers(text).ok_or("must be two numbers with a comma between, such as 0,2.5".to_owned())
}

/// Parses the normal and the offset of a section plane.
fn parse_section(text: &str) -> Result<([f64; 3], f64), String> {
    let numbers = parse_numbers(text).map(|[a, b, c, d]| ([a, b, c], d));
    numbers.ok_or("must be four numbers with commas between, such as 1,0,0,0.05".to_owned())
}

/// Parses a vector.
fn parse_direction(text: &str) -> Result<[f64; 3], String> {
    parse_numbers(text)
        .ok_or("must be three numbers with commas between, such as 1,0.5,1".to_owned())
}

/// Parses exactly `N` numbers with commas between.
fn parse_numbers<T: FromStr, const N: usize>(text: &str) -> Option<[T; N]> {
    let numbers: Result<Vec<T>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    numbers.ok()?.try_into().ok()
}
