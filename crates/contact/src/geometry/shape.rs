//! Collision meshes on a straight path, and pairs of them that come near each other.

use crate::geometry::ROUNDING_FACTOR;
use crate::geometry::bvh::{self, AffinePath, Fitted};
use crate::geometry::clearance::Clearance;
use crate::geometry::collision_mesh::{Deviations, MeshBoxes, Sort};
use crate::geometry::embedding::same_bits;
use crate::geometry::focus::StationaryShape;
use crate::geometry::obstacle::PlacedObstacle;
use crate::geometry::packed::PackedPath;
use crate::geometry::point::Point;
use crate::{Collider, CollisionMesh, CollisionScene, Role};
use rayon::prelude::*;
use resile_math::{Aabb, Vec3};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A collider or an obstacle mesh on a path.
pub(crate) struct Shape<'a> {
    pub(crate) mesh: &'a CollisionMesh,
    path: ShapePath<'a>,
    /// Bounding box of the path without the mean displacement.
    pub(crate) root: Aabb,
    /// Mean displacement (m), not included in the boxes: otherwise the primitives of a falling body would sweep each
    /// other.
    pub(crate) mean_displacement: Vec3,
    /// First point of the mesh.
    pub(crate) first: Point,
    /// Index in the [`PairTable`](crate::PairTable).
    pub(crate) collider: usize,
    pub(crate) half_thickness: f64,
    /// Index of the body if it is simulated; `None` for obstacles, moving or fixed.
    pub(crate) body: Option<usize>,
    /// Bounds of the distances between its own primitives. `None` where they are not needed: for bodies that are
    /// not simulated or not in focus, and for affine bodies, which have no self-collision search.
    pub(crate) clearance: Option<Clearance>,
    /// Relative deviations of tree nodes, computed on first use; see [`Clearance::deviations`].
    deviations: OnceLock<Option<Deviations>>,
}

/// Boxes and packed points of a shape on its path, computed on first use: most shapes come near no other.
#[derive(Debug, Default)]
pub(crate) struct Fits {
    pub(crate) boxes: OnceLock<Box<MeshBoxes>>,
    pub(crate) packed: OnceLock<PackedPath>,
}

/// Bounding box of a collider on its path.
struct Hull {
    /// Bounding box without the mean displacement.
    root: Aabb,
    /// Mean displacement (m).
    mean_displacement: Vec3,
    /// Storage for boxes and packed points.
    fits: Arc<Fits>,
}

/// Source of the boxes and packed points of a shape.
enum ShapePath<'a> {
    /// Positions of its points and of its nodes at both ends (m).
    Moving { points: [&'a [Vec3]; 2], nodes: [&'a [Vec3]; 2], fits: Arc<Fits> },
    /// Boxes and packed points of a fixed obstacle, computed once per scene.
    Fixed(&'a MeshBoxes, &'a PackedPath),
}

/// Largest number of shapes in focus whose boxes are each tested against all others: the tree of all boxes takes as long
/// as about a hundred of them.
const MAX_TESTED_SHAPES: usize = 64;

