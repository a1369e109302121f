//! Partial slip: an elastic sphere that is pressed onto a rough rigid plane and moved to and fro (Cattaneo 1938,
//! Mindlin 1949; Johnson 1985, *Contact Mechanics*, section 7.2).
//!
//! With the force P, the radius of contact `a`, friction mu and `c = 3 mu P (2 - nu) / (16 a G)` the tangential force Q
//! of less than mu P displaces the sphere by `c f(Q / mu P)` with
//!
//! ```text
//!   f(q) = 1 - (1 - q)^(2/3).
//! ```
//!
//! From an extreme `Q* = q mu P` back it moves by `2 c f((Q* - Q) / 2 mu P)`, and a cycle between `-Q*` and `Q*` takes
//! the work
//!
//! ```text
//!   mu P c (4 q f(q) - 8 (q - 3/5 (1 - (1 - q)^(5/3)))).
//! ```

use super::contact::{Roughness, barrier, contact_world};
use super::mapped::{MappedSolid, Order, elastic, is_at};
use super::{CaseOnMesh, VerificationEntry};
use crate::drive::{StudyError, scene_error};
use resile_energy::Material;
use resile_system::{Body, Interpolation, Key, Keyframes, Motion, State, Vec3};
use resile_world::World;
use std::f64::consts::PI;
use std::sync::Arc;

const CASE: &str = "sphere moved to and fro on a rough plane (Mindlin 1949)";

/// Number of steps from the middle position to an extreme.
const STEPS: usize = 6;

/// Length of a step (s), so long that inertia is negligible.
const STEP: f64 = 100.0;

/// Approach of the upper side over that of a half space under the same force, which is more compliant than the solid.
const APPROACH_RATIO: f64 = 0.907;

/// Amplitude of the upper side over `c`; the tangential force then reaches about half of its limit.
const AMPLITUDE_RATIO: f64 = 0.475;

/// Slip in a step, over `c`, below which friction is not fully developed. Where bodies stick, they creep by up to this in
/// every step, which makes the loop larger, in proportion to the number of steps: by 6 % with 5e-4, by 1 % with 1e-4.
const SLIP_RATIO: f64 = 1e-4;

/// A sphere, in N and mm.
struct Sphere {
    young: f64,
    poisson: f64,
    radius: f64,
    /// The coefficient of friction.
    friction: f64,
    /// The normal force.
    force: f64,
}

/// The theory of tangential forces under a constant normal force.
struct Mindlin {
    /// The force at which all of the contact slips: mu P.
    limit: f64,
    /// The displacement at that force: `c`.
    full_slip: f64,
}

/// Numbers of cells.
struct Cells {
    /// Uniform cells along half of a side, in the contact.
    inner: usize,
    /// Growing cells along half of a side, around the contact.
    outer: usize,
    /// Cells along the height.
    layers: usize,
}

impl Sphere {
    /// The radius of contact under a normal force.
    fn contact_radius(&self, force: f64) -> f64 {
        let effective_modulus = self.young / (1.0 - self.poisson * self.poisson);
        (3.0 * force * self.radius / (4.0 * effective_modulus)).cbrt()
    }

    /// The theory under a normal force.
    fn theory(&self, force: f64) -> Mindlin {
        let shear = self.young / (2.0 * (1.0 + self.poisson));
        let compliance = (2.0 - self.poisson) / shear;
        let limit = self.friction * force;
        Mindlin { limit, full_slip: 3.0 * limit * compliance / (16.0 * self.contact_radius(force)) }
    }

    /// Half of the sphere as a solid whose lower side is a paraboloid; it is ten radii of contact wide and six high.
    fn solid(&self, Cells { inner, outer, layers }: Cells, d_hat: f64) -> MappedSolid {
        let contact_radius = self.contact_radius(self.force);
        let [inner_width, extent, height] = [1.15, 5.0, 6.0].map(|size| size * contact_radius);
        let (half_cells, first_length) = (inner + outer, inner_width / inner as f64);
        MappedSolid::new([2 * half_cells, layers, half_cells], Order::Quadratic, |unit| {
            let distance =
                |t: f64| graded(t * half_cells as f64, inner, first_length, outer, extent);
            let signed_coordinate = 2.0 * unit.x - 1.0;
            let (x, z) =
                (distance(signed_coordinate.abs()).copysign(signed_coordinate), distance(unit.z));
            let surface_height = (x * x + z * z) / (2.0 * self.radius);
            let height_fraction =
                graded(unit.y * layers as f64, 1, first_length, layers - 1, height) / height;
            Vec3::new(
                x,
                surface_height + height_fraction * (height - surface_height) + 0.5 * d_hat,
                z,
            )
        })
    }
}

