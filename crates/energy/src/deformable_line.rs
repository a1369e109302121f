//! The deformable linear object of EXPLICIT: a rope, a hose, a surgical thread.
//!
//! Each point of a curve and two offset points at right angles to it form a cross-section of
//! three nodes; two neighbouring cross-sections form three tetrahedra (a prism cut along the
//! diagonals of its sides). The edges of all tetrahedra are Hookean springs, which resist
//! stretching and bending; volume springs preserve the volume of each tetrahedron; torsion
//! springs at inner points resist twist between the neighbouring cross-sections.
//!
//! *Decisions*, because our copy of the paper lacks the formulas:
//! * frames are transported along the curve without twist (each arm is the previous one,
//!   made orthogonal to the tangent), so a straight or planar curve has a straight row of
//!   offset points;
//! * moduli are properties of the material, not of the mesh: a spring of length l has the
//!   stiffness `E A / l` with `A = thickness^2 / 2`, the area of a cross-section. Three
//!   springs run along a segment and three across its sides, so the resistance to stretching is
//!   between three times (short segments) and six times (long ones) that of a rod of modulus E;
//! * a torsion spring over the two segments around an inner point, of total length l, has the
//!   stiffness `C / 2 l`: each segment is spanned twice, so a twist of tau rad/m has the energy
//!   `C/2 tau^2` per metre;
//! * there is no separate bending term: the springs of the offset nodes resist bending, as in
//!   the paper.

use crate::{
    SpringElement, SpringLaw, Springs, SpringsError, Torsion, TorsionElement, TorsionError,
    VolumeError, VolumeSprings,
};
use resile_system::{Body, Vec3};

/// Material of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineMaterial {
    /// Mass density (kg/m^3).
    pub density: f64,
    /// Modulus E of the springs (Pa).
    pub spring_modulus: f64,
    /// Modulus of the volume springs (Pa).
    pub volume_modulus: f64,
    /// Torsional rigidity C in addition to that of the springs (N m^2).
    pub torsional_rigidity: f64,
}

