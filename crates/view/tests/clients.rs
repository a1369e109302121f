//! Servers and the clients that they meet: slow ones, many, and such as want what there is not.

use resile_math::Vec3;
use resile_view::{Commands, LiveServer, LiveState, Server};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// More than any server keeps connections.
const CLIENT_COUNT: usize = 100;
/// Far above what anything takes that ends at all.
const DEADLINE: Duration = Duration::from_secs(120);

fn live() -> LiveServer {
    LiveServer::start(b"<!doctype html>".to_vec()).expect("a port is free")
}

fn host(url: &str) -> &str {
    url.trim_start_matches("http://").trim_end_matches('/')
}

/// A client that has sent this.
fn client(url: &str, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(host(url)).expect("it listens");
    stream.set_read_timeout(Some(DEADLINE)).expect("a time");
    // A server that has seen enough may have ended the connection.
    let _ = stream.write_all(text.as_bytes());
    stream
}

/// The status of what is answered to this; empty if the connection just ends.
fn answered(url: &str, text: &str) -> String {
    let mut answer = Vec::new();
    let _ = client(url, text).take(12).read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).get(9..).unwrap_or_default().to_owned()
}

fn get(url: &str, target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: {}\r\n\r\n", host(url))
}

/// Clients that begin to ask and stay.
fn slow(url: &str) -> Vec<TcpStream> {
    let beginnings =
        ["", "G", "GET / HTTP/1.1\r\nHo", "POST /command HTTP/1.1\r\nContent-Length: 9\r\n\r\n"];
    (0..CLIENT_COUNT).map(|k| client(url, beginnings[k % beginnings.len()])).collect()
}

#[test]
fn silent_clients_do_not_block_other_clients() {
    let server = live();
    let url = server.url();
    let _slow = slow(&url);
    for _ in 0..10 {
        assert_eq!(answered(&url, &get(&url, "/")), "200");
    }
}

#[test]
fn shutdown_does_not_wait_for_clients() {
    let server = live();
    let url = server.url();
    let _slow = slow(&url);
    let _looking: Vec<_> = (0..4).map(|_| client(&url, &get(&url, "/states"))).collect();
    let _greedy: Vec<_> = (0..4).map(|_| client(&url, &get(&url, "/"))).collect();
    drop(server);
    assert!(TcpStream::connect(host(&url)).is_err(), "the server no longer listens");
}

#[test]
fn streams_are_limited_and_pages_are_still_served() {
    let server = live();
    let url = server.url();
    let positions = [Vec3::ZERO; 3];
    server.show(&LiveState { time: 0.0, milliseconds: 0.0, pace: 1.0, positions: &positions });
    let viewer_count: Vec<_> = (0..16).map(|_| client(&url, &get(&url, "/states"))).collect();
    let began = Instant::now();
    while server.viewer_count() < viewer_count.len() {
        assert!(began.elapsed() < DEADLINE, "{} of 16", server.viewer_count());
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(answered(&url, &get(&url, "/states")), "503");
    assert_eq!(answered(&url, &get(&url, "/")), "200");
}

#[test]
fn stalled_stream_is_closed() {
    let server = live();
    let url = server.url();
    // More than lies between the two.
    let positions = vec![Vec3::ONE; 3_000_000];
    let _deaf = client(&url, &get(&url, "/states"));
    let began = Instant::now();
    let mut seen = false;
    while !seen || server.viewer_count() > 0 {
        assert!(began.elapsed() < DEADLINE, "{} look", server.viewer_count());
        server.show(&LiveState { time: 0.0, milliseconds: 0.0, pace: 1.0, positions: &positions });
        seen |= server.viewer_count() > 0;
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn invalid_requests_get_their_status_code() {
    let server = live();
    let url = server.url();
    let host = host(&url);
    let ours =
        format!("Host: {host}\r\nOrigin: http://{host}\r\nContent-Type: application/json\r\n");
    for (text, status) in [
        (format!("GET / HTTP/1.1\r\nHost: {host}\r\nA: {}\r\n\r\n", "x".repeat(20_000)), "431"),
        (format!("POST /command HTTP/1.1\r\n{ours}Content-Length: 5000\r\n\r\n"), "413"),
        (format!("POST /command HTTP/1.1\r\n{ours}Content-Length: x\r\n\r\n"), "400"),
        (format!("POST /command HTTP/1.1\r\n{ours}Transfer-Encoding: chunked\r\n\r\n"), "501"),
        (format!("PUT / HTTP/1.1\r\n{ours}\r\n"), "404"),
        (format!("GET /../etc/passwd HTTP/1.1\r\n{ours}\r\n"), "404"),
        (format!("GET / HTTP/1.1\r\n{ours}Sec-Fetch-Site: cross-site\r\n\r\n"), "403"),
        ("nonsense\r\n\r\n".to_owned(), "400"),
    ] {
        assert_eq!(answered(&url, &text), status, "{}", &text[..text.len().min(200)]);
    }
    assert_eq!(server.commands(), Commands::default());
}

#[test]
fn follow_server_shutdown_does_not_wait_for_clients() {
    let server = Server::start().expect("a port is free");
    let url = server.url();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let stop = |_| over.load(Ordering::Relaxed);
        let serving = scope.spawn(move || server.serve(Path::new("no run"), "none", &stop));
        let _slow = slow(&url);
        assert_eq!(answered(&url, &get(&url, "/")), "503");
        assert_eq!(answered(&url, &get(&url, "/states")), "404");
        over.store(true, Ordering::Relaxed);
        serving.join().expect("it ends");
    });
}
