//! Warnings of fields that have no effect in their scene.

use super::check_pairs::body_name;
use super::number_walk::{Visited, walk};
use super::problem::Checker;
use super::{
    Analysis, Bending, BendingModel, Body, Contact, FrameFormat, Hold, Joint, Kind, Model,
    MotionDescription, Obstacle, Output, PairFriction, PointField, Probe, Region, RestAngles,
    Scene, Table, Term,
};
use resile_math::Vec3;

/// Relative rounding error of a frame rate.
const ROUNDING: f64 = 1e-9;
/// Maximum number of fields that a message lists.
const MAX_LISTED: usize = 6;

impl Scene {
    /// Warns of fields that have no effect. The scene must be free of errors.
    pub(super) fn warn_without_effect(&self, c: &mut Checker) {
        self.warn_after_the_end(c);
        self.warn_joints(c);
        for (i, body) in self.bodies.iter().enumerate() {
            let path = format!("bodies[{i}]");
            self.warn_held(c, &path, body);
            self.warn_kind(c, &path, body);
        }
        self.warn_wind(c);
        self.warn_surfaces(c);
        self.warn_statics(c);
        self.warn_output(c);
    }

    /// Warns of whatever starts after the end of the run. The time of the arc-length method is that of the path.
    fn warn_after_the_end(&self, c: &mut Checker) {
        if matches!(self.analysis, Analysis::ArcLength { .. }) {
            return;
        }
        // The last step may end after the duration.
        let end = self.time.duration.max(self.time.steps() as f64 * self.time.step.seconds());
        walk(self, &mut |quantity, path, visited| {
            let is_start = quantity.label.starts_with("start (s)")
                || quantity.label.starts_with("start of the phase");
            if let Visited::Number { value, .. } = visited
                && is_start
                && *value > end
            {
                let message =
                    format!("starts at {value} s, and the run ends at {end} s: it has no effect");
                let help = "an earlier start, or a longer `time.duration`";
                c.warn_steps(&path.to_string(), message, help);
            }
        });
    }

    /// Warns of fields that act only on nodes whose motion is prescribed, and of motions along axes that are not held.
    /// Probes of the body measure the force of loads on its supports.
    fn warn_held(&self, c: &mut Checker, path: &str, body: &Body) {
        for (j, hold) in body.hold.iter().enumerate() {
            warn_free_axes(c, &format!("{path}.hold[{j}].motion"), hold);
        }
        let prescribed = |hold: &&Hold| hold.until.is_none() && hold.axes.is_none();
        let held: Vec<&Region> =
            body.hold.iter().filter(prescribed).map(|hold| &hold.region).collect();
        let is_held =
            |region: &Region| held.iter().any(|held| [region, &Region::All].contains(held));
        let help = "remove it, or release nodes: `hold` with `until`, `axes` or a smaller region";
        if is_held(&Region::All) {
            for (field, _) in velocities(body).into_iter().filter(|(_, is_given)| *is_given) {
                let message = format!(
                    "has no effect: `hold` prescribes the motion of all nodes of \"{}\"",
                    body.name
                );
                c.warn(&format!("{path}.{field}"), message, help);
            }
        }
        let is_probed = |probe: &Probe| body_name(probe.at.body()) == body.name;
        if self.output.probes.iter().any(is_probed) {
            return;
        }
        let loads = body.terms.iter().enumerate();
        let loads =
            loads.filter_map(|(k, term)| Some((format!("{path}.terms[{k}]"), loaded(term)?)));
        let springs = body.attach.iter().enumerate().filter(|(_, springs)| springs.to.is_none());
        let springs = springs.map(|(k, springs)| (format!("{path}.attach[{k}]"), &springs.region));
        for (path, _) in loads.chain(springs).filter(|(_, region)| is_held(region)) {
            let message = "moves nothing: `hold` prescribes the motion of all its nodes";
            c.warn(&path, message, help);
        }
    }

