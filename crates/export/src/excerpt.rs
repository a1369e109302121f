//! The exported excerpt of a run, read frame by frame or body by body.

use crate::destination::Progress;
use crate::options::Axes;
use crate::part::{Part, PositionSource, Vertices, parts};
use crate::timeline::{Spacing, Timeline};
use crate::{ExportError, ExportOptions};
use resile_record::Playback;
use std::ops::Range;

/// Number of vertex samples held in memory (12 bytes each), unless a single body has more.
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
    pub(crate) fn positions<'s>(&'s self, part: &'s Part) -> &'s [[f32; 3]] {
        match &part.place {
            PositionSource::Moves(range) => &self.positions[range.clone()],
            PositionSource::Stands(positions) => positions,
        }
    }

    /// Velocities; `None` for a fixed part, and if not recorded.
    pub(crate) fn velocities(&self, part: &Part) -> Option<&[[f32; 3]]> {
        match &part.place {
            PositionSource::Moves(range) => Some(&self.velocities.as_ref()?[range.clone()]),
            PositionSource::Stands(_) => None,
        }
    }
}

impl<'a> Excerpt<'a> {
    pub(crate) fn new(
        run: &'a Playback,
        options: &ExportOptions,
        spacing: Spacing,
        vertices: Vertices,
    ) -> Result<Self, ExportError> {
        options.check()?;
        let axes = Axes::new(run.gravity(), options.up, options.scale);
        let timeline = Timeline::new(run.times(), options, spacing)?;
        Ok(Self { run, parts: parts(run, options, &axes, vertices)?, timeline, axes })
    }

    pub(crate) fn samples(&self) -> usize {
        self.timeline.times.len()
    }

    /// The positions and velocities of the frame with this index, in the axes of the output.
    fn sample(&self, number: usize) -> Result<Sample, ExportError> {
        let frame = self.run.frame_at(self.timeline.times[number])?;
        let velocity = frame.field("velocity").filter(|field| field.components == 3);
        let velocities = velocity.map(|field| {
            let vectors = field.values.as_chunks::<3>().0;
            vectors.iter().map(|&v| self.axes.map(v)).collect()
        });
        let positions = frame.positions.iter().map(|&p| self.axes.map(p)).collect();
        Ok(Sample { positions, velocities })
    }

    /// Calls `take` with each sample in turn; reads each frame once.
    pub(crate) fn each_sample<'p, C: AsMut<Progress<'p>>>(
        &self,
        context: &mut C,
        mut take: impl FnMut(&mut C, usize, &Sample) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        context.as_mut().expect(self.samples());
        for number in 0..self.samples() {
            take(context, number, &self.sample(number)?)?;
            context.as_mut().advance(1)?;
        }
        Ok(())
    }

    /// Calls `take` with the track of each part in turn; reads as many parts together as [`MAX_HELD_SAMPLES`]
    /// permits.
    pub(crate) fn each_track<'p, C: AsMut<Progress<'p>>>(
        &self,
        fields: PartData,
        context: &mut C,
        mut take: impl FnMut(&mut C, usize, &Track) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        let total: usize = self.parts.iter().map(|part| self.work(part)).sum();
        context.as_mut().expect(2 * total);
        let mut first = 0;
        while first < self.parts.len() {
            let mut end = first + 1;
            let mut held = self.work(&self.parts[first]);
            while end < self.parts.len() && held + self.work(&self.parts[end]) <= MAX_HELD_SAMPLES {
                held += self.work(&self.parts[end]);
                end += 1;
            }
            let tracks = self.tracks(fields, context.as_mut(), first..end)?;
            for (part, track) in (first..end).zip(&tracks) {
                take(context, part, track)?;
                context.as_mut().advance(self.work(&self.parts[part]))?;
            }
            first = end;
        }
        Ok(())
    }

    /// Number of vertex samples of a part.
    fn work(&self, part: &Part) -> usize {
        part.vertices() * if part.moves() { self.samples() } else { 1 }
    }

    /// Reads the samples of a range of parts; parts that do not move have one sample.
    fn tracks(
        &self,
        fields: PartData,
        progress: &mut Progress<'_>,
        range: Range<usize>,
    ) -> Result<Vec<Track>, ExportError> {
        let parts = &self.parts[range];
        let mut tracks = vec![Track::default(); parts.len()];
        for number in 0..self.samples() {
            let sample = self.sample(number)?;
            let mut read = 0;
            for (part, track) in parts.iter().zip(&mut tracks) {
                if part.moves() || number == 0 {
                    track.positions.push(sample.positions(part).to_vec());
                    read += part.vertices();
                }
                if let Some(velocities) =
                    sample.velocities(part).filter(|_| fields == PartData::PositionsAndVelocities)
                {
                    track.velocities.push(velocities.to_vec());
                }
            }
            progress.advance(read)?;
        }
        Ok(tracks)
    }
}
