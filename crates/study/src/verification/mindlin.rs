//! Partial slip: an elastic sphere that is pressed onto a rough rigid plane and moved to and fro (Cattaneo 1938, Mindlin
//! 1949; Johnson 1985, *Contact Mechanics*, section 7.2).
//!
//! With the force P, the radius of contact `a`, friction mu and `c = 3 mu P (2 - nu) / (16 a G)` the tangential force Q of
//! less than mu P displaces the sphere by `c f(Q / mu P)` with
//!
//! ```text
//!   f(q) = 1 - (1 - q)^(2/3).
//! ```
//!
//! From an extreme `Q* = q mu P` back it moves by `2 c f((Q* - Q) / 2 mu P)`, and a cycle between `-Q*` and `Q*` takes the work
//!
//! ```text
//!   mu P c (4 q f(q) - 8 (q - 3/5 (1 - (1 - q)^(5/3)))).
//! ```

use super::contact::{Roughness, barrier, touching};
use super::mapped::{MappedSolid, Order, elastic, is_at};
use super::{OnMesh, VerificationEntry};
use crate::drive::{StudyError, unfit};
use resile_energy::Material;
use resile_system::{Body, Interpolation, Key, Keyframes, Motion, State, Vec3};
use resile_world::World;
use std::f64::consts::PI;
use std::sync::Arc;

const CASE: &str = "sphere moved to and fro on a rough plane (Mindlin 1949)";

/// Steps from the middle to an extreme.
const STEPS: usize = 6;

/// Length of a step (s): inertia is negligible.
const STEP: f64 = 100.0;

/// Approach of the upper side over that of a half space under the same force. The solid is stiffer.
const APPROACH: f64 = 0.907;

/// Amplitude of the upper side over `c`, at which the tangential force is about half of its limit.
const AMPLITUDE: f64 = 0.475;

/// Slip in a step below which friction is not fully developed, over `c`.
const SLIP: f64 = 5e-4;

/// A sphere, in N and mm.
struct Sphere {
    young: f64,
    poisson: f64,
    radius: f64,
    friction: f64,
    force: f64,
}

/// Laws of a tangential force.
struct Mindlin {
    /// Force at which all of the contact slips: mu P.
    limit: f64,
    /// Displacement at that force: `c`.
    slip: f64,
}

/// Cells along half of a side: even ones in the contact, larger ones around it, and those above.
struct Cells {
    inner: usize,
    outer: usize,
    layers: usize,
}

impl Sphere {
    /// The radius of contact under a force.
    fn contact(&self, force: f64) -> f64 {
        let effective = self.young / (1.0 - self.poisson * self.poisson);
        (3.0 * force * self.radius / (4.0 * effective)).cbrt()
    }

    /// The theory under a normal force.
    fn theory(&self, force: f64) -> Mindlin {
        let shear = self.young / (2.0 * (1.0 + self.poisson));
        let compliance = (2.0 - self.poisson) / shear;
        let limit = self.friction * force;
        Mindlin { limit, slip: 3.0 * limit * compliance / (16.0 * self.contact(force)) }
    }

    /// Half of the sphere, as a paraboloid, ten radii of contact wide and six high.
    fn solid(&self, Cells { inner, outer, layers }: Cells, d_hat: f64) -> MappedSolid {
        let contact = self.contact(self.force);
        let [reach, extent, height] = [1.15, 5.0, 6.0].map(|size| size * contact);
        let (half, first) = (inner + outer, reach / inner as f64);
        MappedSolid::new([2 * half, layers, half], Order::Quadratic, |unit| {
            let place = |t: f64| graded(t * half as f64, inner, first, outer, extent);
            let across = 2.0 * unit.x - 1.0;
            let (x, z) = (place(across.abs()).copysign(across), place(unit.z));
            let low = (x * x + z * z) / (2.0 * self.radius);
            let up = graded(unit.y * layers as f64, 1, first, layers - 1, height) / height;
            Vec3::new(x, low + up * (height - low) + 0.5 * d_hat, z)
        })
    }
}

impl Mindlin {
    /// Displacement under a force that grows from zero.
    fn displacement(&self, force: f64) -> f64 {
        self.slip * (1.0 - (1.0 - force / self.limit).powf(2.0 / 3.0))
    }

    /// Displacement by which the sphere moves back while a force decreases to zero.
    fn recovered(&self, force: f64) -> f64 {
        2.0 * self.displacement(0.5 * force)
    }

