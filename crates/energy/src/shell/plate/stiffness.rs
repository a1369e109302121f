//! The stiffness of a plate as a quadratic form of the angles at its edges.

use super::plastic::{PlatePlasticity, TriangleSection};
use super::slopes::corrections;
use super::unfolded::{EdgeFrame, Form, RestSurface};
use super::yielding::{Modes, Strength};
use crate::shell::material::PlateSection;
use resile_math::{Mat3, Vec3};
use std::array::from_fn;

/// A symmetric matrix over edges, by rows.
#[derive(Debug, Clone, Default)]
pub(super) struct EdgeMatrix {
    /// Index of the first entry of each row, followed by the number of entries.
    pub(super) starts: Vec<u32>,
    /// Column of each entry, ascending within a row.
    pub(super) columns: Vec<u32>,
    /// Entries (J).
    pub(super) values: Vec<f64>,
}

impl EdgeMatrix {
    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The columns and entries (J) of a row.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = (u32, f64)> {
        let range = self.starts[row] as usize..self.starts[row + 1] as usize;
        self.columns[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }
}

/// The curvature of a triangle as a sum over edges, and its stiffness tensor.
struct TrianglePlate {
    /// Edge, and curvature (1/m) per unit of its angle.
    curvature: Vec<(u32, Form)>,
    /// Energy (J) is half of `k . tensor k`.
    tensor: Mat3,
    area: f64,
    /// Curvatures across boundary edges, which bear no moment.
    free: Vec<Vec3>,
}

/// A plate as a quadratic form of angles.
pub(super) struct Stiffness {
    pub(super) matrix: EdgeMatrix,
    /// A diagonal matrix (J); the difference of `matrix` and this one is positive semi-definite.
    pub(super) diagonal: Vec<f64>,
    /// The history variables, if all triangles yield.
    pub(super) plasticity: Option<PlatePlasticity>,
}

/// The stiffness of triangles of these sections.
pub(super) fn stiffness(
    surface: &RestSurface<'_>,
    section: impl Fn(usize) -> PlateSection,
) -> Stiffness {
    let corrections = corrections(surface);
    let mut compliances: Vec<Vec<(u32, f64)>> = vec![Vec::new(); surface.edges.len()];
    let plate_of_triangle = |triangle: u32| {
        let tensor = section(triangle as usize).tensor();
        add_compliance(surface, triangle, tensor, &mut compliances);
        triangle_plate(surface, triangle, tensor, &corrections)
    };
    let plates: Vec<TrianglePlate> =
        (0..surface.triangles.len() as u32).map(plate_of_triangle).collect();
    let matrix = assemble(surface.edges.len(), &plates);
    let squared_length = |edge: usize| {
        let [a, b, ..] = surface.edges[edge].nodes.map(|node| surface.rest[node as usize]);
        a.distance_squared(b)
    };
    let total = |parts: &[(u32, f64)]| parts.iter().fold(0.0, |total, (_, part)| total + part);
    let diagonal = compliances
        .iter()
        .enumerate()
        .map(|(edge, parts)| squared_length(edge) / total(parts))
        .collect();
    let sections: Option<Vec<TriangleSection<'_>>> = plates
        .iter()
        .enumerate()
        .map(|(index, plate)| {
            let section = section(index);
            let yielding = section.yielding?;
            Some(TriangleSection {
                nodes: surface.triangles[index],
                area: plate.area,
                curvature: &plate.curvature,
                modes: Modes::new(section.tensor(), &plate.free),
                strength: Strength { moment: yielding.moment(), hardening: yielding.hardening() },
                thickness: yielding.thickness(),
            })
        })
        .collect();
    let plasticity = sections.map(|sections| {
        let scaled_compliances = |(edge, parts): (usize, Vec<(u32, f64)>)| {
            from_fn(|k| (parts[k].0, parts[k].1 / squared_length(edge)))
        };
        PlatePlasticity::new(
            &sections,
            &matrix,
            compliances.into_iter().enumerate().map(scaled_compliances).collect(),
        )
    });
    Stiffness { matrix, diagonal, plasticity }
}

/// The curvature `k_T = 1/A sum_e |e| n n^T (slope across e - slope of the triangle)`. At boundary edges the slope
/// minimises the energy, so no moment acts.
fn triangle_plate(
    surface: &RestSurface<'_>,
    triangle: u32,
    mut tensor: Mat3,
    corrections: &[Vec<(u32, f64)>],
) -> TrianglePlate {
    let unfolded = surface.unfold(triangle);
    let area = area(&unfolded.corners);
    let (mut curvature, mut free): (Vec<(u32, Form)>, Vec<Vec3>) = (Vec::new(), Vec::new());
    let mut add = |edge: u32, weight: f64, mode: Form| {
        let scaled = mode.map(|c| weight * c);
        match curvature.iter_mut().find(|(known, _)| *known == edge) {
            Some((_, sum)) => *sum = from_fn(|i| sum[i] + scaled[i]),
            None => curvature.push((edge, scaled)),
        }
    };
    for side in 0..3 {
        let [p, q, tip] = from_fn(|k| unfolded.corners[(side + k) % 3]);
        let frame = EdgeFrame::new(p, q, tip);
        let mode = normal_curvature(&frame);
        let Some(edge) = surface.sides[triangle as usize][side] else {
            tensor = without_moment(tensor, Vec3::from_array(mode));
            free.push(Vec3::from_array(mode));
            continue;
        };
        let orientation = surface.orientation(edge, triangle) * frame.length / area;
        add(edge, 0.5 * orientation, mode);
        let is_first = surface.edges[edge as usize].triangles[0] == triangle;
        let signed_length = if is_first { -orientation } else { orientation };
        for &(other, weight) in &corrections[edge as usize] {
            add(other, signed_length * weight, mode);
        }
    }
    curvature.sort_unstable_by_key(|(edge, _)| *edge);
    TrianglePlate { curvature, tensor: tensor * area, area, free }
}

/// The curvature `n n^T` (entries xx, yy, xy) caused by a slope in the direction n normal to the edge, up to a factor.
fn normal_curvature(frame: &EdgeFrame) -> Form {
    let [x, y] = frame.normal;
    [x * x, y * y, x * y]
}

/// The stiffness tensor after elimination of the curvature `mode`, which then bears no moment.
fn without_moment(tensor: Mat3, mode: Vec3) -> Mat3 {
    let moment = tensor * mode;
    let work = mode.dot(moment);
    if work > 0.0 { tensor - resile_math::outer(moment, moment / work) } else { tensor }
}

/// The area (m^2) of a plane triangle.
fn area(corners: &[[f64; 2]; 3]) -> f64 {
    let [a, b, c] = corners;
    0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs()
}

/// Adds, to the entry of each edge of a triangle, the index of the triangle and the absolute row sum of the compliance
/// `A M . tensor^-1 M`, with M the moment whose components across the edges are given. With slopes across edges of
/// least energy the plate's form of the angles is `L A^-1 L`, L the lengths and A the sum of these (Arnold & Brezzi
/// 1985, *Mixed and nonconforming finite element methods*): other slopes give no less, and A is at most its absolute
/// row sums.
fn add_compliance(
    surface: &RestSurface<'_>,
    triangle: u32,
    tensor: Mat3,
    compliances: &mut [Vec<(u32, f64)>],
) {
    let unfolded = surface.unfold(triangle);
    let mode: [Vec3; 3] = from_fn(|side| {
        let [p, q, tip] = from_fn(|k| unfolded.corners[(side + k) % 3]);
        Vec3::from_array(normal_curvature(&EdgeFrame::new(p, q, tip)))
    });
    let moments = Mat3::from_cols(mode[0], mode[1], mode[2]).transpose().inverse();
    let compliance = moments.transpose() * tensor.inverse() * moments * area(&unfolded.corners);
    let sides = surface.sides[triangle as usize];
    for (i, edge) in sides.iter().enumerate() {
        let Some(edge) = edge else { continue };
        let inner_sides = (0..3).filter(|&j| sides[j].is_some());
        let sum = inner_sides.map(|j| compliance.col(j)[i].abs()).sum();
        compliances[*edge as usize].push((triangle, sum));
    }
}

/// The matrix of the quadratic form of all edge angles: the sum of the forms of the triangles.
fn assemble(edges: usize, plates: &[TrianglePlate]) -> EdgeMatrix {
    let mut plates_by_edge: Vec<Vec<(u32, u32)>> = vec![Vec::new(); edges];
    for (index, plate) in (0..).zip(plates) {
        for (position, (edge, _)) in (0..).zip(&plate.curvature) {
            plates_by_edge[*edge as usize].push((index, position));
        }
    }
    let mut matrix = EdgeMatrix { starts: vec![0], ..EdgeMatrix::default() };
    let mut row: Vec<(u32, f64)> = Vec::new();
    for plates_of_edge in &plates_by_edge {
        row.clear();
        for &(index, position) in plates_of_edge {
            let plate = &plates[index as usize];
            let moment = plate.tensor * Vec3::from_array(plate.curvature[position as usize].1);
            let entry = |(other, form): &(u32, Form)| (*other, moment.dot(Vec3::from_array(*form)));
            row.extend(plate.curvature.iter().map(entry));
        }
        row.sort_by_key(|(edge, _)| *edge);
        for same in row.chunk_by(|a, b| a.0 == b.0) {
            matrix.columns.push(same[0].0);
            matrix.values.push(same.iter().map(|(_, value)| value).sum());
        }
        matrix.starts.push(matrix.columns.len() as u32);
    }
    matrix
}
