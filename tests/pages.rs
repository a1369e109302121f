//! The pages and the documentation comments: links, the book, messages, length of sentences, private words.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The pages of a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut pages: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    pages.sort();
    pages
}

/// Where the links of a page lead, within the repository.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let targets = targets.map(|(target, _)| target.split('#').next().unwrap_or(target));
    targets.filter(|t| !t.is_empty() && !t.contains("://") && !t.contains(' ')).collect()
}

#[test]
fn links_of_pages_lead_to_files() {
    let mut all = pages(&root());
    all.extend(["docs", "benches", "scenes"].iter().flat_map(|folder| pages(&root().join(folder))));
    let crates = std::fs::read_dir(root().join("crates")).expect("the crates are there");
    all.extend(crates.flat_map(|entry| pages(&entry.expect("the folder can be read").path())));
    assert!(all.len() > 25, "{}", all.len());
    let mut broken = Vec::new();
    for page in &all {
        let folder = page.parent().expect("a page is in a folder");
        let text = read(page);
        let missing = links(&text).into_iter().filter(|link| !folder.join(link).exists());
        broken.extend(missing.map(|link| format!("{}: {link}", page.display())));
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn book_lists_every_page_of_docs() {
    let docs = root().join("docs");
    let summary = read(&docs.join("SUMMARY.md"));
    let listed = links(&summary);
    for page in pages(&docs) {
        let name = page.file_name().and_then(|name| name.to_str()).expect("a name");
        assert!(name == "SUMMARY.md" || listed.contains(&name), "docs/SUMMARY.md lacks {name}");
    }
}

/// Words that a sentence may have.
const LONGEST_SENTENCE: usize = 45;

/// The pages of measurements, whose tables have captions of their own kind.
const MEASUREMENTS: &str = "study-results.md";

/// What follows the marker of a list's item.
fn item(line: &str) -> Option<&str> {
    let start = line.trim_start();
    let number = start.trim_start_matches(|c: char| c.is_ascii_digit());
    [start.strip_prefix("* "), start.strip_prefix("- "), number.strip_prefix(". ")]
        .into_iter()
        .flatten()
        .next()
}

/// The paragraphs and items of a page, without headings, tables and code.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    let mut is_fenced = false;
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        let is_other = is_fence || is_fenced || line.trim_start().starts_with(['#', '|', '<']);
        let prose = match (is_other, item(line)) {
            (true, _) => "",
            (false, Some(item)) => item,
            (false, None) if line.starts_with("    ") => "",
            (false, None) => line.trim(),
        };
        if prose.is_empty() || item(line).is_some() {
            paragraphs.push(String::new());
        }
        let paragraph = paragraphs.last_mut().expect("there is one");
        paragraph.push_str(prose);
        paragraph.push(' ');
    }
    paragraphs
}

/// The words of each sentence, code in backticks being one.
fn sentences(paragraph: &str) -> Vec<Vec<&str>> {
    let mut code = false;
    let mut sentences = vec![Vec::new()];
    for word in paragraph.split_whitespace() {
        let sentence: &mut Vec<&str> = sentences.last_mut().expect("there is one");
        if !code || sentence.is_empty() {
            sentence.push(word);
        }
        code ^= word.matches('`').count() % 2 == 1;
        if !code && word.trim_end_matches([')', '*', '"']).ends_with(['.', '!', '?', ':', ';']) {
            sentences.push(Vec::new());
        }
    }
    sentences
}

/// Private words of the project, which the field has terms for.
const PRIVATE_WORDS: [&str; 16] = [
    "whoever",
    "nobody",
    "somebody",
    "everybody",
    "heed",
    "heeds",
    "astray",
    "rub",
    "rubs",
    "rubbing",
    "hindrance",
    "hindrances",
    "is told",
    "are told",
    "is no number",
    "are no numbers",
];

/// The pages that users read, and the documentation in the sources as if it were pages.
fn texts() -> Vec<(PathBuf, String)> {
    let mut paths = pages(&root().join("docs"));
    paths.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    paths.retain(|page| !page.ends_with(MEASUREMENTS));
    let mut all: Vec<(PathBuf, String)> =
        paths.into_iter().map(|path| (path.clone(), read(&path))).collect();
    documentation(&root().join("crates"), &mut all);
    all
}

