//! The undeformed mesh, in groups of eight elements.

use super::bernstein::{self, RestDeterminant};
use super::{CURVED_WEIGHTS, NODES, POINTS, QUADRATURE_POINTS, edges};
use crate::tet::ElementError;
use crate::tet::rest::{self as linear, InverseEdges, MIN_RELATIVE_VOLUME, longest_edge};
use resile_math::Vec3;
use resile_math::lanes::{self, LANES, Lane, Mat3x8, Vec3x8};
use std::array::from_fn;
use std::sync::Arc;

/// Eight elements: nodes and rest shape.
#[derive(Debug, Clone)]
pub(super) struct QuadraticGroup {
    pub(super) nodes: [[u32; NODES]; LANES],
    /// Number of elements in the group; the lanes after them hold copies of weight zero.
    pub(super) count: usize,
    pub(super) inverse: InverseEdges<POINTS>,
    /// Rest volume (m^3), zero in lanes that are copies.
    pub(super) volume: Lane,
    /// `None` if all elements are straight.
    pub(super) curved: Option<Box<CurvedRest>>,
}

/// The rest shape of eight elements, some of which are curved.
#[derive(Debug, Clone)]
pub(super) struct CurvedRest {
    /// Rest volume (m^3) of each integration point, zero in lanes that are copies.
    pub(super) volumes: [Lane; POINTS],
    pub(super) determinant: RestDeterminant,
}

impl QuadraticGroup {
    /// Positions (m) of the nodes after the first, minus that of the first.
    #[inline(always)]
    pub(super) fn gather(&self, x: &[Vec3]) -> [Vec3x8; NODES - 1] {
        lanes::edges(x, &self.nodes)
    }

    /// The rest volume (m^3) of an integration point.
    #[inline(always)]
    pub(super) fn volume_at(&self, point: usize) -> Lane {
        match &self.curved {
            None => self.volume * Lane::splat(QUADRATURE_POINTS[point].weight),
            Some(curved) => curved.volumes[point],
        }
    }

    /// The derivatives (m) of position with respect to barycentric coordinates at the corners, for nodes at `x` (m).
    pub(super) fn at_corners(&self, x: &[Vec3]) -> [Mat3x8; 4] {
        let nodes = self.gather(x);
        from_fn(|k| edges(&nodes, &QUADRATURE_POINTS[k]))
    }

    /// Replaces the rest shape, with nodes at `rest` (m), of the elements that are not straight; `is_straight` has an
    /// entry for each element of the group.
    fn set_curved_shape(&mut self, rest: &[Vec3], is_straight: &[bool]) {
        let straight: [bool; LANES] = from_fn(|l| is_straight[l.min(self.count - 1)]);
        let nodes = self.gather(rest);
        let straight_inverse = *self.inverse.at(0);
        let mut volumes = [Lane::ZERO; POINTS];
        let inverses = Arc::new(from_fn(|q| {
            let jacobian = edges(&nodes, &QUADRATURE_POINTS[q]);
            let determinant = jacobian.determinant();
            volumes[q] = Lane::new(from_fn(|l| match (straight[l], l < self.count) {
                (_, false) => 0.0,
                (true, true) => self.volume.as_array()[l] * QUADRATURE_POINTS[q].weight,
                (false, true) => determinant.as_array()[l] / 6.0 * CURVED_WEIGHTS[q],
            }));
            Mat3x8::from_lanes(&from_fn(|l| match straight[l] {
                true => straight_inverse.lane(l),
                false => jacobian.lane(l).inverse(),
            }))
        }));
        let total = volumes.iter().fold(Lane::ZERO, |sum, volume| sum + *volume);
        self.volume = Lane::new(from_fn(|l| match straight[l] {
            true => self.volume.as_array()[l],
            false => total.as_array()[l],
        }));
        self.inverse = InverseEdges::AtPoints(inverses);
        let determinant = RestDeterminant::new(&self.at_corners(rest), self.count);
        self.curved = Some(Box::new(CurvedRest { volumes, determinant }));
    }
}

/// Groups of [`LANES`] elements for SIMD evaluation, in the order of the elements, with nodes at `rest` (m). Fails as
/// the groups of linear elements with the same corners, and if the determinant of a curved element is not certainly
/// positive.
pub(super) fn groups(
    rest: &[Vec3],
    elements: &[[u32; NODES]],
) -> Result<Vec<QuadraticGroup>, ElementError> {
    let nodes = rest.len();
    for (element, nodes_of_element) in elements.iter().enumerate() {
        if let Some(&node) = nodes_of_element.iter().find(|&&node| node as usize >= nodes) {
            return Err(ElementError::NoSuchNode { element, node, nodes });
        }
    }
    let tets: Vec<[u32; 4]> =
        elements.iter().map(|nodes_of_element| from_fn(|k| nodes_of_element[k])).collect();
    let linear_groups = linear::groups(rest, &tets)?;
    let mut groups: Vec<QuadraticGroup> = elements
        .chunks(LANES)
        .zip(linear_groups)
        .map(|(chunk, corners)| QuadraticGroup {
            nodes: from_fn(|l| chunk[l.min(chunk.len() - 1)]),
            count: corners.count,
            inverse: InverseEdges::Uniform(corners.inverse),
            volume: corners.volume,
            curved: None,
        })
        .collect();
    set_curved_shapes(rest, elements, &mut groups)?;
    Ok(groups)
}

/// Sets the rest shape of groups with curved elements. Fails if the determinants of some elements cannot be proved to be
/// positive everywhere.
fn set_curved_shapes(
    rest: &[Vec3],
    elements: &[[u32; NODES]],
    groups: &mut [QuadraticGroup],
) -> Result<(), ElementError> {
    let mut folded = Vec::new();
    for (index, (chunk, group)) in elements.chunks(LANES).zip(groups).enumerate() {
        let is_straight: Vec<bool> =
            chunk.iter().map(|element| resile_mesh::is_straight(rest, element)).collect();
        if is_straight.iter().all(|straight| *straight) {
            continue;
        }
        let min_determinant = bernstein::min_determinant(&group.at_corners(rest), group.count);
        for (l, element) in chunk.iter().enumerate().filter(|(l, _)| !is_straight[*l]) {
            let min_volume = min_determinant.as_array()[l] / 6.0;
            let corners = from_fn(|k| element[k]);
            let threshold = MIN_RELATIVE_VOLUME * longest_edge(rest, &corners).powi(3);
            // The comparison is also false for NaN.
            let has_volume = min_volume > threshold;
            if !has_volume {
                folded.push((index * LANES + l, min_volume));
            }
        }
        group.set_curved_shape(rest, &is_straight);
    }
    match folded.is_empty() {
        true => Ok(()),
        false => Err(ElementError::Folded { elements: folded, total: elements.len() }),
    }
}
