//! Interactive pulling of a body with the mouse: a damped spring.

use super::World;
use super::island::Solvers;
use resile_contact::Role;
use resile_energy::{Anchor, Attachment, AttachmentError, PointDrag, PointDragError, Spring};
use resile_system::{Motion, State, Vec3};
use std::sync::Arc;

/// Angular frequency (rad/s) of a body on the drag spring.
const DRAG_FREQUENCY: f64 = 20.0;

/// A drag spring from a point of a body to the position of the mouse, with critical damping of that point. Its
/// stiffness corresponds to an angular frequency of 20 rad/s for the mass of the body.
#[derive(Debug, Clone, PartialEq)]
pub struct Hand {
    /// The body.
    pub body: usize,
    /// The point of the body.
    pub point: Anchor,
    /// Positions of the mouse at the start and the end of the next step (m), with a straight path between.
    pub path: [Vec3; 2],
}

/// Error of a point that cannot be pulled.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum HandError {
    /// The body does not exist or is kinematic.
    #[error("body {body} cannot be pulled: it does not exist, or no force moves it")]
    Body {
        /// Index of the body.
        body: usize,
    },
    /// Invalid point of the body.
    #[error(transparent)]
    Point(#[from] AttachmentError),
    /// Invalid drag.
    #[error(transparent)]
    Drag(#[from] PointDragError),
}

/// The pulled point. Spring and drag of the hand are the last energy and the last dissipation of its body.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PulledPoint {
    body: usize,
    point: Anchor,
}

impl World {
    /// Pulls a point of a body during the next step, of length `h` (s), or releases it. The work of the hand is
    /// booked like that of any prescribed motion. When a hand grips or releases a point, the method restarts from
    /// the present state. A released spring takes its energy with it.
    ///
    /// # Errors
    /// If the point cannot be pulled; the world is then without a hand.
    pub fn pull(&mut self, hand: Option<Hand>, h: f64) -> Result<(), HandError> {
        let previous = self.pulled_point.take();
        if let Some(point) = &previous {
            let body = &mut self.members[point.body].body;
            body.energies.pop();
            body.dissipations.pop();
        }
        let current =
            hand.as_ref().map(|hand| PulledPoint { body: hand.body, point: hand.point.clone() });
        if previous != current {
            // Cached matrix patterns do not fit bodies with other terms.
            self.solvers = Solvers::new(&self.settings, &self.interrupt);
            let changed_points = previous.iter().chain(&current);
            changed_points.for_each(|point| self.clear_history(point.body));
        }
        let Some(hand) = hand else { return Ok(()) };
        let (spring, drag) = self.drag_terms(&hand, h)?;
        let body = &mut self.members[hand.body].body;
        body.energies.push(Arc::new(spring));
        body.dissipations.push(Arc::new(drag));
        self.pulled_point = current;
        Ok(())
    }

    /// The spring and the drag of a hand during the next step, of `h` seconds.
    fn drag_terms(&self, hand: &Hand, h: f64) -> Result<(Attachment, PointDrag), HandError> {
        let body_error = HandError::Body { body: hand.body };
        let member = self.members.get(hand.body).ok_or(body_error)?;
        if member.role != Role::Simulated {
            return Err(body_error);
        }
        let mass: f64 = member.body.masses.iter().sum();
        let [path_start, path_end] = hand.path;
        let time = member.state.time;
        let spring = Spring {
            point: hand.point.clone(),
            start: path_start,
            motion: Motion::Steady {
                start: time,
                end: time + h,
                velocity: (path_end - path_start) / h,
                angular_velocity: Vec3::ZERO,
                pivot: Vec3::ZERO,
            },
            stiffness: mass * DRAG_FREQUENCY * DRAG_FREQUENCY,
        };
        let nodes = member.body.node_count();
        let drag = PointDrag::new(nodes, hand.point.clone(), 2.0 * mass * DRAG_FREQUENCY)?;
        Ok((Attachment::new(nodes, vec![spring])?, drag))
    }

    /// Clears the history that methods keep of a body.
    fn clear_history(&mut self, body: usize) {
        if let Some(member) = self.members.get_mut(body) {
            let State { time, positions, velocities, internal, .. } = member.state.clone();
            member.state = State::new(time, positions, velocities).with_internal(internal);
        }
    }
}
