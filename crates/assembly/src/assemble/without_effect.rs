//! Warnings of rotations that have no effect.

use super::motion::motion_of;
use super::warnings::warning;
use super::{Parts, path_of};
use resile_math::Vec3;
use resile_scene::description::{Hold, Kind, Problem};

/// Warns of holds of a body that rotate about an axis through all their nodes, which does not move them.
pub(super) fn warn_rotation_about_own_axis(parts: &Parts<'_>, k: usize) -> Vec<Problem> {
    let (expanded, units) = (&parts.expanded[k], parts.scene.units);
    let warn = |(j, hold): (usize, &Hold)| {
        let motion = motion_of(&hold.motion, units);
        let prescribed = parts.placed[k].body.prescribed.iter();
        let held: Vec<Vec3> =
            prescribed.filter(|held| held.motion == motion).map(|held| held.start).collect();
        if held.is_empty() || !hold.motion.rotates_about(&held) {
            return None;
        }
        let message = format!(
            "the rotation has no effect: the nodes of \"{}\" that it holds lie on its axis",
            expanded.body.name
        );
        let help = match expanded.body.kind {
            Kind::Rod { .. } => {
                "nodes of a rod have no angle: a clamp that turns is `turns: 0, motor: (rate: ...)` of `kind`"
            }
            _ => "hold nodes beside the axis, too",
        };
        Some(warning(format!("{}.hold[{j}].motion", path_of(expanded)), message, help))
    };
    expanded.body.hold.iter().enumerate().filter_map(warn).collect()
}
