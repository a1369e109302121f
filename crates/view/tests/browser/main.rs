//! The page in a real browser: Chromium, if there is one on this machine.

mod cost;
mod driver;
mod live;
mod phone;
mod silhouette;
#[path = "../support/mod.rs"]
mod support;

use driver::{Browser, Screen, url};
use resile_record::Playback;
use resile_view::Server;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use support::{FRAMES, Forces, Names, Run, time};

/// A run whose page lies in its folder, and a browser, if there is one.
fn opened(names: &Names, screen: Screen) -> Option<(Run, PathBuf, Browser)> {
    let mut browser = Browser::start()?;
    let run = Run::new(names);
    let page = run.folder.path().join("view.html");
    std::fs::write(&page, run.page().0).expect("the folder can be written");
    browser.open(&url(&page), screen);
    Some((run, page, browser))
}

/// The page has said nothing and asked for nothing.
fn quiet(browser: &Browser, page: &std::path::Path) {
    assert_eq!(browser.complaints(), [""; 0]);
    assert_eq!(browser.requests(), [url(page)], "nothing but the page itself");
}

#[test]
fn page_opens_plays_and_stops() {
    let screen = Screen { motion: "no-preference", ..Screen::default() };
    let Some((_run, page, mut browser)) = opened(&Names::default(), screen) else { return };
    assert_eq!(browser.text("document.title"), "falling – resile");
    assert_eq!(browser.text("document.querySelector('h1').textContent"), "falling");
    browser.wait("resile.clock.playing && resile.clock.time > 0");
    let before = browser.number("resile.clock.time");
    browser.wait(&format!("resile.clock.time !== {before}"));
    browser.press(" ");
    assert_eq!(browser.evaluate("resile.clock.playing"), json!(false));
    let stopped = browser.number("resile.clock.time");
    let on_frame = (0..FRAMES).any(|frame| (time(frame) - stopped).abs() < 1e-12);
    assert!(on_frame, "it stops at a frame: {stopped}");
    browser.evaluate("document.getElementById('play').click()");
    assert_eq!(browser.evaluate("resile.clock.playing"), json!(true));
    quiet(&browser, &page);
}

#[test]
fn keys_and_slider_select_frames_with_recorded_positions() {
    let Some((run, page, mut browser)) = opened(&Names::default(), Screen::default()) else {
        return;
    };
    let playback = Playback::open(run.folder.path()).expect("it was written");
    let last = time(FRAMES - 1);
    let slide = |to: f64| {
        format!(
            "slider = document.getElementById('slider'); slider.value = {to}; \
                 slider.dispatchEvent(new Event('input'))"
        )
    };
    type Go<'a> = Box<dyn Fn(&mut Browser) + 'a>;
    let press = |key: &'static str| -> Go<'_> { Box::new(move |b| b.press(key)) };
    let goes: [(Go<'_>, usize); 6] = [
        (press("End"), FRAMES - 1),
        (press("ArrowLeft"), FRAMES - 2),
        (press("Home"), 0),
        (press("ArrowRight"), 1),
        (Box::new(|b| drop(b.evaluate(&slide(0.5 * last)))), (FRAMES - 1) / 2),
        (Box::new(|b| drop(b.evaluate(&slide(time(40) + 0.002)))), 40),
    ];
    for (go, expected) in goes {
        go(&mut browser);
        // Nearest of two that are as near may be either.
        let seen = browser.number("resile.clock.time");
        let frame = (0..FRAMES).find(|&frame| (time(frame) - seen).abs() < 1e-9);
        let frame = frame.unwrap_or_else(|| panic!("{seen} s is no frame"));
        assert!(frame.abs_diff(expected) <= usize::from(expected == (FRAMES - 1) / 2), "{frame}");
        browser.wait("resile.drawn === resile.clock.time");
        let shown = browser.evaluate("Array.from(resile.surface.positions)");
        let shown = shown.as_array().expect("a list");
        let exact = playback.frame(frame).expect("it can be read").positions;
        for (b, body) in playback.bodies().iter().enumerate() {
            let quantum = browser.number(&format!("resile.film.bodies[{b}].quantum"));
            for v in body.vertices.clone() {
                for k in 0..3 {
                    let x = shown[3 * v + k].as_f64().expect("a number");
                    let off = (x - f64::from(exact[v][k])).abs();
                    // And the rounding of the page's own numbers, which are of single precision.
                    assert!(off <= 0.5 * quantum + 1e-7, "frame {frame}, {}: {off} m", body.name);
                }
            }
        }
    }
    quiet(&browser, &page);
}

/// Red, green and blue of the picture at places of it (-1 to 1), drawn this moment.
fn pixels(browser: &mut Browser, places: &[[f64; 2]]) -> Vec<[i64; 3]> {
    let read = format!(
        "(() => {{
            const {{ picture, camera, look }} = resile;
            resile.drawn = NaN;
            resile.tick(0);
            picture.draw(camera, look);
            const {{ gl, canvas }} = picture;
            const pixel = new Uint8Array(4);
            return {places:?}.map(([x, y]) => {{
                const at = [(x + 1) / 2 * canvas.width, (y + 1) / 2 * canvas.height];
                gl.readPixels(...at.map(Math.floor), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
                return Array.from(pixel.subarray(0, 3));
            }});
        }})()"
    );
    let colours = browser.evaluate(&read);
    let colours = colours.as_array().expect("a list").iter();
    let colour = |c: &Value| [0, 1, 2].map(|k| c[k].as_i64().expect("a number"));
    colours.map(colour).collect()
}

