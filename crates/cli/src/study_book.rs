//! `sim study book`: all studies as one page.
//!
//! Each study, and each run of the longest study (ASEARCH's Table 1), has its own file, whose first line identifies the
//! program that wrote it. An interrupted book therefore continues with the missing studies, and another program repeats
//! all of them. `sim study book -o docs/book` writes the page `docs/book/book.md`.

use crate::Failure;
use crate::report::counted;
use crate::stream::{note, print};
use crate::study::{verdict_exit_code, write_results};
use anyhow::Context as _;
use resile_files::{Durability, Folder, open_linked, read_text};
use resile_record::Fingerprint;
use resile_study::{Cell, Extent, Results, Watch, study_named, table1};
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Maximum size of a stored chapter (bytes); real chapters are much smaller.
const MAX_CHAPTER_BYTES: u64 = 64 << 20;
const DEFAULT_FOLDER: &str = "out/book";
/// The study whose runs are stored in separate files.
const TABLE_1: &str = "table1";

/// A chapter of the book before its study is run.
struct PlannedChapter {
    /// The study.
    name: &'static str,
    /// Approximate duration (s) of a release build on two cores: complete, and with `--quick`.
    seconds: [u32; 2],
    /// The tables and figures of the literature that it reproduces.
    source: &'static str,
}

/// An entry of [`CHAPTERS`].
const fn planned(name: &'static str, seconds: [u32; 2], source: &'static str) -> PlannedChapter {
    PlannedChapter { name, seconds, source }
}

/// The chapters in the order of the book.
const CHAPTERS: [PlannedChapter; 17] = [
    planned(TABLE_1, [1700, 2], "ASEARCH, Table 1"),
    planned("table2", [55, 2], "ASEARCH, Table 2"),
    planned(
        "convergence",
        [25, 5],
        "LECTURE, orders of the classical methods; AVF, plots of order",
    ),
    planned(
        "stability",
        [2, 2],
        "ASEARCH, section 4 and appendix C; LECTURE, regions of stability",
    ),
    planned("controllers", [5, 2], "ASEARCH, section 5.6: rules for alpha on the bar"),
    planned("rebound", [25, 2], "ASEARCH, Figure 20"),
    planned("avf", [25, 2], "AVF, section 4 and plots of energy"),
    planned("barrier", [2, 2], "ASEARCH, barrier potential"),
    planned("blend", [5, 2], "BLEND, Figures 1 and 7, equation 7"),
    planned("blend-table1", [50, 2], "BLEND, Table 1"),
    planned("substeps", [65, 5], "BLEND, Table 2"),
    planned("spectrum", [10, 2], "ASEARCH, Figures 16 to 19"),
    planned("drum", [20, 2], "ASEARCH, membrane: decay of a vibration mode"),
    planned("rest", [35, 10], "none: not covered by the papers"),
    planned("verification", [40, 6], "NAFEMS LE1 and LE10, Cook's membrane, closed forms"),
    planned("shells", [300, 10], "obstacle course of shell elements; Sze et al. 2004"),
    planned("explicit", [230, 25], "EXPLICIT, benchmark of nine methods"),
];

/// Errors and gaps in the papers: the passage, its statement, and the statement or value that the studies use.
const ERRATA: [(&str, &str, &str); 10] = [
    (
        "ASEARCH, section 4",
        "the friction loss is `g . dx`",
        "`-g . dx`, which is not negative; the paper's two indices for the loss disagree",
    ),
    ("ASEARCH, section 4", "tau is a half-life", "an e-folding time, as in the paper's formula"),
    (
        "ASEARCH, appendix E",
        "the potential of the wall is `k x^2 / 2` for x > 0",
        "`k x^2 / 2` for x < 0",
    ),
    (
        "ASEARCH, appendix E",
        "`v_4 = 1` for an overestimated target V",
        "`v_4 = min(V, alpha_max |v_1|)`",
    ),
    (
        "ASEARCH, Table 2",
        "parameters of the bar are missing",
        "parameters that reproduce 34 of 36 entries to 1.5e-3 (`docs/methods.md`); the damped column is omitted, because its formula is missing",
    ),
    ("BLEND, equation 7", "the energy of the spring is around 25,000 J", "78,150 J"),
    (
        "BLEND, Figure 1",
        "blending bounds the energy",
        "confirmed; blending does not bound the angular momentum",
    ),
    (
        "BLEND, Tables 1 and 2",
        "scanned animals; colours of cells",
        "boxes and sheets with similar numbers of elements; our copy of the paper lacks the colours",
    ),
    ("EXPLICIT", "Forest-Ruth is of third order", "fourth order"),
    (
        "EXPLICIT",
        "formulas of the paper's own variants are missing",
        "reconstructions in `docs/methods.md`; the modified half step is symplectic on linear problems",
    ),
];

/// A chapter with the results of its study.
struct Chapter {
    name: &'static str,
    /// Number of verdicts that are NO.
    failed_verdicts: usize,
    /// Wall time of the study in whole seconds, as stored in the file of the chapter.
    seconds: u64,
    /// The Markdown of the chapter.
    text: String,
}

