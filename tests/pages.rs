//! The pages: links lead somewhere, and the book has all of `docs`.

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
fn every_link_of_a_page_leads_to_a_file() {
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
fn the_book_has_every_page_of_docs() {
    let docs = root().join("docs");
    let summary = read(&docs.join("SUMMARY.md"));
    let listed = links(&summary);
    for page in pages(&docs) {
        let name = page.file_name().and_then(|name| name.to_str()).expect("a name");
        assert!(name == "SUMMARY.md" || listed.contains(&name), "docs/SUMMARY.md lacks {name}");
    }
}