/// The cut face through the cube shows the speeds inside, in the colours of the scale.
#[test]
fn cut_faces_show_the_values_inside() {
    let Some((_run, page, mut browser)) = opened(&Names::default(), Screen::default()) else {
        return;
    };
    browser.evaluate("resile.seek(0.5)");
    let cut = "(() => { const normal = [0, 0, Math.sign(resile.camera.eye()[2])];
        resile.look.section = { normal, offset: 0 }; resile.drawn = NaN; resile.tick(0);
        const { count, positions, values } = resile.picture.cutFaces;
        return { count, positions: [...positions.subarray(0, 3 * count)], values: [...values.subarray(0, count)] }; })()";
    assert_eq!(browser.evaluate(cut)["count"], json!(0), "in the colour of the body");
    browser.evaluate("resile.show(0)");
    let seen = browser.evaluate(cut);
    let list = |name: &str| -> Vec<f64> {
        let list = seen[name].as_array().expect("a list").iter();
        list.map(|x| x.as_f64().expect("a number")).collect()
    };
    let (positions, values) = (list("positions"), list("values"));
    let corner = |k: usize| resile_math::Vec3::from_slice(&positions[3 * k..3 * k + 3]);
    let triangles = 0..positions.len() / 9;
    let area = |t: usize| {
        let [a, b, c] = [3 * t, 3 * t + 1, 3 * t + 2].map(corner);
        0.5 * (b - a).cross(c - a).length()
    };
    let area: f64 = triangles.map(area).sum();
    // A plane through the middle of a cube of 0.2 m, which wobbles by some percent, cuts at least its smallest section.
    assert!((0.2 * 0.2 * 0.9..0.2 * 0.2 * 3f64.sqrt() * 1.1).contains(&area), "{area}");
    assert!(positions.chunks(3).all(|p| p[2].abs() < 1e-6), "all lie in the plane");
    assert!(values.iter().all(|value| (0.0..=1.0).contains(value)), "{values:?}");
    // What turns is faster outside than inside: the values are not those of one end of the scale.
    let [least, most] = values.iter().fold([1.0f64, 0.0f64], |[a, b], &v| [a.min(v), b.max(v)]);
    assert!(most - least > 0.05, "{least} {most}");
    // In front of the plane, the middle of the picture of the cube is no longer grey.
    let middle = browser.evaluate(CUBE);
    let middle = [0, 1].map(|k| middle[k].as_f64().expect("a number"));
    let [r, g, b] = pixels(&mut browser, &[middle])[0];
    assert!((r - g).abs() + (g - b).abs() > 30, "viridis is not grey: {r} {g} {b}");
    quiet(&browser, &page);
}

