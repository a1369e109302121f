//! First and second derivatives of a distance, in the frame of its closest points.
//!
//! Let `r = sum_k w_k x_k` with the weights held constant, `n = r/d`, and `u_1, u_2` the axes of the feature (none,
//! one or two), each a difference of two of the points. As a function of the axes and of `r`, the distance is
//! `d = n(u) . r` for a plane and `|r - (r.u) u/|u|^2|` for a line.
//!
//! When the axes change by `du`, the normal rotates by `-m`, `m = sum_a g_a (n . du_a)` where `g_a` is the basis
//! dual to the axes in their span. With `s` the part of `dr` in that span and `t` the direction orthogonal to `n`
//! and to all axes (one for a line, a plane of them for two points, none for a plane)
//!
//! ```text
//!   first variation   dd  = n . dr
//!   second variation  d2d = -2 m . s - d |m|^2 + (dr . t)^2 / d
//! ```
//!
//! The Gram matrix of the `g_a` is 2x2; in its eigenvectors ("principal axes", unit directions `e_i`, mixtures
//! `p_i = n . sum_a V_ai du_a`, lengths `sigma_i`) the form splits into blocks in `(p_i, s_i)`, `s_i = e_i . dr`:
//!
//! ```text
//!   -[ d sigma^2  sigma ]      of eigenvalues of opposite sign.
//!    [ sigma        0   ]
//! ```
//!
//! A barrier `b(d)` has `b' < 0 < b''`, so `b'' (n.dr)^2 + b' d2d` is projected by
//! dropping the `t` part and the negative eigenvector of each block: the projected
//! Hessian has rank one, two or three, and needs no eigenvalue iteration (the
//! analytic counterpart of the numeric projection of Li et al. 2020; in the same
//! spirit as Shi & Kim 2023 and Huang et al. 2024, but in coordinates `(u, r)` in
//! which axes and offset do not mix). Clamping is done in these coordinates, which
//! differ from nodal ones by a congruence: the result is positive semi-definite, is
//! never below the exact Hessian, and equals it where that is semi-definite.

use super::{Closest, Feature};
use resile_math::elementary::hypot;
use resile_math::{Mat3, Vec3, outer};
use resile_system::Psd;
use std::array;

/// A principal axis.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Axis {
    /// Coefficients of the feature's axes.
    mix: [f64; 2],
    /// Unit direction in space.
    along: Vec3,
    /// Rotation of the normal per unit of the mixture normal to the plane (1/m).
    sigma: f64,
}

/// A distance with the data of its derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// The distance (m), positive.
    pub distance: f64,
    /// Unit vector along the difference of the closest points.
    pub normal: Vec3,
    /// Weights of the points in the difference; see [`Closest::weights`].
    pub weights: [f64; 4],
    feature: Feature,
    /// Principal axes, of which the first `axis_count` are used.
    axes: [Axis; 2],
    axis_count: usize,
}

/// Blocks `(0,0), (0,1), .., (3,3)` of the upper triangle of a 12x12 matrix.
pub type Blocks = [Mat3; 10];

/// Block rows and columns of [`Blocks`].
pub const BLOCK_PAIRS: [(usize, usize); 10] =
    [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)];

/// Term `factor v v^T` of a symmetric 12x12 matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Term {
    pub(crate) factor: f64,
    pub(crate) vectors: [Vec3; 4],
}

/// Hessian as a sum of terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    terms: [Term; Self::MAX_TERMS],
    count: usize,
}

impl Terms {
    /// Largest number of terms.
    pub(crate) const MAX_TERMS: usize = 5;

    const NONE: Self =
        Self { terms: [Term { factor: 0.0, vectors: [Vec3::ZERO; 4] }; Self::MAX_TERMS], count: 0 };

    #[cfg(test)]
    pub(crate) fn new(terms: &[(f64, [Vec3; 4])]) -> Self {
        let mut all = Self::NONE;
        terms.iter().for_each(|&(factor, vectors)| all.push(factor, vectors));
        all
    }

