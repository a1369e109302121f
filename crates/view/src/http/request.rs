//! HTTP requests of bounded length.

use std::io::{self, Read};
use std::net::SocketAddr;

/// Largest length of a request line and its headers (bytes).
const MAX_HEAD_BYTES: usize = 16_384;
/// Largest number of headers.
const MAX_HEADERS: usize = 64;
/// Largest length of a body (bytes).
const MAX_BODY_BYTES: usize = 4096;
/// End of the headers.
const HEAD_END: &[u8] = b"\r\n\r\n";
/// Headers that determine the host or the length of the body: a request that repeats one is ambiguous and is
/// rejected.
const UNIQUE_HEADERS: [&str; 3] = ["host", "origin", "content-length"];

/// A request of a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// Errors of reading a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The connection ended or timed out.
    #[error("the request cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The request is not HTTP/1.
    #[error("the request is not HTTP/1: {0}")]
    Syntax(#[from] httparse::Error),
    /// The headers do not end within 16,384 bytes.
    #[error("the request has more than {MAX_HEAD_BYTES} bytes of headers")]
    HeadTooLong,
    /// The body is too long.
    #[error("the request has a body of {length} bytes, more than {MAX_BODY_BYTES}")]
    BodyTooLong {
        /// Announced length (bytes).
        length: u64,
    },
    /// A header that must be unique is repeated.
    #[error("the request has two headers `{name}`")]
    Twice {
        /// Name of the header.
        name: &'static str,
    },
    /// The length of the body is not a number.
    #[error("the request has the content length {text:?}")]
    Length {
        /// Value of the header.
        text: String,
    },
    /// The body has an unsupported transfer encoding, such as chunked.
    #[error("the request has a transfer encoding, which is not supported")]
    TransferEncoding,
}

impl RequestError {
    /// Response status; `None` if the connection is gone.
    pub fn status(&self) -> Option<&'static str> {
        match self {
            Self::Io(_) => None,
            Self::HeadTooLong => Some("431 Request Header Fields Too Large"),
            Self::BodyTooLong { .. } => Some("413 Content Too Large"),
            Self::TransferEncoding => Some("501 Not Implemented"),
            Self::Syntax(_) | Self::Twice { .. } | Self::Length { .. } => Some("400 Bad Request"),
        }
    }
}

impl Request {
    /// Reads one request: 16,384 bytes of headers, 64 headers and a body of 4,096 bytes at most.
    ///
    /// # Errors
    /// If `from` ends or fails before the request is complete, or it is not HTTP/1 within these bounds.
    pub fn read(from: &mut impl Read) -> Result<Self, RequestError> {
        let mut bytes = Vec::new();
        let head_length = loop {
            // The end of the headers may span two reads.
            let search_start = bytes.len().saturating_sub(HEAD_END.len() - 1);
            read_more(from, &mut bytes)?;
            let unsearched = &bytes[search_start..];
            let end_offset =
                unsearched.windows(HEAD_END.len()).position(|window| window == HEAD_END);
            match end_offset.map(|offset| search_start + offset + HEAD_END.len()) {
                Some(head_length) if head_length <= MAX_HEAD_BYTES => break head_length,
                None if bytes.len() < MAX_HEAD_BYTES => {}
                _ => return Err(RequestError::HeadTooLong),
            }
        };
        let mut body = bytes.split_off(head_length);
        let mut request = Self::parse_head(&bytes)?;
        let body_length = request.body_length()?;
        while body.len() < body_length {
            read_more(from, &mut body)?;
        }
        body.truncate(body_length);
        request.body = body;
        Ok(request)
    }

    /// Parses the request line and the headers, of which `head` is the whole text; the body is empty.
    fn parse_head(head: &[u8]) -> Result<Self, RequestError> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        if parsed.parse(head)? != httparse::Status::Complete(head.len()) {
            return Err(httparse::Error::Token.into());
        }
        let owned_or_empty = |text: Option<&str>| text.unwrap_or_default().to_owned();
        let name_and_value = |header: &httparse::Header<'_>| {
            (header.name.to_owned(), String::from_utf8_lossy(header.value).into_owned())
        };
        Ok(Self {
            method: owned_or_empty(parsed.method),
            target: owned_or_empty(parsed.path),
            headers: parsed.headers.iter().map(name_and_value).collect(),
            body: Vec::new(),
        })
    }

    /// Length of the body (bytes) that the headers announce; zero if they announce none.
    fn body_length(&self) -> Result<usize, RequestError> {
        if let Some(name) =
            UNIQUE_HEADERS.into_iter().find(|name| self.values(name).nth(1).is_some())
        {
            return Err(RequestError::Twice { name });
        }
        if self.header("transfer-encoding").is_some() {
            return Err(RequestError::TransferEncoding);
        }
        let text = self.header("content-length").unwrap_or("0");
        // The parser of numbers would accept a sign.
        let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit());
        match is_decimal.then(|| text.parse::<u64>()) {
            Some(Ok(length)) if length <= MAX_BODY_BYTES as u64 => Ok(length as usize),
            Some(Ok(length)) => Err(RequestError::BodyTooLong { length }),
            _ => Err(RequestError::Length { text: text.to_owned() }),
        }
    }

    /// Values of all headers with this name, in any case.
    fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let matching =
            self.headers.iter().filter(move |(header, _)| header.eq_ignore_ascii_case(name));
        matching.map(|(_, value)| value.trim())
    }

    /// Method and target, such as `GET` and `/`.
    pub fn request_line(&self) -> (&str, &str) {
        (&self.method, &self.target)
    }

    /// Value of the first header with this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.values(name).next()
    }

    /// Body of the request.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Whether the request is for the server at `address` and not from a page of another site. For such a page,
    /// browsers send another host or mark the request as cross-site.
    pub fn is_for(&self, address: SocketAddr) -> bool {
        let host = self.header("host");
        let site = self.header("sec-fetch-site").unwrap_or("none");
        host.is_some_and(|host| hosts(address).iter().any(|allowed| allowed == host))
            && ["none", "same-origin"].contains(&site)
    }

    /// Whether the origin of the request is a page of the server at `address`.
    pub fn is_same_origin(&self, address: SocketAddr) -> bool {
        let origins = hosts(address).map(|host| format!("http://{host}"));
        self.header("origin").is_some_and(|origin| origins.iter().any(|allowed| allowed == origin))
    }
}

