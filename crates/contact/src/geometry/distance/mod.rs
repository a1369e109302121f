//! Distance of vertex-face, edge-edge, vertex-edge and vertex-vertex pairs.
//!
//! # A single distance function
//! The closest points of two convex primitives lie on a pair of features: two points, a point and a line, or two
//! directions spanning a plane (the plane of a triangle, or the plane parallel to two lines). In all cases the
//! offset of the closest points is `r = sum_k w_k x_k` with weights that depend on `x`, and the distance is
//! `d = |r|` minimised over them. Its gradient is `w_k n`: the weights are stationary and may be held constant. Its
//! second derivative needs only the rotation of the normal `n` with the axes. Point-plane and line-line distances
//! are the same function of their axes `u`, `v` and of `r`. The point-line distance has one axis, the point-point
//! distance none. One derivation, [`Frame`], therefore covers all pairs without generated code. See `frame.rs` for
//! the formulas.
//!
//! # Distance instead of its square
//! Other toolkits differentiate `D = d^2` because it is a polynomial for two points. In the frame of the closest
//! points `d` is simpler: it is linear along the normal, and its Hessian splits into 2x2 blocks with known
//! eigenvalues. The projection of a barrier pair then has a closed form.
//!
//! # Conditioning
//! The vertices of a pair are subtracted from one another first. The absolute error of `d` is therefore a few
//! roundings of the extent `L` of the pair, not of its position in the scene. The relative error is of the order of
//! `1e-16 L/d`, times the aspect ratio of the triangle or the inverse sine of the angle between the edges. No
//! double-precision computation from rounded differences can be more accurate.

mod closest;
mod frame;

pub use closest::{Closest, Feature, PairKind};
pub(crate) use frame::Terms;
pub use frame::{BLOCK_PAIRS, Blocks, Frame};
