//! HTTP responses.

use std::io::{self, Write};

/// A response; the connection is closed after it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer<'a> {
    status: &'a str,
    kind: &'a str,
    cached: &'a str,
    tag: Option<&'a str>,
    body: &'a [u8],
}

impl<'a> Answer<'a> {
    pub(crate) fn page(body: &'a [u8]) -> Self {
        let kind = "text/html; charset=utf-8";
        Self { status: "200 OK", kind, cached: "no-store", tag: None, body }
    }

    /// A response without a body.
    pub(crate) fn status(status: &'a str) -> Self {
        Self { status, ..Self::page(b"") }
    }

    /// Adds an entity tag, so that browsers can revalidate a cached page.
    pub(crate) fn tagged(self, tag: &'a str) -> Self {
        Self { cached: "no-cache", tag: Some(tag), ..self }
    }

    pub(crate) fn send(&self, to: &mut impl Write) -> io::Result<()> {
        let length = self.body.len();
        let mut head = head(self.status, self.kind, self.cached);
        if let Some(tag) = self.tag {
            head += &format!("ETag: {tag}\r\n");
        }
        head += &format!("Content-Length: {length}\r\n\r\n");
        to.write_all(head.as_bytes())?;
        to.write_all(self.body)?;
        to.flush()
    }

    /// Begins a stream of bytes that ends with the connection.
    pub(crate) fn begin_stream(to: &mut impl Write) -> io::Result<()> {
        let head = head("200 OK", "application/octet-stream", "no-store") + "\r\n";
        to.write_all(head.as_bytes())
    }
}

/// Headers that forbid other sites to frame or read the page.
fn head(status: &str, kind: &str, cached: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nCache-Control: {cached}\r\n\
         X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n"
    )
}
