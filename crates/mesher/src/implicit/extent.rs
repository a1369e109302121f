//! Bounding boxes of fields.

use super::Field;
use resile_math::{Aabb, Vec3};

impl Field {
    /// A box that contains the solid; `None` if the solid is certainly empty, as in the intersection of two
    /// shapes with disjoint boxes.
    ///
    /// Exact for primitives. Conservative (possibly too large, never too small) for intersections, differences,
    /// blends and rotations.
    pub fn bounds(&self) -> Option<Aabb> {
        self.bounds_up_to(0.0)
    }

    /// A box (m) that contains all points whose value is at most `level` (m), which must not be negative. `None` if
    /// there are no such points.
    ///
    /// Growing the box of an intersection would not suffice: its value is a lower bound of the distance, and
    /// beyond a sharp edge it stays below `level` far away.
    fn bounds_up_to(&self, level: f64) -> Option<Aabb> {
        let box_around = |center: Vec3, half: Vec3| {
            let half = half + Vec3::splat(level);
            Some(Aabb { min: center - half, max: center + half })
        };
        match self {
            Self::Sphere { center, radius } => box_around(*center, Vec3::splat(*radius)),
            Self::Ellipsoid { center, radii } => box_around(*center, *radii),
            Self::Capsule { from, to, radii } => {
                let first = box_around(*from, Vec3::splat(radii[0]))?;
                Some(first.joined(box_around(*to, Vec3::splat(radii[1]))?))
            }
            Self::Box { center, half, .. } => box_around(*center, *half),
            Self::Cylinder { from, to, radius } => {
                let disc = disc_half_extents(*to - *from, *radius);
                Some(box_around(*from, disc)?.joined(box_around(*to, disc)?))
            }
            Self::Torus { center, axis, ring_radius, tube_radius } => box_around(
                *center,
                disc_half_extents(*axis, *ring_radius) + Vec3::splat(*tube_radius),
            ),
            Self::Union(parts) => join_bounds(parts, level),
            Self::Intersection(parts) => {
                let (first, others) = parts.split_first()?;
                let first_bounds = first.bounds_up_to(level)?;
                others
                    .iter()
                    .try_fold(first_bounds, |common, part| common.common(part.bounds_up_to(level)?))
            }
            Self::Difference(minuend, _) => minuend.bounds_up_to(level),
            Self::SmoothUnion { radius, parts } => {
                // Largest amount (m) by which the blend is below the smallest value of the parts.
                let max_decrease = radius * (1.0 - 1.0 / (parts.len() as f64).sqrt());
                join_bounds(parts, level + max_decrease)
            }
            Self::Mirrored { normal, part } => {
                let bounds = part.bounds_up_to(level)?;
                let (a, b) = (normal.mirror(bounds.min), normal.mirror(bounds.max));
                Some(bounds.joined(Aabb { min: a.min(b), max: a.max(b) }))
            }
            Self::Moved { rotation, translation, part } => {
                let unmoved = part.bounds_up_to(level)?;
                let center = *rotation * unmoved.center() + *translation;
                let half = rotation.abs() * (0.5 * unmoved.size());
                Some(Aabb { min: center - half, max: center + half })
            }
        }
    }
}

/// Box around the boxes of all parts.
fn join_bounds(parts: &[Field], level: f64) -> Option<Aabb> {
    parts.iter().filter_map(|part| part.bounds_up_to(level)).reduce(Aabb::joined)
}

/// Half the lengths of the bounding box of a disc perpendicular to `axis`.
fn disc_half_extents(axis: Vec3, radius: f64) -> Vec3 {
    let unit = axis.normalize_or_zero();
    (Vec3::ONE - unit * unit).max(Vec3::ZERO).map(f64::sqrt) * radius
}
