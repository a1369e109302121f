//! Values on the cut face of a solid, from the tetrahedra that a section plane cuts.

use super::Section;
use crate::color::{Light, of_value};
use glam::{Vec2, Vec3};

/// Triangles of a plane with a value at each corner.
#[derive(Debug, Clone)]
pub struct CutFace {
    /// Unit vectors along the coordinates of the plane.
    axes: [Vec3; 2],
    triangles: Vec<[ValuedPoint; 3]>,
    /// Largest distance (m) from the triangles of a point with a value: their longest edge. Rendered points may be
    /// outside of all triangles because of rounding, or because the surface bulges over its tetrahedra.
    max_distance: f32,
    grid: Grid,
}

/// A point of the plane with a value.
#[derive(Debug, Clone, Copy)]
struct ValuedPoint {
    /// Coordinates along the axes of the plane (m).
    point: Vec2,
    value: f32,
}

/// The point of a triangle that is nearest to another point.
#[derive(Debug, Clone, Copy)]
struct NearestPoint {
    /// Distance of both points (m).
    distance: f32,
    /// Value at the point of the triangle.
    value: f32,
}

impl CutFace {
    /// The cut of tetrahedra whose points have these positions (m) and values, from 0 for the first colour of the scale
    /// to 1 for the last one. Values are linear in each tetrahedron. O(tetrahedra).
    pub fn new(section: Section, positions: &[Vec3], values: &[f32], tets: &[[u32; 4]]) -> Self {
        let (u, v) = section.normal.any_orthonormal_pair();
        let distances: Vec<f32> = positions.iter().map(|p| section.distance(*p)).collect();
        // Point at which the plane cuts an edge between two points, with the interpolated value.
        let cut_edge = |[a, b]: [u32; 2]| {
            let [a, b] = [a as usize, b as usize];
            let parameter = distances[a] / (distances[a] - distances[b]);
            let point = positions[a].lerp(positions[b], parameter);
            ValuedPoint {
                point: Vec2::new(point.dot(u), point.dot(v)),
                value: values[a] + parameter * (values[b] - values[a]),
            }
        };
        let mut triangles = Vec::new();
        for tet in tets {
            let (kept, removed): (Vec<u32>, Vec<u32>) =
                tet.iter().partition(|&&corner| distances[corner as usize] <= 0.0);
            // Corners of the polygon in which the plane cuts the tetrahedron, in cyclic order.
            let polygon = match (&kept[..], &removed[..]) {
                ([a], others) | (others, [a]) if others.len() == 3 => {
                    others.iter().map(|b| cut_edge([*a, *b])).collect::<Vec<_>>()
                }
                ([a, b], [c, d]) => [[*a, *c], [*a, *d], [*b, *d], [*b, *c]].map(cut_edge).to_vec(),
                _ => continue,
            };
            triangles.extend((2..polygon.len()).map(|k| [polygon[0], polygon[k - 1], polygon[k]]));
        }
        let edges = |[a, b, c]: &[ValuedPoint; 3]| [[*a, *b], [*b, *c], [*c, *a]];
        let lengths = triangles.iter().flat_map(edges).map(|[a, b]| a.point.distance(b.point));
        let max_distance = lengths.fold(0.0, f32::max);
        Self { axes: [u, v], grid: Grid::new(&triangles), max_distance, triangles }
    }

    /// The colour of the value at a point (m) of the plane; `None` away from all triangles.
    pub fn color(&self, point: Vec3) -> Option<Light> {
        self.value(point).map(of_value)
    }

    /// The value at a point (m) of the plane, or at the nearest point of a triangle; `None` away from all triangles.
    fn value(&self, point: Vec3) -> Option<f32> {
        let point = Vec2::from_array(self.axes.map(|axis| axis.dot(point)));
        let nearest = self.grid.nearest(point, self.max_distance, |index| {
            nearest_point(&self.triangles[index as usize], point)
        });
        nearest.filter(|nearest| nearest.distance <= self.max_distance).map(|nearest| nearest.value)
    }
}

/// The point of a triangle that is nearest to `point`.
fn nearest_point(triangle: &[ValuedPoint; 3], point: Vec2) -> NearestPoint {
    let weights = barycentric_weights(triangle.map(|corner| corner.point), point);
    if let Some(weights) = weights.filter(|weights| weights.iter().all(|weight| *weight >= 0.0)) {
        let value = (0..3).map(|k| triangle[k].value * weights[k]).sum();
        return NearestPoint { distance: 0.0, value };
    }
    let [a, b, c] = *triangle;
    [[a, b], [b, c], [c, a]]
        .map(|edge| nearest_on_edge(edge, point))
        .into_iter()
        .reduce(|best, other| if other.distance < best.distance { other } else { best })
        .expect("a triangle has edges")
}

