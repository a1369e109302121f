//! Free vibrations about a state.

use resile_linalg::direct::DirectError;
use resile_linalg::pencil::{Eigenpair, Pencil};
use resile_math::Mat3;
use resile_sparse::{Assembly, BlockSink as _, SymmetricBlockMatrix};
use resile_system::{Path, Psd, State, System};

/// A natural mode of vibration.
#[derive(Debug, Clone, PartialEq)]
pub struct Mode {
    /// The square of the angular frequency (1/s^2). It is negative if the state is unstable in this direction, and zero
    /// up to rounding for a rigid motion.
    pub square: f64,
    /// The frequency (Hz); negative if the square is.
    pub frequency: f64,
    /// The shape, `K u = square M u`, of unit modal mass: `u . M u = 1 kg` with u in metres.
    pub pair: Eigenpair,
}

/// Failure to compute modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the stiffness has no factor: {0}")]
pub struct ModesError(#[from] DirectError);

/// The `count` lowest natural modes of small vibrations about a state: of `M u'' + K u = 0` where K is the second
/// derivative of the potential of all bodies at their positions, including prestress, in the free directions of all
/// nodes. Couplings (contact, joints) and dissipations are ignored. Costs some tens of solves for each mode with one
/// factor of K.
///
/// # Errors
/// If K, shifted by a hundredth of its diagonal, is not positive definite, or its factor does not fit in memory.
pub fn modes(system: &mut System, state: &State, count: usize) -> Result<Vec<Mode>, ModesError> {
    let matrix = &tangent(system, state);
    let pencil =
        Pencil { matrix, masses: system.masses(), free: system.free(), guided: system.guided() };
    let mode = |pair: Eigenpair| {
        let square = pair.value;
        let frequency = square.signum() * square.abs().sqrt() / std::f64::consts::TAU;
        Mode { square, frequency, pair }
    };
    Ok(pencil.smallest(count)?.into_iter().map(mode).collect())
}

/// The second derivative (J/m^2) of the potential of all bodies at their positions, including prestress. Couplings
/// are ignored.
pub(crate) fn tangent(system: &mut System, state: &State) -> SymmetricBlockMatrix {
    let x = &state.positions;
    let mut assembly = Assembly::new(x.len());
    system.set_internal(&state.internal, state.time);
    assembly.begin();
    // Nodes without terms need a block as well.
    (0..x.len()).for_each(|i| assembly.add(i, i, Mat3::ZERO));
    let prepared = system.along(&[Path::at(x)]);
    prepared.add_body_hessians(state.time, x, 1.0, Psd::Exact, &mut assembly);
    assembly.end_static();
    assembly.finish();
    assembly.into_matrix()
}
