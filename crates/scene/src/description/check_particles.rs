//! Checks of bodies of particles. They have no material and no surface, and may have a velocity for each particle.

use super::problem::{Checker, Names};
use super::{Body, Contact, Kind, Repeat, Scene, Vary};
use std::collections::BTreeSet;

/// Checks that there are particles, and one mass for each.
pub(super) fn check_particles(c: &mut Checker, path: &str, positions: &[[f64; 3]], masses: &[f64]) {
    if positions.is_empty() {
        let help = "give at least one, such as `positions: [(0, 0, 0)], masses: [1]`";
        c.error(&format!("{path}.positions"), "there are no particles", help);
    }
    if masses.len() != positions.len() && !positions.is_empty() {
        let message = format!("{} masses for {} particles", masses.len(), positions.len());
        c.error(&format!("{path}.masses"), message, "every particle needs a mass of its own");
    }
}

/// Checks that the ends of a line of particles differ.
pub(super) fn check_line(c: &mut Checker, path: &str, ends: [[f64; 3]; 2]) {
    if ends[0] == ends[1] {
        let help =
            "put them apart; a single particle is `Particles(positions: [...], masses: [...])`";
        c.error(&format!("{path}.to"), "the line begins and ends at the same point", help);
    }
}

/// Checks that a material is present exactly where one is required.
pub(super) fn check_material_presence(c: &mut Checker, path: &str, body: &Body, known: &Names) {
    let material_path = format!("{path}.material");
    let name = &body.name;
    if let Kind::Springs { .. } = body.kind {
        if body.material.is_some() {
            let message = format!("\"{name}\" is cloth of springs, which is made of no material");
            let help = "remove `material`: masses and stiffnesses stand in `kind`";
            c.error(&material_path, message, help);
        }
        return;
    }
    match (&body.material, body.shape.particle_count()) {
        (Some(material), None) => c.check_name(&material_path, "material", material, known),
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
pub(super) fn check_particle_velocities(c: &mut Checker, path: &str, body: &Body) {
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

/// Refuses coefficients of a surface and varied properties of a material for particles.
pub(super) fn reject_surface_fields(c: &mut Checker, path: &str, body: &Body) {
    let name = &body.name;
    let fields = [
        ("friction", body.friction),
        ("static_friction", body.static_friction),
        ("restitution", body.restitution),
        ("contact_damping", body.contact_damping),
        ("rolling_friction", body.rolling_friction),
        ("contact_thickness", body.contact_thickness),
    ];
    for (field, _) in fields.iter().filter(|(_, value)| value.is_some()) {
        let hint = match *field {
            "friction" => "; a wall for particles is a term: `PenaltyWall` or `BarrierWall`",
            _ => "",
        };
        c.error(
            &format!("{path}.{field}"),
            format!("\"{name}\" consists of particles, which have no surface and touch nothing"),
            format!("remove `{field}`{hint}"),
        );
    }
    for (k, vary) in body.repeat.iter().flat_map(Repeat::vary).enumerate() {
        let property = match vary {
            Vary::Friction(_) => "friction",
            Vary::Young(_) => "Young's modulus",
            Vary::Density(_) => "density",
            _ => continue,
        };
        let message = format!("\"{name}\" consists of particles, which have no {property} to vary");
        c.error(&format!("{path}.repeat.vary[{k}]"), message, "remove it");
    }
}

/// The names of bodies that have no surface.
pub(super) struct SurfacelessBodies<'a>(BTreeSet<&'a str>);

impl SurfacelessBodies<'_> {
    /// Reports a name of a pair if it is that of a body without a surface, or of a copy of such a body.
    pub(super) fn refuse(&self, c: &mut Checker, path: &str, name: &str) {
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
    pub(super) fn surfaceless_bodies(&self) -> SurfacelessBodies<'_> {
        let particles = self.bodies.iter().filter(|body| body.shape.particle_count().is_some());
        SurfacelessBodies(particles.map(|body| body.name.as_str()).collect())
    }

    /// Warns of contact without surfaces that can touch, and of obstacles without contact.
    pub(super) fn warn_contact(&self, c: &mut Checker) {
        let is_particles = |body: &Body| body.shape.particle_count().is_some();
        if self.contact == Contact::Off && !self.obstacles.is_empty() {
            c.warn(
                "obstacles",
                "there are obstacles, but contact is off: bodies pass through them",
                "remove `contact: Off`, or the obstacles",
            );
        } else if self.contact != Contact::Off && self.bodies.iter().all(is_particles) {
            c.warn(
                "contact",
                "contact is on, but all bodies consist of particles, which touch nothing",
                "write `contact: Off`; a wall for particles is a term: `PenaltyWall` or `BarrierWall`",
            );
        }
    }
}
