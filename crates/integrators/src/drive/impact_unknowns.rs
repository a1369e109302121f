//! The unknowns of an impact: the velocities of nodes, and the rigid motions of bodies that bounce as a whole.

use crate::rigid::inertia::Shape;
use crate::step::NO_INDEX;
use resile_math::{AFFINE_NODES, Mat3, Vec3, cross_matrix};
use resile_sparse::{Assembly, BlockSink as _, NO_ROW};
use resile_system::{Prepared, Psd};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Smallest ratio of the means of `h^2 K` and `M` for an affine body with Dirichlet conditions. Its deformation in an
/// impact is then negligible: a relative velocity of its points of 1e-6 of that of the impact, and 4e-4 for a rod with a
/// slenderness of 20.
const MIN_RIGIDITY: f64 = 1e6;

/// The unknown velocities (m/s) of the bodies of an impact.
pub(super) struct ImpactUnknowns {
    bodies: Vec<ImpactedBody>,
    /// Index in `bodies` by body of the system, or [`NO_INDEX`].
    body_index: Vec<usize>,
    count: usize,
}

/// A body with its unknowns.
struct ImpactedBody {
    body: usize,
    /// Its nodes in the system.
    nodes: Range<usize>,
    /// Its first unknown. It has one for each node, or the two of its rigid motion.
    first: usize,
    /// The rigid motion, if the body bounces as a whole.
    rigid: Option<RigidUnknowns>,
}

/// A rigid motion with the unknowns `t` and `r` (m/s): a node with the arm `a` from the centre has the velocity
/// `t + r x a / length`.
struct RigidUnknowns {
    shape: Shape,
    /// Radius of gyration (m), so that both unknowns have masses of the same size.
    length: f64,
}

impl RigidUnknowns {
    fn new(shape: Shape) -> Self {
        let Mat3 { x_axis, y_axis, z_axis } = shape.inertia;
        let mass: f64 = shape.masses.iter().sum();
        let length = ((x_axis.x + y_axis.y + z_axis.z) / (3.0 * mass)).sqrt();
        Self { shape, length }
    }

    /// The matrix by which the second unknown is multiplied in the velocity of node `k` of the body.
    fn rotation_factor(&self, k: usize) -> Mat3 {
        cross_matrix(self.shape.arms[k]) * (-1.0 / self.length)
    }

    /// The masses (kg) of both unknowns.
    fn masses(&self) -> [Mat3; 2] {
        let mass: f64 = self.shape.masses.iter().sum();
        [Mat3::from_diagonal(Vec3::splat(mass)), self.shape.inertia * self.length.powi(-2)]
    }
}

impl ImpactUnknowns {
    /// The unknowns of `bodies` at the positions `x` (m).
    pub(super) fn new(system: &Prepared<'_>, x: &[Vec3], bodies: &[usize]) -> Self {
        let mut unknowns = Self {
            bodies: Vec::new(),
            body_index: vec![NO_INDEX; system.bodies().len()],
            count: 0,
        };
        for &body in bodies {
            let nodes = system.nodes(body);
            let shape = || Shape::regularised(&system.masses()[nodes.clone()], &x[nodes.clone()]);
            let bounces_as_a_whole = system.bodies()[body].bounces_as_a_whole();
            let rigid = bounces_as_a_whole.then(|| RigidUnknowns::new(shape()));
            unknowns.body_index[body] = unknowns.bodies.len();
            let first = unknowns.count;
            unknowns.count += if rigid.is_some() { 2 } else { nodes.len() };
            unknowns.bodies.push(ImpactedBody { body, nodes, first, rigid });
        }
        unknowns
    }

    /// Number of unknowns.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The weighted sum of nodal velocities as a sum over unknowns, each multiplied by a matrix.
    pub(super) fn factors(
        &self,
        system: &Prepared<'_>,
        weighted_nodes: &[(usize, f64)],
    ) -> Vec<(usize, Mat3)> {
        let mut factors: BTreeMap<usize, Mat3> = BTreeMap::new();
        let mut add = |unknown: usize, factor: Mat3| {
            let sum = factors.entry(unknown).or_insert(Mat3::ZERO);
            *sum += factor;
        };
        for &(node, weight) in weighted_nodes {
            let impacted = &self.bodies[self.body_index[system.body_of(node)]];
            let k = node - impacted.nodes.start;
            match &impacted.rigid {
                Some(rigid) => {
                    add(impacted.first, Mat3::IDENTITY * weight);
                    add(impacted.first + 1, rigid.rotation_factor(k) * weight);
                }
                None => add(impacted.first + k, Mat3::IDENTITY * weight),
            }
        }
        factors.into_iter().collect()
    }

    /// The unknowns with the linear and angular momenta of the nodal velocities `v` (m/s).
    pub(super) fn gather(&self, v: &[Vec3]) -> Vec<Vec3> {
        let mut unknowns = Vec::with_capacity(self.count);
        for impacted in &self.bodies {
            let v = &v[impacted.nodes.clone()];
            match &impacted.rigid {
                Some(RigidUnknowns { shape, length }) => {
                    let motion = shape.motion(v);
                    unknowns.extend([motion.drift, motion.spin * *length]);
                }
                None => unknowns.extend(v),
            }
        }
        unknowns
    }

