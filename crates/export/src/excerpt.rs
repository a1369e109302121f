//! The exported excerpt of a run, read frame by frame or body by body.

use crate::destination::Progress;
use crate::options::Axes;
use crate::part::{Part, PositionSource, Vertices, requested_parts};
use crate::timeline::{Spacing, Timeline};
use crate::{ExportError, ExportOptions};
use resile_record::Playback;
use std::ops::Range;

/// Largest number of vertex samples (12 bytes each) in memory, unless a single part has more.
const MAX_HELD_SAMPLES: usize = 1 << 25;

/// Parts of a run at selected times, in the axes and units of the file.
#[derive(Debug)]
pub(crate) struct Excerpt<'a> {
    run: &'a Playback,
    pub(crate) parts: Vec<Part>,
    pub(crate) timeline: Timeline,
    pub(crate) axes: Axes,
}

/// State of all vertices at one time.
#[derive(Debug)]
pub(crate) struct Sample {
    positions: Vec<[f32; 3]>,
    /// `None` if the frames have no velocities.
    velocities: Option<Vec<[f32; 3]>>,
}

/// Trajectory of a part over all times.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Track {
    /// Vertex positions, sample by sample; one sample for a fixed part.
    pub(crate) positions: Vec<Vec<[f32; 3]>>,
    /// Vertex velocities; empty for a fixed part, and if not requested or not recorded.
    pub(crate) velocities: Vec<Vec<[f32; 3]>>,
}

/// Data of a part that are read at all times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartData {
    /// Vertex positions.
    Positions,
    /// Vertex positions and velocities.
    PositionsAndVelocities,
}

impl Sample {
    /// Positions of the vertices of a part, in axes and units of the file.
    pub(crate) fn positions<'s>(&'s self, part: &'s Part) -> &'s [[f32; 3]] {
        match &part.position_source {
            PositionSource::Moving(range) => &self.positions[range.clone()],
            PositionSource::Fixed(positions) => positions,
        }
    }

    /// Velocities of the vertices of a part, in axes and units of length of the file per second. `None` for a fixed
    /// part, and if the frames have no velocities.
    pub(crate) fn velocities(&self, part: &Part) -> Option<&[[f32; 3]]> {
        match &part.position_source {
            PositionSource::Moving(range) => Some(&self.velocities.as_ref()?[range.clone()]),
            PositionSource::Fixed(_) => None,
        }
    }
}

impl<'a> Excerpt<'a> {
    /// Selects parts and sample times by `options`; `spacing` and `vertices` are properties of the format.
    pub(crate) fn new(
        run: &'a Playback,
        options: &ExportOptions,
        spacing: Spacing,
        vertices: Vertices,
    ) -> Result<Self, ExportError> {
        options.check_ranges()?;
        let axes = Axes::new(run.gravity(), options.up, options.scale);
        let timeline = Timeline::new(run.times(), options, spacing)?;
        let parts = requested_parts(run, options, &axes, vertices)?;
        Ok(Self { run, parts, timeline, axes })
    }

    /// Whether the samples are mode shapes, each of which lasts until the next: between them there are no states.
    pub(crate) fn has_shapes(&self) -> bool {
        self.run.has_shapes()
    }

    /// Number of sample times.
    pub(crate) fn sample_count(&self) -> usize {
        self.timeline.times.len()
    }

    /// Reads the positions and velocities at the sample time with this index, interpolated between frames, in axes and
    /// units of the file.
    fn read_sample(&self, sample_index: usize) -> Result<Sample, ExportError> {
        let frame = self.run.frame_at(self.timeline.times[sample_index])?;
        let velocity_field = frame.field("velocity").filter(|field| field.components == 3);
        let velocities = velocity_field.map(|field| {
            let (vectors, _) = field.values.as_chunks::<3>();
            vectors.iter().map(|&v| self.axes.convert(v)).collect()
        });
        let positions = frame.positions.iter().map(|&p| self.axes.convert(p)).collect();
        Ok(Sample { positions, velocities })
    }

    /// Calls `visit` with the context, the index and the data of each sample in turn; reads each sample once.
    pub(crate) fn each_sample<'p, C: AsMut<Progress<'p>>>(
        &self,
        context: &mut C,
        mut visit: impl FnMut(&mut C, usize, &Sample) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        context.as_mut().set_total(self.sample_count());
        for sample_index in 0..self.sample_count() {
            visit(context, sample_index, &self.read_sample(sample_index)?)?;
            context.as_mut().advance(1)?;
        }
        Ok(())
    }

    /// Calls `visit` with the context and the index and track of each part in turn. Each pass over the run reads as
    /// many parts as [`MAX_HELD_SAMPLES`] permits.
    pub(crate) fn each_track<'p, C: AsMut<Progress<'p>>>(
        &self,
        data: PartData,
        context: &mut C,
        mut visit: impl FnMut(&mut C, usize, &Track) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        let vertex_samples: Vec<usize> =
            self.parts.iter().map(|part| self.vertex_samples(part)).collect();
        // Each vertex sample is read once and written once.
        context.as_mut().set_total(2 * vertex_samples.iter().sum::<usize>());
        let mut first = 0;
        while first < self.parts.len() {
            let mut end = first + 1;
            let mut held = vertex_samples[first];
            while end < self.parts.len() && held + vertex_samples[end] <= MAX_HELD_SAMPLES {
                held += vertex_samples[end];
                end += 1;
            }
            let tracks = self.read_tracks(data, context.as_mut(), first..end)?;
            for (part_index, track) in (first..end).zip(&tracks) {
                visit(context, part_index, track)?;
                context.as_mut().advance(vertex_samples[part_index])?;
            }
            first = end;
        }
        Ok(())
    }

    /// Number of vertices of a part times its number of samples.
    fn vertex_samples(&self, part: &Part) -> usize {
        part.vertex_count() * if part.is_moving() { self.sample_count() } else { 1 }
    }

    /// Reads the tracks of the parts with indices `part_range`; fixed parts have one sample.
    fn read_tracks(
        &self,
        data: PartData,
        progress: &mut Progress<'_>,
        part_range: Range<usize>,
    ) -> Result<Vec<Track>, ExportError> {
        let parts = &self.parts[part_range];
        let mut tracks = vec![Track::default(); parts.len()];
        for sample_index in 0..self.sample_count() {
            let sample = self.read_sample(sample_index)?;
            let mut vertices_read = 0;
            for (part, track) in parts.iter().zip(&mut tracks) {
                if part.is_moving() || sample_index == 0 {
                    track.positions.push(sample.positions(part).to_vec());
                    vertices_read += part.vertex_count();
                }
                if data == PartData::PositionsAndVelocities
                    && let Some(velocities) = sample.velocities(part)
                {
                    track.velocities.push(velocities.to_vec());
                }
            }
            progress.advance(vertices_read)?;
        }
        Ok(tracks)
    }
}
