//! `sim live`: a scene in real time in the browser, with bodies that can be dragged.

use crate::load::load;
use crate::options::{SceneArguments, set_threads};
use crate::signals::Signals;
use crate::stream::{diagnose, note, print};
use crate::{Failure, NOT_COMPLETE, follow};
use anyhow::Context as _;
use clap::Args;
use resile_record::Playback;
use resile_runner::LiveScene;
use resile_view::{Commands, LiveServer, LiveState, PageMode, write_page};
use resile_watch::{Activity, Interrupt};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const DETAILS: &str = "\
Drag bodies with the mouse. The space bar pauses, s restarts. Contact, friction and energy are
those of `sim run`: if computing takes longer than real time, the simulation slows down
but remains equally accurate. `--set solver.method=LocalGlobal(iterations:10)` bounds the
work of a step. Nothing is written. The page is served to browsers on this machine only, until
Ctrl-C.

Exit codes: 0 it was ended, 1 a step failed, 2 the command line or the scene is wrong.";

#[derive(Debug, Args)]
#[command(after_long_help = DETAILS)]
pub(crate) struct LiveArguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// Pictures per second.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=240))]
    fps: u16,
    /// End after this time and report how many pictures were on time.
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    seconds: Option<f64>,
    /// Do not open the page in the browser.
    #[arg(long)]
    no_open: bool,
    /// Number of threads [default: all]. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Print only errors.
    #[arg(short, long)]
    quiet: bool,
}

/// Parses a duration (s).
fn parse_seconds(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|&s| s > 0.0 && s <= 1e6);
    number.ok_or_else(|| "a number of seconds between 0 and 1e6 is needed".to_owned())
}

/// Polling interval while the simulation is paused.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Simulates until it is stopped.
pub(crate) fn live(arguments: &LiveArguments) -> Result<ExitCode, Failure> {
    set_threads(arguments.threads)?;
    let signals = Signals::listen(Duration::ZERO)?;
    let loaded = load(&arguments.scene)?;
    let title = loaded.title().to_owned();
    if !arguments.quiet {
        loaded.warnings.iter().for_each(diagnose);
    }
    let folder = tempfile::tempdir().context("a temporary folder cannot be created")?;
    let scene = LiveScene::start(&loaded.scene, loaded.built, &folder.path().join("live"));
    let mut scene = scene.context("the scene cannot be shown")?;
    scene.watch(signals.interrupt.clone(), Activity::unobserved());
    let (server, vertices) = start_server(&title, &folder.path().join("live"))?;
    signals.defer_termination();
    if !arguments.quiet {
        let end = match arguments.seconds {
            Some(seconds) => format!("for {seconds} s, or until Ctrl-C"),
            None => "until Ctrl-C".to_owned(),
        };
        print(format_args!("  page              {} {end}", server.url()))?;
    }
    if !arguments.no_open {
        follow::open(&server.url());
    }
    let display =
        LiveDisplay { server: &server, vertices: &vertices, interrupt: &signals.interrupt };
    let (pace, failure) = display.run(&mut scene, arguments);
    if !arguments.quiet {
        print(pace.summary())?;
    }
    match failure {
        None => Ok(ExitCode::SUCCESS),
        Some(reason) => {
            note(format_args!("error: at t = {:.4} s {reason}", scene.time()));
            Ok(ExitCode::from(NOT_COMPLETE))
        }
    }
}

/// Starts the server of the page. Also returns, for each vertex of the page, the index of its point in a frame.
fn start_server(title: &str, folder: &std::path::Path) -> Result<(LiveServer, Vec<u32>), Failure> {
    let playback = Playback::open(folder).context("the scene cannot be drawn")?;
    let mut page = Vec::new();
    write_page(&playback, title, PageMode::Live, &mut page, &mut |_, _| ControlFlow::Continue(()))
        .context("the page cannot be made")?;
    let server = LiveServer::start(page).context("no port of 127.0.0.1 is free")?;
    Ok((server, playback.points().to_vec()))
}

/// Shows pictures of a scene on the page and obeys the commands of the page.
struct LiveDisplay<'a> {
    server: &'a LiveServer,
    /// For each vertex of the page, the index of its point in a frame.
    vertices: &'a [u32],
    interrupt: &'a Interrupt,
}

