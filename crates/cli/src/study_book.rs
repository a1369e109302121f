//! `sim study book`: all studies as one page.
//!
//! Each study is a file, and says in its first line which program made it; so is each run of ASEARCH's Table 1, the longest of them. So a
//! book that was interrupted goes on where it stopped, and one of a program that was changed is made anew. `docs/book/book.md` is
//! such a page, made by `sim study book -o docs/book`.

use crate::Failure;
use crate::report::counted;
use crate::stream::{note, print};
use crate::study::{Results, Study, judged, measure, write};
use anyhow::Context as _;
use clap::ValueEnum as _;
use resile_files::{Durability, Folder, open_linked, read_text};
use resile_record::Fingerprint;
use resile_study::{Cell, Watch, table1};
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// No chapter is nearly as long.
const LONGEST_CHAPTER: u64 = 64 << 20;
/// The default output folder.
const USUAL: &str = "out/book";

/// A chapter of the book.
struct Planned {
    study: Study,
    /// About how many seconds it takes: all of it, and quickly. Of a release build on two cores.
    seconds: [u32; 2],
    /// The tables and figures that it makes again.
    source: &'static str,
}

const fn plan(study: Study, seconds: [u32; 2], source: &'static str) -> Planned {
    Planned { study, seconds, source }
}

const CHAPTERS: [Planned; 16] = [
    plan(Study::Table1, [1700, 2], "ASEARCH, Table 1"),
    plan(Study::Table2, [55, 2], "ASEARCH, Table 2"),
    plan(
        Study::Convergence,
        [25, 5],
        "LECTURE, orders of the classical methods; AVF, plots of order",
    ),
    plan(
        Study::Stability,
        [2, 2],
        "ASEARCH, section 4 and appendix C; LECTURE, regions of stability",
    ),
    plan(Study::Controllers, [5, 2], "ASEARCH, section 5.6: rules for alpha on the bar"),
    plan(Study::Rebound, [25, 2], "ASEARCH, Figure 20"),
    plan(Study::Avf, [25, 2], "AVF, section 4 and its plots of energy"),
    plan(Study::Barrier, [2, 2], "ASEARCH, its barrier"),
    plan(Study::Blend, [5, 2], "BLEND, Figures 1 and 7, equation 7"),
    plan(Study::BlendTable1, [50, 2], "BLEND, Table 1"),
    plan(Study::Substeps, [65, 5], "BLEND, Table 2"),
    plan(Study::Spectrum, [10, 2], "ASEARCH, Figures 16 to 19"),
    plan(Study::Drum, [20, 2], "ASEARCH, its membrane: whether a mode lives"),
    plan(Study::Rest, [35, 10], "none: what the texts leave out"),
    plan(Study::Verification, [60, 5], "NAFEMS LE1 and LE10, Cook's membrane, closed forms"),
    plan(Study::Explicit, [230, 25], "EXPLICIT, its benchmark of nine methods"),
];

