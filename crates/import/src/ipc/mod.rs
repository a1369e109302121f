//! Scripts of IPC (Li et al. 2020), `.txt`.

mod animation;
mod dirichlet;
mod motion;
mod place;
mod script;

use crate::draft::{Draft, DraftBody, DraftContact, DraftObstacle, DraftShape, Motion};
use crate::meshes::{ForeignMesh, relative_path};
use crate::naming::Names;
use crate::pose::Pose;
use crate::refusal::Findings;
use crate::ron::{Field, Ron, rounded, word};
use animation::{AnimationEffects, Animator};
use place::PlacedShape;
use resile_math::{Aabb, Vec3};
use script::{MeshObject, Script};
use std::path::Path;

/// Acceleration of free fall (m/s^2) in the source.
const GRAVITY: f64 = 9.80665;
/// Number of friction iterations that replaces an unlimited number.
const MAX_FRICTION_ITERATIONS: usize = 20;

/// Whether a text is a script: it contains shapes.
pub(crate) fn is_script(text: &str) -> bool {
    let first_word = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let keywords = ["shapes", "shape", "shapeMatrix"];
    text.lines().filter_map(first_word).any(|word| keywords.contains(&word.as_str()))
}

/// Converts the `text` of a script `file` to a scene whose paths are relative to the folder `base`.
pub(crate) fn read(file: &Path, text: &str, base: &Path, findings: &mut Findings) -> Draft {
    let script = script::parse(file, text, findings);
    let shapes = place::place_shapes(file, &script, findings);
    let effects = Animator::new(file, &script, &shapes).apply(findings);
    ScriptWriter {
        file,
        base,
        script: &script,
        shapes: &shapes,
        effects,
        names: Names::default(),
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
    findings: &'a mut Findings,
}

impl ScriptWriter<'_> {
    /// Converts the script to the draft of a scene. Shapes with prescribed motion, mesh objects and half spaces become
    /// obstacles, the other shapes bodies. Refuses scripts without a body.
    fn into_draft(mut self) -> Draft {
        let (mut bodies, mut obstacles) = (Vec::new(), Vec::new());
        let mut materials: Vec<(String, [f64; 3])> = Vec::new();
        for shape_index in 0..self.shapes.len() {
            match self.prescribed_motion(shape_index) {
                Some(motion) => obstacles.push(self.shape_obstacle(shape_index, motion)),
                None => bodies.push(self.body(shape_index, &mut materials)),
            }
        }
        for object_index in 0..self.script.objects.len() {
            obstacles.extend(self.object_obstacle(object_index));
        }
        obstacles.extend(self.planes());
        if bodies.is_empty() && self.findings.refusals.is_empty() {
            self.findings.refuse(
                self.file,
                None,
                "there is no body: no shape is a solid that can move",
            );
        }
        let diagonal = self.bounding_box_diagonal();
        let contact = self.contact(&bodies, &obstacles, &materials, diagonal);
        let script = self.script;
        let law = if script.corotated { "Corotated" } else { "NeoHookean" };
        let ron = |[density, young, poisson]: [f64; 3]| {
            let model = vec![Field::new("young", young), Field::new("poisson", poisson)];
            let model = Field::new("model", Ron::Struct(law, model));
            Ron::Struct("", vec![Field::new("density", density), model])
        };
        let name =
            self.file.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
        Draft {
            head: vec![format!("The IPC script {name}, imported.")],
            materials: materials
                .into_iter()
                .map(|(name, constants)| (name, ron(constants)))
                .collect(),
            bodies,
            gravity: [0.0, if script.gravity { -GRAVITY } else { 0.0 }, 0.0],
            obstacles,
            contact,
            analysis: None,
            integrator: integrator(script),
            step: script.step,
            step_comment: None,
            duration: script.duration,
            solver: self.solver(diagonal),
            probes: Vec::new(),
            frame_rate: (1.0 / script.step).min(60.0),
        }
    }

    /// Returns the diagonal (m) of the bounding box of all solids at rest, by which the source scales relative
    /// distances and tolerances; one without solids.
    fn bounding_box_diagonal(&self) -> f64 {
        let solids = self.shapes.iter().filter(|shape| shape.is_solid());
        let bounds = solids.map(PlacedShape::bounds).fold(Aabb::EMPTY, Aabb::joined);
        if bounds.min.x <= bounds.max.x { bounds.size().length() } else { 1.0 }
    }

    /// Returns the distance (m) at an index of `tuning`. Relative distances are multiplied by `diagonal`, that of the
    /// bounding box of the solids (m).
    fn tuned_distance(&self, index: usize, diagonal: f64) -> f64 {
        let value = self.script.tuning.get(index).copied().unwrap_or(1e-3);
        if self.script.absolute { value } else { value * diagonal }
    }

    /// Returns the fields of the solver: the tolerance (m/s) and the rounds of friction. A relative tolerance is
    /// multiplied by `diagonal`, that of the bounding box of the solids (m).
    fn solver(&self, diagonal: f64) -> Vec<Field> {
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
        let tolerance = rounded(tolerance, 1e-6 * tolerance);
        let mut fields = vec![Field::new("tolerance", tolerance).with_comment(comment)];
        let has_friction = script.self_friction > 0.0
            || script.half_spaces.iter().any(|plane| plane.friction > 0.0)
            || script.objects.iter().any(|object| object.friction > 0.0);
        if has_friction {
            let (rounds, comment) = match script.friction_rounds {
                n if n > 0 => (n as usize - 1, format!("`fricIterAmt {n}` of the source.")),
                n => (
                    MAX_FRICTION_ITERATIONS,
                    format!("`fricIterAmt {n}` of the source: until friction is steady."),
                ),
            };
            let rounds = Ron::Struct("", vec![Field::new("rounds", rounds)]);
            fields.push(Field::new("friction", rounds).with_comment(comment));
        }
        fields
    }

    /// Returns the motion of a shape if it is fully prescribed.
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

    /// Converts a shape to an obstacle with a prescribed motion.
    fn shape_obstacle(&mut self, shape_index: usize, motion: Motion) -> DraftObstacle {
        let placed = &self.shapes[shape_index];
        let name = self.names.of_file(&placed.path);
        let shape = match &placed.shape.sequence {
            Some(folder) => self.sequence(placed, folder),
            None => None,
        };
        let shape = shape.unwrap_or_else(|| {
            let file = relative_path(self.base, &placed.path);
            DraftShape::Mesh { file, pose: self.pose(shape_index), motion }
        });
        DraftObstacle { name, shape, friction: self.script.self_friction }
    }

    /// Returns the shape of an obstacle with the positions of one file per step in `folder`. The files have the format
    /// of the shape, or are `.obj`. Refuses a missing first file.
    fn sequence(&mut self, placed: &PlacedShape<'_>, folder: &str) -> Option<DraftShape> {
        let extension = placed.path.extension().and_then(|ending| ending.to_str()).unwrap_or("obj");
        let first_file = |ending: &str| {
            place::resolve(self.file, &format!("{folder}/0.{ending}"))
                .map(|file| (file, ending.to_owned()))
        };
        let Some((file, ending)) = first_file(extension).or_else(|| first_file("obj")) else {
            let message = format!("meshSeq: there is no file `{folder}/0.{extension}`");
            self.findings.refuse(self.file, placed.shape.line, message);
            return None;
        };
        self.findings.note(
            "`meshSeq` begins at the positions of its first file, which the source reaches at the end of the first step",
        );
        let step = self.script.step;
        Some(DraftShape::Animated {
            file: relative_path(self.base, &file),
            pose: Pose::default(),
            frames: relative_path(self.base, &file.with_file_name(format!("#.{ending}"))),
            frame_rate: 1.0 / step,
            start: step,
        })
    }

    /// Converts a shape to a body with its initial velocity, holds, forces and damping. Its material is added to
    /// `materials` unless an equal one exists.
    fn body(&mut self, shape_index: usize, materials: &mut Vec<(String, [f64; 3])>) -> DraftBody {
        let placed = &self.shapes[shape_index];
        let (script, shape) = (self.script, placed.shape);
        let constants =
            match shape.material.filter(|[density, young, _]| *density > 0.0 && *young > 0.0) {
                Some(constants) => constants,
                None => [script.density, script.young, script.poisson],
            };
        let material = match materials.iter().find(|(_, existing)| *existing == constants) {
            Some((name, _)) => name.clone(),
            None => {
                let name = match materials.len() {
                    0 => "solid".to_owned(),
                    count => format!("solid-{}", count + 1),
                };
                materials.push((name.clone(), constants));
                name
            }
        };
        let mut holds = std::mem::take(&mut self.effects.holds[shape_index]);
        let mut terms = Vec::new();
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
        terms.extend(dirichlet::forces(script, placed, &forces, density));
        let damping_time = match script.damping_ratio > 0.0 {
            true => 0.75 * script.damping_ratio * script.step,
            false => script.damping_stiffness / (script.step * script.step),
        };
        let mut damping = Vec::new();
        if damping_time > 0.0 {
            self.findings.note("`dampingStiff` and `dampingRatio` are damping by the stiffness at the start of each step");
            damping.push(Ron::Struct("Stiffness", vec![Field::new("time", damping_time)]));
        }
        DraftBody {
            name: self.names.of_file(&placed.path),
            file: relative_path(self.base, &placed.path),
            material,
            pose: self.pose(shape_index),
            velocity: velocity.to_array(),
            angular_velocity: angular_velocity.to_array(),
            friction: script.self_friction,
            holds,
            terms,
            damping,
            ..DraftBody::default()
        }
    }

    /// Converts a mesh collision object to an obstacle with the motion of the animation.
    fn object_obstacle(&mut self, object_index: usize) -> Option<DraftObstacle> {
        let object = &self.script.objects[object_index];
        let resolved = place::resolve(self.file, &object.path)
            .ok_or_else(|| "no such file in the folder of the script or above it".to_owned());
        let read = resolved.and_then(|path| Ok((crate::meshes::read(&path)?, path)));
        match read {
            Ok((mesh, path)) => {
                let file = relative_path(self.base, &path);
                let (name, pose) = (self.names.of_file(&path), object_pose(object, &mesh));
                let shape = DraftShape::Mesh {
                    file,
                    pose,
                    motion: self.effects.objects[object_index].clone(),
                };
                Some(DraftObstacle { name, shape, friction: object.friction })
            }
            Err(reason) => {
                self.findings.refuse(
                    self.file,
                    object.line,
                    format!("`{}`: {reason}", object.path),
                );
                None
            }
        }
    }

    /// Converts the half spaces to obstacles.
    fn planes(&mut self) -> Vec<DraftObstacle> {
        let planes = self.script.half_spaces.iter();
        let plane = |plane: &script::HalfSpace| DraftObstacle {
            name: self.names.unique("ground"),
            shape: DraftShape::Plane { point: plane.origin, normal: plane.normal },
            friction: plane.friction,
        };
        planes.map(plane).collect()
    }

    /// Returns the contact settings; `None` if the source has neither self-collision nor collision objects. The source
    /// adapts its contact stiffness; the scene has the smallest Young's modulus instead. `diagonal` is that of the
    /// bounding box of the solids (m).
    fn contact(
        &self,
        bodies: &[DraftBody],
        obstacles: &[DraftObstacle],
        materials: &[(String, [f64; 3])],
        diagonal: f64,
    ) -> Option<DraftContact> {
        let script = self.script;
        let is_half_space = |obstacle: &DraftObstacle| {
            self.script
                .half_spaces
                .iter()
                .any(|_| matches!(obstacle.shape, DraftShape::Plane { .. }))
        };
        if !script.self_collision
            && !obstacles.iter().any(is_half_space)
            && script.objects.is_empty()
        {
            return None;
        }
        let (rule, pairs) = friction_rule(script.self_friction, bodies, obstacles);
        let mut excluded_pairs = Vec::new();
        if !script.self_collision {
            for (body_index, body) in bodies.iter().enumerate() {
                excluded_pairs.extend(
                    bodies[body_index..]
                        .iter()
                        .map(|other| (body.name.clone(), other.name.clone())),
                );
            }
        }
        let min_young =
            materials.iter().map(|(_, [_, young, _])| *young).fold(f64::INFINITY, f64::min);
        let d_hat = self.tuned_distance(1, diagonal);
        let relative_distance = script.tuning.get(1).copied().unwrap_or(1e-3);
        Some(DraftContact {
            d_hat,
            d_hat_comment: (!script.absolute)
                .then(|| format!("{relative_distance} of the diagonal of the bodies, as in the source.")),
            kappa: min_young,
            kappa_comment: "The source adapts its stiffness of contact; here it is the softest Young's modulus."
                .to_owned(),
            improved_max: false,
            slip_speed: self.tuned_distance(4, diagonal),
            friction_rule: rule,
            pairs,
            excluded: excluded_pairs,
        })
    }
}