/// Runs the studies whose chapters are missing and writes the page.
pub(crate) fn book(folder: Option<&Path>, quick: bool) -> Result<ExitCode, Failure> {
    let folder = folder.map_or_else(|| PathBuf::from(DEFAULT_FOLDER), Path::to_owned);
    Folder::create(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let tag = program_tag(quick)?;
    let (mut chapters, mut missing_seconds) = (Vec::new(), 0);
    for PlannedChapter { name, seconds, .. } in &CHAPTERS {
        let stored = read_chapter(&folder, name, &tag);
        missing_seconds += if stored.is_none() { seconds[usize::from(quick)] } else { 0 };
        chapters.push(stored);
    }
    let stored_count = chapters.iter().flatten().count();
    let minutes = missing_seconds.div_ceil(60);
    note(format_args!(
        "{} to run, {stored_count} complete: about {}",
        counted(chapters.len() - stored_count, "study", "studies"),
        counted(minutes as usize, "minute", "minutes")
    ));
    let start = Instant::now();
    for (index, plan) in CHAPTERS.iter().enumerate() {
        if chapters[index].is_none() {
            chapters[index] = Some(make_chapter(&folder, plan, quick, &tag, start)?);
            write_page(&folder, &chapters, quick)?;
        }
    }
    write_page(&folder, &chapters, quick)?;
    let page = folder.join("book.md");
    print(format_args!("{}", page.display()))?;
    Ok(verdict_exit_code(chapters.iter().flatten().map(|chapter| chapter.failed_verdicts).sum()))
}

/// The tag that begins the first line of each file of the book: the extent of the studies and the hash of the
/// executable. A file with another tag is not reused.
fn program_tag(quick: bool) -> Result<String, Failure> {
    let executable = std::env::current_exe().context("the path of this program is unknown")?;
    let mut bytes = Vec::new();
    let read_result = open_linked(&executable).and_then(|mut file| file.read_to_end(&mut bytes));
    read_result.with_context(|| format!("cannot read {}", executable.display()))?;
    let hash = Fingerprint::EMPTY.with(&bytes).value();
    let extent = if quick { "quick" } else { "whole" };
    Ok(format!("<!-- {extent} {hash:016x}"))
}

/// Reads a chapter, if it exists and was written by this program.
fn read_chapter(folder: &Path, name: &'static str, tag: &str) -> Option<Chapter> {
    let text = read_text(&folder.join(format!("{name}.md")), MAX_CHAPTER_BYTES).ok()?;
    let (head, text) = text.split_once('\n')?;
    let mut fields = head.strip_prefix(tag)?.split_whitespace();
    let (failed_verdicts, seconds) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(Chapter { name, failed_verdicts, seconds, text: text.to_owned() })
}

/// Runs the study of a chapter and writes its tables, its charts and its file.
fn make_chapter(
    folder: &Path,
    plan: &PlannedChapter,
    quick: bool,
    tag: &str,
    start: Instant,
) -> Result<Chapter, Failure> {
    let (name, began) = (plan.name, Instant::now());
    let watch = |done: &str| {
        note(format_args!("{:7.1} s  {name}: {done}", start.elapsed().as_secs_f64()));
    };
    let results = if name == TABLE_1 {
        table1_results(folder, tag, quick, &watch)?
    } else {
        let study = study_named(name).with_context(|| format!("there is no study {name}"))?;
        let extent = Extent { quick, ..Extent::default() };
        (study.run)(&extent, &watch).map_err(anyhow::Error::from)?
    };
    write_results(&results, folder)?;
    let (failed_verdicts, seconds) = (results.failed_verdicts(), began.elapsed().as_secs());
    let text = chapter_heading(plan, quick) + &chapter_body(&results);
    let path = folder.join(format!("{name}.md"));
    let content = format!("{tag} {failed_verdicts} {seconds} -->\n{text}");
    write_file(&path, &content)?;
    Ok(Chapter { name, failed_verdicts, seconds, text })
}

/// The results of ASEARCH's Table 1. The row of each run is stored in a separate file; runs whose file exists are not
/// repeated.
fn table1_results(
    folder: &Path,
    tag: &str,
    quick: bool,
    watch: Watch<'_>,
) -> Result<Results, Failure> {
    let extent = table1::RunExtent::new(quick);
    let mut table = table1::table(&[]);
    for run in table1::runs(extent) {
        let (table_row, method, _) = run;
        let scene = table_row.scene;
        let path = folder.join(format!("table1-{scene}-{method}.run"));
        if let Some(row) = read_run(&path, tag) {
            table.push(row);
            continue;
        }
        let entry = table1::measure_run(run, extent).map_err(anyhow::Error::from)?;
        watch(&format!("{scene}, {method}: {:.1} s", entry.seconds));
        let row = table1::table(&[entry]).rows.swap_remove(0);
        let lines: String = row.iter().map(|cell| cell.encode() + "\n").collect();
        write_file(&path, &format!("{tag} -->\n{lines}"))?;
        table.push(row);
    }
    Ok(table.into())
}

/// Reads the row of a run, if its file exists and was written by this program.
fn read_run(path: &Path, tag: &str) -> Option<Vec<Cell>> {
    let text = read_text(path, MAX_CHAPTER_BYTES).ok()?;
    let (head, lines) = text.split_once('\n')?;
    let row: Option<Vec<Cell>> = lines.lines().map(Cell::decode).collect();
    row.filter(|row| head.starts_with(tag) && row.len() == table1::table(&[]).columns.len())
}

/// The heading, source and command of a chapter.
fn chapter_heading(plan: &PlannedChapter, quick: bool) -> String {
    let (name, flag) = (plan.name, quick_flag(quick));
    format!("## {name}\n\n{}\n\n    sim study {name}{flag}\n\n", plan.source)
}

/// The option of the reduced studies, with a space before it.
fn quick_flag(quick: bool) -> &'static str {
    if quick { " --quick" } else { "" }
}

