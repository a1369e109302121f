//! Ties to other bodies and obstacles: nodes that follow a surface, springs to it, seams.
//!
//! Bodies are placed one after another, so the other side of a tie may not exist yet. Regions are resolved to nodes
//! when a body is placed ([`PendingTies`]); motions and springs are created after all bodies are placed
//! ([`resolve_ties`]).
//!
//! Ties do not oppose contact: if the two sides collide, rest lengths are at least the range of the barrier, and no
//! pairs are excluded from contact.

use super::body::{PlacedBody, anchors_in_region, nodes_in_region, tied_points};
use super::collisions::PlacedObstacle;
use super::discretisation::Discretisation;
use super::error;
use super::followed::ObstacleSurface;
use super::holds::conflict_problem;
use super::host::{TieHost, TieTarget};
use super::motion::motion_of;
use super::pair_table::ContactRanges;
use resile_energy::{Anchor, Attachment, JointShape, RestLengths, Spring};
use resile_math::Vec3;
use resile_scene::description::{Body, ExpandedBody, MotionDescription, Problem, Scene, Seam};
use resile_system::{Flight, Held, Prescribed};
use resile_world::WorldJoint;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Unresolved ties of a body, by its nodes.
#[derive(Debug, Default)]
pub(super) struct PendingTies {
    holds: Vec<FollowingHold>,
    springs: Vec<TiedPoints>,
    /// Index of the seam, index of its side, and the points.
    seams: Vec<(usize, usize, Vec<Anchor>)>,
}

/// Held nodes that follow an obstacle.
#[derive(Debug)]
struct FollowingHold {
    /// The name of the obstacle.
    obstacle: String,
    nodes: Vec<usize>,
    /// Time of release (s).
    until: Option<f64>,
    path: String,
}

/// Points on springs to a body or an obstacle.
#[derive(Debug)]
struct TiedPoints {
    /// The name of the body or obstacle.
    to: String,
    /// Points with the stiffness of their springs (N/m).
    points: Vec<(Anchor, f64)>,
    path: String,
}

impl PendingTies {
    /// The ties of a body that is being placed.
    pub(super) fn new(
        scene: &Scene,
        described: &Body,
        discretisation: &Discretisation,
        path: &str,
    ) -> Result<Self, Problem> {
        let mut pending = Self::default();
        for (k, hold) in described.hold.iter().enumerate() {
            let MotionDescription::Follow(obstacle) = &hold.motion else { continue };
            let path = format!("{path}.hold[{k}]");
            let nodes = nodes_in_region(&hold.region, discretisation, format!("{path}.region"))?;
            let obstacle = obstacle.clone();
            pending.holds.push(FollowingHold { obstacle, nodes, until: hold.until, path });
        }
        for (k, attachment) in described.attach.iter().enumerate() {
            let Some(to) = attachment.to.clone() else { continue };
            let path = format!("{path}.attach[{k}]");
            let points = tied_points(attachment, discretisation, &path)?;
            pending.springs.push(TiedPoints { to, points, path });
        }
        for (k, seam) in scene.seams.iter().enumerate() {
            for (side_index, side) in [&seam.a, &seam.b].into_iter().enumerate() {
                if side.body == described.name {
                    let path = format!("seams[{k}].{}.region", ["a", "b"][side_index]);
                    let points = anchors_in_region(&side.region, discretisation, path)?;
                    let points = points.into_iter().map(|(_, point)| point).collect();
                    pending.seams.push((k, side_index, points));
                }
            }
        }
        Ok(pending)
    }

    fn is_empty(&self) -> bool {
        self.holds.is_empty() && self.springs.is_empty() && self.seams.is_empty()
    }
}

/// Resolves all ties. Adds motions of held nodes and springs to obstacles to `placed`, and returns springs between
/// bodies.
pub(super) fn resolve_ties(
    scene: &Scene,
    expanded: &[ExpandedBody],
    placed: &mut [PlacedBody],
    obstacles: &[PlacedObstacle],
    problems: &mut Vec<Problem>,
) -> Vec<WorldJoint> {
    if placed.iter().all(|body| body.ties.is_empty()) {
        return Vec::new();
    }
    let contact_ranges = ContactRanges::new(scene, expanded, placed);
    let mut ties = Ties { scene, placed, obstacles, contact_ranges, joints: Vec::new() };
    for b in 0..ties.placed.len() {
        let pending = std::mem::take(&mut ties.placed[b].ties);
        let holds =
            pending.holds.iter().map(|hold| ties.follow_obstacle(b, hold)).collect::<Vec<_>>();
        problems.extend(holds.into_iter().filter_map(Result::err));
        let springs =
            pending.springs.iter().map(|tied| ties.add_springs(b, tied)).collect::<Vec<_>>();
        problems.extend(springs.into_iter().filter_map(Result::err));
        ties.placed[b].ties.seams = pending.seams;
    }
    for (k, seam) in scene.seams.iter().enumerate() {
        if let Err(problem) = ties.add_seam_springs(k, seam) {
            problems.push(problem);
        }
    }
    ties.joints
}

