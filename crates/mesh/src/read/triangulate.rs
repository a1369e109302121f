//! Triangulation of polygons in space.
//!
//! A polygon is projected to the plane of its area vector (Newell). The fan from the first corner is used
//! if it covers the polygon once, otherwise the constrained Delaunay triangulation of the corners (`spade`,
//! with exact predicates). This handles concave polygons, collinear corners and holes joined by bridge
//! edges, and uses every corner, so that neighbours still match. `earcutr` drops collinear corners.

use resile_math::Vec3;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation as _};
use std::collections::BTreeMap;

/// A triangle of a fan is degenerate if twice its area is less than this fraction of the squared size of the
/// polygon: the projection rounds to 1e-16 of it.
const DEGENERATE_RATIO: f64 = 1e-12;

/// Result of triangulating a polygon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PolygonTriangulation {
    /// Triangles by corner indices, oriented like the polygon.
    Triangles(Vec<[usize; 3]>),
    /// The polygon is self-intersecting or has no area.
    NoInside,
}

/// Triangulates a polygon of at least three finite corners without repeated neighbours.
pub(super) fn triangulate(corners: &[Vec3]) -> PolygonTriangulation {
    let Some(flat) = project(corners) else { return PolygonTriangulation::NoInside };
    if fan_covers(&flat) {
        return PolygonTriangulation::Triangles(fan(corners.len()).collect());
    }
    delaunay(&flat).map_or(PolygonTriangulation::NoInside, PolygonTriangulation::Triangles)
}

/// Triangle fan from the first of `count` corners.
pub(super) fn fan(count: usize) -> impl Iterator<Item = [usize; 3]> {
    (1..count.saturating_sub(1)).map(|k| [0, k, k + 1])
}

/// Corners in the plane of the polygon, counter-clockwise, scaled to size 1; `None` without an area.
fn project(corners: &[Vec3]) -> Option<Vec<[f64; 2]>> {
    let from_first = |p: &Vec3| *p - corners[0];
    let extent = corners.iter().map(|p| from_first(p).abs().max_element()).fold(0.0, f64::max);
    if !(extent > 0.0 && extent.is_finite()) {
        return None;
    }
    let local: Vec<Vec3> = corners.iter().map(|p| from_first(p) / extent).collect();
    let area: Vec3 = local.windows(2).map(|pair| pair[0].cross(pair[1])).sum();
    let normal = area.try_normalize()?;
    if area.length() <= DEGENERATE_RATIO {
        return None;
    }
    let (x, y) = normal.any_orthonormal_pair();
    // `spade` rejects numbers so small that their products underflow.
    let clean = |c: f64| if c.abs() < 1e-30 { 0.0 } else { c };
    Some(local.iter().map(|p| [clean(p.dot(x)), clean(p.dot(y))]).collect())
}