/// The text of a chapter: tables, charts, and names of the CSV files of long tables.
fn chapter_body(results: &Results) -> String {
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
            "The command writes all values to `{}.csv` beside this page.\n",
            table.name
        );
    }
    text
}

/// The introduction of the page and the table of errata.
fn title_page(quick: bool) -> String {
    let mut text = format!(
        "# Results of all studies\n\nThis page is the output of `sim study book{}`. A verdict is NO if a value deviates from its expected value; \
         the page [Study results](../study-results.md) explains each table. Columns named after a paper contain its values. Columns `reference` contain the values in \
         [methods](../methods.md), which were computed with other programs. A column `from ... (%)` states the deviation from the expected value in percent. [Papers](../papers.md) lists \
         the papers.\n\n\
         ## Errors and gaps in the papers\n\n| place | statement | used here |\n|---|---|---|\n",
        quick_flag(quick)
    );
    for (passage, statement, correction) in ERRATA {
        let _ = writeln!(
            text,
            "| {passage} | {} | {} |",
            escape_cell(statement),
            escape_cell(correction)
        );
    }
    text
}

/// A text for a cell of a Markdown table: `|`, which separates columns, is escaped.
fn escape_cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Writes the page with the chapters that exist.
fn write_page(folder: &Path, chapters: &[Option<Chapter>], quick: bool) -> Result<(), Failure> {
    let mut text = title_page(quick);
    text += "\n## Studies\n\n| study | source | failed verdicts | seconds |\n|---|---|---:|---:|\n";
    for (plan, chapter) in CHAPTERS.iter().zip(chapters) {
        let Some(Chapter { name, failed_verdicts, seconds, .. }) = chapter else { continue };
        let _ = writeln!(
            text,
            "| [{name}](#{name}) | {} | {failed_verdicts} | {seconds} |",
            plan.source
        );
    }
    for chapter in chapters.iter().flatten() {
        let _ = write!(text, "\n{}", chapter.text);
    }
    write_file(&folder.join("book.md"), &text)
}

/// Writes a file of the book atomically.
fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let write_result = Folder::parent_of(path)
        .and_then(|(folder, name)| folder.write(name, text.as_bytes(), Durability::Synced));
    Ok(write_result.with_context(|| format!("cannot write {}", path.display()))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The page in `docs` has the introduction, headings and columns of this program.
    #[test]
    fn committed_book_has_the_chapters_and_columns_of_this_program() {
        let page = include_str!("../../../docs/book/book.md");
        let quick = page.contains("Made by `sim study book --quick`");
        assert!(page.starts_with(&title_page(quick)), "update it by sim study book -o docs/book");
        let mut rest = page;
        for plan in &CHAPTERS {
            assert!(study_named(plan.name).is_some(), "{}", plan.name);
            let head = chapter_heading(plan, quick);
            let at = rest.find(&head).unwrap_or_else(|| panic!("{head} is missing or misplaced"));
            rest = &rest[at + head.len()..];
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book");
        for image in page.split("](").filter_map(|part| part.split_once(".svg)")) {
            assert!(folder.join(format!("{}.svg", image.0)).exists(), "{}", image.0);
        }
        // Tables omit empty columns, so the column of failures exists only if a run failed.
        let all = table1::table(&[]).columns;
        let without: Vec<String> = all.iter().filter(|name| *name != "failure").cloned().collect();
        let names = |line: &str| {
            let cells = line.trim_matches('|').split('|');
            cells.map(|name| name.trim().to_owned()).collect::<Vec<String>>()
        };
        let has = |asked: &[String]| page.lines().any(|line| names(line) == asked);
        assert!(has(&without) || has(&all), "Table 1 has other columns");
    }

    #[test]
    fn stored_runs_of_other_programs_or_columns_are_ignored() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("run");
        let columns = table1::table(&[]).columns.len();
        let of = |tag: &str, columns: usize| format!("{tag} -->\n{}", "count 1\n".repeat(columns));
        for (text, kept) in
            [(of("this", columns), true), (of("that", columns), false), (of("this", 3), false)]
        {
            fs::write(&path, text).expect("it can be written");
            assert_eq!(read_run(&path, "this").is_some(), kept);
        }
    }
}
