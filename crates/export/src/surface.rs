//! Faces of a part, with their materials, and texture coordinates and normals at their corners.

use crate::motion::to_vec3;
use crate::original::{FaceMaterials, face_materials};
use crate::part::Part;
use resile_math::Vec3;
use resile_mesh::read::ObjFaces;
use resile_mesh::{Creases, FaceList};
use resile_record::Original;
use std::collections::{BTreeMap, BTreeSet};

/// Faces that a format writes.
#[derive(Debug, Clone)]
pub(crate) struct Surface {
    /// The faces, with the edges at which normals are discontinuous.
    pub(crate) creases: Creases,
    /// Texture coordinates, if the original mesh has any.
    pub(crate) texture: Option<Texture>,
    /// Index of the material of each face among those of the part; `None` for faces without one.
    pub(crate) materials: Vec<Option<usize>>,
}

/// Texture coordinates of face corners.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Texture {
    /// Texture coordinates; (0, 0) is the lower left corner of the image.
    pub(crate) coordinates: Vec<[f32; 2]>,
    /// Index into `coordinates` for each corner, face by face.
    pub(crate) corners: Vec<u32>,
}

impl Surface {
    /// Returns the surface with the triangles of the part. Creases are found at the positions of the first frame.
    pub(crate) fn of_triangles(part: &Part, first_frame_positions: &[[f32; 3]]) -> Self {
        let faces = FaceList::of_triangles(&part.triangles);
        let origins =
            (0..part.triangles.len()).map(|triangle| part.faces.as_ref()?.origin(triangle));
        Self::new(part, first_frame_positions, faces, origins.collect())
    }

    /// Returns the surface with the convex faces of the original mesh; other faces are triangulated. Convexity and
    /// creases are found at the positions of the first frame.
    pub(crate) fn of_polygons(part: &Part, first_frame_positions: &[[f32; 3]]) -> Self {
        let Some(original) = &part.faces else {
            return Self::of_triangles(part, first_frame_positions);
        };
        let is_polygon = original.convex_faces(&to_vec3s(first_frame_positions));
        let (mut faces, mut origins) = (FaceList::default(), Vec::new());
        let mut is_added = vec![false; is_polygon.len()];
        for (triangle_index, triangle) in part.triangles.iter().enumerate() {
            let origin = original.origin(triangle_index);
            let polygon = origin.map(|face| face as usize).filter(|&face| is_polygon[face]);
            match polygon {
                Some(face) if is_added[face] => continue,
                Some(face) => {
                    is_added[face] = true;
                    faces.push(original.oriented_corners(face, triangle));
                }
                None => faces.push(*triangle),
            }
            origins.push(origin);
        }
        Self::new(part, first_frame_positions, faces, origins)
    }

    /// Computes the creases and the texture of `faces`. `origins` has for each face the index of the original face that
    /// contains it, if there is one, and `first_frame_positions` the positions (m) of the vertices of the part.
    fn new(
        part: &Part,
        first_frame_positions: &[[f32; 3]],
        faces: FaceList,
        origins: Vec<Option<u32>>,
    ) -> Self {
        let texture = part.faces.as_ref().and_then(|original| original.texture(&faces, &origins));
        let material = |origin: Option<u32>| part.faces.as_ref()?.materials[origin? as usize];
        let materials = origins.into_iter().map(material).collect();
        let creases = Creases::find(&to_vec3s(first_frame_positions), &faces);
        Self { creases, texture, materials }
    }

    /// Returns the faces, whose vertex indices are those of the part.
    pub(crate) fn faces(&self) -> &FaceList {
        self.creases.faces()
    }
}

/// Converts points or vectors of a frame to double precision.
pub(crate) fn to_vec3s(points: &[[f32; 3]]) -> Vec<Vec3> {
    points.iter().map(to_vec3).collect()
}

/// Faces of an original mesh, with the vertex indices of its part.
#[derive(Debug, Clone)]
pub(crate) struct OriginalFaces {
    faces: FaceList,
    /// Index into `coordinates` for each corner, face by face.
    textures: Vec<Option<u32>>,
    /// Texture coordinates of the original file.
    coordinates: Vec<[f64; 2]>,
    /// Index into `material_names` for each face.
    materials: Vec<Option<usize>>,
    /// Names of the materials of the original file.
    pub(crate) material_names: Vec<String>,
    /// For each triangle of the part, the index of the original face that contains it.
    origins: Vec<Option<u32>>,
}

impl OriginalFaces {
    /// Maps the faces of the file to the vertices of the part, whose frames have these `triangles`. Consecutive corners
    /// of a face that become the same vertex are merged.
    pub(crate) fn new(original: &Original, triangles: &[[u32; 3]]) -> Self {
        let ObjFaces { faces: file_faces, textures: file_textures, coordinates } = original.faces();
        let (mut faces, mut textures) = (FaceList::default(), Vec::new());
        for (face_index, file_vertices) in file_faces.iter().enumerate() {
            let first_corner = file_faces.first_corner(face_index);
            let face_textures = &file_textures[first_corner..][..file_vertices.len()];
            let mut corners: Vec<FaceCorner> = Vec::with_capacity(file_vertices.len());
            for (&file_vertex, &texture) in file_vertices.iter().zip(face_textures) {
                if let Some(&vertex) = original.vertices.get(file_vertex as usize) {
                    corners.push(FaceCorner { vertex, texture });
                }
            }
            corners.dedup_by_key(|corner| corner.vertex);
            if let [first, .., last] = &corners[..]
                && first.vertex == last.vertex
            {
                corners.pop();
            }
            faces.push(corners.iter().map(|corner| corner.vertex));
            textures.extend(corners.iter().map(|corner| corner.texture));
        }
        let origins = containing_faces(&faces, triangles);
        let FaceMaterials { materials, material_names } = face_materials(original);
        Self { faces, textures, coordinates, materials, material_names, origins }
    }