impl LiveDisplay<'_> {
    /// Simulates and shows pictures until the user ends the simulation, the time of `--seconds` has passed, or a
    /// step fails. Returns the computing times, and the reason of a failed step.
    fn run(&self, scene: &mut LiveScene, arguments: &LiveArguments) -> (Pace, Option<String>) {
        let mut pace = Pace::new(arguments.fps);
        let picture_seconds = 1.0 / f64::from(arguments.fps);
        let start_time = Instant::now();
        // The time at which the next picture is due, and the simulated time that it shows.
        let (mut due_time, mut shown_time) = (start_time, scene.time());
        self.show_picture(scene, &pace);
        while !self.interrupt.is_raised() && !is_over(start_time, arguments.seconds) {
            let commands = self.server.commands();
            if commands.restart {
                scene.restart();
                (due_time, shown_time) = (Instant::now(), scene.time());
                self.show_picture(scene, &pace);
            }
            if commands.paused {
                std::thread::sleep(POLL_INTERVAL);
                due_time = Instant::now();
                continue;
            }
            shown_time += picture_seconds;
            let computing_start = Instant::now();
            if let Err(reason) = self.advance_to(scene, &commands, shown_time) {
                let is_interrupted = self.interrupt.is_raised();
                return (pace, (!is_interrupted).then_some(reason));
            }
            due_time += Duration::from_secs_f64(picture_seconds);
            pace.computing_times.push(1e3 * computing_start.elapsed().as_secs_f64());
            self.show_picture(scene, &pace);
            // After a late picture the schedule begins anew, so that the following pictures keep their duration.
            due_time = due_time.max(Instant::now());
            std::thread::sleep(due_time.saturating_duration_since(Instant::now()));
        }
        (pace, None)
    }

    /// Takes the steps up to the simulated time of a picture, while the body that is dragged follows the mouse.
    fn advance_to(
        &self,
        scene: &mut LiveScene,
        commands: &Commands,
        picture_time: f64,
    ) -> Result<(), String> {
        let mut drag = commands.drag;
        while scene.time() + 0.5 * scene.step() < picture_time {
            let dragged_point = drag.and_then(|(v, target)| Some((*self.vertices.get(v)?, target)));
            match dragged_point {
                Some((point, target)) => scene.pull(point as usize, target),
                None => scene.let_go(),
            }
            let mut step_result = scene.advance();
            if step_result.is_err() && scene.is_dragging() && !self.interrupt.is_raised() {
                // Dragging can make a step fail; the step is repeated without it.
                drag = None;
                self.server.let_go();
                scene.let_go();
                step_result = scene.advance();
            }
            step_result.map_err(|failure| failure.to_string())?;
        }
        Ok(())
    }

    /// Sends the current state to the page.
    fn show_picture(&self, scene: &LiveScene, pace: &Pace) {
        let points = scene.points();
        let positions: Vec<_> = self.vertices.iter().map(|&v| points[v as usize]).collect();
        self.server.show(&LiveState {
            time: scene.time(),
            milliseconds: pace.last(),
            pace: pace.recent(),
            positions: &positions,
        });
    }
}

/// Whether the time of `--seconds` has passed.
fn is_over(start_time: Instant, seconds: Option<f64>) -> bool {
    seconds.is_some_and(|seconds| start_time.elapsed().as_secs_f64() >= seconds)
}

/// Computing times of pictures.
#[derive(Debug)]
struct Pace {
    /// Duration of a picture (ms).
    picture_time: f64,
    /// Computing time of each picture (ms).
    computing_times: Vec<f64>,
}

/// Number of recent pictures in the reported pace.
const PACE_WINDOW: usize = 30;

impl Pace {
    /// The pace of this number of pictures per second, before the first picture.
    fn new(fps: u16) -> Self {
        Self { picture_time: 1e3 / f64::from(fps), computing_times: Vec::new() }
    }

    /// Computing time of the last picture (ms).
    fn last(&self) -> f64 {
        self.computing_times.last().copied().unwrap_or(0.0)
    }

    /// Ratio of simulated to real time over the last [`PACE_WINDOW`] pictures.
    fn recent(&self) -> f64 {
        Self::ratio(
            self.picture_time,
            &self.computing_times[self.computing_times.len().saturating_sub(PACE_WINDOW)..],
        )
    }

    /// Ratio of simulated to real time for pictures with these computing times (ms). A picture that is computed faster
    /// than its duration still takes its duration; without pictures the ratio is one.
    fn ratio(picture: f64, computing: &[f64]) -> f64 {
        let total_time: f64 = computing.iter().map(|time| time.max(picture)).sum();
        if computing.is_empty() { 1.0 } else { picture * computing.len() as f64 / total_time }
    }

    /// The report at the end: number of pictures, late ones, computing times and pace.
    fn summary(&self) -> String {
        let mut sorted = self.computing_times.clone();
        sorted.sort_by(f64::total_cmp);
        let Some(longest) = sorted.last() else { return "  pictures          none".to_owned() };
        let percentile = |share: f64| sorted[(share * (sorted.len() - 1) as f64).round() as usize];
        let late_count = sorted.iter().filter(|&&time| time > self.picture_time).count();
        format!(
            "  pictures          {}, of which {late_count} were late (above {:.1} ms)\n\
             \x20 computing         {:.1} ms per picture (median), {:.1} ms (95th percentile), {longest:.1} ms (maximum)\n\
             \x20 pace              {:.2} of real time",
            sorted.len(),
            self.picture_time,
            percentile(0.5),
            percentile(0.95),
            Self::ratio(self.picture_time, &self.computing_times)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_steps_slow_down_live_time() {
        let mut pace = Pace::new(50);
        assert_eq!((pace.recent(), pace.last()), (1.0, 0.0));
        pace.computing_times.extend([5.0, 20.0, 60.0]);
        assert!((pace.recent() - 0.6).abs() < 1e-12, "three pictures of 20 ms in 100");
        assert_eq!(pace.last(), 60.0);
        let summary = pace.summary();
        assert!(summary.contains("3, of which 1 were late (above 20.0 ms)"), "{summary}");
        assert!(
            summary.contains("20.0 ms per picture (median)") && summary.contains("0.60 of real"),
            "{summary}"
        );
    }
}
