//! A dynamic boundary triangulation with an exact test for self-intersections.
//!
//! A boundary intersects itself if one of its edges meets a triangle without a common node. Triangles
//! are stored in a grid, so a query costs as many exact tests as there are overlapping boxes.

use crate::crossing_test::segment_meets_triangle;
use resile_math::{Aabb, Vec3};
use std::collections::BTreeMap;

/// Range of grid cells of a triangle: the first and the last along each axis.
type Cells = [[i64; 3]; 2];

/// Triangles of a boundary, in a grid.
#[derive(Debug)]
pub(crate) struct Boundary {
    triangles: Vec<[u32; 3]>,
    /// Cells of each triangle; `None` for removed triangles.
    cells: Vec<Option<Cells>>,
    /// Triangles incident to each node.
    incident_triangles: Vec<Vec<u32>>,
    grid: BTreeMap<[i64; 3], Vec<u32>>,
    /// Length of a grid cell (m).
    cell_size: f64,
}

impl Boundary {
    /// A boundary of `triangles` over nodes with these `positions` (m), with edges of about `edge_length` (m).
    pub(crate) fn new(triangles: &[[u32; 3]], positions: &[Vec3], edge_length: f64) -> Self {
        let mut boundary = Self {
            triangles: Vec::with_capacity(triangles.len()),
            cells: Vec::with_capacity(triangles.len()),
            incident_triangles: vec![Vec::new(); positions.len()],
            grid: BTreeMap::new(),
            cell_size: edge_length,
        };
        triangles.iter().for_each(|&triangle| _ = boundary.add(triangle, positions));
        boundary
    }

    /// Adds a triangle and returns its index.
    pub(crate) fn add(&mut self, triangle: [u32; 3], positions: &[Vec3]) -> u32 {
        let index = self.triangles.len() as u32;
        self.triangles.push(triangle);
        self.cells.push(None);
        self.insert(index, positions);
        triangle.iter().for_each(|&node| self.incident_triangles[node as usize].push(index));
        index
    }

    /// Removes the triangle with these corners in any order; returns whether it existed.
    pub(crate) fn remove(&mut self, corners: [u32; 3]) -> bool {
        let Some(index) = self.triangle_with(corners) else { return false };
        self.remove_from_grid(index);
        corners
            .iter()
            .for_each(|&node| self.incident_triangles[node as usize].retain(|&t| t != index));
        true
    }

    /// Index of the triangle with these corners in any order.
    fn triangle_with(&self, corners: [u32; 3]) -> Option<u32> {
        let has_corners =
            |&t: &u32| corners.iter().all(|node| self.triangles[t as usize].contains(node));
        self.incident_triangles[corners[0] as usize].iter().copied().find(has_corners)
    }

    /// Indices of the triangles at a node.
    pub(crate) fn triangles_at(&self, node: u32) -> &[u32] {
        &self.incident_triangles[node as usize]
    }

    /// Corners of a triangle.
    pub(crate) fn corners(&self, index: u32) -> [u32; 3] {
        self.triangles[index as usize]
    }

    /// Updates the grid for new positions of `nodes`.
    pub(crate) fn update(&mut self, nodes: &[u32], positions: &[Vec3]) {
        for index in self.triangles_at_any(nodes) {
            self.remove_from_grid(index);
            self.insert(index, positions);
        }
    }

    /// Whether a triangle at one of `nodes` intersects another.
    pub(crate) fn crosses_at(&self, nodes: &[u32], positions: &[Vec3]) -> bool {
        self.triangles_at_any(nodes).into_iter().any(|index| self.crosses(index, positions))
    }

    /// Whether this triangle intersects another.
    pub(crate) fn crosses(&self, index: u32, positions: &[Vec3]) -> bool {
        let Some(cells) = self.cells[index as usize] else { return false };
        let mut candidates: Vec<u32> = cells_in_range(cells)
            .filter_map(|cell| self.grid.get(&cell))
            .flatten()
            .copied()
            .collect();
        candidates.sort_unstable();
        candidates.dedup();
        let triangle = self.triangles[index as usize];
        candidates.into_iter().any(|other| {
            other != index && triangles_cross(triangle, self.triangles[other as usize], positions)
        })
    }

    /// Indices of the triangles incident to any of `nodes`, in ascending order.
    fn triangles_at_any(&self, nodes: &[u32]) -> Vec<u32> {
        let mut incident: Vec<u32> = nodes
            .iter()
            .flat_map(|&node| self.incident_triangles[node as usize].iter().copied())
            .collect();
        incident.sort_unstable();
        incident.dedup();
        incident
    }

    /// Enters a triangle into the grid cells that its bounding box overlaps.
    fn insert(&mut self, index: u32, positions: &[Vec3]) {
        let corners = self.triangles[index as usize].map(|node| positions[node as usize]);
        let Aabb { min, max } = Aabb::of_points(corners);
        let cell = |p: Vec3| (p / self.cell_size).to_array().map(|c| c.floor() as i64);
        let cells = [cell(min), cell(max)];
        self.cells[index as usize] = Some(cells);
        cells_in_range(cells).for_each(|cell| self.grid.entry(cell).or_default().push(index));
    }

    /// Removes a triangle from its grid cells.
    fn remove_from_grid(&mut self, index: u32) {
        let Some(cells) = self.cells[index as usize].take() else { return };
        for cell in cells_in_range(cells) {
            if let Some(list) = self.grid.get_mut(&cell) {
                list.retain(|&t| t != index);
            }
        }
    }
}

/// All grid cells in a range.
fn cells_in_range([first, last]: Cells) -> impl Iterator<Item = [i64; 3]> {
    let range_of_axis = move |k: usize| first[k]..=last[k];
    range_of_axis(0).flat_map(move |x| {
        range_of_axis(1).flat_map(move |y| range_of_axis(2).map(move |z| [x, y, z]))
    })
}

/// Whether an edge of one triangle meets the other without a common node.
fn triangles_cross(a: [u32; 3], b: [u32; 3], positions: &[Vec3]) -> bool {
    let corners = |t: [u32; 3]| t.map(|node| positions[node as usize]);
    let [box_a, box_b] = [a, b].map(|t| Aabb::of_points(corners(t)));
    if box_a.min.cmpgt(box_b.max).any() || box_b.min.cmpgt(box_a.max).any() {
        return false;
    }
    let edges_meet = |a: [u32; 3], b: [u32; 3]| {
        [[a[0], a[1]], [a[1], a[2]], [a[2], a[0]]].into_iter().any(|edge| {
            !edge.iter().any(|node| b.contains(node))
                && segment_meets_triangle(edge.map(|node| positions[node as usize]), corners(b))
        })
    };
    edges_meet(a, b) || edges_meet(b, a)
}
