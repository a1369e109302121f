//! Bending and twist of rods with rest curvature.

use super::error::positive;
use super::frames::{self, Link, in_frame, normal_to, rotated, transported};
use super::rest_shape::{CornerRest, StrandRest};
use super::turn::{ByEdges, Turn, at_nodes, blocks_at_nodes};
use super::{RodError, RodRest, bending, fold};
use crate::gather::Gather;
use rayon::prelude::*;
use resile_math::{Mat3, elementary, outer};
use resile_mesh::Polylines;
use resile_system::{Energy, Hessian, Laplacian, Path, Psd, Vec3};

/// `P(x) = min_a sum_i B (|k_i - R_e r_e|^2 + |k_i - R_f r_f|^2) / (4 l_i) + C (m_i(a) - m_i0)^2 / (2 l_i)`:
/// bending and twist of open rods that are curved at rest (Bergou et al. 2008, sections 4.2 and 5.1). Each edge has
/// a material frame, rotated by the angle a about the edge. `k_i` is the curvature binormal of the corner between
/// the edges e and f, `r_e` and `r_f` are its value at rest in their material frames R, and `m_i` is the angle
/// between these frames. B is the flexural and C the torsional rigidity (N m^2).
///
/// The angles are those of static equilibrium: a torsional wave is faster than a bending wave by the ratio of
/// length to thickness. There is an equilibrium for each winding of the frames; P is the lowest of all, which is
/// continuous in the positions. Its gradient jumps where two windings have the same energy, such that P has no minimum
/// there. The angles depend on positions alone and are recomputed at each evaluation, so they are neither
/// degrees of freedom nor history variables. An end can rotate about its axis unless it is [held](Self::holding); an
/// end that is held may be rotated by whole turns, so a rod never stores more twist than the lowest winding has.
///
/// The gradient is exact: where the angles are in equilibrium, their change does no work. The second derivatives
/// are those with fixed angles. The remainder, which couples all nodes of a rod, is negative semi-definite and
/// *omitted* from the Hessian, exact or clamped; a rod is therefore never softer than its matrix.
///
/// Evaluation is O(nodes), with five to fifteen solutions of a tridiagonal system per rod and winding; a rod with
/// inflections has up to four windings to compare. It is parallel over rods in the current rayon pool, and bitwise equal
/// for any number of threads.
#[derive(Debug, Clone)]
pub struct CurvedRods {
    strands: Vec<CurvedRod>,
    corners: Vec<[u32; 3]>,
    /// `l_i` (m), divided by the factor of the rigidities.
    lengths: Vec<f64>,
    /// B and C (N m^2).
    rigidities: [f64; 2],
    gather: Gather<3>,
}

/// A rod with its rest shape.
#[derive(Debug, Clone)]
struct CurvedRod {
    rest: StrandRest,
    /// Index of the first corner of the rod among all corners.
    first: usize,
    /// Whether the first and the last end cannot rotate about its axis.
    holds: [bool; 2],
}

/// Rest shape of a corner in its current material frames.
#[derive(Debug, Clone, Copy)]
struct Frames {
    /// Curvature binormals at rest, rotated with the frames of both edges.
    rest: [Vec3; 2],
    /// Angle between the frames minus that at rest (rad).
    twist: f64,
}

impl CurvedRods {
    /// Rods with the segment lengths of `rods`, the rest shape `rest`, and the rigidities B (`bending`) and C (`twisting`,
    /// both N m^2).
    ///
    /// # Errors
    /// Rigidities that are not positive; a rest shape of other rods; invalid curves.
    pub fn new(
        rods: &Polylines,
        rest: &RodRest,
        bending: f64,
        twisting: f64,
    ) -> Result<Self, RodError> {
        rods.check()?;
        positive("the flexural rigidity", bending, "N m^2")?;
        positive("the torsional rigidity", twisting, "N m^2")?;
        let counts = rods.strands.iter().map(|strand| strand.corners().count());
        if !counts.eq(rest.strands.iter().map(|strand| strand.corners.len())) {
            return Err(RodError::OtherRest);
        }
        let mut first = 0;
        let curved_rod = |rest: &StrandRest| {
            let strand = CurvedRod { rest: rest.clone(), first, holds: [false; 2] };
            first += rest.corners.len();
            strand
        };
        let strands = rest.strands.iter().map(curved_rod).collect();
        let corners: Vec<[u32; 3]> = rods.strands.iter().flat_map(|s| s.corners()).collect();
        let length = |corner: &[u32; 3]| {
            let [a, b, c] = corner.map(|n| rods.positions[n as usize]);
            0.5 * (a.distance(b) + b.distance(c))
        };
        let lengths = corners.iter().map(length).collect();
        let gather = Gather::unchecked(&corners);
        Ok(Self { strands, corners, lengths, rigidities: [bending, twisting], gather })
    }

