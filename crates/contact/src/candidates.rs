//! The pairs to be looked at, and who meets in them.

use crate::arrangement::Point;
use crate::distance::PairKind;
use crate::stencil::Pair;
use crate::{ContactSettings, Plane};
use resile_math::Vec3;
use std::collections::BTreeMap;

/// Two colliders of which primitives may meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Meeting {
    /// Which shapes of the arrangement: no two meetings are of the same.
    pub(crate) shapes: [usize; 2],
    pub(crate) body: usize,
    /// Nothing if it is an obstacle, moving or not.
    pub(crate) other: Option<usize>,
    pub(crate) friction: f64,
    /// The distance at which they touch (m): what both sides' thicknesses take up.
    pub(crate) offset: f64,
    pub(crate) support: Support,
}

/// What the points of a meeting are. In the order in which candidates are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Support {
    /// Nodes.
    Nodes,
    /// Some of them hang on nodes.
    Embedded,
}

/// A vertex-face or edge-edge pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) points: [Point; 4],
    pub(crate) area: f64,
    pub(crate) mollifier: f64,
    pub(crate) kind: PairKind,
    pub(crate) meeting: u32,
}

/// A vertex and a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PlaneCandidate {
    pub(crate) point: u32,
    pub(crate) plane: u32,
    pub(crate) area: f64,
    pub(crate) meeting: u32,
}

/// All pairs to be looked at.
#[derive(Debug, Clone, Default)]
pub(crate) struct Candidates {
    pub(crate) meetings: Vec<Meeting>,
    /// Those among nodes first, then those with embedded points, meeting by meeting.
    pub(crate) pairs: Vec<Candidate>,
    /// How many pairs are among nodes.
    pub(crate) among_nodes: usize,
    pub(crate) planes: Vec<PlaneCandidate>,
}

impl Candidates {
    /// Takes in the candidates of another way; what both hold is kept once.
    pub(crate) fn join(&mut self, other: Self) {
        let known = self.meetings.iter().zip(0..).map(|(m, number)| (m.shapes, number));
        let known: BTreeMap<[usize; 2], u32> = known.collect();
        let mut number = |meeting: &Meeting| {
            known.get(&meeting.shapes).copied().unwrap_or_else(|| {
                self.meetings.push(*meeting);
                self.meetings.len() as u32 - 1
            })
        };
        let numbers: Vec<u32> = other.meetings.iter().map(&mut number).collect();
        let meeting = |old: u32| numbers[old as usize];
        self.pairs
            .extend(other.pairs.iter().map(|c| Candidate { meeting: meeting(c.meeting), ..*c }));
        let meetings = &self.meetings;
        self.pairs.sort_by_key(|c| match meetings[c.meeting as usize].support {
            Support::Nodes => (0, c.kind, c.points),
            Support::Embedded => (1 + c.meeting, c.kind, c.points),
        });
        self.pairs.dedup_by_key(|c| (c.kind, c.points));
        self.divide();
        let renumbered = |c: &PlaneCandidate| PlaneCandidate { meeting: meeting(c.meeting), ..*c };
        self.planes.extend(other.planes.iter().map(renumbered));
        self.planes.sort_by_key(|c| (c.plane, c.point));
        self.planes.dedup_by_key(|c| (c.plane, c.point));
    }

    /// Adds to the bodies that meet half of `energy` each, all of it against an obstacle.
    pub(crate) fn share(&self, meeting: u32, energy: f64, bodies: &mut [f64]) {
        let Meeting { body, other, .. } = self.meetings[meeting as usize];
        bodies[body] += 0.5 * energy;
        bodies[other.unwrap_or(body)] += 0.5 * energy;
    }

    /// The barrier of a pair.
    pub(crate) fn pair(&self, c: &Candidate, settings: &ContactSettings) -> Pair {
        let offset = self.meetings[c.meeting as usize].offset;
        let (stiffness, d_hat) = (settings.stiffness(c.area), settings.d_hat);
        Pair { kind: c.kind, stiffness, d_hat, offset, mollifier: c.mollifier }
    }

    /// The gap (m) between a point and a plane.
    pub(crate) fn gap(&self, c: &PlaneCandidate, planes: &[Plane], x: &[Vec3]) -> f64 {
        let height = planes[c.plane as usize].height(x[c.point as usize]);
        height - self.meetings[c.meeting as usize].offset
    }

    /// Puts those among nodes before the others, in their order else.
    pub(crate) fn divide(&mut self) {
        let support = |c: &Candidate| self.meetings[c.meeting as usize].support;
        if !self.pairs.is_sorted_by_key(support) {
            let (nodes, embedded): (Vec<_>, Vec<_>) =
                self.pairs.iter().partition(|c| support(c) == Support::Nodes);
            self.pairs = [nodes, embedded].concat();
        }
        self.among_nodes = self.pairs.partition_point(|c| support(c) == Support::Nodes);
    }
}

impl Candidate {
    /// Where its points are, the system's being at `x`.
    pub(crate) fn positions(&self, x: &[Vec3], fixed: &[Vec3]) -> [Vec3; 4] {
        self.points.map(|p| p.position(x, fixed))
    }
}
