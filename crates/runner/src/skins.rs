//! Surfaces drawn in place of bodies, embedded in their nodes.

use resile_assembly::{BodyMesh, Skin};
use resile_contact::Embedding;
use resile_math::Vec3;
use resile_record::FieldValues;
use std::ops::{Add, Mul};
use std::sync::Arc;

/// All skins, each with the index of the first node of its body among the points of frames.
#[derive(Debug)]
pub(super) struct Skins(Vec<(usize, Arc<Skin>)>);

impl Skins {
    /// The skins of bodies whose points are concatenated. The points of a body with a skin are its nodes.
    pub(super) fn new(meshes: &[BodyMesh]) -> Self {
        let (mut skins, mut first_point) = (Vec::new(), 0);
        for mesh in meshes {
            skins.extend(mesh.skin.iter().map(|skin| (first_point, skin.clone())));
            first_point += mesh.point_count();
        }
        Self(skins)
    }

    /// Appends positions (m) or velocities (m/s) of the points of all skins.
    pub(super) fn extend(&self, values: &mut Vec<Vec3>) {
        self.extend_by(values, |point| point.weights);
    }

    /// Appends the values of a field at the points. Vectors are interpolated like positions; other fields are not
    /// extrapolated outside of elements.
    pub(super) fn extend_field(&self, values: &mut FieldValues) {
        match values {
            FieldValues::Scalars(values) => self.extend_by(values, clamped_weights),
            FieldValues::Vectors(values) => self.extend(values),
            FieldValues::Tensors(values) => self.extend_by(values, clamped_weights),
        }
    }

    /// Appends the values at the points of all skins, as means of the nodal values with these weights.
    fn extend_by<T: Copy + Add<Output = T> + Mul<f64, Output = T>>(
        &self,
        values: &mut Vec<T>,
        weights: impl Fn(&Embedding) -> [f64; 4],
    ) {
        for (first_point, skin) in &self.0 {
            let weighted_mean = |point: &Embedding| {
                let terms = point.nodes.iter().zip(weights(point));
                let terms =
                    terms.map(|(&node, weight)| values[first_point + node as usize] * weight);
                terms.reduce(T::add).expect("four terms")
            };
            let skin_values: Vec<T> = skin.points.iter().map(weighted_mean).collect();
            values.extend(skin_values);
        }
    }
}

/// The weights of an embedding with negative ones set to zero and scaled to a sum of one: those of a point within the
/// element.
pub(super) fn clamped_weights(point: &Embedding) -> [f64; 4] {
    let weights = point.weights.map(|weight| weight.max(0.0));
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point slightly outside of a tetrahedron with one stressed node.
    #[test]
    fn fields_are_not_extrapolated_outside_elements() {
        let point = Embedding { nodes: [0, 1, 2, 3], weights: [-0.2, 0.6, 0.6, 0.0] };
        let skin = Skin { points: vec![point], rest: vec![Vec3::ZERO], triangles: Vec::new() };
        let skins = Skins(vec![(1, Arc::new(skin))]);
        let mut stress = FieldValues::Scalars(vec![9.0, 5.0, 1.0, 3.0, 0.0]);
        skins.extend_field(&mut stress);
        assert_eq!(stress, FieldValues::Scalars(vec![9.0, 5.0, 1.0, 3.0, 0.0, 2.0]));
        let mut places = vec![Vec3::ONE, Vec3::X, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO];
        skins.extend(&mut places);
        assert_eq!(places[5], -0.2 * Vec3::X);
    }
}
