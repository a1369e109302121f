//! Keyword cards of an input deck: `*KEYWORD, PARAMETER=VALUE` and the data lines after it.

use crate::refusal::Findings;
use std::path::Path;
use std::sync::Arc;

/// Largest nesting depth of `*INCLUDE`.
const MAX_INCLUDE_DEPTH: usize = 8;

/// A keyword with its parameters and data lines. All texts are in upper case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Card {
    pub(super) file: Arc<Path>,
    pub(super) line: usize,
    pub(super) keyword: String,
    parameters: Vec<(String, String)>,
    pub(super) rows: Vec<Row>,
}

/// A data line, split at commas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) fields: Vec<String>,
}

impl Card {
    /// Parses a keyword line.
    fn parse(file: &Arc<Path>, line: usize, text: &str) -> Self {
        let mut parts = text.trim_start_matches('*').split(',').map(str::trim);
        let keyword = parts.next().unwrap_or_default();
        let keyword = keyword.split_whitespace().collect::<Vec<_>>().join(" ").to_uppercase();
        let parameter = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (name.trim().to_uppercase(), value.trim().trim_matches('"').to_uppercase())
        };
        let parameters = parts.filter(|part| !part.is_empty()).map(parameter).collect();
        Self { file: file.clone(), line, keyword, parameters, rows: Vec::new() }
    }

    /// The card with its file and line, for notes.
    pub(super) fn location(&self) -> String {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        format!("{name}:{}", self.line)
    }

    /// Value of a parameter: empty if it has no value, `None` if the card does not have it.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Refuses parameters that are not among `names`.
    pub(super) fn allow_only(&self, names: &[&str], findings: &mut Findings) {
        for (name, _) in self.parameters.iter().filter(|(name, _)| !names.contains(&name.as_str()))
        {
            self.refuse(findings, format!("`*{}` with `{name}` cannot be expressed", self.keyword));
        }
    }

    /// Reports a refusal on the keyword's line.
    pub(super) fn refuse(&self, findings: &mut Findings, what: impl Into<String>) {
        findings.refuse(&self.file, self.line, what);
    }

    /// Reports a refusal on a data line.
    pub(super) fn refuse_row(&self, row: &Row, findings: &mut Findings, what: impl Into<String>) {
        findings.refuse(&self.file, row.line, what);
    }

    /// Value of a required parameter. Refuses a card without it or with an empty value.
    pub(super) fn required(&self, name: &str, findings: &mut Findings) -> Option<&str> {
        let value = self.parameter(name).filter(|value| !value.is_empty());
        if value.is_none() {
            self.refuse(findings, format!("`*{}` needs `{name}=`", self.keyword));
        }
        value
    }
}

impl Row {
    /// Field of a column (from 0); empty if it is missing.
    pub(super) fn text(&self, column: usize) -> &str {
        self.fields.get(column).map_or("", String::as_str)
    }

    /// Number in a column (from 0); its exponent may have a `D`, as in Fortran. `None` if it is missing or not finite.
    pub(super) fn number(&self, column: usize) -> Option<f64> {
        number(self.text(column))
    }

    /// All numbers of the row without empty fields; `None` if a field is not a number.
    pub(super) fn numbers(&self) -> Option<Vec<f64>> {
        self.fields.iter().filter(|field| !field.is_empty()).map(|field| number(field)).collect()
    }
}

/// A finite number, whose exponent may have a `D`.
fn number(text: &str) -> Option<f64> {
    let value: f64 = text.replace(['D', 'd'], "e").parse().ok()?;
    value.is_finite().then_some(value)
}

/// Cards of a deck and of the files that it includes. Refuses files that cannot be read, and data lines above the first
/// keyword.
pub(super) fn cards(file: &Path, text: &str, findings: &mut Findings) -> Vec<Card> {
    let mut cards = Vec::new();
    read(&file.into(), text, 0, findings, &mut cards);
    cards
}

