//! The rules of a scene for `resile-verify`, as plain data.

use crate::description::{
    Body, Contact, ExpandedBody, Interpolation, Joint, Key, Kind, MotionDescription, Obstacle,
    Region, Scene,
};
use resile_math::Vec3;
use resile_verify as verify;
use std::collections::BTreeSet;

impl Scene {
    /// The rules of this scene: bodies and obstacles by name, which of them must not intersect, and prescribed motions.
    /// The scene must be free of errors ([`Scene::check`]); nothing is built.
    pub fn rules(&self) -> verify::Rules {
        let bodies = self.expand();
        let connected = self.connected_bodies();
        let gravities =
            self.gravity_changes.iter().map(|change| change.gravity).chain([self.gravity]);
        let max_gravity = gravities.map(|g| Vec3::from_array(g).length()).fold(0.0, f64::max);
        let contact = match &self.contact {
            Contact::Barrier { d_hat, exclude, .. } => {
                Some(verify::Contact { d_hat: *d_hat, off: exclude.clone() })
            }
            Contact::Off => None,
        };
        verify::Rules {
            bodies: bodies.iter().map(|body| self.body_rules(body, &connected)).collect(),
            obstacles: self.obstacles.iter().map(obstacle_rules).collect(),
            skins: bodies.iter().filter(|body| body.body.shape.has_skin()).count(),
            contact,
            step: self.time.step.seconds(),
            gravity: max_gravity,
        }
    }

    /// The rules for one body. Its motion counts as prescribed if a single hold covers all nodes and axes at all times.
    fn body_rules(&self, expanded: &ExpandedBody, connected: &BTreeSet<&str>) -> verify::Body {
        let ExpandedBody { source: source_index, body, .. } = expanded;
        let prescribed = match &body.hold[..] {
            [hold]
                if matches!(hold.region, Region::All)
                    && hold.until.is_none()
                    && hold.axes.is_none() =>
            {
                motion_rules(&hold.motion)
            }
            _ => None,
        };
        let source = self.bodies[*source_index].name.clone();
        let is_connected =
            [&body.name, &source].iter().any(|name| connected.contains(name.as_str()));
        let tied = is_connected || is_tied(body);
        let contact_radius = match body.kind {
            Kind::Rod { radius, .. } => {
                Some(body.contact_thickness.map_or(radius, |thickness| 0.5 * thickness))
            }
            _ => None,
        };
        verify::Body {
            name: body.name.clone(),
            source,
            motion: prescribed,
            tied,
            rod: contact_radius,
        }
    }

    /// Names of the bodies of joints and seams, and of those to which attachments lead.
    fn connected_bodies(&self) -> BTreeSet<&str> {
        let joints = self.joints.iter().flat_map(|joint| {
            let (Joint::Ball { a, b, .. } | Joint::Hinge { a, b, .. }) = joint;
            [Some(a), b.as_ref()]
        });
        let seams = self.seams.iter().flat_map(|seam| [&seam.a.body, &seam.b.body]);
        let attachments = self.bodies.iter().flat_map(|body| &body.attach);
        let attached_to = attachments.filter_map(|attachment| attachment.to.as_ref());
        joints.flatten().chain(seams).chain(attached_to).map(String::as_str).collect()
    }
}

/// Whether a body has supports or terms (other than gravity and contact) that can restore its position.
fn is_tied(body: &Body) -> bool {
    let Body { hold, attach, terms, .. } = body;
    !hold.is_empty() || !attach.is_empty() || !terms.is_empty()
}

/// The rules for an obstacle: its shape, and whether it moves or deforms.
fn obstacle_rules(obstacle: &Obstacle) -> verify::Obstacle {
    let shape = match obstacle {
        Obstacle::Plane { point, normal, .. } => {
            verify::ObstacleShape::Plane { point: *point, normal: *normal }
        }
        Obstacle::Mesh { .. } | Obstacle::Shape { .. } => match obstacle.motion() {
            Some(description) => motion_rules(description)
                .map_or(verify::ObstacleShape::Deforming, verify::ObstacleShape::Moving),
            None => verify::ObstacleShape::Still,
        },
        Obstacle::Animated { .. } => verify::ObstacleShape::Deforming,
    };
    verify::Obstacle { name: obstacle.name().to_owned(), shape }
}

/// A prescribed motion as a rule; `None` for motions that follow an obstacle, and for displacements.
fn motion_rules(description: &MotionDescription) -> Option<verify::Motion> {
    Some(match description {
        MotionDescription::Follow(_) | MotionDescription::Displacement(_) => return None,
        MotionDescription::Fixed => verify::Motion::Fixed,
        MotionDescription::Move { velocity, angular_velocity, pivot, start, end } => {
            verify::Motion::Steady {
                velocity: *velocity,
                angular_velocity: *angular_velocity,
                pivot: pivot.unwrap_or_default(),
                start: *start,
                end: end.unwrap_or(f64::INFINITY),
            }
        }
        MotionDescription::Keys { keys, pivot, interpolation } => verify::Motion::Keys {
            keys: keys.iter().map(keyframe).collect(),
            pivot: pivot.unwrap_or_default(),
            interpolation: match interpolation {
                Interpolation::Linear => verify::Interpolation::Linear,
                Interpolation::Smooth => verify::Interpolation::Smooth,
            },
        },
    })
}

/// A key of a motion, with its rotation as a rotation vector in radians.
fn keyframe(key: &Key) -> verify::Key {
    let rotation_vector = key.rotate.map_or(Vec3::ZERO, |rotation| {
        Vec3::from_array(rotation.axis).normalize_or_zero() * rotation.degrees.to_radians()
    });
    verify::Key { time: key.time, translation: key.translate, rotation: rotation_vector.to_array() }
}
