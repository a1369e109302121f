//! Blocks of data in the page, which the browser neither runs nor shows.

use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use std::io::{Result, Write};

/// Where the bytes of a block are written to.
pub(crate) type Bytes<'a, 'b> = DeflateEncoder<
    EncoderWriter<'static, base64::engine::GeneralPurpose, &'a mut (dyn Write + 'b)>,
>;

/// Writes blocks, one behind the other.
pub(crate) struct Blocks<'a> {
    out: &'a mut dyn Write,
}

impl<'a> Blocks<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self { out }
    }

    /// A block of JSON. Nothing in it can end the block: `<` is written as `\u003c`, and JSON has it
    /// inside of strings only.
    pub(crate) fn json(&mut self, id: &str, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string(value).map_err(std::io::Error::other)?;
        let text = text.replace('<', "\\u003c");
        writeln!(self.out, "<script type=\"application/json\" id=\"{id}\">{text}</script>")
    }

    /// A block of bytes, deflated (RFC 1951), in base64; `tag` is its `id` or `class`.
    pub(crate) fn bytes<E: From<std::io::Error>>(
        &mut self,
        tag: &str,
        write: impl FnOnce(&mut Bytes<'_, '_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        write!(self.out, "<script type=\"application/octet-stream\" {tag}>")?;
        let letters = EncoderWriter::new(&mut *self.out, &STANDARD);
        let mut packed = DeflateEncoder::new(letters, Compression::best());
        write(&mut packed)?;
        packed.finish()?.finish()?;
        writeln!(self.out, "</script>")?;
        Ok(())
    }
}