/// The documentation comments of each source below `folder`.
fn documentation(folder: &Path, all: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            documentation(&path, all);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = read(&path);
            all.push((path, documentation_of(&text)));
        }
    }
}

/// The documentation comments of a source, with an empty line after each.
fn documentation_of(source: &str) -> String {
    let mut text = String::new();
    for line in source.lines().map(str::trim_start) {
        let comment = line.strip_prefix("//!").or_else(|| line.strip_prefix("///"));
        let comment = comment.filter(|rest| !rest.starts_with('/'));
        text.push_str(comment.map_or("", |rest| rest.strip_prefix(' ').unwrap_or(rest)));
        text.push('\n');
    }
    text
}

/// The words of a paragraph in lower case, with spaces around each.
fn spaced_words(paragraph: &str) -> String {
    let words = paragraph.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |text, word| text + &word.to_lowercase() + " ")
}

#[test]
fn sentences_of_the_documentation_are_short() {
    let mut long = Vec::new();
    for (path, text) in texts() {
        for paragraph in paragraphs(&text) {
            let of =
                sentences(&paragraph).into_iter().filter(|words| words.len() > LONGEST_SENTENCE);
            long.extend(of.map(|words| format!("{}: {}", path.display(), words.join(" "))));
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn documentation_has_no_private_words() {
    let mut found = Vec::new();
    for (path, text) in texts() {
        for paragraph in paragraphs(&text) {
            let text = spaced_words(&paragraph);
            let of = PRIVATE_WORDS.iter().filter(|words| text.contains(&format!(" {words} ")));
            found.extend(of.map(|words| format!("{}: {words}: {paragraph}", path.display())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn documentation_comments_become_paragraphs() {
    let source = "//! One\n//! two.\nfn a() {} // not\n    /// Rubs `x`.\n//// no\n";
    let all: Vec<String> =
        paragraphs(&documentation_of(source)).iter().map(|p| p.trim().to_owned()).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).filter(|p| !p.is_empty()).collect();
    assert_eq!(all, ["One two.", "Rubs `x`."]);
    assert_eq!(spaced_words(all[1]), " rubs x ");
}

#[test]
fn sentences_exclude_lists_tables_and_code() {
    let page = "# Title\n\nOne `a b c` two.\nThree: four\n* five\n  six\n\n    code\n\n| a | b |\n";
    let all: Vec<Vec<String>> = paragraphs(page)
        .iter()
        .flat_map(|p| {
            sentences(p).iter().map(|s| s.iter().map(|w| (*w).into()).collect()).collect::<Vec<_>>()
        })
        .filter(|words: &Vec<String>| !words.is_empty())
        .collect();
    assert_eq!(all, [vec!["One", "`a", "two."], vec!["Three:"], vec!["four"], vec!["five", "six"]]);
}

/// All sources of the crates as one text, in which strings that go over several lines are joined.
fn sources(folder: &Path, text: &mut String) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "snap") {
            let mut lines = read(&path);
            while let Some(at) = lines.find("\\\n") {
                let rest = lines[at + 2..].trim_start().to_owned();
                lines.replace_range(at.., &rest);
            }
            text.push_str(&lines.replace("\\\"", "\"").replace("{{", "{").replace("}}", "}"));
        }
    }
}

/// The constant pieces of a message, between parts in braces.
fn pieces(message: &str) -> Vec<&str> {
    let parts = message.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    parts.map(str::trim).filter(|piece| piece.len() > 3).collect()
}

#[test]
fn listed_messages_are_in_the_sources() {
    let mut text = String::new();
    sources(&root().join("crates"), &mut text);
    let page = read(&root().join("docs/messages.md"));
    let messages: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains("``"))
        .filter_map(|line| line.split("``").nth(1))
        .collect();
    assert_eq!(messages.len(), 60);
    let missing: Vec<_> = messages
        .iter()
        .flat_map(|message| pieces(message))
        .filter(|piece| !text.contains(*piece))
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}
