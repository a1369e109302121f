//! Warnings of valid scenes, issued by `sim check` only, so that runs do not repeat them.

use super::animation_warnings::warn_animations;
use super::body::PlacedBody;
use super::coarse::{warn_curved_incompressible, warn_inertia_error, warn_single_layer};
use super::loose_tolerance::warn_loose_tolerance;
use super::many_pairs::warn_many_pairs;
use super::nested::warn_nested;
use super::overlapping_elements::warn_overlap;
use super::start::{self, Crossing, Side};
use super::without_effect::warn_rotation_about_own_axis;
use super::{Parts, path_of, tets_per_element};
use resile_contact::{CollisionFilter, Intersection, intersections};
use resile_math::Aabb;
use resile_mesh::TetMesh;
use resile_scene::description::{Analysis, Contact, ContactStart, Problem, Severity};
use resile_world::arcs::{self, PrescribedMotions};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Number of near pairs of primitives at which the search ends.
const MAX_NEAR_PAIRS: usize = 50_000;
/// Smallest dihedral angle (degrees) without a warning: half the bound of filled meshes.
const MIN_DIHEDRAL_ANGLE: f64 = 5.0;
/// Largest number of cells that a surface may cross in a step without a warning.
const MAX_CELLS_PER_STEP: f64 = 10.0;
/// Largest number of subdivisions of a step without a warning.
const MAX_SUBDIVISIONS: usize = 8;
/// Largest deviation of the steps between frames from an integer without a warning.
const STEP_COUNT_TOLERANCE: f64 = 0.02;
/// Number of steps between frames from which on a difference of one step is invisible.
const MAX_STEPS_PER_FRAME: f64 = 10.0;
/// Maximum number of listed elements.
const MAX_LISTED: usize = 8;

/// All warnings. Only the first copy of a body is checked for those of its shape.
pub(super) fn all_warnings(parts: &Parts<'_>, crossings: &[Crossing]) -> Vec<Problem> {
    let mut problems = warn_nested(parts);
    problems.extend(warn_start_in_barrier_range(parts, crossings));
    let mut last_source = None;
    for (k, body) in parts.expanded.iter().enumerate() {
        if last_source != Some(body.source) {
            problems.extend(warn_slivers(parts, k));
            problems.extend(warn_single_layer(parts, k));
            problems.extend(warn_curved_incompressible(parts, k));
            problems.extend(warn_overlap(parts, k));
            problems.extend(warn_inertia_error(parts, k));
            problems.extend(warn_short_edges(parts, k));
            problems.extend(warn_long_step(parts, k));
            problems.extend(warn_loose_tolerance(parts, k));
            problems.extend(warn_rotation_about_own_axis(parts, k));
        }
        last_source = Some(body.source);
    }
    problems.extend((0..parts.placed.len()).filter_map(|k| warn_long_arc(parts, k)));
    problems.extend(warn_many_pairs(parts));
    problems.extend(warn_animations(parts));
    problems.extend(warn_uneven_frames(parts));
    problems
}

/// Warns of frame intervals that alternate between two numbers of steps, which makes films stutter.
fn warn_uneven_frames(parts: &Parts<'_>) -> Option<Problem> {
    let (output, h) = (&parts.scene.output, parts.scene.time.step.seconds());
    let rate = output.frame_rate;
    let steps_per_frame = 1.0 / (h * rate);
    let is_uneven =
        (steps_per_frame - steps_per_frame.round()).abs() > STEP_COUNT_TOLERANCE * steps_per_frame;
    if output.formats.is_empty()
        || parts.scene.analysis != Analysis::Dynamic
        || !(1.0..MAX_STEPS_PER_FRAME).contains(&steps_per_frame)
        || !is_uneven
    {
        return None;
    }
    let message = format!(
        "{rate} frames a second do not divide into steps of {h:.6} s: frames are {} or {} steps apart",
        steps_per_frame.floor(),
        steps_per_frame.ceil()
    );
    let (rounded_steps, steps_per_second) = (steps_per_frame.round(), 1.0 / h);
    let help = format!(
        "for films that run evenly `output.frame_rate: {}`, or `time.step: \"1/{}\"`",
        (1e6 * steps_per_second / rounded_steps).round() / 1e6,
        (rate * rounded_steps).round()
    );
    Some(step_warning("output.frame_rate".to_owned(), message, help))
}

