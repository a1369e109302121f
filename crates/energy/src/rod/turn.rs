//! The angle between two successive segments of a curve.

use resile_math::small::project_psd;
use resile_math::{cross_matrix, outer};
use resile_system::{Mat3, Psd, Vec3};

/// Two successive edges e and f, and the rotation from the first to the second.
pub(super) struct Turn {
    /// Unit vectors along e and f.
    pub(super) along: [Vec3; 2],
    /// |e|, |f| (m).
    pub(super) lengths: [f64; 2],
    /// `(e/|e| + f/|f|)^2 / 2 = 1 + cos phi`, exact near a fold too.
    pub(super) open: f64,
    /// The axis of rotation times the sine of phi.
    pub(super) sine: Vec3,
}

/// The Hessian of a function of e and f; only the symmetric part is used.
pub(super) type ByEdges = [[Mat3; 2]; 2];

impl Turn {
    /// The turn at the node b between the edges from a to b and from b to c.
    pub(super) fn new([a, b, c]: [Vec3; 3]) -> Self {
        let edges = [b - a, c - b];
        let lengths = edges.map(Vec3::length);
        let along = [edges[0] / lengths[0], edges[1] / lengths[1]];
        let open = 0.5 * (along[0] + along[1]).length_squared();
        Self { along, lengths, open, sine: along[0].cross(along[1]) }
    }

    /// `tan^2(phi / 2)`: a quarter of the square of the curvature binormal (Bergou et al. 2008,
    /// eq. 1). Infinite at the fold.
    pub(super) fn tangent2(&self) -> f64 {
        0.5 * (self.along[1] - self.along[0]).length_squared() / self.open
    }

    /// The curvature binormal `2 e x f / (|e| |f| + e . f)` (Bergou et al. 2008, eq. 1). Infinite at the fold.
    pub(super) fn binormal(&self) -> Vec3 {
        self.sine * (2.0 / self.open)
    }

    /// Derivatives with respect to e and f of the curvature binormal times a constant vector.
    pub(super) fn binormal_times(&self, w: Vec3) -> [Vec3; 2] {
        let [e, f] = self.along;
        let [le, lf] = self.lengths;
        let tangential = (e + f) * (self.sine.dot(w) / self.open);
        [
            (f.cross(w) - tangential) * (2.0 / (self.open * le)),
            (w.cross(e) - tangential) * (2.0 / (self.open * lf)),
        ]
    }

    /// Second derivatives of the curvature binormal times `w[0] + w[1]`. These vectors are normal to e and to f,
    /// and parallel-transported with them.
    pub(super) fn binormal_times_by_edges(&self, w: [Vec3; 2]) -> ByEdges {
        let [e, f] = self.along;
        let [le, lf] = self.lengths;
        let (w_sum, tangent_sum) = (w[0] + w[1], e + f);
        let binormal = self.binormal();
        let binormal_component = binormal.dot(w_sum);
        let [by_e, by_f] = self.binormal_times(w_sum);
        let projector = |n: Vec3| Mat3::IDENTITY - outer(n, n);
        // The derivative for constant w, plus that of the transport of w[0] and w[1].
        let derivative = |n: Vec3, by: Vec3, w: Vec3, length: f64| {
            let constant = (outer(tangent_sum, by) + outer(by, tangent_sum)) / (self.open * length)
                + projector(n) * (binormal_component / (self.open * length * length));
            // Both vectors are normal to n.
            (outer(w, binormal) + outer(binormal, w)) * (0.5 / (length * length)) - constant
        };
        let transport = cross_matrix(w_sum) * -2.0;
        let mixed = (transport * projector(f) / lf
            - projector(f) * (binormal_component / lf)
            - outer(tangent_sum, by_f))
            / (self.open * le)
            - outer(by_e, projector(f) * e) / (self.open * lf);
        [[derivative(e, by_e, w[0], le), mixed], [mixed.transpose(), derivative(f, by_f, w[1], lf)]]
    }

