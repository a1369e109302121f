//! Collision mesh of a body: its collision primitives.

use crate::Embedding;
use crate::geometry::along::{CurvePlace, Curves};
use crate::geometry::bvh::{AffinePath, AffineTree, Boxes, Fitted, RoundedBox, Tree};
use crate::geometry::clearance::RestShape;
use crate::geometry::mesh_error::{CollisionMeshError, ThicknessError};
use crate::geometry::rest::{LowestPrimitive, Primitives, RestMeasures, lowest_primitive};
use crate::geometry::rims::Rims;
use resile_math::{AFFINE_NODES, Aabb, Vec3};
use std::array;
use std::borrow::Cow;

/// Triangles, edges and points that collide, with their rest measures and bounding volume hierarchies.
///
/// Edges of triangles and corners are collision primitives too. *Codimensional* edges belong to no triangle (a rod,
/// a hair), codimensional points to no edge (a grain). The points of the mesh are the nodes of its body, numbered
/// as there (interior nodes are allowed and ignored), or are embedded in its nodes by fixed weights.
///
/// ```
/// use resile_contact::{CollisionMesh, Vec3};
///
/// let rest = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let mesh = CollisionMesh::new(&rest, &[[0, 1, 2]])?;
/// assert_eq!((mesh.vertices().len(), mesh.edges().len()), (3, 3));
/// # Ok::<(), resile_contact::CollisionMeshError>(())
/// ```
#[derive(Debug, Clone)]
pub struct CollisionMesh {
    pub(crate) primitives: Primitives,
    pub(crate) rest: RestMeasures,
    /// `None` for a mesh of points.
    pub(crate) lowest: Option<LowestPrimitive>,
    /// Number of points.
    points: usize,
    /// Number of nodes of the body.
    nodes: usize,
    /// Embedding of each point; `None` if the points are the nodes.
    embedding: Option<Vec<Embedding>>,
    /// Trees of the primitives, by [`Sort`].
    trees: [Tree; SORT_COUNT],
    /// Trees of primitives by weights on nodes, if all points move by one affine map.
    affine: Option<[AffineTree; SORT_COUNT]>,
    /// Data of the certificate against self-collision; `None` for flat meshes.
    pub(crate) rest_shape: Option<RestShape>,
    /// Positions of the points along curves, if the mesh consists of curves.
    curves: Option<Curves>,
    /// Whether flat regions remain flat.
    pub(crate) is_rigid: bool,
    /// Whether pairs with other such meshes are summed with signs.
    pub(crate) has_signed_sums: bool,
    /// Corners at sharp edges whose areas depend on the tilt of their triangles.
    pub(crate) rims: Rims,
}

/// Number of trees, one per [`Sort`] of primitives.
const SORT_COUNT: usize = 5;

/// Relative deviation of each tree node, by [`Sort`].
#[derive(Debug, Clone)]
pub(crate) struct Deviations([Vec<f64>; SORT_COUNT]);

/// Sort of primitives in the broad phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Vertices,
    Edges,
    Triangles,
    /// Codimensional edges.
    FreeEdges,
    /// Codimensional points.
    FreePoints,
}

/// Bounding boxes of all primitives of a mesh, by [`Sort`].
#[derive(Debug, Clone)]
pub(crate) struct MeshBoxes([Boxes; SORT_COUNT]);

impl CollisionMesh {
    /// A collision mesh without a [`RestShape`], which requires a search for the smallest distance between primitives at
    /// rest. Arguments and errors are those of [`with_codimensional`](Self::with_codimensional).
    pub(crate) fn unmeasured(
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        edges: &[[u32; 2]],
        points: &[u32],
        width: f64,
    ) -> Result<Self, CollisionMeshError> {
        let (primitives, measures) = Primitives::measured(rest, triangles, edges, points, width)?;
        let position = |i: u32| rest[i as usize];
        let midpoint = |[i, j]: [u32; 2]| (position(i) + position(j)) * 0.5;
        let Primitives { vertices, edges, triangles, free_edges, free_points } = &primitives;
        let trees = [
            tree(vertices.iter().map(|&i| position(i))),
            tree(edges.iter().map(|&edge| midpoint(edge))),
            tree(triangles.iter().map(|t| t.map(position).into_iter().sum::<Vec3>() / 3.0)),
            tree(free_edges.iter().map(|&e| midpoint(edges[e as usize]))),
            tree(free_points.iter().map(|&v| position(vertices[v as usize]))),
        ];
        Ok(Self {
            lowest: lowest_primitive(rest, &primitives),
            trees,
            primitives,
            rest: measures,
            points: rest.len(),
            nodes: rest.len(),
            embedding: None,
            affine: None,
            rest_shape: None,
            curves: None,
            is_rigid: false,
            has_signed_sums: false,
            rims: Rims::default(),
        })
    }

