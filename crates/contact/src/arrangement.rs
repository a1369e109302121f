//! Which surfaces there are in one system, and what they may meet.

use crate::bvh::{self, Aabb, Fitted, Tree};
use crate::embedding::PointMap;
use crate::surface::SurfaceBoxes;
use crate::{Obstacles, PairTable, Surface};
use rayon::prelude::*;
use resile_linalg::spare::Spare;
use resile_math::Vec3;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

/// Parameters of contact, the same for all pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSettings {
    /// Gap below which the barrier acts (m), positive.
    pub d_hat: f64,
    /// Stiffness of the barrier (Pa), positive.
    pub kappa: f64,
    /// Slip speed below which friction is static (m/s), positive.
    pub slip_speed: f64,
}

impl ContactSettings {
    /// The factor (J) of the dimensionless barrier of a pair that stands for `area` (m^2).
    pub fn stiffness(&self, area: f64) -> f64 {
        self.kappa * self.d_hat * area
    }
}

/// Whether a body is solved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is.
    Simulated,
    /// All its nodes are prescribed: an obstacle that moves. As an obstacle it takes no
    /// share of energies and links nobody, and two of them do not meet.
    Scripted,
}

/// A body's surface in a system.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Whether it is solved for.
    pub role: Role,
    /// Its surface, in the body's node numbers.
    pub surface: Arc<Surface>,
    /// Its number in the [`PairTable`].
    pub collider: usize,
    /// Its number among the system's bodies.
    pub body: usize,
    /// Where its nodes begin among the system's.
    pub first_node: usize,
    /// How far its material reaches out of the surface (m), at least zero: half the
    /// thickness of a sheet. Surfaces touch at the sum of both offsets; obstacles have none.
    pub offset: f64,
}

/// Everything that can touch in one system. Cheap to make: all that is large is shared.
#[derive(Debug, Clone)]
pub struct Arrangement {
    pub(crate) placed: Vec<Placed>,
    /// Where the points of each are.
    pub(crate) points: PointMap,
    /// The obstacles of the scene.
    pub obstacles: Arc<Obstacles>,
    /// What collides with what.
    pub pairs: Arc<PairTable>,
    /// The parameters.
    pub settings: ContactSettings,
    /// Pairs of primitives whose boxes overlap, task by task of a search.
    pub(crate) pair_lists: Spare<Vec<[u32; 2]>>,
}

/// Marks the number of an obstacle's point among the numbers of a stencil.
const OBSTACLE: u32 = 1 << 31;

/// A point of a stencil: a point of the system, or a fixed point of an obstacle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point(u32);

impl Point {
    pub(crate) fn moving(i: usize) -> Self {
        Self(i as u32)
    }

    pub(crate) fn fixed(i: usize) -> Self {
        Self(i as u32 | OBSTACLE)
    }

    /// The point `by` places further in the same numbering.
    pub(crate) fn offset(self, by: u32) -> Self {
        Self(self.0 + by)
    }

    /// The system's point, if it is one.
    pub(crate) fn as_moving(self) -> Option<usize> {
        (self.0 & OBSTACLE == 0).then_some(self.0 as usize)
    }

    pub(crate) fn position(self, x: &[Vec3], fixed: &[Vec3]) -> Vec3 {
        match self.as_moving() {
            Some(i) => x[i],
            None => fixed[(self.0 & !OBSTACLE) as usize],
        }
    }
}

/// A body or an obstacle mesh on some way.
pub(crate) struct Shape<'a> {
    pub(crate) surface: &'a Surface,
    way: OwnWay<'a>,
    /// The box around everything, less the mean displacement.
    pub(crate) root: Aabb,
    /// Mean displacement, not contained in the boxes: a falling body would sweep all of its
    /// own primitives.
    pub(crate) mean: Vec3,
    /// The most that a displacement of one of its points differs from the mean (m).
    pub(crate) stray: f64,
    pub(crate) first: Point,
    pub(crate) collider: usize,
    pub(crate) offset: f64,
    /// The system's body, if it is solved for: nothing for an obstacle, moving or not.
    pub(crate) body: Option<usize>,
}

/// What the boxes of a shape come from.
enum OwnWay<'a> {
    /// Positions of its points at both ends. The boxes are fitted when first asked for:
    /// most shapes meet nobody.
    Moving { from: &'a [Vec3], to: &'a [Vec3], boxes: OnceLock<Box<SurfaceBoxes>> },
    /// An obstacle's, fitted once and for all.
    Fixed(&'a SurfaceBoxes),
}

impl Arrangement {
    /// The bodies `placed` in one system, what they may meet, and how.
    pub fn new(
        placed: Vec<Placed>,
        obstacles: Arc<Obstacles>,
        pairs: Arc<PairTable>,
        settings: ContactSettings,
    ) -> Self {
        let points = PointMap::new(&placed);
        Self { placed, points, obstacles, pairs, settings, pair_lists: Spare::default() }
    }

