//! The stiffness of a plate as a quadratic form of the angles at its edges.

use super::plastic::{PlatePlasticity, TriangleSection};
use super::slopes::corrections;
use super::unfolded::{EdgeForm, EdgeFrame, EdgeWeight, Form, RestSurface};
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
    /// Curvature (1/m) per radian of the angle of each edge.
    curvature: Vec<EdgeForm>,
    /// Stiffness tensor (N m^3): the energy (J) is half of `k . tensor k`.
    tensor: Mat3,
    /// Rest area (m^2).
    area: f64,
    /// Curvatures across boundary edges, which bear no moment.
    free: Vec<Vec3>,
}

/// The part of a triangle in the compliance of one of its edges.
#[derive(Debug, Clone, Copy)]
pub(super) struct TriangleCompliance {
    /// Index of the triangle.
    pub(super) triangle: u32,
    /// Compliance (m/N); see [`add_compliance`].
    pub(super) compliance: f64,
}

/// A plate as a quadratic form of angles.
pub(super) struct Stiffness {
    pub(super) matrix: EdgeMatrix,
    /// A diagonal matrix (J); the difference of `matrix` and this one is positive semi-definite.
    pub(super) diagonal: Vec<f64>,
    /// The history variables, if all triangles yield.
    pub(super) plasticity: Option<PlatePlasticity>,
}

/// The stiffness of the triangles of a surface; `section` returns the section of the triangle of an index.
pub(super) fn stiffness(
    surface: &RestSurface<'_>,
    section: impl Fn(usize) -> PlateSection,
) -> Stiffness {
    let corrections = corrections(surface);
    let mut compliances: Vec<Vec<TriangleCompliance>> = vec![Vec::new(); surface.edges.len()];
    let plate_of_triangle = |triangle: u32| {
        let tensor = section(triangle as usize).tensor();
        add_compliance(surface, triangle, tensor, &mut compliances);
        triangle_plate(surface, triangle, tensor, &corrections)
    };
    let plates: Vec<TrianglePlate> =
        (0..surface.triangles.len() as u32).map(plate_of_triangle).collect();
    let matrix = assemble(surface.edges.len(), &plates);
    let edge_stiffness = |(edge, parts): (usize, &Vec<TriangleCompliance>)| {
        let total = parts.iter().fold(0.0, |total, part| total + part.compliance);
        squared_length(surface, edge) / total
    };
    let diagonal = compliances.iter().enumerate().map(edge_stiffness).collect();
    let plasticity = triangle_sections(surface, section, &plates)
        .map(|sections| PlatePlasticity::new(&sections, &matrix, scaled(surface, &compliances)));
    Stiffness { matrix, diagonal, plasticity }
}

/// The compliances of each edge in its two triangles, over the square of its length (1/(N m)).
fn scaled(
    surface: &RestSurface<'_>,
    compliances: &[Vec<TriangleCompliance>],
) -> Vec<[TriangleCompliance; 2]> {
    let scaled_compliances = |(edge, parts): (usize, &Vec<TriangleCompliance>)| {
        from_fn(|k| {
            let compliance = parts[k].compliance / squared_length(surface, edge);
            TriangleCompliance { compliance, ..parts[k] }
        })
    };
    compliances.iter().enumerate().map(scaled_compliances).collect()
}

/// The squared rest length (m^2) of an inner edge.
fn squared_length(surface: &RestSurface<'_>, edge: usize) -> f64 {
    let [a, b, ..] = surface.edges[edge].nodes.map(|node| surface.rest[node as usize]);
    a.distance_squared(b)
}

/// Geometry, stiffness and strength of all triangles; `None` unless all yield.
fn triangle_sections<'a>(
    surface: &RestSurface<'_>,
    section: impl Fn(usize) -> PlateSection,
    plates: &'a [TrianglePlate],
) -> Option<Vec<TriangleSection<'a>>> {
    let triangle_section = |(index, plate): (usize, &'a TrianglePlate)| {
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
    };
    plates.iter().enumerate().map(triangle_section).collect()
}

/// The curvature `k_T = 1/A sum_e |e| n n^T (slope across e - slope of the triangle)` of a triangle with the stiffness
/// `tensor` (N m), and `corrections` of the slopes by edge. At boundary edges the slope minimises the energy, so no
/// moment acts.
fn triangle_plate(
    surface: &RestSurface<'_>,
    triangle: u32,
    mut tensor: Mat3,
    corrections: &[Vec<EdgeWeight>],
) -> TrianglePlate {
    let unfolded = surface.unfold(triangle);
    let area = area(&unfolded.corners);
    let (mut curvature, mut free) = (Vec::new(), Vec::new());
    for side in 0..3 {
        let [p, q, tip] = from_fn(|k| unfolded.corners[(side + k) % 3]);
        let frame = EdgeFrame::new(p, q, tip);
        let mode = normal_curvature(&frame);
        let Some(edge) = surface.sides[triangle as usize][side] else {
            tensor = without_moment(tensor, Vec3::from_array(mode));
            free.push(Vec3::from_array(mode));
            continue;
        };
        // Length of the edge over the area (1/m), with the sign of the angle in this triangle.
        let signed_length = surface.orientation(edge, triangle) * frame.length / area;
        add_angle(&mut curvature, edge, mode.map(|c| 0.5 * signed_length * c));
        let is_first = surface.edges[edge as usize].triangles[0] == triangle;
        let correction_factor = if is_first { -signed_length } else { signed_length };
        for &EdgeWeight { edge: other, weight } in &corrections[edge as usize] {
            add_angle(&mut curvature, other, mode.map(|c| correction_factor * weight * c));
        }
    }
    curvature.sort_unstable_by_key(|angle| angle.edge);
    TrianglePlate { curvature, tensor: tensor * area, area, free }
}