impl CollisionScene {
    /// All meshes, colliders first, on the straight path between two states of the points (m).
    pub(crate) fn shapes<'a>(&'a self, from: &'a [Vec3], to: &'a [Vec3]) -> Vec<Shape<'a>> {
        let bodies = (0..self.colliders.len()).into_par_iter();
        let mut shapes: Vec<Shape<'a>> = bodies.map(|k| self.shape(k, [from, to])).collect();
        shapes.extend(self.obstacles.meshes.iter().map(Shape::fixed));
        shapes
    }

    /// Collider `k` on the path.
    fn shape<'a>(&'a self, k: usize, [from, to]: [&'a [Vec3]; 2]) -> Shape<'a> {
        let collider = &self.colliders[k];
        let mesh = &*collider.mesh;
        let positions_in = |range: Range<usize>| [&from[range.clone()], &to[range]];
        let [points, nodes] = self.ranges(k).map(positions_in);
        let Hull { root, mean_displacement, fits } = self.hull(k, points, nodes);
        let needs_clearance = self.is_in_focus(collider.body) && !mesh.is_affine();
        Shape {
            mesh,
            root,
            path: ShapePath::Moving { points, nodes, fits },
            mean_displacement,
            first: Point::moving(self.points.first(k)),
            collider: collider.number,
            half_thickness: collider.half_thickness,
            body: (collider.role == Role::Simulated).then_some(collider.body),
            clearance: match (collider.role, &mesh.rest_shape) {
                (Role::Simulated, Some(rest)) if needs_clearance => {
                    rest.clearance(mesh.vertices(), points[0], points[1])
                }
                _ => None,
            },
            deviations: OnceLock::new(),
        }
    }

    /// Shape `k` at rest with its points at `x` (m).
    pub(crate) fn shape_at<'a>(&'a self, k: usize, x: &'a [Vec3]) -> Shape<'a> {
        if k >= self.colliders.len() {
            let obstacle = &self.obstacles.meshes[k - self.colliders.len()];
            return Shape::fixed(obstacle);
        }
        let collider = &self.colliders[k];
        let [points, nodes] = self.ranges(k).map(|range| [&x[range]; 2]);
        Shape {
            path: ShapePath::Moving { points, nodes, fits: Arc::default() },
            first: Point::moving(self.points.first(k)),
            collider: collider.number,
            half_thickness: collider.half_thickness,
            body: (collider.role == Role::Simulated).then_some(collider.body),
            ..Shape::at_rest(&collider.mesh, points[0])
        }
    }

    /// Bounding box of collider `k`, whose points move from `from` to `to` (m) and whose `nodes` have these positions at
    /// both ends. Cached if the collider is out of focus and at rest.
    fn hull(&self, k: usize, [from, to]: [&[Vec3]; 2], nodes: [&[Vec3]; 2]) -> Hull {
        let Collider { ref mesh, body, .. } = self.colliders[k];
        let vertices = || mesh.vertices().iter().map(|&i| i as usize);
        let out_of_focus = self.current_focus().filter(|focus| !focus.contains(body));
        if let Some(focus) = out_of_focus.filter(|_| same_bits(nodes[0], nodes[1])) {
            let root = || Aabb::of_points(vertices().map(|i| from[i]));
            let StationaryShape { root, fits, .. } = focus.stationary_shape(k, nodes[0], root);
            return Hull { root, mean_displacement: Vec3::ZERO, fits };
        }
        let displacements = vertices().map(|i| to[i] - from[i]);
        let mean_displacement = displacements.sum::<Vec3>() / mesh.vertices().len().max(1) as f64;
        let ends = vertices().flat_map(|i| [from[i], to[i] - mean_displacement]);
        Hull { root: Aabb::of_points(ends), mean_displacement, fits: Arc::default() }
    }

    /// Pairs of shapes that may come nearer than `d_hat` (m) plus their minimum separation, by their swept boxes, and of
    /// each shape with itself. Omits pairs that the collision filter ignores and pairs without a body in focus. The
    /// first shape of a pair is a simulated body; each pair occurs once, in the order of shapes. O(n log n) for shapes
    /// that are spread out.
    pub(crate) fn near_shapes(&self, shapes: &[Shape<'_>], d_hat: f64) -> Vec<(usize, usize)> {
        let nonempty: Vec<usize> =
            (0..shapes.len()).filter(|&i| !shapes[i].mesh.vertices().is_empty()).collect();
        let may_self_collide =
            |&&i: &&usize| shapes[i].body.is_some() && !shapes[i].mesh.is_affine();
        let mut pairs: Vec<[usize; 2]> =
            nonempty.iter().filter(may_self_collide).map(|&i| [i, i]).collect();
        let boxes: Vec<Aabb> = nonempty.iter().map(|&i| shapes[i].swept_box(d_hat)).collect();
        let mut push = |k: usize, l: usize| {
            let (i, j) = (nonempty[k], nonempty[l]);
            pairs.push([i.min(j), i.max(j)]);
        };
        let in_focus = |i: usize| shapes[i].body.is_some_and(|b| self.is_in_focus(b));
        let focused: Vec<usize> = (0..nonempty.len()).filter(|&k| in_focus(nonempty[k])).collect();
        if focused.len() <= MAX_TESTED_SHAPES {
            for &k in &focused {
                let overlapping = (0..boxes.len()).filter(|&l| boxes[k].overlaps(&boxes[l]));
                // Two shapes in focus find each other twice.
                overlapping
                    .filter(|&l| l > k || l < k && !in_focus(nonempty[l]))
                    .for_each(|l| push(k, l));
            }
        } else {
            bvh::visit_overlapping(&boxes, push);
        }
        pairs.retain(|&[i, j]| {
            let numbers = [i, j].map(|k| shapes[k].collider);
            (in_focus(i) || in_focus(j)) && self.pairs.collide(numbers[0], numbers[1])
        });
        pairs.sort_unstable();
        let simulated_first =
            |[i, j]: [usize; 2]| if shapes[i].body.is_some() { (i, j) } else { (j, i) };
        pairs.into_iter().map(simulated_first).collect()
    }
}

impl<'a> Shape<'a> {
    /// A fixed obstacle, whose boxes are computed once per scene.
    fn fixed(obstacle: &'a PlacedObstacle) -> Self {
        Self {
            mesh: &obstacle.mesh,
            root: obstacle.boxes.root(),
            path: ShapePath::Fixed(&obstacle.boxes, &obstacle.packed),
            mean_displacement: Vec3::ZERO,
            first: Point::fixed(obstacle.first_point),
            collider: obstacle.collider,
            half_thickness: 0.0,
            body: None,
            clearance: None,
            deviations: OnceLock::new(),
        }
    }

    /// A single mesh at rest.
    pub(crate) fn at_rest(mesh: &'a CollisionMesh, rest: &'a [Vec3]) -> Self {
        let vertices = mesh.vertices().iter().map(|&i| rest[i as usize]);
        Self {
            mesh,
            path: ShapePath::Moving { points: [rest; 2], nodes: [rest; 2], fits: Arc::default() },
            root: Aabb::of_points(vertices),
            mean_displacement: Vec3::ZERO,
            first: Point::moving(0),
            collider: 0,
            half_thickness: 0.0,
            body: Some(0),
            clearance: None,
            deviations: OnceLock::new(),
        }
    }

    /// Computes the boxes and the packed points, if they are not known yet.
    pub(crate) fn prepare(&self) {
        self.boxes();
        self.packed();
    }

    /// Boxes of all primitives on the path, computed on first use.
    fn boxes(&self) -> &MeshBoxes {
        match &self.path {
            ShapePath::Fixed(boxes, _) => boxes,
            ShapePath::Moving { points, nodes, fits } => {
                fits.boxes.get_or_init(|| Box::new(self.fit(*points, *nodes)))
            }
        }
    }

    /// Points in single precision.
    pub(crate) fn packed(&self) -> &PackedPath {
        match &self.path {
            ShapePath::Fixed(_, packed) => packed,
            ShapePath::Moving { points: [from, to], fits, .. } => fits.packed.get_or_init(|| {
                let centre = (self.root.min + self.root.max) * 0.5;
                PackedPath::new(self.mesh, centre, self.mean_displacement, [from, to])
            }),
        }
    }

    /// The boxes of all primitives on the path: from the affine map of the mesh if it has one, otherwise point by
    /// point.
    fn fit(&self, [from, to]: [&[Vec3]; 2], nodes: [&[Vec3]; 2]) -> MeshBoxes {
        let affine = || {
            let path = || AffinePath::new(self.root, nodes, self.mean_displacement);
            let path = self.mesh.is_affine().then(path)?;
            self.mesh.affine_boxes(&path?)
        };
        let end = |i: u32| to[i as usize] - self.mean_displacement;
        affine().unwrap_or_else(|| self.mesh.boxes(|i| from[i as usize], end))
    }

    /// Tree of the primitives of one sort.
    pub(crate) fn tree(&self, sort: Sort) -> Fitted<'_> {
        self.mesh.fitted(sort, self.boxes())
    }

    /// The [tree](Self::tree) for self-collision within `distance` (m). The distance must be the same in each call.
    pub(crate) fn tree_within(&self, sort: Sort, distance: f64) -> Fitted<'_> {
        let deviations = || self.clearance.as_ref()?.deviations(self.mesh, distance);
        match self.deviations.get_or_init(deviations) {
            Some(deviations) => self.tree(sort).with_deviations(deviations.values_of_sort(sort)),
            None => self.tree(sort),
        }
    }

    /// Swept box of the shape, inflated such that shapes that come closer than `d_hat` plus their minimum
    /// separation have overlapping boxes.
    fn swept_box(&self, d_hat: f64) -> Aabb {
        let root = self.root;
        let max_coordinate = root.min.abs().max(root.max.abs()).max_element()
            + self.mean_displacement.abs().max_element();
        let margin = (0.5 * d_hat + self.half_thickness) * ROUNDING_FACTOR
            + 16.0 * f64::EPSILON * max_coordinate;
        root.swept(self.mean_displacement).inflate(margin)
    }
}
