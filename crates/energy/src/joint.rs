//! Joints: springs between points of two bodies, of rest length zero unless another is given.
//!
//! A joint connects points that are weighted means of nodes: nodes, or points of elements and
//! surfaces. One common point makes a ball joint, two make a hinge about the line through them,
//! three or more a weld; the potential is the sum over the points in all cases. Points with a
//! rest length form a tie, and a seam if that length shrinks.
//!
//! A coupling uses node indices of the system, and systems are rebuilt in each step. The invariant
//! data are therefore separate, in a [`JointShape`] that is checked once and shared; a [`Joint`]
//! adds the current indices of its bodies.

use crate::anchor::{Anchor, AnchorError};
use resile_math::outer;
use resile_system::{Coupling, CouplingPart, Energy, Hessian, Links, Mat3, Psd, Vec3};
use std::sync::Arc;

/// Invalid joints.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum JointError {
    /// The bodies have different numbers of points, or none.
    #[error("a joint joins points in pairs, but has {0} of one body and {1} of the other", counts[0], counts[1])]
    Points {
        /// Number of points of each body.
        counts: [usize; 2],
    },
    /// A point is not a point of its body.
    #[error("point {point} of body {side} of the joint {cause}")]
    Point {
        /// 0 for the first body of the joint, 1 for the second.
        side: usize,
        /// The point, counted from zero.
        point: usize,
        /// The error of the point.
        cause: AnchorError,
    },
    /// The stiffness is not a positive number.
    #[error("a joint has the stiffness {stiffness} N/m, but must have a positive, finite one")]
    Stiffness {
        /// The given value (N/m).
        stiffness: f64,
    },
    /// Rest lengths are negative, not finite, or not one per pair.
    #[error(
        "a joint of {pairs} pairs of points has rest lengths that are no lengths, or not one for each pair"
    )]
    Lengths {
        /// Number of pairs of points.
        pairs: usize,
    },
}

/// The rest length of each pair of points, as a function of time.
///
/// The length of pair p at time t is `max(least, length_p - speed (t - start))`, and `length_p` before
/// `start`.
#[derive(Debug, Clone, PartialEq)]
pub struct RestLengths {
    /// The initial lengths (m), one for each pair.
    pub lengths: Vec<f64>,
    /// The speed at which they shrink (m/s), zero for constant lengths.
    pub closing_speed: f64,
    /// The time at which they begin to shrink (s).
    pub start: f64,
    /// The final length (m) of those that are initially larger.
    pub least: f64,
    /// Whether a pair resists compression like a spring, or is slack like a thread.
    pub pushes: bool,
}

impl RestLengths {
    /// Rest length (m) of a pair at `time` (s).
    fn at(&self, pair: usize, time: f64) -> f64 {
        let length = self.lengths[pair];
        if time <= self.start || length <= self.least {
            return length;
        }
        (length - self.closing_speed * (time - self.start)).max(self.least)
    }

    /// The first time (s) after `time` at which a rest length begins or ends to shrink.
    fn next_change(&self, time: f64) -> f64 {
        if self.closing_speed == 0.0 {
            return f64::INFINITY;
        }
        let shrinking = self.lengths.iter().filter(|length| **length > self.least);
        let end_times =
            shrinking.map(|length| self.start + (length - self.least) / self.closing_speed);
        let later_changes = end_times.chain([self.start]).filter(|change| *change > time);
        later_changes.fold(f64::INFINITY, f64::min)
    }

    /// Whether there is one valid length for each of `pairs` pairs, and the other parameters are valid.
    fn is_valid(&self, pairs: usize) -> bool {
        let length = |length: &f64| *length >= 0.0 && length.is_finite();
        self.lengths.len() == pairs
            && self.lengths.iter().chain([&self.closing_speed, &self.least]).all(length)
            && self.start.is_finite()
    }
}

