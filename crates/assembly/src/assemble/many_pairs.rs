//! Warnings of a barrier range with too many pairs.
//!
//! Within a range of `n` edges each primitive has about `n^4` pairs, mostly of the same surface. Work and memory of
//! every Newton iteration grow with them.

use super::warnings::warning;
use super::{Parts, start};
use resile_contact::Candidates;
use resile_scene::description::Problem;

/// Number of initial pairs per vertex, edge and triangle above which a warning is issued. Surfaces whose edges are
/// twice `d_hat` have two or three.
const MAX_PAIRS_PER_PRIMITIVE: usize = 16;

/// Warns if there are more pairs than [`MAX_PAIRS_PER_PRIMITIVE`] for each primitive.
pub(super) fn warn_many_pairs(parts: &Parts<'_>) -> Option<Problem> {
    let collisions = parts.collisions.as_ref()?;
    let (x, first_nodes) = start::initial_positions(parts);
    let bodies: Vec<usize> = (0..parts.placed.len()).collect();
    let scene = collisions.scene(&bodies, |k| first_nodes[k]);
    let primitive_count: usize = (parts.placed.iter())
        .map(|body| {
            let surface = &body.surface;
            surface.vertices().len() + surface.edges().len() + surface.triangles().len()
        })
        .sum();
    let max_pairs = MAX_PAIRS_PER_PRIMITIVE * primitive_count;
    let d_hat = collisions.barrier.d_hat;
    if Candidates::near_within_budget(&scene, &x, d_hat, max_pairs).is_some() {
        return None;
    }
    let d_hat = parts.scene.units.show(d_hat, "m");
    let message = format!(
        "more than {max_pairs} contact pairs of {primitive_count} vertices, edges and triangles are within d_hat = {d_hat} at the \
         start: time of each Newton iteration and memory grow with their number"
    );
    let help = "choose d_hat below half an edge of the surfaces, or coarser surfaces";
    Some(warning("contact.d_hat".to_owned(), message, help))
}
