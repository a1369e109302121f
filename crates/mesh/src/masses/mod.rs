//! Masses of the nodes of a solid.
//!
//! A diagonal matrix cannot be the consistent one, but it can agree with it for all rigid
//! and all affine motions: its kinetic energy is then exact for them, momentum and angular
//! momentum with it. That is so exactly if the point masses have the mass, the centre and
//! the second moments of the solid, ten numbers. [`fit`](fit::fit) finds the masses nearest
//! to lumped ones that do.

mod fit;

use crate::TetMesh;
use crate::parts::Parts;
use resile_math::Vec3;

impl TetMesh {
    /// Lumped node masses (kg) for a density (kg/m^3): each element gives a quarter of its
    /// mass to each corner. Mass and centre are those of the solid, second moments are too
    /// large: those of a box of `n` cells along an edge by about `2 / n^2`.
    pub fn lumped_masses(&self, density: f64) -> Vec<f64> {
        let mut masses = vec![0.0; self.positions.len()];
        for (tet, nodes) in self.tets.iter().enumerate() {
            let quarter = 0.25 * density * self.volume_of(tet);
            for &node in nodes {
                masses[node as usize] += quarter;
            }
        }
        masses
    }

    /// Node masses (kg) for a density (kg/m^3) that have the mass, the centre and the second
    /// moments of the solid, and of each of its parts if it is in several: the smallest change
    /// of the lumped masses, none of which becomes smaller than a tenth. Where there are no such masses (all
    /// nodes of a box of one cell are as far from its middle), mass and centre are exact and the
    /// second moments as near as possible; [`inertia_error`](crate::Moments::inertia_error)
    /// says how near.
    ///
    /// A mesh with elements that are flat or inverted keeps its lumped masses. Costs a few
    /// passes over the nodes.
    pub fn node_masses(&self, density: f64) -> Vec<f64> {
        fitted(self, &self.tets, self.lumped_masses(density))
    }

    /// The elements of each part that hangs together by its nodes.
    fn parts(&self) -> Vec<Vec<usize>> {
        let mut parts = Parts::of(self.positions.len(), &self.tets);
        let mut named: Vec<(u32, usize)> = (self.tets.iter().enumerate())
            .map(|(tet, nodes)| (parts.find(nodes[0]), tet))
            .collect();
        named.sort_unstable();
        let groups = named.chunk_by(|a, b| a.0 == b.0);
        groups.map(|group| group.iter().map(|(_, tet)| *tet).collect()).collect()
    }
}

/// The masses nearest to `masses`, part by part of a solid, that have its moments. `elements`
/// returns which nodes the mass of each tetrahedron is at.
pub(crate) fn fitted<const N: usize>(
    solid: &TetMesh,
    elements: &[[u32; N]],
    mut masses: Vec<f64>,
) -> Vec<f64> {
    for tets in solid.parts() {
        let mut nodes: Vec<usize> =
            tets.iter().flat_map(|&tet| elements[tet]).map(|node| node as usize).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let Some(moments) = solid.moments_of(&tets) else { continue };
        let points: Vec<Vec3> = nodes.iter().map(|&node| solid.positions[node]).collect();
        let lumped: Vec<f64> = nodes.iter().map(|&node| masses[node]).collect();
        let fitted = fit::fit(&points, &lumped, &moments);
        nodes.iter().zip(fitted).for_each(|(&node, mass)| masses[node] = mass);
    }
    masses
}