/// The part of a joint that does not depend on the system.
#[derive(Debug, Clone, PartialEq)]
pub struct JointShape {
    points: Vec<[Anchor; 2]>,
    /// Stiffness of each pair (N/m).
    stiffnesses: Vec<f64>,
    /// `None` if all rest lengths are zero.
    rest: Option<RestLengths>,
}

impl JointShape {
    /// A joint of `points`, the k-th of the first body with the k-th of the second, each with
    /// the `stiffness` k (N/m). The bodies have `node_counts` nodes.
    ///
    /// # Errors
    /// Different numbers of points, invalid points, or a stiffness that is not positive.
    pub fn new(
        node_counts: [usize; 2],
        points: [Vec<Anchor>; 2],
        stiffness: f64,
    ) -> Result<Self, JointError> {
        let stiffnesses = vec![stiffness; points[0].len()];
        Self::with_stiffnesses(node_counts, points, stiffnesses)
    }

    /// A joint with a stiffness (N/m) for each pair of points.
    ///
    /// # Errors
    /// As [`new`](Self::new); also if there is not one stiffness for each pair.
    pub fn with_stiffnesses(
        node_counts: [usize; 2],
        points: [Vec<Anchor>; 2],
        stiffnesses: Vec<f64>,
    ) -> Result<Self, JointError> {
        let counts = [points[0].len(), points[1].len()];
        if counts[0] != counts[1] || counts[0] == 0 || stiffnesses.len() != counts[0] {
            return Err(JointError::Points { counts });
        }
        for (side, (anchors, nodes)) in points.iter().zip(node_counts).enumerate() {
            for (point, anchor) in anchors.iter().enumerate() {
                let checked = anchor.check(nodes);
                checked.map_err(|cause| JointError::Point { side, point, cause })?;
            }
        }
        let is_invalid = |stiffness: &&f64| !(**stiffness > 0.0 && stiffness.is_finite());
        if let Some(&stiffness) = stiffnesses.iter().find(is_invalid) {
            return Err(JointError::Stiffness { stiffness });
        }
        let [first, second] = points;
        let points = first.into_iter().zip(second).map(|(a, b)| [a, b]).collect();
        Ok(Self { points, stiffnesses, rest: None })
    }

    /// The joint with rest lengths.
    ///
    /// # Errors
    /// Lengths or a speed that are negative or not finite, or not one length for each pair.
    pub fn resting_at(self, rest: RestLengths) -> Result<Self, JointError> {
        let pairs = self.points.len();
        if !rest.is_valid(pairs) {
            return Err(JointError::Lengths { pairs });
        }
        Ok(Self { rest: Some(rest), ..self })
    }

    /// The spring of a pair at a time (s).
    fn spring(&self, pair: usize, time: f64) -> PairSpring {
        let stiffness = self.stiffnesses[pair];
        match &self.rest {
            None => PairSpring { rest: 0.0, stiffness, pushes: true },
            Some(rest) => PairSpring { rest: rest.at(pair, time), stiffness, pushes: rest.pushes },
        }
    }
}

/// A body of a joint, by its indices in a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JointBody {
    /// Index among the bodies of the system.
    pub body: usize,
    /// Index of its first node in the system.
    pub first_node: usize,
}

/// A joint of a system.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// The points and springs.
    pub shape: Arc<JointShape>,
    /// The bodies.
    pub bodies: [JointBody; 2],
}

/// The vector (m) from the second to the first point of a pair, given its nodes and signed weights.
fn separation(x: &[Vec3], pair: impl Iterator<Item = (usize, f64)>) -> Vec3 {
    pair.map(|(node, weight)| x[node] * weight).sum()
}

/// The spring of a pair of points at some time.
#[derive(Clone, Copy)]
struct PairSpring {
    /// Rest length (m).
    rest: f64,
    /// Stiffness (N/m).
    stiffness: f64,
    /// Whether it resists compression.
    pushes: bool,
}

