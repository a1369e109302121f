//! Forces as arrows: a vector at each vertex with a force.

use crate::pose::to_vec3;
use resile_math::Vec3;
use resile_record::{Playback, PlayedFrame, PointField};

/// Unit of fields that are shown as arrows.
const FORCE_UNIT: &str = "N";

/// Length of the largest stored vector, in integer units.
pub(crate) const MAX_COMPONENT: i16 = 2047;

/// A force field. Each force is stored as an integer vector with its direction and the square root of its
/// magnitude, so that resting and impact forces are visible together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Arrows {
    /// Name of the field in frames.
    pub(crate) field: String,
    /// Largest magnitude of a force in the frames added so far (N).
    pub(crate) max_force: f64,
}

impl Arrows {
    /// Force at each vertex (N); zero where it is not finite, and if the frame does not have the field.
    fn forces(&self, frame: &PlayedFrame) -> Vec<Vec3> {
        match frame.field(&self.field) {
            Some(PointField { components: 3, values, .. }) => {
                let (vectors, _) = values.as_chunks::<3>();
                let finite_or_zero =
                    |force: Vec3| if force.is_finite() { force } else { Vec3::ZERO };
                vectors.iter().map(|v| finite_or_zero(to_vec3(v))).collect()
            }
            _ => vec![Vec3::ZERO; frame.positions.len()],
        }
    }

    /// Updates the largest force from a frame.
    pub(crate) fn add_frame(&mut self, frame: &PlayedFrame) {
        let magnitudes = self.forces(frame).into_iter().map(Vec3::length);
        self.max_force = magnitudes.fold(self.max_force, f64::max);
    }

    /// Stored vectors of a frame, three integers per vertex.
    pub(crate) fn row(&self, frame: &PlayedFrame) -> impl Iterator<Item = i16> {
        let stored_vector = |force: Vec3| {
            let magnitude = force.length();
            let scale = match magnitude > 0.0 {
                true => (magnitude / self.max_force).sqrt() / magnitude,
                false => 0.0,
            };
            (force * scale * f64::from(MAX_COMPONENT)).round().to_array().map(|x| x as i16)
        };
        let vectors: Vec<_> = self.forces(frame).into_iter().map(stored_vector).collect();
        vectors.into_iter().flatten()
    }
}

/// The vector fields of a frame in newtons, which arrows can show.
pub(crate) fn arrows(run: &Playback, frame: &PlayedFrame) -> Vec<Arrows> {
    let vectors = frame.fields.iter().filter(|field| field.components == 3);
    let forces = vectors.filter(|field| run.unit(&field.name) == Some(FORCE_UNIT));
    forces.map(|field| Arrows { field: field.name.clone(), max_force: 0.0 }).collect()
}
