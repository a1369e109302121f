//! Distances between a vertex and a face, an edge or a vertex, and between two edges.
//!
//! # One function instead of sixteen
//! The closest points of two convex pieces lie on a pair of features: two points,
//! a point and a line, or two directions spanning a plane (the plane of a
//! triangle, or the plane parallel to two lines). In all cases the offset of the
//! closest points is `r = sum_k w_k x_k` with weights that depend on `x`, and the
//! distance is `d = |r|` minimised over them. Its gradient is `w_k n` (the weights
//! may be held: they are stationary), and its second derivative needs only how the
//! normal `n` turns when the axes turn. Point-plane and line-line are the same
//! function of their axes `u`, `v` and of `r`; point-line is that with one axis,
//! point-point with none. So there is one derivation, [`Frame`], and no generated
//! code. See `frame.rs` for the formulas.
//!
//! # Why the distance and not its square
//! Toolkits differentiate `D = d^2` because it is a polynomial for two points. In
//! the frame of the closest points `d` is the simpler one: linear along the
//! normal, and its Hessian splits into 2x2 blocks of known eigenvalues, which makes
//! the projection of a barrier pair a closed form.
//!
//! # Conditioning
//! Vertices of a pair are subtracted from one another first, so the absolute
//! error of `d` is a few roundings of the pair's own extent `L` (not of its place
//! in the scene): its relative error is of the order of `1e-16 L/d`, times the
//! aspect of the triangle, or the inverse sine of the angle of the edges. Nothing
//! computed in doubles from rounded differences can do better.

mod closest;
mod frame;

pub use closest::{Closest, Feature, PairKind};
pub(crate) use frame::Terms;
pub use frame::{BLOCK_PAIRS, Blocks, Frame};
