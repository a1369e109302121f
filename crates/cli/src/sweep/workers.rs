//! The processes of a sweep.
//!
//! Each run is a separate process. Therefore a run that needs too much memory, overflows its stack or is killed does
//! not end other runs, its memory is released, and limits of the operating system apply to it alone. A process starts
//! in some milliseconds.

use super::display::SweepDisplay;
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

/// Maximum number of bytes of the messages of a process that are stored.
const MAX_MESSAGE_BYTES: u64 = 64 << 10;

/// What the thread that reads the output of a process reports.
enum WorkerMessage {
    /// Completed and requested steps of a run.
    Steps(usize, [u64; 2]),
    /// The process of a run has closed its output.
    Ended(usize),
}

/// The process of a run.
struct Worker {
    child: Child,
    /// The process stops when this is closed.
    input: Option<ChildStdin>,
    /// The thread that collects the standard error of the process.
    messages: JoinHandle<String>,
}

/// Runs up to `jobs` processes at once.
pub(super) struct Workers<'a> {
    folder: &'a SweepFolder,
    jobs: u16,
    retry: bool,
    display: SweepDisplay,
    /// Runs that wait for a process.
    queue: VecDeque<usize>,
    /// Running processes by run.
    active: BTreeMap<usize, Worker>,
    /// Number of processes started for each run.
    attempts: BTreeMap<usize, u32>,
    /// Runs whose processes ended without a result, with the reasons.
    crash_reasons: BTreeMap<usize, String>,
    sender: Sender<WorkerMessage>,
    receiver: Receiver<WorkerMessage>,
}

impl<'a> Workers<'a> {
    /// Workers without queued or active runs, at most `jobs` at once. With `retry`, failed runs are repeated.
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
            crash_reasons: BTreeMap::new(),
            sender,
            receiver,
        }
    }

    /// Computes the runs that are not finished, until the interrupt is raised; with `retry` also failed runs. Returns
    /// the runs whose processes ended without a result, with the reasons.
    pub(super) fn run(
        mut self,
        runs: Vec<usize>,
        interrupt: &Interrupt,
    ) -> Result<BTreeMap<usize, String>, Failure> {
        let count = runs.len();
        for run in runs {
            let outcome = match self.retry {
                true => self.folder.checked_outcome(run),
                false => self.folder.outcome(run),
            };
            // A run with damaged files has failed.
            let state = outcome.map_or(State::Failed, |outcome| outcome.state);
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
                Ok(WorkerMessage::Steps(run, steps)) => self.display.record_steps(run, steps),
                Ok(WorkerMessage::Ended(run)) => self.handle_end(run, interrupt)?,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            if interrupt.is_raised() {
                self.active.values_mut().for_each(|worker| worker.input = None);
            }
            self.display.show(self.queue.len());
        }
        self.display.finish();
        Ok(self.crash_reasons)
    }

    /// Starts the process of a run, and two threads that read its output: one sends its progress to the channel, the
    /// other collects its messages.
    fn start(&mut self, run: usize) -> Result<(), Failure> {
        let mut command = this_program()?;
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
        let forward_progress = move || {
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
        std::thread::spawn(forward_progress);
        let errors = child.stderr.take();
        let messages = std::thread::spawn(move || errors.map_or_else(String::new, read_messages));
        self.active.insert(run, Worker { child, input, messages });
        self.display.started(run);
        Ok(())
    }

    /// Handles the end of a process. The run of a killed process is continued by another process, up to
    /// [`MAX_ATTEMPTS`] processes in all.
    fn handle_end(&mut self, run: usize, interrupt: &Interrupt) -> Result<(), Failure> {
        let Some(mut worker) = self.active.remove(&run) else { return Ok(()) };
        let status = worker.child.wait().context("the process of a run is lost")?;
        let messages = worker.messages.join().unwrap_or_default();
        let outcome = self.folder.outcome(run);
        let state = outcome.as_ref().map_or(State::NotRun, |outcome: &Outcome| outcome.state);
        let attempts = self.attempts.entry(run).or_default();
        *attempts += 1;
        let was_killed = status.code().is_none();
        if state.is_final() {
            self.display.ended(run, state == State::Failed);
        } else if interrupt.is_raised() {
            self.display.stopped(run);
        } else if was_killed && *attempts < MAX_ATTEMPTS {
            self.display.stopped(run);
            self.queue.push_front(run);
        } else {
            let reason = match outcome {
                Err(error) => error.to_string(),
                Ok(_) => crash_reason(status, &messages, *attempts),
            };
            self.crash_reasons.insert(run, reason);
            self.display.ended(run, true);
        }
        Ok(())
    }
}

/// A command that runs this program, even if the file of the program has been replaced since it started (Linux).
fn this_program() -> Result<Command, Failure> {
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

/// Reads the standard error of a process to its end, and returns its first [`MAX_MESSAGE_BYTES`].
fn read_messages(mut errors: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = (&mut errors).take(MAX_MESSAGE_BYTES).read_to_end(&mut bytes);
    // Keep reading: a full pipe would block the process.
    let _ = std::io::copy(&mut errors, &mut std::io::sink());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The reason why the process of a run ended without a result.
fn crash_reason(status: ExitStatus, messages: &str, attempts: u32) -> String {
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
