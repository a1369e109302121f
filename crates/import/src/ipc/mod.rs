//! Scripts of IPC (Li et al. 2020), `.txt`.

mod animation;
mod dirichlet;
mod motion;
mod obstacles;
mod parser;
mod place;
mod script;

use crate::GeneratedMesh;
use crate::draft::{Draft, DraftBody, DraftContact, DraftObstacle, Motion, RELATIVE_PRECISION};
use crate::meshes::relative_path;
use crate::naming::Names;
use crate::pose::Pose;
use crate::refusal::Findings;
use crate::ron::{Field, Ron, rounded, word};
use animation::{AnimationEffects, Animator};
use place::PlacedShape;
use resile_math::{Aabb, Vec3};
use script::{Script, TUNING_D_HAT, TUNING_EPS_V};
use std::path::Path;

/// Acceleration of free fall (m/s^2) in the source.
const GRAVITY: f64 = 9.80665;
/// Number of friction iterations that replaces an unlimited number.
const MAX_FRICTION_ITERATIONS: usize = 20;
/// Largest number of frames per second of an imported scene.
const MAX_FRAME_RATE: f64 = 60.0;
/// Part of the way of moved nodes that may remain at the end of a step of the source, which moves them on until they
/// have gone 99.9 % of it (root mean squares, `computeCompletedStepSize`).
const DIRICHLET_TOLERANCE: f64 = 1e-3;
/// Relative distance of the source where `tuning` has fewer values.
const DEFAULT_RELATIVE_DISTANCE: f64 = 1e-3;

/// Density (kg/m^3), Young's modulus (Pa) and Poisson's ratio of a material.
type Constants = [f64; 3];

/// Whether a text is a script: one of its lines begins with a keyword for shapes.
pub(crate) fn is_script(text: &str) -> bool {
    let first_word = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let keywords = ["shapes", "shape", "shapeMatrix"];
    text.lines().filter_map(first_word).any(|word| keywords.contains(&word.as_str()))
}

/// Converts the `text` of a script to a scene whose paths are relative to the folder `base`, and generated meshes.
/// Meshes are found relative to the script `file`.
pub(crate) fn read(
    file: &Path,
    text: &str,
    base: &Path,
    findings: &mut Findings,
) -> (Draft, Vec<GeneratedMesh>) {
    let script = parser::parse(file, text, findings);
    let shapes = place::place_shapes(file, &script, findings);
    let effects = Animator::new(file, &script, &shapes).apply(findings);
    ScriptWriter {
        file,
        base,
        script: &script,
        shapes: &shapes,
        effects,
        names: Names::default(),
        files: Vec::new(),
        findings,
    }
    .into_draft()
}

/// Converts a parsed script to the draft of a scene.
struct ScriptWriter<'a> {
    /// The script.
    file: &'a Path,
    /// Folder to which the paths of the scene are relative.
    base: &'a Path,
    script: &'a Script,
    shapes: &'a [PlacedShape<'a>],
    effects: AnimationEffects,
    names: Names,
    /// Generated meshes.
    files: Vec<GeneratedMesh>,
    findings: &'a mut Findings,
}