    /// Returns the index of the original face that contains a triangle of the part, if there is one.
    fn origin(&self, triangle: usize) -> Option<u32> {
        self.origins[triangle]
    }

    /// Returns the vertices of the corners of a face, in the orientation of `triangle`, which is one of its triangles.
    fn oriented_corners(&self, face: usize, triangle: &[u32; 3]) -> Vec<u32> {
        let mut corners = self.faces.face(face).to_vec();
        if !same_orientation(&corners, triangle) {
            corners.reverse();
        }
        corners
    }

    /// Returns for each face whether it can be written as a polygon: its triangles cover it and it is convex. Programs
    /// split polygons into fans of triangles, which is correct for convex polygons only.
    fn convex_faces(&self, positions: &[Vec3]) -> Vec<bool> {
        let mut triangle_counts = vec![0; self.faces.len()];
        self.origins.iter().flatten().for_each(|&face| triangle_counts[face as usize] += 1);
        let is_polygon = |(face, triangle_count): (&[u32], usize)| {
            let corners: Vec<Vec3> = face.iter().map(|&v| positions[v as usize]).collect();
            triangle_count + 2 == face.len() && is_convex(&corners)
        };
        self.faces.iter().zip(triangle_counts).map(is_polygon).collect()
    }

    /// Returns the texture coordinates of the corners of `faces`, whose original faces have the indices `origins`.
    /// Corners without texture coordinates get (0, 0). Returns `None` if no corner has any.
    fn texture(&self, faces: &FaceList, origins: &[Option<u32>]) -> Option<Texture> {
        let corner_texture = |origin: u32, vertex: u32| {
            let corner = self.faces.face(origin as usize).iter().position(|&v| v == vertex)?;
            self.textures[self.faces.first_corner(origin as usize) + corner]
        };
        let corners = faces.iter().zip(origins).flat_map(|(face, origin)| {
            face.iter().map(move |&vertex| origin.and_then(|origin| corner_texture(origin, vertex)))
        });
        let corners: Vec<Option<u32>> = corners.collect();
        corners.iter().any(Option::is_some).then(|| self.compact_texture(&corners))
    }

    /// Returns a texture with only those coordinates that corners use. `corners` are indices into the coordinates of
    /// the file; `None` stands for (0, 0).
    fn compact_texture(&self, corners: &[Option<u32>]) -> Texture {
        let used: BTreeSet<Option<u32>> = corners.iter().copied().collect();
        let compact_index: BTreeMap<Option<u32>, u32> = used.into_iter().zip(0..).collect();
        let coordinates = compact_index.keys().map(|file_index| {
            let uv = file_index.map_or([0.0, 0.0], |index| self.coordinates[index as usize]);
            uv.map(|x| x as f32)
        });
        Texture {
            coordinates: coordinates.collect(),
            corners: corners.iter().map(|corner| compact_index[corner]).collect(),
        }
    }
}

/// Corner of a face of an original mesh.
#[derive(Debug, Clone, Copy)]
struct FaceCorner {
    /// Vertex of the part.
    vertex: u32,
    /// Index of the texture coordinate.
    texture: Option<u32>,
}

/// Returns for each triangle the index of a face that has its three vertices, if possible in the same orientation;
/// `None` if no face has them.
fn containing_faces(faces: &FaceList, triangles: &[[u32; 3]]) -> Vec<Option<u32>> {
    let mut faces_of_vertex: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (face_index, face) in (0..).zip(faces.iter()) {
        for &vertex in face {
            faces_of_vertex.entry(vertex).or_default().push(face_index);
        }
    }
    let containing_face = |triangle: &[u32; 3]| {
        let corners = |face: &u32| faces.face(*face as usize);
        let contains_triangle =
            |face: &&u32| triangle.iter().all(|vertex| corners(face).contains(vertex));
        let adjacent_faces = faces_of_vertex.get(&triangle[0])?;
        let candidates: Vec<u32> =
            adjacent_faces.iter().filter(contains_triangle).copied().collect();
        let oriented_alike =
            candidates.iter().find(|face| same_orientation(corners(face), triangle));
        oriented_alike.or(candidates.first()).copied()
    };
    triangles.iter().map(containing_face).collect()
}

/// Whether a face traverses the vertices of a triangle, which it contains, in the order of the triangle.
fn same_orientation(face: &[u32], triangle: &[u32; 3]) -> bool {
    let [a, b, c] = triangle.map(|vertex| face.iter().position(|&v| v == vertex));
    (a < b) as u8 + (b < c) as u8 + (c < a) as u8 == 2
}

/// Whether a polygon is convex in projection along its mean normal.
fn is_convex(corners: &[Vec3]) -> bool {
    let count = corners.len();
    let edge = |k: usize| corners[(k + 1) % count] - corners[k % count];
    let normal: Vec3 = (1..count.saturating_sub(1))
        .map(|k| (corners[k] - corners[0]).cross(corners[k + 1] - corners[0]))
        .sum();
    count == 3 || (0..count).all(|k| edge(k).cross(edge(k + 1)).dot(normal) > 0.0)
}
