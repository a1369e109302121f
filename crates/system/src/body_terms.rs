//! Sums over the terms of bodies, in parallel over bodies.
//!
//! Terms are parallel over elements, which does not help for many bodies with few elements each, such as a house of
//! a hundred cards. Sums run over bodies in their order, so results are bitwise equal for any number of threads.

use crate::{Body, Path, SystemOf, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Minimum number of nodes of all bodies for parallel evaluation.
const MIN_PARALLEL_NODES: usize = 1000;

/// Destinations of the evaluation of some bodies.
struct BodyOutputs<'a> {
    /// The bodies, ascending.
    bodies: &'a [usize],
    /// The value of each of these bodies.
    values: &'a mut [f64],
    /// Vectors of the nodes of these bodies.
    out: &'a mut [Vec3],
    /// Node of the first entry of `out`.
    first_node: usize,
}

impl SystemOf<'_> {
    /// The energy (J) of the terms of the active bodies at `time` (s).
    pub(crate) fn potential_of_bodies(&self, time: f64, x: &[Vec3]) -> f64 {
        let evaluate_body = |&b: &usize| self.potential_of_body(b, time, x);
        if !self.is_parallel() {
            return self.acting.iter().map(evaluate_body).sum();
        }
        let values: Vec<f64> = self.acting.par_iter().map(evaluate_body).collect();
        values.iter().sum()
    }

    /// The energy (J) of the terms of body `b` at `time` (s).
    pub(crate) fn potential_of_body(&self, b: usize, time: f64, x: &[Vec3]) -> f64 {
        self.bodies[b].energies.iter().map(|e| e.value(time, &x[self.nodes(b)])).sum()
    }

    /// `out += scale * dP/dx` of the terms of the active bodies at `time` (s).
    pub(crate) fn add_gradient_of_bodies(
        &self,
        time: f64,
        x: &[Vec3],
        scale: f64,
        out: &mut [Vec3],
    ) {
        self.sum_over_active(out, |b, out| {
            let x = &x[self.nodes(b)];
            self.bodies[b]
                .energies
                .iter()
                .for_each(|energy| energy.add_gradient(time, x, scale, out));
            0.0
        });
    }

    /// Computes [`potential_of_bodies`](Self::potential_of_bodies) and
    /// [`add_gradient_of_bodies`](Self::add_gradient_of_bodies) in one pass.
    pub(crate) fn potential_and_gradient_of_bodies(
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

    /// The sum of `evaluate_body(body, vectors of its nodes in out)` over the active bodies, in their order.
    fn sum_over_active(
        &self,
        out: &mut [Vec3],
        evaluate_body: impl Fn(usize, &mut [Vec3]) -> f64 + Sync,
    ) -> f64 {
        if !self.is_parallel() {
            return self.acting.iter().map(|&b| evaluate_body(b, &mut out[self.nodes(b)])).sum();
        }
        let mut values = vec![0.0; self.acting.len()];
        let (bodies, values_of_bodies) = (&self.acting[..], &mut values[..]);
        let outputs = BodyOutputs { bodies, values: values_of_bodies, out, first_node: 0 };
        self.evaluate_recursively(outputs, &evaluate_body);
        values.iter().sum()
    }

    /// Evaluates the bodies of `outputs` by recursive halving in parallel.
    fn evaluate_recursively(
        &self,
        outputs: BodyOutputs<'_>,
        evaluate_body: &(impl Fn(usize, &mut [Vec3]) -> f64 + Sync),
    ) {
        let BodyOutputs { bodies, values, out, first_node } = outputs;
        match bodies {
            [] => {}
            [b] => {
                let nodes = self.nodes(*b);
                let range = nodes.start - first_node..nodes.end - first_node;
                values[0] = evaluate_body(*b, &mut out[range]);
            }
            bodies => {
                let (left, right) = bodies.split_at(bodies.len() / 2);
                let middle_node = self.nodes(right[0]).start;
                let (left_values, right_values) = values.split_at_mut(left.len());
                let (left_out, right_out) = out.split_at_mut(middle_node - first_node);
                let left =
                    BodyOutputs { bodies: left, values: left_values, out: left_out, first_node };
                let right = BodyOutputs {
                    bodies: right,
                    values: right_values,
                    out: right_out,
                    first_node: middle_node,
                };
                rayon::join(
                    || self.evaluate_recursively(left, evaluate_body),
                    || self.evaluate_recursively(right, evaluate_body),
                );
            }
        }
    }

    /// Largest fraction of the straight paths that the terms of the active bodies allow.
    pub(crate) fn step_bound_of_bodies(&self, paths: &[Path<'_>]) -> f64 {
        let evaluate_body = |&b: &usize| step_bound_of_body(&self.bodies[b], self.nodes(b), paths);
        match self.is_parallel() {
            false => self.acting.iter().map(evaluate_body).fold(1.0, f64::min),
            true => self.acting.par_iter().map(evaluate_body).reduce(|| 1.0, f64::min),
        }
    }

    /// The first term of an active body whose bound is at most `fraction`: the body and the index of its energy.
    pub(crate) fn limiting_term(&self, paths: &[Path<'_>], fraction: f64) -> Option<[usize; 2]> {
        self.acting.iter().find_map(|&b| {
            let paths_of_body: Vec<Path<'_>> =
                paths.iter().map(|path| path.of(self.nodes(b))).collect();
            let mut energies = self.bodies[b].energies.iter();
            let term = energies.position(|energy| energy.step_bound(&paths_of_body) <= fraction)?;
            Some([b, term])
        })
    }

    /// Whether the active bodies have enough nodes for parallel evaluation.
    fn is_parallel(&self) -> bool {
        let nodes = |b: &usize| self.nodes(*b).len();
        self.acting.len() > 1 && self.acting.iter().map(nodes).sum::<usize>() >= MIN_PARALLEL_NODES
    }
}

/// Largest fraction of the straight paths of all nodes that the terms of a body with these `nodes` allow.
fn step_bound_of_body(body: &Body, nodes: Range<usize>, paths: &[Path<'_>]) -> f64 {
    let bound_of = |paths_of_body: &[Path<'_>]| {
        body.energies
            .iter()
            .fold(1.0, |bound: f64, energy| bound.min(energy.step_bound(paths_of_body)))
    };
    match paths {
        // A single path is the most frequent case; it needs no allocation.
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
            assert!(system.is_parallel());
            let all = system.acting.clone();
            let want_value: f64 = all.iter().map(|&b| system.potential_of_body(b, 0.0, &x)).sum();
            let mut expected = vec![Vec3::Y; nodes];
            for &b in &all {
                let (own, out) = (&x[system.nodes(b)], &mut expected[system.nodes(b)]);
                system.bodies[b].energies.iter().for_each(|e| e.add_gradient(0.0, own, 0.3, out));
            }
            let paths = [Path { from: &x, to: &to }, Path { from: &to, to: &x }];
            for threads in 1..4 {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    assert_eq!(system.potential_of_bodies(0.0, &x), want_value);
                    let mut gradient = vec![Vec3::Y; nodes];
                    system.add_gradient_of_bodies(0.0, &x, 0.3, &mut gradient);
                    assert_eq!(gradient, expected);
                    let mut gradient = vec![Vec3::Y; nodes];
                    let value =
                        system.potential_and_gradient_of_bodies(0.0, &x, 0.3, &mut gradient);
                    assert_eq!((value, gradient), (want_value, expected.clone()));
                    for paths in [&paths[..1], &paths] {
                        let mut expected: f64 = 1.0;
                        for &b in &all {
                            let nodes = system.nodes(b);
                            expected =
                                expected.min(step_bound_of_body(&system.bodies[b], nodes, paths));
                        }
                        assert_eq!(system.step_bound_of_bodies(paths), expected);
                        assert!(expected < 1.0);
                    }
                });
            }
        }
    }
}
