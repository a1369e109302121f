//! Questions of browsers on the same machine.

use std::io::{self, ErrorKind, Read};
use std::net::SocketAddr;
use std::time::Duration;

/// How long one who asks may take to say what.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
/// Bytes of a question at most, and of what is sent along.
const LONGEST: usize = 16_384;

/// All of a question, up to the empty line.
pub(crate) fn question(stream: &mut impl Read) -> io::Result<String> {
    Ok(asked(stream)?.0)
}

/// A question, and what is sent along with it.
pub(crate) fn asked(stream: &mut impl Read) -> io::Result<(String, Vec<u8>)> {
    let (mut all, mut part) = (Vec::new(), [0; 1024]);
    let invalid = || io::Error::from(ErrorKind::InvalidData);
    let mut more = |all: &mut Vec<u8>| {
        let count = stream.read(&mut part)?;
        if count == 0 || all.len() > LONGEST {
            return Err(invalid());
        }
        all.extend_from_slice(&part[..count]);
        Ok(())
    };
    let end = loop {
        match all.windows(4).position(|end| end == b"\r\n\r\n") {
            Some(end) => break end + 4,
            None => more(&mut all)?,
        }
    };
    let question = String::from_utf8(all[..end].to_vec()).map_err(|_| invalid())?;
    let length = header(&question, "content-length").map_or(Ok(0), str::parse::<usize>);
    let length = length.ok().filter(|&length| length <= LONGEST).ok_or_else(invalid)?;
    while all.len() < end + length {
        more(&mut all)?;
    }
    Ok((question, all[end..end + length].to_vec()))
}

/// What a header of a question says.
pub(crate) fn header<'q>(question: &'q str, name: &str) -> Option<&'q str> {
    let mut headers = question.lines().skip(1).filter_map(|line| line.split_once(':'));
    headers.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

/// Whether who asks means this server: a page of another site would say another host.
pub(crate) fn is_ours(question: &str, address: SocketAddr) -> bool {
    header(question, "host").is_some_and(|host| hosts(address).iter().any(|ours| ours == host))
}

/// Whether a page of this server asks.
pub(crate) fn is_of_our_page(question: &str, address: SocketAddr) -> bool {
    let origins = hosts(address).map(|host| format!("http://{host}"));
    header(question, "origin").is_some_and(|origin| origins.iter().any(|ours| ours == origin))
}

fn hosts(address: SocketAddr) -> [String; 2] {
    [address.to_string(), format!("localhost:{}", address.port())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_along_is_read_in_parts_and_no_further_than_it_says() {
        let text = "POST /wish HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello and more";
        let mut parts = text
            .as_bytes()
            .chunks(7)
            .fold(Box::new(io::empty()) as Box<dyn Read>, |before, part| {
                Box::new(before.chain(part))
            });
        let (question, along) = asked(&mut parts).expect("it is whole");
        assert_eq!((header(&question, "HOST"), &along[..]), (Some("x"), &b"hello"[..]));
        let without = asked(&mut &b"GET / HTTP/1.1\r\n\r\n"[..]).expect("it is whole");
        assert!(without.1.is_empty());
    }

    #[test]
    fn questions_without_an_end_are_refused() {
        let endless = vec![b'x'; 100_000];
        assert!(question(&mut &endless[..]).is_err());
        for length in ["99999", "-1", "x"] {
            let text = format!("POST / HTTP/1.1\r\nContent-Length: {length}\r\n\r\n");
            assert!(asked(&mut text.as_bytes()).is_err(), "{length}");
        }
        assert!(asked(&mut &b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nshort"[..]).is_err());
    }
}
