//! Springs between the nodes of a body: cloth, ropes, nets.

use crate::gather::Gather;
use resile_math::outer;
use resile_system::{Energy, Hessian, Laplacian, Mat3, Psd, Vec3};

/// A spring between two nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpringElement {
    /// Indices, within the body, of the nodes at the ends.
    pub nodes: [usize; 2],
    /// Length r at rest (m); zero is allowed.
    pub rest: f64,
    /// Stiffness k: N/m for [`SpringLaw::Hooke`], N/m^3 for
    /// [`SpringLaw::StVenantKirchhoff`].
    pub stiffness: f64,
}

impl SpringElement {
    /// The spring that is at rest at the positions `x`.
    pub fn at_rest(nodes: [usize; 2], x: &[Vec3], stiffness: f64) -> Self {
        Self { nodes, rest: x[nodes[0]].distance(x[nodes[1]]), stiffness }
    }

    /// The vector (m) from the first to the second node.
    fn edge(&self, x: &[Vec3]) -> Vec3 {
        x[self.nodes[1]] - x[self.nodes[0]]
    }
}

/// The energy of one spring as a function of its edge vector e.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpringLaw {
    /// `k/2 (|e| - r)^2`.
    ///
    /// Not differentiable at length zero unless r = 0, because the direction is undefined. A spring of
    /// length zero (below about 1e-162 m, where squares underflow) exerts no force, the mean of the
    /// surrounding forces, and has the curvature k in all directions.
    Hooke,
    /// `k/2 (|e|^2 - r^2)^2` (AVF, section 5): a quartic polynomial, so that
    /// Simpson's rule integrates its force exactly along a step. Near rest it is as
    /// stiff as a Hookean spring of `4 k r^2`. The example of AVF's section 4,
    /// `1500 (x^2 - 1)^2`, has k = 3000 in this convention.
    StVenantKirchhoff,
}

/// Energy of a spring with its derivatives with respect to the edge vector e.
struct Response {
    /// Edge vector (m).
    edge: Vec3,
    /// Energy (J).
    value: f64,
    /// Gradient divided by e (N/m).
    force_per_length: f64,
    /// Unit vector along e; zero for a spring of length zero.
    direction: Vec3,
    /// Curvature (N/m) in the direction of e.
    axial: f64,
    /// Curvature (N/m) in directions normal to e.
    transverse: f64,
}

impl SpringLaw {
    /// Energy and derivatives of `spring` at the edge vector `edge` (m).
    fn response(self, spring: &SpringElement, edge: Vec3) -> Response {
        match self {
            Self::Hooke => hooke_response(spring, edge),
            Self::StVenantKirchhoff => {
                let (k, r) = (spring.stiffness, spring.rest);
                let square = edge.length_squared();
                let excess = square - r * r;
                let force_per_length = 2.0 * k * excess;
                Response {
                    edge,
                    value: 0.5 * k * excess * excess,
                    force_per_length,
                    direction: direction(edge),
                    axial: force_per_length + 4.0 * k * square,
                    transverse: force_per_length,
                }
            }
        }
    }
}

/// Response of a spring of [`SpringLaw::Hooke`] at the edge vector `edge` (m).
fn hooke_response(spring: &SpringElement, edge: Vec3) -> Response {
    let (k, r) = (spring.stiffness, spring.rest);
    let length = edge.length();
    let stretch = length - r;
    let (force_per_length, transverse) = if length == 0.0 {
        (if r == 0.0 { k } else { 0.0 }, k)
    } else {
        let force_per_length = k * (stretch / length);
        (force_per_length, force_per_length)
    };
    let value = 0.5 * k * stretch * stretch;
    Response { edge, value, force_per_length, direction: direction(edge), axial: k, transverse }
}

/// The unit vector along an edge vector (m); zero for a vector of length zero.
fn direction(edge: Vec3) -> Vec3 {
    let length = edge.length();
    if length > 0.0 { edge / length } else { Vec3::ZERO }
}

impl Response {
    /// The second derivative with respect to the edge vector, with the eigenvalues `axial` (once) and
    /// `transverse` (twice). The eigenvalues of the 6x6 block of the spring are twice these, and zero, so
    /// clamping the two numbers is the nearest projection.
    fn curvature(&self, psd: Psd) -> Mat3 {
        let (axial, transverse) = match psd {
            Psd::Exact => (self.axial, self.transverse),
            Psd::Clamp => (self.axial.max(0.0), self.transverse.max(0.0)),
        };
        let n = self.direction;
        Mat3::from_diagonal(Vec3::splat(transverse)) + outer(n, n) * (axial - transverse)
    }
}

