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

use super::lattice::{FACE_CORNERS, Lattice, Place};
use super::stencil::Side;

/// Leaves of the octree: the number of merges at each cell of the lattice.
#[derive(Debug)]
pub(super) struct Octree<'a> {
    lattice: &'a Lattice,
    levels: Vec<u8>,
}

impl<'a> Octree<'a> {
    /// Merges cells at most `grade` times.
    pub(super) fn new(lattice: &'a Lattice, sides: &[Side], grade: u8) -> Self {
        let mut octree = Self { lattice, levels: vec![0; count_of(lattice.cells())] };
        if grade > 0 {
            let mut allowed = octree.inside(sides);
            for level in 1..=grade {
                allowed = allowed.joined();
                if !octree.set_level(&allowed, level) {
                    break;
                }
            }
        }
        octree
    }

    /// Cells whose points are all inside and unmoved.
    fn inside(&self, sides: &[Side]) -> Blocks {
        let mut blocks = Blocks::none(self.lattice.cells());
        for number in 0..self.levels.len() {
            let place = cell_center(number, self.lattice.cells());
            let around =
                (0..8).map(|k| [0, 1, 2].map(|axis| place[axis] + 2 * (k >> axis & 1) - 1));
            let mut points = around.chain([place]).map(|place| self.lattice.point(place));
            blocks.has[number] = points.all(|point| sides[point] == Side::Inside);
        }
        blocks
    }

    /// Sets this level for the cells of allowed blocks; returns whether there are any.
    fn set_level(&mut self, allowed: &Blocks, level: u8) -> bool {
        let counts = self.lattice.cells();
        for (cell, level_of_cell) in self.levels.iter_mut().enumerate() {
            if allowed.at(place(cell, counts).map(|c| c >> level)) {
                *level_of_cell = level;
            }
        }
        allowed.has.contains(&true)
    }

    /// Level of the cell around an odd place.
    fn level(&self, place: Place) -> Option<u8> {
        let (cell, counts) = (place.map(|c| c >> 1), self.lattice.cells());
        let inside = (0..3).all(|k| (0..counts[k]).contains(&cell[k]));
        inside.then(|| self.levels[number(cell, counts)])
    }

    /// Calls `visit` for every tetrahedron between leaves, with its points (in stencil order at the surface)
    /// and its parity.
    pub(super) fn for_each_tet(&self, mut visit: impl FnMut([usize; 4], bool)) {
        for (number, &level) in self.levels.iter().enumerate() {
            let place = cell_center(number, self.lattice.cells());
            let leaf = Leaf { half: 1 << level };
            if leaf.first_cell(place) != place {
                continue;
            }
            let center = place.map(|c| c - 1 + leaf.half);
            for axis in 0..3 {
                for sign in [1, -1] {
                    self.tets_beyond(center, level, axis, sign, &mut visit);
                }
            }
        }
    }

    /// Tetrahedra between the centre of a leaf and one of its faces, or the centre of the adjacent leaf if that
    /// has the same size and this one comes first.
    fn tets_beyond(
        &self,
        center: Place,
        level: u8,
        axis: usize,
        sign: i32,
        visit: &mut impl FnMut([usize; 4], bool),
    ) {
        let half = 1 << level;
        let face = Face { center, half, axis, sign };
        let Some(other) = self.level(face.beyond()) else { return };
        if other == 0 && level == 0 {
            if sign > 0 {
                self.lattice.tets_along(center, axis, visit);
            }
            return;
        }
        let mut emit = |tet: [Place; 4]| visit(positive(tet).map(|p| self.lattice.point(p)), false);
        let middle = face.at([0, 0]);
        for k in 0..4 {
            let (from, to) = (FACE_CORNERS[k], FACE_CORNERS[(k + 1) % 4]);
            // Outward direction from the middle of the face.
            let across = [0, 1].map(|j| (from[j] + to[j]) / 2);
            let ends = [face.at(from), face.at(to)];
            let half_way = face.at(across);
            let split = |apex: Place, inner: Place| {
                [[apex, inner, ends[0], half_way], [apex, inner, half_way, ends[1]]]
            };
            if other < level {
                split(center, middle).into_iter().for_each(&mut emit);
            } else if other == level && sign > 0 {
                let next = face.next_center();
                if self.is_split(&face, across) {
                    split(center, next).into_iter().for_each(&mut emit);
                } else {
                    emit([center, next, ends[0], ends[1]]);
                }
            }
        }
        if other > level {
            // From the middle of the large face to its corner, and to both sides of that diagonal.
            let inward = face.toward_large_middle();
            let outward = inward.map(|c| -c);
            for side in [[inward[0], outward[1]], [outward[0], inward[1]]] {
                emit([center, face.at(inward), face.at(outward), face.at(side)]);
            }
        }
    }

