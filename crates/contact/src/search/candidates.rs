//! Candidate pairs of primitives, with their pairs of colliders.

use crate::Plane;
use crate::geometry::distance::PairKind;
use crate::geometry::facets::Coefficients;
use crate::geometry::pair_table::PairTable;
use crate::geometry::point::{self, Point};
use crate::search::searched::SearchedPaths;
use resile_math::Vec3;
use std::collections::BTreeMap;

/// Two colliders whose primitives may be near each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ColliderPair {
    /// Indices of the shapes in the scene, unique among all pairs.
    pub(crate) shapes: [usize; 2],
    /// Simulated body of the first shape.
    pub(crate) body: usize,
    /// Simulated body of the second shape; `None` for an obstacle, moving or fixed.
    pub(crate) other: Option<usize>,
    /// Coefficient of friction.
    pub(crate) friction: f64,
    /// Coefficient of static friction.
    pub(crate) static_friction: f64,
    /// Coefficient of restitution, if the pair has one.
    pub(crate) restitution: Option<f64>,
    /// Contact damping (s).
    pub(crate) damping: f64,
    /// Coefficient of rolling friction (m).
    pub(crate) rolling: f64,
    /// Distance at which they touch (m): the sum of the half thicknesses.
    pub(crate) min_separation: f64,
    pub(crate) support: Support,
}

/// Two surfaces without their contact parameters; the fields are those of [`ColliderPair`].
pub(crate) struct SurfacePair {
    pub(crate) shapes: [usize; 2],
    pub(crate) body: usize,
    pub(crate) other: Option<usize>,
    pub(crate) min_separation: f64,
    pub(crate) support: Support,
}

impl ColliderPair {
    /// The pair of two surfaces, with the parameters in `table` of the colliders with these numbers.
    pub(crate) fn new(
        surfaces: SurfacePair,
        table: &PairTable,
        [first, second]: [usize; 2],
    ) -> Self {
        let SurfacePair { shapes, body, other, min_separation, support } = surfaces;
        Self {
            shapes,
            body,
            other,
            friction: table.friction(first, second),
            static_friction: table.static_friction(first, second),
            restitution: table.restitution(first, second),
            damping: table.contact_damping(first, second),
            rolling: table.rolling_friction(first, second),
            min_separation,
            support,
        }
    }
}

/// Whether the points of a pair are nodes, in the order in which candidates are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Support {
    /// All points are nodes.
    Nodes,
    /// Some points are embedded in nodes.
    Embedded,
}

/// A pair of primitives that may be near each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Points in the order of [`PairKind`], the last one repeated.
    pub(crate) points: [Point; 4],
    /// Area weight (m^2).
    pub(crate) area: f64,
    /// Threshold (m^4) of the [mollifier](crate::mollifier) of two edges; zero for other pairs.
    pub(crate) mollifier: f64,
    /// Height (m) of the lower ridge of two edges, or of an obstacle's vertex: they act below the larger one of it and
    /// [`MIN_RANGE`](crate::potential) `d_hat`. Infinite for pairs that act below `d_hat`.
    pub(crate) ridge: f32,
    /// Index of the pair of colliders.
    pub(crate) pair: u32,
    pub(crate) kind: PairKind,
    /// Coefficients of the sides and corners of a triangle; `None` unless the pair is a term of a signed sum.
    pub(crate) coefficients: Option<Coefficients>,
}

/// A vertex and a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PlaneCandidate {
    /// Index among the points of the scene.
    pub(crate) point: u32,
    /// Index among the planes of the obstacles.
    pub(crate) plane: u32,
    /// Area weight (m^2) without the weights of `rim`.
    pub(crate) area: f64,
    /// Index of the pair of colliders.
    pub(crate) pair: u32,
    /// Corners of the vertex with weights, as a range in [`Rims`](crate::geometry::rims::Rims).
    pub(crate) rim: [u32; 2],
}

