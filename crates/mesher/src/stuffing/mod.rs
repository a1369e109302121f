//! Tetrahedra inside an isosurface.
//!
//! Isosurface stuffing (Labelle and Shewchuk 2007): a body-centred cubic lattice covers the solid;
//! its edges intersect the surface in cut points; lattice points too near to a cut point are moved
//! onto it; a stencil then cuts each tetrahedron of the lattice. All interior elements have the same
//! good shape, and the dihedral angles at the surface have bounds independent of the surface.
//!
//! The method needs only a function whose sign separates inside from outside, cannot fail, costs a lattice and
//! a few evaluations per cut edge, and depends on its input alone. Limits: it cuts sharp edges off by up to
//! half a cell ([`creases`](crate::creases) restores them) and loses or tears walls thinner than a cell.
//! Interior cells may be graded ([`Stuffing::grade`]); at the surface all have one size.
//!
//! Beyond the paper, tetrahedra that connect to the rest only at an edge or a vertex are removed
//! ([`StuffingReport::hinges`]).

mod crossing;
mod cuts;
mod lattice;
mod octree;
mod outcome;
mod pieces;
mod stencil;

pub use outcome::{MIN_TETS, Stuffed, StuffingError, StuffingReport};
use resile_math::{Aabb, elementary};
use resile_mesh::TetMesh;
use resile_mesh::generate::MAX_ELEMENTS;

use crossing::crossing;
use cuts::Cuts;
use lattice::{Lattice, cells_around, points_around};
use octree::Octree;
use rayon::prelude::*;
use resile_math::Vec3;
use resile_watch::TaskContext;
use stencil::{Cell, Corner, Side};

/// Largest number of lattice points, about 0.6 GB: enough for a solid of [`MAX_ELEMENTS`] whose
/// bounding box has twelve times its volume.
pub const MAX_LATTICE_POINTS: usize = 40_000_000;

/// Options of filling a solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stuffing {
    /// Resolution of the lattice.
    pub resolution: Resolution,
    /// Number of times that cells may double in size away from the surface; 0 for uniform cells. The boundary
    /// and the bound of the angles do not depend on it.
    pub grade: u8,
    /// Treatment of several connected components.
    pub pieces: Pieces,
}

/// Resolution of a lattice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Resolution {
    /// Length of a lattice cell in metres. Interior edges have this length and 0.87 times it, and there are
    /// `12 / size^3` tetrahedra per cubic metre.
    Size(f64),
    /// Cell size for about this number of tetrahedra: several sizes are tried until the number is within
    /// [`COUNT_TOLERANCE`].
    Tets(usize),
}

/// Treatment of a solid with several connected components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pieces {
    /// Keep all.
    All,
    /// Keep only the component with the largest volume.
    Largest,
}

/// Relative accuracy of [`Resolution::Tets`], if a suitable lattice size is found in [`MAX_SIZES_TRIED`].
pub const COUNT_TOLERANCE: f64 = 0.02;

/// Largest number of sizes tried; a creature of blended capsules needs two or three for 5000 to
/// 110,000 tetrahedra.
pub const MAX_SIZES_TRIED: usize = 8;

/// Number of empty results, each with cells of half the size, after which the solid counts as empty:
/// it then has less than 1/4000 of its box.
const MAX_EMPTY_RESULTS: usize = 4;
/// Ratio of the number of tetrahedra to the requested one that stands for an empty result: it halves the size.
const EMPTY_RATIO: f64 = 0.125;
/// Power of the inverse size to which the number of tetrahedra of a graded lattice is nearly proportional: between 2,
/// for a layer along the surface, and 3.
const GRADED_EXPONENT: f64 = 2.5;

impl Stuffing {
    /// Fills the solid in which `field` is negative, inside `bounds`, with positively oriented tetrahedra.
    ///
    /// The field need not be a distance, nor continuous; but the better it resembles a distance near the
    /// surface, the fewer evaluations are needed. Evaluations run on the current rayon threads; the result is
    /// the same to the bit for any number of threads. Costs one evaluation per lattice point and five or six
    /// per cut edge; the rest takes about 1 s for a million tetrahedra on one thread.
    pub fn fill(
        &self,
        field: impl Fn(Vec3) -> f64 + Sync,
        bounds: Aabb,
    ) -> Result<Stuffed, StuffingError> {
        self.fill_watched(field, bounds, &TaskContext::unobserved())
    }

