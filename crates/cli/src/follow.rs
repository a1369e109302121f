//! The page of a run in progress, served to a browser on this machine.

use crate::Failure;
use crate::stream::{note, print};
use anyhow::Context as _;
use resile_record::{Playback, Summary};
use resile_view::{PageMode, Server};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Polling interval for the start of a run.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Time that an open page has to request the end of the run.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// Starts a server of a page on a free port of 127.0.0.1.
pub(crate) fn start_server() -> Result<Server, Failure> {
    Ok(Server::start().context("no port of 127.0.0.1 is free")?)
}

/// Waits for the first frame of the run in a folder, and returns `None` if `stop` returns true before that frame
/// exists.
pub(crate) fn wait_for_first_frame(folder: &Path, stop: &dyn Fn() -> bool) -> Option<Playback> {
    while !stop() {
        match Playback::open(folder) {
            Ok(run) => return Some(run),
            Err(_) => std::thread::sleep(POLL_INTERVAL),
        }
    }
    None
}

/// A thread that serves the page of a run that this program computes.
#[derive(Debug)]
pub(crate) struct LivePage {
    run_is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl LivePage {
    /// Starts a thread that serves the page of the run in `folder`. The thread opens the page in a browser as soon as
    /// the run has a first frame.
    pub(crate) fn start(folder: &Path) -> Result<Self, Failure> {
        let server = start_server()?;
        print(format_args!("  page              {}", server.url()))?;
        let run_is_over = Arc::new(AtomicBool::new(false));
        let thread_flag = Arc::clone(&run_is_over);
        let folder = folder.to_owned();
        Ok(Self {
            run_is_over,
            thread: std::thread::spawn(move || serve(server, &folder, &thread_flag)),
        })
    }

    /// Waits until open pages have received the end of the run.
    pub(crate) fn end(self) {
        self.run_is_over.store(true, Ordering::SeqCst);
        // A panic of the thread is not an error of the run.
        let _ = self.thread.join();
    }
}

/// Serves the page of a run from its first frame until the run is over and an open page knows that it is over. If no
/// page was opened, or no request comes within [`END_TIMEOUT`], serving ends with the run.
fn serve(server: Server, folder: &Path, run_is_over: &AtomicBool) {
    let is_over = || run_is_over.load(Ordering::SeqCst);
    let Some(run) = wait_for_first_frame(folder, &is_over) else { return };
    let opened = open(&server.url());
    let over_since = std::cell::Cell::new(None);
    let stop = |requested_mode: Option<PageMode>| {
        if is_over() && over_since.get().is_none() {
            over_since.set(Some(Instant::now()));
        }
        let has_timed_out =
            over_since.get().is_some_and(|since: Instant| since.elapsed() > END_TIMEOUT);
        let has_no_viewer = requested_mode.is_none() && !opened;
        is_over() && (requested_mode == Some(PageMode::Whole) || has_no_viewer || has_timed_out)
    };
    server.serve(folder, &title(&run, folder), &stop);
}

/// Returns the name of the scene or, as long as the run has no summary, the name of its folder.
pub(crate) fn title(run: &Playback, folder: &Path) -> String {
    let folder_name = || {
        let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        absolute
            .file_name()
            .map_or_else(|| "run".into(), |name| name.to_string_lossy().into_owned())
    };
    let summary = Summary::read(&run.folder().summary());
    let name = summary.map_or_else(|_| folder_name(), |summary| summary.scene);
    let frames = [
        (run.folder().modes(), "natural modes"),
        (run.folder().buckling(), "buckling modes"),
        (run.folder().equilibrium_path(), "equilibrium path"),
    ];
    match frames.into_iter().find(|(table, _)| table.is_file()) {
        Some((_, analysis)) => format!("{name}, {analysis}"),
        None => name,
    }
}

/// Opens a page in a browser and returns whether one was started. It is no error if none was: the user can open the
/// page by its address.
pub(crate) fn open(page: &str) -> bool {
    if !has_screen() {
        note(format_args!("there is no display: open {page} in a browser"));
        return false;
    }
    let opened = open::that_detached(page);
    if let Err(error) = &opened {
        note(format_args!("no browser could be started ({error}): open {page}"));
    }
    opened.is_ok()
}

/// Whether there is a display or a chosen browser. Without them a text browser might start, which cannot show the page.
fn has_screen() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(not(target_os = "linux"))
        || ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].into_iter().any(is_set)
}
