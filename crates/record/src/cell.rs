//! Text in cells of tables.

use std::borrow::Cow;

/// First characters of spreadsheet formulas, including full-width forms and skipped blanks.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Escapes text that a spreadsheet would evaluate as a formula with an apostrophe (OWASP, CSV injection).
/// Not for numbers.
pub fn plain_text(text: &str) -> Cow<'_, str> {
    match text.starts_with(FORMULA) {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

/// Text as a CSV cell: formulas escaped, and quoted if it has a comma, a quote or a line end (RFC 4180).
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
