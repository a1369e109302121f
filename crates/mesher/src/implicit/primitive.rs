//! Exact signed distances to shapes with closed formulas.

use resile_math::Vec3;
use resile_math::elementary;

/// Signed distance to the convex hull of two balls.
///
/// In the half plane of the point and the axis the hull's side is a line with the unit normal `(c, s)` (away
/// from the axis, along it), `s = (r0 - r1) / length`. The normal through the point meets the axis at `foot`,
/// which decides whether the side or one of the balls is nearest.
pub(super) fn capsule(point: Vec3, from: Vec3, to: Vec3, radii: [f64; 2]) -> f64 {
    let length = from.distance(to);
    let [first, second] = radii;
    if length <= (first - second).abs() {
        // One ball contains the other.
        let center = if first >= second { from } else { to };
        return point.distance(center) - first.max(second);
    }
    let (radial, axial) = radial_and_axial(point - from, (to - from) / length);
    let s = (first - second) / length;
    let c = (1.0 - s * s).sqrt();
    let foot = axial - radial * s / c;
    if foot <= 0.0 {
        point.distance(from) - first
    } else if foot >= length {
        point.distance(to) - second
    } else {
        radial * c + axial * s - first
    }
}

/// Signed distance to a box around the origin.
pub(super) fn rounded_box(point: Vec3, half: Vec3, rounding: f64) -> f64 {
    let excess = point.abs() - (half - Vec3::splat(rounding));
    distance_to_negative_orthant(excess) + excess.max_element().min(0.0) - rounding
}

/// Signed distance to a cylinder with flat ends.
pub(super) fn cylinder(point: Vec3, from: Vec3, to: Vec3, radius: f64) -> f64 {
    let length = from.distance(to);
    let (radial, axial) = radial_and_axial(point - 0.5 * (from + to), (to - from) / length);
    let excess = Vec3::new(radial - radius, axial.abs() - 0.5 * length, f64::NEG_INFINITY);
    distance_to_negative_orthant(excess) + excess.max_element().min(0.0)
}

/// Signed distance to a torus around the origin.
pub(super) fn torus(point: Vec3, axis: Vec3, ring_radius: f64, tube_radius: f64) -> f64 {
    let (radial, axial) = radial_and_axial(point, axis.normalize_or_zero());
    elementary::hypot(radial - ring_radius, axial) - tube_radius
}

/// Distance from a point to the orthant in which no coordinate is positive.
fn distance_to_negative_orthant(excess: Vec3) -> f64 {
    excess.max(Vec3::ZERO).length()
}

/// Distance of a point from the axis through the origin, and its coordinate along the axis.
fn radial_and_axial(point: Vec3, axis: Vec3) -> (f64, f64) {
    let axial = point.dot(axis);
    // Pythagoras would lose half of the digits near the axis.
    ((point - axial * axis).length(), axial)
}
