//! Curvature and torsion of rods at rest.

use super::RodError;
use super::frames::{Plane, in_frame, normal_to, rotated, transported};
use super::turn::Turn;
use resile_math::elementary;
use resile_mesh::{Polylines, Strand};
use resile_system::Vec3;

/// Largest angle (rad) between adjacent segments at rest.
const MAX_REST_ANGLE: f64 = 0.9 * std::f64::consts::PI;

/// Curvature and twist at rest of each inner node of a rod.
#[derive(Debug, Clone, PartialEq)]
pub struct RodRest {
    /// Rest shape of each rod.
    pub(super) strands: Vec<StrandRest>,
}

/// Rest shape of one rod.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StrandRest {
    /// Rest shape of each inner node.
    pub(super) corners: Vec<CornerRest>,
    /// First material director of the first and of the last edge, in the given shape.
    pub(super) directors: [Vec3; 2],
}

/// Rest shape at an inner node of a rod.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CornerRest {
    /// Curvature binormal in the material frames of both edges.
    pub(super) binormals: [Plane; 2],
    /// Angle between these frames (rad).
    pub(super) twist: f64,
}

impl RodRest {
    /// Rods that are at rest in their given shape, without bending, twist or energy.
    ///
    /// # Errors
    /// Curves that are invalid, are closed, or fold back onto themselves.
    pub fn as_given(rods: &Polylines) -> Result<Self, RodError> {
        Self::build(rods, Vec3::ZERO, |turn, director| {
            let binormal = in_frame(turn.binormal(), turn.along[0], director);
            CornerRest { binormals: [binormal; 2], twist: 0.0 }
        })
    }

    /// Rods that are helices at rest, or arcs if `torsion` is zero, of these lengths: an angle of `curvature` (1/m)
    /// times length between adjacent segments, about a material direction that rotates about the axis by `torsion`
    /// (rad/m), right-handed. A helix of the radius r and the pitch p has the curvature `r / (r^2 + c^2)` and the
    /// torsion `c / (r^2 + c^2)` with `c = p / 2 pi`.
    ///
    /// `binormal` is the direction about which the first segment bends. If it is parallel to that segment, a coordinate
    /// axis that is not parallel to the segment is used.
    ///
    /// # Errors
    /// Numbers that are not finite; an angle of more than 162 degrees between segments; curves that are invalid, are
    /// closed, or fold back onto themselves.
    pub fn curved(
        rods: &Polylines,
        curvature: f64,
        torsion: f64,
        binormal: Vec3,
    ) -> Result<Self, RodError> {
        if !(curvature.is_finite() && torsion.is_finite() && binormal.is_finite()) {
            return Err(RodError::RestNotFinite { curvature, torsion });
        }
        rods.check()?;
        let angle = |turn: &Turn| 0.5 * curvature * (turn.lengths[0] + turn.lengths[1]);
        let corners = rods.strands.iter().flat_map(|strand| turns(rods, strand));
        let largest = corners.map(|turn| angle(&turn).abs()).fold(0.0, f64::max);
        if largest > MAX_REST_ANGLE {
            return Err(RodError::RestAngle { curvature, degrees: largest.to_degrees() });
        }
        Self::build(rods, binormal, |turn, _| {
            let twist = 0.5 * torsion * (turn.lengths[0] + turn.lengths[1]);
            let (sine, cosine) = elementary::sin_cos(0.5 * angle(turn));
            let binormal = [2.0 * sine / cosine, 0.0];
            // The director of the corner is between those of its edges.
            let binormals = [0.5 * twist, -0.5 * twist].map(|angle| rotated(binormal, angle));
            CornerRest { binormals, twist }
        })
    }

    /// Rods whose first director is nearest to `first_director`. `corner` returns the rest shape of a corner, given the
    /// director of its first edge.
    fn build(
        rods: &Polylines,
        first_director: Vec3,
        corner: impl Fn(&Turn, Vec3) -> CornerRest,
    ) -> Result<Self, RodError> {
        rods.check()?;
        let strand_rest = |strand: &Strand| {
            if strand.is_closed() {
                return Err(RodError::ClosedRest);
            }
            let x = |k: usize| rods.positions[strand.nodes[k] as usize];
            let mut tangent = (x(1) - x(0)).normalize();
            let first = normal_to(tangent, first_director);
            // The director of the parallel frame of the current edge, and the angle of its material frame to it.
            let mut director = first;
            let mut twist = 0.0;
            let mut corners = Vec::new();
            for (turn, node) in turns(rods, strand).zip(&strand.nodes[1..]) {
                if turn.open < super::bending::FOLDED_COSINE {
                    return Err(RodError::Folded { node: *node });
                }
                let rest = corner(&turn, director);
                twist += rest.twist;
                director = transported(&turn, director);
                tangent = turn.along[1];
                corners.push(rest);
            }
            let last = super::frames::from_frame(rotated([1.0, 0.0], twist), tangent, director);
            Ok(StrandRest { corners, directors: [first, last] })
        };
        Ok(Self { strands: rods.strands.iter().map(strand_rest).collect::<Result<_, _>>()? })
    }
}

/// The angles between successive segments of a rod.
fn turns<'a>(rods: &'a Polylines, strand: &'a Strand) -> impl Iterator<Item = Turn> + 'a {
    strand.corners().map(|corner| Turn::new(corner.map(|n| rods.positions[n as usize])))
}
