//! Boxes from a regular grid.

use super::{GenerateError, check_count, check_elements, check_size};
use crate::{TetMesh, TriMesh};
use resile_math::Vec3;

/// A box of `cells[0] * cells[1] * cells[2]` equal cells, six tetrahedra each.
///
/// Every cell is split along its diagonal from the smallest to the largest corner (Kuhn 1960; Freudenthal
/// 1942): one tetrahedron for each order in which the three axes can be traversed. The diagonals on opposite
/// sides of a cell are then parallel, so adjacent cells match. Unlike the split into five tetrahedra, this one
/// has a preferred direction. The split into five would have to alternate from cell to cell and mixes two
/// element shapes.
///
/// Node `(i, j, k)` has the index `i + (nx + 1) (j + (ny + 1) k)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoxGrid {
    /// Number of cells along x, y, z.
    pub cells: [usize; 3],
    /// Edge lengths in metres.
    pub size: Vec3,
}

/// The six paths along axes from corner 000 to corner 111 of a cell, as axis orders. The first three are even
/// permutations and give positive volumes.
const AXIS_PERMUTATIONS: [[usize; 3]; 6] =
    [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]];

impl BoxGrid {
    /// Builds the box with `(nx+1)(ny+1)(nz+1)` nodes, `6 nx ny nz` tetrahedra and `4 (nx ny + ny nz + nz nx)` surface
    /// triangles.
    ///
    /// # Errors
    /// If a length is not a positive finite number, or a count is zero or too large.
    pub fn build(&self) -> Result<TetMesh, GenerateError> {
        for (parameter, n) in ["cells[0]", "cells[1]", "cells[2]"].into_iter().zip(self.cells) {
            check_count(parameter, n, 1)?;
        }
        for (parameter, length) in
            ["size.x", "size.y", "size.z"].into_iter().zip(self.size.to_array())
        {
            check_size(parameter, length)?;
        }
        let [nx, ny, nz] = self.cells;
        check_elements(&[6, nx, ny, nz])?;
        Ok(TetMesh { positions: self.nodes(), tets: self.tets() })
    }

    /// Node positions (m), x fastest.
    fn nodes(&self) -> Vec<Vec3> {
        let [nx, ny, nz] = self.cells;
        // Coordinates are computed from the centre outward, so that the box is symmetric to the bit.
        let coordinate = |i: usize, n: usize| (2.0 * i as f64 - n as f64) / (2.0 * n as f64);
        let mut nodes = Vec::with_capacity((nx + 1) * (ny + 1) * (nz + 1));
        for k in 0..=nz {
            for j in 0..=ny {
                for i in 0..=nx {
                    let unit = Vec3::new(coordinate(i, nx), coordinate(j, ny), coordinate(k, nz));
                    nodes.push(unit * self.size);
                }
            }
        }
        nodes
    }

    /// Six tetrahedra per cell, cell by cell.
    fn tets(&self) -> Vec<[u32; 4]> {
        let [nx, ny, nz] = self.cells;
        let stride = [1, nx + 1, (nx + 1) * (ny + 1)];
        let mut tets = Vec::with_capacity(6 * nx * ny * nz);
        for k in 0..nz {
            for j in 0..ny {
                for i in 0..nx {
                    let a = i * stride[0] + j * stride[1] + k * stride[2];
                    tets.extend((0..6).map(|permutation| kuhn_tet(a, stride, permutation)));
                }
            }
        }
        tets
    }
}

/// Tetrahedron of a cell with the first node `a`: the path along the axes in the order of a permutation, where axis k
/// has the node stride `stride[k]`.
fn kuhn_tet(a: usize, stride: [usize; 3], permutation: usize) -> [u32; 4] {
    let [first, second, third] = AXIS_PERMUTATIONS[permutation].map(|axis| stride[axis]);
    let [b, c, d] = [a + first, a + first + second, a + first + second + third];
    let corners = if permutation < 3 { [a, b, c, d] } else { [a, c, b, d] };
    corners.map(|node| node as u32)
}

/// The closed surface of a box: the boundary of [`BoxGrid`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoxSurface {
    /// Number of cells along x, y, z.
    pub cells: [usize; 3],
    /// Edge lengths in metres.
    pub size: Vec3,
}

impl BoxSurface {
    /// Builds the surface with `4 (nx ny + ny nz + nz nx)` triangles. It builds the solid and extracts its boundary, so
    /// that the two agree by construction, at the same cost.
    ///
    /// # Errors
    /// As [`BoxGrid::build`].
    pub fn build(&self) -> Result<TriMesh, GenerateError> {
        Ok(BoxGrid { cells: self.cells, size: self.size }.build()?.boundary())
    }
}