/// Candidate pairs of primitives for potentials and collision detection.
///
/// They come from the [built-in broad phase](Candidates::search) or [from any other](Candidates::from_pairs). The
/// built-in broad phase records the searched paths. In debug builds every evaluation asserts that its positions lie
/// on one of them, since pairs may be missing elsewhere.
///
/// ```
/// use resile_contact::{Candidates, CollisionMesh, CollisionScene, Vec3};
///
/// let rest = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let mesh = || CollisionMesh::new(&rest, &[[0, 1, 2]]);
/// let scene = CollisionScene::of_meshes([mesh()?, mesh()?]);
/// // The second triangle is 1 mm above the first.
/// let x: Vec<Vec3> = rest.into_iter().chain(rest.map(|p| p + Vec3::Z * 1e-3)).collect();
/// let candidates = Candidates::near(&scene, &x, 2e-3);
/// assert_eq!(candidates.len(), candidates.iter().count());
/// assert!(candidates.iter().any(|c| c.points().eq([Some(3), Some(0), Some(1), Some(2)])));
/// # Ok::<(), resile_contact::CollisionMeshError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    pub(crate) collider_pairs: Vec<ColliderPair>,
    /// Pairs of nodes first, then pairs with embedded points, grouped by collider pair.
    pub(crate) pairs: Vec<Candidate>,
    /// Number of pairs whose points are all nodes.
    pub(crate) node_pair_count: usize,
    pub(crate) planes: Vec<PlaneCandidate>,
    pub(crate) searched: SearchedPaths,
}

impl Candidate {
    /// Kind of the pair of primitives.
    pub fn kind(&self) -> PairKind {
        self.kind
    }

    /// Area weight (m^2) of the pair, and of all terms of a signed sum up to their coefficients.
    pub fn area(&self) -> f64 {
        self.area
    }

    /// Distinct points in the order of [`PairKind`], numbered as in
    /// [`CollisionScene::vertices`](crate::CollisionScene::vertices); `None` for a fixed point of an obstacle.
    pub fn points(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        self.points[..self.kind.points()].iter().map(|point| point.as_moving())
    }

    /// Distinct points that belong to colliders.
    pub(crate) fn moving_points(&self) -> [Option<usize>; 4] {
        let is_distinct = |k: usize| k < self.kind.points();
        std::array::from_fn(|k| self.points[k].as_moving().filter(|_| is_distinct(k)))
    }

    /// Positions of its points (m), with points of the colliders at `x`.
    #[inline]
    pub(crate) fn positions(&self, x: &[Vec3], fixed: &[Vec3]) -> [Vec3; 4] {
        point::positions(self.points, x, fixed)
    }
}

impl Candidates {
    /// Number of pairs, including vertex-plane pairs.
    pub fn len(&self) -> usize {
        self.pairs.len() + self.planes.len()
    }

