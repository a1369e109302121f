//! Ties to other bodies and obstacles: nodes that follow a surface, springs to it, seams.
//!
//! Bodies are placed sequentially, so the other side of a tie may not exist yet. Regions are resolved to nodes when a
//! body is placed ([`Pending`]); motions and springs are created after all bodies are placed ([`tie`]).
//!
//! Ties do not oppose contact: if the two sides collide, rest lengths are at least the range of the barrier, and no
//! pairs are excluded from contact.

use super::body::{PlacedBody, nodes_in_region, points, tied_points};
use super::collisions::{ContactRanges, PlacedObstacle};
use super::discretisation::Discretisation;
use super::error;
use super::followed::ObstacleSurface;
use super::holds::conflicting_holds;
use super::host::{TieHost, TieTarget};
use super::motion::motion_of;
use resile_energy::{Anchor, Attachment, JointShape, RestLengths, Spring};
use resile_math::Vec3;
use resile_scene::description::{Body, ExpandedBody, MotionDescription, Problem, Scene, Seam};
use resile_system::{Flight, Held, Prescribed};
use resile_world::WorldJoint;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Unresolved ties of a body, by its nodes.
#[derive(Debug, Default)]
pub(super) struct Pending {
    holds: Vec<FollowingHold>,
    springs: Vec<Tied>,
    /// Number of the seam, its side, and the points.
    seams: Vec<(usize, usize, Vec<Anchor>)>,
}

/// Held nodes that follow an obstacle.
#[derive(Debug)]
struct FollowingHold {
    obstacle: String,
    nodes: Vec<usize>,
    until: Option<f64>,
    path: String,
}

/// Points on springs to a body or an obstacle.
#[derive(Debug)]
struct Tied {
    to: String,
    /// Points with the stiffness of their springs (N/m).
    points: Vec<(Anchor, f64)>,
    path: String,
}

impl Pending {
    /// The ties of a body during its placement.
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
            pending.springs.push(Tied { to, points, path });
        }
        for (k, seam) in scene.seams.iter().enumerate() {
            for (side, own) in [&seam.a, &seam.b].into_iter().enumerate() {
                if own.body == described.name {
                    let path = format!("seams[{k}].{}.region", ["a", "b"][side]);
                    let points = points(&own.region, discretisation, path)?;
                    let points = points.into_iter().map(|(_, point)| point).collect();
                    pending.seams.push((k, side, points));
                }
            }
        }
        Ok(pending)
    }

    fn is_empty(&self) -> bool {
        self.holds.is_empty() && self.springs.is_empty() && self.seams.is_empty()
    }
}

