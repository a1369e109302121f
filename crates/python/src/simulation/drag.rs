//! Dragging of points by a spring.

use crate::errors::Failure;
use resile_energy::Anchor;
use resile_math::Vec3;
use resile_runner::Stepper;
use resile_world::Hand;

/// A dragged point of a body and the target of the drag spring.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drag {
    /// Index of the body.
    pub(super) body: usize,
    /// Index of the point of its surface.
    pub(super) point: usize,
    /// Position of the target (m).
    pub(super) target: Vec3,
}

/// Drags a point of the body of this name from now on. The free end of the spring starts at the target of the
/// `previous` drag of the point, or at the point if the drag begins.
pub(super) fn drag_point(
    stepper: &mut Stepper,
    body: &str,
    goal: Drag,
    previous: Option<Drag>,
) -> Result<(), Failure> {
    let Drag { body: index, point, target } = goal;
    let surface = &stepper.meshes()[index].surface;
    if point >= surface.point_count() {
        let message = format!("\"{body}\" has no point {point}; it has {}", surface.point_count());
        return Err(Failure::argument("point", point, message));
    }
    let anchor = match surface.embedding() {
        None => Anchor::from(point),
        Some(points) => Anchor::new(points[point].terms().collect()),
    };
    let position = anchor.at(&stepper.world().state(index).positions);
    let start = previous.map_or(position, |drag| drag.target);
    let hand = Hand { body: index, point: anchor, path: [start, target] };
    let h = stepper.scene().time.step.seconds();
    let result = stepper.world_mut().pull(Some(hand), h);
    result.map_err(|error| Failure::argument("body", body, error))
}
