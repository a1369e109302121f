//! A scene under construction, and its conversion to text.

use crate::pose::{Pose, Turn};
use crate::ron::{Field, Ron, format_number, quoted, remove_rounding, rounded, word, wrapped};
use std::fmt::Write as _;

/// Relative precision to which contact parameters and tolerances are written.
pub(crate) const RELATIVE_PRECISION: f64 = 1e-6;
/// Number of characters of a comment line, without the slashes.
const COMMENT_WIDTH: usize = 97;

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
    fn ron(&self) -> Ron {
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

/// An elastic body from a mesh file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DraftBody {
    pub(crate) name: String,
    /// Comment on the name.
    pub(crate) comment: Option<String>,
    /// Path of the mesh, relative to the scene file.
    pub(crate) file: String,
    /// Whether the elements are quadratic; otherwise they are linear, with lumped masses.
    pub(crate) quadratic: bool,
    /// Name of the material.
    pub(crate) material: String,
    /// Names of mesh groups and of their materials.
    pub(crate) group_materials: Vec<(String, String)>,
    pub(crate) pose: Pose,
    /// Initial velocity (m/s).
    pub(crate) velocity: [f64; 3],
    /// Initial angular velocity (rad/s).
    pub(crate) angular_velocity: [f64; 3],
    /// Expressions of the initial velocity (m/s) by the position, in scene syntax.
    pub(crate) velocity_field: Option<Ron>,
    /// Expressions of the initial displacement (m) by the position, in scene syntax.
    pub(crate) displacement: Option<Ron>,
    pub(crate) friction: f64,
    pub(crate) holds: Vec<Hold>,
    /// Loads and other energy terms, in scene syntax.
    pub(crate) terms: Vec<Ron>,
    /// Damping terms, in scene syntax.
    pub(crate) damping: Vec<Ron>,
    /// Counts and spacing (m) of a grid of copies.
    pub(crate) grid: Option<([u32; 3], [f64; 3])>,
}

impl DraftBody {
    /// The body in scene syntax. The coefficient of friction is left out if the scene has no contact.
    fn ron(&self, has_contact: bool) -> Ron {
        let mut fields = self.shape_and_material();
        fields.extend(self.initial_state());
        if has_contact {
            fields.push(Field::new("friction", self.friction));
        }
        let lists = [
            ("hold", self.holds.iter().map(Hold::ron).collect::<Vec<_>>()),
            ("terms", self.terms.clone()),
            ("damping", self.damping.clone()),
        ];
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        fields.extend(lists.map(|(name, list)| Field::new(name, list)));
        if let Some((counts, spacing)) = self.grid {
            let counts = counts.map(|count| count.to_string()).join(", ");
            let grid = vec![
                Field::new("counts", Ron::Raw(format!("({counts})"))),
                Field::new("spacing", remove_rounding(spacing)),
            ];
            fields.push(Field::new("repeat", Ron::Struct("Grid", grid)));
        }
        Ron::Struct("", fields)
    }

    /// The fields of the name, the mesh and the materials.
    fn shape_and_material(&self) -> Vec<Field> {
        let mut name = Field::new("name", quoted(&self.name));
        name.comment.clone_from(&self.comment);
        let shape = Ron::Tagged("File", Box::new(quoted(&self.file)));
        let mut fields = vec![name, Field::new("shape", shape)];
        match self.quadratic {
            true => fields.push(Field::new("elements", word("Quadratic"))),
            false => fields.push(Field::new("masses", word("Lumped"))),
        }
        fields.push(Field::new("material", quoted(&self.material)));
        if !self.group_materials.is_empty() {
            let groups = self.group_materials.iter();
            let groups = groups.map(|(group, material)| (group.clone(), quoted(material)));
            fields.push(Field::new("group_materials", Ron::Map(groups.collect())));
        }
        fields
    }

    /// The fields of the placement, the initial velocity and the initial displacement, without those that are zero.
    fn initial_state(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        fields.extend(self.pose.ron().map(|pose| Field::new("placement", pose)));
        for (name, value) in
            [("velocity", self.velocity), ("angular_velocity", self.angular_velocity)]
        {
            if value != [0.0; 3] {
                fields.push(Field::new(name, value));
            }
        }
        if let Some(velocity) = &self.velocity_field {
            let field = Ron::Tagged("Expression", Box::new(velocity.clone()));
            fields.push(Field::new("velocity_field", field));
        }
        fields.extend(
            self.displacement.clone().map(|displacement| Field::new("displacement", displacement)),
        );
        fields
    }
}