    /// Whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All pairs of primitives, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = &Candidate> {
        self.pairs.iter()
    }

    /// All pairs of a vertex, by point index as in [`Candidate::points`], and an obstacle plane.
    pub fn vertex_planes(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        self.planes.iter().map(|c| [c.point as usize, c.plane as usize])
    }

    /// Merges the candidates of another path; duplicates are removed.
    pub fn join(&mut self, other: Self) {
        let index_by_shapes =
            self.collider_pairs.iter().zip(0..).map(|(p, index)| (p.shapes, index));
        let index_by_shapes: BTreeMap<[usize; 2], u32> = index_by_shapes.collect();
        let mut index_of = |pair: &ColliderPair| {
            index_by_shapes.get(&pair.shapes).copied().unwrap_or_else(|| {
                self.collider_pairs.push(*pair);
                self.collider_pairs.len() as u32 - 1
            })
        };
        let new_indices: Vec<u32> = other.collider_pairs.iter().map(&mut index_of).collect();
        let new_index = |old: u32| new_indices[old as usize];
        self.pairs.extend(other.pairs.iter().map(|c| Candidate { pair: new_index(c.pair), ..*c }));
        let reindexed = |c: &PlaneCandidate| PlaneCandidate { pair: new_index(c.pair), ..*c };
        self.planes.extend(other.planes.iter().map(reindexed));
        self.searched.extend(other.searched);
        self.sort();
    }

    /// Replaces all pairs of the flagged `bodies` by the candidates `new` of a search restricted to them. The other
    /// bodies must be at the positions of their search.
    pub(crate) fn replace(&mut self, bodies: &[bool], new: Self) {
        let involves_bodies =
            |pair: &ColliderPair| bodies[pair.body] || pair.other.is_some_and(|b| bodies[b]);
        let mut indices = 0..;
        let new_index =
            |pair: &ColliderPair| if involves_bodies(pair) { None } else { indices.next() };
        let new_indices: Vec<Option<u32>> = self.collider_pairs.iter().map(new_index).collect();
        let reindex = |pair: &mut u32| match new_indices[*pair as usize] {
            Some(index) => {
                *pair = index;
                true
            }
            None => false,
        };
        self.pairs.retain_mut(|c| reindex(&mut c.pair));
        self.planes.retain_mut(|c| reindex(&mut c.pair));
        self.collider_pairs.retain(|pair| !involves_bodies(pair));
        let first = self.collider_pairs.len() as u32;
        self.collider_pairs.extend(new.collider_pairs);
        self.pairs.extend(new.pairs.iter().map(|c| Candidate { pair: first + c.pair, ..*c }));
        let reindexed = |c: &PlaneCandidate| PlaneCandidate { pair: first + c.pair, ..*c };
        self.planes.extend(new.planes.iter().map(reindexed));
        self.partition_by_support();
        self.searched = new.searched;
    }

    /// Sorts the pairs and removes duplicates.
    pub(crate) fn sort(&mut self) {
        let collider_pairs = &self.collider_pairs;
        self.pairs.sort_by_key(|c| match collider_pairs[c.pair as usize].support {
            Support::Nodes => (0, c.kind, c.points),
            Support::Embedded => (1 + c.pair, c.kind, c.points),
        });
        self.pairs.dedup_by_key(|c| (c.kind, c.points));
        self.partition_by_support();
        self.planes.sort_by_key(|c| (c.plane, c.point));
        self.planes.dedup_by_key(|c| (c.plane, c.point));
    }

    /// Sorts the terms of signed sums by vertex, so that those of each sum are consecutive.
    pub(crate) fn group_by_vertex(&mut self) {
        let is_same_group = |a: &Candidate, b: &Candidate| a.pair == b.pair && a.kind == b.kind;
        let groups = self.pairs.chunk_by_mut(is_same_group);
        for group in groups.filter(|group| group[0].coefficients.is_some()) {
            group.sort_by_key(|c| c.points[0]);
        }
    }

    /// Adds half of `energy` (J or W) to the entry in `bodies` of each body of a pair of colliders; against an obstacle,
    /// all of it to the entry of the body.
    pub(crate) fn share_energy(&self, pair: u32, energy: f64, bodies: &mut [f64]) {
        let ColliderPair { body, other, .. } = self.collider_pairs[pair as usize];
        bodies[body] += 0.5 * energy;
        bodies[other.unwrap_or(body)] += 0.5 * energy;
    }

    /// Distance (m) at which the two primitives of a candidate touch.
    pub(crate) fn min_separation(&self, c: &Candidate) -> f64 {
        self.collider_pairs[c.pair as usize].min_separation
    }

    /// Gap (m) between a point and a plane: height minus minimum separation, with the points of the scene at `x` (m).
    pub(crate) fn gap(&self, c: &PlaneCandidate, planes: &[Plane], x: &[Vec3]) -> f64 {
        let height = planes[c.plane as usize].height(x[c.point as usize]);
        height - self.collider_pairs[c.pair as usize].min_separation
    }

    /// Stable partition: pairs of nodes before pairs with embedded points.
    pub(crate) fn partition_by_support(&mut self) {
        let support = |c: &Candidate| self.collider_pairs[c.pair as usize].support;
        if !self.pairs.is_sorted_by_key(support) {
            let (nodes, embedded): (Vec<_>, Vec<_>) =
                self.pairs.iter().partition(|c| support(c) == Support::Nodes);
            self.pairs = [nodes, embedded].concat();
        }
        self.node_pair_count = self.pairs.partition_point(|c| support(c) == Support::Nodes);
    }
}