/// Warns of motions along arcs that need many subdivisions of a step, or too many.
fn warn_long_arc(parts: &Parts<'_>, k: usize) -> Option<Problem> {
    let limit = arcs::limit(parts.collisions.as_ref()?.barrier.d_hat);
    let PlacedBody { body, surface, .. } = &parts.placed[k];
    let prescribed = PrescribedMotions::new(body, surface);
    let h = parts.scene.time.step.seconds();
    let subdivision = |start: f64| (start, arcs::pieces(&[&prescribed], [start, start + h], limit));
    let piece_count =
        |piece_ends: &Option<Vec<f64>>| piece_ends.as_ref().map_or(usize::MAX, Vec::len);
    let steps = prescribed.fastest_steps(h).into_iter().map(subdivision);
    let (start, piece_ends) = steps.max_by_key(|(_, piece_ends)| piece_count(piece_ends))?;
    let excess = prescribed.too_fast([start, start + h], limit);
    match piece_ends {
        None => Some(step_warning(
            "time.step".to_owned(),
            excess.to_string(),
            "the run will stop there",
        )),
        Some(piece_ends) if piece_ends.len() > MAX_SUBDIVISIONS => {
            let message = format!(
                "\"{}\" moves at up to {:.4}{} in a step of {h:.6} s: of what may meet it each \
                 step is cut into {} pieces, so that it goes along its path",
                excess.body,
                parts.scene.units.show(excess.speed, "m/s"),
                arcs::turning(excess.angle),
                piece_ends.len()
            );
            let help = "a smaller `time.step` makes the motion of all bodies as accurate for the same work";
            Some(step_warning("time.step".to_owned(), message, help))
        }
        Some(_) => None,
    }
}

/// A warning about a field.
pub(super) fn warning(path: String, message: String, help: impl Into<String>) -> Problem {
    Problem { severity: Severity::Warning, path, message, help: help.into(), concerns_steps: false }
}

/// A warning about a field that [concerns steps](Problem::concerns_steps).
pub(super) fn step_warning(path: String, message: String, help: impl Into<String>) -> Problem {
    Problem { concerns_steps: true, ..warning(path, message, help) }
}

/// The path of the placement of a body, or of the obstacles, and the name in the scene: for a copy that of the repeated
/// body.
pub(super) fn origin(parts: &Parts<'_>, collider: usize) -> (String, String) {
    match parts.expanded.get(collider) {
        Some(body) => {
            (format!("{}.placement", path_of(body)), parts.scene.bodies[body.source].name.clone())
        }
        None => ("obstacles".to_owned(), start::collider_name(parts, collider)),
    }
}

/// Near pairs of bodies with the same names in the scene.
struct NearPairs {
    /// The pair of primitives with the smallest gap.
    nearest: Intersection,
    /// The first pair of colliders.
    first: [usize; 2],
    pairs: BTreeSet<[usize; 2]>,
}

/// The indices of the colliders of two sides in ascending order.
fn ascending_pair(sides: &[Side; 2]) -> [usize; 2] {
    let [a, b] = sides.each_ref().map(|side| side.collider);
    [a.min(b), a.max(b)]
}

