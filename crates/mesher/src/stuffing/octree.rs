//! Graded interior: an octree over the cells of a lattice, and its tetrahedra.
//!
//! The graded lattice of Labelle and Shewchuk (2007, section 3), with uniform cells near the surface. Eight
//! cells are merged if they and all cells that touch them are inside; eight of these blocks are merged if they
//! and all blocks of their size that touch them are, and so on. Adjacent leaves therefore differ by at most one
//! level, and the part that is cut at the surface is the uniform lattice. The bound of the angles is that of
//! the uniform lattice, and so is the boundary, to the bit.
//!
//! Between two leaves of one size lie the tetrahedra of the lattice, halved where an edge has a midpoint
//! because of an adjacent smaller leaf. The face between a large leaf and four small ones is split into eight
//! triangles around its centre. Each of these forms a tetrahedron with the centre of the leaf on either side.
//! The smallest dihedral angle of all these shapes is 45 degrees.

use super::lattice::{FACE_CORNERS, Lattice, LatticePoint};
use super::stencil::Side;

/// Leaves of the octree: the number of merges at each cell of the lattice.
#[derive(Debug)]
pub(super) struct Octree<'a> {
    lattice: &'a Lattice,
    /// Level of the leaf that contains each cell.
    levels: Vec<u8>,
}

impl<'a> Octree<'a> {
    /// Merges cells at most `grade` times.
    pub(super) fn new(lattice: &'a Lattice, sides: &[Side], grade: u8) -> Self {
        let mut octree = Self { lattice, levels: vec![0; cell_count(lattice.cells())] };
        if grade > 0 {
            let mut allowed = octree.inside_blocks(sides);
            for level in 1..=grade {
                allowed = allowed.merged();
                if !octree.set_level(&allowed, level) {
                    break;
                }
            }
        }
        octree
    }

    /// Cells whose corners and centre are all inside and unmoved.
    fn inside_blocks(&self, sides: &[Side]) -> Blocks {
        let mut blocks = Blocks::none(self.lattice.cells());
        for cell in 0..self.levels.len() {
            let center = cell_center(cell, self.lattice.cells());
            let corners =
                (0..8).map(|k| [0, 1, 2].map(|axis| center[axis] + 2 * (k >> axis & 1) - 1));
            let mut points = corners.chain([center]).map(|point| self.lattice.point(point));
            blocks.is_allowed[cell] = points.all(|point| sides[point] == Side::Inside);
        }
        blocks
    }

    /// Sets this level for the cells of allowed blocks; returns whether there are any.
    fn set_level(&mut self, allowed: &Blocks, level: u8) -> bool {
        let counts = self.lattice.cells();
        for (cell, level_of_cell) in self.levels.iter_mut().enumerate() {
            if allowed.allows(cell_coordinates(cell, counts).map(|c| c >> level)) {
                *level_of_cell = level;
            }
        }
        allowed.is_allowed.contains(&true)
    }

    /// Level of the leaf at a point with odd coordinates; `None` outside the lattice.
    fn level(&self, point: LatticePoint) -> Option<u8> {
        let (cell, counts) = (point.map(|c| c >> 1), self.lattice.cells());
        let inside = (0..3).all(|k| (0..counts[k]).contains(&cell[k]));
        inside.then(|| self.levels[cell_index(cell, counts)])
    }

    /// Calls `visit` for every tetrahedron between leaves, with its points (in stencil order at the surface)
    /// and its parity.
    pub(super) fn for_each_tet(&self, mut visit: impl FnMut([usize; 4], bool)) {
        for (cell, &level) in self.levels.iter().enumerate() {
            let first_center = cell_center(cell, self.lattice.cells());
            let leaf = Leaf { half: 1 << level };
            if leaf.first_cell(first_center) != first_center {
                continue;
            }
            let center = first_center.map(|c| c - 1 + leaf.half);
            for axis in 0..3 {
                for sign in [1, -1] {
                    self.tets_at_face(center, level, axis, sign, &mut visit);
                }
            }
        }
    }

