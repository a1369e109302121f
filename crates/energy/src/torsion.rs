//! Torsion springs: arms that resist relative rotation about an axis.

use crate::four_nodes::Differences;
use crate::gather::Gather;
use resile_math::elementary;
use resile_math::{cross_matrix, outer};
use resile_system::{Energy, Hessian, Mat3, Psd, Vec3};

/// First arm, axis, second arm of the nodes (tip, axis start, axis end, tip).
const ARMS: Differences = Differences {
    coefficients: [[1.0, 0.0, 0.0], [-1.0, -1.0, 0.0], [0.0, 1.0, -1.0], [0.0, 0.0, 1.0]],
};

/// Two arms at the ends of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TorsionElement {
    /// Tip of the first arm, start of the axis and of that arm, end of the axis and
    /// start of the second arm, tip of the second arm.
    pub nodes: [usize; 4],
    /// The angle at rest (rad) from the first arm to the second around the axis.
    pub rest: f64,
    /// Stiffness k (J, or N m/rad).
    pub stiffness: f64,
}

impl TorsionElement {
    /// The element that is at rest at the positions `x`.
    pub fn at_rest(nodes: [usize; 4], x: &[Vec3], stiffness: f64) -> Self {
        Self { nodes, rest: angle(ARMS.vectors(nodes.map(|node| x[node]))), stiffness }
    }

    /// The arms of the element with nodes at `x` (m).
    fn rotated(&self, x: &[Vec3]) -> RotatedArms {
        let arms = ARMS.vectors(self.nodes.map(|node| x[node]));
        RotatedArms { arms, rotation: angle(arms) - self.rest }
    }
}

/// The arms and the axis of an element in a deformed state.
struct RotatedArms {
    /// First arm, axis and second arm (m).
    arms: [Vec3; 3],
    /// Rotation (rad) of the second arm about the axis relative to the first, minus that at rest.
    rotation: f64,
}

/// The angle from `a` to `b` seen along `t`; zero if an arm lies along the axis.
fn angle([a, t, b]: [Vec3; 3]) -> f64 {
    let (a, b) = (t.cross(a), t.cross(b));
    elementary::atan2(t.dot(a.cross(b)) / t.length(), a.dot(b))
}

/// The rotation of one arm about the axis, with derivatives.
struct Arm {
    /// `|t| w / |w|^2`, `w = t x c`: derivative of the angle with respect to the arm c.
    by_arm: Vec3,
    /// `c . t / |t|^2`: the axial component of the arm, relative to the axis.
    axial_fraction: f64,
    /// Derivative of `by_arm` with respect to the arm.
    by_arm_arm: Mat3,
    /// Derivative of `by_arm` with respect to the axis.
    by_arm_axis: Mat3,
    /// Derivative with respect to the axis of `-axial_fraction by_arm`, the contribution of the arm to the
    /// derivative of the angle with respect to the axis.
    by_axis_axis: Mat3,
}

impl Arm {
    /// `None` for an arm along the axis, where the angle is undefined.
    fn new(t: Vec3, c: Vec3) -> Option<Self> {
        let w = t.cross(c);
        let (length, square) = (t.length(), w.length_squared());
        if square == 0.0 {
            return None;
        }
        let by_arm = w * (length / square);
        let axial_fraction = c.dot(t) / (length * length);
        let by_w = (Mat3::IDENTITY - outer(w, w) * (2.0 / square)) * (length / square);
        let by_arm_axis = outer(w, t) * (1.0 / (length * square)) - by_w * cross_matrix(c);
        let overhang_by_axis = (c - t * (2.0 * axial_fraction)) / (length * length);
        let by_axis_axis = -outer(by_arm, overhang_by_axis) - by_arm_axis * axial_fraction;
        Some(Self {
            by_arm,
            axial_fraction,
            by_arm_arm: by_w * cross_matrix(t),
            by_arm_axis,
            by_axis_axis,
        })
    }
}

/// Derivatives of the angle with respect to first arm, axis and second arm; `None` if the angle is undefined.
///
/// A displacement `d` of the tip of an arm rotates it by `by_arm . d`. A tilt of the axis is
/// equivalent to the opposite rotation of both arms, which gives the contribution
/// `-axial_fraction by_arm` of each. The blocks with respect to the axis are symmetric only in the
/// difference of the two arms.
fn derivatives([a, t, b]: [Vec3; 3]) -> Option<([Vec3; 3], [[Mat3; 3]; 3])> {
    let (a, b) = (Arm::new(t, a)?, Arm::new(t, b)?);
    let by_axis = a.by_arm * a.axial_fraction - b.by_arm * b.axial_fraction;
    let hessians = [
        [-a.by_arm_arm, -a.by_arm_axis, Mat3::ZERO],
        [-a.by_arm_axis.transpose(), b.by_axis_axis - a.by_axis_axis, b.by_arm_axis.transpose()],
        [Mat3::ZERO, b.by_arm_axis, b.by_arm_arm],
    ];
    Some(([-a.by_arm, by_axis, b.by_arm], hessians))
}

