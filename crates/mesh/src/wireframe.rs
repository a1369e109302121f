//! Points and segments, as obstacles.

use crate::Polylines;
use resile_math::Vec3;
use thiserror::Error;

/// Points, and segments between them, of which any number may share a point.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wireframe {
    /// Positions of the points (m).
    pub positions: Vec<Vec3>,
    /// Segments, as indices of points.
    pub segments: Vec<[u32; 2]>,
}

/// Errors of wireframes. Points and segments are counted from zero.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum WireframeError {
    /// There are no points.
    #[error("there are no points")]
    Empty,
    /// A coordinate is NaN or infinite.
    #[error("point {point} is at {position}")]
    NotFinite {
        /// Index of the point.
        point: usize,
        /// Its position (m).
        position: Vec3,
    },
    /// A segment refers to a point that does not exist.
    #[error("segment {segment} ends at point {point}, but there are {points} points")]
    NoSuchPoint {
        /// Index of the segment.
        segment: usize,
        /// Index of the missing point.
        point: u32,
        /// Number of points.
        points: usize,
    },
    /// The ends of a segment coincide.
    #[error("both ends of segment {segment} are at {position}")]
    NoLength {
        /// Index of the segment.
        segment: usize,
        /// Position of its ends (m).
        position: Vec3,
    },
}

impl Wireframe {
    /// Points of no segment, ascending.
    pub fn isolated(&self) -> Vec<u32> {
        let mut isolated = vec![true; self.positions.len()];
        self.segments.as_flattened().iter().for_each(|&point| isolated[point as usize] = false);
        (0..).zip(isolated).filter(|(_, isolated)| *isolated).map(|(point, _)| point).collect()
    }

    /// Checks positions and segments.
    ///
    /// # Errors
    /// The first defect.
    pub fn check(&self) -> Result<(), WireframeError> {
        let points = self.positions.len();
        if points == 0 {
            return Err(WireframeError::Empty);
        }
        if let Some(point) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(WireframeError::NotFinite { point, position: self.positions[point] });
        }
        for (segment, ends) in self.segments.iter().enumerate() {
            if let Some(&point) = ends.iter().find(|&&end| end as usize >= points) {
                return Err(WireframeError::NoSuchPoint { segment, point, points });
            }
            let [a, b] = ends.map(|end| self.positions[end as usize]);
            if a == b {
                return Err(WireframeError::NoLength { segment, position: a });
            }
        }
        Ok(())
    }
}

impl From<Polylines> for Wireframe {
    fn from(curves: Polylines) -> Self {
        let segments = curves.strands.iter().flat_map(|strand| strand.edges()).collect();
        Self { positions: curves.positions, segments }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_without_segments_are_isolated_and_defects_are_found() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let mut frame = Wireframe { positions, segments: vec![[0, 2], [2, 3], [0, 3]] };
        assert_eq!((frame.isolated(), frame.check()), (vec![1], Ok(())));
        frame.segments.push([1, 4]);
        let missing = WireframeError::NoSuchPoint { segment: 3, point: 4, points: 4 };
        assert_eq!(frame.check(), Err(missing));
        frame.segments[3] = [1, 1];
        let flat = WireframeError::NoLength { segment: 3, position: Vec3::X };
        assert_eq!(frame.check(), Err(flat));
        assert_eq!(Wireframe::default().check(), Err(WireframeError::Empty));
    }
}
