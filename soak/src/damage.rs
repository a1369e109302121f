//! Changes that files suffer, and texts.

use crate::random::Random;
use std::ops::Range;

/// Numbers that programs are seldom given.
const NUMBERS: [&str; 30] = [
    "0",
    "-0.0",
    "1",
    "-1",
    "2",
    "0.5",
    "3",
    "1e-3",
    "1e3",
    "1e-9",
    "1e9",
    "-1e9",
    "1e-30",
    "1e30",
    "1e-308",
    "1e308",
    "-1e308",
    "1e999",
    "5e-324",
    "NaN",
    "inf",
    "-inf",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "0x10",
    "1_000",
];

pub(crate) fn bytes(bytes: &mut Vec<u8>, random: &mut Random) {
    let length = bytes.len();
    if length == 0 {
        bytes.push(random.next() as u8);
        return;
    }
    let at = random.below(length);
    let piece = at..(at + 1 + random.below(40)).min(length);
    match random.below(7) {
        0 | 1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = random.next() as u8,
        3 => bytes.truncate(at),
        4 => drop(bytes.drain(piece)),
        5 => {
            let again = bytes[piece].to_vec();
            bytes.splice(at..at, again);
        }
        _ => bytes[piece].fill(*random.pick(&[0, 0xff, b' ', b'"'])),
    }
}

/// One change of a text that often leaves it readable: a number, a word or a line in place of
/// another one, or a piece of bytes.
pub(crate) fn text(text: &str, other: &str, random: &mut Random) -> String {
    match random.below(10) {
        0..6 => replaced(text, &words(text, Word::Number), &number(random), random),
        6 => {
            let theirs = words(other, Word::Name);
            let name = theirs.get(random.below(theirs.len()));
            let name = name.map_or("x", |range| &other[range.clone()]);
            replaced(text, &words(text, Word::Name), name, random)
        }
        7 | 8 => {
            let mut lines: Vec<&str> = text.lines().collect();
            if !lines.is_empty() {
                let at = random.below(lines.len());
                match random.below(3) {
                    0 => drop(lines.remove(at)),
                    1 => lines.insert(at, lines[random.below(lines.len())]),
                    _ => {
                        let theirs: Vec<&str> = other.lines().collect();
                        lines[at] = theirs.get(random.below(theirs.len())).copied().unwrap_or("");
                    }
                }
            }
            lines.join("\n")
        }
        _ => {
            let mut changed = text.as_bytes().to_vec();
            bytes(&mut changed, random);
            String::from_utf8_lossy(&changed).into_owned()
        }
    }
}

/// A number that is seldom given, or any one.
pub(crate) fn number(random: &mut Random) -> String {
    match random.below(3) {
        0 => format!("{:e}", (random.share() - 0.3) * 10f64.powi(random.below(14) as i32 - 7)),
        _ => (*random.pick(&NUMBERS)).to_owned(),
    }
}

/// What kind of word is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Number,
    Name,
}

impl Word {
    fn has(self, c: char) -> bool {
        match self {
            Self::Number => c.is_ascii_digit() || ".-+e".contains(c),
            Self::Name => c.is_alphanumeric() || c == '_',
        }
    }
}

/// Where words of a kind stand.
fn words(text: &str, kind: Word) -> Vec<Range<usize>> {
    let (mut found, mut start) = (Vec::new(), None);
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (kind.has(c), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let number = text[from..at].parse::<f64>().is_ok();
                if number == (kind == Word::Number) {
                    found.push(from..at);
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn replaced(text: &str, places: &[Range<usize>], by: &str, random: &mut Random) -> String {
    let mut out = text.to_owned();
    if !places.is_empty() {
        out.replace_range(random.pick(places).clone(), by);
    }
    out
}
