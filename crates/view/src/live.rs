//! A world that is simulated at this moment: its states go out to pages, and hands reach in.
//!
//! Who simulates shows each state once and never waits: every page has a thread, which sends the newest
//! state there is when it has sent the last one. So a slow browser leaves states out, and a fast one gets all.
//!
//! Only pages of this server are listened to: questions must name it as their host, and wishes must come
//! from a page of its own.

use crate::http::{PATIENCE, asked, header, is_of_our_page, is_ours};
use resile_math::Vec3;
use serde::Deserialize;
use std::io::{self, ErrorKind, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long nothing is done when nobody asks.
const NAP: Duration = Duration::from_millis(5);
/// How long a page is not written to if there is nothing new, to find that it has gone.
const SILENCE: Duration = Duration::from_secs(1);
/// Connections at a time.
const MOST: usize = 16;

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

/// What somebody at a page wants.
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
    /// Whether somebody wants to see it from the beginning since it was asked last.
    pub restart: bool,
}

/// A server of one page on 127.0.0.1, and of the states that it shows.
#[derive(Debug)]
pub struct LiveServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    page: Vec<u8>,
    address: SocketAddr,
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
    connections: usize,
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
        let address = listener.local_addr()?;
        let state = Mutex::default();
        let shared = Arc::new(Shared { page, address, state, changed: Condvar::new() });
        let listening = shared.clone();
        let thread = std::thread::spawn(move || listen(&listener, &listening));
        Ok(Self { address, shared, listener: Some(thread) })
    }

    /// Where the page is, for the browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
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

impl Shared {
    /// A thread that panicked has left nothing half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers one question; what is wrong with a connection ends it alone.
    fn answer(&self, stream: &mut TcpStream) -> io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let (question, along) = asked(stream)?;
        if !is_ours(&question, self.address) {
            return tell(stream, "403 Forbidden", b"");
        }
        let beginning: Vec<&str> = question.split(' ').take(2).collect();
        match beginning[..] {
            ["GET", "/"] => tell(stream, "200 OK", &self.page),
            ["GET", "/states"] => self.show_states(stream),
            ["POST", "/wish"] => {
                let is_json = header(&question, "content-type") == Some("application/json");
                let wish = serde_json::from_slice(&along);
                match wish {
                    _ if !is_of_our_page(&question, self.address) || !is_json => {
                        tell(stream, "403 Forbidden", b"")
                    }
                    Ok(wish) => {
                        self.wish(wish);
                        tell(stream, "204 No Content", b"")
                    }
                    Err(_) => tell(stream, "400 Bad Request", b""),
                }
            }
            _ => tell(stream, "404 Not Found", b""),
        }
    }

    fn wish(&self, wish: Wish) {
        let mut open = self.lock();
        match wish {
            Wish::Pull { vertex, place } if place.iter().all(|x| x.is_finite()) => {
                open.wishes.hand = Some((vertex, Vec3::from_array(place)));
            }
            Wish::Pull { .. } | Wish::LetGo => open.wishes.hand = None,
            Wish::Pause => open.wishes.paused = true,
            Wish::GoOn => open.wishes.paused = false,
            Wish::Restart => open.wishes.restart = true,
        }
        self.changed.notify_all();
    }

    /// Sends states until the page has gone or all is over.
    fn show_states(&self, stream: &mut TcpStream) -> io::Result<()> {
        stream.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nCache-Control: no-store\r\n\
              X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        )?;
        self.lock().looking += 1;
        let ended = self.send_states(stream);
        let mut open = self.lock();
        open.looking -= 1;
        if open.looking == 0 {
            // The hand of a page that was closed.
            open.wishes.hand = None;
        }
        ended
    }

    fn send_states(&self, stream: &mut TcpStream) -> io::Result<()> {
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
            stream.write_all(&message)?;
            sent = number;
        }
    }
}

/// A thread for each connection, until all is over.
fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    while !shared.lock().over {
        match listener.accept() {
            Ok((mut stream, _)) => {
                let mut open = shared.lock();
                if open.connections >= MOST {
                    continue;
                }
                open.connections += 1;
                drop(open);
                let shared = shared.clone();
                std::thread::spawn(move || {
                    let _ = shared.answer(&mut stream);
                    shared.lock().connections -= 1;
                });
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // Also where there are no more files to be had for a moment.
            Err(_) => std::thread::sleep(NAP),
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

fn tell(stream: &mut TcpStream, status: &str, body: &[u8]) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(body)?;
    stream.flush()
}
