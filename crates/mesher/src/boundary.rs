//! A dynamic boundary triangulation with an exact test for self-intersections.
//!
//! A boundary intersects itself if one of its edges meets a triangle without a common node. Triangles
//! are stored in a grid, so a query costs as many exact tests as there are overlapping boxes.

use crate::crossing_test::meet;
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
    around: Vec<Vec<u32>>,
    grid: BTreeMap<[i64; 3], Vec<u32>>,
    /// Length of a cell (m).
    size: f64,
}

impl Boundary {
    /// A boundary of `triangles` with edges of about `size` (m).
    pub(crate) fn new(triangles: &[[u32; 3]], positions: &[Vec3], size: f64) -> Self {
        let mut boundary = Self {
            triangles: Vec::with_capacity(triangles.len()),
            cells: Vec::with_capacity(triangles.len()),
            around: vec![Vec::new(); positions.len()],
            grid: BTreeMap::new(),
            size,
        };
        triangles.iter().for_each(|&triangle| _ = boundary.add(triangle, positions));
        boundary
    }

    /// Adds a triangle and returns its index.
    pub(crate) fn add(&mut self, triangle: [u32; 3], positions: &[Vec3]) -> u32 {
        let number = self.triangles.len() as u32;
        self.triangles.push(triangle);
        self.cells.push(None);
        self.insert(number, positions);
        triangle.iter().for_each(|&node| self.around[node as usize].push(number));
        number
    }

    /// Removes the triangle with these corners in any order; returns whether it existed.
    pub(crate) fn remove(&mut self, corners: [u32; 3]) -> bool {
        let Some(number) = self.find(corners) else { return false };
        self.remove_from_grid(number);
        corners.iter().for_each(|&node| self.around[node as usize].retain(|&t| t != number));
        true
    }

    fn find(&self, corners: [u32; 3]) -> Option<u32> {
        let has = |&t: &u32| corners.iter().all(|node| self.triangles[t as usize].contains(node));
        self.around[corners[0] as usize].iter().copied().find(has)
    }

    /// Triangles incident to a node.
    pub(crate) fn at(&self, node: u32) -> &[u32] {
        &self.around[node as usize]
    }

    /// Corners of a triangle.
    pub(crate) fn corners(&self, number: u32) -> [u32; 3] {
        self.triangles[number as usize]
    }

    /// Updates the grid for new positions of `nodes`.
    pub(crate) fn update(&mut self, nodes: &[u32], positions: &[Vec3]) {
        for number in self.around_all(nodes) {
            self.remove_from_grid(number);
            self.insert(number, positions);
        }
    }

    /// Whether a triangle at one of `nodes` intersects another.
    pub(crate) fn crosses_at(&self, nodes: &[u32], positions: &[Vec3]) -> bool {
        self.around_all(nodes).into_iter().any(|number| self.crosses(number, positions))
    }

    /// Whether this triangle intersects another.
    pub(crate) fn crosses(&self, number: u32, positions: &[Vec3]) -> bool {
        let Some(cells) = self.cells[number as usize] else { return false };
        let mut near: Vec<u32> =
            places(cells).filter_map(|cell| self.grid.get(&cell)).flatten().copied().collect();
        near.sort_unstable();
        near.dedup();
        let triangle = self.triangles[number as usize];
        near.into_iter().any(|other| {
            other != number && triangles_cross(triangle, self.triangles[other as usize], positions)
        })
    }

    /// Indices of the triangles incident to any of `nodes`, in ascending order.
    fn around_all(&self, nodes: &[u32]) -> Vec<u32> {
        let mut all: Vec<u32> =
            nodes.iter().flat_map(|&node| self.around[node as usize].iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn insert(&mut self, number: u32, positions: &[Vec3]) {
        let corners = self.triangles[number as usize].map(|node| positions[node as usize]);
        let Aabb { min, max } = Aabb::of_points(corners);
        let cell = |p: Vec3| (p / self.size).to_array().map(|c| c.floor() as i64);
        let cells = [cell(min), cell(max)];
        self.cells[number as usize] = Some(cells);
        places(cells).for_each(|cell| self.grid.entry(cell).or_default().push(number));
    }

    fn remove_from_grid(&mut self, number: u32) {
        let Some(cells) = self.cells[number as usize].take() else { return };
        for cell in places(cells) {
            if let Some(list) = self.grid.get_mut(&cell) {
                list.retain(|&t| t != number);
            }
        }
    }
}

fn places([first, last]: Cells) -> impl Iterator<Item = [i64; 3]> {
    let along = move |k: usize| first[k]..=last[k];
    along(0).flat_map(move |x| along(1).flat_map(move |y| along(2).map(move |z| [x, y, z])))
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
                && meet(edge.map(|node| positions[node as usize]), corners(b))
        })
    };
    edges_meet(a, b) || edges_meet(b, a)
}
