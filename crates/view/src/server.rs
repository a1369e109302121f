//! Server of the page of a running simulation, for browsers on the same machine.
//!
//! Only this machine can connect. Pages of other sites cannot read the page, because their browser sends
//! another host. A slow client delays neither other clients nor the shutdown.

use crate::http::{Connection, Connections, Request, Response, Service};
use crate::{PageMode, ViewError, write_page};
use resile_record::{Playback, Summary};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::ops::ControlFlow;
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
    /// Starts a server that listens on a free port.
    ///
    /// # Errors
    /// If the system has no free port.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let connections = Arc::new(Connections::new(listener.local_addr()?));
        Ok(Self { listener, connections, up: None })
    }

    /// Sets the upward direction of the picture, a unit vector; by default the direction against gravity.
    #[must_use]
    pub fn with_up(mut self, up: Option<[f64; 3]>) -> Self {
        self.up = up;
        self
    }

    /// Returns the URL of the page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.connections.address())
    }

    /// Serves the run in a folder until `stop` returns true. `stop` is polled with the mode of the page that was served
    /// last, which is [`PageMode::Whole`] once the run has ended; `None` before the first page.
    pub fn serve(self, run: &Path, title: &str, stop: &dyn Fn(Option<PageMode>) -> bool) {
        let page = Arc::new(GrowingPage {
            run: run.into(),
            title: title.to_owned(),
            up: self.up,
            cached_page: Mutex::default(),
            served_mode: Mutex::default(),
        });
        self.connections.listen(&self.listener, &page, &|| stop(*lock(&page.served_mode)));
    }
}

/// Page of a run that may still grow.
#[derive(Debug)]
struct GrowingPage {
    /// Folder of the run.
    run: Box<Path>,
    title: String,
    up: Option<[f64; 3]>,
    /// Last generated page.
    cached_page: Mutex<Option<CachedPage>>,
    /// Mode of the page that was served last; `None` before the first.
    served_mode: Mutex<Option<PageMode>>,
}

/// A page with its entity tag.
#[derive(Debug, Clone)]
struct CachedPage {
    /// Entity tag: the number of frames and the mode of the page.
    etag: String,
    body: Arc<Vec<u8>>,
    mode: PageMode,
}

impl Service for GrowingPage {
    fn respond(&self, request: &Request, connection: &Connection<'_>) -> io::Result<()> {
        if request.request_line() != ("GET", "/") {
            return connection.send(&Response::status("404 Not Found"));
        }
        // A run that has just restarted has no frames yet.
        let Ok(CachedPage { etag, body, mode }) = self.page() else {
            return connection.send(&Response::status("503 Service Unavailable"));
        };
        if request.header("if-none-match") == Some(&etag) {
            return connection.send(&Response::status("304 Not Modified").with_etag(&etag));
        }
        connection.send(&Response::page(&body).with_etag(&etag))?;
        *lock(&self.served_mode) = Some(mode);
        Ok(())
    }
}

impl GrowingPage {
    /// Returns the current page of the run, which is generated if frames were added. Concurrent requests wait until one
    /// of them has generated the page.
    fn page(&self) -> Result<CachedPage, ViewError> {
        let mut cached_page = lock(&self.cached_page);
        let run = Playback::open(&*self.run)?.with_up(self.up);
        let mode = if has_ended(&run) { PageMode::Whole } else { PageMode::Growing };
        let etag = format!("\"{}-{mode:?}\"", run.times().len());
        if let Some(current) = cached_page.as_ref().filter(|cached| cached.etag == etag) {
            return Ok(current.clone());
        }
        // The memory of the outdated page is freed before the new one is generated.
        *cached_page = None;
        let mut body = Vec::new();
        write_page(&run, &self.title, mode, &mut body, &mut |_, _| ControlFlow::Continue(()))?;
        Ok(cached_page.insert(CachedPage { etag, body: Arc::new(body), mode }).clone())
    }
}

/// Locks a mutex and ignores poisoning: a panic leaves the state valid.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the run has ended: its summary covers the last step of its history.
fn has_ended(run: &Playback) -> bool {
    let last_step = || -> Option<f64> { run.history().ok()?.column("step")?.last().copied()? };
    let summary = Summary::read(&run.folder().summary());
    summary.is_ok_and(|summary| last_step().unwrap_or_default() <= summary.steps_done as f64)
}