/// Adds a form of the angle of an edge to the sum for that edge.
fn add_angle(curvature: &mut Vec<EdgeForm>, edge: u32, form: Form) {
    match curvature.iter_mut().find(|angle| angle.edge == edge) {
        Some(EdgeForm { form: sum, .. }) => *sum = from_fn(|i| sum[i] + form[i]),
        None => curvature.push(EdgeForm { edge, form }),
    }
}

/// The curvature `n n^T` (entries xx, yy, xy) caused by a slope in the direction n normal to the edge, up to a factor.
fn normal_curvature(frame: &EdgeFrame) -> Form {
    let [x, y] = frame.normal;
    [x * x, y * y, x * y]
}

/// The stiffness `tensor` after static condensation of the curvature `mode`, which then bears no moment.
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

/// Adds, to the entry of each inner edge of a triangle, the absolute row sum (m/N) of the compliance
/// `A M . tensor^-1 M`, where M is the moment with given components across the edges and A the area.
///
/// If the slopes across the edges minimise the energy, the quadratic form of the angles is `L C^-1 L` with the lengths
/// L and the sum C of the compliances of all triangles (Arnold & Brezzi 1985, *Mixed and nonconforming finite element
/// methods*). Other slopes do not give less energy, and the diagonal matrix of the absolute row sums is an upper bound
/// of C.
fn add_compliance(
    surface: &RestSurface<'_>,
    triangle: u32,
    tensor: Mat3,
    compliances: &mut [Vec<TriangleCompliance>],
) {
    let unfolded = surface.unfold(triangle);
    let modes: [Vec3; 3] = from_fn(|side| {
        let [p, q, tip] = from_fn(|k| unfolded.corners[(side + k) % 3]);
        Vec3::from_array(normal_curvature(&EdgeFrame::new(p, q, tip)))
    });
    let moments = Mat3::from_cols(modes[0], modes[1], modes[2]).transpose().inverse();
    let compliance = moments.transpose() * tensor.inverse() * moments * area(&unfolded.corners);
    let sides = surface.sides[triangle as usize];
    for (i, edge) in sides.iter().enumerate() {
        let Some(edge) = edge else { continue };
        let inner_sides = (0..3).filter(|&j| sides[j].is_some());
        let row_sum = inner_sides.map(|j| compliance.col(j)[i].abs()).sum();
        compliances[*edge as usize].push(TriangleCompliance { triangle, compliance: row_sum });
    }
}

/// A term of an entry (J) in a row of the matrix of edges.
struct RowTerm {
    column: u32,
    value: f64,
}

/// The matrix of the quadratic form of the angles of a number of `edges`: the sum of the forms of the triangles.
fn assemble(edges: usize, plates: &[TrianglePlate]) -> EdgeMatrix {
    // For each edge the plates that depend on its angle, with the position of the edge in the curvature of each.
    let mut plates_by_edge: Vec<Vec<(usize, usize)>> = vec![Vec::new(); edges];
    for (index, plate) in plates.iter().enumerate() {
        for (position, angle) in plate.curvature.iter().enumerate() {
            plates_by_edge[angle.edge as usize].push((index, position));
        }
    }
    let mut matrix = EdgeMatrix { starts: vec![0], ..EdgeMatrix::default() };
    let mut row: Vec<RowTerm> = Vec::new();
    for plates_of_edge in &plates_by_edge {
        row.clear();
        for &(index, position) in plates_of_edge {
            let plate = &plates[index];
            let moment = plate.tensor * Vec3::from_array(plate.curvature[position].form);
            let term = |&EdgeForm { edge, form }: &EdgeForm| RowTerm {
                column: edge,
                value: moment.dot(Vec3::from_array(form)),
            };
            row.extend(plate.curvature.iter().map(term));
        }
        row.sort_by_key(|term| term.column);
        for terms in row.chunk_by(|a, b| a.column == b.column) {
            matrix.columns.push(terms[0].column);
            matrix.values.push(terms.iter().map(|term| term.value).sum());
        }
        matrix.starts.push(matrix.columns.len() as u32);
    }
    matrix
}
