//! Which collision meshes there are in one system, and what they may collide with.

use crate::geometry::embedding::PointMap;
use crate::geometry::focus::Focus;
use crate::{CollisionMesh, Obstacles, PairTable};
use resile_linalg::scratch::ScratchPool;
use resile_math::Vec3;
use resile_watch::Interrupt;
use std::ops::Range;
use std::sync::Arc;

/// Whether a body is solved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is.
    Simulated,
    /// All its nodes are prescribed: an obstacle that moves. As an obstacle it takes no
    /// share of energies and links no bodies, and two of them do not collide.
    Kinematic,
}

/// A body's collision mesh in a system.
#[derive(Debug, Clone)]
pub struct Collider {
    /// Whether it is solved for.
    pub role: Role,
    /// Its collision mesh, in the body's node numbers.
    pub mesh: Arc<CollisionMesh>,
    /// Its number in the [`PairTable`].
    pub number: usize,
    /// Its number among the system's bodies.
    pub body: usize,
    /// Where its nodes begin among the system's.
    pub first_node: usize,
    /// How far its material reaches out of the mesh (m), at least zero: half the
    /// thickness of a sheet, the radius of a rod. The minimum separation of two colliders is the
    /// sum of theirs; obstacles have none.
    pub half_thickness: f64,
}

/// Everything that can touch in one system. Cheap to make: all that is large is shared. A clone has scratch memory of its own.
///
/// Positions `x` of a scene are those of the system's nodes (m), collider by collider.
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
    /// Where the points of each are.
    pub(crate) points: Arc<PointMap>,
    /// The obstacles of the scene.
    pub obstacles: Arc<Obstacles>,
    /// What collides with what, and how rough it is.
    pub pairs: Arc<PairTable>,
    /// Pairs of primitives whose boxes overlap, task by task of a search.
    pub(crate) pair_lists: Arc<ScratchPool<Vec<[u32; 2]>>>,
    /// Whether to stop a search.
    pub(crate) interrupt: Interrupt,
    /// The bodies that pairs are looked for: none if for all of them.
    focus: Option<Focus>,
}

impl Clone for CollisionScene {
    fn clone(&self) -> Self {
        let points = Arc::new(PointMap::clone(&self.points));
        Self { points, pair_lists: Arc::default(), ..self.shared(self.focus.clone()) }
    }
}

impl CollisionScene {
    /// The colliders of one system, what they may collide with, and how.
    pub fn new(colliders: Vec<Collider>, obstacles: Arc<Obstacles>, pairs: Arc<PairTable>) -> Self {
        let points = Arc::new(PointMap::new(&colliders));
        let (colliders, pair_lists) = (colliders.into(), Arc::default());
        let interrupt = Interrupt::new();
        Self { colliders, points, obstacles, pairs, pair_lists, interrupt, focus: None }
    }

    /// The scene with searches that end when `interrupt` is raised: they find no pairs then, and
    /// no part of the path collision-free.
    #[must_use]
    pub fn with_interrupt(self, interrupt: Interrupt) -> Self {
        Self { interrupt, ..self }
    }

    /// Simulated meshes, their nodes one after the other, that all collide with each other and
    /// themselves: without obstacles, friction or thickness. Colliders and bodies are numbered
    /// in this order.
    pub fn of_meshes(meshes: impl IntoIterator<Item = CollisionMesh>) -> Self {
        let mut first_node = 0;
        let stacked = meshes.into_iter().enumerate().map(|(body, mesh)| {
            let here = first_node;
            first_node += mesh.node_count();
            Collider {
                role: Role::Simulated,
                mesh: Arc::new(mesh),
                number: body,
                body,
                first_node: here,
                half_thickness: 0.0,
            }
        });
        let colliders: Vec<Collider> = stacked.collect();
        let pairs = PairTable::new(colliders.len());
        Self::new(colliders, Arc::default(), Arc::new(pairs))
    }

    /// Whether pairs are looked for that this body is part of.
    pub(crate) fn is_in_focus(&self, body: usize) -> bool {
        self.current_focus().is_none_or(|focus| focus.holds(body))
    }

    pub(crate) fn current_focus(&self) -> Option<&Focus> {
        self.focus.as_ref()
    }

    /// The scene with pairs of these bodies only, by their number; the others stay where they are. It shares the
    /// scratch memory of this one. O(colliders).
    pub(crate) fn restricted(&self, among: &[bool]) -> Self {
        self.shared(Some(Focus::new(among, self.colliders.len())))
    }

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

    /// Adds to `out`, in nodes, what `visit` adds in points; on an embedded surface only that of bodies in focus.
    pub(crate) fn gather(&self, out: &mut [Vec3], visit: impl FnOnce(&mut [Vec3])) {
        self.points.gather(|body| self.is_in_focus(body), out, visit);
    }

    /// The colliders.
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// The vertices of all colliders, one after the other, by point: a node of the system, or
    /// behind the nodes a point of an embedded mesh.
    pub fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        self.meshes().flat_map(|(first, mesh)| mesh.vertices().iter().map(move |v| v + first))
    }

    /// The edges of all colliders, one after the other, by points as [`vertices`](Self::vertices).
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.meshes()
            .flat_map(|(first, mesh)| mesh.edges().iter().map(move |e| e.map(|v| v + first)))
    }

    /// The triangles of all colliders, one after the other, by points as
    /// [`vertices`](Self::vertices).
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        self.meshes()
            .flat_map(|(first, mesh)| mesh.triangles().iter().map(move |t| t.map(|v| v + first)))
    }

    /// Each mesh with the number of its first point.
    fn meshes(&self) -> impl Iterator<Item = (u32, &CollisionMesh)> {
        let first = |k: usize| self.points.first(k) as u32;
        self.colliders.iter().enumerate().map(move |(k, collider)| (first(k), &*collider.mesh))
    }

    /// The points of a collider, and the nodes that these hang on.
    pub(crate) fn ranges(&self, k: usize) -> [Range<usize>; 2] {
        let Collider { mesh, first_node, .. } = &self.colliders[k];
        let first = self.points.first(k);
        [first..first + mesh.point_count(), *first_node..first_node + mesh.node_count()]
    }

    /// The points of the obstacle that moves of a pair of shapes; none if neither is one.
    pub(crate) fn moving_obstacle(&self, shapes: [usize; 2]) -> Range<usize> {
        let moves = |k: &usize| self.colliders.get(*k).is_some_and(|c| c.role == Role::Kinematic);
        shapes.into_iter().find(moves).map_or(0..0, |k| {
            let [points, _] = self.ranges(k);
            points
        })
    }

    /// The number in the [`PairTable`] of each shape: of the colliders, then of the meshes of
    /// obstacles, then of the planes.
    pub(crate) fn shape_numbers(&self) -> Vec<usize> {
        let meshes = self.obstacles.meshes.iter().map(|mesh| mesh.collider);
        let planes = self.obstacles.planes.iter().map(|plane| plane.collider);
        self.colliders.iter().map(|collider| collider.number).chain(meshes).chain(planes).collect()
    }

    /// Vertices, edges and triangles of all colliders.
    pub(crate) fn primitive_count(&self) -> usize {
        let of = |m: &CollisionMesh| m.vertices().len() + m.edges().len() + m.triangles().len();
        self.colliders.iter().map(|collider| of(&collider.mesh)).sum()
    }
}
