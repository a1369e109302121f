//! Clients that take their time do not keep the program from ending.

use crate::support::{Place, SCENE, SimOutput, served, signalled};
use std::io::Write as _;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Ends a command by SIGTERM while clients send it a byte now and then, for as long as it lives: of a
/// request that they do not finish for minutes.
fn ended_beside_slow_clients(place: &Place, arguments: &[&str]) -> SimOutput {
    let (child, address) = served(place, arguments);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| {
                let Ok(mut stream) = TcpStream::connect(&address) else { return };
                while !over.load(Ordering::Relaxed) && stream.write_all(b"G").is_ok() {
                    std::thread::sleep(Duration::from_millis(100));
                }
            });
        }
        std::thread::sleep(Duration::from_millis(300));
        let output = signalled(child, "-TERM");
        over.store(true, Ordering::Relaxed);
        output
    })
}

#[test]
fn run_with_page_ends_on_sigterm() {
    let place = Place::new(SCENE);
    let run = ["run", "scene.ron", "--view", "--plain", "--set", "time.duration=1000"];
    let output = ended_beside_slow_clients(&place, &run).exit(1);
    assert!(output.stderr.contains("interrupted after step"), "{}", output.stderr);
}

#[test]
fn live_page_ends_on_sigterm() {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "-q"]).exit(0);
    ended_beside_slow_clients(&place, &["view", "out/scene", "--live", "--no-open"]).exit(0);
}

#[test]
fn live_scene_ends_on_sigterm() {
    let place = Place::new(SCENE);
    let output = ended_beside_slow_clients(&place, &["live", "scene.ron", "--no-open"]).exit(0);
    assert!(output.stdout.contains("pictures") || output.stdout.is_empty(), "{}", output.stdout);
}