    /// The mesh with points embedded in the `nodes` nodes of a body.
    pub(crate) fn with_embedding(self, embedding: Vec<Embedding>, nodes: usize) -> Self {
        let affine = (nodes <= AFFINE_NODES).then(|| self.affine_trees(&embedding));
        let is_rigid = self.is_rigid || affine.is_some();
        Self { nodes, embedding: Some(embedding), affine, is_rigid, ..self }
    }

    /// The mesh with a contact energy that counts each point of its surface once. It applies to pairs of meshes that
    /// both have it.
    ///
    /// Pairs of a vertex with the triangles of a surface are summed with signs: triangles minus interior sides plus
    /// interior corners (Li et al. 2023, *Convergent Incremental Potential Contact*, improved max operator). Near a
    /// flat or convex surface the energy of a vertex is then that of its distance to the surface, wherever the nearest
    /// point lies. Without it a vertex counts once for each triangle near it. In flat regions of affine bodies and
    /// obstacles, where vertices carry the contact, edges and obstacles' vertices act below a quarter of `d_hat` only,
    /// and a ridge below its height.
    #[must_use]
    pub fn with_signed_sums(self) -> Self {
        Self { has_signed_sums: true, ..self }
    }

    /// The mesh with areas of vertices on planes that exclude triangles perpendicular to the plane.
    ///
    /// The area of a vertex includes a third of each of its triangles. At the rim of a face on a plane these include
    /// triangles of the sides, which carry no pressure. With rim weights the share of a triangle at a vertex of a sharp
    /// edge (more than 45 degrees between the normals) decreases from one to a tenth as its tilt to the plane increases
    /// from 53 to 90 degrees. The energy remains a twice differentiable function of the positions. `rest` are the
    /// points at rest (m). O(n log n).
    ///
    /// # Panics
    /// If there are fewer positions than points.
    #[must_use]
    pub fn with_rim_weights(self, rest: &[Vec3]) -> Self {
        let rims = Rims::new(rest, self.triangles());
        Self { rims, ..self }
    }

    /// The mesh of a simulated body whose flat regions remain flat, as those of affine bodies do without this call.
    /// With [signed sums](Self::with_signed_sums) edges within these regions act below a quarter of `d_hat` only.
    #[must_use]
    pub fn rigid(self) -> Self {
        Self { is_rigid: true, ..self }
    }

    /// The mesh as a set of curves with its points at these positions along them. Pairs of primitives are
    /// neighbours, not contacts, if the arc length between them is less than half a circle whose diameter is their
    /// contact distance. The segments of a rod may then be shorter than its thickness.
    ///
    /// # Panics
    /// If there is not one position per point.
    #[must_use]
    pub fn along_curves(self, positions: Vec<CurvePlace>) -> Self {
        assert_eq!(positions.len(), self.points, "a place for each point");
        Self { curves: Some(Curves(positions)), ..self }
    }

    /// Whether two primitives with the points `a` and `b` are neighbours along a curve for this contact distance (m).
    pub(crate) fn are_neighbours(&self, a: &[u32], b: &[u32], contact_distance: f64) -> bool {
        self.curves.as_ref().is_some_and(|curves| curves.are_neighbours(a, b, contact_distance))
    }

    /// Number of nodes of the body, including interior ones.
    pub fn node_count(&self) -> usize {
        self.nodes
    }

    /// Number of points that primitives may refer to: the nodes, unless the mesh is embedded.
    pub fn point_count(&self) -> usize {
        self.points
    }

