//! Von Mises plasticity of the moments of a plate.
//!
//! # Moments
//! A plate with the moments m (xx, yy and twice xy, N) and the curvatures k yields where
//!
//! ```text
//!   |m|_P = sqrt(m_xx^2 - m_xx m_yy + m_yy^2 + 3 m_xy^2) >= M + H alpha
//! ```
//!
//! with the yield moment M (N), the hardening H (N m) and the equivalent plastic curvature alpha (1/m) (Ilyushin 1948;
//! Simo & Taylor 1986, *A return mapping algorithm for plane stress elastoplasticity*, with moments in place of
//! stresses).
//!
//! # Modes
//! [`Modes`] are moments `m = G mu` that have no component across free edges, with `G^T C^-1 G = 1` and `G^T P G =
//! diag(p)`, where C is the stiffness (N m) and P the matrix of the norm. In them the elastic energy is `|eta|^2 / 2`, `eta = G^T k`, and for the trial `eta` of constant plastic
//! curvature the return mapping is
//!
//! ```text
//!   mu_i = eta_i / (1 + zeta p_i),   alpha -> alpha + zeta r,   r = R / (1 - H zeta),   R = M + H alpha
//! ```
//!
//! with the root zeta of `|mu|_P = r`. It minimises the elastic energy plus the work of the flow, and the minimum is a
//! potential of eta with the gradient mu, as in `material/hencky.rs`:
//!
//! ```text
//!   |mu|^2 / 2 + R zeta r + H (zeta r)^2 / 2
//! ```

use resile_math::small::SymmetricEigen;
use resile_math::{Mat3, Vec3};

/// One number per mode.
pub(super) type Modal = [f64; 3];

/// Newton's method for zeta starts left of the root of a convex function, so it is monotone; without hardening each of
/// the first steps doubles zeta.
const MAX_ITERATIONS: usize = 100;
/// Relative change of zeta at which its iteration ends.
const ROOT_TOLERANCE: f64 = 1e-15;
/// Components of moments below this fraction of a unit vector are treated as zero.
const RANK_TOLERANCE: f64 = 1e-9;

/// The moments that a triangle can bear.
#[derive(Debug, Clone, Copy)]
pub(super) struct Modes {
    /// The columns of G ((N m)^0.5); zero in modes that a triangle with free edges does not have.
    pub(super) moments: [Vec3; 3],
    /// p (N m).
    pub(super) yielding: Modal,
}

impl Modes {
    /// The modes for the stiffness tensor C (N m) that bear no moment in `free` directions of curvature.
    pub(super) fn new(tensor: Mat3, free: &[Vec3]) -> Self {
        let basis = orthogonal_to(free);
        let compliance = form(tensor.inverse(), &basis);
        let compliance_eigen = SymmetricEigen::new(&compliance);
        let norm = |k: usize| {
            if compliance_eigen.values[k] > 0.0 {
                compliance_eigen.values[k].sqrt().recip()
            } else {
                0.0
            }
        };
        let unit: [Vec3; 3] =
            std::array::from_fn(|k| combined(&basis, column(&compliance_eigen, k)) * norm(k));
        let criterion = Mat3::from_cols(
            Vec3::new(1.0, -0.5, 0.0),
            Vec3::new(-0.5, 1.0, 0.0),
            Vec3::new(0.0, 0.0, 0.75),
        );
        let criterion_eigen = SymmetricEigen::new(&form(criterion, &unit));
        let moments = std::array::from_fn(|k| combined(&unit, column(&criterion_eigen, k)));
        Self { moments, yielding: criterion_eigen.values.map(|p| p.max(0.0)) }
    }
}

/// Eigenvector k.
fn column(eigen: &SymmetricEigen<3>, k: usize) -> Modal {
    eigen.vectors.map(|row| row[k])
}

/// The weighted sum of three vectors.
fn combined(vectors: &[Vec3; 3], weights: Modal) -> Vec3 {
    vectors[0] * weights[0] + vectors[1] * weights[1] + vectors[2] * weights[2]
}

/// The matrix of the bilinear form `a . matrix b` of all pairs of vectors.
fn form(matrix: Mat3, vectors: &[Vec3; 3]) -> [[f64; 3]; 3] {
    vectors.map(|a| vectors.map(|b| a.dot(matrix * b)))
}

