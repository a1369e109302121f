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
    output.stream_file("run.npz", |progress, out| {
        let mut archive = Archive { zip: ZipWriter::new_stream(out) };
        let times = &excerpt.timeline.times;
        archive.add_array("times", "<f8", &[times.len()], times.iter().map(|t| t.to_le_bytes()))?;
        let data = PartData::PositionsAndVelocities;
        excerpt.each_track(data, progress, |_, part_index, track| {
            let part = &excerpt.parts[part_index];
            let shape = [track.positions.len(), part.vertex_count(), 3];
            let array_name = |quantity: &str| format!("{}.{quantity}", part.unique_name);
            let vertex_data = [("positions", &track.positions), ("velocities", &track.velocities)];
            for (quantity, samples) in vertex_data {
                let components = samples.iter().flat_map(|sample| sample.as_flattened());
                let bytes = components.map(|component| component.to_le_bytes());
                if !samples.is_empty() {
                    archive.add_array(&array_name(quantity), "<f4", &shape, bytes)?;
                }
            }
            let corners = part.triangles.as_flattened().iter().map(|corner| corner.to_le_bytes());
            let triangle_shape = [part.triangles.len(), 3];
            archive.add_array(&array_name("triangles"), "<u4", &triangle_shape, corners)?;
            if !part.edges.is_empty() {
                let ends = part.edges.as_flattened().iter().map(|end| end.to_le_bytes());
                archive.add_array(&array_name("edges"), "<u4", &[part.edges.len(), 2], ends)?;
            }
            Ok(())
        })?;
        archive.zip.finish().map_err(io::Error::from)?.flush()?;
        Ok(())
    })
}

/// Bytes of an array file before its header text: magic string, version and length of the header text.
const PREFIX_LENGTH: usize = 10;

/// An archive under construction.
struct Archive<'a> {
    zip: ZipWriter<StreamWriter<&'a mut dyn Write>>,
}

impl Archive<'_> {
    /// Adds an array with the element type `dtype` in the notation of `NumPy` (`<f4`: little-endian `f32`). `elements`
    /// are the bytes of each element, in row-major order.
    fn add_array<const N: usize>(
        &mut self,
        name: &str,
        dtype: &str,
        shape: &[usize],
        elements: impl Iterator<Item = [u8; N]>,
    ) -> io::Result<()> {
        // Floating-point data hardly compress, so they are stored uncompressed.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(true);
        self.zip.start_file(format!("{name}.npy"), options)?;
        let shape_text: String = shape.iter().map(|count| format!("{count}, ")).collect();
        let mut header =
            format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({shape_text}), }}");
        // The format pads the header text with spaces and a newline, so that the data begin at a multiple of 64 bytes.
        let length = (PREFIX_LENGTH + header.len() + 1).next_multiple_of(64) - PREFIX_LENGTH;
        header.push_str(&" ".repeat(length - 1 - header.len()));
        header.push('\n');
        self.zip.write_all(b"\x93NUMPY\x01\x00")?;
        self.zip.write_all(&(length as u16).to_le_bytes())?;
        self.zip.write_all(header.as_bytes())?;
        let mut out = io::BufWriter::with_capacity(1 << 16, &mut self.zip);
        for element in elements {
            out.write_all(&element)?;
        }
        out.flush()
    }
}