    /// Positions of the points (m) for node positions `nodes`, which may continue beyond the nodes of the body.
    /// Nothing is copied unless the mesh is embedded.
    pub fn points<'a>(&self, nodes: &'a [Vec3]) -> Cow<'a, [Vec3]> {
        match &self.embedding {
            None => Cow::Borrowed(&nodes[..self.nodes]),
            Some(embedding) => embedding.iter().map(|point| point.interpolate(nodes)).collect(),
        }
    }

    /// Embedding of each point, if the mesh is embedded.
    pub fn embedding(&self) -> Option<&[Embedding]> {
        self.embedding.as_deref()
    }

    /// Checks that the mesh is coarse enough for contact between sheets of thickness `2 half_thickness` (m), whose
    /// barrier acts on gaps below `d_hat` (m). Midsurfaces are then in contact below the activation distance
    /// `2 half_thickness + d_hat`.
    ///
    /// Flat parts must not be in contact with themselves at rest. Every triangle height and every codimensional edge
    /// length must therefore exceed the activation distance. In the plane of a sheet the nearest elements that have
    /// no vertex in common are a vertex and the side opposite to it in a triangle; along a rod, a vertex and the next
    /// edge but one. O(1).
    ///
    /// # Errors
    /// If a height or length does not; the error refers to the smallest. Never for [curves](Self::along_curves), whose
    /// neighbours are not in contact.
    pub fn check_thickness(&self, half_thickness: f64, d_hat: f64) -> Result<(), ThicknessError> {
        if self.curves.is_some() {
            return Ok(());
        }
        let Some(LowestPrimitive { primitive, height }) = self.lowest else { return Ok(()) };
        let thickness = 2.0 * half_thickness;
        let activation_distance = thickness + d_hat;
        if height > activation_distance {
            return Ok(());
        }
        Err(ThicknessError { primitive, height, thickness, activation_distance })
    }

    /// Whether all points are embedded in the same four nodes. Such a body is nearly rigid: its surface moves by an
    /// affine map and touches itself only if the map is inverted.
    pub(crate) fn is_affine(&self) -> bool {
        self.affine.is_some()
    }

    /// Trees of all sorts of primitives by the weights of their points.
    fn affine_trees(&self, embedding: &[Embedding]) -> [AffineTree; SORT_COUNT] {
        let [vertex_tree, edge_tree, triangle_tree, free_edge_tree, free_point_tree] = &self.trees;
        let Primitives { vertices, edges, triangles, free_edges, free_points } = &self.primitives;
        [
            AffineTree::new(vertex_tree, |i| [vertices[i]], embedding),
            AffineTree::new(edge_tree, |i| edges[i], embedding),
            AffineTree::new(triangle_tree, |i| triangles[i], embedding),
            AffineTree::new(free_edge_tree, |i| edges[free_edges[i] as usize], embedding),
            AffineTree::new(free_point_tree, |i| [vertices[free_points[i] as usize]], embedding),
        ]
    }

    /// The points on the surface, ascending.
    pub fn vertices(&self) -> &[u32] {
        &self.primitives.vertices
    }

    /// Rest area (m^2) of each vertex, in the order of the vertices: a third of its triangles and half of its
    /// codimensional edges.
    pub fn vertex_areas(&self) -> &[f64] {
        &self.rest.vertex_areas
    }

    /// The edges, lower point first, ascending: sides of triangles and codimensional edges.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.primitives.edges
    }

    /// The triangles, in the given order and orientation.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.primitives.triangles
    }

    /// Whether the mesh has codimensional edges or points.
    pub(crate) fn has_codimensional(&self) -> bool {
        !(self.primitives.free_edges.is_empty() && self.primitives.free_points.is_empty())
    }

    /// Swept boxes of all primitives on the straight path between the positions `from(point)` and `to(point)`.
    pub(crate) fn boxes(&self, from: impl Fn(u32) -> Vec3, to: impl Fn(u32) -> Vec3) -> MeshBoxes {
        // Rounded once per point: the hull of rounded boxes is the rounded hull.
        let mut point_boxes = vec![RoundedBox::EMPTY; self.points];
        let mut root = Aabb::EMPTY;
        let Primitives { vertices, edges, triangles, free_edges, free_points } = &self.primitives;
        for &i in vertices {
            let bounds = Aabb::of_points([from(i), to(i)]);
            root = root.joined(bounds);
            point_boxes[i as usize] = RoundedBox::around(bounds);
        }
        let bounds_of = |i: u32| point_boxes[i as usize];
        let edge_box = |[a, b]: [u32; 2]| bounds_of(a).hull(bounds_of(b));
        let [vertex_tree, edge_tree, triangle_tree, free_edge_tree, free_point_tree] = &self.trees;
        MeshBoxes([
            vertex_tree.refit_rounded(root, |i| bounds_of(vertices[i])),
            edge_tree.refit_rounded(root, |i| edge_box(edges[i])),
            triangle_tree.refit_rounded(root, |i| {
                let [a, b, c] = triangles[i].map(bounds_of);
                a.hull(b).hull(c)
            }),
            free_edge_tree.refit_rounded(root, |i| edge_box(edges[free_edges[i] as usize])),
            free_point_tree.refit_rounded(root, |i| bounds_of(vertices[free_points[i] as usize])),
        ])
    }

    /// Swept boxes on the path of the affine map of all points, if the mesh has one.
    pub(crate) fn affine_boxes(&self, path: &AffinePath) -> Option<MeshBoxes> {
        let trees = self.affine.as_ref()?;
        Some(MeshBoxes(array::from_fn(|sort| trees[sort].boxes(&self.trees[sort], path))))
    }

    /// For each node of the trees, the largest of `point_values` among the points of its primitives.
    pub(crate) fn subtree_maxima(&self, point_values: &[f64]) -> Deviations {
        let max_value = |points: &[u32]| {
            points.iter().map(|&i| point_values[i as usize]).fold(f64::NEG_INFINITY, f64::max)
        };
        let Primitives { vertices, edges, triangles, free_edges, free_points } = &self.primitives;
        let [vertex_tree, edge_tree, triangle_tree, free_edge_tree, free_point_tree] = &self.trees;
        Deviations([
            vertex_tree.subtree_maxima(|i| max_value(&[vertices[i]])),
            edge_tree.subtree_maxima(|i| max_value(&edges[i])),
            triangle_tree.subtree_maxima(|i| max_value(&triangles[i])),
            free_edge_tree.subtree_maxima(|i| max_value(&edges[free_edges[i] as usize])),
            free_point_tree.subtree_maxima(|i| max_value(&[vertices[free_points[i] as usize]])),
        ])
    }

    /// Boxes of the primitives that are part of no other (triangles, codimensional edges and points). Each point
    /// lies in the box spanned by `low` and `high`.
    pub(crate) fn facet_boxes(&self, low: &[Vec3], high: &[Vec3]) -> [Boxes; 3] {
        let box_around = |points: &[u32]| {
            Aabb::of_points(points.iter().flat_map(|&p| [low[p as usize], high[p as usize]]))
        };
        let Primitives { vertices, edges, triangles, free_edges, free_points } = &self.primitives;
        let [_, _, triangle_tree, free_edge_tree, free_point_tree] = &self.trees;
        [
            triangle_tree.refit(|i| box_around(&triangles[i])),
            free_edge_tree.refit(|i| box_around(&edges[free_edges[i] as usize])),
            free_point_tree.refit(|i| box_around(&[vertices[free_points[i] as usize]])),
        ]
    }

    /// The trees of [`facet_boxes`](Self::facet_boxes).
    pub(crate) fn fitted_facets<'a>(&'a self, boxes: &'a [Boxes; 3]) -> [Fitted<'a>; 3] {
        array::from_fn(|k| Fitted::new(&self.trees[2 + k], &boxes[k]))
    }

    /// Tree of the primitives of one sort, with its boxes in `boxes`.
    pub(crate) fn fitted<'a>(&'a self, sort: Sort, boxes: &'a MeshBoxes) -> Fitted<'a> {
        Fitted::new(&self.trees[sort as usize], &boxes.0[sort as usize])
    }
}

impl Deviations {
    /// Values of the tree of one sort of primitives.
    pub(crate) fn values_of_sort(&self, sort: Sort) -> &[f64] {
        &self.0[sort as usize]
    }
}

impl MeshBoxes {
    /// Bounding box of all vertices.
    pub(crate) fn root(&self) -> Aabb {
        self.0[Sort::Vertices as usize].root()
    }
}

/// Tree of primitives with these centres.
fn tree(centres: impl Iterator<Item = Vec3>) -> Tree {
    Tree::new(&centres.collect::<Vec<_>>())
}