/// Shape of an obstacle.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DraftShape {
    /// A plane through `point` (m).
    Plane {
        point: [f64; 3],
        normal: [f64; 3],
    },
    Mesh {
        file: String,
        pose: Pose,
        motion: Motion,
    },
    /// A mesh with prescribed positions. `frames` is the path of the frames, with `#` in place of digits of the frame
    /// number; `frame_rate` is their number per second and `start` the time (s) of the first.
    Animated {
        file: String,
        pose: Pose,
        frames: String,
        frame_rate: f64,
        start: f64,
    },
}

/// An obstacle: a surface with prescribed positions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DraftObstacle {
    pub(crate) name: String,
    pub(crate) shape: DraftShape,
    pub(crate) friction: f64,
}

impl DraftObstacle {
    /// The obstacle in scene syntax. The motion of a fixed mesh and a start at time 0 are left out.
    fn ron(&self) -> Ron {
        let mut fields = vec![Field::new("name", quoted(&self.name))];
        let friction = Field::new("friction", self.friction);
        match &self.shape {
            DraftShape::Plane { point, normal } => {
                fields.push(Field::new("point", *point));
                fields.push(Field::new("normal", *normal));
                fields.push(friction);
                Ron::Struct("Plane", fields)
            }
            DraftShape::Mesh { file, pose, motion } => {
                fields.push(Field::new("file", quoted(file)));
                fields.extend(pose.ron().map(|pose| Field::new("placement", pose)));
                fields.push(friction);
                if *motion != Motion::Fixed {
                    fields.push(Field::new("motion", motion.ron()));
                }
                Ron::Struct("Mesh", fields)
            }
            DraftShape::Animated { file, pose, frames, frame_rate, start } => {
                fields.push(Field::new("file", quoted(file)));
                fields.push(Field::new("frames", quoted(frames)));
                fields.push(Field::new("frame_rate", *frame_rate));
                if *start != 0.0 {
                    fields.push(Field::new("start", *start));
                }
                fields.push(Field::new("interpolation", word("Linear")));
                fields.push(Field::new("after", word("Hold")));
                fields.extend(pose.ron().map(|pose| Field::new("placement", pose)));
                fields.push(friction);
                Ron::Struct("Animated", fields)
            }
        }
    }
}

/// Contact parameters: barrier and friction.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DraftContact {
    /// Distance (m) below which contact forces act.
    pub(crate) d_hat: f64,
    pub(crate) d_hat_comment: Option<String>,
    /// Stiffness (Pa) of the barrier.
    pub(crate) kappa: f64,
    pub(crate) kappa_comment: String,
    /// Whether a vertex near several triangles is counted once.
    pub(crate) improved_max: bool,
    /// Speed (m/s) below which friction is smaller than its limit.
    pub(crate) slip_speed: f64,
    /// Rule that combines two coefficients of friction, in scene syntax.
    pub(crate) friction_rule: &'static str,
    /// Names of two bodies or obstacles with the coefficient of friction between them.
    pub(crate) pairs: Vec<(String, String, f64)>,
    /// Names of two bodies without contact between them.
    pub(crate) excluded: Vec<(String, String)>,
}

impl DraftContact {
    /// The contact settings in scene syntax.
    fn ron(&self) -> Ron {
        let mut d_hat = Field::new("d_hat", rounded(self.d_hat, RELATIVE_PRECISION * self.d_hat));
        d_hat.comment.clone_from(&self.d_hat_comment);
        let mut fields = vec![
            d_hat,
            Field::new("kappa", self.kappa).with_comment(&self.kappa_comment),
            Field::new(
                "slip_speed",
                rounded(self.slip_speed, RELATIVE_PRECISION * self.slip_speed),
            ),
            Field::new("friction_rule", word(self.friction_rule)),
        ];
        let pair = |(a, b, friction): &(String, String, f64)| {
            let named = [("a", quoted(a)), ("b", quoted(b)), ("friction", Ron::from(*friction))];
            Ron::Struct("", named.map(|(name, value)| Field::new(name, value)).to_vec())
        };
        if !self.pairs.is_empty() {
            fields.push(Field::new("pairs", Ron::List(self.pairs.iter().map(pair).collect())));
        }
        let pair_of_names = |(a, b): &(String, String)| {
            Ron::Raw(format!("({}, {})", quoted(a).printed(0), quoted(b).printed(0)))
        };
        if !self.excluded.is_empty() {
            fields.push(Field::new(
                "exclude",
                Ron::List(self.excluded.iter().map(pair_of_names).collect()),
            ));
        }
        fields.push(
            Field::new("start", word("AsPlaced"))
                .with_comment("Bodies start where they are placed, as in the source."),
        );
        if !self.improved_max {
            fields.push(
                Field::new("improved_max", word("false")).with_comment(
                    "A vertex counts once for each triangle near it, as in the source.",
                ),
            );
        }
        Ron::Struct("Barrier", fields)
    }
}

