//! The page of a world at this moment.

use super::driver::{Browser, Screen};
use super::support::{Forces, Names, Run};
use resile_math::Vec3;
use resile_record::Playback;
use resile_view::{Commands, LiveServer, LiveState, PageMode};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The first frame of a run as a page, and where its vertices that move are.
fn served(names: &Names) -> (LiveServer, Vec<Vec3>, Run) {
    let run = Run::begun(names, 1, Forces::Absent);
    let playback = Playback::open(run.folder.path()).expect("it was written");
    let first = playback.frame(0).expect("it can be read").positions;
    let places = first.iter().map(|place| Vec3::from_array(place.map(f64::from))).collect();
    let page = run.page_of(PageMode::Live).0.into_bytes();
    (LiveServer::start(page).expect("a port is free"), places, run)
}

/// Waits until the commands satisfy `is`.
fn wait_for(server: &LiveServer, is: impl Fn(&Commands) -> bool) -> Commands {
    let began = Instant::now();
    loop {
        let commands = server.commands();
        if is(&commands) {
            return commands;
        }
        assert!(began.elapsed() < Duration::from_secs(120), "{commands:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn show(server: &LiveServer, time: f64, positions: &[Vec3]) {
    server.show(&LiveState { time, milliseconds: 4.0, pace: 1.0, positions });
}

#[test]
fn live_page_shows_states_and_drags_bodies() {
    let Some(mut browser) = Browser::start() else { return };
    let (server, mut places, _run) = served(&Names::default());
    browser.open(&server.url(), Screen::default());
    // A state that was published before a page connects is sent to the page.
    places.iter_mut().for_each(|place| *place += Vec3::new(0.01, 0.02, 0.0));
    show(&server, 1.25, &places);
    browser
        .wait("resile.live.count > 0 && document.getElementById('time').textContent === '1.25 s'");
    assert_eq!(server.viewer_count(), 1);
    let shown = browser.evaluate("Array.from(resile.surface.positions)");
    for (v, place) in places.iter().enumerate() {
        for k in 0..3 {
            let x = shown[3 * v + k].as_f64().expect("a number");
            assert!((x - place[k]).abs() < 1e-6, "vertex {v}: {x} for {place}");
        }
    }
    assert!(browser.text("document.getElementById('about').textContent").starts_with("real time"));

    // The middle of the cube, which is the first body, is pulled to the right.
    let at = browser.evaluate(
        "(() => { const [x, y] = CUBE, box = resile.canvas.getBoundingClientRect();
          return [box.left + (x + 1) / 2 * box.width, box.top + (1 - y) / 2 * box.height]; })()"
            .replace("CUBE", super::CUBE)
            .as_str(),
    );
    let at = [0, 1].map(|k| at[k].as_f64().expect("a number"));
    let yaw = browser.number("resile.camera.yaw");
    browser.mouse("mouseMoved", at);
    browser.mouse("mousePressed", at);
    browser.mouse("mouseMoved", [at[0] + 5.0, at[1]]);
    let near = wait_for(&server, |commands| commands.drag.is_some()).drag.expect("it is pulled");
    browser.mouse("mouseMoved", [at[0] + 60.0, at[1]]);
    let far = wait_for(&server, |commands| commands.drag.is_some_and(|(_, place)| place != near.1));
    let far = far.drag.expect("it is pulled");
    assert_eq!(near.0, far.0, "one vertex");
    assert!(near.0 < 64, "of the cube");
    let right = browser.evaluate("resile.camera.axes().right");
    let right = Vec3::from_array([0, 1, 2].map(|k| right[k].as_f64().expect("a number")));
    let moved = far.1 - near.1;
    assert!(moved.dot(right) > 0.99 * moved.length() && moved.length() > 0.05, "{moved}");
    assert_eq!(browser.number("resile.camera.yaw"), yaw, "the camera stays");
    browser.mouse("mouseReleased", [at[0] + 60.0, at[1]]);
    wait_for(&server, |commands| commands.drag.is_none());

    // Beside the bodies the camera turns.
    browser.mouse("mousePressed", [5.0, 200.0]);
    browser.mouse("mouseMoved", [45.0, 200.0]);
    browser.mouse("mouseReleased", [45.0, 200.0]);
    assert_ne!(browser.number("resile.camera.yaw"), yaw);
    assert_eq!(server.commands().drag, None);

    browser.press(" ");
    wait_for(&server, |commands| commands.paused);
    browser.press("s");
    wait_for(&server, |commands| commands.restart);
    assert!(!server.commands().restart, "it is told once");
    browser.evaluate("document.getElementById('play').click()");
    wait_for(&server, |commands| !commands.paused);
    assert_eq!(browser.complaints(), [""; 0]);
    drop(server);
    browser.wait("document.getElementById('about').textContent === 'it has ended'");
}