/// Invalid torsion springs.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum TorsionError {
    /// A node does not exist.
    #[error("torsion spring {element} has node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// The element, counted from zero.
        element: usize,
        /// Index of the node.
        node: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A node is repeated.
    #[error("torsion spring {element} has node {node} twice")]
    Repeated {
        /// The element, counted from zero.
        element: usize,
        /// Index of the repeated node.
        node: usize,
    },
    /// The rest angle is not finite.
    #[error("torsion spring {element} has the rest angle {rest} rad, but must have a finite one")]
    Rest {
        /// The element, counted from zero.
        element: usize,
        /// The given value (rad).
        rest: f64,
    },
    /// The stiffness is not a positive number.
    #[error(
        "torsion spring {element} has the stiffness {stiffness} J, but must have a positive, \
         finite one"
    )]
    Stiffness {
        /// The element, counted from zero.
        element: usize,
        /// The given value (J).
        stiffness: f64,
    },
}

/// `P(x) = sum k (1 - cos(theta - theta_0))`, theta the angle between two arms around the
/// axis that joins them: the torsion spring of EXPLICIT, section 4.
///
/// *Decisions*, because our copy of the paper lacks the formulas: the paper rotates an arm back by a
/// quaternion of the offset angle; here the angle has a potential, so the forces on the four
/// nodes preserve momentum and angular momentum. The cosine gives `k/2 (theta - theta_0)^2` for
/// small angles and is smooth and periodic; the moment is largest at a quarter of a turn and zero at
/// half a turn. Arms along the axis have no angle and get no force. Evaluation is O(elements);
/// clamping costs one eigen-decomposition of a 12x12 matrix per element. It is parallel in the
/// current rayon pool, and bitwise equal for any number of threads.
#[derive(Debug, Clone)]
pub struct Torsion {
    elements: Vec<TorsionElement>,
    gather: Gather<4>,
}

impl Torsion {
    /// Torsion springs on a body of `node_count` nodes.
    ///
    /// # Errors
    /// The first element without four nodes, or with a number out of range.
    pub fn new(node_count: usize, elements: Vec<TorsionElement>) -> Result<Self, TorsionError> {
        for (element, &TorsionElement { nodes, rest, stiffness }) in elements.iter().enumerate() {
            if let Some(&node) = nodes.iter().find(|&&node| node >= node_count) {
                return Err(TorsionError::NoSuchNode { element, node, nodes: node_count });
            }
            if let Some(k) = (1..4).find(|&k| nodes[..k].contains(&nodes[k])) {
                return Err(TorsionError::Repeated { element, node: nodes[k] });
            }
            if !rest.is_finite() {
                return Err(TorsionError::Rest { element, rest });
            }
            if !(stiffness > 0.0 && stiffness.is_finite()) {
                return Err(TorsionError::Stiffness { element, stiffness });
            }
        }
        let nodes = elements.iter().map(|element| element.nodes.map(|node| node as u32));
        let gather = Gather::unchecked(&nodes.collect::<Vec<_>>());
        Ok(Self { elements, gather })
    }

    /// The springs, in the order given.
    pub fn elements(&self) -> &[TorsionElement] {
        &self.elements
    }
}

impl Energy for Torsion {
    fn name(&self) -> &str {
        "elastic"
    }

    fn is_internal(&self) -> bool {
        true
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        self.gather.sum(|index| {
            let element = &self.elements[index];
            // This form of 1 - cos is free of cancellation.
            2.0 * element.stiffness * elementary::sin(element.rotated(x).rotation / 2.0).powi(2)
        })
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.gather.add_gradients(out, |index| {
            let element = &self.elements[index];
            let RotatedArms { arms, rotation } = element.rotated(x);
            let slopes = derivatives(arms).map_or([Vec3::ZERO; 3], |(slopes, _)| slopes);
            let moment = scale * element.stiffness * elementary::sin(rotation);
            ARMS.gradient(slopes.map(|slope| slope * moment))
        });
    }

    fn add_hessian(&self, _time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        self.gather.add_hessians(out, |index| {
            let element = &self.elements[index];
            let RotatedArms { arms, rotation } = element.rotated(x);
            let (slopes, hessians) =
                derivatives(arms).unwrap_or(([Vec3::ZERO; 3], [[Mat3::ZERO; 3]; 3]));
            let (sin, cos) = (
                element.stiffness * elementary::sin(rotation),
                element.stiffness * elementary::cos(rotation),
            );
            let block =
                |k: usize, l: usize| outer(slopes[k], slopes[l]) * cos + hessians[k][l] * sin;
            let blocks = std::array::from_fn(|k| std::array::from_fn(|l| block(k, l)));
            ARMS.hessian(&blocks, psd)
        });
    }
}