    /// Vertices, edges and triangles of all bodies.
    pub(crate) fn primitive_count(&self) -> usize {
        let of = |s: &Surface| s.vertices.len() + s.edges.len() + s.triangles.len();
        self.placed.iter().map(|placed| of(&placed.surface)).sum()
    }

    /// All meshes, bodies first, on the straight way between two states, given by their
    /// points.
    pub(crate) fn shapes<'a>(&'a self, from: &'a [Vec3], to: &'a [Vec3]) -> Vec<Shape<'a>> {
        let bodies = self.placed.par_iter().enumerate().map(|(k, placed)| {
            let surface = &*placed.surface;
            let first = self.points.first(k);
            let own = first..first + surface.point_count();
            let (from, to) = (&from[own.clone()], &to[own]);
            let vertices = || surface.vertices.iter().map(|&i| i as usize);
            let moved = vertices().map(|i| to[i] - from[i]);
            let mean = moved.sum::<Vec3>() / surface.vertices.len().max(1) as f64;
            let strays = vertices().map(|i| (to[i] - from[i] - mean).length_squared());
            Shape {
                surface,
                root: Aabb::of_points(vertices().flat_map(|i| [from[i], to[i] - mean])),
                way: OwnWay::Moving { from, to, boxes: OnceLock::new() },
                mean,
                stray: strays.fold(0.0, f64::max).sqrt(),
                first: Point::moving(first),
                collider: placed.collider,
                offset: placed.offset,
                body: (placed.role == Role::Simulated).then_some(placed.body),
            }
        });
        let mut shapes: Vec<Shape<'a>> = bodies.collect();
        shapes.extend(self.obstacles.meshes.iter().map(|mesh| Shape {
            surface: &mesh.surface,
            root: mesh.boxes.root(),
            way: OwnWay::Fixed(&mesh.boxes),
            mean: Vec3::ZERO,
            stray: 0.0,
            first: Point::fixed(mesh.first_point),
            collider: mesh.collider,
            offset: 0.0,
            body: None,
        }));
        shapes
    }

    /// Pairs of shapes that collide and may come nearer than `reach` (m) on their way, by
    /// the boxes around them: the first a simulated body, each pair once, ordered as the
    /// shapes are. O(n log n) for shapes that are spread out.
    pub(crate) fn meetings(&self, shapes: &[Shape<'_>], reach: f64) -> Vec<(usize, usize)> {
        let present: Vec<usize> =
            (0..shapes.len()).filter(|&i| !shapes[i].surface.vertices.is_empty()).collect();
        let boxes: Vec<Aabb> = present.iter().map(|&i| shapes[i].swept(reach)).collect();
        let centres: Vec<Vec3> = boxes.iter().map(|b| (b.min + b.max) * 0.5).collect();
        let tree = Tree::new(&centres);
        let fitted = tree.refit(|k| boxes[k]);
        let itself = |&&i: &&usize| shapes[i].body.is_some() && !shapes[i].surface.is_affine();
        let mut near: Vec<[usize; 2]> = present.iter().filter(itself).map(|&i| [i, i]).collect();
        let _all = bvh::self_pairs(Fitted { tree: &tree, boxes: &fitted }, 0.0, |k, l| {
            let (i, j) = (present[k], present[l]);
            near.push([i.min(j), i.max(j)]);
            ControlFlow::Continue(())
        });
        near.retain(|&[i, j]| {
            let (a, b) = (&shapes[i], &shapes[j]);
            (a.body.is_some() || b.body.is_some()) && self.pairs.collide(a.collider, b.collider)
        });
        near.sort_unstable();
        let simulated_first =
            |[i, j]: [usize; 2]| if shapes[i].body.is_some() { (i, j) } else { (j, i) };
        near.into_iter().map(simulated_first).collect()
    }
}

impl Shape<'_> {
    fn boxes(&self) -> &SurfaceBoxes {
        match &self.way {
            OwnWay::Fixed(boxes) => boxes,
            OwnWay::Moving { from, to, boxes } => boxes.get_or_init(|| {
                Box::new(self.surface.boxes(|i| from[i as usize], |i| to[i as usize] - self.mean))
            }),
        }
    }

    pub(crate) fn vertices(&self) -> Fitted<'_> {
        self.surface.vertex_tree(self.boxes())
    }

    pub(crate) fn edges(&self) -> Fitted<'_> {
        self.surface.edge_tree(self.boxes())
    }

    pub(crate) fn triangles(&self) -> Fitted<'_> {
        self.surface.triangle_tree(self.boxes())
    }

    /// A box around it wherever it is on its way, so large that shapes which come
    /// nearer than `reach` and their offsets have overlapping boxes.
    fn swept(&self, reach: f64) -> Aabb {
        let root = self.root;
        let size = root.min.abs().max(root.max.abs()).max_element() + self.mean.abs().max_element();
        let margin = (0.5 * reach + self.offset) * (1.0 + 1e-9) + 16.0 * f64::EPSILON * size;
        root.swept(self.mean).inflate(margin)
    }
}