/// Returns the rule that combines the friction coefficient `body_friction` of all bodies with those of obstacles, and
/// the pairs of a body and an obstacle for which the rule does not give the coefficient of the obstacle, with that
/// coefficient.
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

/// Returns the pose of a mesh object. The source centres it at the mean of its vertices, rotates it, and scales its
/// largest extent to `size`.
fn object_pose(object: &MeshObject, mesh: &ForeignMesh) -> Pose {
    let points = mesh.positions();
    let center = points.iter().sum::<Vec3>() / points.len().max(1) as f64;
    let factor = object.size / mesh.bounds().size().max_element();
    let pose = Pose { turns: place::turns(object.rotate), ..Pose::default() };
    let translation_to_center = pose.rotation() * -center;
    pose.translated(translation_to_center)
        .scaled(factor)
        .translated(Vec3::from_array(object.origin))
}

/// Returns the initial velocity of the centre of mass (m/s) and the angular velocity (rad/s). The source gives the
/// velocity `linear` of the centre of the bounds (m/s), and the angular velocity `angular` in degrees per second.
fn initial_velocity(placed: &PlacedShape<'_>, linear: [f64; 3], angular: [f64; 3]) -> (Vec3, Vec3) {
    let angular_velocity = Vec3::from_array(angular.map(f64::to_radians));
    let centroid = placed.mesh.solid().and_then(resile_mesh::TetMesh::centroid).unwrap_or_default();
    let arm = placed.pose.apply(centroid) - placed.bounds().center();
    (Vec3::from_array(linear) + angular_velocity.cross(arm), angular_velocity)
}
