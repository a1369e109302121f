//! Connections of a server: bounded in number and time.
//!
//! Each connection has a thread. At the limit a new connection replaces the oldest one that has not
//! completed its request, so that silent or slow clients do not block others.

use super::deadline::DeadlineStream;
use super::{Request, Response};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Largest number of simultaneous connections.
const MAX_CONNECTIONS: usize = 32;
/// Largest number of endless streams among them.
const MAX_STREAMS: usize = 16;
/// Read timeout of a request.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(2);
/// Write timeout of a response.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// Time during which a response cannot be replaced by a new connection.
const PROTECTED_TIME: Duration = Duration::from_secs(5);
/// Polling interval without pending connections.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A request handler.
pub(crate) trait Service: Send + Sync + 'static {
    /// Responds to a request for this server through its connection. An error ends only this connection.
    fn respond(&self, request: &Request, connection: &Connection<'_>) -> io::Result<()>;
}

/// All connections of a server.
#[derive(Debug)]
pub(crate) struct Connections {
    /// Address of the server.
    address: SocketAddr,
    table: Mutex<ConnectionTable>,
}

#[derive(Debug, Default)]
struct ConnectionTable {
    /// Open connections by their identifiers, in the order of their beginning.
    open: BTreeMap<u64, OpenConnection>,
    /// Identifier of the next connection.
    next_id: u64,
    /// Whether the server has ended, so that it admits no connections.
    closed: bool,
}

#[derive(Debug)]
struct OpenConnection {
    stream: Arc<TcpStream>,
    state: ConnectionState,
    /// Time at which the connection was admitted, or at which its request was complete.
    state_start: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectionState {
    /// The request is not complete.
    Requesting,
    /// The client receives a response.
    Responding,
    /// The client receives an endless stream.
    Streaming,
}

impl Connections {
    /// No connections yet, to a server at `address`.
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address, table: Mutex::default() }
    }

    /// Address of the server.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` returns true (it is polled), then ends all connections.
    pub(crate) fn listen<S: Service>(
        self: &Arc<Self>,
        listener: &TcpListener,
        service: &Arc<S>,
        stop: &dyn Fn() -> bool,
    ) {
        while !stop() {
            match listener.accept() {
                Ok((stream, _)) => self.begin(stream, service),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Errors include temporarily exhausted file descriptors.
                Err(_) => std::thread::sleep(POLL_INTERVAL),
            }
        }
        let mut table = self.lock();
        table.closed = true;
        std::mem::take(&mut table.open).values().for_each(OpenConnection::shut_down);
    }

    /// Serves a new connection in a thread of its own, or refuses it.
    fn begin<S: Service>(self: &Arc<Self>, stream: TcpStream, service: &Arc<S>) {
        let stream = Arc::new(stream);
        let Some(id) = self.admit(&stream) else {
            // Writes only what the system accepts at once, without waiting for the client.
            let _ = Response::status("503 Service Unavailable").send(&mut &*stream);
            return;
        };
        let (connections, service) = (self.clone(), service.clone());
        let guard = ConnectionGuard { connections, id, stream };
        // If the system refuses a thread, the closure is dropped and its guard removes the connection.
        let _ = std::thread::Builder::new().name("connection".into()).spawn(move || {
            let connection = Connection { guard: &guard };
            let _ = connection.serve(&*service);
        });
    }

    /// Adds a new connection to the table, in place of another one at the limit. Returns its identifier; `None` if no
    /// connection can be replaced, or the server has ended.
    fn admit(&self, stream: &Arc<TcpStream>) -> Option<u64> {
        let mut table = self.lock();
        if table.closed {
            return None;
        }
        if table.open.len() >= MAX_CONNECTIONS {
            let replaced_id = table.replaceable_id()?;
            table.open.remove(&replaced_id).iter().for_each(OpenConnection::shut_down);
        }
        let id = table.next_id;
        table.next_id += 1;
        let connection = OpenConnection {
            stream: stream.clone(),
            state: ConnectionState::Requesting,
            state_start: Instant::now(),
        };
        table.open.insert(id, connection);
        Some(id)
    }

    /// Locks the table and ignores poisoning: a panic leaves the table valid.
    fn lock(&self) -> MutexGuard<'_, ConnectionTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionTable {
    /// Identifier of the connection that a new one replaces: the oldest one whose request is not complete, otherwise
    /// the oldest one whose response takes longer than [`PROTECTED_TIME`].
    fn replaceable_id(&self) -> Option<u64> {
        let oldest = |matches: &dyn Fn(&OpenConnection) -> bool| {
            self.open.iter().find(|(_, connection)| matches(connection)).map(|(id, _)| *id)
        };
        let is_requesting =
            |connection: &OpenConnection| connection.state == ConnectionState::Requesting;
        let responds_slowly = |connection: &OpenConnection| {
            connection.state == ConnectionState::Responding
                && connection.state_start.elapsed() > PROTECTED_TIME
        };
        oldest(&is_requesting).or_else(|| oldest(&responds_slowly))
    }
}

impl OpenConnection {
    /// Shuts the connection down, which wakes its thread.
    fn shut_down(&self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Removes a connection from the table when its thread ends.
#[derive(Debug)]
struct ConnectionGuard {
    connections: Arc<Connections>,
    id: u64,
    stream: Arc<TcpStream>,
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.connections.lock().open.remove(&self.id);
    }
}

/// A connection being served.
#[derive(Debug)]
pub(crate) struct Connection<'a> {
    guard: &'a ConnectionGuard,
}

impl Connection<'_> {
    /// The stream of the connection, on which all reads and writes together must end within `time` from now.
    pub(crate) fn within(&self, time: Duration) -> DeadlineStream<'_> {
        DeadlineStream::new(&self.guard.stream, time)
    }

    /// Address of the server.
    pub(crate) fn server(&self) -> SocketAddr {
        self.guard.connections.address
    }

    /// Sends a response within [`WRITE_TIMEOUT`].
    pub(crate) fn send(&self, response: &Response<'_>) -> io::Result<()> {
        response.send(&mut self.within(WRITE_TIMEOUT))
    }

    /// Marks the connection as an endless stream, which no other connection replaces. Returns whether it succeeds: the
    /// number of streams is limited.
    pub(crate) fn try_stream(&self) -> bool {
        let mut table = self.guard.connections.lock();
        let is_stream = |open: &&OpenConnection| open.state == ConnectionState::Streaming;
        let stream_count = table.open.values().filter(is_stream).count();
        match table.open.get_mut(&self.guard.id) {
            Some(connection) if stream_count < MAX_STREAMS => {
                connection.state = ConnectionState::Streaming;
                true
            }
            _ => false,
        }
    }

    /// Reads the request of the connection and responds to it.
    fn serve(&self, service: &impl Service) -> io::Result<()> {
        let stream = &self.guard.stream;
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        let request = match Request::read(&mut self.within(READ_TIMEOUT)) {
            Ok(request) => request,
            Err(error) => {
                return error
                    .status()
                    .map_or(Ok(()), |status| self.send(&Response::status(status)));
            }
        };
        if let Some(connection) = self.guard.connections.lock().open.get_mut(&self.guard.id) {
            connection.state = ConnectionState::Responding;
            connection.state_start = Instant::now();
        }
        match request.is_for(self.server()) {
            true => service.respond(&request, self),
            false => self.send(&Response::status("403 Forbidden")),
        }
    }
}
