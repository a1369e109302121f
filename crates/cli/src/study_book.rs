//! `sim study book`: all studies as one page.
//!
//! Each study is a file, and says in its first line which program made it. So a book that was interrupted goes on
//! where it stopped, and one of a program that was changed is made anew.

use crate::Failure;
use crate::report::counted;
use crate::stream::{note, print};
use crate::study::{Results, Study, judged, measure, write};
use anyhow::Context as _;
use clap::ValueEnum as _;
use resile_record::{Fingerprint, replace_file};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use std::{fs, io::Write as _};

/// Where it goes if nobody says another folder.
const USUAL: &str = "out/book";

/// A study, and about how many seconds it takes: all of it, and quickly. Of a release build on two cores.
const CHAPTERS: [(Study, [u32; 2]); 15] = [
    (Study::Table1, [2400, 10]),
    (Study::Table2, [71, 2]),
    (Study::Convergence, [150, 5]),
    (Study::Stability, [2, 2]),
    (Study::Controllers, [5, 2]),
    (Study::Rebound, [60, 5]),
    (Study::Avf, [120, 8]),
    (Study::Barrier, [2, 2]),
    (Study::Blend, [120, 12]),
    (Study::BlendTable1, [300, 5]),
    (Study::Substeps, [200, 12]),
    (Study::Spectrum, [60, 2]),
    (Study::Drum, [270, 30]),
    (Study::Rest, [210, 50]),
    (Study::Explicit, [240, 30]),
];

/// What is known of a chapter when it is there.
struct Chapter {
    name: String,
    missed: usize,
    /// To the second, so that a chapter that is read is the one that was written.
    seconds: u64,
    text: String,
}

/// Measures what is not there yet, and writes the page.
pub(crate) fn book(folder: Option<&Path>, quick: bool) -> Result<ExitCode, Failure> {
    let folder = folder.map_or_else(|| PathBuf::from(USUAL), Path::to_owned);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let program = program(quick)?;
    let (mut chapters, mut left) = (Vec::new(), 0);
    for (study, seconds) in &CHAPTERS {
        let kept = read(&folder, *study, &program);
        left += if kept.is_none() { seconds[usize::from(quick)] } else { 0 };
        chapters.push(kept);
    }
    let known = chapters.iter().flatten().count();
    let minutes = left.div_ceil(60);
    note(format_args!(
        "{} to do, {known} there already: about {}",
        counted(chapters.len() - known, "study", "studies"),
        counted(minutes as usize, "minute", "minutes")
    ));
    let start = Instant::now();
    for (number, (study, _)) in CHAPTERS.iter().enumerate() {
        if chapters[number].is_none() {
            chapters[number] = Some(make(&folder, *study, quick, &program, start)?);
            write_page(&folder, &chapters, quick)?;
        }
    }
    write_page(&folder, &chapters, quick)?;
    let page = folder.join("book.md");
    print(format_args!("{}", page.display()))?;
    Ok(judged(chapters.iter().flatten().map(|chapter| chapter.missed).sum()))
}

/// The first line of a chapter that this program made, up to what is known of it.
fn program(quick: bool) -> Result<String, Failure> {
    let own = std::env::current_exe().context("the program does not find itself")?;
    let bytes = fs::read(&own).with_context(|| format!("cannot read {}", own.display()))?;
    let hash = Fingerprint::EMPTY.with(&bytes).value();
    let extent = if quick { "quick" } else { "whole" };
    Ok(format!("<!-- {extent} {hash:016x}"))
}

fn name(study: Study) -> String {
    study.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// A chapter that is there and of this program.
fn read(folder: &Path, study: Study, program: &str) -> Option<Chapter> {
    let name = name(study);
    let text = fs::read_to_string(folder.join(format!("{name}.md"))).ok()?;
    let (head, text) = text.split_once('\n')?;
    let mut known = head.strip_prefix(program)?.split_whitespace();
    let (missed, seconds) = (known.next()?.parse().ok()?, known.next()?.parse().ok()?);
    Some(Chapter { name, missed, seconds, text: text.to_owned() })
}

fn make(
    folder: &Path,
    study: Study,
    quick: bool,
    program: &str,
    start: Instant,
) -> Result<Chapter, Failure> {
    let (name, began) = (name(study), Instant::now());
    let watch = |done: &str| {
        note(format_args!("{:7.1} s  {name}: {done}", start.elapsed().as_secs_f64()));
    };
    let results = measure(study, quick, &[], &watch)?;
    write(&results, folder)?;
    let (missed, seconds) = (results.missed(), began.elapsed().as_secs());
    let text = chapter(&name, &results, quick);
    let path = folder.join(format!("{name}.md"));
    let whole = format!("{program} {missed} {seconds} -->\n{text}");
    replace_file(&path, |file| file.write_all(whole.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(Chapter { name, missed, seconds, text })
}

/// Tables, charts, and the names of tables that are too long.
fn chapter(name: &str, results: &Results, quick: bool) -> String {
    let flag = if quick { " --quick" } else { "" };
    let mut text = format!("## {name}\n\n    sim study {name}{flag}\n\n");
    for table in &results.tables {
        let _ = writeln!(text, "{}\n", table.text().trim_end());
    }
    for chart in &results.charts {
        let _ = writeln!(text, "![{0}]({0}.svg)\n", chart.name);
    }
    for table in &results.files {
        let _ = writeln!(text, "All figures: [{0}.csv]({0}.csv)\n", table.name);
    }
    text
}

/// The page with all chapters that there are.
fn write_page(folder: &Path, chapters: &[Option<Chapter>], quick: bool) -> Result<(), Failure> {
    let flag = if quick { " --quick" } else { "" };
    let mut text = format!(
        "# What resile measures of itself\n\nMade by `sim study book{flag}`, version {}. A verdict is NO where a figure \
         is not the one that is known; docs/study-results.md says what each means.\n\n\
         | study | verdicts that are NO | seconds |\n|---|---:|---:|\n",
        env!("CARGO_PKG_VERSION")
    );
    for Chapter { name, missed, seconds, .. } in chapters.iter().flatten() {
        let _ = writeln!(text, "| [{name}](#{name}) | {missed} | {seconds} |");
    }
    for chapter in chapters.iter().flatten() {
        let _ = write!(text, "\n{}", chapter.text);
    }
    let path = folder.join("book.md");
    let written = replace_file(&path, |file| file.write_all(text.as_bytes()));
    Ok(written.with_context(|| format!("cannot write {}", path.display()))?)
}
