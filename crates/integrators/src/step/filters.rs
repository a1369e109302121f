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

/// Limits of conjugate gradients, which solve with the matrices of larger bodies.
const CG_LIMITS: CgLimits = CgLimits { tolerance: 1e-2, max_iterations: 500 };

/// Matrices of bodies with their patterns, cached between steps. Results do not depend on the cache.
#[derive(Debug, Default)]
pub(crate) struct Filters {
    /// One filter for each body of the system.
    pub(crate) body_filters: Vec<BodyFilter>,
}

/// The filter of a body: its matrix and the solvers with their buffers.
#[derive(Debug, Default)]
pub(crate) struct BodyFilter {
    /// The row of each node of the body (`NO_ROW` if it is not free), and `M + weight K` of the free nodes.
    assembly: Option<(Arc<[u32]>, Assembly)>,
    /// The solver for bodies of at most [`MAX_FACTORISED_NODES`] free nodes.
    direct: Cholesky,
    /// The solver for larger bodies.
    iterative: ConjugateGradients,
}

impl BodyFilter {
    /// Replaces `field`, which has the nodes of body `b`, by `(M + weight K)^-1 M field` at its free nodes, with the
    /// stiffness at `x` (m). It remains unchanged if the body has no internal energy or the matrix cannot be
    /// factorised.
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
        let guided = guided_nodes(system, &nodes);
        let (masses, free) = (&system.masses()[nodes.clone()], &system.free()[nodes]);
        let mut row_indices = 0..;
        let rows: Vec<u32> = free
            .iter()
            .map(|free| if *free { row_indices.next().unwrap_or(NO_ROW) } else { NO_ROW })
            .collect();
        let count = free.iter().filter(|free| **free).count();
        let is_cached =
            self.assembly.as_ref().is_some_and(|(cached_rows, _)| cached_rows[..] == rows[..]);
        if !is_cached {
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
        let right_side = free_entries(&|i| masses[i] * field[i]);
        let mut solution = vec![Vec3::ZERO; count];
        let is_solved = if count <= MAX_FACTORISED_NODES {
            self.direct.factorize(matrix).is_ok_and(|()| {
                self.direct.solve(&right_side, &mut solution);
                true
            })
        } else {
            BlockJacobi::new(matrix).is_ok_and(|mut inverse| {
                self.iterative.solve(matrix, &mut inverse, &right_side, &mut solution, CG_LIMITS);
                true
            })
        };
        if !is_solved {
            return;
        }
        let free_nodes = (0..free.len()).filter(|&i| free[i]);
        free_nodes.zip(solution).for_each(|(i, v)| field[i] = v);
    }
}

/// The guided nodes among `nodes`, by their index within the range, with the projectors onto their free directions.
pub(crate) fn guided_nodes(system: &Prepared<'_>, nodes: &Range<usize>) -> Vec<(usize, Mat3)> {
    let guided = system.guided().iter().filter(|(node, _)| nodes.contains(node));
    guided.map(|&(node, projector)| (node - nodes.start, projector)).collect()
}
