//! The invariants of `ARCHITECTURE.md` that can be seen in the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Names of all crates, from their folders.
fn names() -> BTreeSet<String> {
    let entries = std::fs::read_dir(crates()).expect("the crates are there");
    let folders = entries.map(|entry| entry.expect("the folder can be read").path());
    let named = folders.filter(|folder| folder.join("Cargo.toml").is_file());
    named.filter_map(|folder| Some(folder.file_name()?.to_str()?.to_owned())).collect()
}

/// The packages that a crate's library uses, without tests and benches.
fn dependencies(name: &str) -> BTreeSet<String> {
    let manifest = read(&crates().join(name).join("Cargo.toml"));
    let section = manifest.split("\n[").find(|section| section.starts_with("dependencies]"));
    let section = section.unwrap_or_else(|| panic!("{name} has no dependencies"));
    let lines = section.lines().skip(1).filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split(['.', ' ', '=']).next()).map(str::to_owned).collect()
}

fn own(name: &str) -> BTreeSet<String> {
    let used = dependencies(name).into_iter();
    used.filter_map(|package| package.strip_prefix("resile-").map(str::to_owned)).collect()
}

/// The table "Crates" of `ARCHITECTURE.md`: what each crate depends on.
fn allowed() -> Vec<(String, BTreeSet<String>)> {
    let text = read(&crates().join("../ARCHITECTURE.md"));
    let all = names();
    let mut table = Vec::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, _, allowed, _] = cells[..] else { continue };
        let name = name.trim_matches('`').to_owned();
        if all.contains(&name) {
            let allowed = match allowed {
                "-" => BTreeSet::new(),
                list => list.split(", ").map(str::to_owned).collect(),
            };
            table.push((name, allowed));
        }
    }
    table
}

/// The sources of a crate's library or program, tests excluded, without comments.
fn sources(name: &str) -> Vec<(String, String)> {
    let (mut found, mut folders) = (Vec::new(), vec![crates().join(name).join("src")]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a crate has sources") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = read(&path);
                // Unit tests stand at the end of their file.
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
                let code = lines.collect::<Vec<_>>().join("\n");
                found.push((path.to_string_lossy().replace('\\', "/"), code));
            }
        }
    }
    assert!(!found.is_empty(), "{name}");
    found
}

/// Whether `word` stands in `code` and is not part of a longer name.
fn names_word(code: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    code.match_indices(word).any(|(at, _)| {
        !part(code[..at].chars().next_back()) && !part(code[at + word.len()..].chars().next())
    })
}

/// Every file outside `exempt` (crates, or pieces of paths) that names one of the words.
fn offenders(words: &[&str], exempt: &[&str]) -> Vec<String> {
    let mut offenders = Vec::new();
    for name in names().iter().filter(|name| !exempt.contains(&name.as_str())) {
        for (path, code) in sources(name) {
            let exempted = exempt.iter().any(|piece| piece.contains('/') && path.contains(piece));
            for word in words.iter().filter(|word| !exempted && names_word(&code, word)) {
                offenders.push(format!("{word} in {path}"));
            }
        }
    }
    offenders
}

const NONE: [String; 0] = [];

#[test]
fn crates_depend_on_what_the_table_says() {
    let table = allowed();
    let listed: BTreeSet<_> = table.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(listed, names(), "the table lists every crate");
    for (name, allowed) in table {
        assert_eq!(own(&name), allowed, "{name}: what it depends on, and what the table says");
    }
}

#[test]
fn only_crates_with_formats_of_files_know_serde_and_only_linalg_faer() {
    let of_packages = |packages: &[&str]| -> Vec<String> {
        let uses = |name: &String| packages.iter().any(|p| dependencies(name).contains(*p));
        names().into_iter().filter(uses).collect()
    };
    assert_eq!(
        of_packages(&["serde", "ron", "serde_json", "postcard"]),
        [
            "assembly",
            "cli",
            "contact",
            "energy",
            "export",
            "import",
            "integrators",
            "math",
            "record",
            "scene",
            "sweep",
            "verify",
            "view"
        ]
    );
    assert_eq!(of_packages(&["plotters"]), ["plot"]);
    assert_eq!(of_packages(&["faer"]), ["linalg"]);
    assert_eq!(offenders(&["faer"], &["linalg/src/direct/"]), NONE);
    assert_eq!(of_packages(&["anyhow", "clap", "indicatif"]), ["cli"]);
}