/// The point of an edge that is nearest to `point`.
fn nearest_on_edge([a, b]: [ValuedPoint; 2], point: Vec2) -> NearestPoint {
    let edge = b.point - a.point;
    let parameter = (point - a.point).dot(edge) / edge.length_squared().max(f32::MIN_POSITIVE);
    let parameter = parameter.clamp(0.0, 1.0);
    NearestPoint {
        distance: point.distance(a.point + parameter * edge),
        value: a.value + parameter * (b.value - a.value),
    }
}

/// Barycentric weights of a point in a triangle; `None` if the triangle has no area.
fn barycentric_weights([a, b, c]: [Vec2; 3], point: Vec2) -> Option<[f32; 3]> {
    let double_area = (b - a).perp_dot(c - a);
    let weight = |p: Vec2, q: Vec2| (p - point).perp_dot(q - point) / double_area;
    let weights = [weight(b, c), weight(c, a), weight(a, b)];
    weights.iter().all(|weight| weight.is_finite()).then_some(weights)
}

/// Triangles by the cells of a grid that they may cover.
#[derive(Debug, Clone)]
struct Grid {
    /// Corner with the smallest coordinates (m).
    origin: Vec2,
    /// Cells per metre, along both axes.
    density: Vec2,
    /// Number of cells per row, and of rows.
    cells_per_side: usize,
    /// Indices of the triangles of each cell, row by row.
    cells: Vec<Vec<u32>>,
}

impl Grid {
    /// A grid around triangles, with about as many cells as triangles.
    fn new(triangles: &[[ValuedPoint; 3]]) -> Self {
        let corners = || triangles.iter().flatten().map(|corner| corner.point);
        let origin = corners().fold(Vec2::INFINITY, Vec2::min);
        let max = corners().fold(Vec2::NEG_INFINITY, Vec2::max);
        let cells_per_side = (triangles.len() as f64).sqrt().ceil() as usize;
        let density =
            Vec2::splat(cells_per_side as f32) / (max - origin).max(Vec2::splat(f32::MIN_POSITIVE));
        let cells = vec![Vec::new(); cells_per_side * cells_per_side];
        let mut grid = Self { origin, density, cells_per_side, cells };
        for (index, triangle) in (0..).zip(triangles) {
            let corner_cells = triangle.map(|corner| grid.cell(corner.point));
            let range = |axis: usize| {
                let coordinates = corner_cells.map(|cell| cell[axis]);
                let min = coordinates.into_iter().min().unwrap_or(0);
                let max = coordinates.into_iter().max().unwrap_or(0);
                min..=max
            };
            for row in range(1) {
                for column in range(0) {
                    grid.cells[row * cells_per_side + column].push(index);
                }
            }
        }
        grid
    }

    /// Column and row of the cell that contains a point (m), or of the nearest cell.
    fn cell(&self, point: Vec2) -> [usize; 2] {
        let last = self.cells_per_side.saturating_sub(1);
        let coordinates = ((point - self.origin) * self.density).to_array();
        coordinates.map(|coordinate| (coordinate.max(0.0) as usize).min(last))
    }

    /// The nearest of the points that `point_of` returns for triangles, given by their indices, of those within
    /// `max_distance` (m) of `point`. Cells are searched in growing squares around that of the point.
    fn nearest(
        &self,
        point: Vec2,
        max_distance: f32,
        point_of: impl Fn(u32) -> NearestPoint,
    ) -> Option<NearestPoint> {
        let [column, row] = self.cell(point);
        let cell_size = self.density.recip().min_element();
        let mut best: Option<NearestPoint> = None;
        for radius in 0..self.cells_per_side {
            // All other cells are farther away than the cells of the last square are wide.
            let searched = radius.saturating_sub(1) as f32 * cell_size;
            let limit = best.map_or(max_distance, |best| best.distance);
            if searched > limit || best.is_some_and(|best| best.distance <= searched) {
                break;
            }
            for cell in self.square([column, row], radius) {
                for &index in &self.cells[cell] {
                    let candidate = point_of(index);
                    if best.is_none_or(|best| candidate.distance < best.distance) {
                        best = Some(candidate);
                    }
                }
            }
        }
        best
    }

