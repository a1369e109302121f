//! Objectives with known answers, and a witness that watches the solver use them.

#![allow(dead_code, reason = "each test binary uses its part of the collection")]

use nalgebra::{DMatrix, DVector};
use resile_math::{Mat3, Vec3, outer};
use resile_solver::{Linearisation, Objective, Psd};
use resile_sparse::{Assembly, BlockSink};

/// Springs between nodes, a pull of each node towards a point, an additive
/// constant: `sum k/2 (|x_i - x_j| - L)^2 + sum m/2 |x - y|^2 + constant`.
/// Nonconvex where springs are compressed.
#[derive(Debug, Clone)]
pub(crate) struct Springs {
    pub(crate) springs: Vec<(usize, usize, f64, f64)>,
    pub(crate) mass: f64,
    pub(crate) pull: Vec<Vec3>,
    pub(crate) constant: f64,
    pub(crate) free: Vec<bool>,
    pub(crate) prescribed: Vec<(usize, Vec3)>,
}

impl Springs {
    /// A chain along x with rest length 1 and stiffness `k`.
    pub(crate) fn chain(nodes: usize, k: f64, mass: f64) -> Self {
        Self {
            springs: (1..nodes).map(|i| (i - 1, i, k, 1.0)).collect(),
            mass,
            pull: (0..nodes).map(|i| Vec3::new(i as f64, 0.0, 0.0)).collect(),
            constant: 0.0,
            free: vec![true; nodes],
            prescribed: vec![],
        }
    }

    /// A block of `n^3` nodes with springs to the 13 neighbours ahead.
    pub(crate) fn block(n: usize, k: f64, mass: f64) -> Self {
        let at = |i: usize| Vec3::new((i / n / n) as f64, (i / n % n) as f64, (i % n) as f64);
        let nodes = n * n * n;
        let mut springs = Vec::new();
        for (i, j) in (0..nodes).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let path = at(i) - at(j);
            if path.abs().max_element() < 1.5 {
                springs.push((i, j, k, path.length()));
            }
        }
        let pull = (0..nodes).map(at).collect();
        Self { springs, pull, ..Self::chain(nodes, k, mass) }
    }
}

impl Objective for Springs {
    fn len(&self) -> usize {
        self.pull.len()
    }
    fn free(&self) -> &[bool] {
        &self.free
    }
    fn prescribed(&self) -> &[(usize, Vec3)] {
        &self.prescribed
    }
    fn value(&self, u: &[Vec3]) -> f64 {
        let spring = |&(i, j, k, rest): &(usize, usize, f64, f64)| {
            0.5 * k * ((u[i] - u[j]).length() - rest).powi(2)
        };
        let pull = u.iter().zip(&self.pull).map(|(u, y)| (*u - *y).length_squared());
        self.springs.iter().map(spring).sum::<f64>()
            + 0.5 * self.mass * pull.sum::<f64>()
            + self.constant
    }
    fn gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
        for ((out, u), y) in out.iter_mut().zip(u).zip(&self.pull) {
            *out = self.mass * (*u - *y);
        }
        for &(i, j, k, rest) in &self.springs {
            let path = u[i] - u[j];
            let force = path * (k * (1.0 - rest / path.length()));
            out[i] += force;
            out[j] -= force;
        }
    }
    fn hessian(&self, u: &[Vec3], _: &Linearisation, psd: Psd, out: &mut Assembly) {
        out.begin();
        for i in 0..u.len() {
            out.add(i, i, Mat3::IDENTITY * self.mass);
        }
        for &(i, j, k, rest) in &self.springs {
            let path = u[i] - u[j];
            let along = outer(path.normalize(), path.normalize());
            let mut across = 1.0 - rest / path.length();
            if psd == Psd::Clamp {
                across = across.max(0.0);
            }
            let block = k * (along + (Mat3::IDENTITY - along) * across);
            out.add(i, i, block);
            out.add(j, j, block);
            out.add(i, j, -block);
        }
        out.end_static();
        out.finish();
    }
    fn step_bound(&mut self, _: &[Vec3], _: &[Vec3]) -> f64 {
        1.0
    }
}

/// A function of one node given by closures.
pub(crate) struct OneNode<V, D, H> {
    /// What no x may be below.
    pub(crate) wall: f64,
    pub(crate) value: V,
    pub(crate) gradient: D,
    pub(crate) hessian: H,
}

