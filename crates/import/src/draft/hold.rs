//! Prescribed motions, and the nodes that have them.

use crate::pose::Turn;
use crate::ron::{Field, Ron, quoted, remove_rounding, word};

/// A selection of nodes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Region {
    All,
    Plane {
        point: [f64; 3],
        normal: [f64; 3],
    },
    Box {
        min: [f64; 3],
        max: [f64; 3],
    },
    Nodes(Vec<u32>),
    /// A named group of the mesh file.
    Group(String),
}

impl Region {
    /// The region in scene syntax.
    pub(crate) fn ron(&self) -> Ron {
        match self {
            Self::All => word("All"),
            Self::Plane { point, normal } => Ron::Struct(
                "Plane",
                vec![Field::new("point", *point), Field::new("normal", *normal)],
            ),
            Self::Box { min, max } => {
                Ron::Struct("Box", vec![Field::new("min", *min), Field::new("max", *max)])
            }
            Self::Nodes(nodes) => {
                let nodes = nodes.iter().map(|node| Ron::from(*node as usize)).collect();
                Ron::Tagged("Nodes", Box::new(Ron::List(nodes)))
            }
            Self::Group(name) => Ron::Tagged("Group", Box::new(quoted(name))),
        }
    }
}

/// A keyframe: translation (m) and rotation relative to the start at a time (s).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Key {
    pub(crate) time: f64,
    pub(crate) translate: [f64; 3],
    pub(crate) turn: Option<Turn>,
}

/// A prescribed motion.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Motion {
    Fixed,
    /// A translation with a velocity (m/s) and a rotation about `pivot` (m) with an angular velocity (rad/s), until the
    /// time `end` (s), or for the whole simulation if it is `None`.
    Move {
        velocity: [f64; 3],
        angular_velocity: [f64; 3],
        pivot: [f64; 3],
        end: Option<f64>,
    },
    /// Linear interpolation between keyframes, whose rotations are about `pivot` (m).
    Keys {
        keys: Vec<Key>,
        pivot: Option<[f64; 3]>,
    },
    /// Expressions of the displacement (m) by the position at rest and time, in scene syntax.
    Displacement(Ron),
}

impl Motion {
    /// A motion with a constant velocity (m/s), or `Fixed` if the velocity is zero.
    pub(crate) fn moving(velocity: [f64; 3]) -> Self {
        match velocity == [0.0; 3] {
            true => Self::Fixed,
            false => {
                Self::Move { velocity, angular_velocity: [0.0; 3], pivot: [0.0; 3], end: None }
            }
        }
    }

    /// The motion in scene syntax.
    pub(crate) fn ron(&self) -> Ron {
        match self {
            Self::Fixed => word("Fixed"),
            Self::Displacement(displacement) => {
                Ron::Tagged("Displacement", Box::new(displacement.clone()))
            }
            Self::Move { velocity, angular_velocity, pivot, end } => {
                let mut fields = Vec::new();
                if *velocity != [0.0; 3] {
                    fields.push(Field::new("velocity", *velocity));
                }
                if *angular_velocity != [0.0; 3] {
                    fields.push(Field::new("angular_velocity", *angular_velocity));
                    fields.push(Field::new("pivot", remove_rounding(*pivot)));
                }
                fields.extend(end.map(|end| Field::new("end", end)));
                Ron::Struct("Move", fields)
            }
            Self::Keys { keys, pivot } => {
                let key = |key: &Key| {
                    let mut fields = vec![Field::new("time", key.time)];
                    if key.translate != [0.0; 3] {
                        fields.push(Field::new("translate", remove_rounding(key.translate)));
                    }
                    fields.extend(key.turn.map(|turn| Field::new("rotate", turn.ron())));
                    Ron::Struct("", fields)
                };
                let mut fields =
                    vec![Field::new("keys", Ron::List(keys.iter().map(key).collect()))];
                fields.extend(pivot.map(|pivot| Field::new("pivot", remove_rounding(pivot))));
                fields.push(Field::new("interpolation", word("Linear")));
                Ron::Struct("Keys", fields)
            }
        }
    }
}

/// Nodes with a prescribed motion (Dirichlet condition).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hold {
    pub(crate) region: Region,
    pub(crate) motion: Motion,
    /// Time (s) at which the nodes are released; `None` for the whole simulation.
    pub(crate) until: Option<f64>,
    /// Whether the components along x, y and z are prescribed.
    pub(crate) axes: [bool; 3],
    /// Comment on the region.
    pub(crate) comment: Option<String>,
}

impl Hold {
    /// A hold of all components for the whole simulation.
    pub(crate) fn new(region: Region, motion: Motion) -> Self {
        Self { region, motion, until: None, axes: [true; 3], comment: None }
    }

    /// The hold in scene syntax; `axes` is left out if all components are prescribed.
    pub(super) fn ron(&self) -> Ron {
        let mut region = Field::new("region", self.region.ron());
        region.comment.clone_from(&self.comment);
        let mut fields = vec![region, Field::new("motion", self.motion.ron())];
        fields.extend(self.until.map(|until| Field::new("until", until)));
        if self.axes != [true; 3] {
            let prescribed =
                "xyz".chars().zip(self.axes).filter(|(_, is_prescribed)| *is_prescribed);
            let axes: String = prescribed.map(|(axis, _)| axis).collect();
            fields.push(Field::new("axes", quoted(&axes)));
        }
        Ron::Struct("", fields)
    }
}