/// Where the texts are wrong, or say too little, and what the studies take in place of it.
const SLIPS: [(&str, &str, &str); 10] = [
    (
        "ASEARCH, section 4",
        "the friction loss is `g . dx`",
        "`-g . dx`, which is not negative; its two indices for the loss disagree",
    ),
    ("ASEARCH, section 4", "tau is a half-life", "an e-folding time, by its own formula"),
    ("ASEARCH, appendix E", "the wall is `k x^2 / 2` for x > 0", "for x < 0"),
    (
        "ASEARCH, appendix E",
        "`v_4 = 1` for an overestimated target V",
        "`v_4 = min(V, alpha_max |v_1|)`",
    ),
    (
        "ASEARCH, Table 2",
        "no parameters of the bar",
        "those that reproduce 34 of 36 entries to 1.5e-3 (`docs/methods.md`); the damped column has lost its formula and is left out",
    ),
    ("BLEND, equation 7", "the spring has around 25,000 J", "78,150 J"),
    (
        "BLEND, Figure 1",
        "blending bounds the energy",
        "it does; the angular momentum it bounds not",
    ),
    (
        "BLEND, Tables 1 and 2",
        "animals from scans, colours",
        "bodies of about their numbers of elements; the colours are not in the text that is at hand",
    ),
    ("EXPLICIT", "Forest-Ruth is of third order", "of fourth"),
    (
        "EXPLICIT",
        "formulas of its own variants are lost",
        "`docs/methods.md` says what was decided; on linear problems the modified half step is symplectic",
    ),
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
    Folder::create(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let program = program(quick)?;
    let (mut chapters, mut left) = (Vec::new(), 0);
    for Planned { study, seconds, .. } in &CHAPTERS {
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
    for (number, plan) in CHAPTERS.iter().enumerate() {
        if chapters[number].is_none() {
            chapters[number] = Some(make(&folder, plan, quick, &program, start)?);
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
    let mut bytes = Vec::new();
    let read = open_linked(&own).and_then(|mut file| file.read_to_end(&mut bytes));
    read.with_context(|| format!("cannot read {}", own.display()))?;
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
    let text = read_text(&folder.join(format!("{name}.md")), LONGEST_CHAPTER).ok()?;
    let (head, text) = text.split_once('\n')?;
    let mut known = head.strip_prefix(program)?.split_whitespace();
    let (missed, seconds) = (known.next()?.parse().ok()?, known.next()?.parse().ok()?);
    Some(Chapter { name, missed, seconds, text: text.to_owned() })
}

fn make(
    folder: &Path,
    plan: &Planned,
    quick: bool,
    program: &str,
    start: Instant,
) -> Result<Chapter, Failure> {
    let study = plan.study;
    let (name, began) = (name(study), Instant::now());
    let watch = |done: &str| {
        note(format_args!("{:7.1} s  {name}: {done}", start.elapsed().as_secs_f64()));
    };
    let results = match study {
        Study::Table1 => kept_runs(folder, program, quick, &watch)?,
        _ => measure(study, quick, &[], &watch)?,
    };
    write(&results, folder)?;
    let (missed, seconds) = (results.missed(), began.elapsed().as_secs());
    let text = head(plan, quick) + &chapter(&results);
    let path = folder.join(format!("{name}.md"));
    let whole = format!("{program} {missed} {seconds} -->\n{text}");
    keep(&path, &whole)?;
    Ok(Chapter { name, missed, seconds, text })
}

/// ASEARCH's Table 1, a file a run: one that is there is not made again.
fn kept_runs(
    folder: &Path,
    program: &str,
    quick: bool,
    watch: Watch<'_>,
) -> Result<Results, Failure> {
    let extent = table1::Extent::of(quick);
    let mut table = table1::table(&[]);
    for run in table1::runs(extent) {
        let path = folder.join(format!("table1-{}-{}.run", run.0.scene, run.1));
        if let Some(row) = read_run(&path, program) {
            table.push(row);
            continue;
        }
        let entry = table1::entry(run, extent).map_err(anyhow::Error::from)?;
        watch(&format!("{}, {}: {:.1} s", run.0.scene, run.1, entry.seconds));
        let row = table1::table(&[entry]).rows.swap_remove(0);
        let lines: String = row.iter().map(|cell| cell.encode() + "\n").collect();
        keep(&path, &format!("{program} -->\n{lines}"))?;
        table.push(row);
    }
    Ok(Results { tables: vec![table], ..Results::default() })
}

/// A run that is there and of this program.
fn read_run(path: &Path, program: &str) -> Option<Vec<Cell>> {
    let text = read_text(path, LONGEST_CHAPTER).ok()?;
    let (head, lines) = text.split_once('\n')?;
    let row: Option<Vec<Cell>> = lines.lines().map(Cell::decode).collect();
    row.filter(|row| head.starts_with(program) && row.len() == table1::table(&[]).columns.len())
}

/// What a chapter begins with: what it makes again, and by which command.
fn head(plan: &Planned, quick: bool) -> String {
    let (name, flag) = (name(plan.study), flag(quick));
    format!("## {name}\n\n{}\n\n    sim study {name}{flag}\n\n", plan.source)
}

fn flag(quick: bool) -> &'static str {
    if quick { " --quick" } else { "" }
}

/// Tables, charts, and the names of tables that are too long.
fn chapter(results: &Results) -> String {
    let mut text = String::new();
    for table in &results.tables {
        let _ = writeln!(text, "{}\n", table.text().trim_end());
    }
    for chart in &results.charts {
        let _ = writeln!(text, "![{0}]({0}.svg)\n", chart.name);
    }
    for table in &results.files {
        let _ = writeln!(
            text,
            "All figures: `{}.csv`, which the command leaves beside this page.\n",
            table.name
        );
    }
    text
}

/// What the page begins with.
fn front(quick: bool) -> String {
    let mut text = format!(
        "# What resile measures of itself\n\nMade by `sim study book{}`. A verdict is NO where a figure is not the one that is known; \
         [Measurements](../study-results.md) say what each means. Columns named after a paper have its figures, `reference` those of \
         [methods](../methods.md), found by other programs. A column `from ... (%)` has how far a figure is above the known one, in percent of it. Texts are those named there.\n\n\
         ## Where the texts are wrong or silent\n\n| where | what it says | what is taken here |\n|---|---|---|\n",
        flag(quick)
    );
    for (place, said, taken) in SLIPS {
        let _ = writeln!(text, "| {place} | {} | {} |", in_cell(said), in_cell(taken));
    }
    text
}

/// Text of a cell of a table, whose columns bars would end.
fn in_cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The page with all chapters that there are.
fn write_page(folder: &Path, chapters: &[Option<Chapter>], quick: bool) -> Result<(), Failure> {
    let mut text = front(quick);
    text +=
        "\n## Studies\n\n| study | texts | verdicts that are NO | seconds |\n|---|---|---:|---:|\n";
    for (plan, chapter) in CHAPTERS.iter().zip(chapters) {
        let Some(Chapter { name, missed, seconds, .. }) = chapter else { continue };
        let _ = writeln!(text, "| [{name}](#{name}) | {} | {missed} | {seconds} |", plan.source);
    }
    for chapter in chapters.iter().flatten() {
        let _ = write!(text, "\n{}", chapter.text);
    }
    keep(&folder.join("book.md"), &text)
}

/// Writes a file of the book, whole or not at all.
fn keep(path: &Path, text: &str) -> Result<(), Failure> {
    let written = Folder::around(path)
        .and_then(|(folder, name)| folder.write(name, text.as_bytes(), Durability::Synced));
    Ok(written.with_context(|| format!("cannot write {}", path.display()))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The page of the documentation is one that this program writes, but for its figures.
    #[test]
    fn the_committed_page_has_all_chapters_as_the_command_writes_them() {
        let page = include_str!("../../../docs/book/book.md");
        let quick = page.contains("Made by `sim study book --quick`");
        assert!(page.starts_with(&front(quick)), "sim study book -o docs/book makes it anew");
        let mut rest = page;
        for plan in &CHAPTERS {
            let head = head(plan, quick);
            let at = rest.find(&head).unwrap_or_else(|| panic!("{head} is not where it belongs"));
            rest = &rest[at + head.len()..];
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book");
        for image in page.split("](").filter_map(|part| part.split_once(".svg)")) {
            assert!(folder.join(format!("{}.svg", image.0)).exists(), "{}", image.0);
        }
        // A column in which nothing applies, as where no run ended early, is left out.
        let all = table1::table(&[]).columns;
        let asked: Vec<String> = all.iter().filter(|name| *name != "ended by").cloned().collect();
        let names = |line: &str| {
            let cells = line.trim_matches('|').split('|');
            cells.map(|name| name.trim().to_owned()).collect::<Vec<String>>()
        };
        let has = |asked: &[String]| page.lines().any(|line| names(line) == asked);
        assert!(has(&asked) || has(&all), "Table 1 has other columns");
    }

    #[test]
    fn a_run_of_another_program_or_with_other_columns_is_made_again() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("run");
        let columns = table1::table(&[]).columns.len();
        let of = |program: &str, columns: usize| {
            format!("{program} -->\n{}", "count 1\n".repeat(columns))
        };
        for (text, kept) in
            [(of("this", columns), true), (of("that", columns), false), (of("this", 3), false)]
        {
            fs::write(&path, text).expect("it can be written");
            assert_eq!(read_run(&path, "this").is_some(), kept);
        }
    }
}
