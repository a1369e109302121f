//! The page of a run that goes on, to a browser on the same machine.
//!
//! One question is answered after the other: there is one page to be had, and who asks is a browser
//! or two. Nobody but this machine can connect, and pages of other sites cannot read it: their
//! browser would say another host.

use crate::http::{PATIENCE, header, is_ours, question};
use crate::{Showing, ViewError, write_page};
use resile_record::{Playback, Summary};
use std::io::{self, ErrorKind, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

/// How long nothing is done when nobody asks.
const NAP: Duration = Duration::from_millis(20);

/// A server of one page on 127.0.0.1.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    /// The page that was made last, and which it was.
    made: Option<(String, Vec<u8>)>,
    /// How much of the run the page showed that was given last.
    given: Option<Showing>,
}

/// What is answered.
struct Answer<'a> {
    status: &'static str,
    tag: &'a str,
    body: &'a [u8],
}

impl Server {
    /// Listens on a port that is free.
    ///
    /// # Errors
    /// If the system gives none.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        Ok(Self { address: listener.local_addr()?, listener, made: None, given: None })
    }

    /// Where the page is, for the browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Answers questions for the run in a folder until `stop` says so, which is asked all the time and
    /// told how much of the run the page showed that was given last.
    ///
    /// # Errors
    /// If the system does not let it listen any more. What one connection does wrong ends it alone.
    pub fn serve(
        &mut self,
        run: &Path,
        title: &str,
        stop: &dyn Fn(Option<Showing>) -> bool,
    ) -> io::Result<()> {
        while !stop(self.given) {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    let _ = self.answer(stream, run, title);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(NAP),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn answer(&mut self, mut stream: TcpStream, run: &Path, title: &str) -> io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let question = question(&mut stream)?;
        let empty = |status| Answer { status, tag: "\"\"", body: b"" };
        if !is_ours(&question, self.address) {
            return send(&mut stream, &empty("403 Forbidden"));
        }
        if !question.starts_with("GET / ") {
            return send(&mut stream, &empty("404 Not Found"));
        }
        let known = header(&question, "if-none-match").unwrap_or_default();
        let showing = match self.page(run, title) {
            Ok((tag, _, _)) if tag == known => {
                return send(&mut stream, &empty("304 Not Modified"));
            }
            Ok((tag, body, showing)) => {
                send(&mut stream, &Answer { status: "200 OK", tag, body })?;
                showing
            }
            // A run that begins anew has nothing to show for a moment.
            Err(_) => return send(&mut stream, &empty("503 Service Unavailable")),
        };
        self.given = Some(showing);
        Ok(())
    }

    /// The page of the run as it is now, and what tells it from earlier ones.
    fn page(&mut self, run: &Path, title: &str) -> Result<(&str, &[u8], Showing), ViewError> {
        let run = Playback::open(run)?;
        let showing = if has_ended(&run) { Showing::Whole } else { Showing::Growing };
        let tag = format!("\"{}-{showing:?}\"", run.times().len());
        let body = match self.made.take() {
            Some((made, body)) if made == tag => body,
            _ => {
                let mut body = Vec::new();
                write_page(&run, title, showing, &mut body, &mut |_, _| {})?;
                body
            }
        };
        let (tag, body) = self.made.insert((tag, body));
        Ok((tag, body, showing))
    }
}

/// Whether the run is over: its summary tells of the last step of its history.
fn has_ended(run: &Playback) -> bool {
    let last = || -> Option<f64> { run.history().ok()?.column("step")?.last().copied()? };
    let told = Summary::read(&run.folder().summary());
    told.is_ok_and(|summary| last().unwrap_or_default() <= summary.steps_done as f64)
}

fn send(stream: &mut TcpStream, answer: &Answer<'_>) -> io::Result<()> {
    let Answer { status, tag, body } = answer;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-cache\r\nETag: {tag}\r\nX-Content-Type-Options: nosniff\r\n\
         Connection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(body)?;
    stream.flush()
}
