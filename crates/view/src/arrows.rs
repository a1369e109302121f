//! Forces as arrows: a vector at each vertex with a force.

use crate::pose::double;
use resile_math::Vec3;
use resile_record::{Playback, PlayedFrame, PointField};

/// Unit of fields that are shown as arrows.
const FORCE_UNIT: &str = "N";

/// Integer length of the largest vector.
pub(crate) const MAX_COMPONENT: i16 = 2047;

/// A force field. Each force is stored as an integer vector with its direction and the square root of its
/// magnitude, so that resting and impact forces are visible together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Arrows {
    /// Name of the field in frames.
    pub(crate) field: String,
    /// Largest force (N).
    pub(crate) most: f64,
}

impl Arrows {
    /// Force at each vertex (N); zero if the frame does not have the field.
    fn forces(&self, frame: &PlayedFrame) -> Vec<Vec3> {
        match frame.field(&self.field) {
            Some(PointField { components: 3, values, .. }) => {
                let force = |v: &[f32; 3]| Some(double(v)).filter(|force| force.is_finite());
                values.as_chunks::<3>().0.iter().map(|v| force(v).unwrap_or(Vec3::ZERO)).collect()
            }
            _ => vec![Vec3::ZERO; frame.positions.len()],
        }
    }

    /// Updates the largest force from a frame.
    pub(crate) fn add_frame(&mut self, frame: &PlayedFrame) {
        let longest = |max: f64, force: Vec3| max.max(force.length());
        self.most = self.forces(frame).into_iter().fold(self.most, longest);
    }

    /// Stored row of a frame, three numbers per vertex.
    pub(crate) fn row(&self, frame: &PlayedFrame) -> impl Iterator<Item = i16> {
        let stored = |force: Vec3| {
            let size = force.length();
            let scale = if size > 0.0 { (size / self.most).sqrt() / size } else { 0.0 };
            (force * scale * f64::from(MAX_COMPONENT)).round().to_array().map(|x| x as i16)
        };
        let rows: Vec<_> = self.forces(frame).into_iter().map(stored).collect();
        rows.into_iter().flatten()
    }
}

/// Fields of a frame that arrows can show.
pub(crate) fn arrows(run: &Playback, frame: &PlayedFrame) -> Vec<Arrows> {
    let vectors = frame.fields.iter().filter(|field| field.components == 3);
    let forces = vectors.filter(|field| run.unit(&field.name) == Some(FORCE_UNIT));
    forces.map(|field| Arrows { field: field.name.clone(), most: 0.0 }).collect()
}