/// Warns of bodies that start within the range of the barrier. Copies are reported together.
fn warn_start_in_barrier_range(parts: &Parts<'_>, crossings: &[Crossing]) -> Vec<Problem> {
    let Some(collisions) = &parts.collisions else { return Vec::new() };
    let d_hat = collisions.barrier.d_hat;
    // Surfaces that are thicker by d_hat on each side intersect where the gap is below the range. Self-contact is left
    // out, because neighbouring cells of a body would be found.
    let mut pairs = (*collisions.pairs).clone();
    pairs.set_self_filter(CollisionFilter::Ignored);
    let mut widened = collisions.clone();
    widened.pairs = Arc::new(pairs);
    widened.half_thicknesses.iter_mut().for_each(|half| *half += d_hat);
    let bodies: Vec<usize> = (0..parts.placed.len()).collect();
    let (x, first_nodes) = start::initial_positions(parts);
    let widened_scene = widened.scene(&bodies, |k| first_nodes[k]);
    let half_thickness =
        |collider: usize| collisions.half_thicknesses.get(collider).copied().unwrap_or(0.0);
    let gap = |intersection: &Intersection| {
        let [a, b] = intersection.colliders;
        intersection.distance - half_thickness(a) - if a == b { 0.0 } else { half_thickness(b) }
    };
    let intersecting: BTreeSet<[usize; 2]> =
        crossings.iter().map(|crossing| ascending_pair(&crossing.sides)).collect();
    let mut groups_by_names: BTreeMap<[String; 2], NearPairs> = BTreeMap::new();
    for intersection in intersections(&widened_scene, &x, MAX_NEAR_PAIRS) {
        let [a, b] = intersection.colliders;
        let pair = [a.min(b), a.max(b)];
        if gap(&intersection) >= d_hat || gap(&intersection) <= 0.0 || intersecting.contains(&pair)
        {
            continue;
        }
        let names = pair.map(|collider| origin(parts, collider).1);
        let new = || NearPairs { nearest: intersection, first: pair, pairs: BTreeSet::new() };
        let NearPairs { nearest, pairs, .. } = groups_by_names.entry(names).or_insert_with(new);
        pairs.insert(pair);
        if gap(&intersection) < gap(nearest) {
            *nearest = intersection;
        }
    }
    let mut groups: Vec<_> = groups_by_names.into_values().collect();
    groups.sort_by_key(|group| group.first);
    groups.iter().map(|NearPairs { nearest: intersection, pairs, .. }| {
        let [a, b] = intersection.colliders;
        let first_collider = a.min(b);
        let [p, q] = [first_collider, a.max(b)].map(|collider| start::collider_name(parts, collider));
        let units = parts.scene.units;
        let more_pairs = match pairs.len() {
            1 => String::new(),
            n => format!("; {} more pairs of copies are as near", n - 1),
        };
        let message = format!(
            "\"{p}\" and \"{q}\" begin {:.3e} apart at {}, nearer than d_hat = {}{more_pairs}",
            units.show(gap(intersection), "m"),
            units.point(intersection.point.to_array()),
            units.show(d_hat, "m")
        );
        let help = match parts.scene.contact {
            Contact::Barrier { start: ContactStart::AsPlaced, .. } => {
                "the barrier pushes them apart from the first step: begin d_hat apart, choose a smaller `contact.d_hat`, \
                 or leave out `contact.start`"
            }
            _ => {
                "a run first moves them to where contact carries them and reports the displacement; to start where they are placed, \
                 put them d_hat apart, or choose a smaller `contact.d_hat`"
            }
        };
        warning(origin(parts, first_collider).0, message, help)
    }).collect()
}

/// Warns of elements with small dihedral angles, and lists the sharpest ones.
fn warn_slivers(parts: &Parts<'_>, k: usize) -> Option<Problem> {
    let body = &parts.placed[k];
    let mesh = TetMesh { positions: body.state.positions.clone(), tets: body.tets.clone() };
    // The smallest angle of a quadratic tetrahedron is that of its linear ones.
    let angles: Vec<f64> = mesh
        .smallest_dihedrals()
        .chunks(tets_per_element(body.elements))
        .map(|angles| angles.iter().copied().fold(f64::INFINITY, f64::min))
        .collect();
    let mut small_angled: Vec<usize> =
        (0..angles.len()).filter(|&e| angles[e] < MIN_DIHEDRAL_ANGLE).collect();
    small_angled.sort_by(|&a, &b| angles[a].total_cmp(&angles[b]).then(a.cmp(&b)));
    let sharpest = *small_angled.first()?;
    let listed: Vec<String> = small_angled.iter().take(MAX_LISTED).map(usize::to_string).collect();
    let more = if small_angled.len() > MAX_LISTED { ", ..." } else { "" };
    let noun = if small_angled.len() == 1 { "element has" } else { "elements have" };
    let message = format!(
        "{} {noun} dihedral angles below {MIN_DIHEDRAL_ANGLE} degrees at the start in \"{}\", the smallest {:.2}: {}{more}",
        small_angled.len(),
        body.body.name,
        angles[sharpest],
        listed.join(", ")
    );
    let path = format!("{}.shape", path_of(&parts.expanded[k]));
    Some(warning(
        path,
        message,
        "slivers make the solver slow: mesh the surface anew, `sim mesh boundary.obj -o model.msh` or `Fill`, or deform less",
    ))
}

