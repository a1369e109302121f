#![doc = include_str!("../README.md")]
//! # Design
//!
//! [`Playback`] reads the run, so exports show what frames show: the boundary of a solid, or the
//! embedded surface of a body that has one. An [excerpt](ExportOptions) selects bodies and times and
//! converts them to the axes and units of the file; it is read frame by frame for sequences, or body
//! by body for caches. Each format is one source file that writes an excerpt.
//!
//! For a body with an original OBJ file, OBJ sequences and caches have the vertices and faces of that file in its
//! order, with texture coordinates. USD and glTF have its texture coordinates on the vertices of frames, and USD its
//! polygons.
//!
//! Numbers are those of the frames in single precision; each format preserves their bits unless it
//! states otherwise.

mod cache;
mod csv;
mod destination;
mod error;
mod excerpt;
mod format;
mod gltf;
mod motion;
mod names;
mod npz;
mod obj;
mod options;
mod original;
mod part;
mod ply;
mod surface;
mod timeline;
mod usd;

pub use destination::Destination;
pub use error::ExportError;
pub use format::{Format, Layout};
pub use options::{ExportOptions, Grouping, Up};

use destination::{Output, Progress};
use excerpt::Excerpt;
use part::Vertices;
use resile_record::Playback;
use std::ops::ControlFlow;
use timeline::Spacing;

/// Statistics of an export.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exported {
    /// Number of files written.
    pub files: usize,
    /// Number of bodies, obstacles and planes.
    pub bodies: usize,
    /// Number of samples in time.
    pub samples: usize,
    /// Samples per second; the mean if they are not evenly spaced.
    pub rate: f64,
}

/// Exports a run to a format of other programs.
///
/// `progress` is called with the finished fraction of the work and may cancel the export.
///
/// # Errors
/// If options are invalid or not supported by the run or the format, frames cannot be read, files
/// cannot be written, or `progress` cancels.
pub fn export(
    run: &Playback,
    format: Format,
    options: &ExportOptions,
    destination: &mut dyn Destination,
    progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Exported, ExportError> {
    check_options(format, options)?;
    let options = options_for_format(format, options);
    let (spacing, vertices) = (supported_spacing(format), vertex_source(format));
    let excerpt = Excerpt::new(run, &options, spacing, vertices)?;
    let mut output = Output::new(destination, Progress::new(progress));
    match format {
        Format::Obj => obj::write(&excerpt, options.grouping, &mut output)?,
        Format::Ply => ply::write(&excerpt, options.grouping, &mut output)?,
        Format::Pc2 => cache::write(&excerpt, cache::CacheFormat::Pc2, &mut output)?,
        Format::Mdd => cache::write(&excerpt, cache::CacheFormat::Mdd, &mut output)?,
        Format::Glb => gltf::write(&excerpt, &mut output)?,
        Format::Usda => usd::write(&excerpt, options.scale, &mut output)?,
        Format::Csv => csv::write(&excerpt, &mut output)?,
        Format::Npz => npz::write(&excerpt, &mut output)?,
    }
    Ok(Exported {
        files: output.files,
        bodies: excerpt.parts.len(),
        samples: excerpt.sample_count(),
        rate: excerpt.timeline.rate,
    })
}

/// Sample spacing that a format supports: a format that stores no times requires evenly spaced samples.
fn supported_spacing(format: Format) -> Spacing {
    match format {
        Format::Obj | Format::Ply | Format::Pc2 | Format::Mdd => Spacing::Even,
        Format::Glb | Format::Usda | Format::Csv | Format::Npz => Spacing::Any,
    }
}

/// Vertices that a format writes: caches and OBJ have those of the original file, the other formats those of frames.
fn vertex_source(format: Format) -> Vertices {
    match format {
        Format::Obj | Format::Pc2 | Format::Mdd => Vertices::Original,
        Format::Glb | Format::Usda => Vertices::DrawnWithFaces,
        Format::Ply | Format::Csv | Format::Npz => Vertices::Drawn,
    }
}

/// Options with the values that the format prescribes: glTF is y-up, whatever the up axis of the run.
fn options_for_format(format: Format, options: &ExportOptions) -> ExportOptions {
    match format {
        Format::Glb => ExportOptions { up: Some(Up::Y), ..options.clone() },
        _ => options.clone(),
    }
}

/// Rejects options that the format does not support.
fn check_options(format: Format, options: &ExportOptions) -> Result<(), ExportError> {
    if options.grouping == Grouping::OneBody && !matches!(format, Format::Obj | Format::Ply) {
        return Err(ExportError::Format {
            format: format.word(),
            what: "one file a body".into(),
            reason: "it is one for obj and ply; leave --separate out".into(),
        });
    }
    match format {
        Format::Glb => gltf::check_options(options),
        _ => Ok(()),
    }
}
