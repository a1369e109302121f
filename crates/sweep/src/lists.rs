//! Lists on the command line.

/// Trimmed pieces between separators that are outside of brackets and quotes.
pub(crate) fn pieces(list: &str, separator: char) -> Vec<&str> {
    let (mut depth, mut quoted, mut begin) = (0usize, false, 0);
    let mut pieces = Vec::new();
    for (at, letter) in list.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            _ if letter == separator && depth == 0 && !quoted => {
                pieces.push(list[begin..at].trim());
                begin = at + letter.len_utf8();
            }
            _ => {}
        }
    }
    pieces.push(list[begin..].trim());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_and_quotes_protect_separators() {
        let list = r#"Bdf2, Newmark(beta: 0.25, gamma: [1, 2]),"a,b" , 3"#;
        let expected = ["Bdf2", "Newmark(beta: 0.25, gamma: [1, 2])", "\"a,b\"", "3"];
        assert_eq!(pieces(list, ','), expected);
        assert_eq!(pieces("0:1:20", ':'), ["0", "1", "20"]);
        assert_eq!(pieces("", ','), [""]);
    }
}