impl PairSpring {
    /// The extension (m) for the vector between the points; zero for a slack thread.
    fn extension(&self, separation: Vec3) -> f64 {
        let extension = separation.length() - self.rest;
        if self.pushes { extension } else { extension.max(0.0) }
    }

    /// The vector between the points, scaled to the length of the extension (m).
    fn extension_vector(&self, separation: Vec3) -> Vec3 {
        if self.rest == 0.0 {
            return separation;
        }
        separation.normalize_or_zero() * self.extension(separation)
    }

    /// The square of the extension (m^2).
    fn squared_extension(&self, separation: Vec3) -> f64 {
        if self.rest == 0.0 {
            separation.length_squared()
        } else {
            self.extension(separation).powi(2)
        }
    }

    /// The second derivative of `1/2 (|d| - L)^2` by d: `n n^T + (1 - L / |d|) (1 - n n^T)` with n the direction of
    /// d. The second part is negative where the pair is shorter than at rest.
    fn curvature(&self, separation: Vec3, psd: Psd) -> Mat3 {
        let length = separation.length();
        // If the points coincide, no direction is defined, and the stiffness is isotropic.
        if self.rest == 0.0 || length == 0.0 {
            return Mat3::IDENTITY;
        }
        if !self.pushes && length <= self.rest {
            return Mat3::ZERO;
        }
        let transverse = match (1.0 - self.rest / length, psd) {
            (negative, Psd::Clamp) if negative < 0.0 => 0.0,
            (transverse, _) => transverse,
        };
        let direction = separation / length;
        outer(direction, direction) * (1.0 - transverse)
            + Mat3::from_diagonal(Vec3::splat(transverse))
    }
}

impl Joint {
    /// For each pair of points, the system's node indices and weights; the weights of the second point are negative.
    fn pairs(&self) -> impl Iterator<Item = impl Iterator<Item = (usize, f64)> + Clone> {
        self.shape.points.iter().map(|[a, b]| {
            let [first, second] = self.bodies.map(|body| body.first_node);
            let a = a.nodes.iter().map(move |&(node, weight)| (first + node, weight));
            a.chain(b.nodes.iter().map(move |&(node, weight)| (second + node, -weight)))
        })
    }

    /// Pairs as in [`pairs`](Self::pairs), each with its spring at `time` (s).
    fn pairs_at(
        &self,
        time: f64,
    ) -> impl Iterator<Item = (impl Iterator<Item = (usize, f64)> + Clone, PairSpring)> {
        self.pairs().enumerate().map(move |(k, pair)| (pair, self.shape.spring(k, time)))
    }

    fn value(&self, time: f64, x: &[Vec3]) -> f64 {
        let reference = self.shape.stiffnesses[0];
        let relative_square = |(pair, spring): (_, PairSpring)| {
            spring.stiffness / reference * spring.squared_extension(separation(x, pair))
        };
        0.5 * reference * self.pairs_at(time).map(relative_square).sum::<f64>()
    }

    /// The work (J) of the motion that shortens the rest lengths: for each pair the trapezoidal rule of
    /// `-k (|p_a - p_b| - L) dL`, exact where lengths change at constant speed.
    fn work(&self, from: &[Vec3], to: &[Vec3], times: [f64; 2]) -> f64 {
        if self.shape.rest.is_none() {
            return 0.0;
        }
        let pair_work = |(k, pair)| {
            let pair: Vec<(usize, f64)> = Iterator::collect(pair);
            let [start_spring, end_spring] = times.map(|time| self.shape.spring(k, time));
            let ends = [(from, start_spring), (to, end_spring)];
            let extensions =
                ends.map(|(x, spring)| spring.extension(separation(x, pair.iter().copied())));
            -0.5 * start_spring.stiffness
                * (extensions[0] + extensions[1])
                * (end_spring.rest - start_spring.rest)
        };
        self.pairs().enumerate().map(pair_work).sum()
    }
}