    /// The derivatives of the cosine with respect to e and f.
    pub(super) fn cosine(&self) -> [Vec3; 2] {
        let [e, f] = self.along;
        let n = self.sine;
        [n.cross(e) / self.lengths[0], f.cross(n) / self.lengths[1]]
    }

    /// Second derivatives of the cosine with respect to e and f.
    pub(super) fn cosine_by_edges(&self) -> ByEdges {
        let [e, f] = self.along;
        let [p, q] = self.cosine();
        let [le, lf] = self.lengths;
        let cosine = self.open - 1.0;
        let projector = |n: Vec3| Mat3::IDENTITY - outer(n, n);
        let derivative = |n: Vec3, by: Vec3, length: f64| {
            -(outer(n, by) + outer(by, n)) / length - projector(n) * (cosine / (length * length))
        };
        let mixed = projector(f) / (le * lf) - outer(e, q) / le;
        [[derivative(e, p, le), mixed], [mixed.transpose(), derivative(f, q, lf)]]
    }

    /// Contribution of this corner to the derivative of 2 pi times the writhe with respect to e and f: minus half the
    /// curvature binormal over each length (Bergou et al. 2008, eq. 9). Only the sum over a closed rod is a gradient.
    pub(super) fn writhing(&self) -> [Vec3; 2] {
        let half_binormal = self.sine / self.open;
        self.lengths.map(|length| -half_binormal / length)
    }

    /// The derivatives of [`writhing`](Self::writhing), symmetrised; the antisymmetric parts sum to zero.
    pub(super) fn writhing_by_edges(&self) -> ByEdges {
        let [e, f] = self.along;
        let [le, lf] = self.lengths;
        let u = self.sine / self.open;
        // Derivatives of u = e x f / ((1 + cos) |e| |f|) with respect to e and f.
        let by_e = (-cross_matrix(f) - outer(u, e + f)) / (self.open * le);
        let by_f = (cross_matrix(e) - outer(u, e + f)) / (self.open * lf);
        let ee = (outer(u, e) / le - by_e) / le;
        let ff = (outer(u, f) / lf - by_f) / lf;
        let ef = (by_f / le + (by_e / lf).transpose()) * -0.5;
        let symmetric = |m: Mat3| (m + m.transpose()) * 0.5;
        [[symmetric(ee), ef], [ef.transpose(), symmetric(ff)]]
    }
}

/// The gradient with respect to the three nodes, from that with respect to the edges.
pub(super) fn at_nodes([e, f]: [Vec3; 2]) -> [Vec3; 3] {
    [-e, e - f, f]
}

/// The Hessian blocks with respect to the three nodes, from those with respect to the edges, where they are projected.
pub(super) fn blocks_at_nodes(by_edges: &ByEdges, psd: Psd) -> [[Mat3; 3]; 3] {
    let [[ee, ef], [_, ff]] = match psd {
        Psd::Exact => *by_edges,
        Psd::Clamp => project(by_edges),
    };
    let fe = ef.transpose();
    [[ee, ef - ee, -ef], [fe - ee, ee - ef - fe + ff, ef - ff], [-fe, fe - ff, ff]]
}

/// The nearest positive semi-definite matrix. The matrix of the nodes is then positive semi-definite, too.
fn project(by_edges: &ByEdges) -> ByEdges {
    let mut dense = [[0.0; 6]; 6];
    for (r, row) in dense.iter_mut().enumerate() {
        for (c, entry) in row.iter_mut().enumerate() {
            *entry = by_edges[r / 3][c / 3].col(c % 3)[r % 3];
        }
    }
    project_psd(&mut dense);
    let column =
        |i: usize, c: usize| Vec3::from_array(std::array::from_fn(|r| dense[3 * i + r][c]));
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            Mat3::from_cols(column(i, 3 * j), column(i, 3 * j + 1), column(i, 3 * j + 2))
        })
    })
}