impl<V, D, H> Objective for OneNode<V, D, H>
where
    V: Fn(Vec3) -> f64,
    D: Fn(Vec3) -> Vec3,
    H: Fn(Vec3, Psd) -> Mat3,
{
    fn len(&self) -> usize {
        1
    }
    fn free(&self) -> &[bool] {
        &[true]
    }
    fn prescribed(&self) -> &[(usize, Vec3)] {
        &[]
    }
    fn value(&self, u: &[Vec3]) -> f64 {
        (self.value)(u[0])
    }
    fn gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
        out[0] = (self.gradient)(u[0]);
    }
    fn hessian(&self, u: &[Vec3], _: &Linearisation, psd: Psd, out: &mut Assembly) {
        out.begin();
        out.add(0, 0, (self.hessian)(u[0], psd));
        out.end_static();
        out.finish();
    }
    fn step_bound(&mut self, from: &[Vec3], to: &[Vec3]) -> f64 {
        let (room, way) = (from[0].x - self.wall, from[0].x - to[0].x);
        if way > room { 0.9 * room / way } else { 1.0 }
    }
}

/// Springs above a floor at z = 0: each node whose height is below `reach` has
/// the barrier `-stiffness (z - reach)^2 ln(z / reach)`; its blocks grow the
/// pattern, by pairs of neighbours in number, to look like contact.
#[derive(Debug, Clone)]
pub(crate) struct Floor {
    pub(crate) springs: Springs,
    pub(crate) reach: f64,
    pub(crate) stiffness: f64,
}

impl Floor {
    fn derivatives(&self, z: f64) -> [f64; 3] {
        if z >= self.reach {
            return [0.0; 3];
        }
        if z <= 0.0 {
            return [f64::INFINITY, f64::NAN, f64::NAN];
        }
        let (d, ln) = (z - self.reach, (z / self.reach).ln());
        [
            -self.stiffness * d * d * ln,
            -self.stiffness * (2.0 * d * ln + d * d / z),
            -self.stiffness * (2.0 * ln + 4.0 * d / z - d * d / (z * z)),
        ]
    }
}

impl Objective for Floor {
    fn len(&self) -> usize {
        self.springs.len()
    }
    fn free(&self) -> &[bool] {
        self.springs.free()
    }
    fn prescribed(&self) -> &[(usize, Vec3)] {
        self.springs.prescribed()
    }
    fn value(&self, u: &[Vec3]) -> f64 {
        self.springs.value(u) + u.iter().map(|u| self.derivatives(u.z)[0]).sum::<f64>()
    }
    fn gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
        self.springs.gradient(u, out);
        for (out, u) in out.iter_mut().zip(u) {
            out.z += self.derivatives(u.z)[1];
        }
    }
    fn hessian(&self, u: &[Vec3], linearisation: &Linearisation, psd: Psd, out: &mut Assembly) {
        self.springs.hessian(u, linearisation, psd, out);
        for i in (0..u.len()).filter(|i| u[*i].z < self.reach) {
            out.add(i, i, Mat3::from_diagonal(Vec3::Z * self.derivatives(u[i].z)[2]));
            out.add(i, (i + 5) % u.len(), Mat3::ZERO);
        }
        out.finish();
    }
    fn step_bound(&mut self, from: &[Vec3], to: &[Vec3]) -> f64 {
        let bound = |(from, to): (&Vec3, &Vec3)| {
            if to.z > 0.1 * from.z { 1.0 } else { 0.9 * from.z / (from.z - to.z) }
        };
        from.iter().zip(to).map(bound).fold(1.0, f64::min)
    }
}

/// Watches: counts calls and checks that the solver keeps its side of the seam.
pub(crate) struct Witness<O> {
    pub(crate) inner: O,
    pub(crate) values: std::cell::Cell<usize>,
    pub(crate) outside: std::cell::Cell<usize>,
    pub(crate) gradients: std::cell::Cell<usize>,
    pub(crate) exact: std::cell::Cell<usize>,
    pub(crate) projected: std::cell::Cell<usize>,
    /// Values at the starts of all step bounds: the accepted points.
    pub(crate) accepted: Vec<f64>,
    /// Bounds below one.
    pub(crate) cut: usize,
    /// The admissible segment.
    pub(crate) segment: (Vec<Vec3>, Vec<Vec3>),
}

