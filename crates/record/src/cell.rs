//! Text in cells of tables.

use std::borrow::Cow;

/// First characters of spreadsheet formulas, including full-width forms and the blanks that spreadsheets skip.
const FORMULA_STARTS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Puts an apostrophe before text that a spreadsheet would evaluate as a formula (OWASP, CSV injection). Do not use it
/// for numbers.
pub fn plain_text(text: &str) -> Cow<'_, str> {
    match text.starts_with(FORMULA_STARTS) {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

/// Text as a CSV cell: formulas are escaped, and text with a comma, a quote or a line end is quoted (RFC 4180).
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