impl ScriptWriter<'_> {
    /// Converts the script to the draft of a scene. Shapes with prescribed motion, mesh objects and half spaces become
    /// obstacles, the other shapes bodies. Refuses scripts without a body.
    fn into_draft(mut self) -> (Draft, Vec<GeneratedMesh>) {
        let mut materials: Vec<(String, Constants)> = Vec::new();
        let (bodies, mut obstacles) = self.bodies_and_obstacles(&mut materials);
        for object_index in 0..self.script.objects.len() {
            obstacles.extend(self.object_obstacle(object_index));
        }
        obstacles.extend(self.planes());
        if bodies.is_empty() && self.findings.refusals.is_empty() {
            let reason = "there is no body: no shape is a solid that can move";
            self.findings.refuse(self.file, None, reason);
        }
        let diagonal = self.bounding_box_diagonal();
        let contact = self.contact(&bodies, &obstacles, &materials, diagonal);
        let solver = self.solver(diagonal, &bodies);
        let script = self.script;
        let materials = materials.into_iter().map(|(name, constants)| {
            let material = material(script, constants);
            (name, material)
        });
        let file_name =
            self.file.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
        let draft = Draft {
            head: vec![format!("The IPC script {file_name}, imported.")],
            materials: materials.collect(),
            bodies,
            gravity: [0.0, if script.gravity { -GRAVITY } else { 0.0 }, 0.0],
            obstacles,
            contact,
            analysis: None,
            integrator: integrator(script),
            step: script.step,
            step_comment: None,
            duration: script.duration,
            solver,
            probes: Vec::new(),
            frame_rate: (1.0 / script.step).min(MAX_FRAME_RATE),
        };
        (draft, self.files)
    }

    /// Converts the shapes to bodies and obstacles; copies of one obstacle become one. New materials are added to
    /// `materials`.
    fn bodies_and_obstacles(
        &mut self,
        materials: &mut Vec<(String, Constants)>,
    ) -> (Vec<DraftBody>, Vec<DraftObstacle>) {
        let (mut bodies, mut obstacles) = (Vec::new(), Vec::new());
        let mut shape_index = 0;
        while shape_index < self.shapes.len() {
            let mut count = 1;
            match self.prescribed_motion(shape_index) {
                Some(motion) => {
                    count = self.count_copies(shape_index, &motion);
                    obstacles.push(self.shape_obstacle(shape_index..shape_index + count, motion));
                }
                None => bodies.push(self.body(shape_index, materials)),
            }
            shape_index += count;
        }
        (bodies, obstacles)
    }

    /// Returns the diagonal (m) of the bounding box of all solids before the animation, by which the source scales
    /// relative distances and tolerances; 1 m without solids.
    fn bounding_box_diagonal(&self) -> f64 {
        let solids = self.shapes.iter().filter(|shape| shape.is_solid());
        let bounds = solids.map(PlacedShape::bounds).fold(Aabb::EMPTY, Aabb::joined);
        if bounds.min.x <= bounds.max.x { bounds.size().length() } else { 1.0 }
    }

    /// Returns the value with which a time step of the source ends, a distance (m) or a speed (m/s), relative to the
    /// diagonal of the solids unless the script has absolute parameters. `tuning` has the first value at `index`, and
    /// then the last one, to which the source reduces the first within each step if it is larger.
    fn tuning(&self, index: usize) -> f64 {
        let value = |index: usize| {
            self.script.tuning.get(index).copied().unwrap_or(DEFAULT_RELATIVE_DISTANCE)
        };
        value(index).min(value(index + 1))
    }

    /// Returns the distance (m) or speed (m/s) at an index of `tuning`. Relative values are multiplied by the
    /// `diagonal` of the bounding box of the solids (m).
    fn absolute_tuning(&self, index: usize, diagonal: f64) -> f64 {
        let value = self.tuning(index);
        if self.script.absolute { value } else { value * diagonal }
    }

    /// Returns the fields of the solver: the tolerance (m/s), the tolerance of Dirichlet conditions if nodes of `bodies`
    /// are moved, and the number of friction iterations. A relative tolerance is multiplied by the `diagonal` of the
    /// bounding box of the solids (m).
    fn solver(&self, diagonal: f64, bodies: &[DraftBody]) -> Vec<Field> {
        let script = self.script;
        let tolerance =
            if script.absolute { script.tolerance } else { script.tolerance * diagonal };
        let comment = match script.absolute {
            true => "As in the source.".to_owned(),
            false => format!(
                "{} of the diagonal of the bodies a second, as in the source.",
                script.tolerance
            ),
        };
        let tolerance = rounded(tolerance, RELATIVE_PRECISION * tolerance);
        let mut fields = vec![Field::new("tolerance", tolerance).with_comment(comment)];
        let moves_nodes =
            bodies.iter().any(|body| body.holds.iter().any(|hold| hold.motion != Motion::Fixed));
        if moves_nodes {
            let comment =
                "As in the source: moved nodes count as arrived after 99.9 % of their way.";
            fields
                .push(Field::new("dirichlet_tolerance", DIRICHLET_TOLERANCE).with_comment(comment));
        }
        let has_friction = script.self_friction > 0.0
            || script.half_spaces.iter().any(|plane| plane.friction > 0.0)
            || script.objects.iter().any(|object| object.friction > 0.0);
        if has_friction {
            let (rounds, comment) = match script.friction_rounds {
                count if count > 0 => {
                    (count as usize - 1, format!("`fricIterAmt {count}` of the source."))
                }
                count => (
                    MAX_FRICTION_ITERATIONS,
                    format!("`fricIterAmt {count}` of the source: until friction is steady."),
                ),
            };
            let rounds = Ron::Struct("", vec![Field::new("rounds", rounds)]);
            fields.push(Field::new("friction", rounds).with_comment(comment));
        }
        fields
    }

    /// Returns the motion of a shape if it is fully prescribed, by the animation or by velocities of the shape. The
    /// latter apply only without an animation.
    fn prescribed_motion(&self, shape_index: usize) -> Option<Motion> {
        let (placed, prescribed) =
            (&self.shapes[shape_index], &self.effects.prescribed[shape_index]);
        let has_velocity = placed.shape.velocity.is_some() || placed.shape.angular.is_some();
        if self.script.animation.name != "null" || !has_velocity {
            return prescribed.clone();
        }
        let angular_velocity = placed.shape.angular.unwrap_or_default().map(f64::to_radians);
        let velocity = placed.shape.velocity.unwrap_or_default();
        if angular_velocity == [0.0; 3] {
            return Some(Motion::moving(velocity));
        }
        let pivot = placed.bounds().center().to_array();
        Some(Motion::Move { velocity, angular_velocity, pivot, end: None })
    }

    /// Returns the pose of a shape, with the displacement of the animation before the start.
    fn pose(&self, shape_index: usize) -> Pose {
        self.shapes[shape_index].pose.clone().translated(self.effects.shift)
    }

    /// Converts a shape to a body with its initial velocity, holds, forces and damping. Its material is added to
    /// `materials` unless an equal one exists.
    fn body(&mut self, shape_index: usize, materials: &mut Vec<(String, Constants)>) -> DraftBody {
        let placed = &self.shapes[shape_index];
        let (script, shape) = (self.script, placed.shape);
        let own_constants =
            shape.material.filter(|[density, young, _]| *density > 0.0 && *young > 0.0);
        let constants = own_constants.unwrap_or([script.density, script.young, script.poisson]);
        let mut holds = std::mem::take(&mut self.effects.holds[shape_index]);
        let (velocity, angular_velocity) =
            match shape.initial.filter(|_| script.animation.name == "null") {
                None => (self.effects.velocity, Vec3::ZERO),
                Some([linear, angular]) => initial_velocity(placed, linear, angular),
            };
        if script.animation.name == "null" {
            holds.extend(dirichlet::holds(self.file, script, placed, self.findings));
        }
        let forces = std::mem::take(&mut self.effects.forces[shape_index]);
        let [density, ..] = constants;
        DraftBody {
            name: self.names.of_file(&placed.path),
            file: relative_path(self.base, &placed.path),
            material: material_name(materials, constants),
            pose: self.pose(shape_index),
            velocity: velocity.to_array(),
            angular_velocity: angular_velocity.to_array(),
            friction: script.self_friction,
            holds,
            terms: dirichlet::forces(script, placed, &forces, density),
            damping: self.damping(),
            ..DraftBody::default()
        }
    }

    /// Returns the damping of all bodies in scene syntax, which is noted if there is any.
    fn damping(&mut self) -> Vec<Ron> {
        let script = self.script;
        // Stiffness damping times of `Config` of IPC; the ratio takes precedence.
        let damping_time = match script.damping_ratio > 0.0 {
            true => 0.75 * script.damping_ratio * script.step,
            false => script.damping_stiffness / (script.step * script.step),
        };
        if damping_time <= 0.0 {
            return Vec::new();
        }
        self.findings.note(
            "`dampingStiff` and `dampingRatio` are damping by the stiffness at the start of each step",
        );
        let damping_time = rounded(damping_time, RELATIVE_PRECISION * damping_time);
        vec![Ron::Struct("Stiffness", vec![Field::new("time", damping_time)])]
    }

    /// Returns the contact settings; `None` if the source has neither self-collision nor collision objects. The source
    /// adapts its contact stiffness; the scene has the smallest Young's modulus instead. Relative distances are
    /// multiplied by the `diagonal` of the bounding box of the solids (m).
    fn contact(
        &self,
        bodies: &[DraftBody],
        obstacles: &[DraftObstacle],
        materials: &[(String, Constants)],
        diagonal: f64,
    ) -> Option<DraftContact> {
        let script = self.script;
        let has_collision_objects = !script.half_spaces.is_empty() || !script.objects.is_empty();
        if !script.self_collision && !has_collision_objects {
            return None;
        }
        let (rule, pairs) = friction_rule(script.self_friction, bodies, obstacles);
        let excluded_pairs = match script.self_collision {
            true => Vec::new(),
            false => pairs_of_bodies(bodies),
        };
        let min_young =
            materials.iter().map(|(_, [_, young, _])| *young).fold(f64::INFINITY, f64::min);
        let relative_d_hat = self.tuning(TUNING_D_HAT);
        Some(DraftContact {
            d_hat: self.absolute_tuning(TUNING_D_HAT, diagonal),
            d_hat_comment: (!script.absolute)
                .then(|| format!("{relative_d_hat} of the diagonal of the bodies, as in the source.")),
            kappa: min_young,
            kappa_comment: "The source adapts its stiffness of contact; here it is the softest Young's modulus."
                .to_owned(),
            adhesion: None,
            improved_max: false,
            slip_speed: self.absolute_tuning(TUNING_EPS_V, diagonal),
            friction_rule: rule,
            pairs,
            excluded: excluded_pairs,
        })
    }
}