#[test]
fn closing_the_page_releases_the_drag() {
    let Some(mut browser) = Browser::start() else { return };
    let (server, places, _run) = served(&Names::default());
    browser.open(&server.url(), Screen::default());
    show(&server, 0.0, &places);
    browser.wait("resile.live.count > 0");
    browser.evaluate("resile.live.commands.send({ Pull: { vertex: 3, place: [1, 2, 3] } })");
    let commands = wait_for(&server, |commands| commands.drag.is_some());
    assert_eq!(commands.drag, Some((3, Vec3::new(1.0, 2.0, 3.0))));
    browser.call("Page.navigate", serde_json::json!({ "url": "about:blank" }));
    wait_for(&server, |commands| commands.drag.is_none());
    assert_eq!(server.viewer_count(), 0);
}

#[test]
fn live_page_displays_names_as_text() {
    let Some(mut browser) = Browser::start() else { return };
    let names = Names { scene: "<script>owned = 1</script>".to_owned(), ..Names::default() };
    let (server, places, _run) = served(&names);
    browser.open(&server.url(), Screen::default());
    show(&server, 0.0, &places);
    browser.wait("resile.live.count > 0");
    assert_eq!(browser.text("typeof owned"), "undefined");
    assert_eq!(browser.text("document.querySelector('h1').textContent"), names.scene);
}

#[test]
fn cross_site_and_malformed_commands_are_rejected() {
    let (server, places, _run) = served(&Names::default());
    show(&server, 0.0, &places);
    let host = server.url().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let ask = |first: &str, more: &str, body: &str| {
        let mut stream = TcpStream::connect(&host).expect("it listens");
        let length = body.len();
        let head = format!("{first} HTTP/1.1\r\n{more}Content-Length: {length}\r\n\r\n{body}");
        stream.write_all(head.as_bytes()).expect("sent");
        let mut status = [0; 12];
        stream.read_exact(&mut status).expect("it answers");
        String::from_utf8_lossy(&status[9..]).into_owned()
    };
    let ours =
        format!("Host: {host}\r\nOrigin: http://{host}\r\nContent-Type: application/json\r\n");
    let theirs = format!(
        "Host: {host}\r\nOrigin: http://evil.example\r\nContent-Type: application/json\r\n"
    );
    let plain = format!("Host: {host}\r\nOrigin: http://{host}\r\nContent-Type: text/plain\r\n");
    let anonymous = format!("Host: {host}\r\n");
    for more in [&theirs, &plain, &anonymous] {
        assert_eq!(ask("POST /command", more, "\"Pause\""), "403");
    }
    assert_eq!(ask("GET /", "Host: evil.example\r\n", ""), "403");
    assert_eq!(ask("GET /states", "Host: evil.example\r\n", ""), "403");
    assert_eq!(ask("GET /etc", &anonymous, ""), "404");
    let pull = |place: &str| format!("{{\"Pull\": {{\"vertex\": 1, \"place\": {place}}}}}");
    for wrong in ["", "{}", "\"Explode\"", &pull("[1, 2]"), &pull("[1, 2, 1e999]")] {
        assert_eq!(ask("POST /command", &ours, wrong), "400", "{wrong}");
    }
    assert_eq!(server.commands(), Commands::default());
    assert_eq!(ask("POST /command", &ours, &pull("[1, 2, 3]")), "204");
    assert_eq!(server.commands().drag, Some((1, Vec3::new(1.0, 2.0, 3.0))));
}