    /// Work of a cycle between a force and its opposite.
    fn work_of_cycle(&self, force: f64) -> f64 {
        let q = force / self.limit;
        let below = q - 0.6 * (1.0 - (1.0 - q).powf(5.0 / 3.0));
        4.0 * force * self.displacement(force) - 8.0 * self.limit * self.slip * below
    }
}

/// The place after `at` cells: `even` ones of the length `first`, then `growing` ones, in geometric progression, to `extent`.
fn graded(at: f64, even: usize, first: f64, growing: usize, extent: f64) -> f64 {
    let reach = first * even as f64;
    if at <= even as f64 {
        return first * at;
    }
    let sum = |ratio: f64, cells: f64| first * ratio * (ratio.powf(cells) - 1.0) / (ratio - 1.0);
    let (mut low, mut high) = (1.0 + 1e-6, 1e3);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if sum(middle, growing as f64) < extent - reach { low = middle } else { high = middle }
    }
    reach + sum(low, at - even as f64)
}

/// Displacement of the upper side, and forces on the whole sphere.
#[derive(Debug, Clone, Copy)]
struct LoopPoint {
    displacement: f64,
    normal: f64,
    tangential: f64,
    /// Second moment of the normal force about the axis.
    moment: f64,
}

/// The motion of the upper side: down, then from the middle to one extreme and to the other.
fn motion(approach: f64, amplitude: f64) -> Motion {
    let key = |(steps, x): (usize, f64)| Key {
        time: STEP * steps as f64,
        translation: Vec3::new(x, -approach, 0.0),
        rotation: Vec3::ZERO,
    };
    let mut keys = vec![Key { time: 0.0, translation: Vec3::ZERO, rotation: Vec3::ZERO }];
    let (there, back) = (1 + STEPS, 1 + 3 * STEPS);
    keys.extend([(1, 0.0), (there, amplitude), (back, -amplitude)].map(key));
    let keyframes = Keyframes::new(Vec3::ZERO, Interpolation::Linear, keys);
    Motion::Keyframes(Arc::new(keyframes.expect("times ascend")))
}

/// The solid with its upper side clamped and driven.
fn driven(sphere: &Sphere, solid: &MappedSolid) -> (Body, State) {
    let contact = sphere.contact(sphere.force);
    let amplitude = AMPLITUDE * sphere.theory(sphere.force).slip;
    let material = elastic(Material::Linear, sphere.young, sphere.poisson);
    let (mut body, state) = solid.body(material, Vec::new(), |unit| {
        let clamped = is_at(unit.y, 1.0);
        [clamped, clamped, clamped || is_at(unit.z, 0.0)]
    });
    let motion = motion(APPROACH * contact * contact / sphere.radius, amplitude);
    for prescribed in &mut body.prescribed {
        if is_at(solid.unit(prescribed.node).y, 1.0) {
            prescribed.motion = motion.clone();
        }
    }
    (body, state)
}

fn sample(world: &mut World, solid: &MappedSolid, node: usize) -> Result<LoopPoint, StudyError> {
    let forces = world.contact_forces(STEP).ok_or_else(|| unfit(CASE, "nothing collides"))?;
    let (normal, friction) = (&forces.bodies[0].normal, &forces.bodies[0].friction);
    let squares = normal.iter().zip(solid.positions());
    // The half that is not meshed doubles each of them.
    Ok(LoopPoint {
        displacement: world.state(0).positions[node].x - solid.rest(node).x,
        normal: 2.0 * normal.iter().map(|force| force.y).sum::<f64>(),
        tangential: -2.0 * friction.iter().map(|force| force.x).sum::<f64>(),
        moment: 2.0 * squares.map(|(force, x)| force.y * (x.x * x.x + x.z * x.z)).sum::<f64>(),
    })
}

