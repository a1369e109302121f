//! Mesh inspection: counts, measures and defects as plain data.
//!
//! This module reports and does not judge: a hole may be intended, and the smallest acceptable angle depends on
//! the use of the mesh.

mod solid;
mod spread;
mod surface;

pub use solid::SolidInspection;
pub use spread::{Histogram, Spread};
pub use surface::SurfaceInspection;

use resile_math::Vec3;

/// Width of the bins of angle histograms, in degrees.
const ANGLE_BIN_WIDTH: f64 = 5.0;

/// Number of points that coincide exactly with an earlier one. Costs a sort.
fn duplicate_count(points: &[Vec3]) -> usize {
    // Adding zero makes -0 equal to 0.
    let mut keys: Vec<[u64; 3]> =
        points.iter().map(|p| p.to_array().map(|c| (c + 0.0).to_bits())).collect();
    keys.sort_unstable();
    keys.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

/// Number of indices below `count` that no element contains.
fn unused_count<const N: usize>(count: usize, elements: &[[u32; N]]) -> usize {
    let mut used = vec![false; count];
    elements.as_flattened().iter().for_each(|&index| used[index as usize] = true);
    used.iter().filter(|&&used| !used).count()
}
