//! Diagonal mass matrices of solids.
//!
//! A diagonal mass matrix cannot equal the consistent one, but it can have the same kinetic energy,
//! momentum and angular momentum for all affine motions, including rigid ones. That holds exactly if
//! the point masses have the mass, the centre and the second moments of the solid (ten numbers).
//! [`fit`](fit::fit) finds such masses nearest to the lumped ones.

mod fit;

use crate::parts::Parts;
use crate::{Moments, TetMesh};
use resile_math::Vec3;

impl TetMesh {
    /// Lumped node masses (kg) for a density (kg/m^3): each element contributes a quarter of its mass to each
    /// corner. Mass and centre are those of the solid. The second moments are too large: for a box of `n` cells
    /// along an edge by about `2 / n^2`.
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

    /// Node masses (kg) for a density (kg/m^3) with the mass, the centre and the second moments of each
    /// connected component of the solid: the smallest change of the lumped masses that keeps each above a
    /// tenth. If no such masses exist (all nodes of a one-cell box have the same distance from its centre),
    /// mass and centre are exact and the second moments as near as possible;
    /// [`inertia_error`](crate::Moments::inertia_error) measures the difference.
    ///
    /// A mesh with flat or inverted elements keeps its lumped masses. Costs a few passes over the nodes.
    pub fn node_masses(&self, density: f64) -> Vec<f64> {
        let masses = self.lumped_masses(density);
        fit_moments(self, &self.tets, masses, |tets| self.moments_of(tets))
    }

    /// Elements of each connected component; elements that share a node are connected.
    fn parts(&self) -> Vec<Vec<usize>> {
        let mut parts = Parts::of_elements(self.positions.len(), &self.tets);
        let mut tets_by_part: Vec<(u32, usize)> = (self.tets.iter().enumerate())
            .map(|(tet, nodes)| (parts.find(nodes[0]), tet))
            .collect();
        tets_by_part.sort_unstable();
        let groups = tets_by_part.chunk_by(|(part, _), (next_part, _)| part == next_part);
        groups.map(|group| group.iter().map(|(_, tet)| *tet).collect()).collect()
    }
}

/// Changes the node masses (kg) to reproduce the moments of each component of the solid. `elements` lists the nodes
/// that carry the mass of each tetrahedron. `moments` returns the moments of a component from its tetrahedra; the
/// masses of a component stay if it returns `None`.
pub(crate) fn fit_moments<const N: usize>(
    solid: &TetMesh,
    elements: &[[u32; N]],
    mut masses: Vec<f64>,
    moments: impl Fn(&[usize]) -> Option<Moments>,
) -> Vec<f64> {
    for tets in solid.parts() {
        let mut nodes: Vec<usize> =
            tets.iter().flat_map(|&tet| elements[tet]).map(|node| node as usize).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let Some(moments) = moments(&tets) else { continue };
        let points: Vec<Vec3> = nodes.iter().map(|&node| solid.positions[node]).collect();
        let lumped: Vec<f64> = nodes.iter().map(|&node| masses[node]).collect();
        let fitted = fit::fit(&points, &lumped, &moments);
        nodes.iter().zip(fitted).for_each(|(&node, mass)| masses[node] = mass);
    }
    masses
}
