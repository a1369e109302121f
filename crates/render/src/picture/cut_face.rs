//! Values on the cut face of a solid, from the tetrahedra that a section plane cuts.

use super::Section;
use crate::color::{Light, of_value};
use glam::{Vec2, Vec3};

/// Triangles of a plane with a value at each corner.
#[derive(Debug, Clone)]
pub struct CutFace {
    axes: [Vec3; 2],
    triangles: Vec<[ValuedPoint; 3]>,
    grid: Grid,
}

/// A point of the plane and its value.
type ValuedPoint = (Vec2, f32);

/// Weight below zero at which a point still belongs to a triangle, because of rounding and of surfaces that bulge over
/// their tetrahedra.
const SLACK: f32 = 0.5;

impl CutFace {
    /// The cut of tetrahedra whose points have these positions (m) and values, from 0 for the first colour of the scale to 1
    /// for the last one. Values are linear in each tetrahedron. O(tetrahedra).
    pub fn new(section: Section, positions: &[Vec3], values: &[f32], tets: &[[u32; 4]]) -> Self {
        let (u, v) = section.normal.any_orthonormal_pair();
        let flat = |point: Vec3| Vec2::new(point.dot(u), point.dot(v));
        let distances: Vec<f32> = positions.iter().map(|p| section.distance(*p)).collect();
        let cut = |[a, b]: [u32; 2]| {
            let [a, b] = [a as usize, b as usize];
            let part = distances[a] / (distances[a] - distances[b]);
            let point = positions[a].lerp(positions[b], part);
            (flat(point), values[a] + part * (values[b] - values[a]))
        };
        let mut triangles = Vec::new();
        for tet in tets {
            let (kept, removed): (Vec<u32>, Vec<u32>) =
                tet.iter().partition(|&&corner| distances[corner as usize] <= 0.0);
            // Points around the cut of the tetrahedron.
            let ring = match (&kept[..], &removed[..]) {
                ([a], others) | (others, [a]) if others.len() == 3 => {
                    others.iter().map(|b| cut([*a, *b])).collect::<Vec<_>>()
                }
                ([a, b], [c, d]) => [[*a, *c], [*a, *d], [*b, *d], [*b, *c]].map(cut).to_vec(),
                _ => continue,
            };
            triangles.extend((2..ring.len()).map(|k| [ring[0], ring[k - 1], ring[k]]));
        }
        Self { axes: [u, v], grid: Grid::new(&triangles), triangles }
    }

    /// The colour of the value at a point (m) of the plane; `None` away from all triangles.
    pub fn color(&self, point: Vec3) -> Option<Light> {
        self.value(point).map(of_value)
    }

    fn value(&self, point: Vec3) -> Option<f32> {
        let point = Vec2::from_array(self.axes.map(|axis| axis.dot(point)));
        let near = self.grid.triangles_at(point)?.iter();
        let weighted = near.filter_map(|&number| {
            let triangle = &self.triangles[number as usize];
            let weights = weights(triangle.map(|(corner, _)| corner), point)?;
            Some((weights.into_iter().fold(f32::INFINITY, f32::min), weights, triangle))
        });
        let (least, weights, triangle) = weighted.max_by(|a, b| a.0.total_cmp(&b.0))?;
        if least < -SLACK {
            return None;
        }
        let weights = weights.map(|weight| weight.max(0.0));
        let sum: f32 = weights.iter().sum();
        Some((0..3).map(|k| triangle[k].1 * (weights[k] / sum)).sum())
    }
}

/// Barycentric weights of a point; `None` in a triangle without area.
fn weights([a, b, c]: [Vec2; 3], point: Vec2) -> Option<[f32; 3]> {
    let area = (b - a).perp_dot(c - a);
    let part = |p: Vec2, q: Vec2| (p - point).perp_dot(q - point) / area;
    let weights = [part(b, c), part(c, a), part(a, b)];
    weights.iter().all(|weight| weight.is_finite()).then_some(weights)
}

/// Triangles by the cells of a square grid that they may cover.
#[derive(Debug, Clone)]
struct Grid {
    least: Vec2,
    /// Cells per metre.
    density: Vec2,
    /// Cells per row and per column.
    count: usize,
    cells: Vec<Vec<u32>>,
}

impl Grid {
    fn new(triangles: &[[ValuedPoint; 3]]) -> Self {
        let corners = || triangles.iter().flatten().map(|(corner, _)| *corner);
        let least = corners().fold(Vec2::INFINITY, Vec2::min);
        let most = corners().fold(Vec2::NEG_INFINITY, Vec2::max);
        let count = (triangles.len() as f64).sqrt().ceil() as usize;
        let density =
            Vec2::splat(count as f32) / (most - least).max(Vec2::splat(f32::MIN_POSITIVE));
        let mut grid = Self { least, density, count, cells: vec![Vec::new(); count * count] };
        for (number, triangle) in (0..).zip(triangles) {
            let corners = triangle.map(|(corner, _)| grid.cell(corner));
            let range = |axis: usize| {
                let along = corners.map(|cell| cell[axis]);
                along.into_iter().min().unwrap_or(0)..=along.into_iter().max().unwrap_or(0)
            };
            for row in range(1) {
                for column in range(0) {
                    grid.cells[row * count + column].push(number);
                }
            }
        }
        grid
    }

    /// Column and row of a point, or of the nearest cell.
    fn cell(&self, point: Vec2) -> [usize; 2] {
        let cell = ((point - self.least) * self.density).to_array();
        cell.map(|place| (place.max(0.0) as usize).min(self.count.saturating_sub(1)))
    }

    /// Triangles of the cell of a point; `None` without triangles.
    fn triangles_at(&self, point: Vec2) -> Option<&[u32]> {
        let [column, row] = self.cell(point);
        self.cells.get(row * self.count + column).map(Vec::as_slice)
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

    #[test]
    fn plane_beside_the_tetrahedra_has_no_colours() {
        let (positions, tets) = cube(1);
        let section = Section { normal: Vec3::X, offset: 3.0 };
        let face = CutFace::new(section, &positions, &[0.0; 8], &tets);
        assert_eq!(face.color(Vec3::new(3.0, 0.5, 0.5)), None);
    }
}
