//! Boxes of bodies, to find out who may meet whom in a step.

use crate::{Aabb, Surface};
use resile_linalg::Vec3;

/// The box around a body's surface at `x` (the body's own nodes, m).
pub fn body_box(surface: &Surface, x: &[Vec3]) -> Aabb {
    Aabb::of_points(surface.vertices().iter().map(|&i| x[i as usize]))
}

/// The box around a body's surface on the straight way `from -> to`.
pub fn swept_body_box(surface: &Surface, from: &[Vec3], to: &[Vec3]) -> Aabb {
    body_box(surface, from).hull(body_box(surface, to))
}
