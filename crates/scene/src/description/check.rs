//! Checks of names and of relations between parts, beyond types and ranges.

use super::check_body;
use super::check_integrator::{check_adaptive, check_friction_support, check_integrator};
use super::formula::Variables;
use super::presets;
use super::problem::{Checker, Names};
use super::quantity::MAX_COPIES;
use super::range::Range;
use super::{
    Body, Contact, Formula, Geometry, Initial, Kind, Model, Obstacle, Problem, Repeat, Scene,
    StepSize, VERSION, VelocityField,
};
use super::{
    check_kind, check_particles, check_plastic, check_shell, check_term, check_viscous, probe,
};
use std::collections::BTreeMap;

impl Scene {
    /// All errors and warnings, sorted by the parts of the scene; in each part numbers out of range come first,
    /// followed by wrong references and relations. Warnings are looked for only if there are no errors. Files are not
    /// opened.
    pub fn check(&self) -> Vec<Problem> {
        let mut c = Checker { units: self.units, ..Checker::default() };
        c.check_all_numbers(self);
        if self.version != VERSION {
            let message = format!("version {} of the format is not known", self.version);
            c.error("version", message, format!("this program reads version {VERSION}"));
        }
        self.check_materials(&mut c);
        self.check_bodies(&mut c);
        self.check_joints(&mut c);
        self.check_seams(&mut c);
        self.check_gravity(&mut c);
        self.check_initial(&mut c);
        for (i, obstacle) in self.obstacles.iter().enumerate() {
            self.check_obstacle(&mut c, &format!("obstacles[{i}]"), obstacle);
        }
        self.check_names(&mut c);
        self.check_title(&mut c);
        self.check_contact(&mut c);
        check_integrator(&mut c, &self.integrator);
        check_friction_support(&mut c, self);
        check_adaptive(&mut c, self);
        self.check_step(&mut c);
        self.check_path(&mut c);
        probe::check_probes(&mut c, &self.output);
        if c.problems.is_empty() {
            self.warn_implausible(&mut c);
        }
        c.problems.sort_by_key(|problem| sort_key(&problem.path));
        c.problems
    }

    /// Checks that the changes of gravity are in the order of their times.
    fn check_gravity(&self, c: &mut Checker) {
        let times = self.gravity_changes.iter().map(|change| change.start);
        check_body::check_increasing(
            c,
            times,
            |k| format!("gravity_changes[{k}].start"),
            "start (s)",
        );
    }

    /// Checks that a continued run does not settle at its start.
    fn check_initial(&self, c: &mut Checker) {
        if matches!(self.initial, Initial::Run { .. }) && self.settle {
            let message = "a run that begins where another one stopped has no start to settle";
            c.error("settle", message, "leave `settle` out, or `initial`");
        }
    }

    pub(super) fn has_contact(&self) -> bool {
        self.contact != Contact::Off
    }

    /// Checks the laws of all materials.
    fn check_materials(&self, c: &mut Checker) {
        for (name, material) in &self.materials {
            let path = format!("materials.{name}");
            check_model(c, &format!("{path}.model"), &material.model);
            check_plastic::check_plastic_material(c, &path, material);
            check_viscous::check_viscous_material(c, &path, material);
        }
    }

    /// Checks each body with its references to materials.
    fn check_bodies(&self, c: &mut Checker) {
        if self.bodies.is_empty() {
            c.error("bodies", "the scene has no bodies", "add at least one");
        }
        let preset_names = presets().iter().map(|preset| preset.name.to_owned());
        let preset_names = preset_names.filter(|name| !self.materials.contains_key(name));
        let materials = Names::new(self.materials.keys().cloned().chain(preset_names).collect());
        for (i, body) in self.bodies.iter().enumerate() {
            let path = format!("bodies[{i}]");
            check_particles::check_material_presence(c, &path, body, &materials);
            for (group, name) in &body.group_materials {
                c.check_name(
                    &format!("{path}.group_materials.{group}"),
                    "material",
                    name,
                    &materials,
                );
            }
            check_kind::check_kind(c, &path, body);
            check_kind::check_varied(c, &path, body);
            self.check_shell_material(c, &path, body);
            self.check_plastic(c, &path, body);
            self.check_viscous(c, &path, body);
            check_shell::check_shell_sections(c, &path, body, &materials);
            self.check_body(c, &path, body);
            self.check_surface(c, &path, body);
        }
    }