/// The state of the resolution of ties.
struct Ties<'a> {
    scene: &'a Scene,
    placed: &'a mut [PlacedBody],
    obstacles: &'a [PlacedObstacle],
    contact_ranges: ContactRanges,
    joints: Vec<WorldJoint>,
}

impl Ties<'_> {
    /// The surface of an obstacle, and the index of its collider; `None` if it has no surface or does not exist.
    fn obstacle_surface(&self, name: &str) -> Option<(usize, ObstacleSurface)> {
        let index = self.obstacles.iter().position(|obstacle| obstacle.name == name)?;
        let collider = self.placed.iter().position(|body| body.body.name == name);
        let collider = collider.unwrap_or(self.placed.len() + index);
        let motion =
            self.scene.obstacles[index].motion().map(|motion| motion_of(motion, self.scene.units));
        Some((collider, ObstacleSurface::new(&self.obstacles[index], motion.unwrap_or_default())?))
    }

    /// Prescribes the motion of nodes that follow the surface of an obstacle.
    fn follow_obstacle(&mut self, b: usize, hold: &FollowingHold) -> Result<(), Problem> {
        let no_surface = || error(&hold.path, format!("\"{}\" has no surface", hold.obstacle), "");
        let (_, obstacle_surface) = self.obstacle_surface(&hold.obstacle).ok_or_else(no_surface)?;
        let body = &mut self.placed[b];
        let held_nodes: BTreeSet<usize> = body.body.prescribed.iter().map(|p| p.node).collect();
        if let Some(node) = hold.nodes.iter().find(|node| held_nodes.contains(node)) {
            return Err(conflict_problem(format!("{}.region", hold.path), *node));
        }
        let starts: Vec<Vec3> = hold.nodes.iter().map(|&n| body.state.positions[n]).collect();
        let motions = obstacle_surface.motions(&starts);
        for (&node, (start, motion)) in hold.nodes.iter().zip(motions) {
            body.state.velocities[node] = motion.initial_velocity(start);
            let held = Held::All;
            body.body.prescribed.push(Prescribed { node, start, motion, until: hold.until, held });
        }
        body.body.prescribed.sort_by_key(|prescribed| prescribed.node);
        Ok(())
    }

    /// Ties points of a body to the nearest points of another body or of an obstacle.
    fn add_springs(&mut self, b: usize, tied: &TiedPoints) -> Result<(), Problem> {
        let tied_body = &self.placed[b];
        let starts: Vec<Vec3> =
            tied.points.iter().map(|(point, _)| point.at(&tied_body.state.positions)).collect();
        if let Some((collider, obstacle_surface)) = self.obstacle_surface(&tied.to) {
            let contact_range = self.contact_ranges.of_pair(b, collider);
            let targets: Vec<Vec3> = starts
                .iter()
                .map(|x| obstacle_surface.project_outside(*x, contact_range))
                .collect();
            let motions = obstacle_surface.motions(&targets).into_iter().zip(&tied.points);
            let springs = motions.map(|((start, motion), (point, stiffness))| Spring {
                point: point.clone(),
                start,
                motion,
                stiffness: *stiffness,
            });
            let node_count = tied_body.body.node_count();
            let term = Attachment::new(node_count, springs.collect());
            let term = term.map_err(|e| error(&tied.path, e, "correct the attachment"))?;
            self.placed[b].body.energies.push(Arc::new(term));
            return Ok(());
        }
        let path = format!("{}.to", tied.path);
        let no_target = || error(&path, format!("\"{}\" has nothing to be tied to", tied.to), "");
        let target =
            self.placed.iter().position(|body| body.body.name == tied.to).ok_or_else(no_target)?;
        let host = TieHost::new(&self.placed[target]).ok_or_else(no_target)?;
        let contact_range = self.contact_ranges.of_pair(b, target);
        let (anchors, lengths): (Vec<Anchor>, Vec<f64>) = starts
            .iter()
            .map(|x| host.tie_at(*x, contact_range))
            .map(|TieTarget { anchor, length }| (anchor, length))
            .unzip();
        let rest_lengths =
            RestLengths { lengths, closing_speed: 0.0, start: 0.0, least: 0.0, pushes: true };
        let (points, stiffnesses): (Vec<Anchor>, Vec<f64>) = tied.points.iter().cloned().unzip();
        self.join([b, target], [points, anchors], (&stiffnesses, rest_lengths), &tied.path)
    }

    /// Springs between two sides, from each point to the nearest one of the other side.
    fn add_seam_springs(&mut self, k: usize, seam: &Seam) -> Result<(), Problem> {
        let points_of_side = |side_index: usize| {
            self.placed.iter().enumerate().find_map(|(b, body)| {
                let seam_side = body
                    .ties
                    .seams
                    .iter()
                    .find(|(seam, side, _)| (*seam, *side) == (k, side_index));
                seam_side.map(|(_, _, points)| (b, points.clone()))
            })
        };
        let (Some((a, points_a)), Some((b, points_b))) = (points_of_side(0), points_of_side(1))
        else {
            return Ok(());
        };
        let path = format!("seams[{k}]");
        if a == b
            && let Some(common_point) = points_a.iter().find(|point| points_b.contains(point))
        {
            let position = common_point.at(&self.placed[a].state.positions);
            let message = format!("the point at {position:.6} is on both sides of the seam");
            return Err(error(path, message, "make the regions of `a` and `b` disjoint"));
        }
        let initial_positions = |b: usize, points: &[Anchor]| -> Vec<Vec3> {
            points.iter().map(|point| point.at(&self.placed[b].state.positions)).collect()
        };
        let positions = [initial_positions(a, &points_a), initial_positions(b, &points_b)];
        let pairs = nearest_pairs(&positions);
        let contact_range = self.contact_ranges.of_pair(a, b);
        let length =
            |[i, j]: &[usize; 2]| positions[0][*i].distance(positions[1][*j]).max(contact_range);
        let rest_lengths = RestLengths {
            lengths: pairs.iter().map(length).collect(),
            closing_speed: seam.closing_speed,
            start: seam.start,
            least: contact_range,
            pushes: false,
        };
        let points = [
            pairs.iter().map(|[i, _]| points_a[*i].clone()).collect(),
            pairs.iter().map(|[_, j]| points_b[*j].clone()).collect(),
        ];
        let stiffnesses = vec![seam.stiffness; pairs.len()];
        self.join([a, b], points, (&stiffnesses, rest_lengths), &path)
    }

    /// Adds a joint between points of two bodies with given stiffnesses (N/m) and rest lengths.
    fn join(
        &mut self,
        bodies: [usize; 2],
        points: [Vec<Anchor>; 2],
        (stiffnesses, rest_lengths): (&[f64], RestLengths),
        path: &str,
    ) -> Result<(), Problem> {
        let counts = bodies.map(|b| self.placed[b].body.node_count());
        let shape = JointShape::with_stiffnesses(counts, points, stiffnesses.to_vec());
        let shape = shape.and_then(|shape| shape.resting_at(rest_lengths));
        let shape = Arc::new(shape.map_err(|e| error(path, e, "choose other regions"))?);
        bodies.into_iter().for_each(|b| self.placed[b].body.flight = Flight::Straight);
        self.joints.push(WorldJoint { shape, bodies });
        Ok(())
    }
}

