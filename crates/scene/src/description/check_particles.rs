//! Checks of bodies of particles, which have no material and no surface but
//! velocities by node.

use super::problem::{Checker, Names};
use super::{Body, Contact, Kind, Repeat, Scene, Shape, Vary};
use std::collections::BTreeSet;

pub(super) fn particles(c: &mut Checker, path: &str, positions: &[[f64; 3]], masses: &[f64]) {
    if positions.is_empty() {
        let help = "give at least one, such as `positions: [(0, 0, 0)], masses: [1]`";
        c.error(&format!("{path}.positions"), "there are no particles", help);
    }
    if masses.len() != positions.len() && !positions.is_empty() {
        let message = format!("{} masses for {} particles", masses.len(), positions.len());
        c.error(&format!("{path}.masses"), message, "every particle needs a mass of its own");
    }
}

pub(super) fn line(c: &mut Checker, path: &str, ends: [[f64; 3]; 2]) {
    if ends[0] == ends[1] {
        let help =
            "put them apart; a single particle is `Particles(positions: [...], masses: [...])`";
        c.error(&format!("{path}.to"), "the line begins and ends at the same point", help);
    }
}

/// Checks that a material is present exactly where one is required.
pub(super) fn material(c: &mut Checker, path: &str, body: &Body, known: &Names) {
    let material_path = format!("{path}.material");
    let name = &body.name;
    let needed = match (body.kind, body.shape.particle_count()) {
        (Kind::Springs { .. }, _) => {
            if body.material.is_some() {
                let message =
                    format!("\"{name}\" is cloth of springs, which is made of no material");
                c.error(
                    &material_path,
                    message,
                    "remove `material`: masses and stiffnesses stand in `kind`",
                );
            }
            return;
        }
        (_, count) => count,
    };
    match (&body.material, needed) {
        (Some(material), None) => c.known(&material_path, "material", material, known),
        (None, None) => c.error(
            path,
            format!("\"{name}\" has no material"),
            "add `material: \"...\"`, the name of one of the scene's materials; only particles have none",
        ),
        (Some(_), Some(_)) => c.error(
            &material_path,
            format!("\"{name}\" consists of particles, which are made of no material"),
            "remove `material`: masses stand in the shape, forces in `terms`",
        ),
        (None, Some(_)) => {}
    }
}

/// Checks that there is one velocity per particle.
pub(super) fn velocities(c: &mut Checker, path: &str, body: &Body) {
    let velocities_path = format!("{path}.velocities");
    let velocity_count = body.velocities.len();
    match body.shape.particle_count() {
        Some(0) => {}
        _ if velocity_count == 0 => {}
        None => c.error(
            &velocities_path,
            format!("\"{}\" is a mesh, and `velocities` are for particles", body.name),
            "use `velocity`, `angular_velocity` or `spin`",
        ),
        Some(count) if count != velocity_count => {
            let message = format!("{velocity_count} velocities for {count} particles");
            c.error(&velocities_path, message, "give one to each; (0, 0, 0) adds nothing");
        }
        Some(_) => {}
    }
}

/// Refuses a surface or a material for particles.
pub(super) fn reject_mesh_fields(c: &mut Checker, path: &str, body: &Body) {
    let name = &body.name;
    if body.friction.is_some() {
        c.error(
            &format!("{path}.friction"),
            format!("\"{name}\" consists of particles, which have no surface and touch nothing"),
            "remove `friction`; a wall for particles is a term: `PenaltyWall` or `BarrierWall`",
        );
    }
    let of_surfaces = [
        ("static_friction", body.static_friction),
        ("restitution", body.restitution),
        ("contact_damping", body.contact_damping),
        ("rolling_friction", body.rolling_friction),
    ];
    for (field, _) in of_surfaces.iter().filter(|(_, value)| value.is_some()) {
        c.error(
            &format!("{path}.{field}"),
            format!("\"{name}\" consists of particles, which have no surface and touch nothing"),
            format!("remove `{field}`"),
        );
    }
    if body.contact_thickness.is_some() {
        c.error(
            &format!("{path}.contact_thickness"),
            format!("\"{name}\" consists of particles, which have no surface and touch nothing"),
            "remove `contact_thickness`",
        );
    }
    for (k, vary) in body.repeat.iter().flat_map(Repeat::vary).enumerate() {
        let what = match vary {
            Vary::Friction(_) => "friction",
            Vary::Young(_) => "Young's modulus",
            Vary::Density(_) => "density",
            _ => continue,
        };
        let message = format!("\"{name}\" consists of particles, which have no {what} to vary");
        c.error(&format!("{path}.repeat.vary[{k}]"), message, "remove it");
    }
}

/// Bodies that have no surface, by name.
pub(super) struct SurfacelessBodies<'a>(BTreeSet<&'a str>);

impl SurfacelessBodies<'_> {
    /// Checks that a name of a pair is that of a body or obstacle with a surface.
    pub(super) fn check(&self, c: &mut Checker, path: &str, name: &str) {
        let body_name = name.split('[').next().unwrap_or(name);
        if self.0.contains(body_name) {
            c.error(
                path,
                format!(
                    "\"{name}\" consists of particles, which have no surface and touch nothing"
                ),
                "remove the pair",
            );
        }
    }
}

impl Scene {
    /// The bodies without a surface, which cannot touch others.
    pub(super) fn touching(&self) -> SurfacelessBodies<'_> {
        let without = self.bodies.iter().filter(|body| body.shape.particle_count().is_some());
        SurfacelessBodies(without.map(|body| body.name.as_str()).collect())
    }

    /// Warns of contact without surfaces that can touch, and of obstacles without contact.
    pub(super) fn plausible_contact(&self, c: &mut Checker) {
        let particles = |shape: &Shape| shape.particle_count().is_some();
        if self.contact == Contact::Off && !self.obstacles.is_empty() {
            c.warn(
                "obstacles",
                "there are obstacles, but contact is off: bodies pass through them",
                "remove `contact: Off`, or the obstacles",
            );
        } else if self.contact != Contact::Off && self.bodies.iter().all(|b| particles(&b.shape)) {
            c.warn(
                "contact",
                "contact is on, but all bodies consist of particles, which touch nothing",
                "write `contact: Off`; a wall for particles is a term: `PenaltyWall` or `BarrierWall`",
            );
        }
    }
}