/// Where the middle of the cube is in the picture.
const CUBE: &str = "(() => {
    const { film, surface, camera } = resile;
    const middle = [0, 1, 2].map((k) => {
        let sum = 0;
        for (let v = 0; v < film.bodies[0].vertices; v++) sum += surface.positions[3 * v + k];
        return sum / film.bodies[0].vertices;
    });
    const m = camera.matrix().matrix;
    const [x, y, , w] = [0, 1, 2, 3].map((r) => m[r] * middle[0] + m[4 + r] * middle[1] + m[8 + r] * middle[2] + m[12 + r]);
    return [x / w, y / w];
})()";

/// A place in the picture, 4 cm beside the middle of the line between the first two beads.
const BESIDE_THE_LINE: &str = "(() => {
    const { film, surface, camera } = resile;
    const { first } = film.bodies[1];
    const { right, up } = camera.axes();
    const at = (v, k) => surface.positions[3 * (first + v) + k];
    const m = camera.matrix().matrix;
    const onto = (p) => {
        const [x, y, , w] = [0, 1, 2, 3].map((r) => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);
        return [x / w, y / w];
    };
    const [a, b] = [0, 1].map((v) => onto([0, 1, 2].map((k) => at(v, k))));
    const middle = [0, 1, 2].map((k) => (at(0, k) + at(1, k)) / 2);
    // At right angles to the line in the picture.
    const way = [(b[0] - a[0]) * camera.aspect, b[1] - a[1]];
    const side = way.map((w) => w / Math.hypot(...way));
    return onto(middle.map((p, k) => p + 0.04 * (side[1] * right[k] - side[0] * up[k])));
})()";

#[test]
fn rods_are_drawn_with_their_thickness() {
    let mut seen = [None, Some(0.01), Some(0.08)].into_iter().map(|rod| {
        let names = Names { rod, ..Names::default() };
        let (_run, page, mut browser) = opened(&names, Screen::default())?;
        let place = browser.evaluate(BESIDE_THE_LINE);
        let place = [0, 1].map(|k| place[k].as_f64().expect("a number"));
        let pixel = pixels(&mut browser, &[place])[0];
        quiet(&browser, &page);
        Some(pixel)
    });
    let Some(spring) = seen.next().flatten() else { return };
    let [thin, thick] = [0, 1].map(|_| seen.next().flatten().expect("there is a browser"));
    assert_eq!(spring, thin, "beside a spring and a thin rod there is what is behind it");
    let apart: i64 = (0..3).map(|k| (thick[k] - thin[k]).abs()).sum();
    assert!(apart > 60, "a thick rod covers it: {thick:?} {thin:?}");
}

