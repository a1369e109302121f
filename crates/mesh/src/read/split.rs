//! Subdivision of hexahedra, prisms and pyramids into tetrahedra over the same nodes.
//!
//! An element is the union of the cones from its corner with the lowest number to the faces without that corner. A
//! quadrilateral face is divided along the diagonal of its corner with the lowest number (pulling triangulation; Dompierre
//! et al. 1999, *How to subdivide pyramids, prisms and hexahedra into tetrahedra*). The diagonal of a face therefore depends
//! on its corners alone, and neighbouring elements agree on it. Of a convex element all tetrahedra have positive volume.
//! Elements of higher order are divided by their corners.

use super::other_solids::{OtherSolid, Shape};
use resile_math::Vec3;
use std::collections::BTreeMap;
use std::ops::Range;

/// The tetrahedra of a list of elements.
pub(super) struct Division {
    pub(super) tets: Vec<[i64; 4]>,
    /// For each element, the range of its tetrahedra.
    ranges: Vec<Range<usize>>,
    /// Number of elements whose corners are listed in the opposite orientation.
    pub(super) reversed: usize,
    /// Number of elements with flat or inverted tetrahedra.
    pub(super) folded: usize,
}

impl Division {
    /// Range of the indices of the tetrahedra of an element, if the first tetrahedron of all elements has the index
    /// `first`.
    pub(super) fn tets_of(&self, element: u32, first: usize) -> Range<u32> {
        let Range { start, end } = self.ranges[element as usize].clone();
        (first + start) as u32..(first + end) as u32
    }

    /// The element of each tetrahedron. Repeated elements share the tetrahedra of the first.
    pub(super) fn solids(&self) -> impl Iterator<Item = usize> + '_ {
        let mut next = 0;
        let ranges = self.ranges.iter().enumerate().filter(move |(_, range)| {
            let is_first = range.start == next;
            next = next.max(range.end);
            is_first
        });
        ranges.flat_map(|(element, range)| range.clone().map(move |_| element))
    }
}

/// Divides elements. An element that is listed again, as Gmsh does for each group, has the tetrahedra of its first
/// occurrence.
pub(super) fn divide(elements: &[OtherSolid], position: impl Fn(i64) -> Option<Vec3>) -> Division {
    let (mut tets, mut ranges) = (Vec::new(), Vec::with_capacity(elements.len()));
    let (mut reversed, mut folded) = (0, 0);
    let mut divisions: BTreeMap<[i64; 8], Range<usize>> = BTreeMap::new();
    for element in elements {
        let mut corners = element.corners;
        corners.sort_unstable();
        let range = divisions.entry(corners).or_insert_with(|| {
            let start = tets.len();
            let (element_tets, is_reversed) = tetrahedra(element, &position);
            reversed += usize::from(is_reversed);
            folded += usize::from(element_tets.iter().any(|tet| volume(&[*tet], &position) <= 0.0));
            tets.extend(element_tets);
            start..tets.len()
        });
        ranges.push(range.clone());
    }
    Division { tets, ranges, reversed, folded }
}

/// Tetrahedra that fill an element, by node numbers, and whether the element lists its corners in the opposite
/// orientation. There are none for shapes that are not divided. Elements with coincident corners give only tetrahedra
/// with four different corners. `position` returns the position of a node, if it exists.
fn tetrahedra(
    element: &OtherSolid,
    position: impl Fn(i64) -> Option<Vec3>,
) -> (Vec<[i64; 4]>, bool) {
    let faces = faces(element.shape());
    let corners = faces.iter().flat_map(|face| face.iter().map(|&k| element.corners[k]));
    let Some(apex) = corners.min() else { return (Vec::new(), false) };
    let mut tets = Vec::new();
    for face in faces {
        let corners: Vec<i64> = face.iter().map(|&k| element.corners[k]).collect();
        if !corners.contains(&apex) {
            tets.extend(triangles(&corners).into_iter().map(|[a, b, c]| [apex, a, b, c]));
        }
    }
    let is_reversed = volume(&tets, position) < 0.0;
    if is_reversed {
        tets.iter_mut().for_each(|tet| tet.swap(2, 3));
    }
    (tets, is_reversed)
}

/// Triangles of a face in its orientation, without those in which corners coincide.
pub(super) fn triangles(corners: &[i64]) -> Vec<[i64; 3]> {
    let count = corners.len();
    let Some(first) = (0..count).min_by_key(|&k| corners[k]) else { return Vec::new() };
    let corner = |k: usize| corners[(first + k) % count];
    let fan = (1..count.saturating_sub(1)).map(|k| [corner(0), corner(k), corner(k + 1)]);
    fan.filter(|[a, b, c]| a != b && b != c && c != a).collect()
}

/// Tetrahedra over the corners of a hexahedron (8), a prism (6) or a pyramid (5), in the order of VTK; none for other
/// numbers. The diagonals of common faces agree. If `position` is known for all corners, the tetrahedra have positive
/// volumes together.
pub fn divided_element(corners: &[i64], position: impl Fn(i64) -> Option<Vec3>) -> Vec<[i64; 4]> {
    let shape = match corners.len() {
        8 => Shape::Hexahedron,
        6 => Shape::Prism,
        5 => Shape::Pyramid,
        _ => return Vec::new(),
    };
    tetrahedra(&OtherSolid::new(shape, corners), position).0
}

/// Triangles of a face of a [divided element](divided_element), by its corners in order.
pub fn divided_face(corners: &[i64]) -> Vec<[i64; 3]> {
    triangles(corners)
}

/// Whether elements of this shape are divided.
pub(super) fn divides(shape: Shape) -> bool {
    !faces(shape).is_empty()
}