impl Mindlin {
    /// Displacement under a force that grows from zero.
    fn displacement(&self, force: f64) -> f64 {
        self.full_slip * (1.0 - (1.0 - force / self.limit).powf(2.0 / 3.0))
    }

    /// Displacement by which the sphere moves back while a force decreases to zero.
    fn recovered(&self, force: f64) -> f64 {
        2.0 * self.displacement(0.5 * force)
    }

    /// Work of a cycle between a force and its opposite.
    fn work_of_cycle(&self, force: f64) -> f64 {
        let q = force / self.limit;
        let area_below = q - 0.6 * (1.0 - (1.0 - q).powf(5.0 / 3.0));
        4.0 * force * self.displacement(force) - 8.0 * self.limit * self.full_slip * area_below
    }
}

/// The coordinate after `cell` cells, which need not be a whole number. The first `uniform_cells` cells have the length
/// `first_length`; the lengths of the other `growing_cells` cells are in geometric progression, and the last one ends
/// at `extent`.
fn graded(
    cell: f64,
    uniform_cells: usize,
    first_length: f64,
    growing_cells: usize,
    extent: f64,
) -> f64 {
    let uniform_length = first_length * uniform_cells as f64;
    if cell <= uniform_cells as f64 {
        return first_length * cell;
    }
    let growing_length =
        |ratio: f64, cells: f64| first_length * ratio * (ratio.powf(cells) - 1.0) / (ratio - 1.0);
    let (mut low, mut high) = (1.0 + 1e-6, 1e3);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if growing_length(middle, growing_cells as f64) < extent - uniform_length {
            low = middle;
        } else {
            high = middle;
        }
    }
    uniform_length + growing_length(low, cell - uniform_cells as f64)
}

/// A point of the loop of force over displacement: the displacement of the upper side, and forces on the whole sphere.
#[derive(Debug, Clone, Copy)]
struct LoopPoint {
    displacement: f64,
    normal: f64,
    tangential: f64,
    /// Second moment of the normal force about the axis.
    moment: f64,
}

/// The motion of the upper side: down by `approach`, then from the middle to one extreme and from there to the other.
fn upper_side_motion(approach: f64, amplitude: f64) -> Motion {
    let key = |(steps, x): (usize, f64)| Key {
        time: STEP * steps as f64,
        translation: Vec3::new(x, -approach, 0.0),
        rotation: Vec3::ZERO,
    };
    let mut keys = vec![Key { time: 0.0, translation: Vec3::ZERO, rotation: Vec3::ZERO }];
    let (first_extreme, second_extreme) = (1 + STEPS, 1 + 3 * STEPS);
    keys.extend([(1, 0.0), (first_extreme, amplitude), (second_extreme, -amplitude)].map(key));
    let keyframes = Keyframes::new(Vec3::ZERO, Interpolation::Linear, keys);
    Motion::Keyframes(Arc::new(keyframes.expect("times ascend")))
}

/// The body of the solid; its upper side is clamped and has a prescribed motion.
fn driven_body(sphere: &Sphere, solid: &MappedSolid) -> (Body, State) {
    let contact_radius = sphere.contact_radius(sphere.force);
    let amplitude = AMPLITUDE_RATIO * sphere.theory(sphere.force).full_slip;
    let material = elastic(Material::Linear, sphere.young, sphere.poisson);
    let (mut body, state) = solid.body(material, Vec::new(), |unit| {
        let is_clamped = is_at(unit.y, 1.0);
        [is_clamped, is_clamped, is_clamped || is_at(unit.z, 0.0)]
    });
    let motion = upper_side_motion(
        APPROACH_RATIO * contact_radius * contact_radius / sphere.radius,
        amplitude,
    );
    for prescribed in &mut body.prescribed {
        if is_at(solid.unit(prescribed.node).y, 1.0) {
            prescribed.motion = motion.clone();
        }
    }
    (body, state)
}

