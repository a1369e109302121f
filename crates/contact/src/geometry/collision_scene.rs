//! Collision meshes of one system, obstacles and collision filter.

use crate::geometry::embedding::PointMap;
use crate::geometry::focus::Focus;
use crate::{CollisionMesh, Obstacles, PairTable};
use resile_math::Vec3;
use resile_sparse::scratch::ScratchPool;
use resile_watch::Interrupt;
use std::ops::Range;
use std::sync::Arc;

/// Whether the nodes of a body are unknowns or prescribed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Its nodes are unknowns of the system.
    Simulated,
    /// A moving obstacle: all its nodes have a Dirichlet condition. Like a fixed obstacle it has no share of the
    /// energies and links no bodies. Two kinematic bodies do not collide with each other.
    Kinematic,
}

/// A body's collision mesh in a system.
#[derive(Debug, Clone)]
pub struct Collider {
    /// Whether its nodes are unknowns or prescribed.
    pub role: Role,
    /// Collision mesh in the node numbers of the body.
    pub mesh: Arc<CollisionMesh>,
    /// Index in the [`PairTable`].
    pub number: usize,
    /// Index among the bodies of the system.
    pub body: usize,
    /// Index of its first node in the system.
    pub first_node: usize,
    /// Thickness of the material on either side of the mesh (m), at least zero: half the thickness of a sheet, the
    /// radius of a rod. The minimum separation of two colliders is the sum of both; obstacles have none.
    pub half_thickness: f64,
}

/// All colliders and obstacles of one system. Construction is cheap: large data are shared. A clone has its own
/// scratch memory.
///
/// The positions `x` of a scene are the positions of the system's nodes (m), collider by collider.
///
/// ```
/// use resile_contact::{CollisionMesh, CollisionScene, Vec3};
///
/// let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let mesh = || CollisionMesh::new(&corners, &[[0, 1, 2]]);
/// // Nodes 0, 1, 2 and 3, 4, 5; two triangles that collide.
/// let scene = CollisionScene::of_meshes([mesh()?, mesh()?]);
/// assert_eq!(scene.triangles().nth(1), Some([3, 4, 5]));
/// # Ok::<(), resile_contact::CollisionMeshError>(())
/// ```
#[derive(Debug)]
pub struct CollisionScene {
    pub(crate) colliders: Arc<[Collider]>,
    /// Point ranges of the colliders.
    pub(crate) points: Arc<PointMap>,
    /// The obstacles of the scene.
    pub obstacles: Arc<Obstacles>,
    /// Collision filter, friction and restitution of the pairs.
    pub pairs: Arc<PairTable>,
    /// Pairs of primitives whose boxes overlap, by task of a search.
    pub(crate) pair_lists: Arc<ScratchPool<Vec<[u32; 2]>>>,
    /// Cancels a search.
    pub(crate) interrupt: Interrupt,
    /// Bodies whose pairs are searched. `None`: all bodies.
    focus: Option<Focus>,
}

impl Clone for CollisionScene {
    fn clone(&self) -> Self {
        let points = Arc::new(PointMap::clone(&self.points));
        Self { points, pair_lists: Arc::default(), ..self.shared(self.focus.clone()) }
    }
}

impl CollisionScene {
    /// A scene of colliders, obstacles and pair properties.
    pub fn new(colliders: Vec<Collider>, obstacles: Arc<Obstacles>, pairs: Arc<PairTable>) -> Self {
        let points = Arc::new(PointMap::new(&colliders));
        let (colliders, pair_lists) = (colliders.into(), Arc::default());
        let interrupt = Interrupt::new();
        Self { colliders, points, obstacles, pairs, pair_lists, interrupt, focus: None }
    }

    /// The scene with searches that end when `interrupt` is raised. They then return no pairs and a collision-free
    /// fraction of zero.
    #[must_use]
    pub fn with_interrupt(self, interrupt: Interrupt) -> Self {
        Self { interrupt, ..self }
    }

    /// Simulated meshes with consecutive nodes that all collide with each other and with themselves, without
    /// obstacles, friction or thickness. Colliders and bodies are numbered in this order.
    pub fn of_meshes(meshes: impl IntoIterator<Item = CollisionMesh>) -> Self {
        let mut first_node = 0;
        let colliders = meshes.into_iter().enumerate().map(|(body, mesh)| {
            let first = first_node;
            first_node += mesh.node_count();
            Collider {
                role: Role::Simulated,
                mesh: Arc::new(mesh),
                number: body,
                body,
                first_node: first,
                half_thickness: 0.0,
            }
        });
        let colliders: Vec<Collider> = colliders.collect();
        let pairs = PairTable::new(colliders.len());
        Self::new(colliders, Arc::default(), Arc::new(pairs))
    }