/// Pairs each point of the first list with the nearest of the second, and each point of the second that is in no pair
/// with the nearest of the first. O(product of the lengths).
fn nearest_pairs([first, second]: &[Vec<Vec3>; 2]) -> Vec<[usize; 2]> {
    let nearest_index = |x: Vec3, candidates: &[Vec3]| {
        let distances = candidates.iter().map(|y| x.distance_squared(*y)).enumerate();
        distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k)
    };
    let mut pairs: BTreeSet<[usize; 2]> =
        first.iter().enumerate().map(|(i, x)| [i, nearest_index(*x, second)]).collect();
    let paired: BTreeSet<usize> = pairs.iter().map(|[_, j]| *j).collect();
    let unpaired = (0..second.len()).filter(|j| !paired.contains(j));
    pairs.extend(unpaired.map(|j| [nearest_index(second[j], first), j]));
    pairs.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_of_a_seam_is_tied() {
        let line = |xs: &[f64], y: f64| xs.iter().map(|&x| Vec3::new(x, y, 0.0)).collect();
        let pairs = nearest_pairs(&[line(&[0.0, 1.0, 2.0], 0.0), line(&[0.1, 0.9, 1.1, 2.0], 0.3)]);
        assert_eq!(pairs, [[0, 0], [1, 1], [1, 2], [2, 3]]);
    }
}
