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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Point Cache 2, of 3ds Max.
    Pc2,
    /// Motion Designer data, of `LightWave`.
    Mdd,
}

impl Kind {
    fn ending(self) -> &'static str {
        match self {
            Self::Pc2 => "pc2",
            Self::Mdd => "mdd",
        }
    }
}

/// Writes a mesh for each part, and a cache for each moving part.
pub(crate) fn write(
    excerpt: &Excerpt<'_>,
    kind: Kind,
    output: &mut Output<'_>,
) -> Result<(), ExportError> {
    obj::write_materials(excerpt, output)?;
    let times = &excerpt.timeline.times;
    excerpt.each_track(PartData::Positions, output, |output, number, track| {
        let part = &excerpt.parts[number];
        obj::write_mesh(part, &track.positions[0], output)?;
        if !part.moves() {
            return Ok(());
        }
        let name = format!("{}.{}", part.word, kind.ending());
        let samples: Vec<Cow<'_, [[f32; 3]]>> = match &part.original {
            Some(original) => {
                track.positions.iter().map(|sample| original.placed(sample).into()).collect()
            }
            None => track.positions.iter().map(|sample| sample.into()).collect(),
        };
        output.file(&name, |out| match kind {
            Kind::Pc2 => write_pc2(out, &samples),
            Kind::Mdd => write_mdd(out, &samples, times),
        })
    })
}

/// The signature, then version, number of vertices, first frame, frames per sample and number of samples, then
/// positions.
fn write_pc2(out: &mut dyn Write, samples: &[Cow<'_, [[f32; 3]]>]) -> io::Result<()> {
    out.write_all(b"POINTCACHE2\0")?;
    out.write_all(&1_i32.to_le_bytes())?;
    out.write_all(&count(samples[0].len())?.to_le_bytes())?;
    out.write_all(&0.0_f32.to_le_bytes())?;
    out.write_all(&1.0_f32.to_le_bytes())?;
    out.write_all(&count(samples.len())?.to_le_bytes())?;
    numbers(samples).try_for_each(|number| out.write_all(&number.to_le_bytes()))
}

/// Numbers of samples and vertices, the time of each sample (s), then positions.
fn write_mdd(
    out: &mut dyn Write,
    samples: &[Cow<'_, [[f32; 3]]>],
    times: &[f64],
) -> io::Result<()> {
    out.write_all(&count(samples.len())?.to_be_bytes())?;
    out.write_all(&count(samples[0].len())?.to_be_bytes())?;
    for time in times {
        out.write_all(&(*time as f32).to_be_bytes())?;
    }
    numbers(samples).try_for_each(|number| out.write_all(&number.to_be_bytes()))
}

fn numbers<'a>(samples: &'a [Cow<'_, [[f32; 3]]>]) -> impl Iterator<Item = f32> + 'a {
    samples.iter().flat_map(|sample| sample.as_flattened()).copied()
}

fn count(number: usize) -> io::Result<i32> {
    let too_many = |_| io::Error::new(io::ErrorKind::InvalidInput, "too many vertices or frames");
    i32::try_from(number).map_err(too_many)
}
