//! Live server: streams the states of a running simulation to pages and receives their commands.
//!
//! The simulation publishes each state once and never waits. Every page has a thread, which sends the newest
//! state once the previous one is sent. A slow browser therefore skips states, and a fast one gets all.
//!
//! The server accepts only its own pages: requests must name it as their host, and commands must have its
//! origin.

use crate::http::{Connection, Connections, Request, Response, Service};
use resile_math::Vec3;
use serde::Deserialize;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Interval at which the last state is sent again if there is no new one, to detect closed pages.
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
    pub drag: Option<(usize, Vec3)>,
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

/// Data that the simulation shares with the threads of pages.
#[derive(Debug)]
struct Shared {
    page: Vec<u8>,
    state: Mutex<ServerState>,
    /// Notified at each new state, each command, and at the end of the server.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct ServerState {
    /// Number of states published so far.
    state_number: u64,
    /// The newest state, encoded.
    message: Arc<Vec<u8>>,
    commands: Commands,
    /// Number of pages that receive states.
    viewer_count: usize,
    /// Whether the server was dropped, so that its threads must end.
    ended: bool,
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
        let (thread_connections, service) = (connections.clone(), shared.clone());
        let listen =
            move || thread_connections.listen(&listener, &service, &|| service.lock().ended);
        let thread = std::thread::Builder::new().name("server".into()).spawn(listen)?;
        Ok(Self { connections, shared, listener: Some(thread) })
    }

    /// URL of the page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.connections.address())
    }

    /// Publishes a state to all pages. Cost: one copy.
    pub fn show(&self, state: &LiveState<'_>) {
        let message = Arc::new(encode_state(state));
        let mut server_state = self.shared.lock();
        server_state.state_number += 1;
        server_state.message = message;
        self.shared.changed.notify_all();
    }

    /// Returns the effect of all commands and clears `restart`.
    pub fn commands(&self) -> Commands {
        let mut server_state = self.shared.lock();
        let commands = server_state.commands;
        server_state.commands.restart = false;
        commands
    }

    /// Ends the drag until a page starts a new one.
    pub fn let_go(&self) {
        self.shared.execute(Command::LetGo);
    }

    /// Number of pages that receive states.
    pub fn viewer_count(&self) -> usize {
        self.shared.lock().viewer_count
    }
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
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
    fn respond(&self, request: &Request, connection: &Connection<'_>) -> io::Result<()> {
        match request.request_line() {
            ("GET", "/") => connection.send(&Response::page(&self.page)),
            ("GET", "/states") => self.stream_states(connection),
            ("POST", "/command") => {
                connection.send(&Response::status(self.execute_request(request, connection)))
            }
            _ => connection.send(&Response::status("404 Not Found")),
        }
    }
}

impl Shared {
    /// Locks the state and ignores poisoning: a panic leaves the state valid.
    fn lock(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Executes the command of a request; returns the status of the response.
    fn execute_request(&self, request: &Request, connection: &Connection<'_>) -> &'static str {
        let is_json = request.header("content-type") == Some("application/json");
        if !request.is_same_origin(connection.server()) || !is_json {
            return "403 Forbidden";
        }
        match Command::parse(request.body()) {
            None => "400 Bad Request",
            Some(command) => {
                self.execute(command);
                "204 No Content"
            }
        }
    }

    /// Updates the effect of all commands.
    fn execute(&self, command: Command) {
        let mut state = self.lock();
        match command {
            Command::Pull { vertex, place } => {
                state.commands.drag = Some((vertex, Vec3::from_array(place)));
            }
            Command::LetGo => state.commands.drag = None,
            Command::Pause => state.commands.paused = true,
            Command::GoOn => state.commands.paused = false,
            Command::Restart => state.commands.restart = true,
        }
        self.changed.notify_all();
    }

    /// Responds to a page's request for states: counts the page as a viewer and sends states until the page is closed
    /// or the server ends.
    fn stream_states(&self, connection: &Connection<'_>) -> io::Result<()> {
        if !connection.try_stream() {
            return connection.send(&Response::status("503 Service Unavailable"));
        }
        Response::begin_stream(&mut connection.within(WRITE_TIMEOUT))?;
        self.lock().viewer_count += 1;
        let result = self.send_states(connection);
        let mut state = self.lock();
        state.viewer_count -= 1;
        if state.viewer_count == 0 {
            // The last page may have been closed during a drag.
            state.commands.drag = None;
        }
        result
    }

    /// Sends the newest state whenever there is a new one, and at least every [`RESEND_INTERVAL`].
    fn send_states(&self, connection: &Connection<'_>) -> io::Result<()> {
        let mut sent_number = 0;
        loop {
            let state = self.lock();
            let is_waiting =
                |state: &mut ServerState| state.state_number == sent_number && !state.ended;
            let waited = self.changed.wait_timeout_while(state, RESEND_INTERVAL, is_waiting);
            let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if state.ended {
                return Ok(());
            }
            let (number, message) = (state.state_number, state.message.clone());
            drop(state);
            // Sending the last state again after a silence detects a closed page.
            connection.within(WRITE_TIMEOUT).write_all(&message)?;
            sent_number = number;
        }
    }
}

/// Bytes of a state for pages: time, milliseconds and pace as `f64`, then the position of each vertex as three `f32`,
/// all little-endian.
fn encode_state(state: &LiveState<'_>) -> Vec<u8> {
    let head = [state.time, state.milliseconds, state.pace];
    let mut bytes: Vec<u8> = head.iter().flat_map(|number| number.to_le_bytes()).collect();
    let coordinates = state.positions.iter().flat_map(|position| position.to_array());
    bytes.extend(coordinates.flat_map(|x| (x as f32).to_le_bytes()));
    bytes
}
