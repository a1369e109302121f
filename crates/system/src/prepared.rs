//! Evaluation of a system along searched paths.

use crate::restricted::Restricted;
use crate::{
    Certificate, Hessian, Impact, ImpulseResponse, Laplacian, Links, Path, Psd, SearchHint, System,
    SystemOf, Vec3,
};
use resile_sparse::Assembly;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// A system ready for evaluation along the paths that were searched.
///
/// Terms such as contact sum over pairs of primitives that are near each other somewhere along a
/// path, and the pairs must be found before energies are evaluated. Energies, gradients and Hessians
/// are therefore methods of this type and not of [`System`]. [`System::along`] performs the search and returns a
/// value of this type, with the [fraction](Self::fraction) of the paths that is admissible. The value borrows the
/// system, so that the system cannot change meanwhile. Time is an argument of each evaluation: searches do not depend
/// on it.
///
/// ```
/// use resile_system::{Body, Energy, Hessian, Psd, System, Vec3, Path};
///
/// /// P = 1/2 k |x|^2.
/// struct Well(f64);
///
/// impl Energy for Well {
///     fn name(&self) -> &'static str {
///         "well"
///     }
///     fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
///         0.5 * self.0 * x[0].length_squared()
///     }
///     fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
///         out[0] += scale * self.0 * x[0];
///     }
///     fn add_hessian(&self, _time: f64, _: &[Vec3], _: Psd, out: &mut Hessian<'_>) {
///         out.add(0, 0, resile_system::Mat3::IDENTITY * self.0);
///     }
/// }
///
/// let mut system = System::new(vec![Body::new("bob", vec![1.0]).with(Well(2.0))]);
/// let (from, to) = ([Vec3::ZERO], [Vec3::X]);
/// let prepared = system.along(&[Path { from: &from, to: &to }]);
/// assert_eq!(prepared.fraction(), 1.0);
/// assert_eq!(prepared.potential(0.0, &[Vec3::X * 0.5]), 0.25);
/// ```
///
/// Evaluation without a search does not compile:
///
/// ```compile_fail,E0599
/// use resile_system::{Body, System, Vec3};
///
/// let system = System::new(vec![Body::new("bob", vec![1.0])]);
/// system.potential(0.0, &[Vec3::ZERO]);
/// ```
///
/// nor does a search along other paths while an older one is in use:
///
/// ```compile_fail,E0499
/// use resile_system::{Body, System, Vec3};
///
/// let mut system = System::new(vec![Body::new("bob", vec![1.0])]);
/// let here = system.at(&[Vec3::ZERO]);
/// let there = system.at(&[Vec3::X]);
/// here.potential(0.0, &[Vec3::ZERO]);
/// ```
///
/// Debug builds assert that each node lies in the bounding box of the admissible part of its paths. O(nodes).
pub type Prepared<'s> = PreparedOn<'static, &'s mut System>;

/// [`Prepared`], or a [restriction](Self::restricted) of it, by how it holds a [`SystemOf<'t>`].
#[derive(Debug)]
pub struct PreparedOn<'t, S> {
    pub(crate) system: S,
    terms: PhantomData<&'t System>,
}

impl<S> PreparedOn<'_, S> {
    /// Wraps a system whose paths were searched.
    pub(crate) fn new(system: S) -> Self {
        Self { system, terms: PhantomData }
    }
}

impl<S: Deref> Deref for PreparedOn<'_, S> {
    type Target = S::Target;

    fn deref(&self) -> &S::Target {
        &self.system
    }
}

impl System {
    /// Prepares evaluation along all `paths`, traversed simultaneously, up to the admissible
    /// fraction. The search is skipped if the paths equal those of the last search. Cost: broad phase and continuous
    /// collision detection of the couplings.
    pub fn along(&mut self, paths: &[Path<'_>]) -> Prepared<'_> {
        self.search(paths);
        Prepared::new(self)
    }

    /// Prepares evaluation at `x`. Searches only if `x` is outside the region of the last
    /// search.
    pub fn at(&mut self, x: &[Vec3]) -> Prepared<'_> {
        if self.searched.covers(x) {
            return Prepared::new(self);
        }
        self.along(&[Path::at(x)])
    }
}

impl SystemOf<'_> {
    /// Searches, unless the paths equal those of the last search. Returns their admissible fraction.
    fn search(&mut self, paths: &[Path<'_>]) -> f64 {
        if !self.searched.matches_paths(paths) {
            let fraction = self.step_bound(paths);
            self.searched.note(paths, fraction);
        }
        self.searched.fraction
    }
}

impl Prepared<'_> {
    /// Searches other paths like [`System::along`]; this value then refers to the new paths.
    pub fn along(&mut self, paths: &[Path<'_>]) -> Prepared<'_> {
        self.system.along(paths)
    }

    /// Prepares evaluation at `x` like [`System::at`]; this value then refers to the new position.
    pub fn at(&mut self, x: &[Vec3]) -> Prepared<'_> {
        self.system.at(x)
    }

    /// Reborrows with a shorter lifetime.
    pub fn reborrow(&mut self) -> Prepared<'_> {
        Prepared::new(self.system)
    }
}

