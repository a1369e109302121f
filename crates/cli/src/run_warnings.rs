//! Warnings about runs whose result is not physical.

use crate::report::counted;
use resile_record::{PrescribedLag, Status, Summary};
use resile_scene::description::{Analysis, Model, Scene};
use std::collections::BTreeSet;

/// Gain of energy, relative to the energy that was exchanged, above which a run is warned about. Methods that oscillate
/// about the energy of the start stay below it where they resolve the motion; those that diverge soon exceed it.
const MAX_RELATIVE_GAIN: f64 = 0.1;

/// Energy above the target, relative to the largest kinetic energy, above which a run is warned about: some control rules
/// oscillate about the target by 1.5 % (`docs/integrators.md`).
const MAX_RELATIVE_EXCESS: f64 = 0.1;

/// What the warnings about a run need to know of its scene.
#[derive(Debug)]
pub(crate) struct WarningContext {
    analysis: Analysis,
    /// The laws of its materials that permit inversion.
    invertible_laws: BTreeSet<&'static str>,
}

impl WarningContext {
    /// The context of a run of this scene.
    pub(crate) fn new(scene: &Scene) -> Self {
        let laws = scene.materials.values().filter_map(|material| invertible_law(&material.model));
        Self { analysis: scene.analysis, invertible_laws: laws.collect() }
    }
}

/// The name of a law whose energy is finite at zero volume, so that elements can be inverted.
fn invertible_law(model: &Model) -> Option<&'static str> {
    match model {
        Model::Corotated { .. } => Some("Corotated"),
        Model::StVK { .. } => Some("StVK"),
        Model::Linear { .. } => Some("Linear"),
        Model::Orthogonal { .. } => Some("Orthogonal"),
        _ => None,
    }
}

/// The warnings about a run, one line each.
pub(crate) fn run_warnings(summary: &Summary, context: &WarningContext) -> Vec<String> {
    let mut warnings: Vec<String> =
        inversion_warning(summary, &context.invertible_laws).into_iter().collect();
    warnings.extend(lag_warning(summary));
    if context.analysis == Analysis::Dynamic {
        warnings.extend(gain_warning(summary));
        warnings.extend(target_warning(summary));
    }
    warnings
}

/// The warning for a complete run in which elements were inverted, which some `laws` permit.
fn inversion_warning(summary: &Summary, laws: &BTreeSet<&str>) -> Option<String> {
    let min_det_f = summary.min_det_f.filter(|det| *det <= 0.0)?;
    let laws = match laws.iter().collect::<Vec<_>>()[..] {
        [] => "the law of the material permits it".to_owned(),
        [law] => format!("the law `{law}` permits it, whose energy is finite at zero volume"),
        [..] => {
            let names: Vec<String> = laws.iter().map(|law| format!("`{law}`")).collect();
            format!(
                "the laws {} permit it, whose energies are finite at zero volume",
                names.join(" and ")
            )
        }
    };
    (summary.status == Status::Complete).then(|| {
        format!(
            "warning: elements were inverted (smallest det F {min_det_f:.3}), so the result is not physical: {laws}. \
             Use `NeoHookean`, or check the loads"
        )
    })
}

/// The warning for a run in which held nodes were blocked and stayed behind.
fn lag_warning(summary: &Summary) -> Option<String> {
    let PrescribedLag { steps, largest } = summary.prescribed_lag?;
    let (steps, units) = (counted(steps as usize, "step", "steps"), summary.units);
    Some(format!(
        "warning: at the end of {steps} held nodes were blocked and stayed up to {:.2e} before the positions that their \
         motion prescribes (`prescribed_lag` in history.csv), as `solver.dirichlet_tolerance` permits",
        units.show(largest, "m")
    ))
}

/// The integrator of a run, without its parameters.
fn integrator_name(summary: &Summary) -> &str {
    summary.setup.integrator.split('(').next().unwrap_or_default()
}

/// The warning for a run whose energy stays above the target of the integrator.
fn target_warning(summary: &Summary) -> Option<String> {
    let energy = summary.energy.as_ref()?;
    let relative_excess =
        energy.relative_excess().filter(|excess| *excess > MAX_RELATIVE_EXCESS)?;
    Some(format!(
        "warning: the energy stays {:.2e} above its target, {:.0} % of the largest kinetic energy: in a step {} removes at \
         most what implicit Euler loses. Give the material `damping`, or use a longer `tau` or `time.step`",
        summary.units.show(energy.above_target?, "J"),
        100.0 * relative_excess,
        integrator_name(summary)
    ))
}

/// The warning for a run in which the integrator added energy.
fn gain_warning(summary: &Summary) -> Option<String> {
    let energy = summary.energy.as_ref()?;
    let relative_gain = energy.relative_gain().filter(|gain| *gain > MAX_RELATIVE_GAIN)?;
    let (method, units) = (integrator_name(summary), summary.units);
    Some(format!(
        "warning: {method} created {:.2e}, {:.0} % of all kinetic energy, work and heat: the motion is not physical. \
         Shorten `time.step`, or use {}",
        units.show(energy.gained?, "J"),
        100.0 * relative_gain,
        other_methods(&summary.setup.integrator)
    ))
}

/// Methods to be used instead of an integrator that creates energy.
fn other_methods(integrator: &str) -> &'static str {
    let name = integrator.split('(').next().unwrap_or_default();
    match name {
        "ASearch" if integrator.contains("Filtered") => {
            "`ASearch()` without `control`, or `TrBdf2`, which loses a little energy"
        }
        "ASearch" => "`TrBdf2`, which loses a little energy",
        "TrBdf2" => "`ASearch()`, or `ImplicitEuler`, which loses more energy",
        _ => "`ASearch()`, or `TrBdf2`, which loses a little energy",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_method_is_its_own_remedy() {
        for integrator in
            ["ASearch()", "TrBdf2", "Bdf2", "Decoupled(contact: Search, elastic: Sdirk2)"]
        {
            let name = integrator.split('(').next().unwrap_or_default();
            let remedy = other_methods(integrator);
            assert!(!remedy.contains(&format!("`{name}")), "{integrator}: {remedy}");
        }
        let filtered = other_methods("ASearch(control: Filtered())");
        assert!(filtered.contains("`ASearch()` without `control`"), "{filtered}");
    }
}