    /// [`fill`](Self::fill) with progress and interrupt ([`StuffingError::Interrupted`]).
    pub fn fill_watched(
        &self,
        field: impl Fn(Vec3) -> f64 + Sync,
        bounds: Aabb,
        context: &TaskContext,
    ) -> Result<Stuffed, StuffingError> {
        let field = WatchedField { value: field, context };
        let size = bounds.size();
        if !(size.is_finite() && size.cmpge(Vec3::ZERO).all() && size.max_element() > 0.0) {
            return Err(StuffingError::Bounds { min: bounds.min, max: bounds.max });
        }
        match self.resolution {
            Resolution::Size(size) => self.fill_with_size(size, &field, bounds),
            Resolution::Tets(tets) => self.match_count(tets, &field, bounds),
        }
    }

    /// Lower bound of the number of lattice points.
    pub(crate) fn min_points(&self, bounds: Aabb) -> f64 {
        points_around(
            bounds,
            match self.resolution {
                Resolution::Size(size) => size,
                Resolution::Tets(tets) => first_size(tets, bounds),
            },
        )
    }

    /// Fills the solid with cells of several sizes, until the number of tetrahedra is within [`COUNT_TOLERANCE`] of
    /// `tets`, and returns the solid with the nearest number. The number is nearly proportional to the inverse cube of
    /// the size, or to a lower power in a graded lattice.
    fn match_count(
        &self,
        tets: usize,
        field: &WatchedField<'_, impl Fn(Vec3) -> f64 + Sync>,
        bounds: Aabb,
    ) -> Result<Stuffed, StuffingError> {
        if tets < MIN_TETS {
            return Err(StuffingError::TooFew { tets });
        }
        if tets > MAX_ELEMENTS {
            return Err(StuffingError::TooManyTets { tets: tets as f64 });
        }
        let mut size = first_size(tets, bounds);
        let mut empty_results = 0;
        let mut closest: Option<(f64, Stuffed)> = None;
        for _ in 0..MAX_SIZES_TRIED {
            let ratio = match self.fill_with_size(size, field, bounds) {
                Ok(stuffed) => {
                    let ratio = stuffed.mesh.tets.len() as f64 / tets as f64;
                    let deviation = elementary::ln(ratio).abs();
                    if closest.as_ref().is_none_or(|(min_deviation, _)| deviation < *min_deviation)
                    {
                        closest = Some((deviation, stuffed));
                    }
                    ratio
                }
                Err(error @ StuffingError::Empty { .. }) => {
                    empty_results += 1;
                    if empty_results > MAX_EMPTY_RESULTS {
                        return Err(error);
                    }
                    EMPTY_RATIO
                }
                Err(error @ StuffingError::Interrupted(_)) => return Err(error),
                Err(error) if closest.is_none() => return Err(error),
                Err(_) => break,
            };
            if (ratio - 1.0).abs() <= COUNT_TOLERANCE {
                break;
            }
            let exponent = if self.grade > 0 { GRADED_EXPONENT } else { 3.0 };
            size *= elementary::pow(ratio, 1.0 / exponent);
        }
        closest.map(|(_, stuffed)| stuffed).ok_or(StuffingError::Empty { size })
    }

    /// Fills the solid with a lattice of cells of `size` (m).
    fn fill_with_size(
        &self,
        size: f64,
        field: &WatchedField<'_, impl Fn(Vec3) -> f64 + Sync>,
        bounds: Aabb,
    ) -> Result<Stuffed, StuffingError> {
        check_size(size, bounds)?;
        let lattice = Lattice::around(bounds, size);
        let values = evaluate(&lattice, field)?;
        let mut sides: Vec<Side> = values.iter().map(|&value| side_of(value)).collect();
        let mut cuts = Cuts::find(&lattice, &sides);
        cuts.fractions = cut_fractions(&lattice, field, &values, &cuts)?;
        drop(values);
        let moved = cuts.warp(&mut sides);
        let octree = Octree::new(&lattice, &sides, self.grade);
        let nodes = Nodes { lattice: &lattice, cuts: &cuts, moved: &moved };
        let mut mesh = nodes.fill_lattice(&octree, &sides)?;
        let hinges = pieces::remove_hinges(&mut mesh);
        let total_volume = mesh.volume();
        let (dropped_pieces, dropped_tets) = match self.pieces {
            Pieces::All => (0, 0),
            Pieces::Largest => pieces::keep_largest(&mut mesh),
        };
        if mesh.tets.is_empty() {
            return Err(StuffingError::Empty { size });
        }
        let (points, moved) = (lattice.point_count(), moved.len());
        let dropped_volume = if dropped_pieces > 0 { total_volume - mesh.volume() } else { 0.0 };
        let report = StuffingReport {
            size,
            points,
            moved,
            hinges,
            dropped_pieces,
            dropped_tets,
            dropped_volume,
        };
        Ok(Stuffed { mesh, report })
    }
}

