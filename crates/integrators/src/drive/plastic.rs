//! Plastic and viscous flow at the end of a step.
//!
//! During the step a yielding material is a potential of positions that includes the work of the flow (Ortiz &
//! Stainier 1999); methods and minimisers therefore need no special treatment of plasticity. At the end of the step
//! of any method the flow becomes part of the state, and its work is removed from the potential as heat: positions,
//! velocities and forces do not change; the energy decreases, and the energy target decreases equally.
//!
//! Viscous flow, and plastic flow that depends on its rate, go on during the step as well: the potential falls with
//! time. That is negative [work](resile_system::Energy::work), which energy targets include; here it becomes heat.

use crate::step::StepReport;
use crate::step::memory::EnergyControl;
use resile_system::{State, System};

/// Updates the history variables of `state` by the plastic and viscous flow of the step that led to it, and books the
/// heat.
pub(crate) fn flow(system: &System, state: &mut State, report: &mut StepReport) {
    let Some((internal, heats)) = system.flow(state.time, &state.positions) else { return };
    state.internal = internal;
    for (b, heat) in heats.iter().enumerate() {
        report.plastic[b] += heat.plastic + heat.overstress;
        report.damping[b] += heat.viscous + heat.relaxed;
        report.dissipated[b] += heat.released() + heat.during_step();
        report.work[b] += heat.during_step();
    }
    for group in &mut report.alphas {
        let released: f64 = group.bodies.iter().map(|&b| heats[b].released()).sum();
        group.energy -= released;
        group.target -= released;
    }
    if let Some(mut control) = EnergyControl::recall(&state.memory) {
        for (body, heat) in control.iter_mut().zip(&heats) {
            body.target -= heat.released();
            body.mean -= heat.released();
        }
        EnergyControl::remember(&control, &mut state.memory);
    }
}
