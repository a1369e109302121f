//! Loads that depend on the position at rest and on time.

use crate::factor::Factor;
use crate::load_points::LoadPoints;
use crate::schedule::between;
use resile_expression::Field;
use resile_system::{Energy, Hessian, Psd, Vec3};
use std::sync::{Arc, Mutex, PoisonError};

/// Nodes and weights of the three-point Gauss-Legendre rule on [0, 1].
const GAUSS_RULE: [(f64, f64); 3] = [
    (0.112_701_665_379_258_31, 5.0 / 18.0),
    (0.5, 8.0 / 18.0),
    (0.887_298_334_620_741_7, 5.0 / 18.0),
];

/// A load per volume or area at rest.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldLaw {
    /// Force per volume at rest (N/m^3) in a solid.
    Body(Field<3>),
    /// Force per area at rest (Pa) on a surface.
    Traction(Field<3>),
    /// Pressure (Pa) against the outer side of a surface at rest.
    Pressure(Field<1>),
}

impl FieldLaw {
    /// The force (N) of a quadrature point at the rest position `point` (m). `measure` is that of [`LoadPoints`].
    fn force(&self, point: Vec3, measure: Vec3, time: f64) -> Vec3 {
        let coordinates = point.to_array();
        match self {
            Self::Body(field) => Vec3::from_array(field.at(coordinates, time)) * measure.x,
            Self::Traction(field) => {
                Vec3::from_array(field.at(coordinates, time)) * measure.length()
            }
            Self::Pressure(field) => measure * -field.at(coordinates, time)[0],
        }
    }

    /// Whether the load depends on time.
    fn has_time(&self) -> bool {
        match self {
            Self::Body(field) | Self::Traction(field) => field.has_time(),
            Self::Pressure(field) => field.has_time(),
        }
    }
}

/// `P(x, t) = -s(t) sum_i f_i(t) . x_i` with the consistent nodal forces `f_i(t) = integral of N_i b(X, t)`: a dead
/// load that depends on the rest position X and on time. The quadrature is that of its [`LoadPoints`]. P is zero at the
/// origin.
///
/// Forces depend on time alone, so at fixed time the load is conservative. [`Energy::work`] is the change of P at fixed
/// positions: `[P] + integral of s f . dx`, by a three-point Gauss-Legendre rule between switches. It is exact at rest,
/// also where the load jumps.
///
/// O(points) at a new time if the load depends on time, otherwise O(nodes).
#[derive(Debug, Clone)]
pub struct FieldLoad {
    law: FieldLaw,
    points: Arc<LoadPoints>,
    factor: Factor,
    recent: RecentForces,
}

/// Nodes, and the forces (N) on them, without the factor.
type NodalForces = Arc<[(usize, Vec3)]>;

/// Number of times whose forces are kept: those at which a step of the AVF method with three nodes evaluates forces.
const RECENT_TIMES: usize = 3;

/// The forces at the times (s) of the last evaluations. They are a function of time, so a hit and a miss give equal
/// bits.
#[derive(Debug, Default)]
struct RecentForces(Mutex<Vec<(f64, NodalForces)>>);

impl Clone for RecentForces {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl RecentForces {
    /// The forces at `time` (s): cached ones, or those of `compute`, which are then cached.
    fn at(&self, time: f64, compute: impl FnOnce() -> NodalForces) -> NodalForces {
        let cache = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = cache()
            .iter()
            .find(|(cached_time, _)| *cached_time == time)
            .map(|(_, forces)| forces.clone());
        recent.unwrap_or_else(|| {
            let forces = compute();
            let mut cache = cache();
            cache.truncate(RECENT_TIMES - 1);
            cache.insert(0, (time, forces.clone()));
            forces
        })
    }
}

impl FieldLoad {
    /// The load of `law` at `points`, times `factor`.
    pub fn new(law: FieldLaw, points: Arc<LoadPoints>, factor: impl Into<Factor>) -> Self {
        Self { law, points, factor: factor.into(), recent: RecentForces::default() }
    }

    /// The nodal forces at `time` (s), from the cache if they are known.
    fn forces(&self, time: f64) -> NodalForces {
        // A load that does not depend on time has its forces at time zero.
        let time = if self.law.has_time() { time } else { 0.0 };
        self.recent.at(time, || nodal_forces(&self.law, &self.points, time).into())
    }

    /// Number of nodes that a body needs for this load: one more than the largest index of a loaded node.
    pub fn node_count(&self) -> usize {
        self.points.node_count()
    }

    /// The potential `-s f . x` of given nodal forces.
    fn potential(&self, forces: &[(usize, Vec3)], x: impl Fn(usize) -> Vec3) -> f64 {
        -forces.iter().map(|&(node, force)| force.dot(x(node))).sum::<f64>()
    }
}

/// The nodal forces (N) of the points, with ascending node indices.
fn nodal_forces(law: &FieldLaw, points: &LoadPoints, time: f64) -> Vec<(usize, Vec3)> {
    let mut sums = vec![Vec3::ZERO; points.node_count()];
    let mut is_loaded = vec![false; sums.len()];
    for (point, measure, weights) in points.iter() {
        let force = law.force(point, measure, time);
        for &(node, weight) in weights {
            sums[node as usize] += force * weight;
            is_loaded[node as usize] = true;
        }
    }
    sums.into_iter().enumerate().filter(|(node, _)| is_loaded[*node]).collect()
}

impl Energy for FieldLoad {
    fn name(&self) -> &str {
        match self.law {
            FieldLaw::Body(_) => "body force",
            FieldLaw::Traction(_) | FieldLaw::Pressure(_) => "force",
        }
    }