/// Warns of edges of a surface that are shorter than twice the range of the barrier. Shapes with regular grids are
/// checked earlier, by their description.
fn warn_short_edges(parts: &Parts<'_>, k: usize) -> Option<Problem> {
    let Contact::Barrier { d_hat, .. } = parts.scene.contact else { return None };
    let (body, expanded) = (&parts.placed[k], &parts.expanded[k]);
    if !expanded.body.shape.is_irregular() {
        return None;
    }
    let points = body.surface.points(&body.state.positions);
    let edges = body.surface.edges();
    let length = |e: &[u32; 2]| points[e[0] as usize].distance(points[e[1] as usize]);
    let short_count = edges.iter().filter(|e| length(e) < 2.0 * d_hat).count();
    let shortest = edges.iter().min_by(|a, b| length(a).total_cmp(&length(b)))?;
    (short_count > 0).then(|| {
        let units = parts.scene.units;
        let message = format!(
            "d_hat = {} is more than half of {short_count} of the {} edges of \"{}\"; the shortest, {}-{}, is {:.3e}",
            units.show(d_hat, "m"), edges.len(), body.body.name, shortest[0], shortest[1], units.show(length(shortest), "m")
        );
        let help = format!(
            "neighbouring parts of a surface push each other apart: choose d_hat below {:.1e}, or a coarser mesh",
            units.show(0.5 * length(shortest), "m")
        );
        warning("contact.d_hat".to_owned(), message, help)
    })
}

/// Warns of steps in which a body moves farther than its size, or over many of its cells.
fn warn_long_step(parts: &Parts<'_>, k: usize) -> Option<Problem> {
    let body = &parts.placed[k];
    let h = parts.scene.time.step.seconds();
    let speeds = body.state.velocities.iter().map(|v| v.length());
    let (node, speed) = speeds.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let displacement = speed * h;
    let points = body.surface.points(&body.state.positions);
    let edges = body.surface.edges();
    // Equilibria have no velocities.
    if edges.is_empty() || displacement == 0.0 || parts.scene.analysis != Analysis::Dynamic {
        return None;
    }
    let extent = Aabb::around(&points)?.size().max_element();
    let length = |e: &[u32; 2]| points[e[0] as usize].distance(points[e[1] as usize]);
    let mean_edge = edges.iter().map(length).sum::<f64>() / edges.len() as f64;
    // An affine body has no cells.
    let (limit, limit_text) = match body.affine {
        None if MAX_CELLS_PER_STEP * mean_edge < extent => {
            (MAX_CELLS_PER_STEP * mean_edge, "ten of its edges")
        }
        _ => (extent, "its own size"),
    };
    (displacement > limit).then(|| {
        let units = parts.scene.units;
        let message = format!(
            "\"{}\" moves {:.3e} in a step of {h:.6} s (node {node}: {:.4}), more than {limit_text}, {:.3e}",
            body.body.name,
            units.show(displacement, "m"),
            units.show(speed, "m/s"),
            units.show(limit, "m")
        );
        let steps = (speed / limit * 2.0).ceil();
        step_warning(
            "time.step".to_owned(),
            message,
            format!("impacts are not resolved in time: a step of \"1/{steps}\" s or less, or velocities in {}", units.symbol("m/s")),
        )
    })
}
