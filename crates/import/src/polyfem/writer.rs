//! Conversion of a problem to the draft of a scene.

use super::geometry::Geometry;
use super::loads::SurfaceLoads;
use super::material::{self, Law};
use super::mesh_file::group_listed_nodes;
use super::motion::Steps;
use super::part::Part;
use super::reader::Reader;
use super::settings::Clock;
use super::signal::Signal;
use super::{boundary, loads, preset, volumes};
use crate::GeneratedMesh;
use crate::draft::{Draft, DraftBody, Hold};
use crate::naming::Names;
use crate::ron::{Ron, rounded, word};
use resile_math::Aabb;
use resile_mesh::read::Groups;
use std::path::Path;

/// Largest number of frames per second of an imported scene.
const MAX_FRAME_RATE: f64 = 60.0;

/// Converts a problem to the draft of a scene.
pub(super) struct ProblemWriter<'a> {
    /// Folder to which the paths of the scene are relative.
    pub(super) base: &'a Path,
    pub(super) reader: Reader<'a>,
    pub(super) geometry: Geometry,
    pub(super) names: Names,
    /// Refined meshes and copied frames.
    pub(super) files: Vec<GeneratedMesh>,
}

/// Settings of a problem on which its bodies depend.
struct Environment {
    clock: Clock,
    /// Right-hand sides (m/s^2), opposite to gravity, by part.
    right_hand_sides: Vec<Vec<Signal>>,
    /// Gravity (m/s^2), if it is the same for all parts and constant.
    gravity: Option<[f64; 3]>,
    /// Coefficient of friction.
    friction: f64,
    /// Whether the problem is that of a manufactured solution.
    is_exact: bool,
}

/// A part with its law, holds and loads.
struct PartProperties<'a> {
    part: &'a Part,
    law: &'a Law,
    is_quadratic: bool,
    holds: Vec<Hold>,
    /// Terms of the loads on its surface.
    surface_terms: Vec<Ron>,
    right_hand_side: &'a [Signal],
    /// Groups of its mesh, among them those of `group_materials`.
    groups: Groups,
    /// Names of groups with other laws, and of their materials.
    group_materials: Vec<(String, String)>,
}