impl SpringElement {
    /// The stiffness (N/m) along the spring at rest.
    fn tangent(&self, law: SpringLaw) -> f64 {
        match law {
            SpringLaw::Hooke => self.stiffness,
            SpringLaw::StVenantKirchhoff => 4.0 * self.stiffness * self.rest * self.rest,
        }
    }
}

/// Invalid springs.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SpringsError {
    /// A node does not exist.
    #[error("spring {spring} ends at node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// The spring, counted from zero.
        spring: usize,
        /// Index of the node.
        node: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// The two ends are the same node.
    #[error("spring {spring} has node {node} at both ends")]
    OneNode {
        /// The spring, counted from zero.
        spring: usize,
        /// Index of the repeated node.
        node: usize,
    },
    /// The rest length is negative or not finite.
    #[error("spring {spring} has the rest length {rest} m, but must have a finite one >= 0")]
    Rest {
        /// The spring, counted from zero.
        spring: usize,
        /// The given value (m).
        rest: f64,
    },
    /// The stiffness is not a positive number.
    #[error("spring {spring} has the stiffness {stiffness}, but must have a positive, finite one")]
    Stiffness {
        /// The spring, counted from zero.
        spring: usize,
        /// The given value.
        stiffness: f64,
    },
}

/// The energy of springs of one law. Value, gradient and Hessian are O(springs), evaluated in parallel in the
/// current rayon pool, and bitwise equal for any number of threads.
#[derive(Debug, Clone)]
pub struct Springs {
    springs: Vec<SpringElement>,
    law: SpringLaw,
    gather: Gather<2>,
}

impl Springs {
    /// Springs on a body of `node_count` nodes.
    ///
    /// # Errors
    /// The first spring whose ends are not two nodes of the body, or whose rest
    /// length or stiffness is out of range.
    pub fn new(
        node_count: usize,
        springs: Vec<SpringElement>,
        law: SpringLaw,
    ) -> Result<Self, SpringsError> {
        for (index, element) in springs.iter().enumerate() {
            check(index, element, node_count)?;
        }
        let ends = springs.iter().map(|spring| spring.nodes.map(|node| node as u32));
        let gather = Gather::unchecked(&ends.collect::<Vec<_>>());
        Ok(Self { springs, law, gather })
    }

    /// The springs, in the order given.
    pub fn elements(&self) -> &[SpringElement] {
        &self.springs
    }

    /// Energy and derivatives of the spring of an index, for nodes at `x` (m).
    fn response(&self, x: &[Vec3], index: usize) -> Response {
        let spring = &self.springs[index];
        self.law.response(spring, spring.edge(x))
    }
}

/// Checks a spring of the index `spring` on a body of `nodes` nodes.
fn check(spring: usize, element: &SpringElement, nodes: usize) -> Result<(), SpringsError> {
    let SpringElement { nodes: ends, rest, stiffness } = *element;
    if let Some(&node) = ends.iter().find(|&&node| node >= nodes) {
        return Err(SpringsError::NoSuchNode { spring, node, nodes });
    }
    if ends[0] == ends[1] {
        return Err(SpringsError::OneNode { spring, node: ends[0] });
    }
    if !(rest >= 0.0 && rest.is_finite()) {
        return Err(SpringsError::Rest { spring, rest });
    }
    if !(stiffness > 0.0 && stiffness.is_finite()) {
        return Err(SpringsError::Stiffness { spring, stiffness });
    }
    Ok(())
}

impl Energy for Springs {
    fn name(&self) -> &str {
        "elastic"
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }

    fn is_internal(&self) -> bool {
        true
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        self.gather.sum(|index| self.response(x, index).value)
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.gather.add_gradients(out, |index| {
            let response = self.response(x, index);
            let gradient = response.edge * (scale * response.force_per_length);
            [-gradient, gradient]
        });
    }

    fn add_hessian(&self, _time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        self.gather.add_hessians(out, |index| {
            let block = self.response(x, index).curvature(psd);
            [[block, -block], [-block, block]]
        });
    }

    /// The stiffness of each spring between its ends.
    fn add_laplacian(&self, _time: f64, _x: &[Vec3], out: &mut Laplacian<'_>) {
        for spring in &self.springs {
            let ([a, b], k) = (spring.nodes, spring.tangent(self.law));
            out.add(a, a, k);
            out.add(a, b, -k);
            out.add(b, b, k);
        }
    }
}
