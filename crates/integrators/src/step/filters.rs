//! Matrices of bodies by which velocity corrections are filtered.

use resile_linalg::cg::{BlockJacobi, CgLimits, ConjugateGradients};
use resile_linalg::direct::Cholesky;
use resile_math::{Mat3, Vec3};
use resile_sparse::{Assembly, BlockSink as _, NO_ROW};
use resile_system::{Prepared, Psd};
use std::ops::Range;
use std::sync::Arc;

/// Largest number of nodes of a body whose matrix is factorised, such as an affine body.
pub(crate) const MAX_FACTORISED_NODES: usize = 16;

/// Of larger ones.
const CG_LIMITS: CgLimits = CgLimits { tolerance: 1e-2, max_iterations: 500 };

/// Matrices of bodies with their patterns, cached between steps. Results do not depend on the cache.
#[derive(Debug, Default)]
pub(crate) struct Filters {
    pub(crate) of_bodies: Vec<BodyFilter>,
}

#[derive(Debug, Default)]
pub(crate) struct BodyFilter {
    /// `M + weight K` of the free nodes, which have these rows.
    assembly: Option<(Arc<[u32]>, Assembly)>,
    direct: Cholesky,
    iterative: ConjugateGradients,
}

impl BodyFilter {
    /// `field <- (M + weight K)^-1 M field` of the free nodes of body `b` at `x`.
    pub(crate) fn solve(
        &mut self,
        (system, b): (&Prepared<'_>, usize),
        x: &[Vec3],
        weight: f64,
        field: &mut [Vec3],
    ) {
        if !system.has_internal_energy(b) {
            return;
        }
        let nodes = system.nodes(b);
        let guided = guided_of(system, &nodes);
        let (masses, free) = (&system.masses()[nodes.clone()], &system.free()[nodes]);
        let mut next = 0..;
        let rows: Vec<u32> = free
            .iter()
            .map(|free| if *free { next.next().unwrap_or(NO_ROW) } else { NO_ROW })
            .collect();
        let count = free.iter().filter(|free| **free).count();
        let fits = self.assembly.as_ref().is_some_and(|(known, _)| known[..] == rows[..]);
        if !fits {
            self.assembly = Some((rows.into(), Assembly::new(count)));
        }
        let Some((rows, assembly)) = &mut self.assembly else { return };
        assembly.begin();
        assembly.renumbered(rows, |out| {
            for (i, mass) in masses.iter().enumerate() {
                out.add(i, i, Mat3::from_diagonal(Vec3::splat(*mass)));
            }
            system.add_internal_hessian(b, x, weight, Psd::Clamp, out);
        });
        assembly.end_static();
        let guides = guided.iter().map(|&(i, projector)| (rows[i] as usize, projector));
        let matrix = assembly.finish();
        matrix.constrain(&vec![true; count], &guides.collect::<Vec<_>>());
        let free_entries = |entry: &dyn Fn(usize) -> Vec3| -> Vec<Vec3> {
            (0..free.len()).filter(|&i| free[i]).map(entry).collect()
        };
        let right = free_entries(&|i| masses[i] * field[i]);
        let mut solution = vec![Vec3::ZERO; count];
        let solved = if count <= MAX_FACTORISED_NODES {
            self.direct.factorize(matrix).is_ok_and(|()| {
                self.direct.solve(&right, &mut solution);
                true
            })
        } else {
            BlockJacobi::new(matrix).is_ok_and(|mut inverse| {
                self.iterative.solve(matrix, &mut inverse, &right, &mut solution, CG_LIMITS);
                true
            })
        };
        if !solved {
            return;
        }
        let free_nodes = (0..free.len()).filter(|&i| free[i]);
        free_nodes.zip(solution).for_each(|(i, v)| field[i] = v);
    }
}

/// The guided nodes among `nodes`, by their index there.
pub(crate) fn guided_of(system: &Prepared<'_>, nodes: &Range<usize>) -> Vec<(usize, Mat3)> {
    let guided = system.guided().iter().filter(|(node, _)| nodes.contains(node));
    guided.map(|&(node, free)| (node - nodes.start, free)).collect()
}
