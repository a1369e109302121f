//! Warnings of a barrier range with too many pairs.
//!
//! Within a range of `n` edges each primitive has about `n^4` pairs, mostly of the same surface. Work and memory of
//! every Newton iteration grow with them.

use super::warnings::warning;
use super::{Parts, start};
use resile_contact::Candidates;
use resile_scene::description::Problem;

/// Initial pairs per vertex, edge and triangle above which a warning is issued; edges of twice `d_hat` have two
/// or three.
const MAX_PAIRS_PER_PRIMITIVE: usize = 16;

/// A warning if there are more.
pub(super) fn warn_many_pairs(parts: &Parts<'_>) -> Option<Problem> {
    let collisions = parts.collisions.as_ref()?;
    let (x, first_nodes) = start::positions(parts);
    let bodies: Vec<usize> = (0..parts.placed.len()).collect();
    let scene = collisions.scene(&bodies, |k| first_nodes[k]);
    let pieces: usize = (parts.placed.iter())
        .map(|body| {
            let surface = &body.surface;
            surface.vertices().len() + surface.edges().len() + surface.triangles().len()
        })
        .sum();
    let max_pairs = MAX_PAIRS_PER_PRIMITIVE * pieces;
    let d_hat = collisions.barrier.d_hat;
    if Candidates::near_within_budget(&scene, &x, d_hat, max_pairs).is_some() {
        return None;
    }
    let d_hat = parts.scene.units.show(d_hat, "m");
    let message = format!(
        "more than {max_pairs} contact pairs of {pieces} vertices, edges and triangles are within d_hat = {d_hat} at the \
         start: time of each Newton iteration and memory grow with their number"
    );
    let help = "choose d_hat below half an edge of the surfaces, or coarser surfaces";
    Some(warning("contact.d_hat".to_owned(), message, help))
}
