//! Stiffness-proportional damping.

use resile_sparse::Assembly;
use resile_sparse::scratch::ScratchPool;
use resile_system::{Dissipation, DissipationPotential, Energy, Hessian, Mat3, Psd, Vec3};
use std::sync::Arc;

/// `D(v) = delta/2 v . K v`, `K = d2V/dx2` at the start of the step with negative
/// curvatures clamped: the stiffness part of Rayleigh's damping (AVF, section 4).
///
/// A mode of angular frequency w has the damping ratio `delta w / 2`, so fast modes decay
/// faster. Translation is not damped, and rotation of an unstressed body is not damped where K is
/// evaluated in a frame that rotates with it ([`DissipationPotential::rotates_with_body`]).
///
/// K is stored as a sparse matrix of 3x3 blocks, with the memory of one assembled Hessian of P;
/// lagging costs one evaluation of the Hessian, and D one product. P must be defined at the start of
/// every step without a preceding step bound, which holds for all terms of this crate.
#[derive(Debug)]
pub struct StiffnessDamping {
    energy: Box<dyn Energy>,
    time: f64,
    node_count: usize,
    /// The matrix of the last step, whose memory and pattern the next one uses.
    spare: Spare,
}

/// Storage for the matrix of the next step.
type Spare = Arc<ScratchPool<Assembly, 1>>;

/// The damping with a constant K.
struct LaggedStiffness {
    time: f64,
    stiffness: Assembly,
    spare: Spare,
}

impl Drop for LaggedStiffness {
    fn drop(&mut self) {
        self.spare.take().push(std::mem::replace(&mut self.stiffness, Assembly::new(0)));
    }
}

impl StiffnessDamping {
    /// Damping along `energy` of a body of `node_count` nodes, with the time delta
    /// (s), not negative. `energy` is a copy of the elastic term of the body.
    pub fn new(energy: Box<dyn Energy>, node_count: usize, time: f64) -> Self {
        Self { energy, time, node_count, spare: Spare::default() }
    }
}

impl LaggedStiffness {
    /// The blocks `K_ij`, `i <= j`.
    fn blocks(&self) -> impl Iterator<Item = (usize, usize, &Mat3)> {
        let matrix = self.stiffness.matrix();
        let pairs = matrix.pattern.pairs().zip(&matrix.blocks);
        pairs.map(|((i, j), block)| (i as usize, j as usize, block))
    }
}

impl Dissipation for StiffnessDamping {
    fn name(&self) -> &str {
        "stiffness damping"
    }

    fn is_galilean_invariant(&self) -> bool {
        true
    }

    fn lagged(&self, x: &[Vec3]) -> Arc<dyn DissipationPotential> {
        let spare = self.spare.take().pop();
        let mut stiffness = spare.unwrap_or_else(|| Assembly::new(self.node_count));
        stiffness.begin();
        self.energy.add_hessian(0.0, x, Psd::Clamp, &mut Hessian::new(&mut stiffness, 0, 1.0));
        stiffness.end_static();
        Arc::new(LaggedStiffness { time: self.time, stiffness, spare: self.spare.clone() })
    }
}

impl DissipationPotential for LaggedStiffness {
    fn rotates_with_body(&self) -> bool {
        true
    }

    fn value(&self, _time: f64, v: &[Vec3]) -> f64 {
        let block_power = |(i, j, block): (usize, usize, &Mat3)| {
            let power = v[i].dot(*block * v[j]);
            if i == j { 0.5 * power } else { power }
        };
        // Rounding can make the value of a rigid motion negative.
        (self.time * self.blocks().map(block_power).sum::<f64>()).max(0.0)
    }

    fn add_gradient(&self, _time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let scale = scale * self.time;
        for (i, j, block) in self.blocks() {
            out[i] += *block * v[j] * scale;
            if i != j {
                out[j] += block.transpose() * v[i] * scale;
            }
        }
    }

    fn add_hessian(&self, _time: f64, _v: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        for (i, j, block) in self.blocks() {
            out.add(i, j, *block * self.time);
        }
    }
}
