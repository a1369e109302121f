//! Warnings of joints that are too stiff for the filtered rule of energy control.

use super::body::PlacedBody;
use super::warnings::step_warning;
use resile_scene::description::{Analysis, Control, Joint, Problem, Scene, Scheme};

/// Largest `h^2 k/m` at which an undamped oscillator keeps its energy under the filtered rule
/// ([docs/integrators.md](../../../../docs/integrators.md#energy-control)).
const MAX_RATIO: f64 = 9.0;

/// Warns of the joint with the largest `h^2 k/m` under `ASearch(control: Filtered())`, if it is too stiff. The mass is
/// the reduced mass `m_a m_b / (m_a + m_b)` of the bodies, that of the body of a joint with the world.
pub(super) fn warn_filtered_joints(scene: &Scene, placed: &[PlacedBody]) -> Option<Problem> {
    let Scheme::ASearch { control: Control::Filtered { .. }, .. } = scene.integrator else {
        return None;
    };
    if scene.analysis != Analysis::Dynamic {
        return None;
    }
    let mass = |name: &String| {
        let body = placed.iter().find(|body| body.body.name == *name)?;
        Some(body.body.masses.iter().sum::<f64>())
    };
    let h = scene.time.step.seconds();
    let ratio = |joint: &Joint| {
        let (Joint::Ball { a, b, stiffness, .. } | Joint::Hinge { a, b, stiffness, .. }) = joint;
        let reciprocal_mass = [Some(a), b.as_ref()].into_iter().flatten().map(mass);
        let reciprocal_mass: f64 =
            reciprocal_mass.map(|mass| Some(1.0 / mass?)).sum::<Option<_>>()?;
        Some((h * h * stiffness * reciprocal_mass, *stiffness))
    };
    let joints = scene.joints.iter().enumerate();
    let ratios = joints.filter_map(|(k, joint)| Some((k, ratio(joint)?)));
    let (k, (ratio, stiffness)) = ratios.max_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
    (ratio >= MAX_RATIO).then(|| {
        let message = format!(
            "`Filtered` loses motion to joints[{k}] or gains energy there: h^2 k/m is {ratio:.0}, and from \
             {MAX_RATIO} on its vibration is not bounded under this rule"
        );
        let softer = scene.units.show(stiffness * MAX_RATIO / ratio, "N/m");
        let help = format!(
            "`ASearch()`; or a `time.step` below {:.1e} s, or joints softer than {softer:.0e}",
            h * (MAX_RATIO / ratio).sqrt()
        );
        step_warning("integrator.control".to_owned(), message, help)
    })
}
