//! Changes that files suffer: bits, bytes, pieces, numbers, words.

use super::random::Random;

/// What does not make a file wrong at once, but strange.
const TOKENS: [&str; 22] = [
    "0",
    "-1",
    "1",
    "4",
    "255",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "9223372036854775807",
    "99999999999999999999",
    "1e308",
    "1e999",
    "-1e-320",
    "nan",
    "inf",
    "",
    "\n",
    "0x10",
    "\u{fffd}",
];
const NUMBERS: [u64; 10] =
    [0, 1, 3, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, u64::MAX];

pub(super) fn damage(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let length = bytes.len();
    match random.below(9) {
        0 if length > 0 => bytes[random.below(length)] ^= 1 << random.below(8),
        1 if length > 0 => bytes[random.below(length)] = random.next() as u8,
        2 => bytes.truncate(random.below(length + 1)),
        3 => drop(bytes.drain(random.piece(length))),
        4 => {
            let piece = bytes[random.piece(length)].to_vec();
            let at = random.below(length + 1);
            bytes.splice(at..at, piece);
        }
        5 => {
            let piece = other[random.piece(other.len())].to_vec();
            let place = random.piece(length);
            bytes.splice(place, piece);
        }
        6 if length >= 8 => {
            let number = NUMBERS[random.below(NUMBERS.len())];
            let number = if random.below(2) == 0 { number } else { number.swap_bytes() };
            let wide = if random.below(2) == 0 { 4 } else { 8 };
            let at = random.below(length - wide + 1);
            bytes[at..at + wide].copy_from_slice(&number.to_le_bytes()[..wide]);
        }
        _ => {
            // A whole word, so that texts stay texts.
            let at = random.below(length);
            let space = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'"';
            let from = bytes[..at].iter().rposition(space).map_or(0, |k| k + 1);
            let to = bytes[at..].iter().position(space).map_or(length, |k| at + k);
            let token = TOKENS[random.below(TOKENS.len())];
            bytes.splice(from..to, token.bytes());
        }
    }
}