/// Returns the name of the material with these constants, which is added to `materials` if it is new.
fn material_name(materials: &mut Vec<(String, Constants)>, constants: Constants) -> String {
    if let Some((name, _)) = materials.iter().find(|(_, existing)| *existing == constants) {
        return name.clone();
    }
    let name = match materials.len() {
        0 => "solid".to_owned(),
        count => format!("solid-{}", count + 1),
    };
    materials.push((name.clone(), constants));
    name
}

/// Returns a material in scene syntax.
fn material(script: &Script, [density, young, poisson]: Constants) -> Ron {
    let law = if script.corotated { "Corotated" } else { "NeoHookean" };
    let model = vec![Field::new("young", young), Field::new("poisson", poisson)];
    let model = Field::new("model", Ron::Struct(law, model));
    Ron::Struct("", vec![Field::new("density", density), model])
}

/// Returns the names of all pairs of bodies, including those of a body with itself.
fn pairs_of_bodies(bodies: &[DraftBody]) -> Vec<(String, String)> {
    let with_later_bodies = |(index, body): (usize, &DraftBody)| {
        let later = bodies[index..].iter();
        later.map(|other| (body.name.clone(), other.name.clone())).collect::<Vec<_>>()
    };
    bodies.iter().enumerate().flat_map(with_later_bodies).collect()
}

