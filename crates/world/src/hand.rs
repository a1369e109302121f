//! Interactive pulling of a body with the mouse: a damped spring.

use super::World;
use super::island::Solvers;
use resile_contact::Role;
use resile_energy::{Anchor, Attachment, AttachmentError, PointDrag, PointDragError, Spring};
use resile_system::{Motion, State, Vec3};

/// Angular frequency (rad/s) of a body that hangs on the spring.
const FREQUENCY: f64 = 20.0;

/// A spring from a point of a body to the position of the mouse, with critical damping of that point. The stiffness
/// gives the mass of the body an angular frequency of 20 rad/s.
#[derive(Debug, Clone, PartialEq)]
pub struct Hand {
    /// The body.
    pub body: usize,
    /// The point of the body.
    pub point: Anchor,
    /// Positions of the mouse at the start and the end of the next step (m), with a straight path between.
    pub path: [Vec3; 2],
}

/// Why a point cannot be pulled.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum HandError {
    /// The body does not exist, or its motion is prescribed.
    #[error("body {body} cannot be pulled: it is none that moves by forces")]
    Body {
        /// Its number.
        body: usize,
    },
    /// It is no point of the body.
    #[error(transparent)]
    Point(#[from] AttachmentError),
    /// The drag is none.
    #[error(transparent)]
    Drag(#[from] PointDragError),
}

/// The body that is held; the terms of the hand are the last ones of that body.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Held {
    body: usize,
    point: Anchor,
}

impl World {
    /// Holds a point of a body in a hand during the next step, of length `h` (s), or lets go. The work of the
    /// hand is in the ledger as that of every prescribed motion. Where a hand takes hold or lets go, the
    /// method begins anew from the present state: a spring that is let go takes its energy with it.
    ///
    /// # Errors
    /// If there is nothing to hold; the world is then without a hand.
    pub fn pull(&mut self, hand: Option<Hand>, h: f64) -> Result<(), HandError> {
        let before = self.held.take();
        if let Some(held) = &before {
            let body = &mut self.members[held.body].body;
            body.energies.pop();
            body.dissipations.pop();
        }
        let now = hand.as_ref().map(|hand| Held { body: hand.body, point: hand.point.clone() });
        if before != now {
            // What is remembered of matrices does not fit bodies with other terms.
            self.solvers = Solvers::new(&self.settings, &self.interrupt);
            [&before, &now].into_iter().flatten().for_each(|held| self.begin_anew(held.body));
        }
        let Some(hand) = hand else { return Ok(()) };
        let (spring, drag) = self.grip(&hand, h)?;
        let body = &mut self.members[hand.body].body;
        body.energies.push(Box::new(spring));
        body.dissipations.push(Box::new(drag));
        self.held = now;
        Ok(())
    }

    /// The terms of a hand.
    fn grip(&self, hand: &Hand, h: f64) -> Result<(Attachment, PointDrag), HandError> {
        let no_body = HandError::Body { body: hand.body };
        let member = self.members.get(hand.body).ok_or(no_body)?;
        if member.role != Role::Simulated {
            return Err(no_body);
        }
        let mass: f64 = member.body.masses.iter().sum();
        let [start, end] = hand.path;
        let begin = member.state.time;
        let spring = Spring {
            point: hand.point.clone(),
            start,
            motion: Motion::Steady {
                start: begin,
                end: begin + h,
                velocity: (end - start) / h,
                angular_velocity: Vec3::ZERO,
                pivot: Vec3::ZERO,
            },
            stiffness: mass * FREQUENCY * FREQUENCY,
        };
        let nodes = member.body.node_count();
        let drag = PointDrag::new(nodes, hand.point.clone(), 2.0 * mass * FREQUENCY)?;
        Ok((Attachment::new(nodes, vec![spring])?, drag))
    }

    /// Forgets what methods remember of a body's past.
    fn begin_anew(&mut self, body: usize) {
        if let Some(member) = self.members.get_mut(body) {
            let State { time, positions, velocities, internal, .. } = member.state.clone();
            member.state = State::new(time, positions, velocities).with_internal(internal);
        }
    }
}
