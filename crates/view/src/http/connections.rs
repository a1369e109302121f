//! Connections of a server: bounded in number and time.
//!
//! Each connection has a thread. At the limit a new connection replaces the oldest one that has not
//! completed its request, so that silent or slow clients do not block others.

use super::deadline::DeadlineStream;
use super::{Answer, Request};
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
    /// Answers a request for this server. An error ends only this connection.
    fn answer(&self, request: &Request, connection: &Connection<'_>) -> io::Result<()>;
}

/// All connections of a server.
#[derive(Debug)]
pub(crate) struct Connections {
    address: SocketAddr,
    table: Mutex<OpenConnections>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    /// Open connections in the order of their beginning.
    open: BTreeMap<u64, OpenConnection>,
    begun: u64,
    closed: bool,
}

#[derive(Debug)]
struct OpenConnection {
    stream: Arc<TcpStream>,
    does: ConnectionState,
    since: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectionState {
    Asks,
    TakesAnswer,
    Streams,
}

impl Connections {
    /// No connections yet, to a server at `address`.
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address, table: Mutex::default() }
    }

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
        std::mem::take(&mut table.open).values().for_each(OpenConnection::end);
    }

    fn begin<S: Service>(self: &Arc<Self>, stream: TcpStream, service: &Arc<S>) {
        let stream = Arc::new(stream);
        let Some(number) = self.admit(&stream) else {
            // Writes only what the system accepts at once, without waiting for the client.
            let _ = Answer::status("503 Service Unavailable").send(&mut &*stream);
            return;
        };
        let (connections, service) = (self.clone(), service.clone());
        let guard = Guard { connections, number, stream };
        // Without a thread the guard ends the connection.
        let _ = std::thread::Builder::new().name("connection".into()).spawn(move || {
            let connection = Connection { guard: &guard };
            let _ = connection.serve(&*service);
        });
    }

    /// Admits a new connection if possible; returns its number.
    fn admit(&self, stream: &Arc<TcpStream>) -> Option<u64> {
        let mut table = self.lock();
        if table.closed {
            return None;
        }
        if table.open.len() >= MAX_CONNECTIONS {
            let connection_to_replace = table.connection_to_replace()?;
            table.open.remove(&connection_to_replace).iter().for_each(OpenConnection::end);
        }
        let number = table.begun;
        table.begun += 1;
        let open = OpenConnection {
            stream: stream.clone(),
            does: ConnectionState::Asks,
            since: Instant::now(),
        };
        table.open.insert(number, open);
        Some(number)
    }

    /// Ignores poisoning: a panic leaves the state valid.
    fn lock(&self) -> MutexGuard<'_, OpenConnections> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenConnections {
    /// Connection to be replaced first.
    fn connection_to_replace(&self) -> Option<u64> {
        let oldest = |is: &dyn Fn(&OpenConnection) -> bool| {
            self.open.iter().find(|(_, open)| is(open)).map(|(number, _)| *number)
        };
        let disturbed = |open: &OpenConnection| {
            open.does == ConnectionState::TakesAnswer && open.since.elapsed() > PROTECTED_TIME
        };
        oldest(&|open| open.does == ConnectionState::Asks).or_else(|| oldest(&disturbed))
    }
}

impl OpenConnection {
    /// Shuts the connection down, which wakes its thread.
    fn end(&self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Removes a connection from the list when its thread ends.
#[derive(Debug)]
struct Guard {
    connections: Arc<Connections>,
    number: u64,
    stream: Arc<TcpStream>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.connections.lock().open.remove(&self.number);
    }
}

/// A connection being served.
#[derive(Debug)]
pub(crate) struct Connection<'a> {
    guard: &'a Guard,
}

impl Connection<'_> {
    /// The connection with a deadline after `time`.
    pub(crate) fn within(&self, time: Duration) -> DeadlineStream<'_> {
        DeadlineStream::new(&self.guard.stream, time)
    }

    /// Address of the server.
    pub(crate) fn server(&self) -> SocketAddr {
        self.guard.connections.address
    }

    pub(crate) fn send(&self, answer: &Answer<'_>) -> io::Result<()> {
        answer.send(&mut self.within(WRITE_TIMEOUT))
    }

    /// Converts it to an endless stream, unless the limit of streams is reached.
    pub(crate) fn is_stream(&self) -> bool {
        let mut table = self.guard.connections.lock();
        let streams =
            table.open.values().filter(|open| open.does == ConnectionState::Streams).count();
        let open = table.open.get_mut(&self.guard.number).filter(|_| streams < MAX_STREAMS);
        open.map(|open| open.does = ConnectionState::Streams).is_some()
    }

    fn serve(&self, service: &impl Service) -> io::Result<()> {
        let stream = &self.guard.stream;
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        let request = match Request::read(&mut self.within(READ_TIMEOUT)) {
            Ok(request) => request,
            Err(error) => {
                return error.status().map_or(Ok(()), |status| self.send(&Answer::status(status)));
            }
        };
        if let Some(open) = self.guard.connections.lock().open.get_mut(&self.guard.number) {
            (open.does, open.since) = (ConnectionState::TakesAnswer, Instant::now());
        }
        match request.is_for(self.server()) {
            true => service.answer(&request, self),
            false => self.send(&Answer::status("403 Forbidden")),
        }
    }
}