/// Corners of each face, counterclockwise as seen from outside.
fn faces(shape: Shape) -> &'static [&'static [usize]] {
    match shape {
        Shape::Hexahedron => &[
            &[0, 3, 2, 1],
            &[4, 5, 6, 7],
            &[0, 1, 5, 4],
            &[1, 2, 6, 5],
            &[2, 3, 7, 6],
            &[3, 0, 4, 7],
        ],
        Shape::Voxel => &[
            &[0, 2, 3, 1],
            &[4, 5, 7, 6],
            &[0, 1, 5, 4],
            &[1, 3, 7, 5],
            &[3, 2, 6, 7],
            &[2, 0, 4, 6],
        ],
        Shape::Prism => &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]],
        Shape::Pyramid => &[&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]],
        Shape::Tetrahedron | Shape::Polyhedron => &[],
    }
}

/// Sum of the volumes of tetrahedra whose nodes exist.
fn volume(tets: &[[i64; 4]], position: impl Fn(i64) -> Option<Vec3>) -> f64 {
    let volume_of_tet = |tet: &[i64; 4]| {
        let [a, b, c, d] = tet.map(&position);
        let a = a?;
        Some((b? - a).cross(c? - a).dot(d? - a) / 6.0)
    };
    tets.iter().filter_map(volume_of_tet).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Corners of a cube and a point above it.
    const POINTS: [Vec3; 9] = [
        Vec3::new(0.0, 0.0, 0.0),
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(1.0, 1.0, 0.0),
        Vec3::new(0.0, 1.0, 0.0),
        Vec3::new(0.0, 0.0, 1.0),
        Vec3::new(1.0, 0.0, 1.0),
        Vec3::new(1.0, 1.0, 1.0),
        Vec3::new(0.0, 1.0, 1.0),
        Vec3::new(0.5, 0.5, 2.0),
    ];

    /// Each shape by the points, with its number of tetrahedra and its volume.
    const SHAPES: [(Shape, &[usize], usize, f64); 4] = [
        (Shape::Hexahedron, &[0, 1, 2, 3, 4, 5, 6, 7], 6, 1.0),
        (Shape::Voxel, &[0, 1, 3, 2, 4, 5, 7, 6], 6, 1.0),
        (Shape::Prism, &[0, 1, 2, 4, 5, 6], 3, 0.5),
        (Shape::Pyramid, &[4, 5, 6, 7, 8], 2, 1.0 / 3.0),
    ];

    /// Numbers of the points in many orders.
    fn numberings() -> impl Iterator<Item = [i64; 9]> {
        (0..500u64).map(|case| {
            let mut keyed: [(u64, i64); 9] = std::array::from_fn(|k| {
                let mixed = (case * 9 + k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9), k as i64)
            });
            keyed.sort_unstable();
            keyed.map(|(_, number)| 10 + 3 * number)
        })
    }

    fn divided(shape: Shape, points: &[usize], numbers: &[i64; 9]) -> (Vec<[i64; 4]>, Vec<f64>) {
        let nodes: Vec<i64> = points.iter().map(|&k| numbers[k]).collect();
        let position = |number: i64| Some(POINTS[numbers.iter().position(|n| *n == number)?]);
        let (tets, _) = tetrahedra(&OtherSolid::new(shape, &nodes), position);
        let volumes = tets.iter().map(|tet| volume(&[*tet], position)).collect();
        (tets, volumes)
    }

    #[test]
    fn tetrahedra_of_convex_elements_have_positive_volumes_that_sum_to_the_whole() {
        for numbers in numberings() {
            for (shape, points, count, whole) in SHAPES {
                let (tets, volumes) = divided(shape, points, &numbers);
                assert_eq!(tets.len(), count, "{shape:?}");
                assert!(volumes.iter().all(|v| *v > 1e-12), "{shape:?} {numbers:?}: {volumes:?}");
                let sum: f64 = volumes.iter().sum();
                assert!((sum - whole).abs() < 1e-14, "{shape:?}: {sum}");
            }
        }
    }

    /// Triangles of one tetrahedron alone, sorted.
    fn boundary(tets: &[[i64; 4]]) -> Vec<[i64; 3]> {
        let faces = tets.iter().flat_map(|&[a, b, c, d]| {
            [[a, b, c], [a, b, d], [a, c, d], [b, c, d]].map(|mut face| {
                face.sort_unstable();
                face
            })
        });
        let mut all: Vec<[i64; 3]> = faces.collect();
        all.sort_unstable();
        all.chunk_by(|a, b| a == b).filter(|same| same.len() == 1).map(|same| same[0]).collect()
    }

    #[test]
    fn neighbours_divide_their_common_face_along_the_same_diagonal() {
        for numbers in numberings() {
            let (cube, _) = divided(Shape::Hexahedron, SHAPES[0].1, &numbers);
            let (pyramid, _) = divided(Shape::Pyramid, SHAPES[3].1, &numbers);
            let both = [cube, pyramid].concat();
            // Five squares and four triangles.
            assert_eq!(boundary(&both).len(), 14, "{numbers:?}");
            let outside: Vec<i64> = [0, 1, 5, 4].map(|k: usize| numbers[k]).to_vec();
            for mut face in triangles(&outside) {
                face.sort_unstable();
                assert!(boundary(&both).contains(&face), "{numbers:?}: {face:?}");
            }
        }
    }

    #[test]
    fn collapsed_hexahedron_is_divided_as_the_prism_it_is() {
        let numbers: [i64; 9] = std::array::from_fn(|k| k as i64);
        let (tets, volumes) = divided(Shape::Hexahedron, &[0, 1, 2, 2, 4, 5, 6, 6], &numbers);
        assert!(volumes.iter().all(|v| *v > 1e-12), "{volumes:?}");
        assert_eq!((tets.len(), volumes.iter().sum::<f64>()), (3, 0.5));
    }
}
