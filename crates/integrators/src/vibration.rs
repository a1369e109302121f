//! Free vibrations about a state.

use crate::load_stiffness::{add_load_stiffness, relative_coupling};
use resile_linalg::direct::DirectError;
use resile_linalg::pencil::{Eigenpair, Pencil};
use resile_math::Mat3;
use resile_sparse::{Assembly, BlockSink as _, SymmetricBlockMatrix};
use resile_system::{Hessian, Psd, State, System};

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
    /// How strongly loads without a potential couple the mode to the others of this computation: the root of the sum of
    /// the squares of `u_i . A u_j / max(|square_i|, |square_j|)`, where A is the antisymmetric part of their stiffness,
    /// which K does not contain. Zero if loads have potentials.
    pub asymmetry: f64,
}

impl Mode {
    /// Whether the state is unstable in the direction of the mode: the square is negative beyond rounding.
    pub fn is_unstable(&self) -> bool {
        self.square < 0.0 && !self.pair.is_zero
    }
}

/// Failure to compute modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the stiffness has no factor: {0}")]
pub struct ModesError(#[from] DirectError);

/// The `count` lowest natural modes of small vibrations about a state: of `M u'' + K u = 0` where K is the second
/// derivative of the potential of all bodies at their positions, including prestress, in the free directions of all
/// nodes. Loads without a potential, such as a pressure that follows a surface with a free boundary, contribute the
/// symmetric part of their [stiffness](resile_system::Dissipation::add_load_stiffness). Couplings (contact, joints) and
/// damping are ignored. Costs some tens of solves for each mode with one factor of K.
///
/// # Errors
/// If K, shifted by a hundredth of its diagonal, is not positive definite, or its factor does not fit in memory.
pub fn modes(system: &mut System, state: &State, count: usize) -> Result<Vec<Mode>, ModesError> {
    let matrix = &tangent(system, state, StiffnessTerms::All);
    let pencil =
        Pencil { matrix, masses: system.masses(), free: system.free(), guided: system.guided() };
    let pairs = pencil.smallest(count)?;
    let asymmetries = relative_coupling(system, state, &pairs);
    let mode = |(pair, asymmetry): (Eigenpair, f64)| {
        let square = pair.value;
        let frequency = square.signum() * square.abs().sqrt() / std::f64::consts::TAU;
        Mode { square, frequency, pair, asymmetry }
    };
    Ok(pairs.into_iter().zip(asymmetries).map(mode).collect())
}

/// The terms of bodies that contribute to a stiffness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StiffnessTerms {
    /// All energies, and the symmetric part of the stiffness of loads without a potential.
    All,
    /// All energies.
    Energies,
    /// All energies but loads that change with the shape.
    EnergiesWithoutLoads,
}

/// The stiffness (J/m^2) of all bodies at a state by these terms, including prestress, without couplings.
pub(crate) fn tangent(
    system: &mut System,
    state: &State,
    terms: StiffnessTerms,
) -> SymmetricBlockMatrix {
    let x = &state.positions;
    let mut assembly = Assembly::new(x.len());
    system.set_internal(&state.internal, state.time);
    assembly.begin();
    // Nodes without terms need a block as well.
    (0..x.len()).for_each(|i| assembly.add(i, i, Mat3::ZERO));
    for (b, body) in system.bodies().iter().enumerate() {
        let nodes = system.nodes(b);
        for energy in &body.energies {
            if terms == StiffnessTerms::EnergiesWithoutLoads && energy.is_follower_load() {
                continue;
            }
            let mut sink = Hessian::new(&mut assembly, nodes.start, 1.0);
            energy.add_hessian(state.time, &x[nodes.clone()], Psd::Exact, &mut sink);
        }
    }
    if terms == StiffnessTerms::All {
        add_load_stiffness(system, state, &mut assembly);
    }
    assembly.end_static();
    assembly.finish();
    assembly.into_matrix()
}
