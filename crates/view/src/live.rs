//! Live server: streams the states of a running simulation to pages and receives their commands.
//!
//! The simulation publishes each state once and never waits. Every page has a thread, which sends the newest
//! state once the previous one is sent. A slow browser therefore skips states, and a fast one gets all.
//!
//! The server accepts only its own pages: requests must name it as their host, and commands must have its
//! origin.

use crate::http::{Answer, Connection, Connections, Request, Service};
use resile_math::Vec3;
use serde::Deserialize;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Interval at which the last state is sent again without a new one, to detect closed pages.
const RESEND_INTERVAL: Duration = Duration::from_secs(1);
/// Write timeout of a state.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// A state for display.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveState<'a> {
    /// Simulated time (s).
    pub time: f64,
    /// Computing time since the previous state (ms).
    pub milliseconds: f64,
    /// Simulated seconds per second of wall-clock time; 1 is real time.
    pub pace: f64,
    /// Positions of the moving vertices (m), in the order of the page.
    pub positions: &'a [Vec3],
}

/// A command that a page sends as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Command {
    /// Drag a vertex to a position.
    Pull {
        /// Index of the vertex on the page.
        vertex: usize,
        /// Target position (m).
        place: [f64; 3],
    },
    /// End the drag.
    LetGo,
    /// Pause the simulation.
    Pause,
    /// Resume the simulation.
    GoOn,
    /// Restart from the initial state.
    Restart,
}

/// The effect of all commands so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Commands {
    /// The dragged vertex and its target (m).
    pub hand: Option<(usize, Vec3)>,
    /// Whether the simulation is paused.
    pub paused: bool,
    /// Whether a page has requested a restart since the last call.
    pub restart: bool,
}

/// A server of one page and its states on 127.0.0.1.
#[derive(Debug)]
pub struct LiveServer {
    connections: Arc<Connections>,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    page: Vec<u8>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Number of states so far.
    number: u64,
    /// The newest state, encoded.
    message: Arc<Vec<u8>>,
    commands: Commands,
    /// Number of pages that receive states.
    viewer_count: usize,
    over: bool,
}

impl LiveServer {
    /// Serves a page on a free port, from separate threads, until the server is dropped.
    ///
    /// # Errors
    /// If the system has no free port.
    pub fn start(page: Vec<u8>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let connections = Arc::new(Connections::new(listener.local_addr()?));
        let shared = Arc::new(Shared { page, state: Mutex::default(), changed: Condvar::new() });
        let (listening, service) = (connections.clone(), shared.clone());
        let listen = move || listening.listen(&listener, &service, &|| service.lock().over);
        let thread = std::thread::Builder::new().name("server".into()).spawn(listen)?;
        Ok(Self { connections, shared, listener: Some(thread) })
    }

    /// URL of the page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.connections.address())
    }

    /// Publishes a state to all pages. Cost: one copy.
    pub fn show(&self, state: &LiveState<'_>) {
        let message = Arc::new(message(state));
        let mut open = self.shared.lock();
        open.number += 1;
        open.message = message;
        self.shared.changed.notify_all();
    }

    /// Returns the effect of all commands and clears `restart`.
    pub fn commands(&self) -> Commands {
        let mut open = self.shared.lock();
        let commands = open.commands;
        open.commands.restart = false;
        commands
    }

    /// Ends the drag until a page starts a new one.
    pub fn let_go(&self) {
        self.shared.command(Command::LetGo);
    }

    /// Number of pages that receive states.
    pub fn viewer_count(&self) -> usize {
        self.shared.lock().viewer_count
    }
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        self.shared.lock().over = true;
        self.shared.changed.notify_all();
        // A panic of the thread is ignored.
        let _ = self.listener.take().map(JoinHandle::join);
    }
}

impl Command {
    /// Parses a command from JSON; `None` if it is invalid or its position is not finite.
    pub fn parse(json: &[u8]) -> Option<Self> {
        let command = serde_json::from_slice(json).ok()?;
        match command {
            Self::Pull { place, .. } if !place.iter().all(|x| x.is_finite()) => None,
            command => Some(command),
        }
    }
}

impl Service for Shared {
    fn answer(&self, request: &Request, connection: &Connection<'_>) -> io::Result<()> {
        match request.request_line() {
            ("GET", "/") => connection.send(&Answer::page(&self.page)),
            ("GET", "/states") => self.show_states(connection),
            ("POST", "/command") => {
                connection.send(&Answer::status(self.answer_command(request, connection)))
            }
            _ => connection.send(&Answer::status("404 Not Found")),
        }
    }
}

impl Shared {
    /// Ignores poisoning: a panic leaves the state valid.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Executes a command; returns the status.
    fn answer_command(&self, request: &Request, connection: &Connection<'_>) -> &'static str {
        let is_json = request.header("content-type") == Some("application/json");
        if !request.is_same_origin(connection.server()) || !is_json {
            return "403 Forbidden";
        }
        match Command::parse(request.body()) {
            None => "400 Bad Request",
            Some(command) => {
                self.command(command);
                "204 No Content"
            }
        }
    }

    fn command(&self, command: Command) {
        let mut open = self.lock();
        match command {
            Command::Pull { vertex, place } => {
                open.commands.hand = Some((vertex, Vec3::from_array(place)));
            }
            Command::LetGo => open.commands.hand = None,
            Command::Pause => open.commands.paused = true,
            Command::GoOn => open.commands.paused = false,
            Command::Restart => open.commands.restart = true,
        }
        self.changed.notify_all();
    }

    /// Sends states until the page is closed or the server ends.
    fn show_states(&self, connection: &Connection<'_>) -> io::Result<()> {
        if !connection.is_stream() {
            return connection.send(&Answer::status("503 Service Unavailable"));
        }
        Answer::begin_stream(&mut connection.within(WRITE_TIMEOUT))?;
        self.lock().viewer_count += 1;
        let ended = self.send_states(connection);
        let mut open = self.lock();
        open.viewer_count -= 1;
        if open.viewer_count == 0 {
            // The last page was closed during a drag.
            open.commands.hand = None;
        }
        ended
    }

    fn send_states(&self, connection: &Connection<'_>) -> io::Result<()> {
        let mut sent = 0;
        loop {
            let open = self.lock();
            let wait = |state: &mut State| state.number == sent && !state.over;
            let waited = self.changed.wait_timeout_while(open, RESEND_INTERVAL, wait);
            let (open, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if open.over {
                return Ok(());
            }
            let (number, message) = (open.number, open.message.clone());
            drop(open);
            // Sending the last state again after a silence detects a closed page.
            connection.within(WRITE_TIMEOUT).write_all(&message)?;
            sent = number;
        }
    }
}

/// Time, milliseconds and pace as `f64`, then three `f32` per vertex, little-endian.
fn message(state: &LiveState<'_>) -> Vec<u8> {
    let head = [state.time, state.milliseconds, state.pace];
    let mut message: Vec<u8> = head.iter().flat_map(|number| number.to_le_bytes()).collect();
    let places = state.positions.iter().flat_map(|place| place.to_array());
    message.extend(places.flat_map(|x| (x as f32).to_le_bytes()));
    message
}
