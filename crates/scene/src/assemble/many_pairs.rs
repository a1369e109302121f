//! A barrier that reaches so far that it has more pairs than can be meant.
//!
//! Within a reach of `n` edges there are some `n^4` pairs for each piece of a surface, of the same surface
//! above all. Work and memory of every Newton iteration grow with them.

use super::warnings::warning;
use super::{Parts, start};
use crate::description::Problem;
use resile_contact::Candidates;

/// Pairs for each vertex, edge and triangle at the start that are not worth a word: with edges of
/// twice `d_hat` there are two or three.
const MANY: usize = 16;

/// A warning if there are more.
pub(super) fn many_pairs(parts: &Parts<'_>) -> Option<Problem> {
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
    let most = MANY * pieces;
    let d_hat = collisions.barrier.d_hat;
    if Candidates::near_if_few(&scene, &x, d_hat, most).is_some() {
        return None;
    }
    let d_hat = parts.scene.units.show(d_hat, "m");
    let message = format!(
        "more than {most} contact pairs of {pieces} vertices, edges and triangles are within d_hat = {d_hat} at the \
         start: time of each Newton iteration and memory grow with their number"
    );
    let help = "choose d_hat below half an edge of the surfaces, or coarser surfaces";
    Some(warning("contact.d_hat".to_owned(), message, help))
}
