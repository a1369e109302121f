//! `NumPy`: an archive of arrays, which `numpy.load` opens.
//!
//! Arrays: `times` (seconds), and for each body `NAME.positions` and `NAME.velocities` (samples, vertices, 3),
//! `NAME.triangles` and, if it has any, `NAME.edges`. A fixed body has one sample and no velocities. Format:
//! NEP 1, version 1.0.

use crate::ExportError;
use crate::destination::Output;
use crate::excerpt::{Excerpt, PartData};
use std::io::{self, Write};
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

/// Writes `run.npz`: `times`, and for each part `positions` and `velocities` (samples x vertices x 3), `triangles`
/// and, if there are any, `edges`.
pub(crate) fn write(excerpt: &Excerpt<'_>, output: &mut Output<'_>) -> Result<(), ExportError> {
    output.stream("run.npz", |progress, out| {
        let mut archive = Archive { zip: ZipWriter::new_stream(out) };
        let times = &excerpt.timeline.times;
        archive.add("times", "<f8", &[times.len()], times.iter().map(|t| t.to_le_bytes()))?;
        excerpt.each_track(PartData::PositionsAndVelocities, progress, |_, number, track| {
            let (part, samples) = (&excerpt.parts[number], track.positions.len());
            let shape = [samples, part.vertices(), 3];
            let named = |what: &str| format!("{}.{what}", part.word);
            for (what, all) in [("positions", &track.positions), ("velocities", &track.velocities)]
            {
                let numbers = all.iter().flat_map(|sample| sample.as_flattened());
                let bytes = numbers.map(|number| number.to_le_bytes());
                if !all.is_empty() {
                    archive.add(&named(what), "<f4", &shape, bytes)?;
                }
            }
            let corners = part.triangles.as_flattened().iter().map(|corner| corner.to_le_bytes());
            archive.add(&named("triangles"), "<u4", &[part.triangles.len(), 3], corners)?;
            if !part.edges.is_empty() {
                let ends = part.edges.as_flattened().iter().map(|end| end.to_le_bytes());
                archive.add(&named("edges"), "<u4", &[part.edges.len(), 2], ends)?;
            }
            Ok(())
        })?;
        archive.zip.finish().map_err(io::Error::from)?.flush()?;
        Ok(())
    })
}

/// An archive under construction.
struct Archive<'a> {
    zip: ZipWriter<StreamWriter<&'a mut dyn Write>>,
}

impl Archive<'_> {
    /// Adds an array row by row.
    fn add<const N: usize>(
        &mut self,
        name: &str,
        kind: &str,
        shape: &[usize],
        numbers: impl Iterator<Item = [u8; N]>,
    ) -> io::Result<()> {
        // Floating-point data hardly compress, so fast compression is preferred.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(true);
        self.zip.start_file(format!("{name}.npy"), options)?;
        let shape: String = shape.iter().map(|count| format!("{count}, ")).collect();
        let mut header =
            format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
        // Magic, version and header together are a multiple of 64 bytes; the header ends with a newline.
        let before = 10;
        let length = (before + header.len() + 1).next_multiple_of(64) - before;
        header.push_str(&" ".repeat(length - 1 - header.len()));
        header.push('\n');
        self.zip.write_all(b"\x93NUMPY\x01\x00")?;
        self.zip.write_all(&(length as u16).to_le_bytes())?;
        self.zip.write_all(header.as_bytes())?;
        let mut out = io::BufWriter::with_capacity(1 << 16, &mut self.zip);
        for number in numbers {
            out.write_all(&number)?;
        }
        out.flush()
    }
}
