//! Plastic flow at the end of a step.
//!
//! During the step a material that yields is a potential of positions, in which the work of the flow on the
//! way is contained (Ortiz & Stainier 1999); so methods and minimisers know of nothing else. At the end of the step
//! the flow becomes part of the state, and its work leaves the potential as heat, whatever the method: positions,
//! velocities and forces stay, energy falls, and with it what energy is to be kept.

use crate::step::StepReport;
use crate::step::memory::EnergyControl;
use resile_system::{State, System};

/// Ends the step that led to `state`.
pub(crate) fn flow(system: &mut System, state: &mut State, report: &mut StepReport) {
    let Some((internal, taken)) = system.flow(&state.positions) else { return };
    state.internal = internal;
    report.dissipated.iter_mut().zip(&taken).for_each(|(heat, taken)| *heat += taken);
    report.plastic.iter_mut().zip(&taken).for_each(|(heat, taken)| *heat += taken);
    for group in &mut report.alphas {
        let taken: f64 = group.bodies.iter().map(|&b| taken[b]).sum();
        group.energy -= taken;
        group.target -= taken;
    }
    if let Some(mut control) = EnergyControl::recall(&state.memory) {
        for (own, taken) in control.iter_mut().zip(&taken) {
            own.target -= taken;
            own.mean -= taken;
        }
        EnergyControl::remember(&control, &mut state.memory);
    }
}
