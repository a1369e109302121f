//! Rules of a run, as plain data: pairs that must not intersect, and prescribed motions.

use crate::motion::Motion;

/// The rules of a run. Lengths in metres, times in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// All bodies, in the order of the frames.
    pub bodies: Vec<Body>,
    /// All obstacles, in the order of their numbers in `obstacles.vtu`, which follow those of the bodies in
    /// frames.
    pub obstacles: Vec<Obstacle>,
    /// Number of skins (drawn in place of bodies), which are numbered last and not tested.
    pub skins: usize,
    /// Contact parameters; `None` if contact is off.
    pub contact: Option<Contact>,
    /// Time step: the longest tested time between two frames.
    pub step: f64,
    /// Largest acceleration of free fall during the run (m/s^2).
    pub gravity: f64,
}

/// Contact parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Activation distance of contact.
    pub d_hat: f64,
    /// Pairs that may pass through each other: names of bodies, of their sources, or of obstacles.
    pub off: Vec<(String, String)>,
}

/// A body.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Name of the body.
    pub name: String,
    /// Common name of all copies of the body; its own name if it is not a copy.
    pub source: String,
    /// Motion of all its nodes, if one motion is prescribed for all of them.
    pub motion: Option<Motion>,
    /// Whether terms other than gravity and contact act on it (holds, attachments, joints, forces), which can
    /// return it after a collision.
    pub tied: bool,
    /// Radius of a rod around its axis, as drawn in frames; `None` for other lines, which are springs without
    /// contact.
    pub rod: Option<f64>,
}

/// An obstacle.
#[derive(Debug, Clone, PartialEq)]
pub struct Obstacle {
    /// Name of the obstacle.
    pub name: String,
    /// Shape and motion.
    pub shape: ObstacleShape,
}

/// Shape and motion of an obstacle.
#[derive(Debug, Clone, PartialEq)]
pub enum ObstacleShape {
    /// A half space.
    Plane {
        /// A point on its boundary.
        point: [f64; 3],
        /// Direction towards the bodies, of any nonzero length.
        normal: [f64; 3],
    },
    /// A fixed surface, from `obstacles.vtu`.
    Still,
    /// A rigidly moving surface, drawn after the bodies in every frame.
    Moving(Motion),
    /// A deforming surface, drawn after the bodies in every frame.
    Deforming,
}

impl Obstacle {
    /// Prescribed motion, if it moves rigidly.
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

/// Names of all bodies and then obstacles, and the exempt pairs.
#[derive(Debug)]
pub(crate) struct Colliders {
    names: Vec<String>,
    /// For each exempt pair, flags of the colliders with its first and with its second name.
    exempt: Vec<[Vec<bool>; 2]>,
    /// Number of bodies; obstacles are numbered after them, moving ones first.
    bodies: usize,
}

impl Colliders {
    /// The colliders of a run, in the order of their indices in frames.
    pub(crate) fn new(rules: &Rules, contact: &Contact) -> Self {
        let copies = rules.bodies.iter().map(|body| [body.name.as_str(), body.source.as_str()]);
        let names_of_obstacle =
            |obstacle: &'_ Obstacle| [obstacle.name.clone(), obstacle.name.clone()];
        // Moving obstacles are drawn like bodies.
        let moving = rules.obstacles.iter().filter(|o| o.is_drawn()).map(names_of_obstacle);
        let obstacles = rules.obstacles.iter().map(names_of_obstacle);
        let copies = copies.map(|names| names.map(str::to_owned));
        let names: Vec<[String; 2]> = copies.chain(moving).chain(obstacles).collect();
        let matches = |name: &String| names.iter().map(|known| known.contains(name)).collect();
        Self {
            exempt: contact.off.iter().map(|(a, b)| [matches(a), matches(b)]).collect(),
            names: names.iter().map(|[name_of_body, _]| name_of_body.clone()).collect(),
            bodies: rules.bodies.len(),
        }
    }

    /// Name of a collider.
    pub(crate) fn name(&self, collider: u32) -> &str {
        &self.names[collider as usize]
    }

    /// Whether these two colliders, possibly equal, must not intersect. Obstacles may intersect each other.
    pub(crate) fn apart(&self, a: u32, b: u32) -> bool {
        let (a, b) = (a as usize, b as usize);
        let is_exempt = self.exempt.iter().any(|[x, y]| (x[a] && y[b]) || (x[b] && y[a]));
        !is_exempt && a.min(b) < self.bodies
    }
}
