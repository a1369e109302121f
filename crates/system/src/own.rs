//! Sums over the terms of bodies, in parallel over bodies.
//!
//! Terms are parallel over elements, which does not help for many bodies with few elements each, such as a house of
//! a hundred cards. Sums run over bodies in their order, so results are bitwise equal for any number of threads.

use crate::{Body, Path, SystemOf, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Minimum number of nodes of all bodies for parallel evaluation.
const MIN_PARALLEL_NODES: usize = 1000;

impl SystemOf<'_> {
    /// The energy (J) of the terms of the active bodies at `time` (s).
    pub(crate) fn own_potential(&self, time: f64, x: &[Vec3]) -> f64 {
        let of_body = |&b: &usize| self.own_potential_of(b, time, x);
        if !self.are_shared() {
            return self.acting.iter().map(of_body).sum();
        }
        let values: Vec<f64> = self.acting.par_iter().map(of_body).collect();
        values.iter().sum()
    }

    /// The energy (J) of the terms of body `b` at `time` (s).
    pub(crate) fn own_potential_of(&self, b: usize, time: f64, x: &[Vec3]) -> f64 {
        self.bodies[b].energies.iter().map(|e| e.value(time, &x[self.nodes(b)])).sum()
    }

    /// `out += scale * dP/dx` of the terms of the active bodies at `time` (s).
    pub(crate) fn add_own_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.sum_over_active(out, |b, out| {
            let x = &x[self.nodes(b)];
            self.bodies[b]
                .energies
                .iter()
                .for_each(|energy| energy.add_gradient(time, x, scale, out));
            0.0
        });
    }

    /// As [`own_potential`](Self::own_potential) and [`add_own_gradient`](Self::add_own_gradient), in one pass.
    pub(crate) fn own_potential_and_gradient(
        &self,
        time: f64,
        x: &[Vec3],
        scale: f64,
        out: &mut [Vec3],
    ) -> f64 {
        self.sum_over_active(out, |b, out| {
            let x = &x[self.nodes(b)];
            self.bodies[b].energies.iter().map(|e| e.value_and_gradient(time, x, scale, out)).sum()
        })
    }

    /// The sum of `of_body` over the active bodies, in their order, each with its own part of `out`.
    fn sum_over_active(
        &self,
        out: &mut [Vec3],
        of_body: impl Fn(usize, &mut [Vec3]) -> f64 + Sync,
    ) -> f64 {
        if !self.are_shared() {
            return self.acting.iter().map(|&b| of_body(b, &mut out[self.nodes(b)])).sum();
        }
        let mut values = vec![0.0; self.acting.len()];
        self.halves((&self.acting, &mut values), (out, 0), &of_body);
        values.iter().sum()
    }

    /// The sum over these bodies (ascending) by recursive halving in parallel; `out` begins at node `start`.
    fn halves(
        &self,
        (bodies, values): (&[usize], &mut [f64]),
        (out, start): (&mut [Vec3], usize),
        of_body: &(impl Fn(usize, &mut [Vec3]) -> f64 + Sync),
    ) {
        match bodies {
            [] => {}
            [b] => {
                let nodes = self.nodes(*b);
                values[0] = of_body(*b, &mut out[nodes.start - start..nodes.end - start]);
            }
            bodies => {
                let (left, right) = bodies.split_at(bodies.len() / 2);
                let cut = self.nodes(right[0]).start;
                let (left_values, right_values) = values.split_at_mut(left.len());
                let (left_out, right_out) = out.split_at_mut(cut - start);
                rayon::join(
                    || self.halves((left, left_values), (left_out, start), of_body),
                    || self.halves((right, right_values), (right_out, cut), of_body),
                );
            }
        }
    }

    /// Largest fraction of the straight paths that the terms of the active bodies allow.
    pub(crate) fn own_step_bound(&self, paths: &[Path<'_>]) -> f64 {
        let of_body = |&b: &usize| own_bound(&self.bodies[b], self.nodes(b), paths);
        match self.are_shared() {
            false => self.acting.iter().map(of_body).fold(1.0, f64::min),
            true => self.acting.par_iter().map(of_body).reduce(|| 1.0, f64::min),
        }
    }

    /// The first term, as body and index of its energy, whose bound is at most `fraction`.
    pub(crate) fn own_limit(&self, paths: &[Path<'_>], fraction: f64) -> Option<[usize; 2]> {
        self.acting.iter().find_map(|&b| {
            let paths_of_body: Vec<Path<'_>> =
                paths.iter().map(|path| path.of(self.nodes(b))).collect();
            let mut energies = self.bodies[b].energies.iter();
            let term = energies.position(|energy| energy.step_bound(&paths_of_body) <= fraction)?;
            Some([b, term])
        })
    }

    fn are_shared(&self) -> bool {
        let nodes = |b: &usize| self.nodes(*b).len();
        self.acting.len() > 1 && self.acting.iter().map(nodes).sum::<usize>() >= MIN_PARALLEL_NODES
    }
}

/// The bound of the terms of a body.
fn own_bound(body: &Body, nodes: Range<usize>, paths: &[Path<'_>]) -> f64 {
    let bound_of = |paths_of_body: &[Path<'_>]| {
        body.energies
            .iter()
            .fold(1.0, |bound: f64, energy| bound.min(energy.step_bound(paths_of_body)))
    };
    match paths {
        // The usual case, without allocation.
        [path] => bound_of(&[path.of(nodes)]),
        paths => bound_of(&paths.iter().map(|path| path.of(nodes.clone())).collect::<Vec<_>>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Energy, Hessian, Psd, System};

    /// `k/2 |x|^2` at each node, with a step bound.
    struct Well(f64);

    impl Energy for Well {
        fn name(&self) -> &'static str {
            "well"
        }
        fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
            x.iter().map(|x| 0.5 * self.0 * x.length_squared()).sum()
        }
        fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
            x.iter().zip(out).for_each(|(x, out)| *out += scale * self.0 * *x);
        }
        fn add_hessian(&self, _time: f64, _: &[Vec3], _: Psd, _: &mut Hessian<'_>) {}
        fn step_bound(&self, paths: &[Path<'_>]) -> f64 {
            let lengths = paths.iter().flat_map(|path| path.from.iter().zip(path.to));
            lengths.map(|(from, to)| self.0 / (to.distance(*from) + self.0)).fold(1.0, f64::min)
        }
    }

    /// Bodies of different sizes, some of which do not act.
    fn system(sizes: impl Iterator<Item = usize>) -> System {
        let body = |(k, size): (usize, usize)| {
            Body::new("well", vec![1.0; size]).with(Well(1.0 + (k as f64).sin().abs()))
        };
        System::new(sizes.enumerate().map(body).collect())
    }

    #[test]
    fn bodies_give_the_same_by_any_number_of_threads_as_one_after_the_other() {
        let sizes = || (0..80).map(|k| 1 + k * k % 47);
        let mut system = system(sizes());
        let nodes = system.node_count();
        let x: Vec<Vec3> = (0..nodes).map(|i| Vec3::splat((i as f64 * 0.7).sin())).collect();
        let to: Vec<Vec3> = x.iter().map(|x| *x * 1.3 + Vec3::X * 0.1).collect();
        let some: Vec<usize> = (0..80).filter(|b| b % 7 != 3).collect();
        let all: Vec<usize> = (0..80).collect();
        for acting in [all, some] {
            let mut part = system.restricted(&acting);
            let system = &mut *part.system;
            assert!(system.are_shared());
            let all = system.acting.clone();
            let want_value: f64 = all.iter().map(|&b| system.own_potential_of(b, 0.0, &x)).sum();
            let mut expected = vec![Vec3::Y; nodes];
            for &b in &all {
                let (own, out) = (&x[system.nodes(b)], &mut expected[system.nodes(b)]);
                system.bodies[b].energies.iter().for_each(|e| e.add_gradient(0.0, own, 0.3, out));
            }
            let paths = [Path { from: &x, to: &to }, Path { from: &to, to: &x }];
            for threads in 1..4 {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    assert_eq!(system.own_potential(0.0, &x), want_value);
                    let mut gradient = vec![Vec3::Y; nodes];
                    system.add_own_gradient(0.0, &x, 0.3, &mut gradient);
                    assert_eq!(gradient, expected);
                    let mut gradient = vec![Vec3::Y; nodes];
                    let value = system.own_potential_and_gradient(0.0, &x, 0.3, &mut gradient);
                    assert_eq!((value, gradient), (want_value, expected.clone()));
                    for paths in [&paths[..1], &paths] {
                        let mut expected: f64 = 1.0;
                        for &b in &all {
                            let nodes = system.nodes(b);
                            expected = expected.min(own_bound(&system.bodies[b], nodes, paths));
                        }
                        assert_eq!(system.own_step_bound(paths), expected);
                        assert!(expected < 1.0);
                    }
                });
            }
        }
    }
}
