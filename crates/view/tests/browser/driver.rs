//! A real browser, told what to do over its debugging protocol.
//!
//! <https://chromedevtools.github.io/devtools-protocol/>: requests are JSON with a number over a
//! web socket; answers carry the number, and what happens by itself comes in between.

use serde_json::{Value, json};
use std::io::Write as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

/// Programs that speak the protocol.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// A deadline against hanging, far above what anything takes.
const DEADLINE: Duration = Duration::from_secs(180);
/// What the machine may say with this variable: `required` if there has to be a browser.
const WISH: &str = "RESILE_BROWSER";

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    /// Where it keeps what it remembers; removed with it.
    _memory: TempDir,
    socket: WebSocket<TcpStream>,
    session: Option<String>,
    sent: u64,
    /// What happened by itself.
    events: Vec<Value>,
}

/// How a page is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Screen {
    pub(crate) size: [u32; 2],
    pub(crate) theme: &'static str,
    pub(crate) motion: &'static str,
    /// Whether it is touched instead of pointed at.
    pub(crate) touch: bool,
}

impl Default for Screen {
    fn default() -> Self {
        Self { size: [640, 560], theme: "light", motion: "reduce", touch: false }
    }
}

impl Browser {
    /// Starts a browser, if there is one on this machine.
    ///
    /// # Panics
    /// If there is none and there has to be one.
    pub(crate) fn start() -> Option<Self> {
        let Some(program) = program() else {
            let wish = std::env::var(WISH).unwrap_or_default();
            assert_ne!(wish, "required", "{WISH}=required, and there is none of {NAMES:?}");
            // Not by a macro, whose output is kept back of tests that pass.
            let _ = writeln!(
                std::io::stderr(),
                "\nSKIPPED: no Chromium here, so the page was not opened (apt-get install chromium)"
            );
            return None;
        };
        let memory = tempfile::tempdir().expect("a temporary folder");
        let child = Command::new(program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-default-apps",
                "--use-gl=angle",
                "--use-angle=swiftshader",
                "--enable-unsafe-swiftshader",
                "--force-device-scale-factor=1",
                "--remote-debugging-port=0",
            ])
            .arg(format!("--user-data-dir={}", memory.path().display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser can be started");
        let [port, path] = address(&memory.path().join("DevToolsActivePort"));
        let stream = TcpStream::connect(format!("127.0.0.1:{port}")).expect("it listens");
        stream.set_read_timeout(Some(DEADLINE)).expect("a time is no zero");
        let url = format!("ws://127.0.0.1:{port}{path}");
        let (socket, _) = tungstenite::client(url, stream).expect("it speaks the protocol");
        let (session, events) = (None, Vec::new());
        let mut browser = Self { child, _memory: memory, socket, session, sent: 0, events };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", attach);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.sent += 1;
        let mut request = json!({"id": self.sent, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            request["sessionId"] = json!(session);
        }
        let request = Message::text(request.to_string());
        self.socket.send(request).expect("the browser is there");
        loop {
            let message = self.socket.read().expect("the browser answers");
            let Ok(text) = message.to_text() else { continue };
            let Ok(mut answer) = serde_json::from_str::<Value>(text) else { continue };
            if answer["id"] == json!(self.sent) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    /// The value of an expression in the page; of a promise what it promises.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters =
            json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let mut answer = self.call("Runtime.evaluate", parameters);
        let wrong = &answer["exceptionDetails"];
        assert!(wrong.is_null(), "{expression}: {wrong}");
        answer["result"]["value"].take()
    }

    pub(crate) fn number(&mut self, expression: &str) -> f64 {
        let value = self.evaluate(expression);
        value.as_f64().unwrap_or_else(|| panic!("{expression} is {value}"))
    }

    pub(crate) fn text(&mut self, expression: &str) -> String {
        let value = self.evaluate(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression} is {value}")).to_owned()
    }

    /// Waits until an expression is true.
    pub(crate) fn wait(&mut self, expression: &str) {
        let start = Instant::now();
        while self.evaluate(expression) != json!(true) {
            assert!(start.elapsed() < DEADLINE, "never: {expression}; {:?}", self.complaints());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Opens a page and waits until all of it is decoded and drawn.
    pub(crate) fn open(&mut self, page: &str, screen: Screen) {
        let [width, height] = screen.size;
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": screen.touch});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        self.call("Emulation.setTouchEmulationEnabled", json!({"enabled": screen.touch}));
        let media = json!({"features": [
            {"name": "prefers-color-scheme", "value": screen.theme},
            {"name": "prefers-reduced-motion", "value": screen.motion},
        ]});
        self.call("Emulation.setEmulatedMedia", media);
        self.call("Page.navigate", json!({"url": page}));
        self.wait("document.readyState === 'complete' && 'resile' in globalThis");
        self.wait("resile.film.ready === resile.film.times.length && !Number.isNaN(resile.drawn)");
    }

    /// Presses a key and lets it go.
    pub(crate) fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            let text = if key.len() == 1 { key } else { "" };
            let event = json!({"type": kind, "key": key, "text": text});
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// What the page or the browser complained about.
    /// Moves the mouse to a place of the window (pixels), or presses or lets go of its button there.
    pub(crate) fn mouse(&mut self, kind: &str, [x, y]: [f64; 2]) {
        let pressed = u8::from(kind != "mouseReleased");
        let how = json!({
            "type": kind, "x": x, "y": y, "button": "left", "buttons": pressed, "clickCount": 1,
        });
        self.call("Input.dispatchMouseEvent", how);
    }

    pub(crate) fn complaints(&self) -> Vec<String> {
        let complaint = |event: &Value| match event["method"].as_str()? {
            "Runtime.exceptionThrown" | "Log.entryAdded" | "Runtime.consoleAPICalled" => {
                Some(event["params"].to_string())
            }
            _ => None,
        };
        self.events.iter().filter_map(complaint).collect()
    }

    /// What the page asked of the network, itself included.
    pub(crate) fn requests(&self) -> Vec<String> {
        let asked = self.events.iter().filter(|e| e["method"] == "Network.requestWillBeSent");
        asked.map(|e| e["params"]["request"]["url"].as_str().unwrap_or("?").to_owned()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The address of a file as browsers write it.
pub(crate) fn url(page: &Path) -> String {
    format!("file://{}", page.display())
}

fn program() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    let places = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}

/// The port and the path that a browser writes down when it listens.
fn address(file: &Path) -> [String; 2] {
    let start = Instant::now();
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if let Some((port, path)) = text.split_once('\n').filter(|(_, path)| !path.is_empty()) {
            return [port, path.trim()].map(str::to_owned);
        }
        assert!(start.elapsed() < DEADLINE, "the browser does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
}