    /// Indices of the cells whose column or row differs by `radius` from that of a cell, and the other by at most that.
    fn square(&self, [column, row]: [usize; 2], radius: usize) -> impl Iterator<Item = usize> {
        let side = self.cells_per_side;
        let range = move |middle: usize| {
            middle.saturating_sub(radius)..=(middle + radius).min(side.saturating_sub(1))
        };
        let is_on_border =
            move |[x, y]: [usize; 2]| x.abs_diff(column).max(y.abs_diff(row)) == radius;
        let cells = range(row).flat_map(move |y| range(column).map(move |x| [x, y]));
        cells.filter(move |cell| is_on_border(*cell)).map(move |[x, y]| y * side + x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The six tetrahedra around a diagonal of each cell of a cube with `n` cells along each edge.
    fn cube(n: u32) -> (Vec<Vec3>, Vec<[u32; 4]>) {
        let point = |x: u32, y: u32, z: u32| (z * (n + 1) + y) * (n + 1) + x;
        let along = || 0..=n;
        let positions = along()
            .flat_map(|z| along().flat_map(move |y| along().map(move |x| [x, y, z])))
            .map(|place| Vec3::from_array(place.map(|k| k as f32 / n as f32)))
            .collect();
        let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
        let mut tets = Vec::new();
        for cell in 0..n.pow(3) {
            let first = [cell % n, cell / n % n, cell / (n * n)];
            for order in orders {
                let mut place = first;
                let mut tet = [point(place[0], place[1], place[2]); 4];
                for (k, axis) in order.into_iter().enumerate() {
                    place[axis as usize] += 1;
                    tet[k + 1] = point(place[0], place[1], place[2]);
                }
                tets.push(tet);
            }
        }
        (positions, tets)
    }

    /// Linear interpolation in tetrahedra reproduces a linear field.
    #[test]
    fn linear_field_is_exact_on_any_cut() {
        let (positions, tets) = cube(5);
        let field = |p: Vec3| 0.1 + p.dot(Vec3::new(0.2, 0.3, 0.4));
        let values: Vec<f32> = positions.iter().map(|p| field(*p)).collect();
        for (normal, offset) in [
            (Vec3::X, 0.5),
            (Vec3::new(0.6, 0.0, 0.8), 0.71),
            (Vec3::new(1.0, 2.0, 2.0) / 3.0, 0.77),
        ] {
            let section = Section { normal, offset };
            let face = CutFace::new(section, &positions, &values, &tets);
            let (u, v) = normal.any_orthonormal_pair();
            let mut inside = 0;
            for k in 0..40 * 40 {
                let [a, b] = [k % 40, k / 40].map(|n| n as f32 / 20.0 - 1.0);
                let center = Vec3::splat(0.5);
                let point = center - section.distance(center) * normal + a * u + b * v;
                if point.min_element() < 1e-3 || point.max_element() > 1.0 - 1e-3 {
                    continue;
                }
                inside += 1;
                let value = face.value(point).expect("it is inside");
                assert!((value - field(point)).abs() < 1e-5, "{normal}: {value} at {point}");
                assert_eq!(face.color(point), Some(of_value(value)));
            }
            assert!(inside > 300, "{inside} points were checked");
            assert_eq!(face.color(offset * normal + 9.0 * u), None);
        }
    }

    /// A drawn surface bulges over its tetrahedra, also beside thin triangles of the cut.
    #[test]
    fn points_beside_the_cut_have_the_value_of_the_nearest_point() {
        let (positions, tets) = cube(3);
        let values: Vec<f32> = positions.iter().map(|p| p.y).collect();
        // This far beside the corners of cells, so that some triangles of the cut are very thin. Corners of the cut are
        // as far from those of cells.
        const BESIDE: f32 = 1e-5;
        for offset in [1.0 / 3.0 + BESIDE, 0.5, 1.0 - BESIDE] {
            let section = Section { normal: Vec3::X, offset };
            let face = CutFace::new(section, &positions, &values, &tets);
            for k in 0..=100 {
                let along = 0.01 * k as f32;
                for (point, expected) in [
                    (Vec3::new(offset, along, -0.1), along),
                    (Vec3::new(offset, along, 1.1), along),
                    (Vec3::new(offset, -0.1, along), 0.0),
                    (Vec3::new(offset, 1.1, along), 1.0),
                ] {
                    let value = face.value(point).expect("it is near");
                    assert!((value - expected).abs() < 2.0 * BESIDE, "{value} at {point}");
                }
            }
        }
    }

    #[test]
    fn plane_beside_the_tetrahedra_has_no_colours() {
        let (positions, tets) = cube(1);
        let section = Section { normal: Vec3::X, offset: 3.0 };
        let face = CutFace::new(section, &positions, &[0.0; 8], &tets);
        assert_eq!(face.color(Vec3::new(3.0, 0.5, 0.5)), None);
    }
}