/// Measures the current point of the loop; `node` is a node of the upper side.
fn sample(world: &mut World, solid: &MappedSolid, node: usize) -> Result<LoopPoint, StudyError> {
    let forces = world.contact_forces(STEP).ok_or_else(|| scene_error(CASE, "nothing collides"))?;
    let (normal, friction) = (&forces.bodies[0].normal, &forces.bodies[0].friction);
    let pairs = normal.iter().zip(solid.positions());
    // Sums are doubled, because only half of the sphere is meshed.
    Ok(LoopPoint {
        displacement: world.state(0).positions[node].x - solid.rest(node).x,
        normal: 2.0 * normal.iter().map(|force| force.y).sum::<f64>(),
        tangential: -2.0 * friction.iter().map(|force| force.x).sum::<f64>(),
        moment: 2.0 * pairs.map(|(force, x)| force.y * (x.x * x.x + x.z * x.z)).sum::<f64>(),
    })
}

/// The points of the loop after the approach and after each following step.
fn run_loop(
    sphere: &Sphere,
    solid: &MappedSolid,
    d_hat: f64,
) -> Result<Vec<LoopPoint>, StudyError> {
    let contact_radius = sphere.contact_radius(sphere.force);
    let largest_pressure = 3.0 * sphere.force / (2.0 * PI * contact_radius * contact_radius);
    let slip_speed = SLIP_RATIO * sphere.theory(sphere.force).full_slip / STEP;
    let roughness = Roughness { friction: sphere.friction, slip_speed };
    let bodies = vec![(solid, driven_body(sphere, solid))];
    let mut world = contact_world(bodies, true, barrier(d_hat, largest_pressure), roughness);
    let top_node = solid.node_at(Vec3::new(0.0, 1e3, 0.0));
    let mut samples = Vec::new();
    for step in 1..=1 + 3 * STEPS {
        let result = world.step(STEP, STEP * step as f64);
        result.map_err(|failure| scene_error(CASE, failure))?;
        samples.push(sample(&mut world, solid, top_node)?);
    }
    Ok(samples)
}

/// The displacement at which the tangential force between two samples is zero.
fn at_zero_force(samples: &[LoopPoint]) -> Option<f64> {
    samples.windows(2).find_map(|pair| {
        let [a, b] = [pair[0], pair[1]];
        let crosses = a.tangential >= 0.0 && b.tangential < 0.0;
        let fraction = a.tangential / (a.tangential - b.tangential);
        crosses.then_some(a.displacement + fraction * (b.displacement - a.displacement))
    })
}

/// The work of the tangential force along the samples, by the trapezoidal rule.
fn work_along(samples: &[LoopPoint]) -> f64 {
    let work_of_pair = |[a, b]: [LoopPoint; 2]| {
        0.5 * (a.tangential + b.tangential) * (b.displacement - a.displacement)
    };
    samples.windows(2).map(|pair| work_of_pair([pair[0], pair[1]])).sum()
}

/// The exponent `n` of `1 - d/c = (1 - q)^n`, by least squares of the logarithms.
fn exponent(points: impl Iterator<Item = [f64; 2]>) -> f64 {
    let logarithms = points.map(|point| point.map(|x| (1.0 - x).ln()));
    let [numerator, denominator] =
        logarithms.fold([0.0, 0.0], |[numerator, denominator], [log_q, log_d]| {
            [numerator + log_q * log_d, denominator + log_q * log_q]
        });
    numerator / denominator
}

/// A sphere of 1e7 Pa with a radius of 7.77 mm under 1 N.
///
/// The theory is that of a half space. The displacement due to the deformation of the solid far from the contact, which
/// is proportional to the force, is therefore subtracted. Its compliance is determined from the first tangential step.
pub(super) fn sphere(quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let sphere = Sphere { young: 10.0, poisson: 0.45, radius: 7.77, friction: 1.0, force: 1.0 };
    let contact_radius = sphere.contact_radius(sphere.force);
    let (cells, gap) = match quick {
        true => (Cells { inner: 3, outer: 2, layers: 3 }, 1e-2),
        false => (Cells { inner: 6, outer: 2, layers: 5 }, 1e-3),
    };
    let d_hat = gap * contact_radius * contact_radius / sphere.radius;
    let solid = sphere.solid(cells, d_hat);
    let samples = run_loop(&sphere, &solid, d_hat)?;
    compare_with_theory(&sphere, &solid, &samples, quick)
}