    /// Checks shape, initial state, ties, terms and copies of a body.
    fn check_body(&self, c: &mut Checker, path: &str, body: &Body) {
        check_body::check_shape(c, &format!("{path}.shape"), &body.shape);
        check_particles::check_particle_velocities(c, path, body);
        for (k, deformation) in body.deform.iter().enumerate() {
            check_body::check_deformation(c, &format!("{path}.deform[{k}]"), deformation);
        }
        self.check_ties(c, path, body);
        self.check_maps(c, path, body);
        if let Some(displacement) = &body.displacement {
            let path = format!("{path}.displacement");
            Formula::check_all(displacement, c, &path, Variables::Position);
            if body.kind == Kind::Affine {
                let message =
                    format!("\"{}\" is affine: its nodes are not those of its shape", body.name);
                c.error(&path, message, "use `deform`, or make it a solid");
            }
        }
        if let Some(VelocityField::Expression(velocity)) = &body.velocity_field {
            let path = format!("{path}.velocity_field[0]");
            Formula::check_all(velocity, c, &path, Variables::Position);
        }
        check_term::check_terms(c, path, body);
        if let Some(repeat) = &body.repeat {
            check_body::check_repeat(c, &format!("{path}.repeat"), repeat);
        }
    }

    /// Checks the coefficients of the surface of a body. Copies with varied friction ignore the coefficient of the
    /// body.
    fn check_surface(&self, c: &mut Checker, path: &str, body: &Body) {
        let varies = body.varies_friction();
        if body.shape.particle_count().is_some() {
            check_particles::reject_surface_fields(c, path, body);
        } else if !varies {
            self.check_friction(c, path, &body.name, body.friction);
        }
        check_static_friction(c, path, body.friction.filter(|_| !varies), body.static_friction);
        check_contact_damping(c, path, body.restitution, body.contact_damping);
        if body.rolling_friction.is_some() {
            self.check_rigid(c, &format!("{path}.rolling_friction"), &body.name);
        }
    }

    /// Checks that a body or an obstacle with rolling friction is rigid.
    pub(super) fn check_rigid(&self, c: &mut Checker, path: &str, name: &str) {
        let body_name = name.split('[').next().unwrap_or(name);
        let is_soft = |body: &Body| {
            (body.name == name || body.name == body_name) && body.kind != Kind::Affine
        };
        let is_animated = |obstacle: &Obstacle| {
            obstacle.name() == name && matches!(obstacle, Obstacle::Animated { .. })
        };
        if self.bodies.iter().any(is_soft) || self.obstacles.iter().any(is_animated) {
            let message =
                format!("\"{name}\" deforms: it has no angular velocity that could be resisted");
            let help =
                "make it `Affine`; soft bodies resist rolling by `damping` and `contact_damping`";
            c.error(path, message, help);
        }
    }

    /// Checks that a surface in contact has a coefficient of friction.
    fn check_friction(&self, c: &mut Checker, path: &str, name: &str, friction: Option<f64>) {
        if friction.is_none() && self.has_contact() {
            c.error(
                path,
                format!("\"{name}\" has no coefficient of friction, and contact is on"),
                "add `friction: 0.3`, or `friction: 0` for a smooth surface",
            );
        }
    }

