//! Energy, gradient and Hessian of one collision stencil: pure functions of four points.

use crate::geometry::distance::{BLOCK_PAIRS, Blocks, Closest, Frame, PairKind, Terms};
use crate::geometry::mollifier::{self, Mollifier};
use crate::potential::barrier::Derivatives;
use crate::potential::gap_law::GapLaw;
use resile_math::small::project_psd;
use resile_math::{Mat3, Vec3, outer};
use resile_system::Psd;

/// The law of a pair, with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Kind of the primitives.
    pub kind: PairKind,
    /// Law of the gap.
    pub law: GapLaw,
    /// `kappa * d_hat * area` (J); negative for terms of signed sums that count twice otherwise.
    pub stiffness: f64,
    /// Gap below which the law acts (m).
    pub d_hat: f64,
    /// Minimum separation (m), at least zero: distance minus gap.
    pub min_separation: f64,
    /// Threshold of the edge-edge mollifier (m^4); unused for other pairs.
    pub mollifier: f64,
}

/// The Hessian of a pair (N/m).
#[derive(Debug)]
pub(crate) enum PairHessian {
    Terms(Terms),
    /// Hessian of mollified, nearly parallel edges.
    Blocks(Blocks),
}

impl Pair {
    /// Closest points of the primitives with points at `x` (m), in the order of [`PairKind`]; `None` if the gap is not
    /// below `d_hat`.
    pub fn closest_if_active(&self, x: &[Vec3; 4]) -> Option<Closest> {
        let closest = Closest::new(self.kind, x);
        let activation_distance = self.d_hat + self.min_separation;
        (closest.distance2() < activation_distance * activation_distance).then_some(closest)
    }

    /// Energy (J); `+inf` if the gap is not positive. About 40 ns.
    pub fn value(&self, x: &[Vec3; 4]) -> f64 {
        let Some(closest) = self.closest_if_active(x) else { return 0.0 };
        let gap = closest.distance() - self.min_separation;
        if gap <= 0.0 {
            return f64::INFINITY;
        }
        self.stiffness * self.mollifier_value(x) * self.law.at(gap, self.d_hat).value
    }

    /// Closest point (m) on one of the two primitives: the vertex, or a point of an edge.
    pub(crate) fn contact_point(&self, x: &[Vec3; 4]) -> Vec3 {
        let weights = Closest::new(self.kind, x).weights;
        weights.iter().zip(x).map(|(w, x)| w.max(0.0) * *x).sum()
    }

    /// The force along the normal, `-dE/dd` (N), at this distance (m): positive in repulsion, negative for terms of
    /// negative stiffness.
    pub fn normal_force(&self, distance: f64, x: &[Vec3; 4]) -> f64 {
        let b = self.law.at(distance - self.min_separation, self.d_hat);
        -self.stiffness * self.mollifier_value(x) * b.first
    }

    /// The stiffness (N/m) along the normal, `d2E/dd2`, at this distance (m).
    pub fn normal_stiffness(&self, distance: f64, x: &[Vec3; 4]) -> f64 {
        let b = self.law.at(distance - self.min_separation, self.d_hat);
        self.stiffness * self.mollifier_value(x) * b.second
    }

    /// Frame and barrier derivatives; `None` if the gap is not between zero and `d_hat`.
    fn frame_and_barrier(&self, x: &[Vec3; 4]) -> Option<(Frame, Derivatives)> {
        self.frame_and_barrier_at(&self.closest_if_active(x)?, x)
    }

    /// [`frame_and_barrier`](Self::frame_and_barrier) at known closest points with a gap below `d_hat`.
    fn frame_and_barrier_at(
        &self,
        closest: &Closest,
        x: &[Vec3; 4],
    ) -> Option<(Frame, Derivatives)> {
        let frame = Frame::new(closest, x)?;
        let gap = frame.distance - self.min_separation;
        (gap > 0.0).then(|| (frame, self.law.at(gap, self.d_hat)))
    }

    /// Gradient (N); `None` unless the gap is between zero and `d_hat`.
    pub fn gradient(&self, x: &[Vec3; 4]) -> Option<[Vec3; 4]> {
        let (frame, b) = self.frame_and_barrier(x)?;
        Some(self.gradient_in(&frame, b, x))
    }

    /// [Energy](Self::value) and [gradient](Self::gradient), bitwise equal to the separate results.
    pub(crate) fn value_and_gradient(&self, x: &[Vec3; 4]) -> (f64, Option<[Vec3; 4]>) {
        let Some(closest) = self.closest_if_active(x) else { return (0.0, None) };
        let Some((frame, b)) = self.frame_and_barrier_at(&closest, x) else {
            return (f64::INFINITY, None);
        };
        let value = self.stiffness * self.mollifier_value(x) * b.value;
        (value, Some(self.gradient_in(&frame, b, x)))
    }

    /// Gradient (N) from the frame of the distance and the barrier.
    fn gradient_in(&self, frame: &Frame, b: Derivatives, x: &[Vec3; 4]) -> [Vec3; 4] {
        let Some(m) = self.active_mollifier(x) else {
            return frame.weights.map(|w| frame.normal * (self.stiffness * b.first * w));
        };
        let normal_force = frame.normal * (self.stiffness * m.value * b.first);
        let edge_gradients = m.gradient.map(|g| g * (self.stiffness * b.value));
        let edges = [-edge_gradients[0], edge_gradients[0], -edge_gradients[1], edge_gradients[1]];
        std::array::from_fn(|k| normal_force * frame.weights[k] + edges[k])
    }