/// First cell length (m) to try, as if the solid filled its box: for other solids it is too coarse, which is cheap.
fn first_size(tets: usize, bounds: Aabb) -> f64 {
    elementary::cbrt(12.0 * volume_at_least(bounds) / tets as f64)
}

/// Volume (m^3) of a box; a flat box counts as at least a tenth of its longest side thick.
fn volume_at_least(bounds: Aabb) -> f64 {
    let size = bounds.size();
    size.max(Vec3::splat(0.1 * size.max_element())).element_product()
}

/// Side of the surface on which a point with this value of the field lies.
fn side_of(value: f64) -> Side {
    if value < 0.0 {
        Side::Inside
    } else if value > 0.0 {
        Side::Outside
    } else {
        Side::On
    }
}

/// A field with progress and interrupt.
struct WatchedField<'a, F> {
    value: F,
    context: &'a TaskContext,
}

impl<F: Fn(Vec3) -> f64 + Sync> WatchedField<'_, F> {
    /// Starts a phase of `evaluations` evaluations for progress reports.
    fn begin(&self, part: &'static str, evaluations: usize) {
        self.context.tally.begin(part, evaluations);
    }

    /// Value of the field; infinite after an interruption.
    fn value_at(&self, point: Vec3) -> f64 {
        if self.context.interrupt.is_raised() { f64::INFINITY } else { (self.value)(point) }
    }

    /// Returns an error if the evaluations were interrupted.
    fn end(&self) -> Result<(), StuffingError> {
        self.context.check_interrupt().map_err(StuffingError::Interrupted)
    }
}

/// Evaluations per task.
const POINTS_PER_TASK: usize = 256;

/// Rejects cells of a `size` (m) that is not positive and finite, or with which the lattice around `bounds` (m) has too
/// many points.
fn check_size(size: f64, bounds: Aabb) -> Result<(), StuffingError> {
    if !(size > 0.0 && size.is_finite()) {
        return Err(StuffingError::Size { size });
    }
    let points = points_around(bounds, size);
    // A long row of cells has few points, but its length must still fit an integer.
    let is_countable = cells_around(bounds, size).iter().all(|&n| n < f64::from(i32::MAX / 4));
    // The comparison rejects NaN.
    if !(points <= MAX_LATTICE_POINTS as f64 && is_countable) {
        return Err(StuffingError::TooManyPoints { size, points });
    }
    Ok(())
}

/// Evaluates the field at all lattice points in parallel.
///
/// # Errors
/// If a value is not finite, a point at the border of the lattice is not outside, or an interrupt was raised.
fn evaluate(
    lattice: &Lattice,
    field: &WatchedField<'_, impl Fn(Vec3) -> f64 + Sync>,
) -> Result<Vec<f64>, StuffingError> {
    let mut values = vec![0.0; lattice.point_count()];
    field.begin("lattice points", values.len());
    values.par_chunks_mut(POINTS_PER_TASK).enumerate().for_each(|(chunk, values)| {
        for (point, value) in (chunk * POINTS_PER_TASK..).zip(values.iter_mut()) {
            *value = field.value_at(lattice.position(lattice.coordinates(point)));
        }
        field.context.tally.add(values.len());
    });
    field.end()?;
    for (point, &value) in values.iter().enumerate() {
        let coordinates = lattice.coordinates(point);
        if !value.is_finite() {
            return Err(StuffingError::NotFinite { point: lattice.position(coordinates), value });
        }
        if value <= 0.0 && lattice.is_border(coordinates) {
            return Err(StuffingError::BeyondBounds {
                point: lattice.position(coordinates),
                value,
            });
        }
    }
    Ok(values)
}