    fn next_change(&self, time: f64) -> f64 {
        self.factor.next_change(time)
    }

    fn is_varying_dead_load(&self, times: [f64; 2]) -> bool {
        let [start, end] = times.map(|time| self.factor.at(time));
        start != end || self.law.has_time()
    }

    fn value(&self, time: f64, x: &[Vec3]) -> f64 {
        self.factor.at(time) * self.potential(&self.forces(time), |node| x[node])
    }

    fn add_gradient(&self, time: f64, _x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let factor = self.factor.at(time);
        for &(node, force) in self.forces(time).iter() {
            out[node] -= force * (scale * factor);
        }
    }

    /// Zero: the potential is linear.
    fn add_hessian(&self, _time: f64, _x: &[Vec3], _psd: Psd, _out: &mut Hessian<'_>) {}

    fn work(&self, from: &[Vec3], to: &[Vec3], times: [f64; 2]) -> f64 {
        if !self.law.has_time() {
            let forces = self.forces(times[0]);
            return self.factor.work(times, |fraction, factor| {
                let x = |node: usize| between(from[node], to[node], fraction);
                factor * self.potential(&forces, x)
            });
        }
        let potential = |time: f64, x: &dyn Fn(usize) -> Vec3| {
            self.factor.at(time) * self.potential(&nodal_forces(&self.law, &self.points, time), x)
        };
        let [start, end] = times;
        let mut work = potential(end, &|node| to[node]) - potential(start, &|node| from[node]);
        let mut interval_start = start;
        while interval_start < end {
            let interval_end = self.next_change(interval_start).min(end);
            for (abscissa, weight) in GAUSS_RULE {
                let time = interval_start + abscissa * (interval_end - interval_start);
                let interval_weight = weight * (interval_end - interval_start) / (end - start);
                work -= interval_weight * potential(time, &|node| to[node] - from[node]);
            }
            interval_start = interval_end;
        }
        work
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Schedule, SurfacePatch};
    use resile_expression::{Expression, Grammar};
    use resile_system::check::energy_derivatives_at;

    const TET: [Vec3; 4] = [
        Vec3::new(0.1, 0.0, -0.2),
        Vec3::new(1.2, 0.1, 0.0),
        Vec3::new(0.0, 0.9, 0.1),
        Vec3::new(0.2, 0.3, 1.1),
    ];

    fn field<const N: usize>(texts: [&str; N]) -> Field<N> {
        let of = |text| Expression::parse(text, Grammar::Scene).expect("it is an expression");
        Field::new(texts.map(of), 1.0, 1.0)
    }

    fn always() -> Schedule<f64> {
        Schedule::constant(1.0)
    }

    /// Nodes of a quadratic tetrahedron with straight edges.
    fn quadratic() -> Vec<Vec3> {
        let edges = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let middles = edges.map(|[a, b]: [usize; 2]| 0.5 * (TET[a] + TET[b]));
        TET.into_iter().chain(middles).collect()
    }

    fn volume() -> f64 {
        let [a, b, c, d] = TET;
        (b - a).cross(c - a).dot(d - a) / 6.0
    }

    fn totals(load: &FieldLoad, x: &[Vec3]) -> (Vec3, Vec3) {
        let mut gradient = vec![Vec3::ZERO; x.len()];
        load.add_gradient(0.0, x, -1.0, &mut gradient);
        let force = gradient.iter().sum();
        let torque = gradient.iter().zip(x).map(|(f, x)| x.cross(*f)).sum();
        (force, torque)
    }

    /// Over a tetrahedron a linear function has its value at the centroid times the volume, and the torque of a uniform
    /// force is that at the centroid; both hold for the Galerkin load of either element.
    #[test]
    fn a_body_force_has_the_resultants_of_its_integral() {
        let centroid = TET.iter().sum::<Vec3>() / 4.0;
        let points = [
            LoadPoints::in_tets(&TET, &[[0, 1, 2, 3]]),
            LoadPoints::in_quadratic_tets(&quadratic(), &[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]),
        ];
        for points in points {
            let points = Arc::new(points);
            let linear = FieldLaw::Body(field(["x - 2*z", "3", "y"]));
            let (force, _) =
                totals(&FieldLoad::new(linear, points.clone(), always()), &quadratic());
            let expected = Vec3::new(centroid.x - 2.0 * centroid.z, 3.0, centroid.y) * volume();
            assert!((force - expected).length() < 1e-15, "{force}");
            let uniform = FieldLaw::Body(field(["1", "-2", "0.5"]));
            let (force, torque) = totals(&FieldLoad::new(uniform, points, always()), &quadratic());
            assert!((torque - centroid.cross(force)).length() < 1e-15);
        }
    }

    /// The exact nodal loads of a linear body force in a linear tetrahedron: `V/20 (sum of nodal values + own value)`.
    #[test]
    fn nodal_forces_are_those_of_the_consistent_mass_matrix() {
        let points = Arc::new(LoadPoints::in_tets(&TET, &[[0, 1, 2, 3]]));
        let load = FieldLoad::new(FieldLaw::Body(field(["x", "0", "0"])), points, always());
        let sum: f64 = TET.iter().map(|x| x.x).sum();
        for (node, force) in load.forces(0.0).iter() {
            let expected = volume() / 20.0 * (sum + TET[*node].x);
            assert!((force.x - expected).abs() < 1e-16);
        }
    }

    #[test]
    fn uniform_surface_loads_are_those_of_areas() {
        let x = quadratic();
        let flat = SurfacePatch { triangles: vec![[0, 2, 1], [0, 1, 3]], quadratic: Vec::new() };
        let curved = SurfacePatch { triangles: Vec::new(), quadratic: vec![[0, 2, 1, 5, 7, 4]] };
        for patch in [&flat, &curved] {
            let points = Arc::new(patch.load_points(&x));
            let law = FieldLaw::Pressure(field(["7"]));
            let load = FieldLoad::new(law, points, always());
            for ((node, force), (other, area)) in
                load.forces(0.0).iter().zip(patch.area_vectors(&x))
            {
                assert!(*node == other && (*force + area * 7.0).length() < 1e-14);
            }
        }
        let law = FieldLaw::Traction(field(["0", "7", "0"]));
        let load = FieldLoad::new(law, Arc::new(flat.load_points(&x)), always());
        let total: Vec3 = load.forces(0.0).iter().map(|(_, force)| *force).sum();
        let area: f64 = flat.areas(&x).iter().map(|(_, area)| area).sum();
        assert!((total - Vec3::Y * (7.0 * area)).length() < 1e-12 * area, "{total} {area}");
    }

    fn moving(texts: [&str; 3], factor: Factor) -> FieldLoad {
        let points = Arc::new(LoadPoints::in_tets(&TET, &[[0, 1, 2, 3]]));
        FieldLoad::new(FieldLaw::Body(field(texts)), points, factor)
    }

    #[test]
    fn the_gradient_is_the_derivative_of_the_potential() {
        let load = moving(["x*t", "sin(t)*y", "z"], always().into());
        let errors = energy_derivatives_at(0.7, &load, &TET, 1e-4).expect("it is active");
        // The Hessian is zero, so it has no relative error.
        assert!(errors.gradient < 1e-9, "{errors:?}");
    }

    /// The work of the load is the change of its potential less the work of its forces along the path.
    #[test]
    fn the_work_is_the_change_of_the_potential_at_fixed_positions() {
        let to = TET.map(|x| x + Vec3::new(0.3, -x.y, 0.1 * x.x));
        let window = Schedule::window(0.25, 0.8).expect("a window");
        let table = Factor::table(window.clone(), vec![(0.0, 1.0), (0.5, 3.0)]).expect("in order");
        for (texts, factor) in [
            (["x*t", "t^2*y", "1"], Factor::from(always())),
            (["x*t", "t^2*y", "1"], window.into()),
            (["x", "2", "z"], table.clone()),
            (["x*t", "t^2", "z"], table),
        ] {
            let load = moving(texts, factor);
            let steps = 20_000;
            let time = |k: i32| 0.2 + 0.7 * f64::from(k) / f64::from(steps);
            let mut expected = 0.0;
            for k in 0..steps {
                let fraction = (f64::from(k) + 0.5) / f64::from(steps);
                let x: Vec<Vec3> =
                    TET.iter().zip(to).map(|(a, b)| between(*a, b, fraction)).collect();
                expected += load.value(time(k + 1), &x) - load.value(time(k), &x);
            }
            let work = load.work(&TET, &to, [0.2, 0.9]);
            assert!(
                (work - expected).abs() < 1e-4 * expected.abs(),
                "{texts:?}: {work}, {expected}"
            );
        }
    }

    #[test]
    fn at_rest_the_work_of_a_jump_is_exact() {
        let load = moving(["if(t - 0.33, 5, 1)", "0", "x*floor(9*t)"], always().into());
        let work = load.work(&TET, &TET, [0.2, 0.9]);
        let change = load.value(0.9, &TET) - load.value(0.2, &TET);
        assert!((work - change).abs() < 1e-15);
    }

    #[test]
    fn forces_do_not_depend_on_the_times_evaluated_before() {
        let load = moving(["x*t", "sin(t)*y", "z"], always().into());
        let times = [0.7, 0.1, 0.7, 0.3, 0.9, 0.1, 0.0, 0.7, -0.0];
        for time in times {
            let fresh = nodal_forces(&load.law, &load.points, time);
            assert_eq!(load.forces(time)[..], fresh[..], "{time} s");
            assert_eq!(load.clone().forces(time)[..], fresh[..], "{time} s");
        }
    }
}