    /// Warns of rotations about an axis through all points of a joint, which can rotate freely about it.
    fn warn_joints(&self, c: &mut Checker) {
        for (k, joint) in self.joints.iter().enumerate() {
            let (Joint::Ball { a, at, motion, .. } | Joint::Hinge { a, at, motion, .. }) = joint;
            let half = match joint {
                Joint::Ball { .. } => Vec3::ZERO,
                Joint::Hinge { axis, .. } => 0.5 * Vec3::from_array(*axis),
            };
            let at = Vec3::from_array(*at);
            if motion.as_ref().is_some_and(|motion| motion.rotates_about(&[at - half, at + half])) {
                let message = format!(
                    "the rotation has no effect: the joint stays in place, and \"{a}\" turns freely in it"
                );
                let help = format!(
                    "a motor that turns \"{a}\": give this motion to springs of the body, \
                     `attach: [(region: All, stiffness: ..., motion: ...)]`"
                );
                c.warn(&format!("joints[{k}].motion"), message, help);
            }
        }
    }

    /// Warns of fields of a body that its kind or its other fields switch off.
    fn warn_kind(&self, c: &mut Checker, path: &str, body: &Body) {
        if let Kind::Shell { bending: Bending::Off, bending_model, rest_angles, .. } = body.kind {
            let given = [
                ("bending_model", bending_model != BendingModel::default()),
                ("rest_angles", rest_angles != RestAngles::default()),
            ];
            for (field, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
                let message = format!("has no effect: \"{}\" has `bending: Off`", body.name);
                let help = format!("remove `{field}`, or `bending: Off`");
                c.warn(&format!("{path}.kind.{field}"), message, help);
            }
        }
        let material = body.material.as_ref().and_then(|name| self.materials.get(name));
        if let (Kind::Rod { .. }, Some(Model::Fibre { .. })) =
            (body.kind, material.map(|material| material.model))
        {
            let message = format!(
                "the fibres have no effect: of the material of a rod only `young` and `poisson` act, and \"{}\" is one",
                body.name
            );
            let help = "`NeoHookean` with Young's modulus along the rod";
            c.warn(&format!("{path}.material"), message, help);
        }
    }

    /// Warns of wind in a scene of bodies on which it does not act.
    fn warn_wind(&self, c: &mut Checker) {
        let is_blown = |body: &Body| !matches!(body.kind, Kind::Solid | Kind::Affine);
        if self.wind.is_some() && !self.bodies.iter().any(is_blown) {
            let message = "has no effect: it acts on shells, cloth and rods, and there are none";
            c.warn("wind", message, "remove it; a load on a solid is a term, such as `Traction`");
        }
    }

    /// Warns of fields of surfaces that do not touch, and of settings of contact that nothing uses.
    fn warn_surfaces(&self, c: &mut Checker) {
        let Contact::Barrier { pairs, restitution_rule, rim_weights, .. } = &self.contact else {
            let surface = |body: &Body| {
                let fields = [
                    ("friction", body.friction),
                    ("static_friction", body.static_friction),
                    ("restitution", body.restitution),
                    ("contact_damping", body.contact_damping),
                    ("rolling_friction", body.rolling_friction),
                    ("contact_thickness", body.contact_thickness),
                ];
                of_body(body, fields.map(|(field, value)| (field, value.is_some())))
            };
            let ignored: Vec<String> = self.bodies.iter().flat_map(surface).collect();
            return warn_list(c, "contact", "contact is off", &ignored);
        };
        let is_plane = |obstacle: &Obstacle| matches!(obstacle, Obstacle::Plane { .. });
        if *rim_weights && !self.obstacles.iter().any(is_plane) {
            let message = "has no effect: no obstacle is a `Plane`";
            c.warn("contact.rim_weights", message, "remove it");
        }
        let has_restitution = self.bodies.iter().any(|body| body.restitution.is_some())
            || self.obstacles.iter().any(|obstacle| obstacle.restitution().is_some())
            || pairs.iter().any(|pair: &PairFriction| pair.restitution.is_some());
        let Contact::Barrier { restitution_rule: default_rule, .. } = Contact::default() else {
            return;
        };
        if *restitution_rule != default_rule && !has_restitution {
            let message = "has no effect: nothing has a coefficient of restitution";
            c.warn(
                "contact.restitution_rule",
                message,
                "give surfaces a `restitution`, or remove it",
            );
        }
    }

    /// Warns of fields that act on motion, of which a static analysis has none.
    fn warn_statics(&self, c: &mut Checker) {
        if self.analysis != Analysis::Static {
            return;
        }
        let dynamics = |body: &Body| {
            let restitution = ("restitution", body.restitution.is_some());
            of_body(body, velocities(body).into_iter().chain([restitution]))
        };
        let ignored: Vec<String> = self.bodies.iter().flat_map(dynamics).collect();
        warn_list(c, "analysis", "a static analysis has no velocities", &ignored);
    }

