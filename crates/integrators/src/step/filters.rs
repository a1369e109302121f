//! Matrices of bodies by which velocity corrections are filtered.

use resile_linalg::cg::{BlockJacobi, CgLimits, ConjugateGradients};
use resile_linalg::direct::Cholesky;
use resile_math::{Mat3, Vec3};
use resile_sparse::{Assembly, BlockSink as _, NO_ROW, SymmetricBlockMatrix};
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

/// The matrix `M + weight K` of a body, by which its velocity corrections are filtered.
#[derive(Debug)]
pub(crate) struct FilterMatrix<'a, 's> {
    pub(crate) system: &'a Prepared<'s>,
    pub(crate) body: usize,
    /// The positions (m) of all nodes, at which the stiffness K is evaluated.
    pub(crate) x: &'a [Vec3],
    /// Factor of the stiffness (s^2).
    pub(crate) weight: f64,
}

/// The assembly of a matrix of the free nodes of a body.
#[derive(Debug)]
struct FreeAssembly {
    /// The row of each node of the body; [`NO_ROW`] if it is not free.
    rows: Arc<[u32]>,
    assembly: Assembly,
}

/// The filter of a body: its matrix and the solvers with their buffers.
#[derive(Debug, Default)]
pub(crate) struct BodyFilter {
    /// The assembly of the last matrix.
    assembly: Option<FreeAssembly>,
    /// The solver for bodies of at most [`MAX_FACTORISED_NODES`] free nodes.
    direct: Cholesky,
    /// The solver for larger bodies.
    iterative: ConjugateGradients,
}

impl BodyFilter {
    /// Replaces `field`, which has the nodes of the body of `matrix`, by `(M + weight K)^-1 M field` at its free nodes. It
    /// remains unchanged if the body has no internal energy or the matrix cannot be factorised.
    pub(crate) fn solve(&mut self, matrix: &FilterMatrix<'_, '_>, field: &mut [Vec3]) {
        let FilterMatrix { system, body, .. } = *matrix;
        if !system.has_internal_energy(body) {
            return;
        }
        let nodes = system.nodes(body);
        let (masses, free) = (&system.masses()[nodes.clone()], &system.free()[nodes]);
        let free_nodes: Vec<usize> = (0..free.len()).filter(|&i| free[i]).collect();
        let Self { assembly, direct, iterative } = self;
        let assembled = matrix.assemble(assembly, free);
        let right_side: Vec<Vec3> = free_nodes.iter().map(|&i| masses[i] * field[i]).collect();
        let mut solution = vec![Vec3::ZERO; free_nodes.len()];
        let is_solved = if free_nodes.len() <= MAX_FACTORISED_NODES {
            direct.factorize(assembled).is_ok_and(|()| {
                direct.solve(&right_side, &mut solution);
                true
            })
        } else {
            BlockJacobi::new(assembled).is_ok_and(|mut inverse| {
                iterative.solve(assembled, &mut inverse, &right_side, &mut solution, CG_LIMITS);
                true
            })
        };
        if is_solved {
            free_nodes.into_iter().zip(solution).for_each(|(i, v)| field[i] = v);
        }
    }
}

impl FilterMatrix<'_, '_> {
    /// Assembles the matrix over the nodes of the body that are `free`, constrained to the free directions of guided ones.
    /// Replaces the assembly in `cache` if that has other nodes.
    fn assemble<'c>(
        &self,
        cache: &'c mut Option<FreeAssembly>,
        free: &[bool],
    ) -> &'c SymmetricBlockMatrix {
        let Self { system, body, x, weight } = *self;
        let nodes = system.nodes(body);
        let mut row_indices = 0..;
        let rows: Vec<u32> = free
            .iter()
            .map(|free| if *free { row_indices.next().unwrap_or(NO_ROW) } else { NO_ROW })
            .collect();
        let count = free.iter().filter(|free| **free).count();
        if cache.as_ref().is_none_or(|cached| cached.rows[..] != rows[..]) {
            *cache = None;
        }
        let FreeAssembly { rows, assembly } = cache.get_or_insert_with(|| FreeAssembly {
            rows: rows.into(),
            assembly: Assembly::new(count),
        });
        assembly.begin();
        assembly.renumbered(rows, |out| {
            for (i, mass) in system.masses()[nodes.clone()].iter().enumerate() {
                out.add(i, i, Mat3::from_diagonal(Vec3::splat(*mass)));
            }
            system.add_internal_hessian(body, x, weight, Psd::Clamp, out);
        });
        assembly.end_static();
        let guided: Vec<(usize, Mat3)> = guided_nodes(system, &nodes)
            .into_iter()
            .map(|(i, projector)| (rows[i] as usize, projector))
            .collect();
        let matrix = assembly.finish();
        matrix.constrain(&vec![true; count], &guided);
        matrix
    }
}

/// The guided nodes among `nodes`, by their index within the range, with the projectors onto their free directions.
pub(crate) fn guided_nodes(system: &Prepared<'_>, nodes: &Range<usize>) -> Vec<(usize, Mat3)> {
    let guided = system.guided().iter().filter(|(node, _)| nodes.contains(node));
    guided.map(|&(node, projector)| (node - nodes.start, projector)).collect()
}
