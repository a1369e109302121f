//! Faces of a part, with texture coordinates and normals at their corners.

use crate::motion::double;
use crate::part::Part;
use resile_math::Vec3;
use resile_mesh::read::ObjFaces;
use resile_mesh::{Creases, FaceList};
use resile_record::Original;
use std::collections::BTreeMap;

/// Faces that a format writes.
#[derive(Debug, Clone)]
pub(crate) struct Surface {
    pub(crate) creases: Creases,
    pub(crate) texture: Option<Texture>,
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
    /// Surface with the triangles of frames.
    pub(crate) fn of_triangles(part: &Part, first: &[[f32; 3]]) -> Self {
        let faces = FaceList::of_triangles(&part.triangles);
        let origins =
            (0..part.triangles.len()).map(|triangle| part.faces.as_ref()?.origin(triangle));
        Self::new(part, first, faces, origins.collect())
    }

    /// Surface with the convex faces of the original mesh; other faces are triangulated.
    pub(crate) fn of_polygons(part: &Part, first: &[[f32; 3]]) -> Self {
        let Some(original) = &part.faces else { return Self::of_triangles(part, first) };
        let whole = original.whole(&doubles(first));
        let (mut faces, mut origins) = (FaceList::default(), Vec::new());
        let mut written = vec![false; whole.len()];
        for (number, triangle) in part.triangles.iter().enumerate() {
            let origin = original.origin(number);
            let face = origin.map(|face| face as usize).filter(|&face| whole[face]);
            match face {
                Some(face) if written[face] => continue,
                Some(face) => {
                    written[face] = true;
                    faces.push(original.like(face, triangle));
                }
                None => faces.push(*triangle),
            }
            origins.push(origin);
        }
        Self::new(part, first, faces, origins)
    }

    fn new(part: &Part, first: &[[f32; 3]], faces: FaceList, origins: Vec<Option<u32>>) -> Self {
        let texture = part.faces.as_ref().and_then(|original| original.texture(&faces, &origins));
        Self { creases: Creases::find(&doubles(first), &faces), texture }
    }

    pub(crate) fn faces(&self) -> &FaceList {
        self.creases.faces()
    }
}

pub(crate) fn doubles(points: &[[f32; 3]]) -> Vec<Vec3> {
    points.iter().map(double).collect()
}

/// Faces of an original mesh, by the vertices of its body.
#[derive(Debug, Clone)]
pub(crate) struct OriginalFaces {
    faces: FaceList,
    /// Texture coordinate index of each corner.
    textures: Vec<Option<u32>>,
    coordinates: Vec<[f64; 2]>,
    /// For each triangle of the body, the original face that contains it.
    origins: Vec<Option<u32>>,
}

impl OriginalFaces {
    pub(crate) fn new(original: &Original, triangles: &[[u32; 3]]) -> Self {
        let ObjFaces { faces: in_file, textures: in_file_textures, coordinates } = original.faces();
        let (mut faces, mut textures) = (FaceList::default(), Vec::new());
        for (number, corners) in in_file.iter().enumerate() {
            let of_face = &in_file_textures[in_file.first_corner(number)..][..corners.len()];
            let vertex = |corner: &u32| original.vertices.get(*corner as usize).copied();
            let corners = corners.iter().map(vertex).zip(of_face.iter().copied());
            let mut corners: Vec<(u32, Option<u32>)> =
                corners.filter_map(|(vertex, texture)| Some((vertex?, texture))).collect();
            corners.dedup_by_key(|corner| corner.0);
            if corners.len() > 1 && corners.first().map(|c| c.0) == corners.last().map(|c| c.0) {
                corners.pop();
            }
            faces.push(corners.iter().map(|corner| corner.0));
            textures.extend(corners.iter().map(|corner| corner.1));
        }
        let origins = origins(&faces, triangles);
        Self { faces, textures, coordinates, origins }
    }

    /// Original face that contains a triangle of the body.
    fn origin(&self, triangle: usize) -> Option<u32> {
        self.origins[triangle]
    }

