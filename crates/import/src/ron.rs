//! A RON tree that is printed with comments in a readable layout.

use std::fmt::Write as _;

/// Number of columns above which a value is broken into several lines.
const WIDTH: usize = 100;
/// Number of spaces by which the contents of a value are indented.
const INDENT: usize = 4;
/// Relative precision to which vectors are rounded.
const VECTOR_PRECISION: f64 = 1e-13;

/// A value of a scene.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ron {
    /// Literal text.
    Raw(String),
    /// `Name(field: value)`, or `(field: value)` without a name.
    Struct(&'static str, Vec<Field>),
    /// `Name(value)`.
    Tagged(&'static str, Box<Self>),
    /// `[value]`.
    List(Vec<Self>),
    /// `{"key": value}`.
    Map(Vec<(String, Self)>),
}

/// A field with an optional comment above it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) value: Ron,
    pub(crate) comment: Option<String>,
}

impl Field {
    pub(crate) fn new(name: &'static str, value: impl Into<Ron>) -> Self {
        Self { name, value: value.into(), comment: None }
    }

    /// The field with a comment above it.
    pub(crate) fn with_comment(mut self, comment: impl Into<String>) -> Self {
        self.comment = Some(comment.into());
        self
    }
}

impl From<f64> for Ron {
    fn from(value: f64) -> Self {
        Self::Raw(format_number(value))
    }
}

impl From<usize> for Ron {
    fn from(value: usize) -> Self {
        Self::Raw(value.to_string())
    }
}

impl From<[f64; 3]> for Ron {
    fn from(value: [f64; 3]) -> Self {
        Self::Raw(format!("({})", value.map(format_number).join(", ")))
    }
}

impl From<Vec<Self>> for Ron {
    fn from(values: Vec<Self>) -> Self {
        Self::List(values)
    }
}

/// A word without quotes, such as the name of a variant, `true` or a number.
pub(crate) fn word(name: &str) -> Ron {
    Ron::Raw(name.to_owned())
}

/// A quoted string with escaped quotes, backslashes and control characters.
pub(crate) fn quoted(value: &str) -> Ron {
    let mut quoted = String::from("\"");
    for c in value.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{{{:x}}}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    Ron::Raw(quoted)
}

/// Number with the fewest significant digits that differs from `value` by at most `tolerance`; `value` itself if that
/// takes more than 17.
pub(crate) fn rounded(value: f64, tolerance: f64) -> f64 {
    if value.abs() <= tolerance {
        return 0.0;
    }
    for digits in 0..17_usize {
        match format!("{value:.digits$e}").parse::<f64>() {
            Ok(short) if (short - value).abs() <= tolerance => return short,
            _ => {}
        }
    }
    value
}

/// A vector with components rounded to [`VECTOR_PRECISION`] relative to the largest one.
pub(crate) fn remove_rounding(vector: [f64; 3]) -> [f64; 3] {
    let largest = vector.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    vector.map(|x| rounded(x, VECTOR_PRECISION * largest))
}

/// Shortest decimal that parses to the same number.
pub(crate) fn format_number(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e5).contains(&magnitude) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

impl Ron {
    /// Text of the value at an indentation (spaces): in one line if it fits and has no comments, or else in several.
    pub(crate) fn printed(&self, indent: usize) -> String {
        self.in_one_line()
            .filter(|line| indent + line.len() <= WIDTH)
            .unwrap_or_else(|| self.in_lines(indent))
    }

    /// The text without line breaks; `None` if it contains comments.
    fn in_one_line(&self) -> Option<String> {
        Some(match self {
            Self::Raw(text) => text.clone(),
            Self::Struct(name, fields) => {
                let field = |field: &Field| match field.comment {
                    Some(_) => None,
                    None => Some(format!("{}: {}", field.name, field.value.in_one_line()?)),
                };
                let fields = fields.iter().map(field).collect::<Option<Vec<_>>>()?;
                format!("{name}({})", fields.join(", "))
            }
            Self::Tagged(name, value) => format!("{name}({})", value.in_one_line()?),
            Self::List(items) => {
                let items = items.iter().map(Self::in_one_line).collect::<Option<Vec<_>>>()?;
                format!("[{}]", items.join(", "))
            }
            Self::Map(entries) => {
                let entry = |(key, value): &(String, Self)| {
                    let Self::Raw(key) = quoted(key) else { return None };
                    Some(format!("{key}: {}", value.in_one_line()?))
                };
                format!("{{{}}}", entries.iter().map(entry).collect::<Option<Vec<_>>>()?.join(", "))
            }
        })
    }