#[test]
fn colours_follow_the_selected_field_and_theme() {
    let Some((_run, page, mut browser)) = opened(&Names::default(), Screen::default()) else {
        return;
    };
    let place = |browser: &mut Browser| {
        let place = browser.evaluate(CUBE);
        [0, 1].map(|k| place[k].as_f64().expect("a number"))
    };
    let at = place(&mut browser);
    let of_body = pixels(&mut browser, &[at])[0];
    browser.press("c");
    assert_eq!(browser.text("document.getElementById('colour').selectedOptions[0].text"), "speed");
    let at_start = pixels(&mut browser, &[at])[0];
    assert_ne!(of_body, at_start);
    browser.press("End");
    let at = place(&mut browser);
    let at_end = pixels(&mut browser, &[at])[0];
    // It is fastest at the end, and all along the scale there is more green and less blue.
    let along = |[_, g, b]: [i64; 3]| g - b;
    assert!(along(at_end) > along(at_start) + 40, "{at_start:?} {at_end:?}");
    let legend = browser.text("document.getElementById('legend').textContent");
    assert!(legend.contains("m/s"), "{legend}");
    browser.press("c");
    assert_eq!(browser.evaluate("resile.field"), json!(-1), "and bodies again");

    let corner = [[-0.98, 0.98]];
    let light = pixels(&mut browser, &corner)[0];
    browser.open(&url(&page), Screen { theme: "dark", ..Screen::default() });
    let dark = pixels(&mut browser, &corner)[0];
    assert!(light.iter().all(|&x| x > 200) && dark.iter().all(|&x| x < 80), "{light:?} {dark:?}");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn forces_are_drawn_as_arrows_on_request() {
    let Some(mut browser) = Browser::start() else { return };
    let run = Run::with_forces();
    let page = run.folder.path().join("view.html");
    std::fs::write(&page, run.page().0).expect("the folder can be written");
    browser.open(&url(&page), Screen::default());
    browser.press("End");
    browser.wait("resile.drawn === resile.clock.time");
    assert_eq!(
        browser.evaluate("resile.picture.arrows.count"),
        json!(0),
        "not before they are asked for"
    );
    let steps: Vec<f64> = (0..40).map(|i| -0.97 + f64::from(i) * 0.05).collect();
    let places: Vec<[f64; 2]> =
        steps.iter().flat_map(|&y| steps.iter().map(move |&x| [x, y])).collect();
    let plain = pixels(&mut browser, &places);
    browser.press("v");
    let with_arrows = pixels(&mut browser, &places);
    assert!(plain != with_arrows, "they are seen");
    let last = Playback::open(run.folder.path()).and_then(|run| run.frame(FRAMES - 1));
    let last = last.expect("it was written");
    let forces = last.field("contact_force").expect("frames have it").values.as_chunks::<3>().0;
    let act: Vec<_> = forces.iter().filter(|force| **force != [0.0; 3]).collect();
    let count = browser.number("resile.picture.arrows.count");
    assert_eq!(count, act.len() as f64, "one a vertex on which a force acts");
    let along = browser.evaluate(
        "[0, 1, 2].map((k) => resile.picture.arrows.ends[1][k] - resile.picture.arrows.ends[0][k])",
    );
    let along = [0, 1, 2].map(|k| along[k].as_f64().expect("a number"));
    let along = resile_math::Vec3::from(along).normalize();
    assert!(
        along.dot(resile_math::Vec3::from(act[0].map(f64::from)).normalize()) > 0.999,
        "{along}"
    );
    let message = browser.text("document.getElementById('longest').textContent");
    assert!(message.starts_with("contact_force") && message.contains(" N"), "{message}");
    browser.press("v");
    browser.wait("resile.drawn === resile.clock.time");
    let patches = browser.number("resile.picture.arrows.count");
    assert!(patches > 0.0 && patches <= count, "{patches} patches of {count} points");
    let sum = browser.evaluate(
        "resile.patches.of(resile.film.forces[0].at(-1), resile.film.header.arrows[0], resile.surface.positions)
            .reduce((sum, {force}) => sum.map((x, k) => x + force[k]), [0, 0, 0])",
    );
    let sum = resile_math::Vec3::from([0, 1, 2].map(|k| sum[k].as_f64().expect("a number")));
    let vectors = || act.iter().map(|force| resile_math::Vec3::from(force.map(f64::from)));
    let (total, all) =
        (vectors().sum::<resile_math::Vec3>(), vectors().map(|force| force.length()).sum::<f64>());
    assert!((sum - total).length() < 2e-3 * all, "resultants are {sum}, forces {total}");
    let message = browser.text("document.getElementById('longest').textContent");
    assert!(message.starts_with("contact_force, resultants"), "{message}");
    browser.press("v");
    assert!(pixels(&mut browser, &places) == plain, "and gone again");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn picking_returns_the_body_drawn_under_the_pointer() {
    let Some((_run, page, mut browser)) = opened(&Names::default(), Screen::default()) else {
        return;
    };
    let steps: Vec<f64> = (0..32).map(|i| -0.97 + f64::from(i) * 0.0625).collect();
    let places: Vec<[f64; 2]> =
        steps.iter().flat_map(|&y| steps.iter().map(move |&x| [x, y])).collect();
    let picked = browser.evaluate(&format!(
        "{places:?}.map(([x, y]) => {{
            const found = resile.underPointer(x, y);
            return found ? resile.film.bodyOf[found.vertex] : -1;
        }})"
    ));
    let picked: Vec<i64> =
        picked.as_array().expect("a list").iter().map(|b| b.as_i64().expect("a number")).collect();
    let mut seen = picked.clone();
    seen.sort_unstable();
    seen.dedup();
    assert!(seen.contains(&-1) && seen.contains(&0) && seen.contains(&3), "{seen:?}");
    let plain = pixels(&mut browser, &places);
    for body in [0, 2, 3] {
        browser.evaluate(&format!("resile.look.hovered = {body}"));
        let marked = pixels(&mut browser, &places);
        let wrong = (0..places.len()).filter(|&i| (marked[i] != plain[i]) != (picked[i] == body));
        // Along edges a pixel shows two things.
        assert!(wrong.count() * 100 <= places.len(), "body {body}");
    }
    quiet(&browser, &page);
}