    /// Adds the term `factor v v^T`.
    fn push(&mut self, factor: f64, vectors: [Vec3; 4]) {
        self.terms[self.count] = Term { factor, vectors };
        self.count += 1;
    }

    /// The terms of the sum.
    pub(crate) fn as_slice(&self) -> &[Term] {
        &self.terms[..self.count]
    }

    /// Sum of the terms.
    pub(crate) fn blocks(&self) -> Blocks {
        BLOCK_PAIRS.map(|(k, l)| {
            let outer = |term: &Term| outer(term.vectors[k] * term.factor, term.vectors[l]);
            self.as_slice().iter().fold(Mat3::ZERO, |sum, term| sum + outer(term))
        })
    }
}

/// Unused principal axis.
const NO_AXIS: Axis = Axis { mix: [0.0; 2], along: Vec3::ZERO, sigma: 0.0 };

impl Frame {
    /// The local frame of the distance at the closest points; `None` if the distance is zero or not finite.
    pub fn new(closest: &Closest, x: &[Vec3; 4]) -> Option<Self> {
        let distance = closest.distance();
        if distance <= 0.0 || !distance.is_finite() {
            return None;
        }
        let normal = closest.difference / distance;
        let edge = |e: [u8; 2]| x[usize::from(e[1])] - x[usize::from(e[0])];
        let (axes, axis_count) = match closest.feature {
            Feature::Points => ([NO_AXIS; 2], 0),
            Feature::PointLine(e) => ([line_axis(edge(e)), NO_AXIS], 1),
            Feature::Plane(e, f) => (plane_axes(edge(e), edge(f)), 2),
        };
        let Closest { feature, weights, .. } = *closest;
        Some(Self { distance, normal, weights, feature, axes, axis_count })
    }

    /// Features between which the distance is measured.
    pub fn feature(&self) -> Feature {
        self.feature
    }

    /// Gradient `dd/dx_k`.
    pub fn gradient(&self) -> [Vec3; 4] {
        self.weights.map(|w| self.normal * w)
    }

    /// Second derivative `d2d/dx2` (1/m).
    pub fn hessian(&self) -> Blocks {
        self.blocks(0.0, 1.0)
    }

    /// Hessian of a function `b(d)` with these derivatives: `second * (dd/dx) (dd/dx)^T + first * d2d/dx2`.
    pub fn blocks(&self, second: f64, first: f64) -> Blocks {
        let nodes = self.node_mixtures();
        array::from_fn(|index| {
            let (k, l) = BLOCK_PAIRS[index];
            self.block(&self.weights, &nodes, [k, l], second, first)
        })
    }

    /// [`Self::blocks`] projected to positive semi-definite matrices, for `second >= 0 >= first`.
    pub fn clamped_blocks(&self, second: f64, first: f64) -> Blocks {
        let nodes = self.node_mixtures();
        let nn = outer(self.normal, self.normal) * second;
        let mut out = BLOCK_PAIRS.map(|(k, l)| nn * (self.weights[k] * self.weights[l]));
        for (axis, mixture) in self.axes[..self.axis_count].iter().zip(&nodes) {
            // The positive eigenvalue of -first * [[d s^2, s], [s, 0]] is
            // -first * s * slope, its eigenvector (slope, 1).
            let half = 0.5 * self.distance * axis.sigma;
            let slope = half + hypot(half, 1.0);
            let value = -first * axis.sigma * slope / (slope * slope + 1.0);
            let q: [Vec3; 4] = array::from_fn(|k| {
                self.normal * (slope * mixture[k]) + axis.along * self.weights[k]
            });
            for (block, (k, l)) in out.iter_mut().zip(BLOCK_PAIRS) {
                *block += outer(q[k] * value, q[l]);
            }
        }
        out
    }

