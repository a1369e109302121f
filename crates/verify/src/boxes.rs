//! Broad phase: pairs of overlapping boxes.
//!
//! The boxes are bisected recursively at the median of their centres until few are left in a cell; a box that
//! extends into both halves is in both. A pair is reported only in the cell that contains the smallest corner
//! of its intersection. Unlike a grid this needs no cell size. No cell size suits a floor of two triangles
//! under a thousand small bodies. O(n log n) for surfaces, quadratic in the number of coincident boxes.

/// Cells of at most this many boxes are tested pair by pair.
const LEAF_SIZE: usize = 16;
/// Largest fraction of the boxes on one side of a split; a split that leaves more is rejected.
const MAX_SPLIT_FRACTION: f64 = 0.85;

/// An axis-aligned box in single precision, as the coordinates of frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
}

impl Bounds {
    /// Bounding box of points.
    pub(crate) fn around<'a>(points: impl IntoIterator<Item = &'a [f32; 3]>) -> Self {
        let empty = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };
        points.into_iter().fold(empty, |bounds, point| Self {
            min: [0, 1, 2].map(|k| bounds.min[k].min(point[k])),
            max: [0, 1, 2].map(|k| bounds.max[k].max(point[k])),
        })
    }

    /// Whether two boxes overlap; touching counts.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// Bounding box of two boxes.
    pub(crate) fn join(&self, other: &Self) -> Self {
        Self {
            min: [0, 1, 2].map(|k| self.min[k].min(other.min[k])),
            max: [0, 1, 2].map(|k| self.max[k].max(other.max[k])),
        }
    }

    /// The box enlarged by `margin` on every side.
    pub(crate) fn wider(&self, margin: f32) -> Self {
        Self { min: self.min.map(|x| x - margin), max: self.max.map(|x| x + margin) }
    }

    /// Whether the box contains a point; its boundary counts.
    pub(crate) fn contains(&self, point: &[f32; 3]) -> bool {
        (0..3).all(|k| self.min[k] <= point[k] && point[k] <= self.max[k])
    }
}

/// Calls `report` once for each pair of overlapping boxes, in a deterministic order.
pub(crate) fn overlapping(boxes: &[Bounds], report: &mut impl FnMut(usize, usize)) {
    let members = (0..boxes.len() as u32).collect();
    report_cell(boxes, members, [f32::NEG_INFINITY; 3], report);
}

/// Reports the pairs of the cell that contains the boxes `members` and has the smallest corner `start`.
fn report_cell(
    boxes: &[Bounds],
    members: Vec<u32>,
    start: [f32; 3],
    report: &mut impl FnMut(usize, usize),
) {
    let Some((axis, coordinate)) =
        (members.len() > LEAF_SIZE).then(|| best_split(boxes, &members)).flatten()
    else {
        return report_pairs(boxes, &members, start, report);
    };
    let members_where = |keep: &dyn Fn(&Bounds) -> bool| -> Vec<u32> {
        members.iter().copied().filter(|&i| keep(&boxes[i as usize])).collect()
    };
    let below = members_where(&|b| b.min[axis] < coordinate);
    let above = members_where(&|b| b.max[axis] >= coordinate);
    drop(members);
    report_cell(boxes, below, start, report);
    let mut middle = start;
    middle[axis] = coordinate;
    report_cell(boxes, above, middle, report);
}

/// Axis and coordinate of the split with the fewest boxes on its larger side; `None` if every split leaves too many.
fn best_split(boxes: &[Bounds], members: &[u32]) -> Option<(usize, f32)> {
    let centre = |i: &u32, k: usize| {
        let b = &boxes[*i as usize];
        0.5 * b.min[k] + 0.5 * b.max[k]
    };
    let max_count = (MAX_SPLIT_FRACTION * members.len() as f64) as usize;
    let mut best = None;
    for k in 0..3 {
        let mut centres: Vec<f32> = members.iter().map(|i| centre(i, k)).collect();
        let middle = centres.len() / 2;
        let coordinate = *centres.select_nth_unstable_by(middle, f32::total_cmp).1;
        let count = |keep: &dyn Fn(&Bounds) -> bool| {
            members.iter().filter(|&&i| keep(&boxes[i as usize])).count()
        };
        let larger = count(&|b| b.min[k] < coordinate).max(count(&|b| b.max[k] >= coordinate));
        if larger <= max_count && best.is_none_or(|(smallest, _, _)| larger < smallest) {
            best = Some((larger, k, coordinate));
        }
    }
    best.map(|(_, axis, coordinate)| (axis, coordinate))
}

/// Tests all pairs of a small set of boxes.
fn report_pairs(
    boxes: &[Bounds],
    members: &[u32],
    start: [f32; 3],
    report: &mut impl FnMut(usize, usize),
) {
    for (n, &i) in members.iter().enumerate() {
        let a = &boxes[i as usize];
        for &j in &members[n + 1..] {
            let b = &boxes[j as usize];
            // A pair whose intersection begins before this cell is reported by an earlier cell.
            let reported_here = (0..3).all(|k| start[k] <= a.min[k].max(b.min[k]));
            if a.overlaps(b) && reported_here {
                report(i as usize, j as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all_pairs(boxes: &[Bounds]) -> Vec<[usize; 2]> {
        let pairs = (0..boxes.len()).flat_map(|i| (i + 1..boxes.len()).map(move |j| [i, j]));
        pairs.filter(|&[i, j]| boxes[i].overlaps(&boxes[j])).collect()
    }

    fn report(boxes: &[Bounds]) -> Vec<[usize; 2]> {
        let mut report = Vec::new();
        overlapping(boxes, &mut |i, j| report.push([i.min(j), i.max(j)]));
        report.sort_unstable();
        report
    }

    proptest! {
        /// Boxes of all sizes on a lattice, so that many faces and many boxes coincide.
        #[test]
        fn box_tree_reports_every_overlapping_pair_once(
            corners in prop::collection::vec(
                (prop::array::uniform3(-20..20_i8), prop::array::uniform3(0..4_u32)), 0..300),
            thin in 0..4_usize,
        ) {
            let bounds = |(coordinate, size): &([i8; 3], [u32; 3])| {
                let min = [0, 1, 2].map(|k| if k == thin { 0.0 } else { f32::from(coordinate[k]) });
                let max = [0, 1, 2].map(|k| min[k] + (size[k] * size[k] * size[k]) as f32);
                Bounds { min, max }
            };
            let boxes: Vec<Bounds> = corners.iter().map(bounds).collect();
            prop_assert_eq!(report(&boxes), all_pairs(&boxes));
        }
    }

    #[test]
    fn box_tree_handles_a_thousand_coincident_boxes() {
        let same = Bounds { min: [1.0; 3], max: [2.0; 3] };
        assert_eq!(report(&[same; 1000]).len(), 1000 * 999 / 2);
        let point = Bounds { min: [1.0; 3], max: [1.0; 3] };
        assert_eq!(report(&[point; 100]).len(), 100 * 99 / 2);
    }
}