    /// Corners of a face, in the orientation of one of its triangles.
    fn like(&self, face: usize, triangle: &[u32; 3]) -> Vec<u32> {
        let mut corners = self.faces.face(face).to_vec();
        if !same_orientation(&corners, triangle) {
            corners.reverse();
        }
        corners
    }

    /// Whether each face can be written as a polygon: programs split polygons into fans, which is correct for
    /// convex ones.
    fn whole(&self, positions: &[Vec3]) -> Vec<bool> {
        let mut parts = vec![0; self.faces.len()];
        self.origins.iter().flatten().for_each(|&face| parts[face as usize] += 1);
        let places = |face: &[u32]| face.iter().map(|&v| positions[v as usize]).collect::<Vec<_>>();
        let whole =
            |(face, parts): (&[u32], usize)| parts + 2 == face.len() && is_convex(&places(face));
        self.faces.iter().zip(parts).map(whole).collect()
    }

    /// Texture coordinates of the corners of `faces`, each of which comes from a face of the original; (0, 0)
    /// for corners without any. `None` if the original has no texture coordinates.
    fn texture(&self, faces: &FaceList, origins: &[Option<u32>]) -> Option<Texture> {
        let of_corner = |origin: u32, vertex: u32| {
            let index = self.faces.face(origin as usize).iter().position(|&v| v == vertex)?;
            self.textures[self.faces.first_corner(origin as usize) + index]
        };
        let corners = faces.iter().zip(origins).flat_map(|(face, origin)| {
            face.iter().map(move |&vertex| origin.and_then(|origin| of_corner(origin, vertex)))
        });
        let corners: Vec<Option<u32>> = corners.collect();
        corners.iter().any(Option::is_some).then(|| self.numbered(&corners))
    }

    /// Texture with only those coordinates that corners use.
    fn numbered(&self, corners: &[Option<u32>]) -> Texture {
        let used: BTreeMap<Option<u32>, ()> = corners.iter().map(|&corner| (corner, ())).collect();
        let numbers: BTreeMap<Option<u32>, u32> = used.into_keys().zip(0..).collect();
        let coordinates = numbers.keys().map(|used| {
            let pair = used.map_or([0.0, 0.0], |number| self.coordinates[number as usize]);
            pair.map(|x| x as f32)
        });
        let coordinates = coordinates.collect();
        Texture { coordinates, corners: corners.iter().map(|corner| numbers[corner]).collect() }
    }
}

/// For each triangle, a face that has its three corners, if possible in the same orientation.
fn origins(faces: &FaceList, triangles: &[[u32; 3]]) -> Vec<Option<u32>> {
    let mut around: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, face) in (0..).zip(faces.iter()) {
        face.iter().for_each(|&vertex| around.entry(vertex).or_default().push(number));
    }
    let origin = |triangle: &[u32; 3]| {
        let corners = |face: &u32| faces.face(*face as usize);
        let fits = |face: &&u32| triangle.iter().all(|vertex| corners(face).contains(vertex));
        let candidates: Vec<u32> = around.get(&triangle[0])?.iter().filter(fits).copied().collect();
        let oriented_alike =
            candidates.iter().find(|face| same_orientation(corners(face), triangle));
        oriented_alike.or(candidates.first()).copied()
    };
    triangles.iter().map(origin).collect()
}

/// Whether a face traverses the corners of a triangle in the triangle's order.
fn same_orientation(face: &[u32], triangle: &[u32; 3]) -> bool {
    let [a, b, c] = triangle.map(|vertex| face.iter().position(|&v| v == vertex));
    (a < b) as u8 + (b < c) as u8 + (c < a) as u8 == 2
}

/// Whether a polygon is convex in projection along its mean normal.
fn is_convex(corners: &[Vec3]) -> bool {
    let count = corners.len();
    let side = |k: usize| corners[(k + 1) % count] - corners[k % count];
    let normal: Vec3 = (1..count.saturating_sub(1))
        .map(|k| (corners[k] - corners[0]).cross(corners[k + 1] - corners[0]))
        .sum();
    count == 3 || (0..count).all(|k| side(k).cross(side(k + 1)).dot(normal) > 0.0)
}