/// `P(x, t) = sum over joints of k/2 sum over their points of (|p_a - p_b| - L(t))^2`.
///
/// Without rest lengths P is a quadratic form with a constant, positive semi-definite Hessian.
/// O(nodes of each point, squared).
#[derive(Debug, Clone, PartialEq)]
pub struct Joints {
    joints: Vec<Joint>,
}

impl Joints {
    /// All joints of a system as one term. Evaluation panics if an index of a body is wrong.
    pub fn new(joints: Vec<Joint>) -> Self {
        Self { joints }
    }
}

impl Energy for Joints {
    fn name(&self) -> &str {
        "joint"
    }

    fn next_change(&self, time: f64) -> f64 {
        let rests = self.joints.iter().filter_map(|joint| joint.shape.rest.as_ref());
        rests.map(|rest| rest.next_change(time)).fold(f64::INFINITY, f64::min)
    }

    fn value(&self, time: f64, x: &[Vec3]) -> f64 {
        self.joints.iter().map(|joint| joint.value(time, x)).sum()
    }

    fn add_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        for joint in &self.joints {
            for (pair, spring) in joint.pairs_at(time) {
                let force = spring.extension_vector(separation(x, pair.clone()))
                    * (scale * spring.stiffness);
                pair.for_each(|(node, weight)| out[node] += force * weight);
            }
        }
    }

    fn add_hessian(&self, time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        for joint in &self.joints {
            for (pair, spring) in joint.pairs_at(time) {
                let curvature = spring.curvature(separation(x, pair.clone()), psd);
                for (k, (i, a)) in pair.clone().enumerate() {
                    for (l, (j, b)) in pair.clone().enumerate().skip(k) {
                        // A node that both points share contributes the blocks (k, l) and (l, k) to its diagonal block.
                        let multiplicity = if i == j && k != l { 2.0 } else { 1.0 };
                        out.add(i, j, curvature * (multiplicity * spring.stiffness * a * b));
                    }
                }
            }
        }
    }
}

impl Coupling for Joints {
    fn add_energy_by_body(&self, time: f64, x: &[Vec3], bodies: &mut [f64]) {
        for joint in &self.joints {
            let half = 0.5 * joint.value(time, x);
            joint.bodies.iter().for_each(|side| bodies[side.body] += half);
        }
    }

    fn add_energy_rates_by_body(&self, time: f64, x: &[Vec3], v: &[Vec3], bodies: &mut [f64]) {
        for joint in &self.joints {
            let half_power =
                |(pair, spring): (&mut dyn Iterator<Item = (usize, f64)>, PairSpring)| {
                    let (mut vector, mut velocity) = (Vec3::ZERO, Vec3::ZERO);
                    pair.for_each(|(node, weight)| {
                        vector += x[node] * weight;
                        velocity += v[node] * weight;
                    });
                    0.5 * spring.stiffness * spring.extension_vector(vector).dot(velocity)
                };
            let pairs = joint.pairs_at(time);
            let total: f64 = pairs.map(|(mut pair, spring)| half_power((&mut pair, spring))).sum();
            joint.bodies.iter().for_each(|side| bodies[side.body] += total);
        }
    }

    fn add_work_by_body(&self, from: &[Vec3], to: &[Vec3], times: [f64; 2], bodies: &mut [f64]) {
        for joint in &self.joints {
            let half = 0.5 * joint.work(from, to, times);
            joint.bodies.iter().for_each(|side| bodies[side.body] += half);
        }
    }

    fn restricted(&mut self, _bodies: &[bool]) -> CouplingPart<'_> {
        CouplingPart::Whole(self)
    }

    /// Slack joints also link their bodies, because a motion may stretch them.
    fn link(&self, _x: &[Vec3], links: &mut Links) {
        for Joint { bodies: [a, b], .. } in &self.joints {
            links.join(a.body, b.body);
        }
    }
}