impl ProblemWriter<'_> {
    /// Converts the whole problem: materials, bodies with holds and loads, gravity, obstacles, contact, time
    /// integration and solver. A static problem becomes one long step. Refuses problems without an elastic body.
    pub(super) fn draft(&mut self, file: &Path) -> Draft {
        let geometry = std::mem::take(&mut self.geometry);
        let volumes: Vec<i64> = geometry.parts.iter().map(|part| part.volumes.first).collect();
        let laws: Vec<Option<Law>> = volumes
            .iter()
            .map(|volume| material::law_of_volume(&mut self.reader, *volume))
            .collect();
        let bounds = Aabb::of_points(geometry.parts.iter().flat_map(Part::points));
        let diagonal = if geometry.parts.is_empty() { 1.0 } else { bounds.size().length() };
        let has_contact = self.reader.flag("contact/enabled", false);
        let clock = self.clock(&laws, diagonal);
        let environment = self.environment(clock, &volumes, has_contact);
        let (materials, bodies) = self.bodies(&geometry, &laws, &environment);
        if bodies.is_empty() && self.reader.findings.refusals.is_empty() {
            self.reader.refuse("geometry", "there is no elastic body");
        }
        let Environment { clock, gravity, friction, .. } = environment;
        let obstacles = self.obstacles(&geometry, friction, clock.steps);
        let contact = has_contact.then(|| self.contact(&geometry, &materials));
        let steps = clock.steps;
        Draft {
            head: head(file, &clock),
            materials: materials.iter().map(|(name, law)| (name.clone(), law.ron())).collect(),
            bodies,
            gravity: gravity.unwrap_or_default(),
            obstacles,
            contact,
            analysis: clock.is_quasistatic.then(|| word("Static")),
            solver: self.solver(diagonal, friction, &clock),
            integrator: clock.integrator,
            step: steps.length,
            step_comment: None,
            duration: rounded(steps.length * steps.count as f64, 1e-12 * steps.length),
            probes: Vec::new(),
            frame_rate: match clock.is_static {
                true => 1.0 / steps.length,
                false => (1.0 / steps.length).min(MAX_FRAME_RATE),
            },
        }
    }

    /// Reads the settings on which bodies depend. `volumes` has the first volume of each part.
    fn environment(&mut self, clock: Clock, volumes: &[i64], has_contact: bool) -> Environment {
        let right_hand_sides = boundary::right_hand_sides(&mut self.reader, volumes);
        let friction = match has_contact {
            true => self.reader.number_or("contact/friction_coefficient", 0.0),
            false => 0.0,
        };
        Environment {
            clock,
            gravity: common_gravity(&right_hand_sides),
            right_hand_sides,
            friction,
            is_exact: preset::is_elastic_exact(&mut self.reader),
        }
    }

    /// Converts the parts that have a law to bodies. Returns the materials by name, and the bodies. The holds and loads
    /// of parts with quadratic elements also select midpoints of edges.
    fn bodies(
        &mut self,
        geometry: &Geometry,
        laws: &[Option<Law>],
        environment: &Environment,
    ) -> (Vec<(String, Law)>, Vec<DraftBody>) {
        let parts = &geometry.parts;
        let is_quadratic: Vec<bool> = parts
            .iter()
            .map(|part| material::element_order(&mut self.reader, &part.volumes) == 2)
            .collect();
        let steps = environment.clock.steps;
        let holds = boundary::holds(&mut self.reader, geometry, steps, &is_quadratic);
        let mut surface_loads =
            loads::surface_loads(&mut self.reader, geometry, steps, &is_quadratic);
        let mut materials: Vec<(String, Law)> = Vec::new();
        let mut bodies = Vec::new();
        for (index, (part, holds)) in parts.iter().zip(holds).enumerate() {
            let Some(law) = &laws[index] else { continue };
            let material = named_material(&mut materials, law);
            let SurfaceLoads { terms, mut groups } = std::mem::take(&mut surface_loads[index]);
            let others = volumes::other_materials(&mut self.reader, part, law, &mut groups);
            let named = |(group, law)| (group, named_material(&mut materials, &law));
            let group_materials = others.into_iter().map(named).collect();
            let properties = PartProperties {
                part,
                law,
                is_quadratic: is_quadratic[index],
                holds,
                surface_terms: terms,
                right_hand_side: &environment.right_hand_sides[index],
                groups,
                group_materials,
            };
            bodies.extend(self.body(material, properties, environment));
        }
        (materials, bodies)
    }

    /// Converts a part to a body. Copies of an array become a grid of the first body, so that the result is `None` for
    /// the others. A body with holds or terms has no grid, because these are not copied.
    fn body(
        &mut self,
        material: String,
        properties: PartProperties<'_>,
        environment: &Environment,
    ) -> Option<DraftBody> {
        let PartProperties { part, law, right_hand_side, mut holds, mut groups, .. } = properties;
        if properties.is_quadratic {
            group_listed_nodes(part, &mut holds, &mut groups);
        }
        let volume = part.volumes.first;
        let mut body = DraftBody {
            file: self.mesh_name(part, &groups),
            quadratic: properties.is_quadratic,
            material,
            pose: part.pose.clone(),
            velocity: self.uniform_velocity(volume),
            velocity_field: self.initial_field("velocity", volume),
            displacement: self.initial_field("solution", volume),
            group_materials: properties.group_materials,
            friction: environment.friction,
            holds,
            ..DraftBody::default()
        };
        self.refuse_different_volumes(part, &body, environment);
        if environment.gravity.is_none() {
            body.terms = self.weight(part, law, right_hand_side, environment.clock.steps);
        }
        if environment.is_exact {
            body.terms.extend(preset::body_force(&mut self.reader, law));
        }
        body.terms.extend(properties.surface_terms);
        let array = part.array.filter(|_| body.holds.is_empty() && body.terms.is_empty());
        if array.is_some_and(|array| !array.is_first) {
            return None;
        }
        body.grid = array.map(|array| (array.counts, array.spacing));
        body.name = self.names.of_file(&part.file);
        Some(body)
    }

    /// Refuses volumes of one mesh with different initial conditions or accelerations, and forces that depend on the law
    /// of each volume.
    fn refuse_different_volumes(
        &mut self,
        part: &Part,
        body: &DraftBody,
        environment: &Environment,
    ) {
        for (volume, _) in &part.volumes.others {
            let differs = self.uniform_velocity(*volume) != body.velocity
                || self.initial_field("velocity", *volume) != body.velocity_field
                || self.initial_field("solution", *volume) != body.displacement
                || environment.is_exact
                || environment.gravity.is_none_or(|gravity| {
                    let sides = boundary::right_hand_sides(&mut self.reader, &[*volume]);
                    common_gravity(&sides) != Some(gravity)
                });
            if differs {
                let what = "volumes of one mesh with different accelerations or initial conditions";
                self.reader.refuse(&part.path, what);
            }
        }
    }

    /// Weight of a body as terms, for gravity that differs between bodies or changes over time or position. The
    /// right-hand side (m/s^2) is opposite to gravity.
    fn weight(
        &mut self,
        part: &Part,
        law: &Law,
        right_hand_side: &[Signal],
        steps: Steps,
    ) -> Vec<Ron> {
        if right_hand_side.iter().any(Signal::depends_on_position) {
            let force = loads::body_force(&mut self.reader, right_hand_side, law.density);
            return force.into_iter().collect();
        }
        let scale = part.pose.scale;
        let volume = part.mesh.solid().map_or(0.0, resile_mesh::TetMesh::volume)
            * scale.x
            * scale.y
            * scale.z;
        let mass = rounded(volume * law.density, 1e-15 * volume * law.density);
        let path = "boundary_conditions/rhs";
        let mut accelerations = loads::vectors(&mut self.reader, path, right_hand_side, steps);
        for (acceleration, _) in &mut accelerations {
            *acceleration = acceleration.map(negated);
        }
        loads::uniform_acceleration_forces(mass, &accelerations)
    }
}