    /// Whether an edge of a face between two leaves of one size is split by a smaller leaf.
    fn is_split(&self, face: &Face, across: [i32; 2]) -> bool {
        [-1, 1].iter().any(|&depth| {
            let level = self.level(face.beside(across, depth * face.sign));
            level.is_some_and(|level| (1 << level) < face.half)
        })
    }
}

/// A leaf with half of its edge length in half cells.
#[derive(Debug, Clone, Copy)]
struct Leaf {
    half: i32,
}

impl Leaf {
    /// Centre of the first cell of the leaf that contains this cell.
    fn first_cell(self, cell: Place) -> Place {
        cell.map(|c| c - c.rem_euclid(2 * self.half) + 1)
    }
}

/// A face of a leaf.
#[derive(Debug, Clone, Copy)]
struct Face {
    /// Centre of the leaf.
    center: Place,
    half: i32,
    axis: usize,
    sign: i32,
}

impl Face {
    /// A point of the face along its two axes: 0 is the middle, 1 and -1 are the rim.
    fn at(&self, [u, v]: [i32; 2]) -> Place {
        self.moved(self.sign * self.half, [u * self.half, v * self.half])
    }

    fn moved(&self, along: i32, [u, v]: [i32; 2]) -> Place {
        let mut place = self.center;
        place[self.axis] += along;
        place[(self.axis + 1) % 3] += u;
        place[(self.axis + 2) % 3] += v;
        place
    }

    /// Centre of the leaf of the same size behind the face.
    fn next_center(&self) -> Place {
        self.moved(2 * self.sign * self.half, [0, 0])
    }

    /// A point just behind the face, inside the adjacent leaf.
    fn beyond(&self) -> Place {
        odd(self.moved(self.sign * (self.half + 1), [0, 0]))
    }

    /// Centre of a cell beside the middle of an edge of the face, outside of the leaf, on this side of the face
    /// or behind it.
    fn beside(&self, across: [i32; 2], depth: i32) -> Place {
        odd(self.moved(self.sign * self.half + depth, across.map(|c| c * (self.half + 1))))
    }

    /// Direction to the middle of the face of twice the size.
    fn toward_large_middle(&self) -> [i32; 2] {
        [1, 2].map(|k| {
            // Leaves of twice the size have their centres at odd multiples of `2 half`.
            let at = self.center[(self.axis + k) % 3].rem_euclid(4 * self.half);
            if at < 2 * self.half { 1 } else { -1 }
        })
    }
}

/// Nearest odd place: even ones lie between cells of one leaf, or at the middle of its edge.
fn odd(place: Place) -> Place {
    place.map(|c| c | 1)
}

/// Exchanges the last two points if the volume would be negative.
fn positive([a, b, c, d]: [Place; 4]) -> [Place; 4] {
    let [u, v, w] = [b, c, d].map(|p| [0, 1, 2].map(|k| i64::from(p[k] - a[k])));
    let volume = u[0] * (v[1] * w[2] - v[2] * w[1])
        + u[1] * (v[2] * w[0] - v[0] * w[2])
        + u[2] * (v[0] * w[1] - v[1] * w[0]);
    if volume > 0 { [a, b, c, d] } else { [a, b, d, c] }
}

/// Blocks of one size, with a flag for each allowed block.
#[derive(Debug)]
struct Blocks {
    counts: Place,
    has: Vec<bool>,
}

impl Blocks {
    fn none(counts: Place) -> Self {
        Self { counts, has: vec![false; count_of(counts)] }
    }

    fn at(&self, block: Place) -> bool {
        let inside = (0..3).all(|k| (0..self.counts[k]).contains(&block[k]));
        inside && self.has[number(block, self.counts)]
    }

    /// Blocks of twice the size; one is allowed if all smaller blocks in it and around it are.
    fn joined(&self) -> Self {
        let mut joined = Self::none(self.counts.map(|n| n / 2));
        for k in 0..joined.has.len() {
            let first = place(k, joined.counts).map(|c| 2 * c - 1);
            let mut near = (0..64).map(|j| [j % 4, j / 4 % 4, j / 16]);
            joined.has[k] = near.all(|step| self.at([0, 1, 2].map(|k| first[k] + step[k])));
        }
        joined
    }
}

fn number([x, y, z]: Place, counts: Place) -> usize {
    x as usize + counts[0] as usize * (y as usize + counts[1] as usize * z as usize)
}

fn place(number: usize, counts: Place) -> Place {
    let [nx, ny] = [counts[0], counts[1]].map(|n| n as usize);
    [number % nx, number / nx % ny, number / (nx * ny)].map(|c| c as i32)
}

fn count_of(counts: Place) -> usize {
    counts.iter().map(|&n| n as usize).product()
}

/// Centre of a cell, in half cells.
fn cell_center(cell: usize, counts: Place) -> Place {
    place(cell, counts).map(|c| 2 * c + 1)
}
