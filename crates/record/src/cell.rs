//! Text in cells of tables.

use std::borrow::Cow;

/// With what formulas of spreadsheets begin, the wide forms of East Asia and the blanks that are skipped
/// before them among these.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Text that no spreadsheet takes for a formula: an apostrophe stands before one that would be, as OWASP
/// advises against CSV injection. Numbers are not text, and stay as they are.
pub fn plain_text(text: &str) -> Cow<'_, str> {
    match text.starts_with(FORMULA) {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

/// Text as a cell of a table: no formula, and in quotes where a comma, a quote or an end of line would end it
/// (RFC 4180).
pub fn cell(text: &str) -> Cow<'_, str> {
    let text = plain_text(text);
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_text_is_neither_a_formula_nor_splits_cells() {
        for text in ["die", "a-b", "1=1", "'=1", ""] {
            assert_eq!(cell(text), text);
        }
        for text in ["=1+1", "@SUM(A1)", "-2+3", "+1", "\t=1", "＝1"] {
            assert_eq!(cell(text), format!("'{text}"));
        }
        assert_eq!(cell("=HYPERLINK(\"x\",1)"), "\"'=HYPERLINK(\"\"x\"\",1)\"");
        assert_eq!(cell("a,b"), "\"a,b\"");
    }
}
