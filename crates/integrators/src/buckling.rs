//! Linear buckling.

use crate::vibration::tangent;
pub use resile_linalg::critical::CriticalError as BucklingError;
use resile_linalg::critical::CriticalPencil;
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
}

/// The second derivative (N/m) of the potential of all bodies at a state, prestress included, without couplings.
#[derive(Debug, Clone)]
pub struct Stiffness(SymmetricBlockMatrix);

impl Stiffness {
    /// The tangent stiffness of a system.
    pub fn new(system: &mut System, state: &State) -> Self {
        Self(tangent(system, state))
    }
}

/// The `count` smallest positive load factors of a system whose state under a load is `loaded` and whose stiffness
/// without it is `unloaded`: the change of the stiffness, prestress and changed geometry together, is proportional to
/// the load in linear buckling, so that `K + factor (K_loaded - K)` becomes singular. The error is of first order in
/// the ratio of the load to the critical one. Couplings (contact, joints) and dissipations are ignored.
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
    let loaded_stiffness = tangent(system, loaded);
    let (free, guided) = (system.free(), system.guided());
    let pairs = CriticalPencil { unloaded: &unloaded.0, loaded: &loaded_stiffness, free, guided }
        .smallest(count)?;
    let modes = pairs.into_iter().map(|pair| {
        let max_displacement =
            pair.vector.iter().map(|u| u.length()).fold(f64::MIN_POSITIVE, f64::max);
        let shape = pair.vector.into_iter().map(|u| u / max_displacement).collect();
        let (residual, has_converged) = (pair.residual, pair.has_converged);
        BucklingMode { factor: pair.factor, shape, residual, has_converged }
    });
    Ok(modes.collect())
}