    /// Whether pairs with this body are searched.
    pub(crate) fn is_in_focus(&self, body: usize) -> bool {
        self.current_focus().is_none_or(|focus| focus.contains(body))
    }

    /// The bodies whose pairs are searched; `None` for all bodies.
    pub(crate) fn current_focus(&self) -> Option<&Focus> {
        self.focus.as_ref()
    }

    /// The scene restricted to pairs with these bodies (indexed by body). The other bodies must not move. It shares
    /// the scratch memory of this scene. O(colliders).
    pub(crate) fn restricted(&self, bodies: &[bool]) -> Self {
        self.shared(Some(Focus::new(bodies, self.colliders.len())))
    }

    /// A copy with another focus, which shares all large data.
    fn shared(&self, focus: Option<Focus>) -> Self {
        Self {
            colliders: self.colliders.clone(),
            points: self.points.clone(),
            obstacles: self.obstacles.clone(),
            pairs: self.pairs.clone(),
            pair_lists: self.pair_lists.clone(),
            interrupt: self.interrupt.clone(),
            focus,
        }
    }

    /// Adds the quantity (such as a force) that `visit` writes for each point to the nodes in `out`, by the transposed
    /// embedding. For embedded surfaces only bodies in focus take part.
    pub(crate) fn gather(&self, out: &mut [Vec3], visit: impl FnOnce(&mut [Vec3])) {
        self.points.gather(|body| self.is_in_focus(body), out, visit);
    }

    /// The colliders.
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// Vertices of all colliders, collider by collider, by point index. A point is a node of the system or, after
    /// the nodes, a point of an embedded mesh.
    pub fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        self.meshes().flat_map(|(first, mesh)| mesh.vertices().iter().map(move |v| v + first))
    }

    /// Edges of all colliders, collider by collider, by point indices as in [`vertices`](Self::vertices).
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.meshes()
            .flat_map(|(first, mesh)| mesh.edges().iter().map(move |e| e.map(|v| v + first)))
    }

    /// Triangles of all colliders, collider by collider, by point indices as in [`vertices`](Self::vertices).
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        self.meshes()
            .flat_map(|(first, mesh)| mesh.triangles().iter().map(move |t| t.map(|v| v + first)))
    }

    /// Meshes with the index of their first point.
    fn meshes(&self) -> impl Iterator<Item = (u32, &CollisionMesh)> {
        let first = |k: usize| self.points.first(k) as u32;
        self.colliders.iter().enumerate().map(move |(k, collider)| (first(k), &*collider.mesh))
    }

    /// Ranges of the points of a collider and of its nodes.
    pub(crate) fn ranges(&self, k: usize) -> [Range<usize>; 2] {
        let Collider { mesh, first_node, .. } = &self.colliders[k];
        let first = self.points.first(k);
        [first..first + mesh.point_count(), *first_node..first_node + mesh.node_count()]
    }

    /// Points of the kinematic body in a pair of shapes; empty if there is none.
    pub(crate) fn moving_obstacle(&self, shapes: [usize; 2]) -> Range<usize> {
        let is_kinematic =
            |k: &usize| self.colliders.get(*k).is_some_and(|c| c.role == Role::Kinematic);
        shapes.into_iter().find(is_kinematic).map_or(0..0, |k| {
            let [points, _] = self.ranges(k);
            points
        })
    }

    /// Index in the [`PairTable`] of each shape: colliders, then obstacle meshes, then planes.
    pub(crate) fn shape_numbers(&self) -> Vec<usize> {
        let meshes = self.obstacles.meshes.iter().map(|mesh| mesh.collider);
        let planes = self.obstacles.planes.iter().map(|plane| plane.collider);
        self.colliders.iter().map(|collider| collider.number).chain(meshes).chain(planes).collect()
    }

    /// Number of vertices, edges and triangles of all colliders.
    pub(crate) fn primitive_count(&self) -> usize {
        let count = |m: &CollisionMesh| m.vertices().len() + m.edges().len() + m.triangles().len();
        self.colliders.iter().map(|collider| count(&collider.mesh)).sum()
    }
}
