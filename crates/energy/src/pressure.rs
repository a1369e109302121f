//! Pressure inside a closed surface.

use crate::closed_surface::ClosedSurface;
use crate::factor::Factor;
use crate::schedule::between;
use crate::triangles::TriangleError;
use resile_system::{Energy, Hessian, Psd, Vec3};

/// A surface that holds no pressure.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PressureError {
    /// There is no surface.
    #[error("a surface without triangles holds no pressure")]
    Empty,
    /// A triangle has no three nodes.
    #[error(transparent)]
    Triangle(#[from] TriangleError),
    /// An edge has a triangle on one side only.
    #[error(
        "the surface is open: only triangle {triangle} has the edge from node {from} to node {to}"
    )]
    Open {
        /// The triangle, counted from zero.
        triangle: usize,
        /// Where the edge begins, in the order of that triangle.
        from: u32,
        /// Where it ends.
        to: u32,
    },
    /// Two triangles run along an edge in the same sense, so they do not face the same
    /// side; or more than two meet there.
    #[error(
        "triangles {triangles:?} both run from node {from} to node {to}: turn one, or part the surface"
    )]
    Unoriented {
        /// The triangles, counted from zero.
        triangles: [usize; 2],
        /// Where the edge begins, in the order of both.
        from: u32,
        /// Where it ends.
        to: u32,
    },
    /// The pressure is not finite.
    #[error("the pressure is {pressure} Pa, but must be finite")]
    NotFinite {
        /// What was given (Pa).
        pressure: f64,
    },
}

/// `P(x, t) = -s(t) p vol(x)`: the pressure p inside a closed surface over that outside,
/// whatever the volume (a leaking balloon on a pump), times a schedule s.
///
/// The volume is that of the cones from one point to all triangles, by the divergence
/// theorem a cubic polynomial of the positions. Its gradient at a node is a third of the
/// area vectors around it. In the second derivative the point of the cones cancels and
/// only the two ends of an edge are coupled, by `d2vol/da db = [d - c]_x / 6`, where
/// (a, b, c) and (b, a, d) are the triangles at the edge; the diagonal is zero.
///
/// # Projection
/// With a zero diagonal the matrix has as much negative curvature as positive. Under
/// [`Psd::Clamp`] all of it is left out. What could be kept in closed form is the
/// clamp of each edge: half its block B, and half of `(B B^T)^(1/2)` at both ends. That is
/// an upper bound, but one that resists translation, and that every edge around a node
/// adds to. What zero neglects is of the order of `p l` (l an edge length)
/// and lies along the surface: normal to it a volume under pressure has negative
/// curvature. A membrane that carries the pressure has a tension of the order of `p R` (R
/// the radius of curvature), whose own stiffness is kept, and along itself is stiffer
/// still. Newton's method thus sees too little stiffness by a fraction of the order of
/// `l / R`. Surfaces without any stiffness of their own need time steps in which inertia exceeds `p l`.
///
/// O(triangles). Values and gradients are shared by the threads of the rayon pool they are
/// called in, with the same bits for any number of them.
#[derive(Debug, Clone)]
pub struct Pressure {
    surface: ClosedSurface,
    pressure: f64,
    schedule: Factor,
    /// s at the time last set.
    factor: f64,
}

impl Pressure {
    /// `pressure` p (Pa) behind `triangles` of a body of `node_count` nodes, times the
    /// `schedule`; at first as at time zero. The corners of a triangle turn
    /// counter-clockwise seen from outside; a surface inside out is sucked where it should
    /// be blown.
    ///
    /// # Errors
    /// No triangle; the first triangle without three nodes; the first edge that has not one
    /// triangle on each side; a pressure that is not finite.
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
        let factor = schedule.at(0.0);
        Ok(Self { surface, pressure, schedule, factor })
    }
}

impl Energy for Pressure {
    fn name(&self) -> &str {
        "pressure"
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }

    fn set_time(&mut self, time: f64) {
        self.factor = self.schedule.at(time);
    }

    fn next_change(&self, time: f64) -> f64 {
        self.schedule.next_change(time)
    }

    fn value(&self, x: &[Vec3]) -> f64 {
        -self.factor * self.pressure * self.surface.volume(|node| x[node])
    }

    fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.surface.add_gradient(x, -scale * self.factor * self.pressure, out);
    }

    fn add_hessian(&self, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        // The pairs have to be the same in every call.
        let scale = if psd == Psd::Exact { -self.factor * self.pressure } else { 0.0 };
        self.surface.add_hessian(x, scale, out);
    }

    /// `sum (s_old - s_new) p vol` over its changes.
    fn work(&self, from: &[Vec3], to: &[Vec3], times: [f64; 2]) -> f64 {
        self.schedule.work(times, |fraction, factor| {
            -factor
                * self.pressure
                * self.surface.volume(|node| between(from[node], to[node], fraction))
        })
    }
}
