//! Projection of moving points onto the normal of a separating plane.

use crate::geometry::distance::PairKind;
use resile_math::Vec3;
use std::array::from_fn;

/// Positions and displacements of four points along a direction.
pub(super) struct Heights {
    start: [f64; 4],
    motion: [f64; 4],
}

impl Heights {
    /// Projects the positions and displacements of four points onto `direction`.
    pub(super) fn new(direction: Vec3, start: &[Vec3; 4], motion: &[Vec3; 4]) -> Self {
        let project = |v: &[Vec3; 4]| v.map(|v| direction.dot(v));
        Self { start: project(start), motion: project(motion) }
    }

    /// Gap at a time between the lowest point of the side ahead, to which the direction points, and the highest
    /// point of the side behind.
    pub(super) fn gap_at(&self, kind: PairKind, time: f64) -> f64 {
        let [a, b, c, d]: [f64; 4] = from_fn(|k| self.start[k] + self.motion[k] * time);
        match kind {
            PairKind::VertexFace => a - b.max(c).max(d),
            PairKind::EdgeEdge => c.min(d) - a.max(b),
            PairKind::VertexEdge => a - b.max(c),
            PairKind::VertexVertex => a - b,
        }
    }

    /// Time during which every point of the side ahead keeps at least the gap `required` to every point of the side
    /// behind. Initial gaps below `distance` count as `distance`.
    pub(super) fn separated_for(&self, kind: PairKind, distance: f64, required: f64) -> f64 {
        let [ahead, behind] = sides(kind);
        let mut shortest = f64::INFINITY;
        for &i in ahead {
            for &j in behind {
                let closing = self.motion[j] - self.motion[i];
                if closing > 0.0 {
                    let gap = (self.start[i] - self.start[j]).max(distance);
                    shortest = shortest.min((gap - required) / closing);
                }
            }
        }
        shortest
    }
}

/// Indices of the points of the primitive ahead, to which the normal points, and of the primitive behind.
pub(super) fn sides(kind: PairKind) -> [&'static [usize]; 2] {
    match kind {
        PairKind::VertexFace => [&[0], &[1, 2, 3]],
        PairKind::EdgeEdge => [&[2, 3], &[0, 1]],
        PairKind::VertexEdge => [&[0], &[1, 2]],
        PairKind::VertexVertex => [&[0], &[1]],
    }
}
