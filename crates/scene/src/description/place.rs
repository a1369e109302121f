//! Geometry of placements, deformations and regions.

use super::{Axis, Body, Deformation, Placement, Region, Rotation};
use resile_math::elementary;
use resile_math::{Aabb, Mat3, Vec3};

/// Distance up to which a node outside a region counts as inside, relative to the size of its body. It covers
/// coordinates that were rounded to single precision, and is far below the length of any edge.
const REGION_TOLERANCE: f64 = 1e-7;

/// Further tolerance, relative to the largest coordinate, for the rounding errors of placement.
const PLACED_TOLERANCE: f64 = 1e-14;

impl Axis {
    /// Its unit vector.
    pub fn vector(self) -> Vec3 {
        match self {
            Self::X => Vec3::X,
            Self::Y => Vec3::Y,
            Self::Z => Vec3::Z,
        }
    }
}

impl Rotation {
    /// The rotation matrix.
    pub fn matrix(&self) -> Mat3 {
        let axis = Vec3::from_array(self.axis).normalize_or_zero();
        elementary::rotation(axis, self.degrees.to_radians())
    }
}

impl Placement {
    /// Position of a point of the shape after placement (m).
    pub fn apply(&self, point: Vec3) -> Vec3 {
        self.apply_to_direction(point) + Vec3::from_array(self.translate)
    }

    /// A vector of the shape after scaling and rotation.
    pub fn apply_to_direction(&self, direction: Vec3) -> Vec3 {
        let scaled = Vec3::from_array(self.scale.0) * direction;
        self.rotate.iter().fold(scaled, |p, rotation| rotation.matrix() * p)
    }

    /// The rotation between scaling and translation.
    pub fn rotation(&self) -> Mat3 {
        self.rotate.iter().fold(Mat3::IDENTITY, |product, rotation| rotation.matrix() * product)
    }
}

impl Deformation {
    /// Position of a point of a shape with the bounding box `min` to `max` (m).
    pub fn apply(&self, point: Vec3, min: Vec3, max: Vec3) -> Vec3 {
        let middle = 0.5 * (min + max);
        match *self {
            Self::Twist { axis, degrees } => {
                let axis = axis.vector();
                let fraction = (point - min).dot(axis) / (max - min).dot(axis);
                let rotation = elementary::rotation(axis, fraction * degrees.to_radians());
                middle + rotation * (point - middle)
            }
            Self::Bend { axis, about, degrees } => {
                bend(point - middle, axis.vector(), about.vector(), max - min, degrees) + middle
            }
            Self::Stretch { axis, factor } => {
                let axis = axis.vector();
                point + (factor - 1.0) * (point - min).dot(axis) * axis
            }
            Self::Dilate { factor } => factor * point,
        }
    }
}

/// Bends a shape of the given extent, whose centre is the origin. The axis becomes an arc of the same length, which
/// starts in the direction of the axis.
fn bend(point: Vec3, axis: Vec3, about: Vec3, extent: Vec3, degrees: f64) -> Vec3 {
    let (angle, length) = (degrees.to_radians(), extent.dot(axis));
    // The direction into which a positive rotation turns the axis.
    let side = about.cross(axis);
    if angle == 0.0 {
        return point;
    }
    let section_angle = (point.dot(axis) / length + 0.5) * angle;
    let (sin, cos) = elementary::sin_cos(section_angle);
    let arc = length / angle * (sin * axis + (1.0 - cos) * side) - 0.5 * length * axis;
    arc + point.dot(about) * about + point.dot(side) * (cos * side - sin * axis)
}

impl Region {
    /// Indices of the placed `points` in the region.
    pub fn among(&self, points: &[Vec3]) -> Vec<usize> {
        match self {
            Self::Nodes(nodes) => {
                let nodes = nodes.iter().map(|&node| node as usize);
                nodes.filter(|node| *node < points.len()).collect()
            }
            _ => {
                let largest = points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
                let extent = Aabb::around(points).map_or(0.0, |bounds| bounds.size().max_element());
                let tolerance = REGION_TOLERANCE * extent + PLACED_TOLERANCE * largest;
                (0..points.len()).filter(|&i| self.contains(points[i], tolerance)).collect()
            }
        }
    }

    /// Whether the region contains a point after placement, with the tolerance `tolerance` (m). Regions that are
    /// defined by node numbers, names or vertex data contain none.
    fn contains(&self, point: Vec3, tolerance: f64) -> bool {
        match *self {
            Self::All => true,
            // These nodes are not selected by their positions.
            Self::Boundary | Self::Nodes(_) | Self::Group(_) | Self::Painted { .. } => false,
            Self::Box { min, max } => {
                (0..3).all(|k| point[k] >= min[k] - tolerance && point[k] <= max[k] + tolerance)
            }
            Self::Plane { point: origin, normal } => {
                let normal = Vec3::from_array(normal).normalize_or_zero();
                (point - Vec3::from_array(origin)).dot(normal) >= -tolerance
            }
            Self::Sphere { center, radius } => {
                (point - Vec3::from_array(center)).length() <= radius + tolerance
            }
        }
    }
}

