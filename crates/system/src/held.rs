//! Prescribed directions of a node.

use crate::{Mat3, Vec3};

/// The directions in which the position of a node is prescribed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Held {
    /// All directions.
    #[default]
    All,
    /// The range of this orthogonal projector: a roller or a symmetry plane. The other directions are free.
    Along(Mat3),
}

impl Held {
    /// The flagged axes of a frame, given by a rotation matrix whose columns are the axes.
    pub fn axes(frame: Mat3, axes: [bool; 3]) -> Self {
        match axes {
            [true, true, true] => Self::All,
            _ => {
                let mask = Vec3::from_array(axes.map(|held| if held { 1.0 } else { 0.0 }));
                Self::Along(frame * Mat3::from_diagonal(mask) * frame.transpose())
            }
        }
    }

    /// The component of a vector in the held directions.
    pub fn part(&self, vector: Vec3) -> Vec3 {
        match self {
            Self::All => vector,
            Self::Along(projector) => *projector * vector,
        }
    }

    /// The component of a vector in the free directions.
    pub fn rest(&self, vector: Vec3) -> Vec3 {
        match self {
            Self::All => Vec3::ZERO,
            Self::Along(projector) => vector - *projector * vector,
        }
    }

    /// The projector onto the held directions.
    pub fn projector(&self) -> Mat3 {
        match self {
            Self::All => Mat3::IDENTITY,
            Self::Along(projector) => *projector,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_and_held_parts_are_orthogonal_and_sum_to_the_vector() {
        let frame = crate::motion::rotation_by(Vec3::new(0.3, -0.8, 0.5));
        let vector = Vec3::new(1.0, -2.0, 0.7);
        for axes in [[true, false, false], [false, true, true], [false; 3], [true; 3]] {
            let held = Held::axes(frame, axes);
            let (part, rest) = (held.part(vector), held.rest(vector));
            assert!((part + rest - vector).length() < 1e-15 && part.dot(rest).abs() < 1e-15);
            for (k, is_held) in axes.into_iter().enumerate() {
                let off = if is_held { rest } else { part };
                assert!(frame.col(k).dot(off).abs() < 1e-15, "{axes:?}: {off}");
            }
        }
    }
}
