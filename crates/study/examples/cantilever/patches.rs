//! Strains that are means over the elements about a node, for small deformations.
//!
//! Every node has a quarter of the volume of each element at it, and the mean of their strains weighted by that. Two
//! such elements are known not to lock:
//!
//! * volume by node, all else by element (Bonet & Burton 1998, *A simple average nodal pressure tetrahedral
//!   element for incompressible and nearly incompressible dynamic explicit applications*);
//! * all of the strain by node (Dohrmann, Heinstein, Jung, Key & Witkowski 2000, *Node-based uniform strain
//!   elements for three-node triangular and four-node tetrahedral meshes*; smoothed finite elements).

use resile_energy::Lame;
use resile_math::{Mat3, Vec3, outer};
use resile_mesh::TetMesh;
use resile_system::{Energy, Hessian, Psd};
use std::collections::BTreeMap;

/// Lame's parameters (Pa), of which the first may be negative here.
#[derive(Debug, Clone, Copy)]
struct Moduli {
    lambda: f64,
    mu: f64,
}

/// A volume of uniform strain.
#[derive(Debug, Default, Clone)]
struct Patch {
    /// (m^3).
    volume: f64,
    /// Of each node the gradient of its shape function (1/m), a mean over the volume.
    gradients: BTreeMap<u32, Vec3>,
}

impl Patch {
    /// Of the elements with their volumes.
    fn mean<'a>(parts: impl Iterator<Item = (f64, &'a Self)>) -> Self {
        let mut sum = Self::default();
        for (volume, part) in parts {
            sum.volume += volume;
            for (node, gradient) in &part.gradients {
                *sum.gradients.entry(*node).or_insert(Vec3::ZERO) += volume * *gradient;
            }
        }
        sum.gradients.values_mut().for_each(|gradient| *gradient /= sum.volume);
        sum
    }

    /// `V (lambda a b^T + mu (b a^T + (a . b) I))`, the Hessian of `V (mu eps : eps + lambda tr(eps)^2 / 2)`.
    fn block(&self, moduli: Moduli, a: Vec3, b: Vec3) -> Mat3 {
        let shear = outer(b, a) + Mat3::from_diagonal(Vec3::splat(a.dot(b)));
        self.volume * (moduli.lambda * outer(a, b) + moduli.mu * shear)
    }
}

/// What is a mean over the elements about a node.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ByNode {
    Volume,
    Strain,
}

/// A linear elastic solid of such patches.
#[derive(Debug)]
pub(crate) struct Patches {
    rest: Vec<Vec3>,
    patches: Vec<(Moduli, Patch)>,
}

impl Patches {
    pub(crate) fn new(mesh: &TetMesh, lame: Lame, by_node: ByNode) -> Self {
        let elements: Vec<Patch> = mesh.tets.iter().map(|tet| element(mesh, *tet)).collect();
        let mut at_node = vec![Vec::new(); mesh.positions.len()];
        for (tet, patch) in mesh.tets.iter().zip(&elements) {
            tet.iter().for_each(|node| at_node[*node as usize].push((0.25 * patch.volume, patch)));
        }
        let (lambda, mu) = (lame.lambda(), lame.mu());
        let nodes = at_node.into_iter().map(|parts| Patch::mean(parts.into_iter()));
        let patches = match by_node {
            ByNode::Strain => nodes.map(|patch| (Moduli { lambda, mu }, patch)).collect(),
            ByNode::Volume => {
                let bulk = Moduli { lambda: lambda + 2.0 / 3.0 * mu, mu: 0.0 };
                let shape = Moduli { lambda: -2.0 / 3.0 * mu, mu };
                let elements = elements.iter().map(|patch| (shape, patch.clone()));
                nodes.map(|patch| (bulk, patch)).chain(elements).collect()
            }
        };
        Self { rest: mesh.positions.clone(), patches }
    }

    /// The force that `x` asks for (N).
    fn gradient(&self, x: &[Vec3]) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; x.len()];
        for (moduli, patch) in &self.patches {
            for (i, a) in &patch.gradients {
                let force = |(j, b): (&u32, &Vec3)| {
                    let j = *j as usize;
                    patch.block(*moduli, *a, *b) * (x[j] - self.rest[j])
                };
                out[*i as usize] += patch.gradients.iter().map(force).sum::<Vec3>();
            }
        }
        out
    }
}

fn element(mesh: &TetMesh, tet: [u32; 4]) -> Patch {
    let [a, b, c, d] = tet.map(|node| mesh.positions[node as usize]);
    let edges = Mat3::from_cols(b - a, c - a, d - a);
    let inverse = edges.inverse().transpose();
    let [b, c, d] = [inverse.x_axis, inverse.y_axis, inverse.z_axis];
    let gradients = tet.into_iter().zip([-(b + c + d), b, c, d]).collect();
    Patch { volume: edges.determinant() / 6.0, gradients }
}

impl Energy for Patches {
    fn name(&self) -> &str {
        "elastic"
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        let moved = x.iter().zip(&self.rest).map(|(x, rest)| *x - *rest);
        0.5 * self.gradient(x).iter().zip(moved).map(|(force, u)| force.dot(u)).sum::<f64>()
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        out.iter_mut().zip(self.gradient(x)).for_each(|(out, force)| *out += scale * force);
    }

    fn add_hessian(&self, _time: f64, _x: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        for (moduli, patch) in &self.patches {
            for (i, a) in &patch.gradients {
                for (j, b) in patch.gradients.range(i..) {
                    out.add(*i as usize, *j as usize, patch.block(*moduli, *a, *b));
                }
            }
        }
    }
}