/// Position of the cut point of each cut edge, as a fraction of the edge from its first end.
fn cut_fractions(
    lattice: &Lattice,
    field: &WatchedField<'_, impl Fn(Vec3) -> f64 + Sync>,
    values: &[f64],
    cuts: &Cuts,
) -> Result<Vec<f64>, StuffingError> {
    let find_cut = |&[a, b]: &[u32; 2]| {
        let [start, end] =
            [a, b].map(|point| lattice.position(lattice.coordinates(point as usize)));
        let value_at = |t: f64| field.value_at(start.lerp(end, t));
        let fraction = crossing([a, b].map(|point| values[point as usize]), value_at);
        field.context.tally.add(1);
        fraction.map_err(|t| start.lerp(end, t))
    };
    field.begin("cut edges", cuts.ends.len());
    let fractions: Vec<Result<f64, Vec3>> =
        cuts.ends.par_iter().with_min_len(POINTS_PER_TASK).map(find_cut).collect();
    field.end()?;
    let not_finite = |point| StuffingError::NotFinite { point, value: field.value_at(point) };
    fractions.into_iter().map(|fraction| fraction.map_err(not_finite)).collect()
}

/// Creates mesh nodes from lattice points and cut points; `moved` pairs each moved lattice point with its cut point.
struct Nodes<'a> {
    lattice: &'a Lattice,
    cuts: &'a Cuts,
    moved: &'a [(u32, u32)],
}

/// Stands for a lattice point or cut point that has no node yet.
const NO_NODE: u32 = u32::MAX;

impl Nodes<'_> {
    /// Cuts the tetrahedra of the lattice at the surface, and numbers their nodes in the order of first use. An error
    /// if there are more than [`MAX_ELEMENTS`].
    fn fill_lattice(&self, octree: &Octree<'_>, sides: &[Side]) -> Result<TetMesh, StuffingError> {
        let cell = |points: [usize; 4], even| Cell { sides: points.map(|p| sides[p]), even };
        let mut tet_count = 0;
        octree.for_each_tet(|points, even| tet_count += cell(points, even).count());
        if tet_count > MAX_ELEMENTS {
            return Err(StuffingError::TooManyTets { tets: tet_count as f64 });
        }
        let mut mesh = TetMesh { positions: Vec::new(), tets: Vec::with_capacity(tet_count) };
        let mut node_of_point = vec![NO_NODE; sides.len()];
        let mut node_of_cut = vec![NO_NODE; self.cuts.ends.len()];
        octree.for_each_tet(|points, even| {
            cell(points, even).cut(|tet| {
                let nodes = tet.map(|corner| {
                    let (node, position) = match corner {
                        Corner::Lattice(k) => {
                            (&mut node_of_point[points[k]], self.point_position(points[k], sides))
                        }
                        Corner::Cut(inside, outside) => {
                            let cut = self.cuts.index_between(points[inside], points[outside]);
                            (&mut node_of_cut[cut], self.cut_position(cut))
                        }
                    };
                    if *node == NO_NODE {
                        *node = mesh.positions.len() as u32;
                        mesh.positions.push(position);
                    }
                    *node
                });
                mesh.tets.push(nodes);
            });
        });
        Ok(mesh)
    }

    /// Position (m) of a lattice point, which may have been moved onto a cut point.
    fn point_position(&self, point: usize, sides: &[Side]) -> Vec3 {
        if sides[point] == Side::On
            && let Ok(index) = self.moved.binary_search_by_key(&(point as u32), |&(p, _)| p)
        {
            let (_, cut) = self.moved[index];
            return self.cut_position(cut as usize);
        }
        self.lattice.position(self.lattice.coordinates(point))
    }

    /// Position (m) of a cut point.
    fn cut_position(&self, cut: usize) -> Vec3 {
        let ends = self.cuts.ends[cut];
        let [a, b] = ends.map(|p| self.lattice.position(self.lattice.coordinates(p as usize)));
        a.lerp(b, self.cuts.fractions[cut])
    }
}