    /// The terms of [`Self::blocks`] that are positive semi-definite, for any signs of `second` and `first`.
    pub(crate) fn positive_terms(&self, second: f64, first: f64) -> Terms {
        let mut positive = Terms::NONE;
        let all = self.terms(second, first, Psd::Exact);
        let terms = all.as_slice().iter().filter(|term| term.factor > 0.0);
        terms.for_each(|term| positive.push(term.factor, term.vectors));
        positive
    }

    /// [`Self::blocks`], or [`Self::clamped_blocks`] for `second >= 0 >= first`, as terms: for each axis the
    /// eigenvectors `(slope, 1)` and `(-1, slope)`.
    pub(crate) fn terms(&self, second: f64, first: f64, psd: Psd) -> Terms {
        let mut terms = Terms::NONE;
        let n = self.normal;
        terms.push(second, self.weights.map(|w| n * w));
        for (axis, mixture) in self.axes[..self.axis_count].iter().zip(self.node_mixtures()) {
            let half = 0.5 * self.distance * axis.sigma;
            let slope = half + hypot(half, 1.0);
            let value = -first * axis.sigma / (slope * slope + 1.0);
            let vector = |p: f64, s: f64| {
                array::from_fn(|k| n * (p * mixture[k]) + axis.along * (s * self.weights[k]))
            };
            terms.push(value * slope, vector(slope, 1.0));
            if psd == Psd::Exact {
                terms.push(-value / slope, vector(-1.0, slope));
            }
        }
        if psd == Psd::Exact {
            let mut across =
                |t: Vec3| terms.push(first / self.distance, self.weights.map(|w| t * w));
            match self.feature {
                Feature::Points => {
                    let (s, t) = n.any_orthonormal_pair();
                    across(s);
                    across(t);
                }
                Feature::PointLine(_) => across(self.axes[0].along.cross(n)),
                Feature::Plane(..) => {}
            }
        }
        terms
    }

    /// Block `(i, j)` of the Hessian of `b(d)` for an edge-edge pair in the coordinates `(u, v, r)`: first edge,
    /// second edge, offset with constant weights.
    pub(crate) fn reduced_block(&self, indices: [usize; 2], second: f64, first: f64) -> Mat3 {
        let mixtures = self.reduced_mixtures();
        self.block(&[0.0, 0.0, 1.0], &mixtures, indices, second, first)
    }

    /// Coefficients of the points in each principal axis.
    fn node_mixtures(&self) -> [[f64; 4]; 2] {
        let edges = match self.feature {
            Feature::Points => return [[0.0; 4]; 2],
            Feature::PointLine(e) => [e, e],
            Feature::Plane(e, f) => [e, f],
        };
        self.axes.map(|axis| {
            let mut mixture = [0.0; 4];
            for (edge, mix) in edges.iter().zip(axis.mix) {
                mixture[usize::from(edge[0])] -= mix;
                mixture[usize::from(edge[1])] += mix;
            }
            mixture
        })
    }

    /// Coefficients of the coordinates `(u, v, r)` in each principal axis.
    fn reduced_mixtures(&self) -> [[f64; 3]; 2] {
        let first_edge = matches!(self.feature, Feature::PointLine([0, _]));
        self.axes.map(|axis| match self.feature {
            Feature::PointLine(_) if !first_edge => [0.0, axis.mix[0], 0.0],
            _ => [axis.mix[0], axis.mix[1], 0.0],
        })
    }