#[test]
fn hostile_names_are_displayed_as_text() {
    let mut names =
        Names { scene: "</script><img src=x onerror='owned = 1'>".into(), ..Names::default() };
    names.bodies = [
        "<script>owned = 1</script>".to_owned(),
        "x".repeat(10_000),
        "a\u{202e}gpj.exe\u{7}\n".to_owned(),
        "<b onclick='owned = 1'>".to_owned(),
        "javascript:owned=1".to_owned(),
    ];
    let Some((_run, page, mut browser)) = opened(&names, Screen::default()) else { return };
    assert_eq!(browser.text("document.querySelector('h1').textContent"), names.scene);
    let rows = "Array.from(document.querySelectorAll('#legend li')).map((row) => row.textContent)";
    let rows = browser.evaluate(rows);
    assert_eq!(rows[0], names.bodies[0]);
    assert_eq!(rows[1], format!("{}…", "x".repeat(80)));
    assert_eq!(rows[2], "a\\u{202e}gpj.exe\\u{7}\\u{a}");
    assert_eq!(browser.evaluate("document.querySelectorAll('img, b').length"), json!(0));
    let tooltip = browser.evaluate(&format!(
        "resile.pointAt({CUBE}), document.getElementById('tooltip').textContent"
    ));
    assert!(tooltip.as_str().expect("text").starts_with(&names.bodies[0]), "{tooltip}");
    for wide in ["h1", "#legend", "#tooltip", "#stage > header"] {
        let fits =
            format!("document.querySelector('{wide}').getBoundingClientRect().right <= innerWidth");
        assert_eq!(browser.evaluate(&fits), json!(true), "{wide} stays in the page");
    }
    assert_eq!(browser.evaluate("typeof owned"), json!("undefined"));
    quiet(&browser, &page);
}

#[test]
fn page_cannot_reach_the_network() {
    let Some((_run, _, mut browser)) = opened(&Names::default(), Screen::default()) else { return };
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.set_nonblocking(true).expect("it can be asked");
    let address = listener.local_addr().expect("it has one");
    let tried = browser
        .evaluate(&format!("fetch('http://{address}/').then(() => 'reached', () => 'refused')"));
    assert_eq!(tried, "refused");
    let image = format!(
        "new Promise((done) => {{
            const image = new Image();
            image.onload = () => done('reached');
            image.onerror = () => done('refused');
            image.src = 'http://{address}/';
        }})"
    );
    assert_eq!(browser.evaluate(&image), "refused");
    let inline = "(() => { const s = document.createElement('script'); s.textContent = 'owned = 1'; \
                  document.body.append(s); return typeof owned; })()";
    assert_eq!(browser.evaluate(inline), "undefined", "no script but its own");
    assert!(listener.accept().is_err(), "the page opened no connection");
}

