//! Point caches: the vertex positions of one mesh over time, for cache modifiers of modelling programs.
//!
//! Each cache comes with an OBJ file of the first sample with the same vertices in the same order, or with
//! the original mesh if there is one. PC2 is little-endian, MDD big-endian; neither stores names, axes or
//! units.

use crate::ExportError;
use crate::destination::Output;
use crate::excerpt::{Excerpt, PartData};
use crate::obj;
use std::borrow::Cow;
use std::io::{self, Write};

/// File format of a point cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CacheFormat {
    /// Point Cache 2, of 3ds Max.
    Pc2,
    /// Motion Designer data, of `LightWave`.
    Mdd,
}

impl CacheFormat {
    /// File extension without the dot.
    fn extension(self) -> &'static str {
        match self {
            Self::Pc2 => "pc2",
            Self::Mdd => "mdd",
        }
    }
}

/// Writes a mesh for each part, and a cache for each moving part.
pub(crate) fn write(
    excerpt: &Excerpt<'_>,
    format: CacheFormat,
    output: &mut Output<'_>,
) -> Result<(), ExportError> {
    obj::write_materials(excerpt, output)?;
    let times = &excerpt.timeline.times;
    excerpt.each_track(PartData::Positions, output, |output, part_index, track| {
        let part = &excerpt.parts[part_index];
        obj::write_mesh(part, &track.positions[0], output)?;
        if !part.is_moving() {
            return Ok(());
        }
        let name = format!("{}.{}", part.unique_name, format.extension());
        let samples: Vec<Cow<'_, [[f32; 3]]>> = match &part.original {
            Some(original) => {
                track.positions.iter().map(|sample| original.placed(sample).into()).collect()
            }
            None => track.positions.iter().map(|sample| sample.into()).collect(),
        };
        output.write_file(&name, |out| match format {
            CacheFormat::Pc2 => write_pc2(out, &samples),
            CacheFormat::Mdd => write_mdd(out, &samples, times),
        })
    })
}

/// Writes, in little-endian order, the signature, the version (1), the number of vertices, the first frame (0), the
/// frames per sample (1), the number of samples, and the positions sample by sample.
fn write_pc2(out: &mut dyn Write, samples: &[Cow<'_, [[f32; 3]]>]) -> io::Result<()> {
    out.write_all(b"POINTCACHE2\0")?;
    out.write_all(&1_i32.to_le_bytes())?;
    out.write_all(&count_as_i32(samples[0].len())?.to_le_bytes())?;
    out.write_all(&0.0_f32.to_le_bytes())?;
    out.write_all(&1.0_f32.to_le_bytes())?;
    out.write_all(&count_as_i32(samples.len())?.to_le_bytes())?;
    coordinates(samples).try_for_each(|x| out.write_all(&x.to_le_bytes()))
}

/// Writes, in big-endian order, the numbers of samples and vertices, the time of each sample (s), and the positions
/// sample by sample.
fn write_mdd(
    out: &mut dyn Write,
    samples: &[Cow<'_, [[f32; 3]]>],
    times: &[f64],
) -> io::Result<()> {
    out.write_all(&count_as_i32(samples.len())?.to_be_bytes())?;
    out.write_all(&count_as_i32(samples[0].len())?.to_be_bytes())?;
    for time in times {
        out.write_all(&(*time as f32).to_be_bytes())?;
    }
    coordinates(samples).try_for_each(|x| out.write_all(&x.to_be_bytes()))
}

/// Coordinates of all vertices, sample by sample.
fn coordinates<'a>(samples: &'a [Cow<'_, [[f32; 3]]>]) -> impl Iterator<Item = f32> + 'a {
    samples.iter().flat_map(|sample| sample.as_flattened()).copied()
}

/// Converts a count to the 32-bit integer of the file formats.
fn count_as_i32(count: usize) -> io::Result<i32> {
    let too_many = |_| io::Error::new(io::ErrorKind::InvalidInput, "too many vertices or frames");
    i32::try_from(count).map_err(too_many)
}
