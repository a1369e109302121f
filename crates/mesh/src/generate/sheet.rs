//! Flat rectangles.

use super::{GenerateError, check_count, check_elements, check_size};
use crate::TriMesh;
use resile_math::Vec3;

/// A rectangle in the plane y = 0, facing up, two triangles per cell. The diagonals alternate like the colours
/// of a chessboard, so that bending and shear have no preferred direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sheet {
    /// Number of cells along x and z.
    pub cells: [usize; 2],
    /// Lengths along x and z, in metres.
    pub size: [f64; 2],
}

impl Sheet {
    /// Builds the rectangle with `(nx+1)(nz+1)` vertices and `2 nx nz` triangles.
    ///
    /// # Errors
    /// If a length is not a positive finite number, or a count is zero or too large.
    pub fn build(&self) -> Result<TriMesh, GenerateError> {
        let [nx, nz] = self.cells;
        check_count("cells[0]", nx, 1)?;
        check_count("cells[1]", nz, 1)?;
        check_size("size[0]", self.size[0])?;
        check_size("size[1]", self.size[1])?;
        check_elements(&[2, nx, nz])?;
        let centred = |i: usize, n: usize| (2.0 * i as f64 - n as f64) / (2.0 * n as f64);
        let mut positions = Vec::with_capacity((nx + 1) * (nz + 1));
        for k in 0..=nz {
            for i in 0..=nx {
                let (x, z) = (self.size[0] * centred(i, nx), self.size[1] * centred(k, nz));
                positions.push(Vec3::new(x, 0.0, z));
            }
        }
        let mut triangles = Vec::with_capacity(2 * nx * nz);
        for k in 0..nz {
            for i in 0..nx {
                triangles.extend(cell_triangles(nx, i, k));
            }
        }
        Ok(TriMesh { positions, triangles })
    }
}

/// The two triangles of cell `(i, k)` of a grid with `nx` cells along x.
fn cell_triangles(nx: usize, i: usize, k: usize) -> [[u32; 3]; 2] {
    let vertex = |di: usize, dk: usize| (i + di + (nx + 1) * (k + dk)) as u32;
    let (a, b, c, d) = (vertex(0, 0), vertex(0, 1), vertex(1, 1), vertex(1, 0));
    if (i + k).is_multiple_of(2) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
}