    /// Text of the value with one field, item or entry per line and comments above their fields; lists of words are
    /// wrapped. The first line is not indented, the last one by `indent` spaces, and the others by more.
    pub(crate) fn in_lines(&self, indent: usize) -> String {
        let inner_indent = indent + INDENT;
        let (open, lines, close) = match self {
            Self::Raw(text) => return text.clone(),
            Self::Tagged(name, value) => return format!("{name}({})", value.in_lines(indent)),
            Self::Struct(name, fields) => {
                let lines = fields.iter().flat_map(|field| field.lines(inner_indent)).collect();
                (format!("{name}("), lines, ")")
            }
            Self::List(items) => ("[".to_owned(), item_lines(items, inner_indent), "]"),
            Self::Map(entries) => {
                let entry = |(key, value): &(String, Self)| {
                    format!("{}: {},", quoted(key).printed(0), value.printed(inner_indent))
                };
                ("{".to_owned(), entries.iter().map(entry).collect(), "}")
            }
        };
        let mut text = format!("{open}\n");
        let padding = " ".repeat(inner_indent);
        for line in lines {
            let _ = writeln!(text, "{padding}{line}");
        }
        let _ = write!(text, "{}{close}", " ".repeat(indent));
        text
    }
}

impl Field {
    /// Lines of the comment and of the field with a comma, at an indentation (spaces). A value over several lines is
    /// indented relative to the field rather than to the end of its name.
    fn lines(&self, indent: usize) -> Vec<String> {
        let comment = self.comment.iter();
        let comment = comment.flat_map(|comment| wrapped(comment, WIDTH - indent - "// ".len()));
        let mut lines: Vec<String> = comment.map(|line| format!("// {line}")).collect();
        let one_line = self.value.printed(indent + self.name.len() + ": ,".len());
        let value = match one_line.contains('\n') {
            true => self.value.in_lines(indent),
            false => one_line,
        };
        lines.push(format!("{}: {value},", self.name));
        lines
    }
}

/// Lines of the items of a list at an indentation (spaces): words side by side, other items one below the other.
fn item_lines(items: &[Ron], indent: usize) -> Vec<String> {
    if !items.iter().all(|item| matches!(item, Ron::Raw(_))) {
        return items.iter().map(|item| format!("{},", item.printed(indent))).collect();
    }
    let words: Vec<String> = items.iter().filter_map(Ron::in_one_line).collect();
    wrapped(&(words.join(", ") + ","), WIDTH - indent)
}

/// Wraps text into lines of at most `width` bytes, except for longer words. White space becomes single spaces.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last =
            lines.last_mut().filter(|line| line.is_empty() || line.len() + 1 + word.len() <= width);
        match last {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_values_are_on_one_line_and_long_ones_and_comments_are_not() {
        let short = Ron::Struct("Plane", vec![Field::new("normal", [0.0, 1.0, 0.0])]);
        assert_eq!(short.printed(0), "Plane(normal: (0, 1, 0))");
        let said = Field::new("kappa", 1e5).with_comment("as stiff as the softest body");
        let long = Ron::Struct("Barrier", vec![Field::new("d_hat", 1e-3), said]);
        let printed =
            "Barrier(\n    d_hat: 0.001,\n    // as stiff as the softest body\n    kappa: 1e5,\n)";
        assert_eq!(long.printed(0), printed);
    }

    #[test]
    fn numbers_read_back_exactly() {
        for value in
            [0.0, 1.0, -26.565, 1e-9, 2e10, 0.1 + 0.2, 1.0 / 3.0, 123_456.789, f64::MIN_POSITIVE]
        {
            assert_eq!(format_number(value).parse::<f64>().map(f64::to_bits), Ok(value.to_bits()));
        }
        assert_eq!(format_number(0.001), "0.001");
        assert_eq!(format_number(2e10), "2e10");
    }

    #[test]
    fn strings_keep_quotes_and_backslashes() {
        assert_eq!(quoted("a\"b\\c\n").printed(0), "\"a\\\"b\\\\c\\u{a}\"");
    }
}
