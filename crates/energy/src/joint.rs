//! Joints: springs of rest length zero between points of two bodies.
//!
//! What is fixed is a point, given as a weighted mean of nodes: a node itself, or a place
//! inside an element or on a surface. One point in common is a ball joint; two are a
//! hinge about the line through them; three or more weld. Nothing here knows
//! these words: the potential is the sum over the points.
//!
//! A coupling's nodes are the system's, and systems are made anew in each step. So what does
//! not change is apart, in a [`JointShape`] that is checked once and shared; a [`Joint`]
//! says where its bodies are at present.

use crate::anchor::{Anchor, AnchorError};
use resile_system::{Coupling, Energy, Hessian, Links, Mat3, Psd, Vec3};
use std::sync::Arc;

/// Joints that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum JointError {
    /// The two bodies do not have the same number of points, or none.
    #[error("a joint joins points in pairs, but has {0} of one body and {1} of the other", counts[0], counts[1])]
    Points {
        /// Number of points of each body.
        counts: [usize; 2],
    },
    /// What is to be joined is no point of its body.
    #[error("point {point} of body {side} of the joint {cause}")]
    Point {
        /// 0 for the first body of the joint, 1 for the second.
        side: usize,
        /// The point, counted from zero.
        point: usize,
        /// What is wrong with it.
        cause: AnchorError,
    },
    /// The stiffness is not a positive number.
    #[error("a joint has the stiffness {stiffness} N/m, but must have a positive, finite one")]
    Stiffness {
        /// What was given (N/m).
        stiffness: f64,
    },
}

/// What of a joint is the same in all systems.
#[derive(Debug, Clone, PartialEq)]
pub struct JointShape {
    points: Vec<[Anchor; 2]>,
    stiffness: f64,
}

impl JointShape {
    /// A joint of `points`, the k-th of the first body with the k-th of the second, each with
    /// the `stiffness` k (N/m). The bodies have `node_counts` nodes.
    ///
    /// # Errors
    /// Points that are not pairs, or are no means of nodes that exist; a stiffness that is
    /// not positive.
    pub fn new(
        node_counts: [usize; 2],
        points: [Vec<Anchor>; 2],
        stiffness: f64,
    ) -> Result<Self, JointError> {
        let counts = [points[0].len(), points[1].len()];
        if counts[0] != counts[1] || counts[0] == 0 {
            return Err(JointError::Points { counts });
        }
        for (side, (anchors, nodes)) in points.iter().zip(node_counts).enumerate() {
            for (point, anchor) in anchors.iter().enumerate() {
                let checked = anchor.check(nodes);
                checked.map_err(|cause| JointError::Point { side, point, cause })?;
            }
        }
        if !(stiffness > 0.0 && stiffness.is_finite()) {
            return Err(JointError::Stiffness { stiffness });
        }
        let [first, second] = points;
        let points = first.into_iter().zip(second).map(|(a, b)| [a, b]).collect();
        Ok(Self { points, stiffness })
    }
}

/// Where one of the bodies of a joint is in a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JointBody {
    /// Its number among the bodies of the system.
    pub body: usize,
    /// The system's number of its first node.
    pub first_node: usize,
}

/// A joint in its place in a system.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// What is joined, and how.
    pub shape: Arc<JointShape>,
    /// The bodies.
    pub bodies: [JointBody; 2],
}

/// How far the points of a pair are apart (m).
fn apart(x: &[Vec3], pair: impl Iterator<Item = (usize, f64)>) -> Vec3 {
    pair.map(|(node, weight)| x[node] * weight).sum()
}

impl Joint {
    /// For each pair of points the nodes, with weights that are negative for the second.
    fn pairs(&self) -> impl Iterator<Item = impl Iterator<Item = (usize, f64)> + Clone> {
        self.shape.points.iter().map(|[a, b]| {
            let [first, second] = self.bodies.map(|body| body.first_node);
            let a = a.nodes.iter().map(move |&(node, weight)| (first + node, weight));
            a.chain(b.nodes.iter().map(move |&(node, weight)| (second + node, -weight)))
        })
    }

    fn value(&self, x: &[Vec3]) -> f64 {
        let squares = self.pairs().map(|pair| apart(x, pair).length_squared());
        0.5 * self.shape.stiffness * squares.sum::<f64>()
    }
}

/// `P(x) = sum over joints of k/2 sum over their points of |p_a - p_b|^2`.
///
/// A quadratic form: its Hessian is constant and positive semi-definite as it is. O(nodes of
/// each point, squared).
#[derive(Debug, Clone, PartialEq)]
pub struct Joints {
    joints: Vec<Joint>,
}

impl Joints {
    /// All joints of a system, as one term of it. Evaluation panics if a body is not where a
    /// joint says.
    pub fn new(joints: Vec<Joint>) -> Self {
        Self { joints }
    }
}

impl Energy for Joints {
    fn name(&self) -> &str {
        "joint"
    }

    fn value(&self, x: &[Vec3]) -> f64 {
        self.joints.iter().map(|joint| joint.value(x)).sum()
    }

    fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        for joint in &self.joints {
            for pair in joint.pairs() {
                let pull = apart(x, pair.clone()) * (scale * joint.shape.stiffness);
                pair.for_each(|(node, weight)| out[node] += pull * weight);
            }
        }
    }

    fn add_hessian(&self, _x: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        for joint in &self.joints {
            for pair in joint.pairs() {
                for (k, (i, a)) in pair.clone().enumerate() {
                    for (l, (j, b)) in pair.clone().enumerate().skip(k) {
                        // A node that both points share meets itself, in both orders.
                        let orders = if i == j && k != l { 2.0 } else { 1.0 };
                        let entry = orders * joint.shape.stiffness * a * b;
                        out.add(i, j, Mat3::from_diagonal(Vec3::splat(entry)));
                    }
                }
            }
        }
    }
}

impl Coupling for Joints {
    fn add_energy_by_body(&self, x: &[Vec3], bodies: &mut [f64]) {
        for joint in &self.joints {
            let half = 0.5 * joint.value(x);
            joint.bodies.iter().for_each(|of| bodies[of.body] += half);
        }
    }

    fn add_energy_rates_by_body(&self, x: &[Vec3], v: &[Vec3], bodies: &mut [f64]) {
        for joint in &self.joints {
            let shape = &joint.shape;
            let half = |pair: &mut dyn Iterator<Item = (usize, f64)>| {
                let (mut gap, mut rate) = (Vec3::ZERO, Vec3::ZERO);
                pair.for_each(|(node, weight)| {
                    gap += x[node] * weight;
                    rate += v[node] * weight;
                });
                0.5 * shape.stiffness * gap.dot(rate)
            };
            let sum: f64 = joint.pairs().map(|mut pair| half(&mut pair)).sum();
            joint.bodies.iter().for_each(|of| bodies[of.body] += sum);
        }
    }

    /// A joint that is slack at `x` links its bodies too: any motion loads it.
    fn link(&self, _x: &[Vec3], links: &mut Links) {
        for Joint { bodies: [a, b], .. } in &self.joints {
            links.join(a.body, b.body);
        }
    }
}