/// A complete scene.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Draft {
    /// Introductory paragraphs at the top of the file.
    pub(crate) head: Vec<String>,
    /// Names of materials, with the materials in scene syntax.
    pub(crate) materials: Vec<(String, Ron)>,
    pub(crate) bodies: Vec<DraftBody>,
    /// Acceleration (m/s^2) of gravity.
    pub(crate) gravity: [f64; 3],
    pub(crate) obstacles: Vec<DraftObstacle>,
    pub(crate) contact: Option<DraftContact>,
    /// Kind of analysis; `None` for a simulation in time.
    pub(crate) analysis: Option<Ron>,
    pub(crate) integrator: Ron,
    /// Length of a time step (s).
    pub(crate) step: f64,
    pub(crate) step_comment: Option<String>,
    /// Simulated time (s).
    pub(crate) duration: f64,
    pub(crate) solver: Vec<Field>,
    /// Frames per second of the output.
    pub(crate) frame_rate: f64,
    pub(crate) probes: Vec<Ron>,
}

impl Draft {
    /// Text of the scene file. Its comments at the top are the introductory paragraphs and `notes`.
    pub(crate) fn text(&self, notes: &[String]) -> String {
        let notes = notes.iter().map(|note| format!("Substituted: {note}."));
        let mut text = String::new();
        for paragraph in self.head.iter().cloned().chain(notes) {
            for line in wrapped(&paragraph, COMMENT_WIDTH) {
                let _ = writeln!(text, "// {line}");
            }
        }
        let fields = [self.problem(), self.method()].concat();
        text + &Ron::Struct("", fields).in_lines(0) + "\n"
    }

    /// The fields of the version, materials, bodies, obstacles and contact.
    fn problem(&self) -> Vec<Field> {
        let has_contact = self.contact.is_some();
        let bodies = self.bodies.iter().map(|body| body.ron(has_contact)).collect();
        let mut fields = vec![
            Field::new("version", word("2")),
            Field::new("materials", Ron::Map(self.materials.clone())),
            Field::new("bodies", Ron::List(bodies)),
            Field::new("gravity", self.gravity),
        ];
        if !self.obstacles.is_empty() {
            let obstacles = self.obstacles.iter().map(DraftObstacle::ron).collect();
            fields.push(Field::new("obstacles", Ron::List(obstacles)));
        }
        let contact = self.contact.as_ref().map_or_else(|| word("Off"), DraftContact::ron);
        fields.push(Field::new("contact", contact));
        fields
    }

    /// The fields of the analysis, integrator, time, solver and output.
    fn method(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        fields.extend(self.analysis.clone().map(|analysis| Field::new("analysis", analysis)));
        if self.analysis.is_none() {
            fields.push(Field::new("flight", word("Plain")).with_comment(
                "Bodies fall by the integrator, as in the source, and not on the exact parabola.",
            ));
        }
        fields.push(Field::new("integrator", self.integrator.clone()));
        let mut step = Field::new("step", self.step);
        step.comment.clone_from(&self.step_comment);
        let time = Ron::Struct("", vec![step, Field::new("duration", self.duration)]);
        fields.push(Field::new("time", time));
        if !self.solver.is_empty() {
            fields.push(Field::new("solver", Ron::Struct("", self.solver.clone())));
        }
        let frame_rate = Field::new("frame_rate", Ron::Raw(format_number(self.frame_rate)));
        let mut output = vec![frame_rate];
        if !self.probes.is_empty() {
            output.push(Field::new("probes", Ron::List(self.probes.clone())));
        }
        fields.push(Field::new("output", Ron::Struct("", output)));
        fields
    }
}