    /// Calls `visit` with the tetrahedra at one face of a leaf, given by its centre and level. The face is normal to
    /// `axis` at the end with this `sign`. The tetrahedra lie between the face and the centre of the leaf. If the
    /// adjacent leaf has the same size, they extend to its centre, and only the face with positive `sign` has them.
    fn tets_at_face(
        &self,
        center: LatticePoint,
        level: u8,
        axis: usize,
        sign: i32,
        visit: &mut impl FnMut([usize; 4], bool),
    ) {
        let half = 1 << level;
        let face = Face { center, half, axis, sign };
        let Some(adjacent_level) = self.level(face.adjacent_point()) else { return };
        if adjacent_level == 0 && level == 0 {
            if sign > 0 {
                self.lattice.tets_along(center, axis, visit);
            }
            return;
        }
        let mut emit = |tet: [LatticePoint; 4]| {
            visit(positively_oriented(tet).map(|p| self.lattice.point(p)), false);
        };
        let face_center = face.point([0, 0]);
        for k in 0..4 {
            let (from, to) = (FACE_CORNERS[k], FACE_CORNERS[(k + 1) % 4]);
            // Outward direction from the middle of the face.
            let direction = [0, 1].map(|j| (from[j] + to[j]) / 2);
            let ends = [face.point(from), face.point(to)];
            let edge_midpoint = face.point(direction);
            // The tetrahedra of the axis from `apex` to `inner` and each half of the edge.
            let split = |apex: LatticePoint, inner: LatticePoint| {
                [[apex, inner, ends[0], edge_midpoint], [apex, inner, edge_midpoint, ends[1]]]
            };
            if adjacent_level < level {
                split(center, face_center).into_iter().for_each(&mut emit);
            } else if adjacent_level == level && sign > 0 {
                let next = face.next_center();
                if self.is_split(&face, direction) {
                    split(center, next).into_iter().for_each(&mut emit);
                } else {
                    emit([center, next, ends[0], ends[1]]);
                }
            }
        }
        if adjacent_level > level {
            // Both tetrahedra contain the diagonal from the middle of the large face to its corner.
            let inward = face.toward_large_middle();
            let outward = inward.map(|c| -c);
            for corner in [[inward[0], outward[1]], [outward[0], inward[1]]] {
                emit([center, face.point(inward), face.point(outward), face.point(corner)]);
            }
        }
    }

    /// Whether the edge of a face in a direction from its centre is split by a smaller leaf.
    fn is_split(&self, face: &Face, across: [i32; 2]) -> bool {
        [-1, 1].iter().any(|&depth| {
            let level = self.level(face.cell_beside_edge(across, depth * face.sign));
            level.is_some_and(|level| (1 << level) < face.half)
        })
    }
}

/// The size of a leaf.
#[derive(Debug, Clone, Copy)]
struct Leaf {
    /// Half of its edge length, in half cells.
    half: i32,
}

impl Leaf {
    /// Centre of the first cell of the leaf that contains this cell.
    fn first_cell(self, cell: LatticePoint) -> LatticePoint {
        cell.map(|c| c - c.rem_euclid(2 * self.half) + 1)
    }
}

/// A face of a leaf.
#[derive(Debug, Clone, Copy)]
struct Face {
    /// Centre of the leaf.
    center: LatticePoint,
    /// Half of the edge length of the leaf, in half cells.
    half: i32,
    /// Axis of the normal.
    axis: usize,
    /// Sign of the outward direction along the axis.
    sign: i32,
}

impl Face {
    /// A point of the face by coordinates along its two axes: 0 is the centre, 1 and -1 are the sides.
    fn point(&self, [u, v]: [i32; 2]) -> LatticePoint {
        self.offset_center(self.sign * self.half, [u * self.half, v * self.half])
    }

    /// The centre of the leaf plus offsets along the normal and the two axes of the face.
    fn offset_center(&self, along: i32, [u, v]: [i32; 2]) -> LatticePoint {
        let mut point = self.center;
        point[self.axis] += along;
        point[(self.axis + 1) % 3] += u;
        point[(self.axis + 2) % 3] += v;
        point
    }

