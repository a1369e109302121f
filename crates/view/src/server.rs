//! Server of the page of a running simulation, for browsers on the same machine.
//!
//! Only this machine can connect. Pages of other sites cannot read the page, because their browser sends
//! another host. A slow client delays neither other clients nor the shutdown.

use crate::http::{Answer, Connection, Connections, Request, Service};
use crate::{PageMode, ViewError, write_page};
use resile_record::{Playback, Summary};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A server of one page on 127.0.0.1.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    connections: Arc<Connections>,
    up: Option<[f64; 3]>,
}

impl Server {
    /// Listens on a free port.
    ///
    /// # Errors
    /// If the system has no free port.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let connections = Arc::new(Connections::new(listener.local_addr()?));
        Ok(Self { listener, connections, up: None })
    }

    /// The server with this upward direction of the picture, a unit vector; by default the direction against gravity.
    #[must_use]
    pub fn with_up(mut self, up: Option<[f64; 3]>) -> Self {
        self.up = up;
        self
    }

    /// URL of the page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.connections.address())
    }

    /// Serves the run in a folder until `stop` returns true. `stop` is polled with the extent of the run
    /// shown by the last served page.
    pub fn serve(self, run: &Path, title: &str, stop: &dyn Fn(Option<PageMode>) -> bool) {
        let (run, title) = (run.into(), title.to_owned());
        let (made, given) = Default::default();
        let page = Arc::new(GrowingPage {
            run,
            title,
            up: self.up,
            cached_page: made,
            requested_mode: given,
        });
        self.connections.listen(&self.listener, &page, &|| stop(*lock(&page.requested_mode)));
    }
}

/// Page of the run so far.
#[derive(Debug)]
struct GrowingPage {
    run: Box<Path>,
    title: String,
    up: Option<[f64; 3]>,
    /// Last generated page.
    cached_page: Mutex<Option<CachedPage>>,
    /// Extent of the run shown by the last served page.
    requested_mode: Mutex<Option<PageMode>>,
}

/// A page with its entity tag.
#[derive(Debug, Clone)]
struct CachedPage {
    tag: String,
    body: Arc<Vec<u8>>,
    showing: PageMode,
}

impl Service for GrowingPage {
    fn answer(&self, request: &Request, connection: &Connection<'_>) -> io::Result<()> {
        if request.request_line() != ("GET", "/") {
            return connection.send(&Answer::status("404 Not Found"));
        }
        // A run that has just restarted has no frames yet.
        let Ok(CachedPage { tag, body, showing }) = self.page() else {
            return connection.send(&Answer::status("503 Service Unavailable"));
        };
        if request.header("if-none-match") == Some(&tag) {
            return connection.send(&Answer::status("304 Not Modified").tagged(&tag));
        }
        connection.send(&Answer::page(&body).tagged(&tag))?;
        *lock(&self.requested_mode) = Some(showing);
        Ok(())
    }
}

impl GrowingPage {
    /// Current page of the run. Concurrent requests wait for one generation.
    fn page(&self) -> Result<CachedPage, ViewError> {
        let mut last = lock(&self.cached_page);
        let run = Playback::open(&*self.run)?.with_up(self.up);
        let showing = if has_ended(&run) { PageMode::Whole } else { PageMode::Growing };
        let tag = format!("\"{}-{showing:?}\"", run.times().len());
        if let Some(cached) = last.as_ref().filter(|cached| cached.tag == tag) {
            return Ok(cached.clone());
        }
        *last = None;
        let mut body = Vec::new();
        write_page(&run, &self.title, showing, &mut body, &mut |_, _| {})?;
        Ok(last.insert(CachedPage { tag, body: Arc::new(body), showing }).clone())
    }
}

/// Ignores poisoning: a panic leaves the state valid.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the run has ended: its summary covers the last step of its history.
fn has_ended(run: &Playback) -> bool {
    let last = || -> Option<f64> { run.history().ok()?.column("step")?.last().copied()? };
    let summary = Summary::read(&run.folder().summary());
    summary.is_ok_and(|summary| last().unwrap_or_default() <= summary.steps_done as f64)
}
