//! Bending of a rod.

use super::error::positive;
use super::turn::{ByEdges, Turn, at_nodes, blocks_at_nodes};
use super::{RodError, fold};
use crate::DIVISION_GUARD;
use crate::gather::Gather;
use resile_math::outer;
use resile_mesh::Polylines;
use resile_system::{Energy, Hessian, Laplacian, Path, Psd, Vec3};

/// `1 + cos phi` of an angle within 1e-6 of half a turn, which equals half a turn up to rounding.
pub(super) const FOLDED_COSINE: f64 = 5e-13;

/// `P(x) = sum_i B |kappa_b|^2 / (2 l_i)`, `kappa_b = 2 e x f / (|e| |f| + e . f)`: bending of rods that are
/// straight at rest (Bergou et al. 2008, eqs. 1 and 2), e and f being the edges before and behind an inner
/// node, `l_i` half of their lengths at rest, and B the flexural rigidity (N m^2).
///
/// For the angle phi between the edges `|kappa_b| = 2 tan(phi / 2)`: the curvature is `phi / l_i` up to a relative
/// error of `phi^2 / 12`, so results converge with second order in the lengths. The energy is infinite for a fold
/// by half a turn, and the step bound ([`step_bound`](Energy::step_bound)) keeps corners away from it. Rods with
/// curved initial positions are bent from the start.
///
/// The Hessian is exact, or with respect to the two edges of each corner the nearest positive semi-definite one.
/// Evaluation is O(nodes), parallel in the current rayon pool, and bitwise equal for any number of threads.
#[derive(Debug, Clone)]
pub struct RodBending {
    corners: Vec<[u32; 3]>,
    /// `B / l_i` (J).
    stiffness: Vec<f64>,
    gather: Gather<3>,
}

impl RodBending {
    /// Bending of rods with these rest lengths and the rigidity B (N m^2).
    ///
    /// # Errors
    /// A rigidity that is not positive; invalid or folded curves.
    pub fn new(rods: &Polylines, rigidity: f64) -> Result<Self, RodError> {
        rods.check()?;
        positive("the flexural rigidity", rigidity, "N m^2")?;
        let corners: Vec<[u32; 3]> = rods.strands.iter().flat_map(|s| s.corners()).collect();
        let turn = |corner: &[u32; 3]| Turn::new(corner.map(|n| rods.positions[n as usize]));
        if let Some(folded) = corners.iter().find(|corner| turn(corner).open < FOLDED_COSINE) {
            return Err(RodError::Folded { node: folded[1] });
        }
        let corner_stiffness = |corner: &[u32; 3]| {
            let [e, f] = turn(corner).lengths;
            2.0 * rigidity / (e + f)
        };
        let stiffness = corners.iter().map(corner_stiffness).collect();
        let gather = Gather::unchecked(&corners);
        Ok(Self { corners, stiffness, gather })
    }

    /// Multiplies the rigidity by a factor at each node.
    ///
    /// # Panics
    /// If a node of the rods has no factor.
    #[must_use]
    pub fn scaled(mut self, factors: &[f64]) -> Self {
        let corners = self.stiffness.iter_mut().zip(&self.corners);
        corners.for_each(|(stiffness, [_, node, _])| *stiffness *= factors[*node as usize]);
        self
    }

    /// The curvature (1/m) at each inner node, in the order of the rods.
    pub fn curvatures(&self, x: &[Vec3]) -> Vec<f64> {
        let curvature = |corner_index: usize| {
            let turn = self.turn(x, corner_index);
            4.0 * turn.tangent2().sqrt() / (turn.lengths[0] + turn.lengths[1])
        };
        (0..self.corners.len()).map(curvature).collect()
    }

    /// The angle between the edges of a corner at `x`.
    fn turn(&self, x: &[Vec3], corner_index: usize) -> Turn {
        Turn::new(self.corners[corner_index].map(|node| x[node as usize]))
    }
}

impl Energy for RodBending {
    fn name(&self) -> &str {
        "bending"
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }

    fn is_internal(&self) -> bool {
        true
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        let corner_value = |corner_index: usize| {
            2.0 * self.stiffness[corner_index] * self.turn(x, corner_index).tangent2()
        };
        let sum = self.gather.sum(corner_value);
        // NaN stems from segments of zero length.
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.gather.add_gradients(out, |corner_index| {
            let turn = self.turn(x, corner_index);
            at_nodes(gradient(&turn, self.stiffness[corner_index]).map(|g| g * scale))
        });
    }

    fn add_hessian(&self, _time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        self.gather.add_hessians(out, |corner_index| {
            let turn = self.turn(x, corner_index);
            blocks_at_nodes(&hessian(&turn, self.stiffness[corner_index]), psd)
        });
    }

    /// The Hessian at the straight rest state, which is that of `B / l |f/|f| - e/|e||^2 / 2`.
    fn add_laplacian(&self, _time: f64, x: &[Vec3], out: &mut Laplacian<'_>) {
        for (corner_index, corner) in self.corners.iter().enumerate() {
            let lengths = self.turn(x, corner_index).lengths;
            add_laplacian(*corner, lengths, self.stiffness[corner_index], out);
        }
    }

    /// The fraction of the path after which each corner keeps a tenth of its angle to a fold.
    fn step_bound(&self, paths: &[Path<'_>]) -> f64 {
        paths.iter().map(|path| fold::bound(path, &self.corners)).fold(1.0, f64::min)
    }
}

/// Derivatives with respect to the edges e and f of the energy of a corner of a rod that is straight at rest, with
/// `stiffness`, `B / l` (J): `2 k (1 - c) / (1 + c)` of the cosine c.
pub(super) fn gradient(turn: &Turn, stiffness: f64) -> [Vec3; 2] {
    let by_cosine = -4.0 * stiffness / (turn.open * turn.open);
    turn.cosine().map(|c| c * by_cosine)
}

/// Second derivatives of the energy with respect to e and f.
pub(super) fn hessian(turn: &Turn, stiffness: f64) -> ByEdges {
    let by_cosine = -4.0 * stiffness / (turn.open * turn.open);
    let second_by_cosine = -2.0 * by_cosine / turn.open;
    let (gradients, hessians) = (turn.cosine(), turn.cosine_by_edges());
    let block = |i: usize, j: usize| {
        outer(gradients[i], gradients[j]) * second_by_cosine + hessians[i][j] * by_cosine
    };
    std::array::from_fn(|i| std::array::from_fn(|j| block(i, j)))
}

/// Adds the scalar Hessian of `stiffness |f/|f| - e/|e||^2 / 2` for constant edge lengths (m).
pub(super) fn add_laplacian(
    corner: [u32; 3],
    lengths: [f64; 2],
    stiffness: f64,
    out: &mut Laplacian<'_>,
) {
    let [e, f] = lengths.map(|length| 1.0 / length.max(DIVISION_GUARD));
    let weights = [e, -e - f, f];
    for i in 0..3 {
        for j in i..3 {
            out.add(corner[i] as usize, corner[j] as usize, stiffness * weights[i] * weights[j]);
        }
    }
}