/// Twice the signed area of a triangle; positive if it is counter-clockwise.
fn doubled_area([a, b, c]: [[f64; 2]; 3]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Whether the fan from the first corner covers the polygon once.
fn fan_covers(corners: &[[f64; 2]]) -> bool {
    let positive = |[a, b, c]: [usize; 3]| {
        doubled_area([corners[a], corners[b], corners[c]]) > DEGENERATE_RATIO
    };
    fan(corners.len()).all(positive) && (2..corners.len()).all(|k| positive([0, 1, k]))
}

/// Triangles of the constrained Delaunay triangulation inside the polygon (even-odd rule), as sorted corner indices.
/// `None` if edges of the polygon intersect, consecutive corners coincide, or no triangle is inside.
fn delaunay(corners: &[[f64; 2]]) -> Option<Vec<[usize; 3]>> {
    let mut plane = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    let mut handles = Vec::with_capacity(corners.len());
    // First corner at each vertex.
    let mut first_corners = BTreeMap::new();
    for (corner, &[x, y]) in corners.iter().enumerate() {
        let handle = plane.insert(Point2::new(x, y)).ok()?;
        first_corners.entry(handle.index()).or_insert(corner);
        handles.push(handle);
    }
    let mut crossing_parity: BTreeMap<usize, bool> = BTreeMap::new();
    for (k, &from) in handles.iter().enumerate() {
        let to = handles[(k + 1) % handles.len()];
        if from == to {
            return None;
        }
        let edges = plane.try_add_constraint(from, to);
        if edges.is_empty() {
            return None;
        }
        for edge in edges {
            let crossed = crossing_parity.entry(edge.as_undirected().index()).or_default();
            *crossed = !*crossed;
        }
    }
    let inside = faces_inside(&plane, &crossing_parity);
    let mut triangles: Vec<[usize; 3]> = plane
        .inner_faces()
        .filter(|face| inside[face.fix().index()])
        .map(|face| face.vertices().map(|vertex| first_corners[&vertex.fix().index()]))
        .map(rotated_to_lowest)
        .collect();
    triangles.sort_unstable();
    (!triangles.is_empty()).then_some(triangles)
}

/// For each face of the triangulation, whether it is inside the polygon: an odd number of edges of the polygon lies
/// between it and the outside. `crossing_parity` has, for each edge of the triangulation on the polygon, whether an odd
/// number of edges of the polygon runs along it.
fn faces_inside(
    plane: &ConstrainedDelaunayTriangulation<Point2<f64>>,
    crossing_parity: &BTreeMap<usize, bool>,
) -> Vec<bool> {
    let mut neighbours = vec![Vec::new(); plane.num_all_faces()];
    for edge in plane.undirected_edges() {
        let crosses = crossing_parity.get(&edge.fix().index()).copied().unwrap_or(false);
        let [left, right] =
            [edge.as_directed(), edge.as_directed().rev()].map(|edge| edge.face().fix().index());
        neighbours[left].push((right, crosses));
        neighbours[right].push((left, crosses));
    }
    let outer = plane.outer_face().fix().index();
    let mut is_inside = vec![None; neighbours.len()];
    is_inside[outer] = Some(false);
    let mut pending = vec![outer];
    while let Some(face) = pending.pop() {
        for &(other, crosses) in &neighbours[face] {
            if is_inside[other].is_none() {
                is_inside[other] = is_inside[face].map(|inside| inside != crosses);
                pending.push(other);
            }
        }
    }
    is_inside.into_iter().map(|inside| inside == Some(true)).collect()
}

/// Rotates a triangle to begin at its lowest corner, so that the result depends on the corners alone.
fn rotated_to_lowest(mut triangle: [usize; 3]) -> [usize; 3] {
    let lowest = (0..3).min_by_key(|&k| triangle[k]).unwrap_or(0);
    triangle.rotate_left(lowest);
    triangle
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn area(corners: &[Vec3], triangles: &[[usize; 3]]) -> f64 {
        let triangle_area = |&[a, b, c]: &[usize; 3]| {
            0.5 * (corners[b] - corners[a]).cross(corners[c] - corners[a]).length()
        };
        triangles.iter().map(triangle_area).sum()
    }

    fn triangles(corners: &[Vec3]) -> Vec<[usize; 3]> {
        match triangulate(corners) {
            PolygonTriangulation::Triangles(triangles) => triangles,
            PolygonTriangulation::NoInside => panic!("{corners:?} has an inside"),
        }
    }

    fn flat(corners: &[[f64; 2]]) -> Vec<Vec3> {
        corners.iter().map(|&[x, y]| Vec3::new(x, y, 0.0)).collect()
    }

    /// Corners rotated to start at `k`: the result must not depend on the first corner.
    fn turned(corners: &[Vec3], k: usize) -> Vec<Vec3> {
        let mut turned = corners.to_vec();
        turned.rotate_left(k);
        turned
    }

    /// Asserts that every corner is used, every side belongs to one triangle, and the areas sum up.
    fn assert_covers(corners: &[Vec3], expected: f64) {
        for k in 0..corners.len() {
            let corners = turned(corners, k);
            let triangles = triangles(&corners);
            assert_eq!(triangles.len(), corners.len() - 2, "from {k}");
            let found = area(&corners, &triangles);
            assert!((found - expected).abs() < 1e-12 * expected, "from {k}: {found}, {expected}");
            for side in 0..corners.len() {
                let side = [side, (side + 1) % corners.len()];
                let has = |[a, b, c]: &[usize; 3]| [[*a, *b], [*b, *c], [*c, *a]].contains(&side);
                assert_eq!(triangles.iter().filter(|t| has(t)).count(), 1, "side {side:?}");
            }
        }
    }

    #[test]
    fn convex_polygon_becomes_a_fan_from_its_first_corner() {
        for count in 4..20 {
            let corner = |k: usize| 2.0 * PI * k as f64 / count as f64;
            let corners: Vec<Vec3> = (0..count)
                .map(|k| Vec3::new(3.0, corner(k).cos() + 7.0, 0.3 * corner(k).sin()))
                .collect();
            assert_eq!(triangles(&corners), fan(count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn concave_polygon_is_covered_once_for_any_first_corner() {
        let door = [[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [2.0, 2.0], [2.0, 0.0], [3.0, 0.0]];
        let door = [&door[..], &[[3.0, 3.0], [0.0, 3.0]]].concat();
        assert_covers(&flat(&door), 7.0);
        let radius = |k: usize| if k.is_multiple_of(2) { 1.0 } else { 0.25 };
        let star: Vec<Vec3> = (0..16)
            .map(|k| (radius(k), PI * k as f64 / 8.0))
            .map(|(r, angle)| Vec3::new(r * angle.cos(), 0.0, -r * angle.sin()))
            .collect();
        // Sixteen triangles with two sides of 1 and 1/4 and 22.5 degrees between them.
        assert_covers(&star, 2.0 * (PI / 8.0).sin());
    }

    #[test]
    fn collinear_corners_are_kept() {
        let square =
            [[0.0, 0.0], [0.5, 0.0], [1.0, 0.0], [1.0, 0.3], [1.0, 1.0], [0.1, 1.0], [0.0, 1.0]];
        assert_covers(&flat(&square), 1.0);
        // After a rotation in space, no sides are exactly collinear.
        let turn = resile_math::elementary::rotation(Vec3::new(0.6, 0.0, 0.8), 0.7);
        let turned: Vec<Vec3> = flat(&square).into_iter().map(|p| turn * p).collect();
        for k in 0..turned.len() {
            let mut corners = turned.clone();
            corners.rotate_left(k);
            let triangles = triangles(&corners);
            assert_eq!(triangles.len(), 5);
            assert!((area(&corners, &triangles) - 1.0).abs() < 1e-12);
            let least = triangles.iter().map(|t| area(&corners, &[*t])).fold(1.0, f64::min);
            assert!(least > 0.01, "no sliver along a side: {least}");
        }
    }

    #[test]
    fn slightly_nonplanar_polygon_is_triangulated_like_a_planar_one() {
        let door = [[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [2.0, 2.0], [2.0, 0.0], [3.0, 0.0]];
        let door = flat(&[&door[..], &[[3.0, 3.0], [0.0, 3.0]]].concat());
        let mut bent = door.clone();
        bent.iter_mut().enumerate().for_each(|(k, p)| p.z = 0.02 * (k as f64).sin());
        let triangles = triangles(&bent);
        assert_eq!(triangles.len(), 6);
        // Seen from above, the triangles cover the door once.
        assert!((area(&door, &triangles) - 7.0).abs() < 1e-12);
    }

    #[test]
    fn hole_joined_by_a_bridge_edge_stays_open() {
        let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [0.0, 3.0], [0.0, 0.0]];
        let hole = [[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 1.0], [1.0, 1.0]];
        let corners = flat(&[outline, hole].concat());
        let triangles = triangles(&corners);
        assert_eq!(triangles.len(), 8);
        assert!((area(&corners, &triangles) - 8.0).abs() < 1e-12);
    }

    #[test]
    fn self_intersecting_and_zero_area_polygons_are_rejected() {
        let bow = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 2.0]];
        assert_eq!(triangulate(&flat(&bow)), PolygonTriangulation::NoInside);
        let line = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.5, 0.0]];
        assert_eq!(triangulate(&flat(&line)), PolygonTriangulation::NoInside);
    }
}
