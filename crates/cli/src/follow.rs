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

/// A server of a page on 127.0.0.1.
pub(crate) fn server() -> Result<Server, Failure> {
    Ok(Server::start().context("no port of 127.0.0.1 is free")?)
}

/// Waits for the first frame of the run in a folder; `None` if `stop` returns true before.
pub(crate) fn wait_for_first_frame(folder: &Path, stop: &dyn Fn() -> bool) -> Option<Playback> {
    while !stop() {
        match Playback::open(folder) {
            Ok(run) => return Some(run),
            Err(_) => std::thread::sleep(POLL_INTERVAL),
        }
    }
    None
}

/// The page of a run of this program, served by a separate thread.
#[derive(Debug)]
pub(crate) struct LivePage {
    run_is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl LivePage {
    /// Serves the page of the run in `folder` and opens it at the first frame.
    pub(crate) fn start(folder: &Path) -> Result<Self, Failure> {
        let server = server()?;
        print(format_args!("  page              {}", server.url()))?;
        let run_is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&run_is_over);
        let folder = folder.to_owned();
        Ok(Self { run_is_over, thread: std::thread::spawn(move || serve(server, &folder, &over)) })
    }

    /// Waits until open pages have received the end of the run.
    pub(crate) fn end(self) {
        self.run_is_over.store(true, Ordering::SeqCst);
        // A panic of the thread is not an error of the run.
        let _ = self.thread.join();
    }
}

fn serve(server: Server, folder: &Path, run_is_over: &AtomicBool) {
    let over = || run_is_over.load(Ordering::SeqCst);
    let Some(run) = wait_for_first_frame(folder, &over) else { return };
    let opened = open(&server.url());
    let over_since = std::cell::Cell::new(None);
    let stop = |given: Option<PageMode>| {
        if over() && over_since.get().is_none() {
            over_since.set(Some(Instant::now()));
        }
        let waited = over_since.get().is_some_and(|since: Instant| since.elapsed() > END_TIMEOUT);
        let no_viewers = given.is_none() && !opened;
        over() && (given == Some(PageMode::Whole) || no_viewers || waited)
    };
    server.serve(folder, &title(&run, folder), &stop);
}

/// The name of the scene; that of the folder if the run has not ended.
pub(crate) fn title(run: &Playback, folder: &Path) -> String {
    let folder = || {
        let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        absolute
            .file_name()
            .map_or_else(|| "run".into(), |name| name.to_string_lossy().into_owned())
    };
    Summary::read(&run.folder().summary()).map_or_else(|_| folder(), |summary| summary.scene)
}

/// Opens the page in a browser, if there is one. Otherwise the page can be opened by its address, so this is not an
/// error.
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

/// Whether there is a screen: without one a terminal browser might start, which cannot show the page.
fn has_screen() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(not(target_os = "linux"))
        || ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].into_iter().any(is_set)
}
