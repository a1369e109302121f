//! Data blocks of the page, which the browser neither executes nor displays.

use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use std::io::{Result, Write};

/// Encoder of the bytes of a block.
pub(crate) type Bytes<'a, 'b> = DeflateEncoder<
    EncoderWriter<'static, base64::engine::GeneralPurpose, &'a mut (dyn Write + 'b)>,
>;

/// Writes consecutive blocks.
pub(crate) struct BlockWriter<'a> {
    out: &'a mut dyn Write,
}

impl<'a> BlockWriter<'a> {
    /// Writes to `out`, after what it already has.
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self { out }
    }

    /// Writes a JSON block. Its content cannot end the block: `<` is written as `\u003c`, and in JSON it occurs
    /// only inside strings.
    pub(crate) fn json(&mut self, id: &str, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string(value).map_err(std::io::Error::other)?;
        let escaped = text.replace('<', "\\u003c");
        writeln!(self.out, "<script type=\"application/json\" id=\"{id}\">{escaped}</script>")
    }

    /// Writes a block of bytes, deflated (RFC 1951) and base64-encoded; `tag` is its `id` or `class`.
    pub(crate) fn bytes<E: From<std::io::Error>>(
        &mut self,
        tag: &str,
        write: impl FnOnce(&mut Bytes<'_, '_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        write!(self.out, "<script type=\"application/octet-stream\" {tag}>")?;
        let base64 = EncoderWriter::new(&mut *self.out, &STANDARD);
        let mut deflate = DeflateEncoder::new(base64, Compression::best());
        write(&mut deflate)?;
        deflate.finish()?.finish()?;
        writeln!(self.out, "</script>")?;
        Ok(())
    }
}
