//! Point-in-polyhedron test by ray parity.
//!
//! Inside, a ray from the point intersects an odd number of triangles. The count is exact: the ray runs
//! along x, and a triangle contains its projection to the y-z plane by the same parity rule. An edge
//! counts if its half-open height interval (lower end included) contains the point; both triangles at
//! an edge share this decision. A ray through an edge or a vertex therefore needs no special case.

use crate::triangles::{Triangle, View, side};
use glam::DVec3 as Vec3;
use std::cmp::Ordering::Equal;

/// Whether `point` is inside the closed surface of `triangles`, for a point not on it.
pub(crate) fn is_inside(point: Vec3, triangles: impl Iterator<Item = Triangle>) -> bool {
    triangles.filter(|triangle| ray_intersects(triangle, point)).count() % 2 == 1
}

/// Whether the ray from `p` in direction +x intersects the triangle.
fn ray_intersects(t: &Triangle, p: Vec3) -> bool {
    let [a, b, c] = *t;
    let edges = [[a, b], [b, c], [c, a]];
    let edge_count = edges.into_iter().filter(|&[a, b]| passes_beside(a, b, p)).count();
    let orientation = View::ALONG_X.side(a, b, c);
    edge_count % 2 == 1 && orientation != Equal && side(t, p) == orientation
}

/// Whether the projection along x of edge `ab` passes the height of `p` on one fixed side of it.
fn passes_beside(a: Vec3, b: Vec3, p: Vec3) -> bool {
    let (lower, upper) = if a.z <= b.z { (a, b) } else { (b, a) };
    lower.z <= p.z && p.z < upper.z && View::ALONG_X.side(lower, upper, p).is_gt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A ring of square cross section with integer corners.
    fn ring() -> Vec<Triangle> {
        let cell = |x: i32, z: i32| (x.abs().max(z.abs()) == 1).then_some([x, 0, z]);
        let cells: Vec<[i32; 3]> =
            (-1..=1).flat_map(|x| (-1..=1).filter_map(move |z| cell(x, z))).collect();
        let mut triangles = Vec::new();
        for &cell in &cells {
            for (axis, step) in [(0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)] {
                let mut neighbour = cell;
                neighbour[axis] += step;
                if cells.contains(&neighbour) {
                    continue;
                }
                let corner = |u: i32, v: i32| {
                    let mut p = cell.map(|c| 2.0 * f64::from(c));
                    p[axis] += f64::from(step);
                    p[(axis + 1) % 3] += f64::from(u);
                    p[(axis + 2) % 3] += f64::from(v);
                    Vec3::from_array(p)
                };
                let quad = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
                triangles.push([quad[0], quad[1], quad[2]]);
                triangles.push([quad[0], quad[2], quad[3]]);
            }
        }
        triangles
    }

    fn expected(p: Vec3) -> bool {
        let far = p.x.abs().max(p.z.abs());
        1.0 < far && far < 3.0 && p.y.abs() < 1.0
    }

    proptest! {
        #[test]
        fn torus_contains_its_tube_but_not_its_hole(p in prop::array::uniform3(-4.0..4.0)) {
            let p = Vec3::from_array(p);
            prop_assert_eq!(is_inside(p, ring().into_iter()), expected(p));
        }

        /// Rays pass through edges, diagonals and vertices.
        #[test]
        fn inside_test_handles_rays_through_edges_and_vertices(p in prop::array::uniform3(-7..8_i8)) {
            let p = Vec3::from_array(p.map(|x| 0.5 * f64::from(x)));
            let far = p.x.abs().max(p.z.abs());
            let on_surface = (far == 1.0 || far == 3.0 || p.y.abs() == 1.0)
                && (1.0..=3.0).contains(&far) && p.y.abs() <= 1.0;
            prop_assume!(!on_surface);
            prop_assert_eq!(is_inside(p, ring().into_iter()), expected(p));
        }

        /// The same surface under exact shears, so that nothing is axis-aligned.
        #[test]
        fn inside_test_is_independent_of_the_axes(
            p in prop::array::uniform3(-7..8_i8), s in prop::array::uniform3(-3..4_i8),
        ) {
            let p = Vec3::from_array(p.map(|x| 0.5 * f64::from(x) + 0.125));
            let [a, b, c] = s.map(|x| 0.5 * f64::from(x));
            let shear = |p: Vec3| {
                let x = p.x + a * p.y;
                let y = p.y + b * p.z;
                Vec3::new(x, y, p.z + c * x)
            };
            let sheared = ring().into_iter().map(|t| t.map(shear));
            prop_assert_eq!(is_inside(shear(p), sheared), expected(p));
        }
    }
}
