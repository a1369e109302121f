//! Gives damaged files to the readers of meshes for as long as one likes:
//!
//! ```text
//! cargo run -p resile-mesh --example fuzz_readers -- all 600 1 ../shared/data
//! ```
//!
//! The arguments are a reader by the ending of its files (`obj`, `stl`, `ply`, `off`, `msh`, `vtk`,
//! `vtu`, `mesh`, `node`, `pc2`, `mdd`, or `all`), seconds for each reader, a seed, and a folder
//! of files. The program damages these files and generated ones. It prints how many
//! cases were read, and for what reasons the others were refused. Files that make a
//! reader panic, keep more than it was given or take seconds are written to the working
//! directory. A limit on memory is the system's: `ulimit -v 2000000` before it.
//!
//! It follows no coverage, so that it needs nothing but the compiler and gives the same cases
//! everywhere; a short run is among the tests.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program to be run by hand")]

mod engine;
#[path = "../../tests/mesh/good_files/mod.rs"]
mod good_files;

use engine::{Budget, Report, run};
use good_files::BETWEEN_FILES;
use good_files::read::EXTENSIONS;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "fuzz_readers READER|all [SECONDS] [NUMBER] [FOLDER]";

/// The most reasons of refusal that are printed.
const REASONS: usize = 20;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let get = |k: usize, usual: &'static str| {
        arguments.get(k).map_or(usual.into(), |word| word.to_string_lossy())
    };
    let (reader, folder) = (get(0, ""), arguments.get(3));
    let chosen: Vec<&str> =
        EXTENSIONS.into_iter().filter(|&ending| reader == "all" || ending == reader).collect();
    let (Ok(seconds), Ok(number), false) =
        (get(1, "60").parse(), get(2, "1").parse(), chosen.is_empty())
    else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    // Panics are counted and reported with their files.
    std::panic::set_hook(Box::new(|_| {}));
    let mut failed = false;
    for ending in chosen {
        let more = folder.map_or_else(Vec::new, |folder| seeds(Path::new(folder), ending));
        let found = more.len();
        let budget = Budget { cases: u64::MAX, time: Duration::from_secs(seconds) };
        let report = run(ending, more, number, budget);
        print(ending, found, &report);
        for (k, (bytes, said)) in report.failures.iter().enumerate() {
            let file = format!("fuzz-{ending}-{number}-{k}.bin");
            let kept = std::fs::write(&file, bytes);
            println!(
                "  {file}: {said}{}",
                if kept.is_err() { " (could not be written)" } else { "" }
            );
            failed = true;
        }
    }
    if let Some(peak) = peak_memory() {
        println!("most memory of the process: {peak}");
    }
    ExitCode::from(u8::from(failed))
}

/// A line, and one for each reason of refusal, the most frequent first.
fn print(ending: &str, found: usize, report: &Report) {
    println!(
        "{ending:<7} {found:>3} files and its own: {:>9} cases, {:>8} read, {:>8} refused, slowest \
         {:.3} s, {} failures",
        report.cases,
        report.read,
        report.refused.values().sum::<u64>(),
        report.slowest.as_secs_f64(),
        report.failures.len()
    );
    let mut reasons: Vec<(&String, &u64)> = report.refused.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in reasons.iter().take(REASONS) {
        println!("  {count:>9}  {reason}");
    }
    if reasons.len() > REASONS {
        println!("             and {} rarer reasons", reasons.len() - REASONS);
    }
}

/// The files of a format in a folder and in those inside.
fn seeds(folder: &Path, ending: &str) -> Vec<Vec<u8>> {
    let (mut files, mut folders): (Vec<PathBuf>, _) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files.retain(|file| file.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending)));
    let read = |file: &PathBuf| {
        let mut bytes = std::fs::read(file).ok()?;
        if ending == "node" {
            bytes.push(BETWEEN_FILES as u8);
            bytes.extend(std::fs::read(file.with_extension("ele")).ok()?);
        }
        Some(bytes)
    };
    files.iter().filter_map(read).filter(|bytes| bytes.len() <= engine::LONGEST_SEED).collect()
}

/// As Linux counts it.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.trim_start_matches("VmHWM:").trim().to_owned())
}
