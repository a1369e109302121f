//! Pressure inside a closed surface.

use crate::closed_surface::ClosedSurface;
use crate::factor::Factor;
use crate::schedule::between;
use crate::triangles::TriangleError;
use resile_system::{Energy, Hessian, Psd, Vec3};

/// An invalid surface or pressure.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PressureError {
    /// There is no surface.
    #[error("a surface without triangles holds no pressure")]
    Empty,
    /// A triangle does not have three different nodes of the body.
    #[error(transparent)]
    Triangle(#[from] TriangleError),
    /// An edge has a triangle on one side only.
    #[error(
        "the surface is open: only triangle {triangle} has the edge from node {from} to node {to}"
    )]
    Open {
        /// The triangle, counted from zero.
        triangle: usize,
        /// Start node of the edge, in the orientation of that triangle.
        from: u32,
        /// End node of the edge.
        to: u32,
    },
    /// Two triangles traverse an edge in the same direction: their orientations are inconsistent, or the
    /// edge is non-manifold.
    #[error(
        "triangles {triangles:?} both run from node {from} to node {to}: turn one, or part the surface"
    )]
    Unoriented {
        /// The triangles, counted from zero.
        triangles: [usize; 2],
        /// Start node of the edge, in the orientation of both triangles.
        from: u32,
        /// End node of the edge.
        to: u32,
    },
    /// The pressure is not finite.
    #[error("the pressure is {pressure} Pa, but must be finite")]
    NotFinite {
        /// The given value (Pa).
        pressure: f64,
    },
}

/// `P(x, t) = -s(t) p vol(x)`: a gauge pressure p inside a closed surface, independent of the
/// volume, times a schedule s. For a given amount of gas see [`Gas`](crate::Gas).
///
/// The volume is the sum of the cones from one point over all triangles (divergence theorem), a
/// cubic polynomial of the positions. Its gradient at a node is a third of the area vectors of
/// the incident triangles. In the second derivative the apex of the cones cancels; only the two
/// ends of an edge are coupled, by `d2vol/da db = [d - c]_x / 6`, where (a, b, c) and (b, a, d)
/// are the triangles at the edge. The diagonal is zero.
///
/// # Projection
/// Since the diagonal is zero, the matrix has as much negative as positive curvature.
/// [`Psd::Clamp`] omits it. The clamp of each edge has a closed form (half its block B, and half of
/// `(B B^T)^(1/2)` at both ends) but resists translation and accumulates over the edges of a node.
/// The omitted curvature is of the order of `p l` (l an edge length). A membrane that carries the
/// pressure has a tension of the order of `p R` (R the radius of curvature), whose stiffness is kept,
/// so Newton's method underestimates the stiffness by a fraction of the order of `l / R`. Surfaces
/// without stiffness need time steps small enough that inertia exceeds `p l`.
///
/// O(triangles). Values and gradients are evaluated in parallel in the current rayon pool, and are bitwise equal
/// for any number of threads.
#[derive(Debug, Clone)]
pub struct Pressure {
    surface: ClosedSurface,
    pressure: f64,
    schedule: Factor,
}

impl Pressure {
    /// A `pressure` p (Pa) behind `triangles` of a body of `node_count` nodes, times the `schedule`.
    /// Triangles are counter-clockwise seen from outside; on an
    /// inside-out surface the pressure acts inwards.
    ///
    /// # Errors
    /// No triangle; the first triangle without three nodes; the first edge without exactly one triangle
    /// on each side; a pressure that is not finite.
    pub fn new(
        node_count: usize,
        triangles: &[[u32; 3]],
        pressure: f64,
        schedule: impl Into<Factor>,
    ) -> Result<Self, PressureError> {
        if !pressure.is_finite() {
            return Err(PressureError::NotFinite { pressure });
        }
        let surface = ClosedSurface::new(node_count, triangles)?;
        let schedule = schedule.into();
        Ok(Self { surface, pressure, schedule })
    }
}

impl Energy for Pressure {
    fn name(&self) -> &str {
        "pressure"
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }

    fn is_follower_load(&self) -> bool {
        true
    }

    fn next_change(&self, time: f64) -> f64 {
        self.schedule.next_change(time)
    }

    fn value(&self, time: f64, x: &[Vec3]) -> f64 {
        -self.schedule.at(time) * self.pressure * self.surface.volume(|node| x[node])
    }

    fn add_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.surface.add_gradient(x, -scale * self.schedule.at(time) * self.pressure, out);
    }

    fn add_hessian(&self, time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        // The sparsity pattern must be the same in every call.
        let scale = if psd == Psd::Exact { -self.schedule.at(time) * self.pressure } else { 0.0 };
        self.surface.add_hessian(x, scale, out);
    }

    /// `sum (s_old - s_new) p vol` over the changes of s.
    fn work(&self, from: &[Vec3], to: &[Vec3], times: [f64; 2]) -> f64 {
        self.schedule.work(times, |fraction, factor| {
            -factor
                * self.pressure
                * self.surface.volume(|node| between(from[node], to[node], fraction))
        })
    }
}
