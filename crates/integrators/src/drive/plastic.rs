//! Plastic flow at the end of a step.
//!
//! During the step a yielding material is a potential of positions that includes the work of the flow (Ortiz &
//! Stainier 1999); methods and minimisers therefore need no special treatment of plasticity. At the end of the step
//! of any method the flow becomes part of the state, and its work is removed from the potential as heat: positions,
//! velocities and forces do not change; the energy decreases, and the energy target decreases equally.

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
