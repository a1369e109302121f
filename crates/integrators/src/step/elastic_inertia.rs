//! Inertia of a body with its elastic stiffness over a step.
//!
//! Implicit Euler moves a body under an impulse `j` by `(M + h^2 K)^-1 j`: modes stiffer than the step do not move. If
//! velocities are solved with the masses `M` alone, contact impulses excite these modes. The contact points of a stiff
//! body then stop because it is strained, while its rotation has not yet changed, and friction acts again in the next
//! steps. With
//!
//! ```text
//! M_c = M + c h^2 P^T K P
//! ```
//!
//! impulses and velocity corrections act on resolved modes and on the rigid motion only. `P` removes the rigid motion,
//! so `M_c` is `M` on rigid motions, and momentum and angular momentum are exact also in a stressed body.

use crate::rigid::inertia::Shape;
use crate::step::filters::{MAX_FACTORISED_NODES, guided_nodes};
use resile_linalg::direct::Cholesky;
use resile_math::{Mat3, Vec3};
use resile_sparse::{Assembly, BlockSink as _, SymmetricBlockMatrix};
use resile_system::{Prepared, Psd};
use std::ops::Range;

/// The matrix `M_c` of a free body with few nodes, such as an affine body.
#[derive(Debug)]
pub(crate) struct ElasticInertia {
    pub(crate) nodes: Range<usize>,
    masses: Vec<f64>,
    matrix: SymmetricBlockMatrix,
    factor: Cholesky,
}

impl ElasticInertia {
    /// The elastic inertia of body `b` in a system prepared at `x` (m), with `weight = c h^2` (s^2). `None` for bodies
    /// of many nodes, whose matrix would be dense, and for bodies with supports or without stiffness.
    pub(crate) fn new(system: &Prepared<'_>, b: usize, x: &[Vec3], weight: f64) -> Option<Self> {
        let nodes = system.nodes(b);
        let is_small = nodes.len() <= MAX_FACTORISED_NODES;
        let is_free = || system.free()[nodes.clone()].iter().all(|free| *free);
        if !is_small || !system.has_internal_energy(b) || !is_free() {
            return None;
        }
        if !guided_nodes(system, &nodes).is_empty() {
            return None;
        }
        let mut stiffness = Assembly::new(nodes.len());
        stiffness.begin();
        system.add_internal_hessian(b, x, weight, Psd::Clamp, &mut stiffness);
        stiffness.end_static();
        let masses = system.masses()[nodes.clone()].to_vec();
        let shape = Shape::regularised(&masses, &x[nodes.clone()]);
        let matrix = elastic_inertia(&masses, &shape, stiffness.finish());
        let mut factor = Cholesky::new();
        factor.factorize(&matrix).ok()?;
        Some(Self { nodes, masses, matrix, factor })
    }

    /// `out = M_c v` for the nodes of the body.
    pub(crate) fn multiply(&self, v: &[Vec3], out: &mut [Vec3]) {
        self.matrix.multiply(v, out);
    }

    /// Calls `visit` with the row, the column and the value of each stored block of `M_c` (one triangle).
    pub(crate) fn for_each_block(&self, mut visit: impl FnMut(usize, usize, Mat3)) {
        let pattern = &self.matrix.pattern;
        for i in 0..pattern.rows() {
            for slot in pattern.row(i) {
                visit(i, pattern.columns()[slot] as usize, self.matrix.blocks[slot]);
            }
        }
    }

    /// `v <- w + M_c^-1 M (v - w)` for fields on all nodes of the system; changes only nodes of this body.
    pub(crate) fn filter_change(&mut self, w: &[Vec3], v: &mut [Vec3]) {
        for node in self.nodes.clone() {
            v[node] -= w[node];
        }
        self.filter(v);
        for node in self.nodes.clone() {
            v[node] += w[node];
        }
    }

    /// `field <- M_c^-1 M field` for a field on all nodes of the system; changes only nodes of this body.
    pub(crate) fn filter(&mut self, field: &mut [Vec3]) {
        let field = &mut field[self.nodes.clone()];
        let right_side: Vec<Vec3> = self.masses.iter().zip(&*field).map(|(m, v)| *m * *v).collect();
        self.factor.solve(&right_side, field);
    }
}

