#![doc = include_str!("../README.md")]
#![deny(clippy::disallowed_methods)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program to be run by hand")]

mod corpora;
mod damage;
#[path = "../../crates/mesh/examples/fuzz_readers/engine/mod.rs"]
mod engine;
mod fuzz_seeds;
#[path = "../../crates/mesh/tests/mesh/good_files/mod.rs"]
mod good_files;
mod kinds;
mod place;
mod random;
mod report;
mod sim;
#[path = "../../fuzz/src/targets/mod.rs"]
mod targets;

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use good_files::BETWEEN_FILES;
use kinds::{Kind, ROUND, readers};
use place::{Corpus, Place};
use random::Random;
use report::Report;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// Tries to break `sim`: the same seed gives the same cases.
#[derive(Debug, Parser)]
#[command(name = "resile-soak")]
struct Arguments {
    /// How long, in minutes; a case that has begun is brought to its end.
    #[arg(long, default_value_t = 2.0)]
    minutes: f64,
    /// The number that decides all cases.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this case of the seed, as the report of a failure names it.
    #[arg(long)]
    case: Option<u64>,
    /// Only cases of this kind.
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// The program to try; by default it is built first, as this one was.
    #[arg(long, value_name = "FILE")]
    sim: Option<PathBuf>,
    /// Where folders of failed cases are kept.
    #[arg(long, value_name = "FOLDER", default_value = "soak-failures")]
    keep: PathBuf,
    /// Replay the corpora of `fuzz`, and damage them for so many minutes, instead.
    #[arg(long)]
    corpora: bool,
    /// Write good input for the targets of `fuzz`, instead.
    #[arg(long, value_name = "FOLDER")]
    seeds: Option<PathBuf>,
    /// Give damaged files to one reader of meshes and nothing else.
    #[arg(long, value_name = "ENDING", hide = true)]
    read: Option<String>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let corpus = Corpus::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"));
    let corpus = corpus.context("the corpus cannot be read")?;
    if let Some(ending) = &arguments.read {
        return Ok(read(ending, &corpus, arguments.seed));
    }
    let time = Duration::from_secs_f64(60.0 * arguments.minutes.max(0.0));
    if let Some(folder) = &arguments.seeds {
        fuzz_seeds::write(folder).context("seeds cannot be written")?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.corpora {
        let good = corpora::run(time, arguments.seed, &arguments.keep)?;
        return Ok(ExitCode::from(u8::from(!good)));
    }
    let program = program(arguments.sim.as_deref())?;
    let scratch = tempfile::tempdir().context("there is no folder for temporary files")?;
    let mut report = Report::default();
    let begun = Instant::now();
    let mut number = arguments.case.unwrap_or(0);
    loop {
        let kind = ROUND[(number % ROUND.len() as u64) as usize];
        if arguments.kind.is_none_or(|only| only == kind) {
            let case = Case { kind, number, seed: arguments.seed };
            let began = Instant::now();
            let ended = case.run(&corpus, &program, scratch.path(), &arguments.keep)?;
            report.add((kind, number), began.elapsed(), ended);
        }
        number += 1;
        if arguments.case.is_some() || begun.elapsed() > time {
            break;
        }
    }
    println!("{report}");
    Ok(ExitCode::from(u8::from(report.failed() > 0)))
}

/// One case: everything of it follows from its numbers.
#[derive(Debug, Clone, Copy)]
struct Case {
    kind: Kind,
    number: u64,
    seed: u64,
}

impl Case {
    /// Runs it in a folder of its own, which is kept if it fails.
    fn run(
        self,
        corpus: &Corpus,
        program: &Path,
        scratch: &Path,
        keep: &Path,
    ) -> Result<Result<(), String>> {
        let folder = scratch.join(format!("case-{}", self.number));
        let place = Place::new(corpus, program, folder.clone(), scratch.join("references"))?;
        let mut random = Random::new(self.seed, self.number);
        let ended = self.kind.run(&place, &mut random);
        if let Err(what) = &ended {
            let name = format!("{:?}-{}-{}", self.kind, self.seed, self.number).to_lowercase();
            let kept = place.keep(&keep.join(&name)).is_ok();
            println!("{name}: {what}");
            println!(
                "    again: cargo run -p resile-soak -- --seed {} --case {}",
                self.seed, self.number
            );
            if kept {
                println!("    its files: {}", keep.join(&name).display());
            }
        }
        let _ = std::fs::remove_dir_all(&folder);
        Ok(ended)
    }
}

/// The program to try: built now, beside this one, unless there is a given one.
fn program(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(given) = given {
        return given.canonicalize().with_context(|| given.display().to_string());
    }
    let this = std::env::current_exe()?;
    let folder = this.parent().context("this program is in no folder")?;
    if let Some(cargo) = std::env::var_os("CARGO") {
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "-p", "resile-cli"]);
        build.current_dir(env!("CARGO_MANIFEST_DIR"));
        if folder.ends_with("release") {
            build.arg("--release");
        }
        ensure!(build.status()?.success(), "sim cannot be built");
    }
    let program = folder.join(format!("sim{}", std::env::consts::EXE_SUFFIX));
    ensure!(program.is_file(), "{} is not there; name it by --sim", program.display());
    Ok(program)
}

/// Gives damaged files to a reader, of which panics are counted.
fn read(ending: &str, corpus: &Corpus, seed: u64) -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    match readers::read(ending, seeds(ending, corpus), seed) {
        Ok(cases) => println!("{cases} cases"),
        Err(said) => {
            println!("{said}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// The files of the corpus that a reader reads; the two of `TetGen` in one.
fn seeds(ending: &str, corpus: &Corpus) -> Vec<Vec<u8>> {
    let of = |ending: &str| {
        let ending = format!(".{ending}");
        corpus
            .meshes
            .iter()
            .filter(move |(name, _)| name.ends_with(&ending))
            .map(|(_, mesh)| mesh.clone())
            .collect::<Vec<_>>()
    };
    match ending {
        "node" => {
            let pairs = of("node").into_iter().zip(of("ele"));
            pairs.map(|(nodes, cells)| [nodes, vec![BETWEEN_FILES as u8], cells].concat()).collect()
        }
        ending => of(ending),
    }
}
