//! A connection with a deadline for all reads and writes together.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A connection that fails with [`ErrorKind::TimedOut`] after its deadline, even if the peer keeps
/// sending or receiving bytes.
#[derive(Debug)]
pub(crate) struct DeadlineStream<'a> {
    stream: &'a TcpStream,
    deadline: Instant,
}

impl<'a> DeadlineStream<'a> {
    /// A connection whose deadline is `time` from now.
    pub(crate) fn new(stream: &'a TcpStream, time: Duration) -> Self {
        Self { stream, deadline: Instant::now() + time }
    }

    /// Time until the deadline as the timeout of a read or write; an error if the deadline has passed.
    fn remaining(&self) -> io::Result<Option<Duration>> {
        let remaining = self.deadline.saturating_duration_since(Instant::now());
        if remaining.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(Some(remaining)) }
    }
}

impl Read for DeadlineStream<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.remaining()?)?;
        let mut stream = self.stream;
        stream.read(to).map_err(timed_out)
    }
}

impl Write for DeadlineStream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.remaining()?)?;
        let mut stream = self.stream;
        stream.write(bytes).map_err(timed_out)
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut stream = self.stream;
        stream.flush()
    }
}

/// Unifies the two error kinds by which systems report a timeout.
fn timed_out(error: io::Error) -> io::Error {
    if error.kind() == ErrorKind::WouldBlock { ErrorKind::TimedOut.into() } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{Request, RequestError};
    use std::net::{Ipv4Addr, TcpListener};
    use std::sync::atomic::{AtomicBool, Ordering};

    fn connected() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let client = TcpStream::connect(address).expect("it listens");
        (client, listener.accept().expect("the client connected").0)
    }

    const TIMEOUT: Duration = Duration::from_millis(200);

    #[test]
    fn slow_sender_does_not_extend_the_deadline() {
        let (mut client, server) = connected();
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            // Sends an endless header, which would last for minutes without a deadline.
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) && client.write_all(b"a").is_ok() {
                    std::thread::sleep(Duration::from_millis(20));
                }
            });
            let read = Request::read(&mut DeadlineStream::new(&server, TIMEOUT));
            ended.store(true, Ordering::Relaxed);
            match read {
                Err(RequestError::Io(error)) => assert_eq!(error.kind(), ErrorKind::TimedOut),
                other => panic!("{other:?}"),
            }
        });
    }

    #[test]
    fn stalled_receiver_does_not_extend_the_deadline() {
        let (_client, server) = connected();
        let much = vec![0; 64 << 20];
        let error = DeadlineStream::new(&server, TIMEOUT)
            .write_all(&much)
            .expect_err("the client does not read");
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }
}