/// Invalid line.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum LineError {
    /// There is no segment.
    #[error("the curve has {points} point(s), but a line needs at least 2")]
    TooFewPoints {
        /// Number of points there are.
        points: usize,
    },
    /// A segment has zero length, or its ends are not finite.
    #[error("segment {segment} has the length {length} m, but must have a positive, finite one")]
    Segment {
        /// The segment, counted from zero.
        segment: usize,
        /// Length (m).
        length: f64,
    },
    /// The curve turns by a right angle or more at one point.
    #[error("the curve turns too sharply at point {point} to carry a frame around it")]
    Fold {
        /// The point, counted from zero.
        point: usize,
    },
    /// The thickness or the density is not a positive number.
    #[error("the line has the {quantity} {value}, but must have a positive, finite one")]
    Quantity {
        /// The quantity that is out of range.
        quantity: &'static str,
        /// The given value (m, kg/m^3).
        value: f64,
    },
    /// The springs are invalid.
    #[error(transparent)]
    Springs(#[from] SpringsError),
    /// The volume springs are invalid: usually the radius of curvature is below the thickness.
    #[error(transparent)]
    Volumes(#[from] VolumeError),
    /// The torsion springs are invalid.
    #[error(transparent)]
    Torsion(#[from] TorsionError),
}

/// A line at rest, with its terms.
#[derive(Debug, Clone)]
pub struct DeformableLine {
    /// Rest positions (m): for each point of the curve the point and its two offset points.
    pub nodes: Vec<Vec3>,
    /// Mass of each node (kg).
    pub masses: Vec<f64>,
    /// Three tetrahedra per segment, positively oriented.
    pub tets: Vec<[u32; 4]>,
    /// Springs along all edges of the tetrahedra.
    pub springs: Springs,
    /// Volume springs of the tetrahedra.
    pub volumes: VolumeSprings,
    /// Resists twist at inner points.
    pub torsion: Torsion,
}

impl DeformableLine {
    /// The line whose first nodes are the points of `curve` (m), with offset nodes at
    /// the distance `thickness` (m). O(points).
    ///
    /// # Errors
    /// A curve without segments, with segments of zero length or with folds; a number that is not
    /// positive.
    pub fn along(
        curve: &[Vec3],
        thickness: f64,
        material: LineMaterial,
    ) -> Result<Self, LineError> {
        for (quantity, value) in [("thickness", thickness), ("density", material.density)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(LineError::Quantity { quantity, value });
            }
        }
        let nodes = cross_sections(curve, thickness)?;
        let tets = prisms(curve.len());
        let volumes = VolumeSprings::new(&nodes, &tets, material.volume_modulus)?;
        let mut masses = vec![0.0; nodes.len()];
        for (tet, volume) in tets.iter().zip(volumes.rest_volumes()) {
            tet.iter().for_each(|&i| masses[i as usize] += material.density * volume / 4.0);
        }
        let rigidity = material.spring_modulus * thickness * thickness / 2.0;
        let springs =
            Springs::new(nodes.len(), springs(&nodes, &tets, rigidity), SpringLaw::Hooke)?;
        let torsion =
            Torsion::new(nodes.len(), torsion_elements(&nodes, material.torsional_rigidity))?;
        Ok(Self { nodes, masses, tets, springs, volumes, torsion })
    }

    /// The line as a body with its three terms; its positions at rest are `nodes`.
    pub fn body(&self, name: impl Into<String>) -> Body {
        Body::new(name, self.masses.clone())
            .with(self.springs.clone())
            .with(self.volumes.clone())
            .with(self.torsion.clone())
    }
}

/// The unit vector along each segment of the curve.
fn directions(curve: &[Vec3]) -> Result<Vec<Vec3>, LineError> {
    if curve.len() < 2 {
        return Err(LineError::TooFewPoints { points: curve.len() });
    }
    let direction = |(segment, ends): (usize, &[Vec3])| {
        let length = ends[0].distance(ends[1]);
        let is_valid = length > 0.0 && length.is_finite();
        let direction = (ends[1] - ends[0]) / length;
        is_valid.then_some(direction).ok_or(LineError::Segment { segment, length })
    };
    curve.windows(2).enumerate().map(direction).collect()
}

/// The nodes (m): for each point of the curve the point itself and its two offset points.
fn cross_sections(curve: &[Vec3], thickness: f64) -> Result<Vec<Vec3>, LineError> {
    let directions = directions(curve)?;
    let mut arm = directions[0].any_orthonormal_vector();
    let mut nodes = Vec::with_capacity(3 * curve.len());
    for (i, point) in curve.iter().enumerate() {
        let incoming = directions[i.saturating_sub(1)];
        let outgoing = directions[i.min(directions.len() - 1)];
        if incoming.dot(outgoing) <= 0.0 {
            return Err(LineError::Fold { point: i });
        }
        let tangent = (incoming + outgoing).normalize();
        // If the curve turns by less than a right angle, the projection keeps most of the arm.
        arm = arm.reject_from_normalized(tangent);
        arm = arm.try_normalize().ok_or(LineError::Fold { point: i })?;
        let side = tangent.cross(arm);
        nodes.extend([*point, *point + arm * thickness, *point + side * thickness]);
    }
    Ok(nodes)
}

/// Three tetrahedra per segment: each consists of four consecutive nodes among the six nodes of two
/// neighbouring cross-sections.
fn prisms(points: usize) -> Vec<[u32; 4]> {
    let first_node = |segment: usize| 3 * segment as u32;
    let prism =
        |segment| (0..3).map(move |k| std::array::from_fn(|i| first_node(segment) + k + i as u32));
    (0..points - 1).flat_map(prism).collect()
}

/// One spring for each edge of the tetrahedra, of the stiffness `rigidity / length` (N/m).
fn springs(nodes: &[Vec3], tets: &[[u32; 4]], rigidity: f64) -> Vec<SpringElement> {
    let mut edges = Vec::with_capacity(6 * tets.len());
    for tet in tets {
        for i in 0..4 {
            // The nodes of a tetrahedron ascend.
            edges.extend((i + 1..4).map(|j| [tet[i] as usize, tet[j] as usize]));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    let spring = |&ends: &[usize; 2]| {
        let length = nodes[ends[0]].distance(nodes[ends[1]]);
        SpringElement::at_rest(ends, nodes, rigidity / length)
    };
    edges.iter().map(spring).collect()
}

/// The torsion spring of each inner point, for the torsional rigidity C (N m^2).
fn torsion_elements(nodes: &[Vec3], rigidity: f64) -> Vec<TorsionElement> {
    let inner_points = 1..(nodes.len() / 3).saturating_sub(1);
    let torsion_element = |i: usize| {
        let (previous, current, next) = (3 * (i - 1), 3 * i, 3 * (i + 1));
        let length =
            nodes[previous].distance(nodes[current]) + nodes[current].distance(nodes[next]);
        let ends = [previous + 1, previous, next, next + 1];
        TorsionElement::at_rest(ends, nodes, rigidity / (2.0 * length))
    };
    inner_points.map(torsion_element).collect()
}
