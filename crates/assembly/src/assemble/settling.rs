//! Settling before the first step.

use resile_scene::description::{Contact, ContactStart, Initial, Scene};
use resile_world::{SettleFailure, Settling, World};

/// The settling of a scene before the first step: to static equilibrium, if the scene requests it, or of the contact of
/// bodies that start nearer than `d_hat`. `world` is the initial state. `None` if there is nothing to settle.
pub fn settling(scene: &Scene, world: &mut World) -> Option<Settling> {
    let step = scene.time.step.seconds();
    let balances_contact =
        matches!(scene.contact, Contact::Barrier { start: ContactStart::Balanced, .. });
    match &scene.initial {
        _ if scene.settle => Some(Settling::new(world, step)),
        Initial::Described if balances_contact => Settling::of_contact(world, step),
        _ => None,
    }
}

/// Performs the [`settling`] of a scene to its end.
///
/// # Errors
/// If no equilibrium is found.
pub fn settle(scene: &Scene, world: &mut World) -> Result<(), SettleFailure> {
    if let Some(mut settling) = settling(scene, world) {
        while settling.advance(world)?.settled.is_none() {}
    }
    Ok(())
}