#[test]
fn running_simulation_is_followed_to_its_end() {
    let Some(mut browser) = Browser::start() else { return };
    let [first, second] = [FRAMES / 3, FRAMES / 2];
    let mut run = Run::begun(&Names::default(), first, Forces::Absent);
    let server = Server::start().expect("a port is free");
    let (url, stop) = (server.url(), AtomicBool::new(false));
    let folder = run.folder.path().to_owned();
    std::thread::scope(|scope| {
        // Whatever is wrong in here, the server is told to end.
        let _stop = RequestStop(&stop);
        scope.spawn(|| {
            server.serve(&folder, "falling", &|_| stop.load(Ordering::SeqCst));
        });
        browser.open(&url, Screen::default());
        assert_eq!(browser.number("resile.film.times.length"), first as f64);
        let about = "document.getElementById('about').textContent.includes('goes on')";
        assert_eq!(browser.evaluate(about), json!(true));
        // What was chosen stays, and a page that shows an early frame stays there.
        browser.press("c");
        browser.evaluate("resile.camera.turn(0.3, 0.1)");
        let yaw = browser.number("resile.camera.yaw");
        run.goes_on(second);
        browser.wait(&format!("resile.film.ready === {second}"));
        assert_eq!(browser.number("resile.camera.yaw"), yaw);
        assert_eq!(browser.number("resile.clock.time"), 0.0);
        assert_eq!(browser.number("resile.field"), 0.0);
        // A page at the last frame follows new ones.
        browser.press("End");
        assert_eq!(browser.number("resile.clock.time"), time(second - 1));
        run.goes_on(FRAMES);
        browser.wait(&format!("resile.clock.time === {}", time(FRAMES - 1)));
        run.ends();
        browser.wait(&format!("!({about})"));
        assert!(browser.requests().iter().all(|request| *request == url));
        assert_eq!(browser.complaints(), [""; 0]);
    });
}

#[test]
fn cross_site_requests_get_no_run_data() {
    let run = Run::new(&Names::default());
    let server = Server::start().expect("a port is free");
    let (url, stop) = (server.url(), AtomicBool::new(false));
    let host = url.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let ask = |path: &str, host_said: &str, more: &str| {
        let mut stream = TcpStream::connect(&host).expect("it listens");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host_said}\r\n{more}\r\n").expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers and closes");
        answer
    };
    let status = |answer: &str| answer.split(' ').nth(1).expect("a status").to_owned();
    std::thread::scope(|scope| {
        let _stop = RequestStop(&stop);
        scope.spawn(|| {
            server.serve(run.folder.path(), "r", &|_| stop.load(Ordering::SeqCst));
        });
        let page = ask("/", &host, "");
        assert!(status(&page) == "200" && page.contains("connect-src 'self'"), "it goes on");
        let tag = page.lines().find(|line| line.starts_with("ETag: ")).expect("it has one");
        let known = format!("If-None-Match: {}\r\n", &tag[6..]);
        assert_eq!(status(&ask("/", &host, &known)), "304");
        // Another site that has its name lead here is another host.
        assert_eq!(status(&ask("/", "evil.example", "")), "403");
        assert_eq!(status(&ask("/../../etc/passwd", &host, "")), "404");
        run.ends();
        let page = ask("/", &host, &known);
        assert!(status(&page) == "200" && !page.contains("connect-src"), "it is whole");
    });
}

/// Tells a server to end, also where a test does not.
struct RequestStop<'a>(&'a AtomicBool);

impl Drop for RequestStop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