/// Samples after the approach and after each step from there.
fn samples(sphere: &Sphere, solid: &MappedSolid, d_hat: f64) -> Result<Vec<LoopPoint>, StudyError> {
    let contact = sphere.contact(sphere.force);
    let largest = 3.0 * sphere.force / (2.0 * PI * contact * contact);
    let slip_speed = SLIP * sphere.theory(sphere.force).slip / STEP;
    let roughness = Roughness { friction: sphere.friction, slip_speed };
    let parts = vec![(solid, driven(sphere, solid))];
    let mut world = touching(parts, true, barrier(d_hat, largest), roughness);
    let top = solid.node_at(Vec3::new(0.0, 1e3, 0.0));
    let mut samples = Vec::new();
    for step in 1..=1 + 3 * STEPS {
        let stepped = world.step(STEP, STEP * step as f64);
        stepped.map_err(|failure| unfit(CASE, failure))?;
        samples.push(sample(&mut world, solid, top)?);
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

/// Work along samples.
fn work(samples: &[LoopPoint]) -> f64 {
    let between = |[a, b]: [LoopPoint; 2]| {
        0.5 * (a.tangential + b.tangential) * (b.displacement - a.displacement)
    };
    samples.windows(2).map(|pair| between([pair[0], pair[1]])).sum()
}

/// The exponent `n` of `1 - d/c = (1 - q)^n`, by least squares of the logarithms.
fn exponent(points: impl Iterator<Item = [f64; 2]>) -> f64 {
    let logarithms = points.map(|point| point.map(|x| (1.0 - x).ln()));
    let [above, below] = logarithms.fold([0.0, 0.0], |[above, below], [of_q, of_d]| {
        [above + of_q * of_d, below + of_q * of_q]
    });
    above / below
}

/// Ten megapascal, a radius of 7.77 mm, 1 N.
///
/// The theory is that of a half space. Displacements are therefore reduced by those of the solid far from the contact, in
/// proportion to the force, as the first step shows them.
pub(super) fn sphere(quick: bool) -> Result<Vec<VerificationEntry>, StudyError> {
    let sphere = Sphere { young: 10.0, poisson: 0.45, radius: 7.77, friction: 1.0, force: 1.0 };
    let contact = sphere.contact(sphere.force);
    let (cells, gap) = match quick {
        true => (Cells { inner: 3, outer: 2, layers: 3 }, 1e-2),
        false => (Cells { inner: 6, outer: 2, layers: 5 }, 1e-3),
    };
    let d_hat = gap * contact * contact / sphere.radius;
    let solid = sphere.solid(cells, d_hat);
    let all = samples(&sphere, &solid, d_hat)?;
    entries(&sphere, &solid, &all, quick)
}

fn entries(
    sphere: &Sphere,
    solid: &MappedSolid,
    all: &[LoopPoint],
    quick: bool,
) -> Result<Vec<VerificationEntry>, StudyError> {
    let (start, first, extreme, back) = (all[0], all[1], all[STEPS], &all[STEPS..]);
    let theory = sphere.theory(start.normal);
    // The mesh is not symmetric: there is a small force in the middle.
    let expected =
        |s: &LoopPoint| theory.displacement(s.tangential) - theory.displacement(start.tangential);
    let far = (first.displacement - start.displacement - expected(&first))
        / (first.tangential - start.tangential);
    let moved = |s: &LoopPoint| {
        s.displacement - start.displacement - far * (s.tangential - start.tangential)
    };
    let zero = at_zero_force(back).ok_or_else(|| unfit(CASE, "the force does not change sign"))?;
    let recovered = extreme.displacement - zero - far * extreme.tangential;
    let from_zero = |s: &LoopPoint| theory.displacement(start.tangential) + moved(s);
    let relative = |s: &LoopPoint| [s.tangential / theory.limit, from_zero(s) / theory.slip];
    let case = OnMesh { case: CASE, mesh: solid.described() };
    // For Hertz's pressure, the mean square of the distance from the axis is 2/5 of the squared radius.
    let radius = (2.5 * start.moment / start.normal).sqrt();
    let (to_presliding, to_recovered) = (expected(&extreme), theory.recovered(extreme.tangential));
    // The way back, and its image in the origin. Coarse meshes do not resolve the ring that slips.
    let (dissipated, of_work) = (2.0 * work(back), (!quick).then_some(0.05));
    let tolerance = Some(if quick { 0.06 } else { 0.02 });
    Ok(vec![
        case.entry("radius of contact (mm)", radius, sphere.contact(start.normal), tolerance),
        case.entry("presliding (um)", 1e3 * moved(&extreme), 1e3 * to_presliding, tolerance),
        case.entry("recovered displacement (um)", 1e3 * recovered, 1e3 * to_recovered, tolerance),
        case.entry(
            "work of a cycle (uJ)",
            1e3 * dissipated,
            1e3 * theory.work_of_cycle(extreme.tangential),
            of_work,
        ),
        case.entry("exponent", exponent(all[1..=STEPS].iter().map(relative)), 2.0 / 3.0, tolerance),
    ])
}
