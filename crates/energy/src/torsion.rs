//! Torsion springs: arms that resist turning against each other around an axis.

use crate::four_nodes::Differences;
use crate::gather::Gather;
use resile_math::elementary;
use resile_math::{cross_matrix, outer};
use resile_system::{Energy, Hessian, Mat3, Psd, Vec3};

/// First arm, axis, second arm of the nodes (tip, axis start, axis end, tip).
const ARMS: Differences =
    Differences { of: [[1.0, 0.0, 0.0], [-1.0, -1.0, 0.0], [0.0, 1.0, -1.0], [0.0, 0.0, 1.0]] };

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

    /// The arms and axis at `x` and the rotation of one against the other from rest.
    fn rotated(&self, x: &[Vec3]) -> ([Vec3; 3], f64) {
        let arms = ARMS.vectors(self.nodes.map(|node| x[node]));
        (arms, angle(arms) - self.rest)
    }
}

/// The angle from `a` to `b` seen along `t`; zero if an arm lies along the axis.
fn angle([a, t, b]: [Vec3; 3]) -> f64 {
    let (a, b) = (t.cross(a), t.cross(b));
    elementary::atan2(t.dot(a.cross(b)) / t.length(), a.dot(b))
}

/// How the end of one arm turns around the axis, and the derivatives of that.
struct Arm {
    /// `|t| w / |w|^2`, `w = t x c`: derivative of the angle by the arm c.
    by_arm: Vec3,
    /// `c . t / |t|^2`: how far along the axis the arm reaches.
    overhang: f64,
    /// Derivatives of `by_arm` by the arm and by the axis.
    by_arm_arm: Mat3,
    by_arm_axis: Mat3,
    /// Derivative of `-overhang by_arm`, the arm's part of the derivative by the axis, by
    /// the axis.
    by_axis_axis: Mat3,
}

impl Arm {
    /// An arm along the axis turns nothing: the angle is not defined there.
    fn new(t: Vec3, c: Vec3) -> Option<Self> {
        let w = t.cross(c);
        let (length, square) = (t.length(), w.length_squared());
        if square == 0.0 {
            return None;
        }
        let by_arm = w * (length / square);
        let overhang = c.dot(t) / (length * length);
        let by_w = (Mat3::IDENTITY - outer(w, w) * (2.0 / square)) * (length / square);
        let by_arm_axis = outer(w, t) * (1.0 / (length * square)) - by_w * cross_matrix(c);
        let overhang_by_axis = (c - t * (2.0 * overhang)) / (length * length);
        let by_axis_axis = -outer(by_arm, overhang_by_axis) - by_arm_axis * overhang;
        Some(Self {
            by_arm,
            overhang,
            by_arm_arm: by_w * cross_matrix(t),
            by_arm_axis,
            by_axis_axis,
        })
    }
}

/// Derivatives of the angle by first arm, axis, second arm; `None` where it has none.
///
/// An arm's end that moves by `d` turns by `by_arm . d`. An axis that tilts is, seen
/// from the arms, a rotation of both arms the other way, whence the part
/// `-overhang by_arm` of each. That the blocks by the axis are symmetric is so only for
/// the difference of the two arms.
fn derivatives([a, t, b]: [Vec3; 3]) -> Option<([Vec3; 3], [[Mat3; 3]; 3])> {
    let (a, b) = (Arm::new(t, a)?, Arm::new(t, b)?);
    let by_axis = a.by_arm * a.overhang - b.by_arm * b.overhang;
    let first = [
        [-a.by_arm_arm, -a.by_arm_axis, Mat3::ZERO],
        [-a.by_arm_axis.transpose(), b.by_axis_axis - a.by_axis_axis, b.by_arm_axis.transpose()],
        [Mat3::ZERO, b.by_arm_axis, b.by_arm_arm],
    ];
    Some(([-a.by_arm, by_axis, b.by_arm], first))
}

/// Torsion springs that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum TorsionError {
    /// A node does not exist.
    #[error("torsion spring {element} has node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// The element, counted from zero.
        element: usize,
        /// The node it names.
        node: usize,
        /// Number of nodes there are.
        nodes: usize,
    },
    /// A node is there twice.
    #[error("torsion spring {element} has node {node} twice")]
    Repeated {
        /// The element, counted from zero.
        element: usize,
        /// The node it names twice.
        node: usize,
    },
    /// The rest angle is not a number.
    #[error("torsion spring {element} has the rest angle {rest} rad, but must have a finite one")]
    Rest {
        /// The element, counted from zero.
        element: usize,
        /// What was given (rad).
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
        /// What was given (J).
        stiffness: f64,
    },
}

/// `P(x) = sum k (1 - cos(theta - theta_0))`, theta the angle between two arms around the
/// axis that joins them: the torsion spring of EXPLICIT, section 4.
///
/// *Decisions*, as the paper's formulas are lost: the paper turns an arm back by a
/// quaternion of the offset angle; here the angle has a potential, so that the forces
/// on all four nodes sum up to no momentum and no angular momentum. The cosine
/// makes it `k/2 (theta - theta_0)^2` for small turns and smooth for a whole one;
/// the moment is largest at a quarter and gone at half a turn, beyond which the
/// spring goes on to the next. Where an arm points along the axis there is no angle,
/// and no force is given. Evaluation is O(elements); clamping costs an
/// eigen-decomposition of twelve rows each. It is shared by the threads of the rayon pool it
/// is called in, with the same bits for any number of them.
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
        let gather = Gather::of(&nodes.collect::<Vec<_>>());
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

    fn value(&self, x: &[Vec3]) -> f64 {
        self.gather.sum(|number| {
            let element = &self.elements[number];
            // 1 - cos without its cancellation.
            2.0 * element.stiffness * elementary::sin(element.rotated(x).1 / 2.0).powi(2)
        })
    }

    fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.gather.add_gradients(out, |number| {
            let element = &self.elements[number];
            let (arms, rotation) = element.rotated(x);
            let slopes = derivatives(arms).map_or([Vec3::ZERO; 3], |(slopes, _)| slopes);
            let moment = scale * element.stiffness * elementary::sin(rotation);
            ARMS.gradient(slopes.map(|slope| slope * moment))
        });
    }

    fn add_hessian(&self, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        self.gather.add_hessians(out, |number| {
            let element = &self.elements[number];
            let (arms, rotation) = element.rotated(x);
            let (slopes, second) =
                derivatives(arms).unwrap_or(([Vec3::ZERO; 3], [[Mat3::ZERO; 3]; 3]));
            let (sin, cos) = (
                element.stiffness * elementary::sin(rotation),
                element.stiffness * elementary::cos(rotation),
            );
            let block = |k: usize, l: usize| outer(slopes[k], slopes[l]) * cos + second[k][l] * sin;
            let blocks = std::array::from_fn(|k| std::array::from_fn(|l| block(k, l)));
            ARMS.hessian(&blocks, psd)
        });
    }
}