    /// Sets the velocities `v` (m/s) of the nodes of impacted bodies to those of `unknowns`.
    pub(super) fn set_velocities(&self, unknowns: &[Vec3], v: &mut [Vec3]) {
        for impacted in &self.bodies {
            let v = &mut v[impacted.nodes.clone()];
            let body_unknowns = &unknowns[impacted.first..];
            match &impacted.rigid {
                Some(RigidUnknowns { shape, length }) => {
                    let (drift, spin) = (body_unknowns[0], body_unknowns[1] / *length);
                    let arms = shape.arms.iter();
                    v.iter_mut().zip(arms).for_each(|(v, arm)| *v = drift + spin.cross(*arm));
                }
                None => v.copy_from_slice(&body_unknowns[..v.len()]),
            }
        }
    }

    /// Whether each unknown is free in some direction.
    pub(super) fn free(&self, system: &Prepared<'_>) -> Vec<bool> {
        let free = |impacted: &ImpactedBody| match &impacted.rigid {
            Some(_) => vec![true; 2],
            None => system.free()[impacted.nodes.clone()].to_vec(),
        };
        self.bodies.iter().flat_map(free).collect()
    }

    /// The unknowns that are free in some directions only, with the projectors onto these.
    pub(super) fn guided(&self, system: &Prepared<'_>) -> Vec<(usize, Mat3)> {
        let unknown = |&(node, projector): &(usize, Mat3)| {
            let impacted = self.bodies.get(self.body_index[system.body_of(node)])?;
            Some((impacted.first + node - impacted.nodes.start, projector))
        };
        system.guided().iter().filter_map(unknown).collect()
    }

    /// The velocities (m/s) of the unknowns without the deformation of bodies whose nodes are unknowns, at the positions
    /// `x` (m) and the nodal velocities `v` (m/s), and the momenta (N s) of this deformation in the free directions.
    pub(super) fn rigid_velocities(
        &self,
        system: &Prepared<'_>,
        (x, v): (&[Vec3], &[Vec3]),
    ) -> (Vec<Vec3>, Vec<Vec3>) {
        let mut rigid = self.gather(v);
        let mut deformation_momentum = vec![Vec3::ZERO; self.count];
        for impacted in &self.bodies {
            if impacted.rigid.is_some() || system.bodies()[impacted.body].is_kinematic() {
                continue;
            }
            let nodes = impacted.nodes.clone();
            let masses = &system.masses()[nodes.clone()];
            let mut deformation = v[nodes.clone()].to_vec();
            let removed =
                Shape::regularised(masses, &x[nodes.clone()]).remove_motion(&mut deformation);
            rigid[impacted.first..][..nodes.len()].copy_from_slice(&removed);
            for (k, node) in nodes.enumerate() {
                deformation_momentum[impacted.first + k] =
                    system.free_part(node, system.masses()[node] * deformation[k]);
            }
        }
        (rigid, deformation_momentum)
    }

    /// Adds the matrix `M + h^2 K` at the positions `x` (m) to `out`. Affine bodies whose nodes are unknowns have at least
    /// the stiffness that makes them nearly rigid.
    pub(super) fn add_inertia(
        &self,
        system: &Prepared<'_>,
        x: &[Vec3],
        h: f64,
        out: &mut Assembly,
    ) {
        for impacted in &self.bodies {
            let first = impacted.first;
            if let Some(rigid) = &impacted.rigid {
                let [translational, rotational] = rigid.masses();
                out.add(first, first, translational);
                out.add(first + 1, first + 1, rotational);
                continue;
            }
            let nodes = impacted.nodes.clone();
            for (k, node) in nodes.clone().enumerate() {
                let mass = Mat3::from_diagonal(Vec3::splat(system.masses()[node]));
                out.add(first + k, first + k, mass);
            }
            if !system.bodies()[impacted.body].is_kinematic() {
                let row = |(k, node): (usize, usize)| {
                    if system.free()[node] { (first + k) as u32 } else { NO_ROW }
                };
                let rows: Arc<[u32]> = nodes.enumerate().map(row).collect();
                let scale = (h * h).max(rigid_stiffness_scale(system, impacted.body, x));
                out.renumbered(&rows, |out| {
                    system.add_internal_hessian(impacted.body, x, scale, Psd::Clamp, out);
                });
            }
        }
    }
}

/// Factor of the stiffness (s^2) that makes an affine body `b` at `x` (m) nearly rigid, by [`MIN_RIGIDITY`]; zero for
/// other bodies and without stiffness.
fn rigid_stiffness_scale(system: &Prepared<'_>, b: usize, x: &[Vec3]) -> f64 {
    let nodes = system.nodes(b);
    if nodes.len() != AFFINE_NODES {
        return 0.0;
    }
    let mut assembly = Assembly::new(AFFINE_NODES);
    assembly.begin();
    system.add_internal_hessian(b, x, 1.0, Psd::Clamp, &mut assembly);
    assembly.end_static();
    let matrix = assembly.finish();
    let entries = matrix.pattern.pairs().zip(&matrix.blocks).filter(|((i, j), _)| i == j);
    let stiffness: f64 = entries.map(|(_, m)| m.x_axis.x + m.y_axis.y + m.z_axis.z).sum();
    let mass: f64 = nodes.map(|node| 3.0 * system.masses()[node]).sum();
    if stiffness > 0.0 { MIN_RIGIDITY * mass / stiffness } else { 0.0 }
}