/// Appends the bytes of one read, at most 1024; an error if `from` has ended.
fn read_more(from: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut buffer = [0; 1024];
    match from.read(&mut buffer) {
        Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
        Ok(count) => {
            bytes.extend_from_slice(&buffer[..count]);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        Err(error) => Err(error),
    }
}

/// Host names by which browsers may address the server.
fn hosts(address: SocketAddr) -> [String; 2] {
    [address.to_string(), format!("localhost:{}", address.port())]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that returns a few bytes at a time.
    struct ChunkedSource<'a>(&'a [u8], usize);

    impl Read for ChunkedSource<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len()).min(to.len());
            let (now, later) = self.0.split_at(length);
            to[..length].copy_from_slice(now);
            self.0 = later;
            Ok(length)
        }
    }

    fn status(text: &str) -> Option<&'static str> {
        Request::read(&mut text.as_bytes()).expect_err("it must be refused").status()
    }

    #[test]
    fn request_parsing_is_independent_of_chunks_and_bounded_by_its_length() {
        let text = "POST /command HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello and more";
        for size in [1, 2, 3, 7, 1000] {
            let request =
                Request::read(&mut ChunkedSource(text.as_bytes(), size)).expect("it is whole");
            assert_eq!(request.request_line(), ("POST", "/command"), "{size}");
            assert_eq!((request.header("HOST"), request.body()), (Some("x"), &b"hello"[..]));
        }
        let without = Request::read(&mut &b"GET / HTTP/1.1\r\n\r\n"[..]).expect("it is whole");
        assert!(without.body().is_empty());
    }

    #[test]
    fn truncated_request_is_rejected() {
        let text = "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello";
        for length in 0..text.len() {
            assert_eq!(status(&text[..length]), None, "{length} bytes");
        }
    }

    #[test]
    fn header_length_and_count_are_bounded() {
        let endless = "x".repeat(MAX_HEAD_BYTES + 2000);
        assert_eq!(status(&endless), Some("431 Request Header Fields Too Large"));
        let long = format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "x".repeat(MAX_HEAD_BYTES));
        assert_eq!(status(&long), Some("431 Request Header Fields Too Large"));
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(MAX_HEADERS + 1));
        assert_eq!(status(&many), Some("400 Bad Request"));
        let fits = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(MAX_HEADERS));
        assert!(Request::read(&mut fits.as_bytes()).is_ok());
    }

    #[test]
    fn content_length_must_be_one_number_within_bounds() {
        let with = |header: &str| status(&format!("POST / HTTP/1.1\r\n{header}\r\n\r\nhello"));
        for (header, refusal) in [
            ("Content-Length: 4097", "413 Content Too Large"),
            ("Content-Length: 18446744073709551615", "413 Content Too Large"),
            ("Content-Length: 99999999999999999999", "400 Bad Request"),
            ("Content-Length: -1", "400 Bad Request"),
            ("Content-Length: +5", "400 Bad Request"),
            ("Content-Length: ", "400 Bad Request"),
            ("Content-Length: 5\r\nContent-Length: 5", "400 Bad Request"),
            ("Host: a\r\nhost: b", "400 Bad Request"),
            ("Transfer-Encoding: chunked", "501 Not Implemented"),
        ] {
            assert_eq!(with(header), Some(refusal), "{header}");
        }
    }

    #[test]
    fn non_http_input_is_rejected() {
        for text in ["\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{16}\u{3}\r\n\r\n"] {
            assert_eq!(status(text), Some("400 Bad Request"), "{text:?}");
        }
        let folded = "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n";
        assert_eq!(status(folded), Some("400 Bad Request"));
    }

    #[test]
    fn cross_site_requests_are_recognised() {
        let address = "127.0.0.1:80".parse().expect("an address");
        let of = |more: &str| {
            let text = format!("GET / HTTP/1.1\r\n{more}\r\n\r\n");
            Request::read(&mut text.as_bytes()).expect("it is whole")
        };
        for (more, ours) in [
            ("Host: 127.0.0.1:80", true),
            ("Host: localhost:80", true),
            ("Host: localhost:80\r\nSec-Fetch-Site: same-origin", true),
            ("Host: localhost:80\r\nSec-Fetch-Site: cross-site", false),
            ("Host: localhost:80\r\nSec-Fetch-Site: same-site", false),
            ("Host: evil.example", false),
            ("Host: localhost", false),
            ("A: b", false),
        ] {
            assert_eq!(of(more).is_for(address), ours, "{more}");
        }
        assert!(of("Origin: http://127.0.0.1:80").is_same_origin(address));
        assert!(!of("Origin: http://evil.example").is_same_origin(address));
        assert!(!of("Origin: null").is_same_origin(address));
    }
}