#[test]
fn crates_up_to_world_read_the_clock_and_start_threads_in_optional_modules_only() {
    let numeric = ["math", "expression", "sparse", "linalg", "system", "mesh", "energy", "contact"];
    let numeric = numeric.iter().chain(&["solver", "integrators", "world", "watch"]);
    let numeric: BTreeSet<String> = numeric.map(|&name| name.to_owned()).collect();
    let exempt: Vec<String> = names().difference(&numeric).cloned().collect();
    let mut exempt: Vec<&str> = exempt.iter().map(String::as_str).collect();
    exempt.extend(["watch/src/stopwatch.rs", "watch/src/watchdog.rs", "direct/helper_thread.rs"]);
    let words = ["Instant", "SystemTime", "thread::spawn", "thread::Builder", "thread::sleep"];
    assert_eq!(offenders(&words, &exempt), NONE);
}

#[test]
fn only_cli_prints_and_ends_the_program() {
    let words = ["println", "eprintln", "print", "eprint", "dbg", "stdout", "stderr", "exit"];
    assert_eq!(offenders(&words, &["cli"]), NONE);
}

#[test]
fn only_the_outermost_crates_touch_files() {
    let words = ["std::fs", "OpenOptions", "PathBuf"];
    let exempt =
        ["files", "import", "record", "assembly", "runner", "sweep", "verify", "cli", "python"];
    assert_eq!(offenders(&words, &exempt), NONE);
    // A scene has a shape of this name.
    assert_eq!(offenders(&["File"], &[&exempt[..], &["scene"]].concat()), NONE);
}

/// Clippy says so of paths (see `clippy.toml`); this is of what it is not asked to look at, too.
#[test]
fn only_files_makes_and_opens_files() {
    let calls = ["File::create", "File::open", "OpenOptions", "fs::write", "fs::read", "fs::copy"];
    let others =
        ["fs::rename", "fs::remove_file", "fs::create_dir", "fs::create_dir_all", "NamedTempFile"];
    // Files of tests alone, besides the one crate.
    let exempt = [
        "files",
        "playback/tests",
        "checkpoint/tests",
        "assemble/derivatives",
        "assemble/embedded_laws",
    ];
    assert_eq!(offenders(&[&calls[..], &others].concat(), &exempt), NONE);
}

#[test]
fn there_is_no_order_that_changes_from_run_to_run() {
    assert_eq!(offenders(&["HashMap", "HashSet", "RandomState"], &[]), NONE);
    // Sums in the order in which threads finish; chunks are summed in their own order. What
    // `watch` notes is never read by a computation; what `view`'s server holds is shown and wished,
    // by one thread that computes and one that answers. `python` locks objects that threads of Python share.
    // Threads of Python share the folders in memory of `files`. `field_load` keeps forces by time, of which they are a function: a hit has the bits of a miss.
    let exempt = ["cli", "watch", "view", "python", "src/memory", "src/field_load"];
    assert_eq!(offenders(&["par_bridge", "Mutex", "AtomicU64"], &exempt), NONE);
}

#[test]
fn energies_and_contact_do_not_know_the_time_step() {
    let words = ["dt", "time_step", "timestep"];
    assert_eq!(
        offenders(
            &words,
            &[
                "integrators",
                "world",
                "record",
                "scene",
                "assembly",
                "runner",
                "import",
                "cli",
                "solver",
                "mesh",
                "verify"
            ]
        ),
        NONE
    );
}

/// The name that a line defines as a type, if it does.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("pub").map_or(line, |rest| match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')').map_or(rest, |(_, rest)| rest),
        None => rest,
    });
    let (kind, rest) = line.trim_start().split_once(' ')?;
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    ["struct", "enum", "trait"].contains(&kind).then(|| &rest[..end])
}

