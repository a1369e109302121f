//! The page of a run that goes on, to browsers on the same machine.
//!
//! Only this machine can connect, and pages of other sites cannot read it: their browser says another
//! host. A client that is slow holds up neither others nor the end.

use crate::http::{Answer, Connection, Connections, Request, Service};
use crate::{Showing, ViewError, write_page};
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
}

impl Server {
    /// Listens on a port that is free.
    ///
    /// # Errors
    /// If the system gives none.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let connections = Arc::new(Connections::new(listener.local_addr()?));
        Ok(Self { listener, connections })
    }

    /// Where the page is, for the browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.connections.address())
    }

    /// Answers requests for the run in a folder until `stop` says so, which is asked all the time and
    /// told how much of the run the page showed that was given last.
    pub fn serve(self, run: &Path, title: &str, stop: &dyn Fn(Option<Showing>) -> bool) {
        let (run, title) = (run.into(), title.to_owned());
        let (made, given) = Default::default();
        let page = Arc::new(GrowingPage { run, title, made, given });
        self.connections.listen(&self.listener, &page, &|| stop(*lock(&page.given)));
    }
}

/// The page of a run as far as it has come.
#[derive(Debug)]
struct GrowingPage {
    run: Box<Path>,
    title: String,
    /// The page that was made last.
    made: Mutex<Option<Made>>,
    /// How much of the run the page showed that was given last.
    given: Mutex<Option<Showing>>,
}

/// A page, and what tells it from earlier and later ones.
#[derive(Debug, Clone)]
struct Made {
    tag: String,
    body: Arc<Vec<u8>>,
    showing: Showing,
}

impl Service for GrowingPage {
    fn answer(&self, request: &Request, connection: &Connection<'_>) -> io::Result<()> {
        if request.asks() != ("GET", "/") {
            return connection.send(&Answer::status("404 Not Found"));
        }
        // A run that begins anew has nothing to show for a moment.
        let Ok(Made { tag, body, showing }) = self.made() else {
            return connection.send(&Answer::status("503 Service Unavailable"));
        };
        if request.header("if-none-match") == Some(&tag) {
            return connection.send(&Answer::status("304 Not Modified").tagged(&tag));
        }
        connection.send(&Answer::page(&body).tagged(&tag))?;
        *lock(&self.given) = Some(showing);
        Ok(())
    }
}

impl GrowingPage {
    /// The page of the run as it is now. Others wait for it rather than make it, too.
    fn made(&self) -> Result<Made, ViewError> {
        let mut last = lock(&self.made);
        let run = Playback::open(&*self.run)?;
        let showing = if has_ended(&run) { Showing::Whole } else { Showing::Growing };
        let tag = format!("\"{}-{showing:?}\"", run.times().len());
        if let Some(made) = last.as_ref().filter(|made| made.tag == tag) {
            return Ok(made.clone());
        }
        *last = None;
        let mut body = Vec::new();
        write_page(&run, &self.title, showing, &mut body, &mut |_, _| {})?;
        Ok(last.insert(Made { tag, body: Arc::new(body), showing }).clone())
    }
}

/// A thread that panicked has left nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the run is over: its summary tells of the last step of its history.
fn has_ended(run: &Playback) -> bool {
    let last = || -> Option<f64> { run.history().ok()?.column("step")?.last().copied()? };
    let told = Summary::read(&run.folder().summary());
    told.is_ok_and(|summary| last().unwrap_or_default() <= summary.steps_done as f64)
}
