//! Lines of text, whatever their ends.

/// Splits bytes at the end of their first line: a line feed, a carriage return, or both in this order.
pub(super) fn split_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
        return (bytes, &[]);
    };
    let end_length = if bytes[end..].starts_with(b"\r\n") { 2 } else { 1 };
    (&bytes[..end], &bytes[end + end_length..])
}

/// Number of line ends in some bytes.
pub(super) fn count_line_ends(bytes: &[u8]) -> usize {
    let followers = bytes.iter().skip(1).map(Some).chain([None]);
    let is_end = |&(byte, next): &(&u8, Option<&u8>)| match byte {
        b'\n' => true,
        b'\r' => next != Some(&b'\n'),
        _ => false,
    };
    bytes.iter().zip(followers).filter(is_end).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_on_any_system() {
        let text = b"unix\ndos\r\nmac\r\nlast";
        let mut lines = Vec::new();
        let mut rest = &text[..];
        while !rest.is_empty() {
            let (line, following) = split_line(rest);
            lines.push(line);
            rest = following;
        }
        assert_eq!(lines, [&b"unix"[..], b"dos", b"mac", b"last"]);
        assert_eq!(split_line(b"a\rb"), (&b"a"[..], &b"b"[..]));
        assert_eq!(count_line_ends(text), 3);
        assert_eq!(count_line_ends(b"a\rb\r"), 2);
    }
}