impl<'t, S: DerefMut<Target = SystemOf<'t>>> PreparedOn<'t, S> {
    /// Prepares evaluation along other `paths`. Returns their admissible [fraction](Self::fraction).
    pub fn search(&mut self, paths: &[Path<'_>]) -> f64 {
        self.system.search(paths)
    }

    /// The system in which only `bodies` (ascending, a subset of the active ones) move and the others are fixed:
    /// energies are reduced by a constant, and gradients and Hessians are valid at the nodes of these
    /// bodies only. Some bodies can thus be solved separately, at a cost that depends only on them. Nothing is
    /// searched at first: call [`search`](Self::search) before evaluation. Energies by body are not defined.
    ///
    /// When the returned value is dropped, this value refers to the paths that the restriction searched last, without a
    /// new search. O(bodies and pairs).
    pub fn restricted(&mut self, bodies: &[usize]) -> PreparedOn<'_, Restricted<'_>> {
        self.system.restricted(bodies)
    }
}

impl<'t, S: Deref<Target = SystemOf<'t>>> PreparedOn<'t, S> {
    /// The largest fraction of the paths, in (0, 1], that is known to be free of intersections and
    /// inversions.
    pub fn fraction(&self) -> f64 {
        self.system.searched.fraction
    }

    /// The potential P(x) of all conservative terms (J) at `time` (s), `+inf` if inadmissible.
    pub fn potential(&self, time: f64, x: &[Vec3]) -> f64 {
        self.assert_covers(x);
        self.potential_of_bodies(time, x)
            + self.couplings.iter().map(|c| c.value(time, x)).sum::<f64>()
    }

    /// The potential of each body (J) at `time` (s): its own terms and its part of couplings.
    pub fn potential_by_body(&self, time: f64, x: &[Vec3]) -> Vec<f64> {
        self.assert_covers(x);
        debug_assert_eq!(self.acting.len(), self.bodies.len(), "of a restriction");
        let mut out: Vec<f64> =
            (0..self.bodies.len()).map(|b| self.potential_of_body(b, time, x)).collect();
        self.couplings.iter().for_each(|c| c.add_energy_by_body(time, x, &mut out));
        out
    }

    /// The part of each body (J) in the potential of couplings (contact, joints) at `time` (s). It is the same in all
    /// inertial frames.
    pub fn coupling_energy_by_body(&self, time: f64, x: &[Vec3]) -> Vec<f64> {
        self.assert_covers(x);
        let mut energies = vec![0.0; self.bodies.len()];
        self.couplings.iter().for_each(|c| c.add_energy_by_body(time, x, &mut energies));
        energies
    }

    /// The potential by name of term (J) at `time` (s), each name once, terms of bodies first.
    pub fn potential_by_term(&self, time: f64, x: &[Vec3]) -> Vec<(String, f64)> {
        self.assert_covers(x);
        let mut out: Vec<(String, f64)> = Vec::new();
        let mut add = |name: &str, value: f64| match out.iter_mut().find(|(n, _)| n == name) {
            Some((_, sum)) => *sum += value,
            None => out.push((name.to_owned(), value)),
        };
        for (b, body) in self.bodies.iter().enumerate() {
            body.energies.iter().for_each(|e| add(e.name(), e.value(time, &x[self.nodes(b)])));
        }
        self.couplings.iter().for_each(|c| add(c.name(), c.value(time, x)));
        out
    }

    /// `out += scale * dP/dx` at `time` (s), newtons times `scale`.
    pub fn add_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.assert_covers(x);
        self.add_gradient_of_bodies(time, x, scale, out);
        self.couplings.iter().for_each(|c| c.add_gradient(time, x, scale, out));
    }

    /// [`potential`](Self::potential) and [`add_gradient`](Self::add_gradient), in one pass over the terms of bodies.
    pub fn potential_and_gradient(
        &self,
        time: f64,
        x: &[Vec3],
        scale: f64,
        out: &mut [Vec3],
    ) -> f64 {
        self.assert_covers(x);
        let potential = self.potential_and_gradient_of_bodies(time, x, scale, out);
        let couplings = self.couplings.iter();
        potential + couplings.map(|c| c.value_and_gradient(time, x, scale, out)).sum::<f64>()
    }

    /// `dP/dx` (N) of each node at `time` (s).
    pub fn gradient(&self, time: f64, x: &[Vec3]) -> Vec<Vec3> {
        let mut gradient = vec![Vec3::ZERO; x.len()];
        self.add_gradient(time, x, 1.0, &mut gradient);
        gradient
    }

    /// The resultant force (N) of the terms of body `b` at `time` (s) and `x`: weight, attachments, given forces;
    /// internal terms contribute zero.
    pub fn own_force(&self, b: usize, time: f64, x: &[Vec3]) -> Vec3 {
        let nodes = self.nodes(b);
        let mut gradient = vec![Vec3::ZERO; nodes.len()];
        for energy in &self.bodies[b].energies {
            energy.add_gradient(time, &x[nodes.clone()], 1.0, &mut gradient);
        }
        -gradient.into_iter().sum::<Vec3>()
    }

    /// Adds `scale * d2P/dx2` of the terms of bodies at `time` (s), with the same pairs of nodes in every call.
    pub fn add_body_hessians(
        &self,
        time: f64,
        x: &[Vec3],
        scale: f64,
        psd: Psd,
        out: &mut Assembly,
    ) {
        for &b in &self.acting {
            let nodes = self.nodes(b);
            for energy in &self.bodies[b].energies {
                energy.add_hessian(
                    time,
                    &x[nodes.clone()],
                    psd,
                    &mut Hessian::new(out, nodes.start, scale),
                );
            }
        }
    }

    /// Whether body `b` has an [internal](crate::Energy::is_internal) term.
    pub fn has_internal_energy(&self, b: usize) -> bool {
        self.bodies[b].energies.iter().any(|energy| energy.is_internal())
    }

    /// Adds `scale * d2P/dx2` of the internal terms of body `b`, with its nodes numbered from zero and the same pairs
    /// of nodes in every call. `x` are the positions of all bodies. Internal terms do not depend on time.
    pub fn add_internal_hessian(
        &self,
        b: usize,
        x: &[Vec3],
        scale: f64,
        psd: Psd,
        out: &mut Assembly,
    ) {
        let positions = &x[self.nodes(b)];
        for energy in self.bodies[b].energies.iter().filter(|energy| energy.is_internal()) {
            energy.add_hessian(0.0, positions, psd, &mut Hessian::new(out, 0, scale));
        }
    }

    /// Adds `scale` times the [Laplacian](crate::Energy::add_laplacian) of the terms inside bodies at `time` (s):
    /// the same pairs of nodes in every call.
    pub fn add_laplacians(&self, time: f64, x: &[Vec3], scale: f64, out: &mut Assembly<f64>) {
        for (b, body) in self.bodies.iter().enumerate() {
            let nodes = self.nodes(b);
            for energy in &body.energies {
                let laplacian = &mut Laplacian::new(out, nodes.start, scale);
                energy.add_laplacian(time, &x[nodes.clone()], laplacian);
            }
        }
    }

    /// Adds `scale * d2P/dx2` of the couplings at `time` (s), whose pairs may change.
    pub fn add_coupling_hessians(
        &self,
        time: f64,
        x: &[Vec3],
        scale: f64,
        psd: Psd,
        out: &mut Assembly,
    ) {
        self.assert_covers(x);
        for coupling in &self.couplings {
            coupling.add_hessian(time, x, psd, &mut Hessian::new(out, 0, scale));
        }
    }

    /// The certificate of all terms at `x`.
    pub fn certificate(&self, x: &[Vec3]) -> Certificate {
        self.assert_covers(x);
        let bodies = (0..self.bodies.len()).map(|b| self.own_certificate(b, x));
        let certificate = bodies.fold(Certificate::NOTHING, Certificate::merge);
        self.couplings.iter().fold(certificate, |p, c| p.merge(c.certificate(x)))
    }

    /// The certificate of the terms of body `b` at `x`, the positions of all bodies.
    pub fn own_certificate(&self, b: usize, x: &[Vec3]) -> Certificate {
        let positions = &x[self.nodes(b)];
        let terms = self.bodies[b].energies.iter().map(|energy| energy.certificate(positions));
        terms.fold(Certificate::NOTHING, Certificate::merge)
    }

    /// Links the bodies that exchange force at `x`.
    pub fn link(&self, x: &[Vec3], links: &mut Links) {
        self.assert_covers(x);
        self.couplings.iter().for_each(|c| c.link(x, links));
    }

    /// The impacts of pairs with a coefficient of restitution that are active at `x` (m). `responses` are those of the
    /// bodies.
    pub fn impacts(&self, x: &[Vec3], responses: &[ImpulseResponse]) -> Vec<Impact> {
        self.assert_covers(x);
        self.couplings.iter().flat_map(|c| c.impacts(x, responses)).collect()
    }

    /// The power (W) that kinematic bodies with the nodal velocities `v` (m/s) supply against the forces of couplings
    /// (contact, joints), for each body, at `time` (s) and the positions `x` (m). It is the rate at which the energy of
    /// couplings that [counts for the body](crate::Coupling::add_energy_by_body) changes by the motion of kinematic
    /// bodies alone. Velocities of other nodes are not read. All entries are zero if there is no kinematic body.
    pub fn kinematic_power(&self, time: f64, x: &[Vec3], v: &[Vec3]) -> Vec<f64> {
        self.assert_covers(x);
        let mut powers = vec![0.0; self.bodies.len()];
        if let Some(kinematic_velocities) = self.kinematic_velocities(v) {
            for coupling in &self.couplings {
                coupling.add_energy_rates_by_body(time, x, &kinematic_velocities, &mut powers);
            }
        }
        powers
    }

    /// The number of pairs of primitives that couplings found near the paths.
    pub fn pair_count(&self) -> usize {
        self.couplings.iter().map(|coupling| coupling.pair_count()).sum()
    }

    /// Panics in debug builds if `x` is outside the searched paths.
    fn assert_covers(&self, x: &[Vec3]) {
        debug_assert!(self.system.searched.covers(x), "evaluated off the paths that were searched");
    }
}