/// Name of a law among `materials`, to which a new law is added.
fn named_material(materials: &mut Vec<(String, Law)>, law: &Law) -> String {
    if let Some((name, _)) = materials.iter().find(|(_, material)| material == law) {
        return name.clone();
    }
    let name = match materials.len() {
        0 => "solid".to_owned(),
        count => format!("solid-{}", count + 1),
    };
    materials.push((name.clone(), law.clone()));
    name
}

/// Comment lines at the head of the scene.
fn head(file: &Path, clock: &Clock) -> Vec<String> {
    let name = file.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
    let mut head = vec![format!("The PolyFEM problem {name}, imported.")];
    if clock.is_static {
        head.push(
            "It is static: one step that is long compared with all vibrations, in which inertia has \
             no effect."
                .to_owned(),
        );
    }
    if clock.is_quasistatic {
        head.push("It is quasistatic: each step ends in static equilibrium.".to_owned());
    }
    head
}

/// Gravity (m/s^2) if the right-hand sides of all parts are equal and constant; zero without parts.
fn common_gravity(right_hand_sides: &[Vec<Signal>]) -> Option<[f64; 3]> {
    let Some(first) = right_hand_sides.first() else { return Some([0.0; 3]) };
    let mut gravity = [0.0; 3];
    for (component, signal) in gravity.iter_mut().zip(first) {
        *component = negated(signal.number()?);
    }
    right_hand_sides.iter().all(|vector| vector == first).then_some(gravity)
}

/// The number with the opposite sign; 0 for 0, not -0.
fn negated(number: f64) -> f64 {
    -number + 0.0
}