    /// Checks file, shape, motion and coefficients of an obstacle.
    fn check_obstacle(&self, c: &mut Checker, path: &str, obstacle: &Obstacle) {
        match obstacle {
            Obstacle::Plane { .. } | Obstacle::Animated { .. } => {}
            Obstacle::Mesh { file, .. } => {
                check_body::check_obstacle_file_name(c, &format!("{path}.file"), file);
            }
            Obstacle::Shape { shape, .. } => {
                check_body::check_shape(c, &format!("{path}.shape"), shape);
                if shape.geometry() == Geometry::Points {
                    let message = format!("\"{}\" has no surface", obstacle.name());
                    let help = "choose a shape that is not particles";
                    c.error(&format!("{path}.shape"), message, help);
                }
            }
        }
        if let Some(animation) = obstacle.animation() {
            super::animation::check_animation(c, path, &animation);
        }
        if let Some(motion) = obstacle.motion() {
            check_body::check_motion(c, &format!("{path}.motion"), motion);
        }
        self.check_friction(c, path, obstacle.name(), obstacle.friction());
        check_static_friction(c, path, obstacle.friction(), obstacle.static_friction());
        check_contact_damping(c, path, obstacle.restitution(), obstacle.contact_damping());
        if obstacle.rolling_friction().is_some_and(|rho| rho > 0.0) {
            self.warn_no_rolling_friction(c, &format!("{path}.rolling_friction"));
        }
        if obstacle.rolling_friction().is_some() {
            self.check_rigid(c, &format!("{path}.rolling_friction"), obstacle.name());
        }
    }

    /// Warns of solids, on which the rolling friction of an obstacle does not act, and of scenes without affine bodies.
    fn warn_no_rolling_friction(&self, c: &mut Checker, path: &str) {
        let any_affine = self.bodies.iter().any(|body| body.kind == Kind::Affine);
        let without_effect =
            |body: &&Body| body.kind == Kind::Solid || (!any_affine && body.kind != Kind::Affine);
        let names: Vec<String> = self
            .bodies
            .iter()
            .filter(without_effect)
            .map(|body| format!("\"{}\"", body.name))
            .collect();
        if !names.is_empty() {
            let message = format!("has no effect on bodies that deform: {}", names.join(", "));
            let help =
                "make them `Affine`; soft bodies resist rolling by `damping` and `contact_damping`";
            c.warn(path, message, help);
        }
    }

    /// Checks that names of bodies and obstacles are present and unique.
    fn check_names(&self, c: &mut Checker) {
        let bodies = self.bodies.iter().map(|body| body.name.as_str()).enumerate();
        let obstacles = self.obstacles.iter().map(Obstacle::name).enumerate();
        let names: Vec<_> = bodies
            .map(|(i, name)| (format!("bodies[{i}]"), name))
            .chain(obstacles.map(|(i, name)| (format!("obstacles[{i}]"), name)))
            .collect();
        let mut first_use = BTreeMap::new();
        for (path, name) in &names {
            let first = *first_use.entry(*name).or_insert(path);
            let is_first = std::ptr::eq(first, path);
            let path = format!("{path}.name");
            if name.is_empty() {
                c.error(&path, "the name is empty", "names appear in messages and in pairs");
            } else if name.contains(char::is_control) {
                let help = "names stand in tables, messages and plots: one line of text";
                c.error(&path, format!("the name {name:?} contains a control character"), help);
            } else if name.contains(['[', ']']) {
                let help = "brackets number the copies of repeated bodies";
                c.error(&path, format!("the name \"{name}\" contains a bracket"), help);
            }
            if !is_first {
                let message = format!("the name \"{name}\" is used twice, first in {first}");
                c.error(&path, message, "bodies and obstacles need names of their own");
            }
        }
    }

    /// Checks the name of the scene, which is also that of its output folder.
    fn check_title(&self, c: &mut Checker) {
        let Some(name) = &self.name else { return };
        let stem = name.split('.').next().unwrap_or("").to_ascii_uppercase();
        let is_device = ["CON", "PRN", "AUX", "NUL"].contains(&stem.as_str())
            || (["COM", "LPT"].iter().any(|kind| stem.starts_with(kind))
                && stem.len() == 4
                && stem.ends_with(|c: char| c.is_ascii_digit()));
        let reason = if name.is_empty() || name.len() > 200 {
            "must have between 1 and 200 bytes"
        } else if name.contains(|c: char| c.is_control() || "/\\<>:\"|?*".contains(c)) {
            "contains a control character or one of / \\ < > : \" | ? *"
        } else if name.starts_with('.') || name.ends_with(['.', ' ']) {
            "begins with a dot, or ends with a dot or a space"
        } else if is_device {
            "is that of a device on some systems"
        } else {
            return;
        };
        let help = "results go to a folder of this name; letters, digits, - and _ are safe";
        c.error("name", format!("the scene's name {name:?} {reason}"), help);
    }