/// The paths of the last search.
#[derive(Debug, Default)]
pub(crate) struct Searched {
    /// Both ends of each path (m); none before the first search.
    paths: Vec<[Vec<Vec3>; 2]>,
    /// Admissible fraction of the paths.
    fraction: f64,
    /// Data that each coupling keeps during a step.
    pub(crate) hints: Vec<SearchHint>,
}

/// Tolerance of a coordinate relative to the largest one, for rounding.
const COORDINATE_ROUNDING: f64 = 1e-12;

impl Searched {
    /// Nothing searched, with these hints.
    pub(crate) fn with_hints(hints: Vec<SearchHint>) -> Self {
        Self { hints, ..Self::default() }
    }

    /// Whether no path was searched.
    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Takes the paths of another search, without its hints.
    pub(crate) fn replace_paths(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.paths, &mut other.paths);
        self.fraction = other.fraction;
    }

    /// Whether `paths` equal those of the last search.
    fn matches_paths(&self, paths: &[Path<'_>]) -> bool {
        let is_equal =
            |(ends, path): (&[Vec<Vec3>; 2], &Path<'_>)| ends[0] == path.from && ends[1] == path.to;
        self.paths.len() == paths.len() && self.paths.iter().zip(paths).all(is_equal)
    }

    /// Stores the paths of a search and their admissible fraction.
    fn note(&mut self, paths: &[Path<'_>], fraction: f64) {
        self.paths.resize_with(paths.len(), Default::default);
        for ([from, to], path) in self.paths.iter_mut().zip(paths) {
            from.clear();
            from.extend_from_slice(path.from);
            to.clear();
            to.extend_from_slice(path.to);
        }
        self.fraction = fraction;
    }

    /// Whether each node is, up to rounding, in the bounding box of the admissible part of its paths. NaN is
    /// accepted, because its energy is NaN in any case.
    fn covers(&self, x: &[Vec3]) -> bool {
        let Some([first, _]) = self.paths.first() else { return false };
        // Interpolated positions have the rounding errors of the ends.
        let ends = self.paths.iter().flatten().flatten();
        let largest = x.iter().chain(ends).map(|x| x.abs().max_element()).fold(0.0, f64::max);
        let tolerance = Vec3::splat(COORDINATE_ROUNDING * largest);
        let is_inside = |(i, x): (usize, &Vec3)| {
            let ends = self.paths.iter().map(|[from, to]| {
                let end = from[i] + self.fraction * (to[i] - from[i]);
                [from[i].min(end), from[i].max(end)]
            });
            let [low, high] = ends.fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |hull, segment| {
                [hull[0].min(segment[0]), hull[1].max(segment[1])]
            });
            !((*x - low + tolerance).cmplt(Vec3::ZERO).any()
                || (high - *x + tolerance).cmplt(Vec3::ZERO).any())
        };
        first.len() == x.len() && x.iter().enumerate().all(is_inside)
    }
}