    /// Block of the Hessian at points `k` and `l` of a function of the distance with the derivatives `first` and
    /// `second`. `weights` are the coefficients of the points in the offset `r`, `mixtures` those in each principal
    /// axis.
    fn block<const N: usize>(
        &self,
        weights: &[f64; N],
        mixtures: &[[f64; N]; 2],
        [k, l]: [usize; 2],
        second: f64,
        first: f64,
    ) -> Mat3 {
        let n = self.normal;
        let mut along_normal = second * weights[k] * weights[l];
        let (mut tangent_k, mut tangent_l) = (Vec3::ZERO, Vec3::ZERO);
        for (axis, mixture) in self.axes[..self.axis_count].iter().zip(mixtures) {
            let (mk, ml) = (axis.sigma * mixture[k], axis.sigma * mixture[l]);
            along_normal -= first * self.distance * mk * ml;
            tangent_k += axis.along * mk;
            tangent_l += axis.along * ml;
        }
        let mixed =
            outer(n, tangent_k) * (first * weights[l]) + outer(tangent_l, n) * (first * weights[k]);
        let across = first * weights[k] * weights[l] / self.distance;
        let nn = outer(n, n);
        match self.feature {
            Feature::Points => nn * along_normal + (Mat3::IDENTITY - nn) * across,
            Feature::PointLine(_) => {
                let t = self.axes[0].along.cross(n);
                nn * along_normal - mixed + outer(t, t) * across
            }
            Feature::Plane(..) => nn * along_normal - mixed,
        }
    }
}

/// Principal axis of a point-line distance with the edge vector `u`.
fn line_axis(u: Vec3) -> Axis {
    let length = u.length();
    Axis { mix: [1.0, 0.0], along: u / length, sigma: length.recip() }
}

/// Eigenvectors of the Gram matrix of the basis dual to `u`, `v`, which are those of the Gram matrix of `u`, `v`
/// with inverse eigenvalues.
fn plane_axes(u: Vec3, v: Vec3) -> [Axis; 2] {
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let half_difference = 0.5 * (uu - vv);
    let radius = hypot(half_difference, uv);
    // The eigenvector (c, s) of the larger eigenvalue, without cancellation.
    let (c, s) = if radius == 0.0 {
        (1.0, 0.0)
    } else if half_difference >= 0.0 {
        let (c, s) = (half_difference + radius, uv);
        (c / hypot(c, s), s / hypot(c, s))
    } else {
        let (c, s) = (uv, radius - half_difference);
        (c / hypot(c, s), s / hypot(c, s))
    };
    let large = u * c + v * s;
    let small = v * c - u * s;
    [principal([c, s], large), principal([-s, c], small)]
}

/// Principal axis of a linear combination of axes and its vector, with `length = 1/sigma`.
fn principal(mix: [f64; 2], vector: Vec3) -> Axis {
    let length = vector.length();
    Axis { mix, along: vector / length, sigma: length.recip() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::distance::PairKind;
    use proptest::prelude::*;

    fn largest(blocks: &Blocks) -> f64 {
        let largest_entry =
            |block: &Mat3| block.to_cols_array().into_iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        blocks.iter().map(largest_entry).fold(0.0, f64::max)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

        #[test]
        fn terms_sum_to_the_blocks(
            x in prop::array::uniform4(prop::array::uniform3(-1.0..1.0).prop_map(Vec3::from_array)),
            kind in 0_usize..4, second in 0.0..10.0, first in -10.0..0.0,
        ) {
            use PairKind::{EdgeEdge, VertexEdge, VertexFace, VertexVertex};
            let kind = [EdgeEdge, VertexFace, VertexEdge, VertexVertex][kind];
            // Unused points repeat the last one.
            let x = array::from_fn(|k| x[k.min(kind.points() - 1)]);
            let frame = Frame::new(&Closest::new(kind, &x), &x).expect("the points are apart");
            prop_assume!(frame.distance > 1e-2);
            let both = [(Psd::Exact, frame.blocks(second, first)), (Psd::Clamp, frame.clamped_blocks(second, first))];
            for (psd, blocks) in both {
                let sum = frame.terms(second, first, psd).blocks();
                let off: Blocks = array::from_fn(|k| sum[k] - blocks[k]);
                prop_assert!(largest(&off) <= 1e-12 * largest(&blocks), "{:?}: {}", psd, largest(&off));
            }
        }
    }
}
