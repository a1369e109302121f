//! What a mesh is like: everything worth knowing before it is simulated.
//!
//! Measures and counts as plain data, to be printed, plotted or judged. Nothing
//! is judged here: a hole may be wanted, and how small an angle may be depends on what
//! the mesh is for.

mod solid;
mod spread;
mod surface;

pub use solid::SolidInspection;
pub use spread::{Histogram, Spread};
pub use surface::SurfaceInspection;

use resile_math::Vec3;

/// How many points are exactly where an earlier one is. Costs a sort.
fn duplicates(points: &[Vec3]) -> usize {
    // Adding zero makes -0 equal to 0.
    let mut names: Vec<[u64; 3]> =
        points.iter().map(|p| p.to_array().map(|c| (c + 0.0).to_bits())).collect();
    names.sort_unstable();
    names.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

/// How many of `count` numbers no element has.
fn unused<const N: usize>(count: usize, elements: &[[u32; N]]) -> usize {
    let mut used = vec![false; count];
    elements.as_flattened().iter().for_each(|&number| used[number as usize] = true);
    used.iter().filter(|&&used| !used).count()
}