    /// Prevents the rotation of the flagged ends, first and last, of each rod about their axis. The first and last
    /// segments must keep the directions that they have in the given shape.
    #[must_use]
    pub fn holding(mut self, ends: &[[bool; 2]]) -> Self {
        self.strands.iter_mut().zip(ends).for_each(|(strand, ends)| strand.holds = *ends);
        self
    }

    /// Multiplies both rigidities by a factor at each node.
    ///
    /// # Panics
    /// If a node of the rods has no factor.
    #[must_use]
    pub fn scaled(mut self, factors: &[f64]) -> Self {
        let corners = self.lengths.iter_mut().zip(&self.corners);
        corners.for_each(|(length, [_, node, _])| *length /= factors[*node as usize]);
        self
    }

    /// The geometry of a corner for nodes at `x` (m).
    fn turn(&self, x: &[Vec3], corner_index: usize) -> Turn {
        Turn::new(self.corners[corner_index].map(|node| x[node as usize]))
    }

    /// The frames of all corners in equilibrium of bending and twist, for nodes at `x` (m).
    fn frames(&self, x: &[Vec3]) -> Vec<Frames> {
        let rod_frames = |strand: &CurvedRod| self.frames_of_rod(x, strand);
        let frames: Vec<Vec<Frames>> = self.strands.par_iter().map(rod_frames).collect();
        frames.concat()
    }

    /// The [frames](Self::frames) of the corners of one rod.
    fn frames_of_rod(&self, x: &[Vec3], strand: &CurvedRod) -> Vec<Frames> {
        let indices = strand.first..strand.first + strand.rest.corners.len();
        let turns: Vec<Turn> = indices.map(|corner_index| self.turn(x, corner_index)).collect();
        let Some(first) = turns.first() else { return Vec::new() };
        // Directors of the parallel frames of all edges.
        let mut directors = vec![normal_to(first.along[0], strand.rest.directors[0])];
        for (edge, turn) in turns.iter().enumerate() {
            directors.push(transported(turn, directors[edge]));
        }
        let corners = (0..turns.len())
            .map(|k| self.link(strand.first + k, &turns[k], directors[k], &strand.rest.corners[k]));
        let links: Vec<Link> = corners.collect();
        if links.iter().any(|link| !link.binormal.iter().all(|b| b.is_finite())) {
            // The rod has a fold or a segment of zero length, so its energy is infinite.
            let undefined = Frames { rest: [Vec3::ZERO; 2], twist: f64::NAN };
            return vec![undefined; links.len()];
        }
        let angles = frames::angles(&links, strand.fixed_angles(&turns, &directors));
        let corner_frames = |i: usize| {
            let rest = [0, 1].map(|side| {
                let in_parallel_frame = rotated(links[i].rest[side], angles[i + side]);
                frames::from_frame(in_parallel_frame, turns[i].along[side], directors[i + side])
            });
            Frames { rest, twist: angles[i + 1] - angles[i] - links[i].rest_twist }
        };
        (0..links.len()).map(corner_frames).collect()
    }

    /// The contribution of a corner to the energy of the angles of its edges, with the `director` of the parallel frame of
    /// its first edge.
    fn link(&self, corner_index: usize, turn: &Turn, director: Vec3, rest: &CornerRest) -> Link {
        let [bending, twisting] = self.rigidities;
        Link {
            binormal: in_frame(turn.binormal(), turn.along[0], director),
            rest: rest.binormals,
            rest_twist: rest.twist,
            bending: 0.5 * bending / self.lengths[corner_index],
            twisting: twisting / self.lengths[corner_index],
        }
    }

    /// `B / l` and `C / l` of a corner (J).
    fn stiffnesses(&self, corner_index: usize) -> [f64; 2] {
        self.rigidities.map(|rigidity| rigidity / self.lengths[corner_index])
    }