impl Body {
    /// Initial velocities (m/s) of points of the body, whose centre of mass is
    /// `center` (m).
    pub fn initial_velocities(&self, points: &[Vec3], center: Vec3) -> Vec<Vec3> {
        let rigid_velocity = |point: &Vec3| {
            let angular = Vec3::from_array(self.angular_velocity).cross(*point - center);
            let spin = self.spin.map_or(Vec3::ZERO, |spin| {
                let spin_velocity = spin.rate * Vec3::from_array(spin.axis).normalize_or_zero();
                spin_velocity.cross(*point - Vec3::from_array(spin.point))
            });
            Vec3::from_array(self.velocity) + angular + spin
        };
        let mut velocities: Vec<Vec3> = points.iter().map(rigid_velocity).collect();
        if let Some(field) = &self.velocity_field {
            let additions = field.at(points);
            velocities.iter_mut().zip(additions).for_each(|(sum, v)| *sum += v);
        }
        velocities
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::{Rotation, Scale};

    const MIN: Vec3 = Vec3::new(-0.1, -0.02, -0.03);
    const MAX: Vec3 = Vec3::new(0.1, 0.02, 0.03);

    fn close(a: Vec3, b: Vec3) -> bool {
        (a - b).length() < 1e-12
    }

    #[test]
    fn placement_scales_then_rotates_then_translates() {
        let placement = Placement {
            scale: Scale([2.0, 1.0, 1.0]),
            rotate: vec![
                Rotation { axis: [0.0, 0.0, 3.0], degrees: 90.0 },
                Rotation { axis: [1.0, 0.0, 0.0], degrees: 90.0 },
            ],
            translate: [0.0, 0.0, 5.0],
        };
        assert!(close(placement.apply(Vec3::X), Vec3::new(0.0, 0.0, 7.0)));
    }

    #[test]
    fn twist_rotates_the_far_end_and_fixes_the_near_end() {
        let twist = Deformation::Twist { axis: Axis::X, degrees: 90.0 };
        assert!(close(twist.apply(MIN, MIN, MAX), MIN));
        let corner = twist.apply(MAX, MIN, MAX);
        assert!(close(corner, Vec3::new(0.1, -0.03, 0.02)), "{corner}");
    }

    #[test]
    fn bend_preserves_the_near_end_the_axis_length_and_cross_sections() {
        let bend = Deformation::Bend { axis: Axis::X, about: Axis::Z, degrees: 120.0 };
        let at = |x: f64, y: f64, z: f64| bend.apply(Vec3::new(x, y, z), MIN, MAX);
        assert!(close(at(-0.1, 0.02, 0.03), Vec3::new(-0.1, 0.02, 0.03)));
        let pieces = 2000;
        let length: f64 = (0..pieces)
            .map(|i| 0.2 * f64::from(i) / f64::from(pieces) - 0.1)
            .map(|x| at(x + 0.2 / f64::from(pieces), 0.0, 0.0).distance(at(x, 0.0, 0.0)))
            .sum();
        assert!((length - 0.2).abs() < 1e-7, "{length}");
        assert!((at(0.07, 0.02, 0.0).distance(at(0.07, -0.02, 0.03)) - 0.05).abs() < 1e-12);
        let end = at(0.1, 0.01, 0.0) - at(0.1, 0.0, 0.0);
        let angle = 120f64.to_radians();
        assert!(close(end, 0.01 * Vec3::new(-angle.sin(), angle.cos(), 0.0)));
    }

    #[test]
    fn spin_fixes_the_points_of_its_axis() {
        let text = r#"(name: "b", shape: File("b.msh"), material: "m",
            spin: (point: (1, 2, 3), axis: (0, 2, 0), rate: 15))"#;
        let options = ron::Options::default()
            .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
        let body: Body = options.from_str(text).expect("the text above is well formed");
        let at = |x, y, z| body.initial_velocities(&[Vec3::new(x, y, z)], Vec3::ZERO)[0];
        assert!(close(at(1.0, -7.0, 3.0), Vec3::ZERO));
        assert!(close(at(2.0, 0.0, 3.0), Vec3::new(0.0, 0.0, -15.0)));
    }

    #[test]
    fn regions_include_their_boundary() {
        let inside = |region: Region, x| region.contains(Vec3::new(x, 0.0, 0.0), 1e-7);
        let slab = Region::Box { min: [0.0; 3], max: [1.0; 3] };
        let plane = Region::Plane { point: [1.0, 0.0, 0.0], normal: [-2.0, 0.0, 0.0] };
        let sphere = Region::Sphere { center: [0.0; 3], radius: 1.0 };
        for region in [slab.clone(), plane, sphere] {
            assert!(inside(region.clone(), 1.0 + 1e-9), "{region:?}");
            assert!(!inside(region.clone(), 1.0 + 1e-6), "{region:?}");
        }
        assert!(!inside(slab, -0.5));
        assert!(inside(Region::All, 1e9));
    }

    /// The selection of a node next to a region does not depend on the unit of length.
    #[test]
    fn regions_select_the_same_nodes_at_every_scale() {
        let at = |scale: f64| {
            let points =
                [0.0, 0.5, 1.0 - 1e-8, 1.0 + 1e-8, 1.0 + 1e-5, 2.0].map(|x| Vec3::X * x * scale);
            let region = Region::Box { min: [-scale; 3], max: [scale; 3] };
            region.among(&points)
        };
        for exponent in [-40, -10, 0, 10, 30] {
            assert_eq!(at(2f64.powi(exponent)), [0, 1, 2, 3], "2^{exponent}");
        }
    }
}