    /// Hessian (N/m), exact or projected; `None` unless the gap is between zero and `d_hat`, and if the projection is
    /// zero.
    pub fn hessian(&self, x: &[Vec3; 4], psd: Psd) -> Option<Blocks> {
        let (frame, b) = self.frame_and_barrier(x)?;
        if let Some(m) = self.active_mollifier(x) {
            return Some(self.mollified_hessian(&frame, b, &m, psd));
        }
        let (second, first) = (self.stiffness * b.second, self.stiffness * b.first);
        if self.is_projected_to_zero(psd) {
            return None;
        }
        Some(match psd {
            Psd::Exact => frame.blocks(second, first),
            Psd::Clamp if self.law.is_attraction() => frame.positive_terms(second, first).blocks(),
            Psd::Clamp => frame.clamped_blocks(second, first),
        })
    }

    /// [`hessian`](Self::hessian), as a sum of few terms where possible.
    pub(crate) fn sparse_hessian(&self, x: &[Vec3; 4], psd: Psd) -> Option<PairHessian> {
        let (frame, b) = self.frame_and_barrier(x)?;
        if let Some(m) = self.active_mollifier(x) {
            return Some(PairHessian::Blocks(self.mollified_hessian(&frame, b, &m, psd)));
        }
        if self.is_projected_to_zero(psd) {
            return None;
        }
        let (second, first) = (self.stiffness * b.second, self.stiffness * b.first);
        Some(PairHessian::Terms(match psd {
            Psd::Clamp if self.law.is_attraction() => frame.positive_terms(second, first),
            _ => frame.terms(second, first, psd),
        }))
    }

    /// Whether the projected Hessian is replaced by zero: that of a term of negative stiffness is, since its positive
    /// semi-definite part is small.
    fn is_projected_to_zero(&self, psd: Psd) -> bool {
        psd == Psd::Clamp && self.stiffness < 0.0
    }

    /// Value of the mollifier; one for all pairs but edge-edge pairs.
    fn mollifier_value(&self, x: &[Vec3; 4]) -> f64 {
        match self.kind {
            PairKind::EdgeEdge => mollifier::value(x[1] - x[0], x[3] - x[2], self.mollifier),
            _ => 1.0,
        }
    }

    /// The mollifier with its derivatives; `None` where it is constant.
    fn active_mollifier(&self, x: &[Vec3; 4]) -> Option<Mollifier> {
        match self.kind {
            PairKind::EdgeEdge => mollifier::mollifier(x[1] - x[0], x[3] - x[2], self.mollifier),
            _ => None,
        }
    }

    /// Hessian of `m(u, v) b(d(u, v, r))`. It is computed and projected in the nine coordinates (first edge, second
    /// edge, offset), in which the products of both gradients are short. The projection uses a numerical
    /// eigendecomposition, since nearly parallel edges are rare.
    fn mollified_hessian(&self, frame: &Frame, b: Derivatives, m: &Mollifier, psd: Psd) -> Blocks {
        let mut reduced = [[0.0; 9]; 9];
        let mollifier_gradient = [m.gradient[0], m.gradient[1], Vec3::ZERO];
        let barrier_gradient = [Vec3::ZERO, Vec3::ZERO, frame.normal * b.first];
        for i in 0..3 {
            for j in i..3 {
                let mut block = frame.reduced_block([i, j], m.value * b.second, m.value * b.first);
                if j < 2 {
                    block += m.hessian[i + j] * b.value;
                }
                block += outer(mollifier_gradient[i], barrier_gradient[j])
                    + outer(barrier_gradient[i], mollifier_gradient[j]);
                write_block(&mut reduced, i, j, block * self.stiffness);
            }
        }
        if psd == Psd::Clamp {
            project_psd(&mut reduced);
        }
        expand(&reduced, &frame.weights)
    }
}

/// Writes a 3x3 block at `(i, j)` and its transpose at `(j, i)`.
fn write_block(out: &mut [[f64; 9]; 9], i: usize, j: usize, block: Mat3) {
    for r in 0..3 {
        for c in 0..3 {
            out[3 * i + r][3 * j + c] = block.col(c)[r];
            out[3 * j + c][3 * i + r] = block.col(c)[r];
        }
    }
}

/// Transforms a Hessian from the coordinates (first edge, second edge, offset with the constant `weights`) to the four
/// points of an edge-edge pair.
fn expand(reduced: &[[f64; 9]; 9], weights: &[f64; 4]) -> Blocks {
    let components = |k: usize| {
        let sign = [-1.0, 1.0][k % 2];
        [(k / 2, sign), (2, weights[k])]
    };
    BLOCK_PAIRS.map(|(k, l)| {
        let mut block = Mat3::ZERO;
        for (i, a) in components(k) {
            for (j, b) in components(l) {
                block += Mat3::from_cols_array_2d(&std::array::from_fn(|c| {
                    std::array::from_fn(|r| a * b * reduced[3 * i + r][3 * j + c])
                }));
            }
        }
        if k == l { (block + block.transpose()) * 0.5 } else { block }
    })
}
