//! Warnings of springs that are too stiff to be resolved, or too soft to do anything.

use super::body::{PlacedBody, tied_points};
use super::discretisation::Discretisation;
use super::path_of;
use super::warnings::step_warning;
use resile_math::{Aabb, Vec3};
use resile_scene::description::{Analysis, ExpandedBody, Joint, Problem, Scene};

/// Ratio of the force of a spring to the weight or the inertia of its body, below which the spring does nothing.
const MIN_EFFECT: f64 = 1e-3;

/// Springs on a body.
struct Springs {
    /// Sum of their stiffnesses (N/m).
    total: f64,
    /// Largest stiffness of one (N/m).
    largest: f64,
    /// Mass of the body (kg).
    mass: f64,
    /// Largest extent of the body (m).
    size: f64,
    /// Largest coordinate of the body (m).
    farthest: f64,
}

impl Springs {
    /// Springs with these stiffnesses (N/m) on a body at these points (m).
    fn new(stiffnesses: &[f64], mass: f64, points: &[Vec3]) -> Option<Self> {
        let bounds = Aabb::around(points)?;
        let extent = bounds.size().max_element();
        let farthest = bounds.min.abs().max(bounds.max.abs()).max_element();
        Some(Self {
            total: stiffnesses.iter().sum(),
            largest: stiffnesses.iter().copied().fold(0.0, f64::max),
            mass,
            // A particle has no extent.
            size: if extent > 0.0 { extent } else { farthest },
            farthest,
        })
    }

    /// A warning about these springs, if they are implausible.
    ///
    /// Rounding of the coordinate `L` changes the force of a spring by `k L eps`. Such a spring cannot be resolved if
    /// that is more than `m s/h^2`, the force that moves the body by its size `s` in a step `h`. (A cube of 1 kg on a ball
    /// joint has errors of its energy of 1e-8 at 1e-6 of this limit, 1e-3 at 0.25, and 0.01 with subdivided steps at 25.) In
    /// the time `T` of a run,
    /// gravity moves a free body by `g T^2/2`, where springs oppose it by `K g T^2/2`. They do nothing if that is a small
    /// part of the weight `m g`; of other motions, which they oppose in the same proportion, as well.
    fn problem(&self, name: &str, path: String, scene: &Scene) -> Option<Problem> {
        let (h, duration) = (scene.time.step.seconds(), scene.time.duration);
        let Self { total, largest, mass, size, farthest } = *self;
        let units = scene.units;
        let max_stiffness = mass * size / (h * h * f64::EPSILON * farthest);
        if largest > max_stiffness {
            let message = format!(
                "a stiffness of {:e} cannot be resolved: rounding of positions changes the force by more than what moves \
                 \"{name}\" by its size in a step",
                units.show(largest, "N/m")
            );
            let usual = units.number(1e-6 * max_stiffness, "N/m");
            let help = format!(
                "a millionth of that limit is stiff, {usual:.0e}; or hold the nodes: `hold`"
            );
            return Some(step_warning(path, message, help));
        }
        let effect = 0.5 * total * duration * duration / mass;
        let is_soft = scene.analysis == Analysis::Dynamic && effect < MIN_EFFECT;
        is_soft.then(|| {
            let message = format!(
                "the springs do nothing: with {:.1e} in all, they oppose {effect:.0e} of the weight of \"{name}\" when it \
                 has fallen for the {duration} s of the run",
                units.show(total, "N/m")
            );
            let usual = units.number(mass / (h * h) * 0.01, "N/m");
            let help =
                format!("for an oscillation of about 60 steps, {usual:.0e} in all; mind the unit, {}", units.symbol("N/m"));
            step_warning(path, message, help)
        })
    }
}

/// Warns of the attachments of a body. Errors in them are reported elsewhere.
pub(super) fn attachment_problems(
    expanded: &ExpandedBody,
    scene: &Scene,
    discretisation: &Discretisation,
) -> Vec<Problem> {
    let body = &expanded.body;
    let problem = |k: usize| {
        let path = format!("{}.attach[{k}]", path_of(expanded));
        let points = tied_points(&body.attach[k], discretisation, &path).ok()?;
        let stiffnesses: Vec<f64> = points.into_iter().map(|(_, stiffness)| stiffness).collect();
        let mass = discretisation.masses.iter().sum();
        let points = discretisation.surface.points(&discretisation.start);
        let springs = Springs::new(&stiffnesses, mass, &points)?;
        springs.problem(&scene.bodies[expanded.source].name, format!("{path}.stiffness"), scene)
    };
    (0..body.attach.len()).filter_map(problem).collect()
}

/// Warns of joints, by the lighter of their bodies.
pub(super) fn joint_problems(scene: &Scene, placed: &[PlacedBody]) -> Vec<Problem> {
    let problem = |(k, joint): (usize, &Joint)| {
        let (a, b, stiffness, points) = match joint {
            Joint::Ball { a, b, stiffness, .. } => (a, b, *stiffness, 1),
            Joint::Hinge { a, b, stiffness, .. } => (a, b, *stiffness, 2),
        };
        let names = [Some(a), b.as_ref()].into_iter().flatten();
        let bodies = names.filter_map(|name| placed.iter().find(|body| body.body.name == *name));
        let mass = |body: &PlacedBody| body.body.masses.iter().sum::<f64>();
        let lightest = bodies.min_by(|a, b| mass(a).total_cmp(&mass(b)))?;
        let positions = lightest.surface.points(&lightest.state.positions);
        let springs = Springs::new(&vec![stiffness; points], mass(lightest), &positions)?;
        springs.problem(&lightest.body.name, format!("joints[{k}].stiffness"), scene)
    };
    scene.joints.iter().enumerate().filter_map(problem).collect()
}