/// The points of the loop with the theory for their normal force.
struct MeasuredLoop<'a> {
    samples: &'a [LoopPoint],
    theory: Mindlin,
    /// Displacement by the deformation far from the contact, over the tangential force.
    far_compliance: f64,
}

impl<'a> MeasuredLoop<'a> {
    /// Determines the far compliance from the first tangential step.
    fn new(sphere: &Sphere, samples: &'a [LoopPoint]) -> Self {
        let (start, first) = (samples[0], samples[1]);
        let theory = sphere.theory(start.normal);
        let mut measured = Self { samples, theory, far_compliance: 0.0 };
        measured.far_compliance =
            (first.displacement - start.displacement - measured.theoretical_displacement(&first))
                / (first.tangential - start.tangential);
        measured
    }

    /// The theoretical displacement since the first point, from the tangential force. The mesh is not symmetric, so
    /// there is a small tangential force at the first point.
    fn theoretical_displacement(&self, point: &LoopPoint) -> f64 {
        self.theory.displacement(point.tangential)
            - self.theory.displacement(self.samples[0].tangential)
    }

    /// The displacement since the first point by the deformation near the contact.
    fn local_displacement(&self, point: &LoopPoint) -> f64 {
        let start = self.samples[0];
        point.displacement
            - start.displacement
            - self.far_compliance * (point.tangential - start.tangential)
    }

    /// The displacement from the extreme back to a zero tangential force, by the deformation near the contact; `None`
    /// if the force does not change sign.
    fn recovered(&self) -> Option<f64> {
        let extreme = self.samples[STEPS];
        let displacement_at_zero = at_zero_force(&self.samples[STEPS..])?;
        Some(extreme.displacement - displacement_at_zero - self.far_compliance * extreme.tangential)
    }

    /// The tangential force over its limit and the displacement over that of full slip.
    fn normalised(&self, point: &LoopPoint) -> [f64; 2] {
        let displacement_from_zero =
            self.theory.displacement(self.samples[0].tangential) + self.local_displacement(point);
        [point.tangential / self.theory.limit, displacement_from_zero / self.theory.full_slip]
    }
}

/// Compares the points of the loop with the theory.
fn compare_with_theory(
    sphere: &Sphere,
    solid: &MappedSolid,
    samples: &[LoopPoint],
    quick: bool,
) -> Result<Vec<VerificationEntry>, StudyError> {
    let measured = MeasuredLoop::new(sphere, samples);
    let (start, extreme) = (samples[0], samples[STEPS]);
    let recovered =
        measured.recovered().ok_or_else(|| scene_error(CASE, "the force does not change sign"))?;
    let case = CaseOnMesh { case: CASE, mesh: solid.description() };
    // For Hertz's pressure, the mean square of the distance from the axis is 2/5 of the squared radius.
    let radius = (2.5 * start.moment / start.normal).sqrt();
    let presliding = measured.local_displacement(&extreme);
    let theoretical_presliding = measured.theoretical_displacement(&extreme);
    let theoretical_recovery = measured.theory.recovered(extreme.tangential);
    // The cycle consists of the path from one extreme to the other and of its point reflection, which takes the same
    // work. Coarse meshes do not resolve the ring that slips, so their work has no tolerance.
    let work = 2.0 * work_along(&samples[STEPS..]);
    let theoretical_work = measured.theory.work_of_cycle(extreme.tangential);
    let work_tolerance = (!quick).then_some(0.05);
    let exponent = exponent(samples[1..=STEPS].iter().map(|point| measured.normalised(point)));
    let tolerance = Some(if quick { 0.06 } else { 0.02 });
    let micro = |value: f64| 1e3 * value;
    let entry = |quantity, value, target| case.entry(quantity, value, target, tolerance);
    Ok(vec![
        entry("radius of contact (mm)", radius, sphere.contact_radius(start.normal)),
        entry("presliding (um)", micro(presliding), micro(theoretical_presliding)),
        entry("recovered displacement (um)", micro(recovered), micro(theoretical_recovery)),
        case.entry("work of a cycle (uJ)", micro(work), micro(theoretical_work), work_tolerance),
        entry("exponent", exponent, 2.0 / 3.0),
    ])
}
