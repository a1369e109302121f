//! Hessian blocks of many pairs that hang on the same few nodes.
//!
//! Two affine bodies on each other have hundreds of pairs and eight nodes. Pushed pair by
//! pair, each of the 36 blocks between those nodes would be found in the matrix hundreds
//! of times; so what hangs on at most [`MOST`] nodes is summed in a dense buffer first
//! and pushed once. Pairs are taken in their order, which lists a collider pair's pairs
//! together, and a new cluster begins where the nodes become too many: sums and pushes
//! depend on the pairs alone.

use crate::embedding::{Embedding, PointMap};
use resile_math::Mat3;
use resile_system::Hessian;
use std::array::from_fn;

/// As many nodes as one pair can hang on: four points on four nodes each.
const MOST: usize = 16;

/// Sums of blocks between few nodes.
#[derive(Debug)]
pub(crate) struct Cluster {
    nodes: Vec<u32>,
    /// Block `(i, j)`, `i <= j`, at `j (j + 1) / 2 + i`.
    blocks: Vec<Mat3>,
}

/// The clusters of some pairs in order.
#[derive(Debug)]
pub(crate) struct Clusters<'a> {
    points: &'a PointMap,
    done: Vec<Cluster>,
    /// Nodes that points hung on lately, with their places in the last cluster: all points of an
    /// affine body hang on the same four.
    recent: [Option<([u32; 4], [usize; 4])>; 2],
}

impl<'a> Clusters<'a> {
    pub(crate) fn new(points: &'a PointMap) -> Self {
        Self { points, done: Vec::new(), recent: [None; 2] }
    }

    /// Adds blocks between points: `rows[n]` tells between which two of `points` block
    /// `n` stands. Points that are no node of the system are nothing.
    pub(crate) fn add<const N: usize>(
        &mut self,
        points: [Option<usize>; N],
        rows: &[(usize, usize)],
        blocks: &[Mat3],
    ) {
        let of_points = points.map(|point| point.map(|point| self.points.of_point(point)));
        let mut places: [Option<Places>; N] = [None; N];
        if !self.places_of_recent(&of_points, &mut places) {
            self.admit(&of_points);
            let Some(cluster) = self.done.last() else { return };
            for (places, of_point) in places.iter_mut().zip(&of_points) {
                *places = of_point.as_ref().map(|of_point| cluster.places(of_point));
            }
        }
        let Some(cluster) = self.done.last_mut() else { return };
        for (block, &(k, l)) in blocks.iter().zip(rows) {
            if let (Some(a), Some(b)) = (&places[k], &places[l]) {
                if k == l { cluster.add_square(a, block) } else { cluster.add_product(a, b, block) }
            }
        }
    }

    /// The places of points, if all of them hang on nodes that others hung on lately.
    fn places_of_recent<const N: usize>(
        &self,
        of_points: &[Option<Embedding>; N],
        places: &mut [Option<Places>; N],
    ) -> bool {
        for (of_point, places) in of_points.iter().zip(places) {
            let Some(of_point) = of_point else { continue };
            let mut recent = self.recent.iter().flatten();
            let Some((_, at)) = recent.find(|recent| recent.0 == of_point.nodes) else {
                return false;
            };
            *places = Some(from_fn(|k| (at[k], of_point.weights[k])));
        }
        true
    }

    /// Takes the nodes of these points into the last cluster, or a new one if they are too many.
    fn admit<const N: usize>(&mut self, of_points: &[Option<Embedding>; N]) {
        let needed = || of_points.iter().flatten();
        if !self.done.last_mut().is_some_and(|last| last.admit(needed())) {
            let mut new = Cluster { nodes: Vec::new(), blocks: Vec::new() };
            new.admit(needed());
            self.done.push(new);
            self.recent = [None; 2];
        }
        let Some(cluster) = self.done.last() else { return };
        for of_point in needed() {
            let known = self.recent.iter().flatten().any(|recent| recent.0 == of_point.nodes);
            if let (false, Some(places)) = (known, cluster.all_places(&of_point.nodes)) {
                self.recent = [Some((of_point.nodes, places)), self.recent[0]];
            }
        }
    }

    pub(crate) fn done(self) -> Vec<Cluster> {
        self.done
    }
}

/// Places in a cluster's list of nodes, with weights.
type Places = [(usize, f64); 4];

impl Cluster {
    /// Takes in the nodes of these points, if there is room for all of them.
    fn admit<'b>(&mut self, points: impl Iterator<Item = &'b Embedding>) -> bool {
        let before = self.nodes.len();
        for (node, _) in points.flat_map(Embedding::terms) {
            if !self.nodes.contains(&(node as u32)) {
                self.nodes.push(node as u32);
            }
        }
        if self.nodes.len() > MOST {
            self.nodes.truncate(before);
            return false;
        }
        self.blocks.resize(self.nodes.len() * (self.nodes.len() + 1) / 2, Mat3::ZERO);
        true
    }

    /// Where these nodes are, if all of them are here.
    fn all_places(&self, nodes: &[u32; 4]) -> Option<[usize; 4]> {
        let place = |node: u32| self.nodes.iter().position(|&known| known == node);
        let [a, b, c, d] = *nodes;
        Some([place(a)?, place(b)?, place(c)?, place(d)?])
    }

    fn places(&self, point: &Embedding) -> Places {
        let mut places = [(0, 0.0); 4];
        for (place, (node, weight)) in places.iter_mut().zip(point.terms()) {
            let known = self.nodes.iter().position(|&known| known as usize == node);
            *place = (known.expect("nodes of the pair were admitted"), weight);
        }
        places
    }

    /// A block between a point and itself.
    fn add_square(&mut self, a: &Places, block: &Mat3) {
        for (k, (i, wi)) in a.iter().enumerate().filter(|(_, place)| place.1 != 0.0) {
            self.add_to(*i, *i, *block * (wi * wi));
            for (j, wj) in &a[k + 1..] {
                self.add_pair(*i, *j, block, wi * wj);
            }
        }
    }

    /// A block between two points, which stands for its transpose as well.
    fn add_product(&mut self, a: &Places, b: &Places, block: &Mat3) {
        for (i, wi) in a {
            for (j, wj) in b {
                self.add_pair(*i, *j, block, wi * wj);
            }
        }
    }

    /// `weight * block` at `(i, j)` and its transpose at `(j, i)`.
    fn add_pair(&mut self, i: usize, j: usize, block: &Mat3, weight: f64) {
        if weight == 0.0 {
            return;
        }
        match i.cmp(&j) {
            std::cmp::Ordering::Less => self.add_to(i, j, *block * weight),
            std::cmp::Ordering::Greater => self.add_to(j, i, block.transpose() * weight),
            std::cmp::Ordering::Equal => {
                self.add_to(i, i, (*block + block.transpose()) * weight);
            }
        }
    }

    fn add_to(&mut self, i: usize, j: usize, block: Mat3) {
        self.blocks[j * (j + 1) / 2 + i] += block;
    }

    /// Pushes the sums. Blocks that nothing was added to are left out.
    pub(crate) fn push(&self, out: &mut Hessian<'_>) {
        for (j, &second) in self.nodes.iter().enumerate() {
            for (i, &first) in self.nodes[..=j].iter().enumerate() {
                let block = self.blocks[j * (j + 1) / 2 + i];
                if block != Mat3::ZERO {
                    out.add(first as usize, second as usize, block);
                }
            }
        }
    }
}
