//! HTTP responses.

use std::io::{self, Write};

/// A response; the connection is closed after it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Response<'a> {
    /// Status code and reason.
    status: &'a str,
    content_type: &'a str,
    cache_control: &'a str,
    /// Entity tag of the body.
    etag: Option<&'a str>,
    body: &'a [u8],
}

impl<'a> Response<'a> {
    /// Creates a response with a page, which browsers do not store.
    pub(crate) fn page(body: &'a [u8]) -> Self {
        let content_type = "text/html; charset=utf-8";
        Self { status: "200 OK", content_type, cache_control: "no-store", etag: None, body }
    }

    /// Creates a response without a body, with this status code and reason.
    pub(crate) fn status(status: &'a str) -> Self {
        Self { status, ..Self::page(b"") }
    }

    /// Adds an entity tag to the response, so that browsers can store the page and revalidate it.
    pub(crate) fn with_etag(self, etag: &'a str) -> Self {
        Self { cache_control: "no-cache", etag: Some(etag), ..self }
    }

    /// Writes headers and body.
    pub(crate) fn send(&self, to: &mut impl Write) -> io::Result<()> {
        let length = self.body.len();
        let mut head = head(self.status, self.content_type, self.cache_control);
        if let Some(etag) = self.etag {
            head += &format!("ETag: {etag}\r\n");
        }
        head += &format!("Content-Length: {length}\r\n\r\n");
        to.write_all(head.as_bytes())?;
        to.write_all(self.body)?;
        to.flush()
    }

    /// Writes the headers of a stream of bytes that ends with the connection.
    pub(crate) fn begin_stream(to: &mut impl Write) -> io::Result<()> {
        let head = head("200 OK", "application/octet-stream", "no-store") + "\r\n";
        to.write_all(head.as_bytes())
    }
}

/// Status line and common headers. They forbid other sites to frame or read the page.
fn head(status: &str, content_type: &str, cache_control: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nCache-Control: {cache_control}\r\n\
         X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n"
    )
}
