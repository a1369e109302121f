//! Stiffness of loads that follow the deformation and have no potential.
//!
//! The derivative of such forces by the positions is not symmetric. Its symmetric part S acts in natural modes and
//! buckling like the second derivative of a potential; the antisymmetric part A is left out. Eigenvalues depend on A in
//! second order only, because `u . A u = 0`, so its effect is small where [`asymmetry`](relative_coupling) is.

use resile_linalg::pencil::Eigenpair;
use resile_sparse::Assembly;
use resile_system::{Hessian, State, System, Vec3};

/// Adds the symmetric part of the load stiffness (N/m) of the terms without a potential.
pub(crate) fn add_load_stiffness(system: &System, state: &State, out: &mut Assembly) {
    for (b, body) in system.bodies().iter().enumerate() {
        let nodes = system.nodes(b);
        for term in &body.dissipations {
            let mut sink = Hessian::new(out, nodes.start, 1.0);
            term.add_load_stiffness(state.time, &state.positions[nodes.clone()], &mut sink);
        }
    }
}

/// The product (N) of the antisymmetric part of the load stiffness with displacements `u` (m), in free directions.
pub(crate) fn antisymmetric_product(system: &System, state: &State, u: &[Vec3]) -> Vec<Vec3> {
    let mut product = vec![Vec3::ZERO; u.len()];
    for (b, body) in system.bodies().iter().enumerate() {
        let nodes = system.nodes(b);
        let at = (&state.positions[nodes.clone()], &u[nodes.clone()]);
        for term in &body.dissipations {
            term.add_antisymmetric_load(state.time, at, 1.0, &mut product[nodes.clone()]);
        }
    }
    for (node, force) in product.iter_mut().enumerate() {
        *force = if system.free()[node] { system.free_part(node, *force) } else { Vec3::ZERO };
    }
    product
}

/// For each of these modes, the root of the sum of the squares of `u_i . A u_j / max(|value_i|, |value_j|)` over the
/// others: how strongly the antisymmetric part A of the load stiffness couples it to them.
pub(crate) fn relative_coupling(system: &System, state: &State, modes: &[Eigenpair]) -> Vec<f64> {
    let products: Vec<Vec<Vec3>> =
        modes.iter().map(|mode| antisymmetric_product(system, state, &mode.vector)).collect();
    let coupling = |mode: &Eigenpair, (other, product): (&Eigenpair, &Vec<Vec3>)| {
        let work: f64 = mode.vector.iter().zip(product).map(|(u, force)| u.dot(*force)).sum();
        if work == 0.0 { 0.0 } else { work / mode.value.abs().max(other.value.abs()) }
    };
    let coupling_of_mode = |mode: &Eigenpair| {
        let couplings = modes.iter().zip(&products).map(|other| coupling(mode, other).powi(2));
        couplings.sum::<f64>().sqrt()
    };
    modes.iter().map(coupling_of_mode).collect()
}
