//! The prolongation: rigid-body modes of the aggregates.
//!
//! An aggregate of n nodes at `x_i`, with centroid c, moves by a translation t and
//! a rotation w: `u_i = t / sqrt(n) + (W w) x (x_i - c)`. W makes the rotations
//! orthonormal; rotations that move no node (about the line of collinear nodes) are
//! dropped by a zero column. Orthonormal columns keep the Galerkin matrix as well
//! conditioned as the matrix itself. Rigid modes about the current positions have the lowest elastic
//! energy, at any stiffness and for any rotation of the body.

use super::aggregates::Aggregates;
use rayon::prelude::*;
use resile_math::small::SymmetricEigen;
use resile_math::{Mat3, Vec3};
use resile_sparse::NO_ROW;

/// Moment of inertia, relative to the largest, below which a rotation is dropped.
const MIN_RELATIVE_INERTIA: f64 = 1e-8;

/// Rounding error of an arm's length, relative to the distance from the origin.
const ARM_ROUNDING: f64 = 1e-13;

/// Least number of aggregates, and of arms of nodes, per task.
const MIN_AGGREGATES_PER_TASK: usize = 16;
const MIN_ARMS_PER_TASK: usize = 2048;

/// Rigid-body modes of one aggregate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motion {
    /// First block row of the coarse matrix: translation, then rotation if any.
    pub(super) row: u32,
    /// Whether there is a row for rotations (false for a single node).
    pub(super) has_rotation: bool,
    /// `1 / sqrt(n)`.
    pub(super) translation_scale: f64,
    /// Mean position of its nodes (m), if it has rotations.
    centroid: Vec3,
    /// The matrix W, whose columns are orthonormal rotation vectors.
    pub(super) rotation_basis: Mat3,
}

/// The prolongation P, and its transpose.
#[derive(Debug, Clone, Default)]
pub(super) struct Modes {
    pub(super) motions: Vec<Motion>,
    /// Aggregate by sweep index; [`NO_ROW`] for nodes that are not free.
    aggregate: Vec<u32>,
    /// `x_i - c` of each node, by sweep index.
    pub(super) arms: Vec<Vec3>,
    /// Block rows of the coarse matrix.
    pub(super) rows: usize,
}

impl Modes {
    /// Lays out the coarse rows.
    pub(super) fn set_aggregates(&mut self, aggregates: &Aggregates) {
        self.motions.clear();
        self.rows = 0;
        for a in 0..aggregates.len() {
            let members = aggregates.members(a);
            let has_rotation = members.len() > 1;
            let translation_scale = 1.0 / (members.len() as f64).sqrt();
            let (row, rotation_basis, centroid) = (self.rows as u32, Mat3::ZERO, Vec3::ZERO);
            self.motions.push(Motion {
                row,
                has_rotation,
                translation_scale,
                centroid,
                rotation_basis,
            });
            self.rows += 1 + usize::from(has_rotation);
        }
    }

    /// Sets the `sweep_index` of each node.
    pub(super) fn set_sweep_order(&mut self, aggregates: &Aggregates, sweep_index: &[u32]) {
        self.aggregate.clear();
        self.aggregate.resize(sweep_index.len(), NO_ROW);
        self.arms.clear();
        self.arms.resize(sweep_index.len(), Vec3::ZERO);
        for a in 0..aggregates.len() {
            let members = aggregates.members(a).iter();
            members.for_each(|&i| self.aggregate[sweep_index[i as usize] as usize] = a as u32);
        }
    }

    /// Computes the rotations about the current `positions` (m); `node` is the node by sweep index.
    pub(super) fn set_positions(
        &mut self,
        aggregates: &Aggregates,
        node: &[u32],
        positions: &[Vec3],
    ) {
        let motions = self.motions.par_iter_mut().enumerate().with_min_len(MIN_AGGREGATES_PER_TASK);
        motions.filter(|(_, motion)| motion.has_rotation).for_each(|(a, motion)| {
            let members = aggregates.members(a);
            let sum: Vec3 = members.iter().map(|&i| positions[i as usize]).sum();
            motion.centroid = sum / members.len() as f64;
            let arms = members.iter().map(|&i| positions[i as usize] - motion.centroid);
            let inertia = inertia(arms);
            // The inertia of coincident nodes consists of rounding errors.
            let rounding = members.len() as f64 * (ARM_ROUNDING * motion.centroid.length()).powi(2);
            motion.rotation_basis = inverse_root(&inertia, rounding);
        });
        let Self { motions, aggregate, arms, .. } = self;
        let sweep_indices =
            node.par_iter().zip(&*aggregate).zip(arms).with_min_len(MIN_ARMS_PER_TASK);
        sweep_indices.filter(|((_, a), _)| **a != NO_ROW).for_each(|((&node, &a), arm)| {
            let motion = &motions[a as usize];
            if motion.has_rotation {
                *arm = positions[node as usize] - motion.centroid;
            }
        });
    }

    /// The aggregate of a row, if it has one.
    #[inline(always)]
    pub(super) fn aggregate_of(&self, sweep_index: usize) -> Option<usize> {
        let aggregate = self.aggregate[sweep_index];
        (aggregate != NO_ROW).then_some(aggregate as usize)
    }

    /// The coarse right-hand side of aggregate `a`, `P^T v`, from the sum of `v` and of its
    /// torques about the centroid.
    #[inline]
    pub(super) fn restrict(&self, a: usize, [force, torque]: [Vec3; 2]) -> [Vec3; 2] {
        let motion = &self.motions[a];
        [force * motion.translation_scale, motion.rotation_basis.transpose() * torque]
    }

