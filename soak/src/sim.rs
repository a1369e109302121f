//! Running `sim` in a folder of its own, with limits and a deadline.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long anything may take that takes a second on an idle machine.
const DEADLINE: Duration = Duration::from_secs(300);
/// How long a program may take to stop when it is asked to.
const STOPPING: Duration = Duration::from_secs(60);

/// The program, and the folder in which it runs.
#[derive(Debug, Clone)]
pub(crate) struct Sim {
    program: PathBuf,
    folder: PathBuf,
    /// Commands of the shell before the program.
    limits: String,
}

/// How a run of the program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The command, as one would type it.
    pub(crate) command: String,
    pub(crate) code: Option<i32>,
    /// The signal that ended it, if one did.
    pub(crate) signal: Option<i32>,
    /// Whether it did not end by itself before the deadline.
    pub(crate) late: Late,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Whether a program ended in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Late {
    No,
    /// It was asked to stop, and did.
    Stopped,
    /// It had to be killed.
    Killed,
}

#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    command: String,
    begun: Instant,
    out: PathBuf,
    err: PathBuf,
}

impl Sim {
    pub(crate) fn new(program: &Path, folder: &Path) -> Self {
        let (program, folder) = (program.to_owned(), folder.to_owned());
        Self { program, folder, limits: String::new() }
    }

    /// With commands of the shell before it, such as `ulimit -v 400000`.
    #[must_use]
    pub(crate) fn limited(mut self, limits: &str) -> Self {
        self.limits = limits.to_owned();
        self
    }

    /// Starts it with its output in files.
    pub(crate) fn start<S: Into<OsString> + Clone>(&self, arguments: &[S]) -> Running {
        let names = ["stdout", "stderr"].map(|name| {
            let number = (0..).find(|n| !self.folder.join(format!("{name}-{n}")).exists());
            self.folder.join(format!("{name}-{}", number.unwrap_or(0)))
        });
        let files = names.each_ref().map(|path| {
            File::create(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        });
        let [out, err] = files.map(Stdio::from);
        self.start_into(arguments, [out, err], names)
    }

    /// Starts it with these streams; `names` are the files behind them, if they are any.
    pub(crate) fn start_into<S: Into<OsString> + Clone>(
        &self,
        arguments: &[S],
        [out, err]: [Stdio; 2],
        [out_file, err_file]: [PathBuf; 2],
    ) -> Running {
        let arguments: Vec<OsString> = arguments.iter().cloned().map(Into::into).collect();
        let mut command = match self.limits.is_empty() {
            true => Command::new(&self.program),
            false => {
                let mut shell = Command::new("bash");
                shell.arg("-c").arg(format!("{}; exec \"$0\" \"$@\"", self.limits));
                shell.arg(&self.program);
                shell
            }
        };
        command.args(&arguments).current_dir(&self.folder);
        command.stdin(Stdio::null()).stdout(out).stderr(err);
        let shown: Vec<_> = arguments.iter().map(|a| a.to_string_lossy()).collect();
        let child = command.spawn().unwrap_or_else(|error| panic!("sim: {error}"));
        Running {
            child,
            command: format!("{}sim {}", self.limits, shown.join(" ")),
            begun: Instant::now(),
            out: out_file,
            err: err_file,
        }
    }

    /// Runs it to its end, or to the deadline.
    pub(crate) fn run<S: Into<OsString> + Clone>(&self, arguments: &[S]) -> Ended {
        self.start(arguments).wait(DEADLINE)
    }

    /// As [`Self::run`], with a deadline of its own.
    pub(crate) fn run_within<S: Into<OsString> + Clone>(
        &self,
        arguments: &[S],
        deadline: Duration,
    ) -> Ended {
        self.start(arguments).wait(deadline)
    }
}

impl Running {
    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        // It may have ended meanwhile, of which `kill` complains.
        let _ =
            Command::new("kill").args([&format!("-{name}"), &id]).stderr(Stdio::null()).status();
    }

    pub(crate) fn goes_on(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for the end of what must end by itself or soon.
    pub(crate) fn end(self) -> Ended {
        self.wait(DEADLINE)
    }

    fn wait(mut self, deadline: Duration) -> Ended {
        let (mut late, mut asked) = (Late::No, None);
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => {}
                Err(error) => panic!("sim cannot be waited for: {error}"),
            }
            match asked {
                None if self.begun.elapsed() > deadline => {
                    self.signal("TERM");
                    (late, asked) = (Late::Stopped, Some(Instant::now()));
                }
                Some(since) if Instant::elapsed(&since) > STOPPING => {
                    late = Late::Killed;
                    let _ = self.child.kill();
                }
                _ => {}
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let read = |path: &Path| {
            let bytes = std::fs::read(path).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Ended {
            command: self.command,
            code: status.code(),
            signal: signal_of(status),
            late,
            stdout: read(&self.out),
            stderr: read(&self.err),
        }
    }
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

impl Ended {
    /// Whether the system refused memory: Rust's allocator then ends the program and says so.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        self.stderr.contains("memory allocation of")
    }

    /// Refuses every end but an exit code of these, in time and without a panic.
    pub(crate) fn must(&self, codes: &[i32]) -> Result<(), String> {
        match self.late {
            Late::Stopped => Err(format!("did not end\n    {}\n{}", self.command, self.stderr)),
            _ => self.must_when_asked(codes),
        }
    }

    /// As [`Self::must`], of what may take longer than anybody waits, if it stops when it is asked to.
    pub(crate) fn must_when_asked(&self, codes: &[i32]) -> Result<(), String> {
        let failure = |what: &str| {
            let err: String = self.stderr.chars().take(2000).collect();
            Err(format!("{what}\n    {}\n{err}", self.command))
        };
        if self.stderr.contains("panicked at") {
            return failure("a panic");
        }
        match (self.code, self.late) {
            (_, Late::Killed) => failure("did not end, and did not stop when asked to"),
            (Some(code), _) if codes.contains(&code) => Ok(()),
            (Some(code), _) => failure(&format!("exit code {code}, not one of {codes:?}")),
            (None, _) => failure(&format!("ended by signal {}", self.signal.unwrap_or(0))),
        }
    }
}