#[test]
fn no_two_types_of_a_crate_have_one_name() {
    let mut twice = Vec::new();
    for name in names() {
        let mut known = BTreeSet::new();
        let is_code = |path: &String| !path.ends_with("tests.rs") && !path.ends_with("laws.rs");
        for (_, code) in sources(&name).into_iter().filter(|(path, _)| is_code(path)) {
            let types = code.lines().filter_map(defined).map(str::to_owned);
            twice.extend(
                types.filter(|ty| !known.insert(ty.clone())).map(|ty| format!("{ty} in {name}")),
            );
        }
    }
    assert_eq!(twice, NONE);
}

/// The folders of a crate, the lowest layer first.
const LAYERS: [(&str, &[&str]); 2] = [
    ("contact", &["geometry", "ccd", "search", "potential", "friction", "system"]),
    ("integrators", &["rigid", "step", "methods", "control", "drive"]),
];

/// What `code` imports from its own crate: the first name of each path after `crate::`, those in braces too.
fn imports(code: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let first = |path: &str| path.find(|c| !is_part(c)).unwrap_or(path.len());
    let mut found = Vec::new();
    for (at, prefix) in code.match_indices("crate::") {
        let rest = &code[at + prefix.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            found.push(&rest[..first(rest)]);
            continue;
        };
        let (mut depth, mut begins) = (0, true);
        for (k, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => begins = true,
                c if begins && is_part(c) => {
                    found.push(&list[k..k + first(&list[k..])]);
                    begins = false;
                }
                _ => {}
            }
        }
    }
    found
}

/// The layer of each name that the root of a crate re-exports: `pub use rigid::frame::{Frame, Fall};`.
fn reexports<'r>(root: &'r str, layers: &[&str]) -> Vec<(&'r str, usize)> {
    let mut names = Vec::new();
    for item in root.split(';').filter_map(|item| item.trim().strip_prefix("pub use ")) {
        let Some((folder, rest)) = item.split_once("::") else { continue };
        let Some(layer) = layers.iter().position(|layer| *layer == folder) else { continue };
        let last = rest.split("::").filter(|part| !part.contains(['{', '}', ',']));
        let last = if rest.contains('{') { None } else { last.last() };
        let listed = rest.split_once('{').map_or("", |(_, list)| list.trim_end_matches('}'));
        let listed = listed.split(',').map(str::trim).filter(|name| !name.is_empty());
        names.extend(listed.chain(last).map(|name| (name, layer)));
    }
    names
}

/// Imports of a layer by a lower one, or of any layer by a file beside the folders. `files` are paths within `src` with
/// their code.
fn upward(files: &[(&str, &str)], layers: &[&str]) -> Vec<String> {
    let root = files.iter().find(|(path, _)| *path == "lib.rs").map_or("", |(_, code)| code);
    let names = reexports(root, layers);
    let layer_of = |name: &str| {
        let exported = || names.iter().find(|(known, _)| *known == name).map(|(_, layer)| *layer);
        layers.iter().position(|layer| *layer == name).or_else(exported)
    };
    let mut wrong = Vec::new();
    for (path, code) in files.iter().filter(|(path, _)| *path != "lib.rs") {
        let own = path
            .split_once('/')
            .and_then(|(folder, _)| layers.iter().position(|layer| *layer == folder));
        for name in imports(code) {
            let upward = layer_of(name).is_some_and(|other| own.is_none_or(|own| other > own));
            wrong.extend(upward.then(|| format!("{name} in {path}")));
        }
    }
    wrong
}

#[test]
fn no_layer_of_a_crate_imports_a_higher_one() {
    for (name, layers) in LAYERS {
        let sources = sources(name);
        let files: Vec<(&str, &str)> = (sources.iter())
            .map(|(path, code)| (path.split_once("/src/").map_or("", |(_, path)| path), &**code))
            .collect();
        for layer in layers {
            let is_in = |(path, _): &(&str, &str)| path.starts_with(&format!("{layer}/"));
            assert!(files.iter().any(is_in), "{name} has the folder {layer}");
        }
        let folders = files.iter().filter_map(|(path, _)| Some(path.split_once('/')?.0));
        let folders: BTreeSet<&str> = folders.collect();
        assert_eq!(folders, layers.iter().copied().collect(), "{name}: every folder is a layer");
        assert_eq!(upward(&files, layers), NONE, "{name}");
    }
}