/// Three orthogonal vectors, orthogonal to the given ones: of unit length, or zero if there are none left.
fn orthogonal_to(vectors: &[Vec3]) -> [Vec3; 3] {
    let mut basis: Vec<Vec3> = Vec::new();
    let remainder = |basis: &[Vec3], v: Vec3| {
        // The vector is orthogonalised twice: the first pass leaves rounding errors of the magnitude of the removed
        // components.
        let orthogonalised = |v: Vec3| basis.iter().fold(v, |v, u| v - *u * u.dot(v));
        let remainder = orthogonalised(orthogonalised(v));
        (remainder.length() > RANK_TOLERANCE * v.length()).then(|| remainder.normalize())
    };
    for v in vectors {
        basis.extend(remainder(&basis, *v));
    }
    let start = basis.len();
    // The axis with the largest remainder is used first.
    while basis.len() < 3 {
        let length =
            |axis: &Vec3| basis.iter().fold(*axis, |v, u| v - *u * u.dot(v)).length_squared();
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        let longest_axis = axes.into_iter().max_by(|a, b| length(a).total_cmp(&length(b)));
        let Some(next) = longest_axis.and_then(|axis| remainder(&basis, axis)) else { break };
        basis.push(next);
    }
    std::array::from_fn(|k| basis.get(start + k).copied().unwrap_or(Vec3::ZERO))
}

/// Resistance to plastic bending.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strength {
    /// Yield moment R (N).
    pub(super) moment: f64,
    /// Hardening H (N m).
    pub(super) hardening: f64,
}

/// Result of a return mapping.
#[derive(Debug, Clone, Copy)]
pub(super) struct Returned {
    /// mu ((N/m)^0.5): moments after the flow.
    pub(super) moments: Modal,
    /// zeta (1/(N m)); zero without flow.
    zeta: f64,
    /// Equivalent plastic curvature (1/m) of the flow.
    pub(super) slip: f64,
}

impl Returned {
    /// The flow for the trial state `eta`, with the numbers p of the modes (`yielding`).
    pub(super) fn new(eta: Modal, yielding: &Modal, strength: Strength) -> Self {
        let Strength { moment, hardening } = strength;
        if norm(&eta, yielding) <= moment {
            return Self { moments: eta, zeta: 0.0, slip: 0.0 };
        }
        let zeta = root(eta, yielding, strength);
        let moments = reduced(eta, yielding, zeta);
        Self { moments, zeta, slip: zeta * moment / (1.0 - hardening * zeta) }
    }

    /// The potential (J/m^2).
    pub(super) fn density(&self, strength: Strength) -> f64 {
        0.5 * self.moments.iter().map(|mu| mu * mu).sum::<f64>() + self.work(strength)
    }

    /// The work of the flow (J/m^2).
    pub(super) fn work(&self, Strength { moment, hardening }: Strength) -> f64 {
        self.slip * (moment + 0.5 * hardening * self.slip)
    }

    /// The derivative of mu with respect to eta, symmetric and positive semi-definite:
    /// `D - D q (D q)^T / (q . D q + h)` with `D = 1 / (1 + zeta p)`, `q = p mu`, `h = r^3 H / R`.
    pub(super) fn tangent(&self, yielding: &Modal, strength: Strength) -> [Modal; 3] {
        let mut tangent = [[0.0; 3]; 3];
        if self.zeta == 0.0 {
            (0..3).for_each(|i| tangent[i][i] = 1.0);
            return tangent;
        }
        let d = yielding.map(|p| 1.0 / (1.0 + self.zeta * p));
        // D q.
        let normal: Modal = std::array::from_fn(|i| d[i] * yielding[i] * self.moments[i]);
        let radius = strength.moment / (1.0 - strength.hardening * self.zeta);
        let hardening = radius.powi(3) * strength.hardening / strength.moment;
        let q_dot_dq: f64 = (0..3).map(|i| normal[i] * yielding[i] * self.moments[i]).sum();
        for i in 0..3 {
            for j in 0..3 {
                let diagonal = if i == j { d[i] } else { 0.0 };
                tangent[i][j] = diagonal - normal[i] * normal[j] / (q_dot_dq + hardening);
            }
        }
        tangent
    }
}

/// `|mu|_P`.
fn norm(mu: &Modal, yielding: &Modal) -> f64 {
    mu.iter().zip(yielding).map(|(mu, p)| p * mu * mu).sum::<f64>().sqrt()
}

/// The moments `mu_i = eta_i / (1 + zeta p_i)`.
fn reduced(eta: Modal, yielding: &Modal, zeta: f64) -> Modal {
    std::array::from_fn(|i| eta[i] / (1.0 + zeta * yielding[i]))
}

/// The root of `|mu|_P (1 - H zeta) = R`, whose left side is convex and decreases.
fn root(eta: Modal, yielding: &Modal, Strength { moment, hardening }: Strength) -> f64 {
    let mut zeta = 0.0;
    for _ in 0..MAX_ITERATIONS {
        let mu = reduced(eta, yielding, zeta);
        let yield_norm = norm(&mu, yielding);
        let decay: f64 =
            (0..3).map(|i| (yielding[i] * mu[i]).powi(2) / (1.0 + zeta * yielding[i])).sum::<f64>()
                / yield_norm;
        let factor = 1.0 - hardening * zeta;
        let step = (yield_norm * factor - moment) / (decay * factor + yield_norm * hardening);
        // The comparison is also false for NaN.
        let increases = step > ROOT_TOLERANCE * zeta;
        if !increases {
            break;
        }
        zeta += step;
    }
    zeta
}