/// Returns the rule that combines the coefficient of friction of bodies, `body_friction`, with those of obstacles. An
/// obstacle shall have its own coefficient for all bodies: pairs for which the rule gives another one follow with it.
fn friction_rule(
    body_friction: f64,
    bodies: &[DraftBody],
    obstacles: &[DraftObstacle],
) -> (&'static str, Vec<(String, String, f64)>) {
    if obstacles.iter().all(|obstacle| obstacle.friction >= body_friction) {
        return ("Max", Vec::new());
    }
    if obstacles.iter().all(|obstacle| obstacle.friction <= body_friction) {
        return ("Min", Vec::new());
    }
    let exceptional = obstacles.iter().filter(|obstacle| obstacle.friction < body_friction);
    let pairs = exceptional.flat_map(|obstacle| {
        bodies.iter().map(|body| (body.name.clone(), obstacle.name.clone(), obstacle.friction))
    });
    ("Max", pairs.collect())
}

/// Returns the integrator in scene syntax.
fn integrator(script: &Script) -> Ron {
    match script.newmark {
        None => word("ImplicitEuler"),
        Some([beta, gamma]) => {
            Ron::Struct("Newmark", vec![Field::new("beta", beta), Field::new("gamma", gamma)])
        }
    }
}

/// Returns the initial velocity of the centre of mass (m/s) and the angular velocity (rad/s) from the velocity `linear`
/// of the centre of the bounds (m/s) and the angular velocity `angular` in degrees per second.
fn initial_velocity(placed: &PlacedShape<'_>, linear: [f64; 3], angular: [f64; 3]) -> (Vec3, Vec3) {
    let angular_velocity = Vec3::from_array(angular.map(f64::to_radians));
    let centroid = placed.mesh.solid().and_then(resile_mesh::TetMesh::centroid).unwrap_or_default();
    let centroid_offset = placed.pose.apply(centroid) - placed.bounds().center();
    (Vec3::from_array(linear) + angular_velocity.cross(centroid_offset), angular_velocity)
}
