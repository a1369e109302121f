//! Warnings about runs whose result is not physical.

use resile_record::{Status, Summary};
use resile_scene::description::Analysis;

/// Gain of energy, relative to the energy that was exchanged, above which a run is warned about. Methods that oscillate
/// about the energy of the start stay below it where they resolve the motion; those that diverge soon exceed it.
const MAX_RELATIVE_GAIN: f64 = 0.1;

/// Energy above the target, relative to the largest kinetic energy, above which a run is warned about: some control rules
/// oscillate about the target by 1.5 % (`docs/integrators.md`).
const MAX_RELATIVE_EXCESS: f64 = 0.1;

/// The warnings about a run, one line each.
pub(crate) fn run_warnings(summary: &Summary, analysis: Analysis) -> Vec<String> {
    let mut warnings: Vec<String> = inversion_warning(summary).into_iter().collect();
    if analysis == Analysis::Dynamic {
        warnings.extend(gain_warning(summary));
        warnings.extend(target_warning(summary));
    }
    warnings
}

/// The warning for a complete run in which elements were inverted, which some laws permit.
fn inversion_warning(summary: &Summary) -> Option<String> {
    let min_det_f = summary.min_det_f.filter(|det| *det <= 0.0)?;
    (summary.status == Status::Complete).then(|| {
        format!(
            "warning: elements were inverted (smallest det F {min_det_f:.3}), so the result is not physical: the law of the \
             material permits it (StVK softens under compression). Use NeoHookean, or check the loads"
        )
    })
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
         Shorten `time.step`, or use `ASearch()`, or `TrBdf2`, which loses a little energy",
        units.show(energy.gained?, "J"),
        100.0 * relative_gain
    ))
}