#[test]
fn upward_imports_are_found_in_paths_lists_and_reexports() {
    let lib = ("lib.rs", "mod a;\nmod b;\npub use b::deep::{Seen, other};\npub use b::High;\n");
    let of = |path, code| upward(&[lib, (path, code)], &["a", "b"]);
    for code in ["use crate::b::X;", "let x = crate::b::f();", "use crate::{a::Y, b::{X, Z}};"] {
        assert_eq!(of("a/x.rs", code), ["b in a/x.rs"], "{code}");
    }
    assert_eq!(
        of("a/x.rs", "use crate::{Seen,\n    other};"),
        ["Seen in a/x.rs", "other in a/x.rs"]
    );
    assert_eq!(of("a/x.rs", "crate::High::new()"), ["High in a/x.rs"]);
    assert_eq!(of("data.rs", "use crate::a::X;"), ["a in data.rs"], "beside the folders");
    for code in ["use crate::a::X;", "use crate::b::Y;", "use crate::{High, data::b};"] {
        assert_eq!(of("b/x.rs", code), NONE, "{code}");
    }
}

/// A circle of imports between modules, if there is one: `modules` are names with those that each imports.
fn circle(modules: &BTreeMap<String, BTreeSet<String>>) -> Option<BTreeSet<&String>> {
    let mut left: BTreeSet<&String> = modules.keys().collect();
    loop {
        let is_free =
            |module: &&String| !modules[*module].iter().any(|other| left.contains(&other));
        let free: Vec<_> = left.iter().copied().filter(is_free).collect();
        if free.is_empty() {
            return (!left.is_empty()).then_some(left);
        }
        left.retain(|module| !free.contains(module));
    }
}

#[test]
fn modules_of_the_program_import_each_other_in_one_direction() {
    let mut modules = BTreeMap::<String, BTreeSet<String>>::new();
    for (path, code) in sources("cli") {
        let path = path.split_once("/src/").map_or("", |(_, path)| path);
        let module = path.split('/').next().unwrap_or(path).trim_end_matches(".rs").to_owned();
        if module != "main" {
            let others = imports(&code).into_iter().map(str::to_owned);
            let others = others.filter(|name| *name != module);
            modules.entry(module.clone()).or_default().extend(others);
        }
    }
    assert!(modules.len() > 30 && modules["run"].contains("options"), "{modules:?}");
    assert_eq!(circle(&modules), None);
    // A module that is imported by one that it imports closes a circle.
    modules.entry("options".to_owned()).or_default().insert("run".to_owned());
    let found = circle(&modules).expect("there is a circle");
    assert!(found.iter().any(|module| module.as_str() == "run"), "{found:?}");
}

/// All sources of the repository, programs, examples and tests included.
fn all_sources() -> Vec<(PathBuf, String)> {
    let root = crates().join("..");
    let folders = ["crates", "scenes", "tests", "soak", "gallery", "fuzz"];
    let (mut found, mut folders) = (Vec::new(), folders.map(|name| root.join(name)).to_vec());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push((path.clone(), read(&path)));
            }
        }
    }
    assert!(found.len() > 500, "{} sources", found.len());
    found
}

#[test]
fn arguments_and_variables_need_not_be_utf_8() {
    // Clippy sees those of the programs; examples and tests have no configuration of their own.
    let panics = [concat!("env::", "args()"), concat!("env::", "vars()")];
    let wrong =
        all_sources().into_iter().filter(|(_, text)| panics.iter().any(|call| text.contains(call)));
    let wrong: Vec<String> = wrong.map(|(path, _)| path.display().to_string()).collect();
    assert_eq!(wrong, NONE);
}
