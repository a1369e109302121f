//! Linear buckling.

use crate::load_stiffness::antisymmetric_product;
use crate::vibration::{StiffnessTerms, tangent};
pub use resile_linalg::critical::CriticalError as BucklingError;
use resile_linalg::critical::{CriticalPair, CriticalPencil};
use resile_math::Vec3;
use resile_sparse::SymmetricBlockMatrix;
use resile_system::{State, System};

/// A load factor with its shape.
#[derive(Debug, Clone, PartialEq)]
pub struct BucklingMode {
    /// Factor of the load at which the stiffness becomes singular.
    pub factor: f64,
    /// The shape, `K u = -factor (K_loaded - K) u`, its largest displacement 1.
    pub shape: Vec<Vec3>,
    /// `|u + factor K^-1 (K_loaded - K) u| / |u|` in the norm of K.
    pub residual: f64,
    /// Whether the residual is at most 1e-7. Otherwise factor and shape are approximate.
    pub has_converged: bool,
    /// `|factor K^-1 A u| / |u|` in the norm of K, where A is the antisymmetric part of the stiffness of loads without a
    /// potential under the load: the relative error of the factor by leaving A out is of the order of its square. Zero
    /// if loads have potentials.
    pub asymmetry: f64,
}

/// The second derivative (N/m) of the potential of all bodies at a state, prestress included, without couplings, and the
/// symmetric part of the stiffness of loads without a potential.
#[derive(Debug, Clone)]
pub struct Stiffness(SymmetricBlockMatrix);

impl Stiffness {
    /// The tangent stiffness of a system in equilibrium.
    pub fn new(system: &mut System, state: &State) -> Self {
        Self(tangent(system, state, StiffnessTerms::All))
    }

    /// The tangent stiffness of a system that does not bear its loads yet: without that of loads that change with the
    /// shape ([`is_follower_load`](resile_system::Energy::is_follower_load), and loads without a potential).
    pub fn without_loads(system: &mut System, state: &State) -> Self {
        Self(tangent(system, state, StiffnessTerms::EnergiesWithoutLoads))
    }

    /// The largest mean of the diagonal entries (N/m) of a node, in magnitude.
    pub fn largest_diagonal(&self) -> f64 {
        let mean = |row: usize| {
            let block = self.0.diagonal(row);
            (block.x_axis.x + block.y_axis.y + block.z_axis.z).abs() / 3.0
        };
        (0..self.0.rows()).map(mean).fold(0.0, f64::max)
    }
}

/// The `count` smallest positive load factors of a system whose state under a load is `loaded` and whose stiffness
/// without it is `unloaded`: the change of the stiffness, prestress, changed geometry and the stiffness of loads that
/// follow the surface together, is proportional to the load in linear buckling, so that `K + factor (K_loaded - K)`
/// becomes singular. The error is of first order in the ratio of the load to the critical one.
///
/// Loads without a potential contribute the symmetric part of their stiffness. If the sum of the symmetric part and the
/// antisymmetric part A is singular, `u . (K_loaded) u = 0` for its null vector, so no load below the smallest factor
/// makes it singular: the smallest factor is a lower bound for divergence (not for flutter). Couplings (contact, joints)
/// and damping are ignored.
///
/// # Errors
/// If the unloaded stiffness is not positive definite, or its factor does not fit in memory; if the load does not
/// change the stiffness, as in linear elasticity.
pub fn buckling(
    system: &mut System,
    unloaded: &Stiffness,
    loaded: &State,
    count: usize,
) -> Result<Vec<BucklingMode>, BucklingError> {
    let loaded_stiffness = tangent(system, loaded, StiffnessTerms::All);
    let pencil = CriticalPencil {
        unloaded: &unloaded.0,
        loaded: &loaded_stiffness,
        free: system.free(),
        guided: system.guided(),
    };
    let pairs = pencil.smallest(count)?;
    let antisymmetric: Vec<Vec<Vec3>> =
        pairs.iter().map(|pair| antisymmetric_product(system, loaded, &pair.vector)).collect();
    let responses = pencil.response_norms(&antisymmetric)?;
    let modes = pairs.into_iter().zip(responses).map(|(pair, response)| {
        let max_displacement =
            pair.vector.iter().map(|u| u.length()).fold(f64::MIN_POSITIVE, f64::max);
        let shape = pair.vector.into_iter().map(|u| u / max_displacement).collect();
        let CriticalPair { factor, residual, has_converged, .. } = pair;
        BucklingMode { factor, shape, residual, has_converged, asymmetry: factor * response }
    });
    Ok(modes.collect())
}