/// `M + P^T K P`, column by column, with the projection `P` that removes rigid motions.
fn elastic_inertia(
    masses: &[f64],
    shape: &Shape,
    stiffness: &SymmetricBlockMatrix,
) -> SymmetricBlockMatrix {
    let count = masses.len();
    let mut columns = Vec::with_capacity(3 * count);
    for k in 0..3 * count {
        let mut projected_unit = vec![Vec3::ZERO; count];
        projected_unit[k / 3][k % 3] = 1.0;
        shape.remove_motion(&mut projected_unit);
        let mut force = vec![Vec3::ZERO; count];
        stiffness.multiply(&projected_unit, &mut force);
        // P^T = M P M^-1.
        force.iter_mut().zip(masses).for_each(|(f, m)| *f /= *m);
        shape.remove_motion(&mut force);
        force.iter_mut().zip(masses).for_each(|(f, m)| *f *= *m);
        columns.push(force);
    }
    let mut assembly = Assembly::new(count);
    assembly.begin();
    for i in 0..count {
        for j in i..count {
            let mut block =
                Mat3::from_cols(columns[3 * j][i], columns[3 * j + 1][i], columns[3 * j + 2][i]);
            if i == j {
                block =
                    (block + block.transpose()) * 0.5 + Mat3::from_diagonal(Vec3::splat(masses[i]));
            }
            assembly.add(i, j, block);
        }
    }
    assembly.end_static();
    assembly.finish().clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_energy::{SpringElement, SpringLaw, Springs};
    use resile_system::{Body, Held, Motion, Prescribed, System};

    /// A stretched tetrahedron of springs with different masses.
    fn body() -> (System, Vec<Vec3>) {
        let x = vec![Vec3::ZERO, Vec3::X, Vec3::new(0.2, 1.3, 0.0), Vec3::new(0.1, 0.3, 0.9)];
        let edges = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let spring = |nodes| SpringElement { nodes, rest: 0.8, stiffness: 50.0 };
        let springs = Springs::new(4, edges.map(spring).to_vec(), SpringLaw::Hooke);
        let body = Body::new("body", vec![1.0, 2.0, 0.5, 3.0]);
        (System::new(vec![body.with(springs.expect("four nodes"))]), x)
    }

    #[test]
    fn rigid_motion_has_the_inertia_of_the_masses_and_strain_a_larger_one() {
        let (mut system, x) = body();
        let masses = system.masses().to_vec();
        let inertia = ElasticInertia::new(&system.at(&x), 0, &x, 0.3).expect("it is free");
        let spin = Vec3::new(0.3, 4.0, -1.0);
        let rigid: Vec<Vec3> =
            x.iter().map(|x| Vec3::new(1.0, -2.0, 0.5) + spin.cross(*x)).collect();
        let mut impulse = vec![Vec3::ZERO; 4];
        inertia.multiply(&rigid, &mut impulse);
        for (impulse, (m, v)) in impulse.iter().zip(masses.iter().zip(&rigid)) {
            assert!((*impulse - *m * *v).length() < 1e-12, "{impulse}");
        }
        let strain: Vec<Vec3> = x.iter().map(|x| Vec3::new(x.x, -x.y, 0.0)).collect();
        inertia.multiply(&strain, &mut impulse);
        let energy = |f: &dyn Fn(usize) -> Vec3| (0..4).map(|i| f(i).dot(strain[i])).sum::<f64>();
        assert!(energy(&|i| impulse[i]) > 2.0 * energy(&|i| masses[i] * strain[i]));
    }

    #[test]
    fn filter_is_the_inverse_and_conserves_momenta() {
        let (mut system, x) = body();
        let masses = system.masses().to_vec();
        let mut inertia = ElasticInertia::new(&system.at(&x), 0, &x, 0.3).expect("it is free");
        let field = [Vec3::Y, Vec3::NEG_Z, Vec3::splat(2.0), Vec3::X];
        let mut filtered = field.to_vec();
        inertia.filter(&mut filtered);
        let mut impulse = vec![Vec3::ZERO; 4];
        inertia.multiply(&filtered, &mut impulse);
        let momenta = |v: &dyn Fn(usize) -> Vec3| {
            let each = || (0..4).map(|i| (x[i], masses[i] * v(i)));
            [each().map(|(_, p)| p).sum::<Vec3>(), each().map(|(x, p)| x.cross(p)).sum()]
        };
        for (i, m) in masses.iter().enumerate() {
            assert!((impulse[i] - *m * field[i]).length() < 1e-12, "{}", impulse[i]);
        }
        for (a, b) in momenta(&|i| field[i]).into_iter().zip(momenta(&|i| filtered[i])) {
            assert!((a - b).length() < 1e-12, "{a} became {b}");
        }
    }

    #[test]
    fn bodies_with_a_held_node_have_none() {
        let (system, x) = body();
        let mut held = system.bodies()[0].clone();
        let (start, motion) = (x[0], Motion::Fixed);
        held.prescribed = vec![Prescribed { node: 0, start, motion, until: None, held: Held::All }];
        let mut system = System::new(vec![held]);
        assert!(ElasticInertia::new(&system.at(&x), 0, &x, 0.3).is_none());
    }
}