    /// Centre of the leaf of the same size behind the face.
    fn next_center(&self) -> LatticePoint {
        self.offset_center(2 * self.sign * self.half, [0, 0])
    }

    /// A point just behind the face, inside the adjacent leaf.
    fn adjacent_point(&self) -> LatticePoint {
        odd(self.offset_center(self.sign * (self.half + 1), [0, 0]))
    }

    /// Centre of a cell outside the leaf, next to the midpoint of an edge of the face; `depth` tells on which side of
    /// the face's plane.
    fn cell_beside_edge(&self, across: [i32; 2], depth: i32) -> LatticePoint {
        odd(self.offset_center(self.sign * self.half + depth, across.map(|c| c * (self.half + 1))))
    }

    /// Signs of the direction from the centre of the face to the centre of the adjacent face of twice the size.
    fn toward_large_middle(&self) -> [i32; 2] {
        [1, 2].map(|k| {
            // Leaves of twice the size have their centres at odd multiples of `2 half`.
            let remainder = self.center[(self.axis + k) % 3].rem_euclid(4 * self.half);
            if remainder < 2 * self.half { 1 } else { -1 }
        })
    }
}

/// Nearest point with odd coordinates. Even coordinates lie between cells of one leaf, or at the middle of its edge.
fn odd(point: LatticePoint) -> LatticePoint {
    point.map(|c| c | 1)
}

/// Exchanges the last two points if the volume would be negative.
fn positively_oriented([a, b, c, d]: [LatticePoint; 4]) -> [LatticePoint; 4] {
    let [u, v, w] = [b, c, d].map(|p| [0, 1, 2].map(|k| i64::from(p[k] - a[k])));
    let volume = u[0] * (v[1] * w[2] - v[2] * w[1])
        + u[1] * (v[2] * w[0] - v[0] * w[2])
        + u[2] * (v[0] * w[1] - v[1] * w[0]);
    if volume > 0 { [a, b, c, d] } else { [a, b, d, c] }
}

/// Blocks of one size, with a flag for each allowed block.
#[derive(Debug)]
struct Blocks {
    /// Number of blocks along each axis.
    counts: LatticePoint,
    /// Whether each block may be merged, in the order of cells.
    is_allowed: Vec<bool>,
}

impl Blocks {
    /// No allowed blocks.
    fn none(counts: LatticePoint) -> Self {
        Self { counts, is_allowed: vec![false; cell_count(counts)] }
    }

    /// Whether a block exists and is allowed.
    fn allows(&self, block: LatticePoint) -> bool {
        let inside = (0..3).all(|k| (0..self.counts[k]).contains(&block[k]));
        inside && self.is_allowed[cell_index(block, self.counts)]
    }

    /// Blocks of twice the size; one is allowed if all smaller blocks in it and around it are.
    fn merged(&self) -> Self {
        let mut merged = Self::none(self.counts.map(|n| n / 2));
        for k in 0..merged.is_allowed.len() {
            let first = cell_coordinates(k, merged.counts).map(|c| 2 * c - 1);
            let mut block_steps = (0..64).map(|j| [j % 4, j / 4 % 4, j / 16]);
            merged.is_allowed[k] =
                block_steps.all(|step| self.allows([0, 1, 2].map(|k| first[k] + step[k])));
        }
        merged
    }
}

/// Index of a cell by its integer coordinates.
fn cell_index([x, y, z]: LatticePoint, counts: LatticePoint) -> usize {
    x as usize + counts[0] as usize * (y as usize + counts[1] as usize * z as usize)
}

/// Integer coordinates of a cell by its index.
fn cell_coordinates(index: usize, counts: LatticePoint) -> LatticePoint {
    let [nx, ny] = [counts[0], counts[1]].map(|n| n as usize);
    [index % nx, index / nx % ny, index / (nx * ny)].map(|c| c as i32)
}

/// Number of cells of a grid.
fn cell_count(counts: LatticePoint) -> usize {
    counts.iter().map(|&n| n as usize).product()
}

/// Centre of a cell, in half cells.
fn cell_center(cell: usize, counts: LatticePoint) -> LatticePoint {
    cell_coordinates(cell, counts).map(|c| 2 * c + 1)
}
