//! The friction potential of lagged contacts.

use super::dual::{self, Dual};
use super::lagged::{LaggedContacts, LaggedPair};
use crate::chunks::map_chunks;
use crate::geometry::point::Point;
use crate::potential::cluster::Clusters;
use crate::potential::node_blocks::{self, NodeBlocks};
use crate::{CollisionScene, HessianBlocks};
use resile_math::{Mat3, Vec3};
use resile_system::Hessian;

/// Smoothed Coulomb friction between lagged contacts: the dissipation potential
/// `D(v) = sum over pairs of mu lambda f0(|u|)` (W) of Li et al. 2020 in velocities.
///
/// Every function takes the scene, [`LaggedContacts`] (see the example there) and the velocities `v` of the scene's
/// nodes (m/s). O(contacts).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrictionPotential {
    /// Slip speed below which friction is static (m/s), positive.
    pub slip_speed: f64,
}

/// `f0(y)` of the smoothed Coulomb law at the speed `y` with the slip speed `eps`, all in m/s, or in rad/s for rolling
/// friction.
pub(super) fn smoothed_speed(y: f64, eps: f64) -> f64 {
    let s = y / eps;
    if s < 1.0 { eps * (s * s * (1.0 - s / 3.0) + 1.0 / 3.0) } else { y }
}

/// `f1(y) / y` (s/m, or s/rad for rolling friction) of the smoothed Coulomb law at the speed `y` with the slip speed
/// `eps` (m/s or rad/s).
pub(super) fn secant_slope(y: f64, eps: f64) -> f64 {
    let s = y / eps;
    if s < 1.0 { (2.0 - s) / eps } else { 1.0 / y }
}

impl LaggedPair {
    /// dD/du as a vector in space (N) at this slip (m/s), with the slip speed `eps` (m/s) of the law.
    pub(crate) fn force(&self, slip: Vec3, eps: f64) -> Vec3 {
        slip * (self.strength() * secant_slope(slip.length(), eps))
    }

    /// The matrix of [`dual`] in space (kg/s), zero along the normal, at the point velocities `v` (m/s) and the dual
    /// variable `w`; d2D/du2 if `w` is `None`.
    fn curvature(&self, v: &[Vec3], w: Option<Vec3>, eps: f64) -> Mat3 {
        let slip = self.slip(v);
        let w = w.unwrap_or_else(|| dual::force(slip, eps));
        dual::curvature(slip, w, self.normal, eps) * self.strength()
    }
}

/// A pair with its dual variable `w`, if it has one.
#[derive(Debug, Clone, Copy)]
struct LinearisedPair<'a> {
    pair: &'a LaggedPair,
    w: Option<Vec3>,
}

impl FrictionPotential {
    /// The potential (W).
    pub fn value(&self, scene: &CollisionScene, lagged: &LaggedContacts, v: &[Vec3]) -> f64 {
        let v = &*scene.points.points(v);
        let pair_value = |pair: &LaggedPair| {
            pair.strength() * smoothed_speed(pair.slip(v).length(), self.slip_speed)
        };
        let sums = map_chunks(&lagged.pairs, |chunk| chunk.iter().map(pair_value).sum::<f64>());
        sums.into_iter().sum()
    }

    /// Gradient (N) by node, as `v`; the friction force is its negative.
    pub fn gradient(
        &self,
        scene: &CollisionScene,
        lagged: &LaggedContacts,
        v: &[Vec3],
    ) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; v.len()];
        self.add_gradient(scene, &[lagged], v, 1.0, &mut out);
        out
    }

    /// Hessian (kg/s), positive semi-definite.
    pub fn hessian(
        &self,
        scene: &CollisionScene,
        lagged: &LaggedContacts,
        v: &[Vec3],
    ) -> HessianBlocks {
        let mut out = HessianBlocks::default();
        self.add_hessian(scene, lagged, &[], v, &mut Hessian::new(&mut out, 0, 1.0));
        out
    }

    /// Adds `scale * dD/dv` (N) of several sets of lagged contacts to `out`, by node.
    pub(super) fn add_gradient(
        &self,
        scene: &CollisionScene,
        lags: &[&LaggedContacts],
        v: &[Vec3],
        scale: f64,
        out: &mut [Vec3],
    ) {
        let v = &*scene.points.points(v);
        scene.gather(out, |out| {
            for pair in lags.iter().flat_map(|lagged| &lagged.pairs) {
                let slip = pair.slip(v);
                let force = pair.force(slip, self.slip_speed) * scale;
                for (point, w) in pair.points.iter().zip(pair.weights) {
                    if let Some(point) = point.as_moving() {
                        out[point] += force * w;
                    }
                }
            }
        });
    }

    /// Adds the matrix of [`dual`] (kg/s) at the dual variables of the pairs to `out`; d2D/dv2 if `duals` is empty.
    pub(super) fn add_hessian(
        &self,
        scene: &CollisionScene,
        lagged: &LaggedContacts,
        duals: &[Dual],
        v: &[Vec3],
        out: &mut Hessian<'_>,
    ) {
        let v = &*scene.points.points(v);
        let linearised =
            |(k, pair): (usize, _)| LinearisedPair { pair, w: duals.get(k).map(|dual| dual.force) };
        let pairs: Vec<_> = lagged.pairs.iter().enumerate().map(linearised).collect();
        let (node_pairs, embedded) = pairs.split_at(lagged.node_pair_count);
        let node_blocks_by_chunk = map_chunks(node_pairs, |chunk| {
            let mut sums = NodeBlocks::of_pairs(chunk.len());
            for LinearisedPair { pair, w } in chunk {
                let curvature = pair.curvature(v, *w, self.slip_speed);
                sums.add_weighted(pair.points.map(Point::as_moving), pair.weights, curvature);
            }
            sums.into_blocks()
        });
        node_blocks::push(&node_blocks_by_chunk, out);
        let clusters = map_chunks(embedded, |chunk| {
            let mut clusters = Clusters::new(&scene.points);
            for LinearisedPair { pair, w } in chunk {
                let curvature = pair.curvature(v, *w, self.slip_speed);
                clusters.add_weighted(pair.points.map(Point::as_moving), pair.weights, curvature);
            }
            clusters.into_clusters()
        });
        clusters.iter().flatten().for_each(|cluster| cluster.push(out));
    }
}