/// Appends the cards of a text to `cards`: joins keyword lines that end with a comma, skips blank lines and
/// comments (`**`), and reads files of `*INCLUDE` in place. `depth` is the number of files that include this one.
fn read(
    file: &Arc<Path>,
    text: &str,
    depth: usize,
    findings: &mut Findings,
    cards: &mut Vec<Card>,
) {
    let mut continued: Option<(usize, String)> = None;
    for (line_index, text) in text.lines().enumerate() {
        let line = line_index + 1;
        let text = text.trim();
        if text.is_empty() || text.starts_with("**") {
            continue;
        }
        let (line, text) = match continued.take() {
            Some((first, unfinished)) => (first, unfinished + text),
            None => (line, text.to_owned()),
        };
        if !text.starts_with('*') {
            let fields = text.split(',').map(|field| field.trim().to_uppercase()).collect();
            match cards.last_mut() {
                Some(card) => card.rows.push(Row { line, fields }),
                None => findings.refuse(file, line, "there is no keyword above this line"),
            }
        } else if text.ends_with(',') {
            continued = Some((line, text));
        } else if let Some(included) = included_file(&text) {
            include(file, line, included, depth, findings, cards);
        } else {
            cards.push(Card::parse(file, line, &text));
        }
    }
}

/// File name in an `*INCLUDE` card, with its original case; `None` for other keywords.
fn included_file(text: &str) -> Option<&str> {
    let (keyword, parameter) = text.split_once(',')?;
    let (name, value) = parameter.split_once('=')?;
    let is_include = keyword.trim().eq_ignore_ascii_case("*include")
        && name.trim().eq_ignore_ascii_case("input");
    is_include.then(|| value.trim().trim_matches('"'))
}

/// Appends the cards of an included file, whose name is relative to the folder of `file`. Refuses files that cannot be
/// read or are nested deeper than [`MAX_INCLUDE_DEPTH`].
fn include(
    file: &Path,
    line: usize,
    name: &str,
    depth: usize,
    findings: &mut Findings,
    cards: &mut Vec<Card>,
) {
    let path = file.with_file_name("").join(name);
    if depth == MAX_INCLUDE_DEPTH {
        let message = format!("`{name}` is included more than {MAX_INCLUDE_DEPTH} files deep");
        findings.refuse(file, line, message);
        return;
    }
    match resile_files::read_text(&path, crate::MAX_BYTES) {
        Ok(text) => read(&path.into(), &text, depth + 1, findings, cards),
        Err(error) => findings.refuse(file, line, format!("`{name}` cannot be read: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (Vec<Card>, Vec<String>) {
        let mut findings = Findings::default();
        let cards = cards(Path::new("a.inp"), text, &mut findings);
        (cards, findings.refusals.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn keywords_parameters_and_rows_are_distinguished() {
        let (cards, wrong) = of(
            "** a comment\n*node , nset=All\n 1, 0., 1.5d-3 ,\n\n*Solid  Section, elset=E,\n material=Steel\n",
        );
        assert_eq!(wrong, Vec::<String>::new());
        assert_eq!(cards[0].keyword, "NODE");
        assert_eq!(cards[0].parameter("NSET"), Some("ALL"));
        assert_eq!(cards[0].rows[0].line, 3);
        assert_eq!(cards[0].rows[0].numbers(), Some(vec![1.0, 0.0, 1.5e-3]));
        assert_eq!((cards[1].keyword.as_str(), cards[1].line), ("SOLID SECTION", 5));
        assert_eq!(cards[1].parameter("MATERIAL"), Some("STEEL"));
    }

    #[test]
    fn rows_before_the_first_keyword_and_missing_files_are_rejected() {
        let (_, wrong) = of("1, 2\n*INCLUDE, INPUT=None.msh\n");
        assert_eq!(wrong[0], "a.inp:1: there is no keyword above this line");
        assert!(wrong[1].starts_with("a.inp:2: `None.msh` cannot be read: "), "{wrong:?}");
    }
}
