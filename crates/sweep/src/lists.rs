//! Lists on the command line.

/// The items of a list, trimmed, between separators that are outside of brackets and quotes. Items may be empty.
pub fn list_items(list: &str, separator: char) -> Vec<&str> {
    let (mut depth, mut in_quotes, mut begin) = (0usize, false, 0);
    let mut items = Vec::new();
    for (offset, letter) in list.char_indices() {
        match letter {
            '"' => in_quotes = !in_quotes,
            '(' | '[' | '{' if !in_quotes => depth += 1,
            ')' | ']' | '}' if !in_quotes => depth = depth.saturating_sub(1),
            _ if letter == separator && depth == 0 && !in_quotes => {
                items.push(list[begin..offset].trim());
                begin = offset + letter.len_utf8();
            }
            _ => {}
        }
    }
    items.push(list[begin..].trim());
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_and_quotes_protect_separators() {
        let list = r#"Bdf2, Newmark(beta: 0.25, gamma: [1, 2]),"a,b" , 3"#;
        let expected = ["Bdf2", "Newmark(beta: 0.25, gamma: [1, 2])", "\"a,b\"", "3"];
        assert_eq!(list_items(list, ','), expected);
        assert_eq!(list_items("0:1:20", ':'), ["0", "1", "20"]);
        assert_eq!(list_items("", ','), [""]);
    }
}