    /// The translation and the rotation vector of aggregate `a` for a coarse solution.
    #[inline]
    pub(super) fn rigid_motion(&self, a: usize, coarse: &[Vec3]) -> [Vec3; 2] {
        let motion = &self.motions[a];
        let row = motion.row as usize;
        let rotation =
            if motion.has_rotation { motion.rotation_basis * coarse[row + 1] } else { Vec3::ZERO };
        [coarse[row] * motion.translation_scale, rotation]
    }
}

/// The sum of `|r|^2 I - r r^T`, upper triangle.
fn inertia(arms: impl Iterator<Item = Vec3>) -> [[f64; 3]; 3] {
    let mut inertia = [[0.0; 3]; 3];
    for arm in arms {
        let square = arm.length_squared();
        for r in 0..3 {
            inertia[r][r] += square;
            for c in r..3 {
                inertia[r][c] -= arm[r] * arm[c];
            }
        }
    }
    inertia
}

/// `W` with `W^T J W = I` where the inertia `J` (upper triangle) exceeds `rounding`.
fn inverse_root(inertia: &[[f64; 3]; 3], rounding: f64) -> Mat3 {
    let eigen = SymmetricEigen::new(inertia);
    let largest = eigen.values.iter().copied().fold(0.0, f64::max);
    let column = |k: usize| {
        let value = eigen.values[k];
        if value > (MIN_RELATIVE_INERTIA * largest).max(rounding).max(f64::MIN_POSITIVE) {
            Vec3::from_array(std::array::from_fn(|i| eigen.vectors[i][k])) / value.sqrt()
        } else {
            Vec3::ZERO
        }
    };
    Mat3::from_cols(column(0), column(1), column(2))
}

#[cfg(test)]
mod tests {
    use super::super::graph::Graph;
    use super::*;
    use resile_sparse::BlockPattern;

    /// Nonzero columns of P of one aggregate of these nodes.
    fn columns(positions: &[Vec3]) -> Vec<Vec<Vec3>> {
        let n = positions.len() as u32;
        let all = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let pattern = BlockPattern::new(positions.len(), all);
        let graph = Graph::new(&pattern, |_, _| true);
        let (free, part_of) = (vec![true; positions.len()], vec![0; positions.len()]);
        let groups = Aggregates::new(&graph, &free, &part_of);
        assert_eq!(groups.len(), 1);
        let mut modes = Modes::default();
        // Places are not the nodes; the order is its own inverse.
        let sweep_index: Vec<u32> = (0..n).map(|i| n - 1 - i).collect();
        modes.set_aggregates(&groups);
        modes.set_sweep_order(&groups, &sweep_index);
        modes.set_positions(&groups, &sweep_index, positions);
        let mut out = Vec::new();
        for k in 0..6 {
            let mut coarse = [Vec3::ZERO; 2];
            coarse[k / 3][k % 3] = 1.0;
            let [shift, turn] = modes.rigid_motion(0, &coarse);
            let arms = sweep_index.iter().map(|&sweep_index| modes.arms[sweep_index as usize]);
            let column: Vec<Vec3> = arms.clone().map(|arm| shift + turn.cross(arm)).collect();
            // The restriction is the transpose.
            let torque = arms.zip(&column).map(|(arm, v)| arm.cross(*v)).sum();
            let back = modes.restrict(0, [column.iter().sum(), torque]);
            let square: f64 = column.iter().map(|v| v.length_squared()).sum();
            assert!((back[k / 3][k % 3] - square).abs() < 1e-14);
            if square > 0.0 {
                out.push(column);
            }
        }
        out
    }

    #[test]
    fn modes_are_orthonormal_and_span_the_rigid_motions() {
        let solid = |i: usize| Vec3::new(i as f64, (i * i % 7) as f64, (i * 5 % 4) as f64) * 1e-3;
        let far = Vec3::new(20.0, -3.0, 7.0);
        let line = Vec3::new(0.3, -0.2, 0.9);
        for (nodes, expected) in [
            ((0..20).map(|i| far + solid(i)).collect::<Vec<_>>(), 6),
            ((0..9).map(|i| far + line * i as f64).collect(), 5),
            ((0..6).map(|_| far).collect(), 3),
            ((0..12).map(|i| Vec3::new(i as f64, (i % 3) as f64, 0.0)).collect(), 6),
        ] {
            let columns = columns(&nodes);
            assert_eq!(columns.len(), expected, "{nodes:?}");
            for (i, a) in columns.iter().enumerate() {
                for (j, b) in columns.iter().enumerate() {
                    let product: f64 = a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum();
                    let one = if i == j { 1.0 } else { 0.0 };
                    assert!((product - one).abs() < 1e-10, "{i} {j}: {product}");
                }
            }
        }
    }

    #[test]
    fn rigid_motion_lies_in_the_span_of_the_modes() {
        let positions: Vec<Vec3> = (0..30)
            .map(|i| Vec3::new((i as f64).sin(), (i as f64 * 1.7).cos(), i as f64))
            .collect();
        let columns = columns(&positions);
        let (t, w) = (Vec3::new(1.0, -2.0, 0.5), Vec3::new(0.3, 0.8, -0.1));
        let mut rest: Vec<Vec3> = positions.iter().map(|x| t + w.cross(*x)).collect();
        for column in &columns {
            let part: f64 = column.iter().zip(&rest).map(|(a, b)| a.dot(*b)).sum();
            rest.iter_mut().zip(column).for_each(|(r, c)| *r -= *c * part);
        }
        assert!(rest.iter().all(|r| r.length() < 1e-12), "{rest:?}");
    }
}
