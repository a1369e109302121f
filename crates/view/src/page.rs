//! The page around the data: skeleton, style sheet and script as one text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// HTML of the page, with placeholders in double braces.
const SKELETON: &str = include_str!("../page/index.html");
/// Style sheet of the page.
const STYLE: &str = include_str!("../page/style.css");

/// Pairs of file name and text of modules.
macro_rules! modules {
    ($($name:literal),* $(,)?) => { &[$(($name, include_str!(concat!("../page/", $name)))),*] };
}

/// Modules of the script, each after those that it imports.
const MODULES: &[(&str, &str)] = modules![
    "vectors.js",
    "names.js",
    "numbers.js",
    "blocks.js",
    "film.js",
    "history.js",
    "surface.js",
    "section.js",
    "pick.js",
    "camera.js",
    "clock.js",
    "colours.js",
    "shaders.js",
    "gl.js",
    "geometry.js",
    "cut_faces.js",
    "arrows.js",
    "resultants.js",
    "picture.js",
    "plot.js",
    "panels.js",
    "legend.js",
    "grown.js",
    "tooltip.js",
    "theme.js",
    "keys.js",
    "commands.js",
    "live.js",
    "pointer.js",
    "main.js",
];

/// The first characters of every page.
pub const PAGE_START: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
                              <meta name=\"generator\" content=\"resile\">\n";

/// Mode of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageMode {
    /// A finished run; the page makes no requests.
    Whole,
    /// A running simulation; the page requests new frames from its server and no other host.
    Growing,
    /// A live simulation: the page receives states and sends commands.
    Live,
}

/// Text of the page before and after the data.
pub(crate) fn text_around_data(mode: PageMode) -> [String; 2] {
    let skeleton = SKELETON.replace("\r\n", "\n");
    let (head, tail) = skeleton.split_once("{{data}}").expect("the skeleton has a place for data");
    let head = head.replace("{{policy}}", &policy(mode)).replace("{{style}}", &style());
    [head, tail.replace("{{script}}", &script())]
}

/// Content Security Policy of the page: no connections (except to the page's own server for running and live
/// simulations), and only its own scripts and styles, identified by hashes.
pub fn policy(mode: PageMode) -> String {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let [script, style] = [hash(&script()), hash(&style())];
    let connect_directive = match mode {
        PageMode::Whole => "",
        PageMode::Growing | PageMode::Live => " connect-src 'self';",
    };
    format!(
        "default-src 'none';{connect_directive} script-src {script}; style-src {style}; base-uri 'none'; \
         form-action 'none'"
    )
}

/// The style sheet with Unix line ends, which its hash requires.
fn style() -> String {
    STYLE.replace("\r\n", "\n")
}

/// All modules as one script in one scope, without import lines. Modules must have one line per import
/// and unique names.
fn script() -> String {
    let mut script = String::from("\"use strict\";\n(() => {\n");
    for (_, text) in MODULES {
        for line in text.lines().filter(|line| !line.starts_with("import ")) {
            script.push_str(line.strip_prefix("export ").unwrap_or(line));
            script.push('\n');
        }
    }
    script + "})();\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn modules_import_only_earlier_modules_and_all_exist() {
        let mut known = BTreeSet::new();
        for (name, text) in MODULES {
            for line in text.lines().filter(|line| line.starts_with("import ")) {
                let from = line.split('"').nth(1).unwrap_or_else(|| panic!("{name}: {line}"));
                let from = from.trim_start_matches("./");
                assert!(known.contains(from), "{name} imports {from}");
                assert!(line.ends_with("\";"), "{name}: an import is one line: {line}");
            }
            known.insert(*name);
        }
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let files = folder.read_dir().expect("the folder is there").map(|entry| {
            let name = entry.expect("it can be read").file_name();
            name.into_string().expect("names are plain")
        });
        let scripts: BTreeSet<_> = files.filter(|name| name.ends_with(".js")).collect();
        assert_eq!(scripts, known.iter().map(|name| (*name).to_owned()).collect());
    }

    /// Names declared by a line at module scope.
    fn declared(line: &str) -> Vec<&str> {
        let line = line.strip_prefix("export ").unwrap_or(line);
        let line = line.strip_prefix("async ").unwrap_or(line);
        let kinds = ["const ", "let ", "class ", "function* ", "function "];
        let Some(rest) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) else {
            return Vec::new();
        };
        let end = rest.find(['=', '(', '{', ';']).unwrap_or(rest.len());
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let words = rest[..end].split(|c: char| !is_part(c)).filter(|word| !word.is_empty());
        if rest.starts_with('[') { words.collect() } else { words.take(1).collect() }
    }

    #[test]
    fn module_names_are_unique() {
        assert_eq!(declared("export const [A, B2] = [1, 2];"), ["A", "B2"]);
        assert_eq!(declared("export async function* states(vertices) {"), ["states"]);
        let mut known = std::collections::BTreeMap::new();
        for (module, text) in MODULES {
            for name in text.lines().flat_map(declared) {
                let other = known.insert(name, module).unwrap_or(module);
                assert_eq!(other, module, "{name}, of which the page has one scope for all");
            }
        }
        assert!(known.len() > 100, "{}", known.len());
    }

    #[test]
    fn page_sources_do_not_close_their_own_elements() {
        for text in [script(), style()] {
            for end in ["</script", "</style", "<!--", "{{policy", "{{style", "{{data", "{{script"]
            {
                assert!(!text.contains(end), "{end}");
            }
        }
        assert!(!script().contains("\nimport ") && !script().contains("\nexport "));
        let [head, tail] = text_around_data(PageMode::Whole);
        assert!(!head.contains("connect-src"), "a complete page opens no connection");
        assert!(
            head.contains(&policy(PageMode::Whole))
                && head.contains(&style())
                && tail.contains(&script())
        );
    }

    /// Relative luminance of `#rrggbb` (WCAG 2.2).
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let byte = u8::from_str_radix(&colour[at..at + 2], 16).expect("two digits");
            let value = f64::from(byte) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    #[test]
    fn every_page_has_the_common_start() {
        for mode in [PageMode::Whole, PageMode::Growing, PageMode::Live] {
            assert!(text_around_data(mode)[0].starts_with(PAGE_START));
        }
    }

    #[test]
    fn text_contrast_is_at_least_four_and_a_half() {
        let style = style();
        let themes: Vec<&str> =
            style.match_indices(":root {").map(|(at, _)| &style[at..]).collect();
        assert_eq!(themes.len(), 2, "light and dark");
        for theme in themes {
            let colour = |name: &str| {
                let at = theme.find(&format!("--{name}: #")).expect("it has a colour");
                luminance(&theme[at + name.len() + 4..][..7])
            };
            for text in ["text", "soft", "faint", "accent"] {
                for paper in ["paper", "picture", "hover"] {
                    let [a, b] = [colour(text), colour(paper)];
                    let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                    assert!(contrast >= 4.5, "{text} on {paper}: {contrast:.2}");
                }
            }
        }
    }
}
