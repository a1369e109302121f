//! A world that is simulated at this moment: its states go out to pages, and hands reach in.
//!
//! The simulation publishes each state once and never waits: every page has a thread, which sends the newest
//! state there is when it has sent the last one. So a slow browser leaves states out, and a fast one gets all.
//!
//! Only pages of this server are listened to: questions must name it as their host, and wishes must come
//! from a page of its own.

use crate::http::{Answer, Connection, Connections, Request, Service};
use resile_math::Vec3;
use serde::Deserialize;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a page is not written to if there is nothing new, to find that it has gone.
const SILENCE: Duration = Duration::from_secs(1);
/// Time to take a state.
const STATE: Duration = Duration::from_secs(2);

/// A state, as pages are shown it.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveState<'a> {
    /// Its time (s).
    pub time: f64,
    /// What it took to compute since the state before (ms).
    pub milliseconds: f64,
    /// How many seconds of the world pass in one of the looker's; 1 is real time.
    pub pace: f64,
    /// Where the vertices of what moves are (m), in the order of the page.
    pub positions: &'a [Vec3],
}

/// A request that a page sent.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Wish {
    /// To pull the page's vertex `vertex` to a place (m).
    Pull {
        /// Its number.
        vertex: usize,
        /// Where to.
        place: [f64; 3],
    },
    /// To let go.
    LetGo,
    /// That time stands still.
    Pause,
    /// That it goes on.
    GoOn,
    /// To see it from the beginning.
    Restart,
}

/// What is wished for at the moment.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Wishes {
    /// Which vertex is pulled, and where to (m).
    pub hand: Option<(usize, Vec3)>,
    /// Whether time stands still.
    pub paused: bool,
    /// Whether a page has asked for a restart since the last call.
    pub restart: bool,
}

/// A server of one page on 127.0.0.1, and of the states that it shows.
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
    /// How many states there were.
    number: u64,
    /// The newest, as it is sent.
    message: Arc<Vec<u8>>,
    wishes: Wishes,
    /// How many pages are shown states.
    looking: usize,
    over: bool,
}

impl LiveServer {
    /// Serves a page on a port that is free, from threads of its own, until it is dropped.
    ///
    /// # Errors
    /// If the system gives no port.
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

    /// Where the page is, for the browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.connections.address())
    }

    /// Shows a state to all pages. It takes as long as it takes to copy it.
    pub fn show(&self, state: &LiveState<'_>) {
        let message = Arc::new(message(state));
        let mut open = self.shared.lock();
        open.number += 1;
        open.message = message;
        self.shared.changed.notify_all();
    }

    /// What is wished for.
    pub fn wishes(&self) -> Wishes {
        let mut open = self.shared.lock();
        let wishes = open.wishes;
        open.wishes.restart = false;
        wishes
    }

    /// Takes what is pulled out of the hand, until a page pulls again.
    pub fn let_go(&self) {
        self.shared.wish(Wish::LetGo);
    }

    /// How many pages are shown states.
    pub fn looking(&self) -> usize {
        self.shared.lock().looking
    }
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        self.shared.lock().over = true;
        self.shared.changed.notify_all();
        // A thread that panicked has nothing to say.
        let _ = self.listener.take().map(JoinHandle::join);
    }
}

impl Wish {
    /// A wish as pages send it, in JSON; none if it is not one, or to a place that is none.
    pub fn parse(json: &[u8]) -> Option<Self> {
        let wish = serde_json::from_slice(json).ok()?;
        match wish {
            Self::Pull { place, .. } if !place.iter().all(|x| x.is_finite()) => None,
            wish => Some(wish),
        }
    }
}

impl Service for Shared {
    fn answer(&self, request: &Request, connection: &Connection<'_>) -> io::Result<()> {
        match request.asks() {
            ("GET", "/") => connection.send(&Answer::page(&self.page)),
            ("GET", "/states") => self.show_states(connection),
            ("POST", "/wish") => {
                connection.send(&Answer::status(self.answer_wish(request, connection)))
            }
            _ => connection.send(&Answer::status("404 Not Found")),
        }
    }
}

impl Shared {
    /// A thread that panicked has left nothing half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What becomes of a wish that was sent.
    fn answer_wish(&self, request: &Request, connection: &Connection<'_>) -> &'static str {
        let is_json = request.header("content-type") == Some("application/json");
        if !request.is_of_page(connection.server()) || !is_json {
            return "403 Forbidden";
        }
        match Wish::parse(request.body()) {
            None => "400 Bad Request",
            Some(wish) => {
                self.wish(wish);
                "204 No Content"
            }
        }
    }

    fn wish(&self, wish: Wish) {
        let mut open = self.lock();
        match wish {
            Wish::Pull { vertex, place } => {
                open.wishes.hand = Some((vertex, Vec3::from_array(place)));
            }
            Wish::LetGo => open.wishes.hand = None,
            Wish::Pause => open.wishes.paused = true,
            Wish::GoOn => open.wishes.paused = false,
            Wish::Restart => open.wishes.restart = true,
        }
        self.changed.notify_all();
    }

    /// Sends states until the page has gone or all is over.
    fn show_states(&self, connection: &Connection<'_>) -> io::Result<()> {
        if !connection.is_stream() {
            return connection.send(&Answer::status("503 Service Unavailable"));
        }
        Answer::begin_stream(&mut connection.within(STATE))?;
        self.lock().looking += 1;
        let ended = self.send_states(connection);
        let mut open = self.lock();
        open.looking -= 1;
        if open.looking == 0 {
            // The hand of a page that was closed.
            open.wishes.hand = None;
        }
        ended
    }

    fn send_states(&self, connection: &Connection<'_>) -> io::Result<()> {
        let mut sent = 0;
        loop {
            let open = self.lock();
            let wait = |state: &mut State| state.number == sent && !state.over;
            let waited = self.changed.wait_timeout_while(open, SILENCE, wait);
            let (open, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if open.over {
                return Ok(());
            }
            let (number, message) = (open.number, open.message.clone());
            drop(open);
            // What was sent before is sent again after a silence: a page that has gone is found so.
            connection.within(STATE).write_all(&message)?;
            sent = number;
        }
    }
}

/// Time, milliseconds and pace as doubles, then three singles a vertex.
fn message(state: &LiveState<'_>) -> Vec<u8> {
    let head = [state.time, state.milliseconds, state.pace];
    let mut message: Vec<u8> = head.iter().flat_map(|number| number.to_le_bytes()).collect();
    let places = state.positions.iter().flat_map(|place| place.to_array());
    message.extend(places.flat_map(|x| (x as f32).to_le_bytes()));
    message
}