    /// Warns of output that is not written.
    fn warn_output(&self, c: &mut Checker) {
        let Output { frame_rate, formats, tables, fields, .. } = &self.output;
        let has_optional_fields = fields.iter().any(|field| *field != PointField::Velocity);
        if has_optional_fields && !formats.contains(&FrameFormat::Vtu) {
            let message = "has no effect: `Vtu` is the format of frames with fields";
            c.warn("output.fields", message, "add `Vtu` to `output.formats`, or remove the fields");
        }
        let steps_per_second = 1.0 / self.time.step.seconds();
        let is_chosen = *frame_rate != Output::default().frame_rate && !formats.is_empty();
        // The time of an equilibrium is that of its loads, which has no frame rate.
        if is_chosen
            && self.analysis == Analysis::Dynamic
            && self.time.adaptive.is_none()
            && *frame_rate > steps_per_second * (1.0 + ROUNDING)
        {
            let message =
                format!("{frame_rate} frames a second are more than {steps_per_second} steps");
            c.warn_steps(
                "output.frame_rate",
                message,
                "there is one frame a step: a shorter `time.step`",
            );
        }
        let is_affine = |body: &Body| body.kind == Kind::Affine;
        let empty = [
            (Table::Poses, !self.bodies.iter().any(is_affine), "no body is affine"),
            (Table::Contacts, !self.has_contact(), "contact is off"),
        ];
        for (table, is_empty, cause) in empty {
            if let Some(k) = tables.iter().position(|t| *t == table).filter(|_| is_empty) {
                let path = format!("output.tables[{k}]");
                c.warn(&path, format!("the table remains empty: {cause}"), "remove it");
            }
        }
    }
}

/// Warns of a translation along axes on which the nodes are free.
fn warn_free_axes(c: &mut Checker, path: &str, hold: &Hold) {
    let (Some(axes), None, MotionDescription::Move { velocity, angular_velocity, .. }) =
        (&hold.axes, hold.frame, &hold.motion)
    else {
        return;
    };
    let moving = ["x", "y", "z"].into_iter().zip(velocity).filter(|(_, speed)| **speed != 0.0);
    let directions: Vec<&str> = moving.map(|(axis, _)| axis).collect();
    let is_free = directions.iter().all(|axis| !axes.contains(axis));
    if !directions.is_empty() && is_free && *angular_velocity == [0.0; 3] {
        let directions = directions.join(" and ");
        let message = format!(
            "has no effect: it is along {directions}, and `axes: \"{axes}\"` leaves the nodes free there"
        );
        c.warn(path, message, format!("add {directions} to `axes`"));
    }
}

/// The fields with initial velocities of a body, and whether they are given.
fn velocities(body: &Body) -> [(&'static str, bool); 5] {
    [
        ("velocity", body.velocity != [0.0; 3]),
        ("velocities", !body.velocities.is_empty()),
        ("angular_velocity", body.angular_velocity != [0.0; 3]),
        ("spin", body.spin.is_some()),
        ("velocity_field", body.velocity_field.is_some()),
    ]
}

/// The nodes on which a load acts; `None` for other terms.
fn loaded(term: &Term) -> Option<&Region> {
    match term {
        Term::Force { region, .. }
        | Term::Traction { region, .. }
        | Term::SurfacePressure { region, .. }
        | Term::Hydrostatic { region, .. }
        | Term::Torque { region, .. } => Some(region),
        Term::BodyForce { .. } | Term::Pressure { .. } => Some(&Region::All),
        _ => None,
    }
}

/// The given fields of a body as text.
fn of_body(body: &Body, fields: impl IntoIterator<Item = (&'static str, bool)>) -> Vec<String> {
    let given = fields.into_iter().filter(|(_, is_given)| *is_given);
    given.map(|(field, _)| format!("`{field}` of \"{}\"", body.name)).collect()
}

/// Warns of a list of fields with the same cause, if there are any.
fn warn_list(c: &mut Checker, path: &str, cause: &str, ignored: &[String]) {
    if ignored.is_empty() {
        return;
    }
    let listed = ignored[..ignored.len().min(MAX_LISTED)].join(", ");
    let more = if ignored.len() > MAX_LISTED { ", ..." } else { "" };
    let verb = if ignored.len() == 1 { "has" } else { "have" };
    c.warn(path, format!("{cause}: {listed}{more} {verb} no effect"), "remove what has no effect");
}
