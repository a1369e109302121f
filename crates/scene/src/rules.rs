//! The rules of a scene for `resile-verify`, as plain data.

use crate::description::{
    Body, Contact, ExpandedBody, Interpolation, Joint, Key, Kind, MotionDescription, Obstacle,
    Region, Scene,
};
use resile_math::Vec3;
use resile_verify as verify;
use std::collections::BTreeSet;

impl Scene {
    /// The rules of this scene: bodies and obstacles by name, which of them must not intersect, and prescribed motions. The
    /// scene must be free of errors ([`Scene::check`]); nothing is built.
    pub fn rules(&self) -> verify::Rules {
        let bodies = self.expand();
        let joined = self.joined();
        let changes = self.gravity_changes.iter().map(|change| change.gravity);
        let falls = changes.chain([self.gravity]).map(|g| Vec3::from_array(g).length());
        let contact = match &self.contact {
            Contact::Barrier { d_hat, exclude, .. } => {
                Some(verify::Contact { d_hat: *d_hat, off: exclude.clone() })
            }
            Contact::Off => None,
        };
        verify::Rules {
            bodies: bodies.iter().map(|body| self.body_rules(body, &joined)).collect(),
            obstacles: self.obstacles.iter().map(obstacle).collect(),
            skins: bodies.iter().filter(|body| body.body.shape.has_skin()).count(),
            contact,
            step: self.time.step.seconds(),
            gravity: falls.fold(0.0, f64::max),
        }
    }

    fn body_rules(&self, expanded: &ExpandedBody, joined: &BTreeSet<&str>) -> verify::Body {
        let ExpandedBody { source, body, .. } = expanded;
        let prescribed = match &body.hold[..] {
            [hold]
                if matches!(hold.region, Region::All)
                    && hold.until.is_none()
                    && hold.axes.is_none() =>
            {
                motion(&hold.motion)
            }
            _ => None,
        };
        let source = self.bodies[*source].name.clone();
        let by_joint = [&body.name, &source].iter().any(|name| joined.contains(name.as_str()));
        let tied = by_joint || is_tied(body);
        let rod = match body.kind {
            Kind::Rod { radius, .. } => {
                Some(body.contact_thickness.map_or(radius, |thickness| 0.5 * thickness))
            }
            _ => None,
        };
        verify::Body { name: body.name.clone(), source, motion: prescribed, tied, rod }
    }

    /// Names of bodies with joints, seams or attachments.
    fn joined(&self) -> BTreeSet<&str> {
        let of_joints = self.joints.iter().flat_map(|joint| {
            let (Joint::Ball { a, b, .. } | Joint::Hinge { a, b, .. }) = joint;
            [Some(a), b.as_ref()]
        });
        let of_seams = self.seams.iter().flat_map(|seam| [&seam.a.body, &seam.b.body]);
        let of_ties = self.bodies.iter().flat_map(|body| &body.attach);
        let of_ties = of_ties.filter_map(|attachment| attachment.to.as_ref());
        of_joints.flatten().chain(of_seams).chain(of_ties).map(String::as_str).collect()
    }
}

/// Whether a body has supports or terms (other than gravity and contact) that can restore its position.
fn is_tied(body: &Body) -> bool {
    let Body { hold, attach, terms, .. } = body;
    !hold.is_empty() || !attach.is_empty() || !terms.is_empty()
}

/// The rules for an obstacle: its shape, and whether it moves or deforms.
fn obstacle(obstacle: &Obstacle) -> verify::Obstacle {
    let shape = match obstacle {
        Obstacle::Plane { point, normal, .. } => {
            verify::ObstacleShape::Plane { point: *point, normal: *normal }
        }
        Obstacle::Mesh { .. } | Obstacle::Shape { .. } => match obstacle.motion() {
            Some(description) => motion(description)
                .map_or(verify::ObstacleShape::Deforming, verify::ObstacleShape::Moving),
            None => verify::ObstacleShape::Still,
        },
        Obstacle::Animated { .. } => verify::ObstacleShape::Deforming,
    };
    verify::Obstacle { name: obstacle.name().to_owned(), shape }
}

/// `None` for motions that follow an obstacle, and for displacements.
fn motion(description: &MotionDescription) -> Option<verify::Motion> {
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
            keys: keys.iter().map(key).collect(),
            pivot: pivot.unwrap_or_default(),
            interpolation: match interpolation {
                Interpolation::Linear => verify::Interpolation::Linear,
                Interpolation::Smooth => verify::Interpolation::Smooth,
            },
        },
    })
}

fn key(key: &Key) -> verify::Key {
    let rotation = key.rotate.map_or(Vec3::ZERO, |rotation| {
        Vec3::from_array(rotation.axis).normalize_or_zero() * rotation.degrees.to_radians()
    });
    verify::Key { time: key.time, translation: key.translate, rotation: rotation.to_array() }
}