    /// Names of bodies and of their copies.
    pub(super) fn body_names(&self) -> Vec<String> {
        let bodies = self.bodies.iter().flat_map(|body| {
            let copies = body.repeat.as_ref().map_or(0, Repeat::count).min(MAX_COPIES.into());
            let copies = (0..copies).map(|i| format!("{}[{i}]", body.name));
            std::iter::once(body.name.clone()).chain(copies)
        });
        bodies.collect()
    }

    /// Checks a time step that is a fraction; a number is checked by its range.
    fn check_step(&self, c: &mut Checker) {
        if let StepSize::Fraction { numerator: 0, .. } = self.time.step {
            c.error("time.step", "time step (s) must be positive, but is 0", "");
        }
    }
}

/// The fields of a scene in the order in which their problems are listed. Problems of other fields come last.
const SECTION_ORDER: [&str; 14] = [
    "version",
    "materials",
    "bodies",
    "joints",
    "seams",
    "gravity",
    "gravity_changes",
    "wind",
    "obstacles",
    "contact",
    "integrator",
    "time",
    "solver",
    "output",
];

/// The key by which problems are sorted: the position of the field of the scene in [`SECTION_ORDER`], and the index of
/// the item if the field is a list.
fn sort_key(path: &str) -> (usize, usize) {
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let section = SECTION_ORDER.iter().position(|section| *section == &path[..end]);
    let item = path[end..].strip_prefix('[').and_then(|index| index.split(']').next());
    let item = item.and_then(|index| index.parse().ok()).unwrap_or(0);
    (section.unwrap_or(SECTION_ORDER.len()), item)
}

/// Checks the constants of an Ogden material, and that the shear modulus of any law is positive at small strain.
fn check_model(c: &mut Checker, path: &str, model: &Model) {
    if let Model::Ogden { first, second, third, .. } = model {
        let terms = [("first", Some(*first)), ("second", *second), ("third", *third)];
        for (name, term) in terms {
            let Some([mu, alpha]) = term else { continue };
            let path = format!("{path}.{name}");
            c.check_labelled(&format!("{path}[0]"), "constant mu (Pa)", mu, Range::Finite);
            c.check_labelled(
                &format!("{path}[1]"),
                "exponent alpha",
                alpha,
                Model::EXPONENT.into(),
            );
        }
    }
    let Some(bulk) = model.bulk() else { return };
    let shear = model.shear();
    if bulk > 0.0 && shear.is_finite() && shear <= 0.0 {
        let shear = c.units.show(shear, "Pa");
        let message = format!("the shear modulus at rest would be {shear}");
        c.error(path, message, "it must be positive: 2 (c10 + c01), or the sum of mu alpha / 2");
    }
}

/// Checks that a surface does not have both a coefficient of restitution and contact damping.
pub(super) fn check_contact_damping(
    c: &mut Checker,
    path: &str,
    restitution: Option<f64>,
    damping: Option<f64>,
) {
    if restitution.is_some() && damping.is_some() {
        let message = "`restitution` prescribes the rebound, and contact damping would not act";
        c.error(&format!("{path}.contact_damping"), message, "remove one of both");
    }
}

/// Checks that static friction is not below kinetic friction.
pub(super) fn check_static_friction(
    c: &mut Checker,
    path: &str,
    friction: Option<f64>,
    static_friction: Option<f64>,
) {
    let Some(static_mu) = static_friction else { return };
    let path = format!("{path}.static_friction");
    if let Some(kinetic_mu) = friction.filter(|kinetic_mu| *kinetic_mu > static_mu) {
        c.error(
            &path,
            format!("static friction ({static_mu}) is below friction ({kinetic_mu})"),
            "what sticks resists at least as much as what slides",
        );
    }
}
