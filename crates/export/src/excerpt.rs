//! What of a run is exported, read frame by frame or body by body.

use crate::destination::Progress;
use crate::options::Axes;
use crate::part::{Part, Place, Vertices, parts};
use crate::timeline::{Spacing, Timeline};
use crate::{ExportError, ExportOptions};
use resile_record::Playback;
use std::ops::Range;

/// Vertices at a time that are held in memory together (12 bytes each), if a body has not more.
const HELD: usize = 1 << 25;

/// Parts of a run at chosen times, in axes and units of the file.
#[derive(Debug)]
pub(crate) struct Excerpt<'a> {
    run: &'a Playback,
    pub(crate) parts: Vec<Part>,
    pub(crate) timeline: Timeline,
    pub(crate) axes: Axes,
}

/// All vertices at one time.
#[derive(Debug)]
pub(crate) struct Sample {
    positions: Vec<[f32; 3]>,
    /// None if the frames do not have them.
    velocities: Option<Vec<[f32; 3]>>,
}

/// What a part does at all times.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Track {
    /// Where its vertices are, sample after sample; one sample of what stands.
    pub(crate) positions: Vec<Vec<[f32; 3]>>,
    /// How fast they are; none of what stands, or if they are not asked for or not known.
    pub(crate) velocities: Vec<Vec<[f32; 3]>>,
}

/// What of a part is read at all times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fields {
    /// Where its vertices are.
    Positions,
    /// And how fast.
    PositionsAndVelocities,
}

impl Sample {
    /// Where the vertices of a part are.
    pub(crate) fn positions<'s>(&'s self, part: &'s Part) -> &'s [[f32; 3]] {
        match &part.place {
            Place::Moves(range) => &self.positions[range.clone()],
            Place::Stands(positions) => positions,
        }
    }

    /// How fast they are; none of what stands, or if the frames do not say it.
    pub(crate) fn velocities(&self, part: &Part) -> Option<&[[f32; 3]]> {
        match &part.place {
            Place::Moves(range) => Some(&self.velocities.as_ref()?[range.clone()]),
            Place::Stands(_) => None,
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
        let axes = Axes::of(run.gravity(), options.up, options.scale);
        let timeline = Timeline::of(run.times(), options, spacing)?;
        Ok(Self { run, parts: parts(run, options, &axes, vertices)?, timeline, axes })
    }

    pub(crate) fn samples(&self) -> usize {
        self.timeline.times.len()
    }

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

    /// Gives each sample in turn, reading each once.
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

    /// Gives each part in turn with all that it does, reading as many parts at once as memory is
    /// meant for.
    pub(crate) fn each_track<'p, C: AsMut<Progress<'p>>>(
        &self,
        fields: Fields,
        context: &mut C,
        mut take: impl FnMut(&mut C, usize, &Track) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        let all: usize = self.parts.iter().map(|part| self.work(part)).sum();
        context.as_mut().expect(2 * all);
        let mut first = 0;
        while first < self.parts.len() {
            let mut end = first + 1;
            let mut held = self.work(&self.parts[first]);
            while end < self.parts.len() && held + self.work(&self.parts[end]) <= HELD {
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

    /// Vertices at a time that a part has.
    fn work(&self, part: &Part) -> usize {
        part.vertices() * if part.moves() { self.samples() } else { 1 }
    }

    fn tracks(
        &self,
        fields: Fields,
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
                    sample.velocities(part).filter(|_| fields == Fields::PositionsAndVelocities)
                {
                    track.velocities.push(velocities.to_vec());
                }
            }
            progress.advance(read)?;
        }
        Ok(tracks)
    }
}