impl<O: Objective> Witness<O> {
    pub(crate) fn new(inner: O) -> Self {
        Self {
            inner,
            values: 0.into(),
            outside: 0.into(),
            gradients: 0.into(),
            exact: 0.into(),
            projected: 0.into(),
            accepted: vec![],
            cut: 0,
            segment: (vec![], vec![]),
        }
    }

    fn assert_on_segment(&self, u: &[Vec3]) {
        let (from, to) = &self.segment;
        let (mut inner, mut length) = (0.0, 0.0);
        for i in 0..u.len() {
            inner += (u[i] - from[i]).dot(to[i] - from[i]);
            length += (to[i] - from[i]).length_squared();
        }
        let t = if length > 0.0 { inner / length } else { 0.0 };
        assert!((-1e-12..=1.0 + 1e-12).contains(&t), "evaluated beyond the step bound: {t}");
        for i in 0..u.len() {
            let off = u[i] - from[i].lerp(to[i], t);
            assert!(off.length() <= 1e-12 * (1.0 + u[i].length()), "evaluated off the segment");
        }
    }
}

fn count(cell: &std::cell::Cell<usize>) {
    cell.set(cell.get() + 1);
}

impl<O: Objective> Objective for Witness<O> {
    fn len(&self) -> usize {
        self.inner.len()
    }
    fn free(&self) -> &[bool] {
        self.inner.free()
    }
    fn prescribed(&self) -> &[(usize, Vec3)] {
        self.inner.prescribed()
    }
    fn value(&self, u: &[Vec3]) -> f64 {
        self.assert_on_segment(u);
        count(&self.values);
        let value = self.inner.value(u);
        if !value.is_finite() {
            count(&self.outside);
        }
        value
    }
    fn gradient(&self, u: &[Vec3], out: &mut [Vec3]) {
        self.assert_on_segment(u);
        count(&self.gradients);
        self.inner.gradient(u, out);
    }
    fn hessian(&self, u: &[Vec3], linearisation: &Linearisation, psd: Psd, out: &mut Assembly) {
        self.assert_on_segment(u);
        count(if psd == Psd::Exact { &self.exact } else { &self.projected });
        self.inner.hessian(u, linearisation, psd, out);
    }
    fn step_bound(&mut self, from: &[Vec3], to: &[Vec3]) -> f64 {
        let bound = self.inner.step_bound(from, to);
        self.cut += usize::from(bound < 1.0);
        self.accepted.push(self.inner.value(from));
        let end = from.iter().zip(to).map(|(a, b)| a.lerp(*b, bound)).collect();
        self.segment = (from.to_vec(), end);
        bound
    }
}

/// Largest component of the gradient over the free nodes.
pub(crate) fn stationarity(objective: &dyn Objective, u: &[Vec3]) -> f64 {
    let mut g = vec![Vec3::ZERO; u.len()];
    objective.gradient(u, &mut g);
    let free = objective.free();
    let of_free = |(g, free): (&Vec3, &bool)| if *free { g.abs().max_element() } else { 0.0 };
    g.iter().zip(free).map(of_free).fold(0.0, f64::max)
}

/// The smallest eigenvalue of the exact Hessian.
pub(crate) fn smallest_curvature(objective: &dyn Objective, u: &[Vec3]) -> f64 {
    let mut assembly = Assembly::new(u.len());
    objective.hessian(u, &Linearisation::EXACT, Psd::Exact, &mut assembly);
    let a = assembly.finish();
    let mut dense = DMatrix::zeros(3 * u.len(), 3 * u.len());
    for ((i, j), block) in a.pattern.pairs().zip(&a.blocks) {
        for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
            dense[(3 * i as usize + r, 3 * j as usize + c)] = block.col(c)[r];
            dense[(3 * j as usize + c, 3 * i as usize + r)] = block.col(c)[r];
        }
    }
    let eigenvalues: DVector<f64> = dense.symmetric_eigenvalues();
    eigenvalues.min()
}

/// Small numbers in [-1, 1], the same each time.
pub(crate) fn wobble(k: usize) -> Vec3 {
    let x = k as f64;
    Vec3::new((12.9898 * x).sin(), (78.233 * x + 1.0).sin(), (37.719 * x + 2.0).sin())
}

/// `from` with each node displaced by up to `size`.
pub(crate) fn shaken(from: &[Vec3], size: f64) -> Vec<Vec3> {
    from.iter().enumerate().map(|(k, x)| *x + size * wobble(k)).collect()
}

pub(crate) fn distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (*a - *b).abs().max_element()).fold(0.0, f64::max)
}
