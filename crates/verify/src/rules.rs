//! What a run promised, as plain data: the pairs that must stay apart, and the prescribed nodes.

use crate::motion::Motion;

/// What is known of a run beside its frames. Lengths in metres, times in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// All bodies, in the order of the frames.
    pub bodies: Vec<Body>,
    /// All obstacles, in the order of their numbers in `obstacles.vtu`, which follow those of what
    /// is in frames.
    pub obstacles: Vec<Obstacle>,
    /// How many bodies are drawn as something else than what touches, which is numbered after all
    /// else and not looked at.
    pub skins: usize,
    /// What contact promises; none if it is off.
    pub contact: Option<Contact>,
    /// The step, which is the longest time between two frames of which anything is claimed.
    pub step: f64,
    /// The largest acceleration of free fall during the run (m/s^2).
    pub gravity: f64,
}

/// What contact promises.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// The distance at which contact sets in.
    pub d_hat: f64,
    /// Pairs that may pass through each other: names of bodies, of their sources, or of
    /// obstacles.
    pub off: Vec<(String, String)>,
}

/// A body.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Its own name.
    pub name: String,
    /// The name of all its copies together; the same if it is none.
    pub source: String,
    /// The motion of all its nodes, if one is prescribed for all of them.
    pub motion: Option<Motion>,
    /// Whether something other than gravity and contact can bring it back: it is held,
    /// attached, jointed or under forces.
    pub tied: bool,
    /// Of a rod: how far it reaches to all sides of its axis, which is what frames show. None of other
    /// lines, which are springs and touch nothing.
    pub rod: Option<f64>,
}

/// An obstacle.
#[derive(Debug, Clone, PartialEq)]
pub struct Obstacle {
    /// Its name.
    pub name: String,
    /// What it is.
    pub shape: ObstacleShape,
}

/// What an obstacle is.
#[derive(Debug, Clone, PartialEq)]
pub enum ObstacleShape {
    /// A half space.
    Plane {
        /// A point of its boundary.
        point: [f64; 3],
        /// To where bodies are; of any length but zero.
        normal: [f64; 3],
    },
    /// A surface that stands still, as `obstacles.vtu` has it.
    Still,
    /// A surface that moves, drawn after the bodies in every frame.
    Moving(Motion),
    /// A surface whose points go each its own way, drawn after the bodies in every frame.
    Deforming,
}

impl Obstacle {
    /// How it moves, if it does.
    pub(crate) fn motion(&self) -> Option<&Motion> {
        match &self.shape {
            ObstacleShape::Moving(motion) => Some(motion),
            ObstacleShape::Plane { .. } | ObstacleShape::Still | ObstacleShape::Deforming => None,
        }
    }

    /// Whether it is drawn in every frame.
    pub(crate) fn is_drawn(&self) -> bool {
        matches!(self.shape, ObstacleShape::Moving(_) | ObstacleShape::Deforming)
    }
}

/// Names of all bodies and, after them, obstacles, and the pairs that are let through.
#[derive(Debug)]
pub(crate) struct Colliders {
    names: Vec<String>,
    /// For each pair that is switched off: the surfaces of its first and of its second name.
    off: Vec<[Vec<bool>; 2]>,
    /// Number of bodies; obstacles, those that move first, are numbered after them.
    bodies: usize,
}

impl Colliders {
    pub(crate) fn of(rules: &Rules, contact: &Contact) -> Self {
        let copies = rules.bodies.iter().map(|body| [body.name.as_str(), body.source.as_str()]);
        let named = |obstacle: &'_ Obstacle| [obstacle.name.clone(), obstacle.name.clone()];
        // Obstacles that move are drawn as bodies.
        let moving = rules.obstacles.iter().filter(|o| o.is_drawn()).map(named);
        let obstacles = rules.obstacles.iter().map(named);
        let copies = copies.map(|names| names.map(str::to_owned));
        let all: Vec<[String; 2]> = copies.chain(moving).chain(obstacles).collect();
        let meant = |name: &String| all.iter().map(|known| known.contains(name)).collect();
        Self {
            off: contact.off.iter().map(|(a, b)| [meant(a), meant(b)]).collect(),
            names: all.iter().map(|[own, _]| own.clone()).collect(),
            bodies: rules.bodies.len(),
        }
    }

    pub(crate) fn name(&self, collider: u32) -> &str {
        &self.names[collider as usize]
    }

    /// Whether these two, which may be the same, must not pass through each other.
    /// Obstacles may stand in one another.
    pub(crate) fn apart(&self, a: u32, b: u32) -> bool {
        let (a, b) = (a as usize, b as usize);
        let off = self.off.iter().any(|[x, y]| (x[a] && y[b]) || (x[b] && y[a]));
        !off && a.min(b) < self.bodies
    }
}
