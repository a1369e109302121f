//! Placement of a shape: scaling, rotation about its origin, and translation.

use crate::ron::{Field, Ron, remove_rounding};
use resile_math::elementary::rotation;
use resile_math::{Mat3, Vec3};

/// A rotation about an axis through the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Turn {
    /// Axis of any nonzero length.
    pub(crate) axis: [f64; 3],
    pub(crate) degrees: f64,
}

impl Turn {
    /// Matrix of the rotation.
    pub(crate) fn matrix(&self) -> Mat3 {
        rotation(Vec3::from_array(self.axis).normalize(), self.degrees.to_radians())
    }

    /// A rotation about the coordinate axis with index `axis`.
    pub(crate) fn rotated_about(axis: usize, degrees: f64) -> Self {
        let mut direction = [0.0; 3];
        direction[axis] = 1.0;
        Self { axis: direction, degrees }
    }

    /// The rotation in scene syntax.
    pub(crate) fn ron(&self) -> Ron {
        Ron::Struct("", vec![Field::new("axis", self.axis), Field::new("degrees", self.degrees)])
    }
}

/// The map `x -> rotation scale x + translation`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pose {
    pub(crate) scale: Vec3,
    /// Rotations in order of application.
    pub(crate) turns: Vec<Turn>,
    pub(crate) translation: Vec3,
}

impl Default for Pose {
    fn default() -> Self {
        Self { scale: Vec3::ONE, turns: Vec::new(), translation: Vec3::ZERO }
    }
}

impl Pose {
    /// Product of the matrices of all rotations.
    pub(crate) fn rotation(&self) -> Mat3 {
        self.turns.iter().fold(Mat3::IDENTITY, |product, turn| turn.matrix() * product)
    }

    /// Image of a point (m).
    pub(crate) fn apply(&self, point: Vec3) -> Vec3 {
        self.rotation() * (self.scale * point) + self.translation
    }

    /// Appends a rotation about the point `center` (m). The scaling still comes first.
    pub(crate) fn rotated(mut self, turn: Turn, center: Vec3) -> Self {
        self.translation = turn.matrix() * (self.translation - center) + center;
        self.turns.push(turn);
        self
    }

    /// Appends a uniform scaling about the origin.
    pub(crate) fn scaled(mut self, factor: f64) -> Self {
        self.scale *= factor;
        self.translation *= factor;
        self
    }

    /// Appends a translation (m).
    pub(crate) fn translated(mut self, offset: Vec3) -> Self {
        self.translation += offset;
        self
    }

    /// The pose in scene syntax; `None` for the identity.
    pub(crate) fn ron(&self) -> Option<Ron> {
        let mut fields = Vec::new();
        let [x, y, z] = remove_rounding(self.scale.to_array());
        match x == y && y == z {
            true if x == 1.0 => {}
            true => fields.push(Field::new("scale", x)),
            false => fields.push(Field::new("scale", [x, y, z])),
        }
        let turns: Vec<Ron> =
            self.turns.iter().filter(|turn| turn.degrees != 0.0).map(Turn::ron).collect();
        if !turns.is_empty() {
            fields.push(Field::new("rotate", turns));
        }
        if self.translation != Vec3::ZERO {
            fields.push(Field::new("translate", remove_rounding(self.translation.to_array())));
        }
        (!fields.is_empty()).then_some(Ron::Struct("", fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turn_about_z_maps_x_to_y() {
        let turned = Turn::rotated_about(2, 90.0).matrix() * Vec3::X;
        assert!((turned - Vec3::Y).length() < 1e-15, "{turned}");
    }

    #[test]
    fn pose_changes_apply_after_the_existing_pose() {
        let pose = Pose {
            scale: Vec3::new(1.0, 2.0, 3.0),
            turns: vec![
                Turn::rotated_about(0, 30.0),
                Turn { axis: [1.0, 1.0, 0.0], degrees: -70.0 },
            ],
            translation: Vec3::new(0.3, -0.2, 0.9),
        };
        let (point, center) = (Vec3::new(0.4, 0.5, -0.6), Vec3::new(1.0, 2.0, 3.0));
        let turn = Turn { axis: [0.0, 3.0, 4.0], degrees: 200.0 };
        let expected = 2.5 * (turn.matrix() * (pose.apply(point) - center) + center) + Vec3::X;
        let changed = pose.rotated(turn, center).scaled(2.5).translated(Vec3::X);
        assert!((changed.apply(point) - expected).length() < 1e-13);
        assert!((changed.rotation().determinant() - 1.0).abs() < 1e-14);
    }
}
