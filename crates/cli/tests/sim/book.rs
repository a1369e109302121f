//! `sim study book`: chapters of this program are kept, others are made anew.

use crate::support::{Place, SCENE};

const NAMES: [&str; 17] = [
    "table2",
    "convergence",
    "stability",
    "controllers",
    "avf",
    "barrier",
    "blend",
    "spectrum",
    "drum",
    "rest",
    "explicit",
    "substeps",
    "rebound",
    "table1",
    "blend-table1",
    "verification",
    "shells",
];

/// A book of which all chapters but one are there, which is stamped as this program stamps them.
#[test]
fn study_book_keeps_current_chapters_and_rewrites_others() {
    let place = Place::new(SCENE);
    // The first study says how this program stamps.
    std::fs::create_dir(place.path("book")).expect("it can be made");
    for name in NAMES {
        place.write(&format!("book/{name}.md"), "<!-- quick of another program 0 1 -->\nold\n");
    }
    let stamp = stamp(&place);
    for name in NAMES.iter().filter(|name| **name != "barrier") {
        let text = format!("{stamp} {} 2 -->\n## {name}\n\nkept\n", usize::from(*name == "rest"));
        place.write(&format!("book/{name}.md"), &text);
    }
    let output = place.sim(&["study", "book", "--quick", "-o", "book"]).exit(1);
    assert!(output.stderr.contains("1 study to run, 16 complete"), "{}", output.stderr);
    assert!(output.stderr.contains("1 verdict is NO"), "{}", output.stderr);
    let page = place.read("book/book.md");
    assert_eq!(page.matches("\nkept\n").count(), 16, "{page}");
    assert!(
        page.contains("![barrier](barrier.svg)")
            && page.contains("| [rest](#rest) | none: not covered by the papers | 1 | 2 |"),
        "{page}"
    );
    assert!(place.path("book/barrier.svg").exists());
    // Nothing is left to do.
    let again = place.sim(&["study", "book", "--quick", "-o", "book"]).exit(1);
    assert!(again.stderr.contains("0 studies to run"), "{}", again.stderr);
    assert_eq!(place.read("book/book.md"), page);
}

#[test]
fn study_replaces_earlier_results_only_with_force() {
    let place = Place::new(SCENE);
    place.sim(&["study", "barrier", "--quick", "-o", "tables"]).exit(0);
    let earlier = place.read("tables/barrier.csv");
    place.write("tables/barrier.csv", "earlier");
    let refused = place.sim(&["study", "barrier", "--quick", "-o", "tables"]).exit(2);
    assert!(refused.stderr.contains("barrier.") && refused.stderr.contains("--force"));
    assert_eq!(place.read("tables/barrier.csv"), "earlier");
    assert!(refused.stdout.is_empty(), "it is refused before anything is measured");
    place.sim(&["study", "barrier", "--quick", "-o", "tables", "--force"]).exit(0);
    assert_eq!(place.read("tables/barrier.csv"), earlier);
    place.sim(&["study", "stability", "--quick", "-o", "tables"]).exit(0);
    place.sim(&["study", "book", "--quick", "-o", "book", "--force"]).exit(2);
}

/// The beginning of a chapter's first line, as this program writes it.
fn stamp(place: &Place) -> String {
    use std::process::{Command, Stdio};
    let mut book = Command::new(env!("CARGO_BIN_EXE_sim"));
    let book = book.current_dir(place.path("")).args(["study", "book", "--quick", "-o", "first"]);
    let mut child = book.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let path = place.path("first/table1.md");
    let text = loop {
        match std::fs::read_to_string(&path) {
            Ok(text) => break text,
            Err(_) => std::thread::sleep(std::time::Duration::from_millis(50)),
        }
        assert!(child.try_wait().expect("it can be asked").is_none(), "it goes on");
    };
    child.kill().expect("it can be stopped");
    child.wait().expect("it ends");
    let head = text.lines().next().expect("a first line");
    head.split(' ').take(3).collect::<Vec<_>>().join(" ")
}