    /// Derivatives of the energy of a corner with respect to its edges, for fixed angles.
    fn edge_gradient(&self, turn: &Turn, corner_index: usize, frames: &Frames) -> [Vec3; 2] {
        let [bending, twisting] = self.stiffnesses(corner_index);
        let straight = bending::gradient(turn, bending);
        let rest_term = turn.binormal_times(frames.rest[0] + frames.rest[1]);
        let twist_gradient = turn.writhing();
        std::array::from_fn(|i| {
            straight[i]
                - rest_term[i] * (0.5 * bending)
                - twist_gradient[i] * (twisting * frames.twist)
        })
    }

    /// Second derivatives of the energy of a corner with respect to its edges, for fixed angles, symmetrised.
    fn edge_hessian(&self, turn: &Turn, corner_index: usize, frames: &Frames) -> ByEdges {
        let [bending, twisting] = self.stiffnesses(corner_index);
        let straight = bending::hessian(turn, bending);
        let rest_term = turn.binormal_times_by_edges(frames.rest);
        let (twist_gradient, twist_hessian) = (turn.writhing(), turn.writhing_by_edges());
        let block = |i: usize, j: usize| {
            straight[i][j] - rest_term[i][j] * (0.5 * bending)
                + outer(twist_gradient[i], twist_gradient[j]) * twisting
                - twist_hessian[i][j] * (twisting * frames.twist)
        };
        let symmetric = |m: Mat3| (m + m.transpose()) * 0.5;
        let mixed = block(0, 1);
        [[symmetric(block(0, 0)), mixed], [mixed.transpose(), symmetric(block(1, 1))]]
    }
}

impl CurvedRod {
    /// Angles (rad) of the first and last edge relative to their parallel frames, with these `directors`, if their ends
    /// are held.
    fn fixed_angles(&self, turns: &[Turn], directors: &[Vec3]) -> [Option<f64>; 2] {
        let last = turns.len() - 1;
        let edges = [(turns[0].along[0], 0), (turns[last].along[1], last + 1)];
        std::array::from_fn(|end| {
            let (tangent, edge) = edges[end];
            let [x, y] = in_frame(self.rest.directors[end], tangent, directors[edge]);
            self.holds[end].then(|| elementary::atan2(y, x))
        })
    }
}

impl Energy for CurvedRods {
    fn name(&self) -> &str {
        "bending and twist"
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }

    fn is_internal(&self) -> bool {
        true
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        let frames = self.frames(x);
        let corner_value = |corner_index: usize| {
            let binormal = self.turn(x, corner_index).binormal();
            let [bending, twisting] = self.stiffnesses(corner_index);
            let Frames { rest: [e, f], twist } = frames[corner_index];
            let squared_curvatures =
                (binormal - e).length_squared() + (binormal - f).length_squared();
            0.25 * bending * squared_curvatures + 0.5 * twisting * twist * twist
        };
        let sum = self.gather.sum(corner_value);
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    fn add_gradient(&self, _time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let frames = self.frames(x);
        self.gather.add_gradients(out, |corner_index| {
            let turn = self.turn(x, corner_index);
            at_nodes(
                self.edge_gradient(&turn, corner_index, &frames[corner_index]).map(|g| g * scale),
            )
        });
    }

    fn add_hessian(&self, _time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        let frames = self.frames(x);
        self.gather.add_hessians(out, |corner_index| {
            let turn = self.turn(x, corner_index);
            blocks_at_nodes(&self.edge_hessian(&turn, corner_index, &frames[corner_index]), psd)
        });
    }

    /// The Laplacian of straight rods of the rest lengths.
    fn add_laplacian(&self, _time: f64, x: &[Vec3], out: &mut Laplacian<'_>) {
        for (corner_index, corner) in self.corners.iter().enumerate() {
            let lengths = self.turn(x, corner_index).lengths;
            bending::add_laplacian(*corner, lengths, self.stiffnesses(corner_index)[0], out);
        }
    }

    /// The step bound of [`RodBending`](super::RodBending).
    fn step_bound(&self, paths: &[Path<'_>]) -> f64 {
        paths.iter().map(|path| fold::bound(path, &self.corners)).fold(1.0, f64::min)
    }
}