/// Resolves all ties: adds motions of held nodes and springs to obstacles to `placed`, and returns springs between
/// bodies.
pub(super) fn tie(
    scene: &Scene,
    expanded: &[ExpandedBody],
    placed: &mut [PlacedBody],
    obstacles: &[PlacedObstacle],
    problems: &mut Vec<Problem>,
) -> Vec<WorldJoint> {
    if placed.iter().all(|body| body.ties.is_empty()) {
        return Vec::new();
    }
    let reach = ContactRanges::new(scene, expanded, placed);
    let mut ties = Ties { scene, placed, obstacles, reach, joints: Vec::new() };
    for b in 0..ties.placed.len() {
        let pending = std::mem::take(&mut ties.placed[b].ties);
        let holds = pending.holds.iter().map(|hold| ties.hold(b, hold)).collect::<Vec<_>>();
        problems.extend(holds.into_iter().filter_map(Result::err));
        let springs = pending.springs.iter().map(|tied| ties.spring(b, tied)).collect::<Vec<_>>();
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

/// The resolution of ties.
struct Ties<'a> {
    scene: &'a Scene,
    placed: &'a mut [PlacedBody],
    obstacles: &'a [PlacedObstacle],
    reach: ContactRanges,
    joints: Vec<WorldJoint>,
}

impl Ties<'_> {
    /// An obstacle with a surface, and its number among colliders.
    fn obstacle_surface(&self, name: &str) -> Option<(usize, ObstacleSurface)> {
        let number = self.obstacles.iter().position(|obstacle| obstacle.name == name)?;
        let collider = self.placed.iter().position(|body| body.body.name == name);
        let collider = collider.unwrap_or(self.placed.len() + number);
        let motion =
            self.scene.obstacles[number].motion().map(|motion| motion_of(motion, self.scene.units));
        Some((collider, ObstacleSurface::new(&self.obstacles[number], motion.unwrap_or_default())?))
    }

    /// Prescribes the motion of nodes that follow the surface of an obstacle.
    fn hold(&mut self, b: usize, hold: &FollowingHold) -> Result<(), Problem> {
        let no_surface = || error(&hold.path, format!("\"{}\" has no surface", hold.obstacle), "");
        let (_, obstacle_surface) = self.obstacle_surface(&hold.obstacle).ok_or_else(no_surface)?;
        let body = &mut self.placed[b];
        let held: BTreeSet<usize> = body.body.prescribed.iter().map(|p| p.node).collect();
        if let Some(node) = hold.nodes.iter().find(|node| held.contains(node)) {
            return Err(conflicting_holds(format!("{}.region", hold.path), *node));
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
    fn spring(&mut self, b: usize, tied: &Tied) -> Result<(), Problem> {
        let tied_body = &self.placed[b];
        let starts: Vec<Vec3> =
            tied.points.iter().map(|(point, _)| point.at(&tied_body.state.positions)).collect();
        if let Some((collider, obstacle_surface)) = self.obstacle_surface(&tied.to) {
            let reach = self.reach.between(b, collider);
            let targets: Vec<Vec3> =
                starts.iter().map(|x| obstacle_surface.project_outside(*x, reach)).collect();
            let motions = obstacle_surface.motions(&targets).into_iter().zip(&tied.points);
            let springs = motions.map(|((start, motion), (point, stiffness))| Spring {
                point: point.clone(),
                start,
                motion,
                stiffness: *stiffness,
            });
            let nodes = tied_body.body.node_count();
            let term = Attachment::new(nodes, springs.collect());
            let term = term.map_err(|e| error(&tied.path, e, "correct the attachment"))?;
            self.placed[b].body.energies.push(Arc::new(term));
            return Ok(());
        }
        let path = format!("{}.to", tied.path);
        let no_target = || error(&path, format!("\"{}\" has nothing to be tied to", tied.to), "");
        let to =
            self.placed.iter().position(|body| body.body.name == tied.to).ok_or_else(no_target)?;
        let host = TieHost::new(&self.placed[to]).ok_or_else(no_target)?;
        let reach = self.reach.between(b, to);
        let (anchors, lengths): (Vec<Anchor>, Vec<f64>) = starts
            .iter()
            .map(|x| host.tie_at(*x, reach))
            .map(|TieTarget { anchor, length }| (anchor, length))
            .unzip();
        let rest =
            RestLengths { lengths, closing_speed: 0.0, start: 0.0, least: 0.0, pushes: true };
        let (points, stiffnesses): (Vec<Anchor>, Vec<f64>) = tied.points.iter().cloned().unzip();
        self.join([b, to], [points, anchors], (&stiffnesses, rest), &tied.path)
    }

    /// Springs between two sides, from each point to the nearest one of the other side.
    fn add_seam_springs(&mut self, k: usize, seam: &Seam) -> Result<(), Problem> {
        let side = |side: usize| {
            self.placed.iter().enumerate().find_map(|(b, body)| {
                let seam_side = body
                    .ties
                    .seams
                    .iter()
                    .find(|(seam, of_side, _)| (*seam, *of_side) == (k, side));
                seam_side.map(|(_, _, points)| (b, points.clone()))
            })
        };
        let (Some((a, first)), Some((b, second))) = (side(0), side(1)) else { return Ok(()) };
        let path = format!("seams[{k}]");
        if a == b
            && let Some(both) = first.iter().find(|point| second.contains(point))
        {
            let at = both.at(&self.placed[a].state.positions);
            let message = format!("the point at {at:.6} is on both sides of the seam");
            return Err(error(path, message, "make the regions of `a` and `b` disjoint"));
        }
        let at = |b: usize, points: &[Anchor]| -> Vec<Vec3> {
            points.iter().map(|point| point.at(&self.placed[b].state.positions)).collect()
        };
        let places = [at(a, &first), at(b, &second)];
        let pairs = nearest_pairs(&places);
        let reach = self.reach.between(a, b);
        let length = |[i, j]: &[usize; 2]| places[0][*i].distance(places[1][*j]).max(reach);
        let rest = RestLengths {
            lengths: pairs.iter().map(length).collect(),
            closing_speed: seam.closing_speed,
            start: seam.start,
            least: reach,
            pushes: false,
        };
        let points = [
            pairs.iter().map(|[i, _]| first[*i].clone()).collect(),
            pairs.iter().map(|[_, j]| second[*j].clone()).collect(),
        ];
        let stiffnesses = vec![seam.stiffness; pairs.len()];
        self.join([a, b], points, (&stiffnesses, rest), &path)
    }

    /// Adds a joint between points of two bodies with these stiffnesses (N/m) and rest lengths.
    fn join(
        &mut self,
        bodies: [usize; 2],
        points: [Vec<Anchor>; 2],
        (stiffnesses, rest): (&[f64], RestLengths),
        path: &str,
    ) -> Result<(), Problem> {
        let counts = bodies.map(|b| self.placed[b].body.node_count());
        let shape = JointShape::with_stiffnesses(counts, points, stiffnesses.to_vec());
        let shape = shape.and_then(|shape| shape.resting_at(rest));
        let shape = Arc::new(shape.map_err(|e| error(path, e, "choose other regions"))?);
        bodies.into_iter().for_each(|b| self.placed[b].body.flight = Flight::Straight);
        self.joints.push(WorldJoint { shape, bodies });
        Ok(())
    }
}

/// Pairs each point of the first list with the nearest of the second, and each unpaired point of the second with the
/// nearest of the first. O(product of both).
fn nearest_pairs([first, second]: &[Vec<Vec3>; 2]) -> Vec<[usize; 2]> {
    let nearest = |x: Vec3, among: &[Vec3]| {
        let all = among.iter().map(|y| x.distance_squared(*y)).enumerate();
        all.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k)
    };
    let mut pairs: BTreeSet<[usize; 2]> =
        first.iter().enumerate().map(|(i, x)| [i, nearest(*x, second)]).collect();
    let paired: BTreeSet<usize> = pairs.iter().map(|[_, j]| *j).collect();
    let unpaired = (0..second.len()).filter(|j| !paired.contains(j));
    pairs.extend(unpaired.map(|j| [nearest(second[j], first), j]));
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
