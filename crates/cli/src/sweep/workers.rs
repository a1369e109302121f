//! The processes of a sweep.
//!
//! Each run is a separate process. A run that needs too much memory, overflows its stack or is killed therefore does
//! not end others, its memory is released, and the limits of the operating system apply to it. Starting a process
//! takes some milliseconds.

use super::display::SweepDisplay;
use super::of_folder;
use crate::Failure;
use anyhow::Context as _;
use resile_sweep::{Outcome, State, SweepFolder};
use resile_watch::Interrupt;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Number of attempts to continue a run whose process was killed.
const MAX_ATTEMPTS: u32 = 3;

/// Polling interval for signals.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Bytes of messages of a process that are stored.
const MAX_MESSAGE_BYTES: u64 = 64 << 10;

/// Messages of the processes.
enum WorkerMessage {
    /// Steps done and to do, of a run.
    Steps(usize, [u64; 2]),
    /// A process has closed its output.
    Ended(usize),
}

/// A process.
struct Worker {
    child: Child,
    /// When it closes, the process stops.
    input: Option<ChildStdin>,
    messages: JoinHandle<String>,
}

/// Runs as many processes at once as there are jobs.
pub(super) struct Workers<'a> {
    folder: &'a SweepFolder,
    jobs: u16,
    retry: bool,
    display: SweepDisplay,
    queue: VecDeque<usize>,
    active: BTreeMap<usize, Worker>,
    attempts: BTreeMap<usize, u32>,
    broken: BTreeMap<usize, String>,
    sender: Sender<WorkerMessage>,
    receiver: Receiver<WorkerMessage>,
}

impl<'a> Workers<'a> {
    pub(super) fn new(
        folder: &'a SweepFolder,
        jobs: u16,
        retry: bool,
        display: SweepDisplay,
    ) -> Self {
        let (sender, receiver) = channel();
        Self {
            folder,
            jobs,
            retry,
            display,
            queue: VecDeque::new(),
            active: BTreeMap::new(),
            attempts: BTreeMap::new(),
            broken: BTreeMap::new(),
            sender,
            receiver,
        }
    }

    /// Takes the runs that are not finished, until the interrupt is raised. Returns those whose processes
    /// broke, with the reason.
    pub(super) fn run(
        mut self,
        runs: Vec<usize>,
        interrupt: &Interrupt,
    ) -> Result<BTreeMap<usize, String>, Failure> {
        let count = runs.len();
        for run in runs {
            let state = self.folder.outcome(run).map_err(of_folder)?.state;
            if !state.is_final() || (self.retry && state == State::Failed) {
                self.queue.push_back(run);
            }
        }
        self.display.begin(count, count - self.queue.len());
        loop {
            while !interrupt.is_raised() && self.active.len() < usize::from(self.jobs) {
                let Some(run) = self.queue.pop_front() else { break };
                self.start(run)?;
            }
            if self.active.is_empty() {
                break;
            }
            match self.receiver.recv_timeout(POLL_INTERVAL) {
                Ok(WorkerMessage::Steps(run, steps)) => self.display.steps(run, steps),
                Ok(WorkerMessage::Ended(run)) => self.ended(run, interrupt)?,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            if interrupt.is_raised() {
                self.active.values_mut().for_each(|worker| worker.input = None);
            }
            self.display.show(self.queue.len());
        }
        self.display.finish();
        Ok(self.broken)
    }

    /// Starts the process of a run. Threads read its output: progress to the channel, errors to a text.
    fn start(&mut self, run: usize) -> Result<(), Failure> {
        let mut command = program()?;
        command.arg("sweep").arg(self.folder.path());
        let options = ["--only".into(), run.to_string(), "--worker".into(), self.jobs.to_string()];
        command.args(options.map(OsString::from));
        if self.retry {
            command.arg("--retry");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("the process of a run cannot be started")?;
        let input = child.stdin.take();
        let (sender, output) = (self.sender.clone(), child.stdout.take());
        let listens = move || {
            for line in output.into_iter().flat_map(|output| BufReader::new(output).lines()) {
                let Ok(line) = line else { break };
                let numbers = line.split_once(' ');
                let steps = numbers
                    .and_then(|(done, total)| Some([done.parse().ok()?, total.parse().ok()?]));
                if let Some(steps) = steps {
                    let _ = sender.send(WorkerMessage::Steps(run, steps));
                }
            }
            let _ = sender.send(WorkerMessage::Ended(run));
        };
        std::thread::spawn(listens);
        let errors = child.stderr.take();
        let messages = std::thread::spawn(move || errors.map_or_else(String::new, kept));
        self.active.insert(run, Worker { child, input, messages });
        self.display.started(run);
        Ok(())
    }

    /// Handles the end of a process. A killed process is restarted up to [`MAX_ATTEMPTS`] times.
    fn ended(&mut self, run: usize, interrupt: &Interrupt) -> Result<(), Failure> {
        let Some(mut worker) = self.active.remove(&run) else { return Ok(()) };
        let status = worker.child.wait().context("the process of a run is lost")?;
        let messages = worker.messages.join().unwrap_or_default();
        let outcome = self.folder.outcome(run);
        let state = outcome.as_ref().map_or(State::NotRun, |outcome: &Outcome| outcome.state);
        let attempts = self.attempts.entry(run).or_default();
        *attempts += 1;
        let killed = status.code().is_none();
        if state.is_final() {
            self.display.ended(run, state == State::Failed);
        } else if interrupt.is_raised() {
            self.display.stopped(run);
        } else if killed && *attempts < MAX_ATTEMPTS {
            self.display.stopped(run);
            self.queue.push_front(run);
        } else {
            let reason = match outcome {
                Err(error) => error.to_string(),
                Ok(_) => reason(status, &messages, *attempts),
            };
            self.broken.insert(run, reason);
            self.display.ended(run, true);
        }
        Ok(())
    }
}

/// This program, also if its file has been replaced since.
fn program() -> Result<Command, Failure> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt as _;
        let executable = std::path::Path::new("/proc/self/exe");
        if executable.exists() {
            let mut command = Command::new(executable);
            command.arg0("sim");
            return Ok(command);
        }
    }
    let executable = std::env::current_exe().context("the path of this program is unknown")?;
    Ok(Command::new(executable))
}

/// The first messages of a process.
fn kept(errors: impl Read) -> String {
    let mut errors = errors;
    let mut bytes = Vec::new();
    let _ = (&mut errors).take(MAX_MESSAGE_BYTES).read_to_end(&mut bytes);
    // Keep reading: a full pipe would block the process.
    let _ = std::io::copy(&mut errors, &mut std::io::sink());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Why a run ended without a result.
fn reason(status: ExitStatus, messages: &str, attempts: u32) -> String {
    let error = messages.lines().find_map(|line| line.strip_prefix("error: "));
    match (error, status.code()) {
        (Some(error), _) => error.to_owned(),
        (None, Some(code)) => {
            let last = messages.lines().last().unwrap_or("");
            format!("its process ended with exit code {code}: {last}")
        }
        (None, None) => format!("its process was ended {attempts} times: {status}"),
    }
}
