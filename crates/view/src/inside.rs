//! Points and tetrahedra inside of solids, whose values cut faces show.

use crate::ViewError;
use crate::pose::{Pose, posed_point, to_vec3};
use resile_record::{Playback, PlayedFrame};
use std::io::{Result, Write};

/// Largest number of tetrahedra of a page. The page cuts all of them in each picture: 400,000 take about 10 ms.
const MAX_TETRAHEDRA: usize = 400_000;
/// Vertex of a point that is not drawn.
const NOT_DRAWN: u32 = u32::MAX;

/// The points of solids that are not drawn, and the tetrahedra.
#[derive(Debug, Default)]
pub(crate) struct Inside {
    /// Points of the frame files.
    points: Vec<u32>,
    /// Index of the body of each point.
    body_of: Vec<u32>,
    /// Positions in the first frame (m).
    reference: Vec<[f32; 3]>,
    /// Corners: vertices of the page, after which these points are counted.
    tets: Vec<[u32; 4]>,
}

/// A frame at the drawn vertices and at the points inside.
pub(crate) struct SplitFrame {
    pub(crate) drawn: PlayedFrame,
    pub(crate) inside: PlayedFrame,
}

impl Inside {
    /// The inside of the solids of a run, of which a page has `page_vertices`. Empty if the run has too many tetrahedra.
    pub(crate) fn new(
        run: &Playback,
        page_vertices: usize,
    ) -> std::result::Result<Self, ViewError> {
        let bodies = 0..run.bodies().len();
        let tet_count: usize = bodies.clone().map(|body| run.tetrahedra(body).len()).sum();
        let mut inside = Self::default();
        if tet_count > MAX_TETRAHEDRA {
            return Ok(inside);
        }
        let point_count = bodies.clone().flat_map(|body| run.tetrahedra(body).as_flattened());
        let drawn_points = run.points().iter();
        let point_count = point_count.chain(drawn_points).map(|&point| point as usize + 1).max();
        let mut vertex_of = vec![NOT_DRAWN; point_count.unwrap_or(0)];
        for (vertex, &point) in (0..).zip(run.points()) {
            vertex_of[point as usize] = vertex;
        }
        for body in bodies {
            for tet in run.tetrahedra(body) {
                let corners = tet.map(|point| {
                    let vertex = &mut vertex_of[point as usize];
                    if *vertex == NOT_DRAWN {
                        *vertex = (page_vertices + inside.points.len()) as u32;
                        inside.points.push(point);
                        inside.body_of.push(body as u32);
                    }
                    *vertex
                });
                inside.tets.push(corners);
            }
        }
        inside.reference = run.frame_at_points(0, &inside.points)?.positions;
        Ok(inside)
    }

    /// Number of points.
    pub(crate) fn point_count(&self) -> usize {
        self.points.len()
    }

    /// Number of tetrahedra.
    pub(crate) fn tet_count(&self) -> usize {
        self.tets.len()
    }

    /// Reads a frame at the drawn vertices and at these points.
    pub(crate) fn read(
        &self,
        run: &Playback,
        frame_index: usize,
    ) -> std::result::Result<SplitFrame, ViewError> {
        let drawn_count = run.points().len();
        let points = [run.points(), &self.points].concat();
        let mut drawn = run.frame_at_points(frame_index, &points)?;
        let mut inside = drawn.clone();
        inside.positions.drain(..drawn_count);
        drawn.positions.truncate(drawn_count);
        for (drawn, inside) in drawn.fields.iter_mut().zip(&mut inside.fields) {
            inside.values.drain(..drawn_count * inside.components);
            drawn.values.truncate(drawn_count * drawn.components);
        }
        Ok(SplitFrame { drawn, inside })
    }

    /// Differences (m) between the positions of the points in a frame and their positions under the poses of their
    /// bodies, each with the index of the body.
    pub(crate) fn differences<'a>(
        &'a self,
        poses: &'a [Pose],
        inside: &'a PlayedFrame,
    ) -> impl Iterator<Item = (usize, [f64; 3])> + 'a {
        let points = self.body_of.iter().zip(&self.reference).zip(&inside.positions);
        points.map(|((&body, reference), position)| {
            let posed = posed_point(&poses[body as usize], reference);
            (body as usize, (to_vec3(position) - posed).to_array())
        })
    }

    /// Writes the body and the position in the first frame (m) of each point, then the corners of the tetrahedra.
    pub(crate) fn write(&self, out: &mut impl Write) -> Result<()> {
        let words = |out: &mut dyn Write, words: &[u32]| {
            words.iter().try_for_each(|word| out.write_all(&word.to_le_bytes()))
        };
        words(out, &self.body_of)?;
        for coordinate in self.reference.as_flattened() {
            out.write_all(&coordinate.to_le_bytes())?;
        }
        words(out, self.tets.as_flattened())
    }
}
