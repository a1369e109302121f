//! Choice of concise regions for a set of nodes.

use crate::draft::Region;
use resile_math::{Aabb, Vec3};

/// Margins of planes and boxes around nodes, relative to the extent of all nodes, tried in this order.
const RELATIVE_MARGINS: [f64; 3] = [1e-2, 1e-4, 1e-6];
/// Smallest distance of the faces of a region from the selected nodes, relative to the margin.
const RELATIVE_MIN_GAP: f64 = 0.1;
/// Number of decimal digits that distinguish all floating-point numbers.
const MAX_DIGITS: usize = 17;

/// Simplest region that contains the `selected` ones of `points` (m) and no others: all points, a half space along an
/// axis, a box, or a list of their `indices`. `None` if nothing is selected.
pub(crate) fn region(points: &[Vec3], indices: &[u32], selected: &[bool]) -> Option<Region> {
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for (point, is_selected) in points.iter().zip(selected) {
        if *is_selected { &mut inside } else { &mut outside }.push(*point);
    }
    let bounds = Aabb::around(&inside)?;
    if outside.is_empty() {
        return Some(Region::All);
    }
    let extent = Aabb::of_points(points.iter().copied()).size().max_element();
    let margins = RELATIVE_MARGINS.map(|margin| margin * extent);
    if let Some(region) = margins.iter().find_map(|margin| separate(&bounds, *margin, &outside)) {
        return Some(region);
    }
    let selected_indices = indices.iter().zip(selected).filter(|(_, is_selected)| **is_selected);
    let mut selected_indices: Vec<u32> = selected_indices.map(|(index, _)| *index).collect();
    selected_indices.sort_unstable();
    Some(Region::Nodes(selected_indices))
}

/// Half space along an axis, or else box, that contains `bounds` (m) and no points `outside` (m). Its faces lie at
/// numbers with few digits, between a tenth of `margin` (m) and `margin` from the bounds. `None` if there is no such
/// region.
fn separate(bounds: &Aabb, margin: f64, outside: &[Vec3]) -> Option<Region> {
    let inflated = bounds.inflate(margin);
    let min_gap = RELATIVE_MIN_GAP * margin;
    let lower_face =
        |axis: usize| shortest_number_between(inflated.min[axis], bounds.min[axis] - min_gap);
    let upper_face =
        |axis: usize| shortest_number_between(bounds.max[axis] + min_gap, inflated.max[axis]);
    for axis in 0..3 {
        let mut normal = [0.0; 3];
        let mut point = [0.0; 3];
        if outside.iter().all(|p| p[axis] < inflated.min[axis]) {
            normal[axis] = 1.0;
            point[axis] = lower_face(axis);
            return Some(Region::Plane { point, normal });
        }
        if outside.iter().all(|p| p[axis] > inflated.max[axis]) {
            normal[axis] = -1.0;
            point[axis] = upper_face(axis);
            return Some(Region::Plane { point, normal });
        }
    }
    let is_inside = |p: &Vec3| p.cmpge(inflated.min).all() && p.cmple(inflated.max).all();
    if outside.iter().any(is_inside) {
        return None;
    }
    Some(Region::Box { min: [0, 1, 2].map(lower_face), max: [0, 1, 2].map(upper_face) })
}

/// Number with the fewest digits in the interval from `low` to `high`: its midpoint, rounded to as few digits as stay
/// in the interval.
fn shortest_number_between(low: f64, high: f64) -> f64 {
    for digits in 0..MAX_DIGITS {
        let middle = 0.5 * (low + high);
        let text = match middle.abs() >= 1e-3 && middle.abs() < 1e6 {
            true => format!("{middle:.digits$}"),
            false => format!("{middle:.digits$e}"),
        };
        match text.parse() {
            Ok(short) if low <= short && short <= high => return short + 0.0,
            _ => {}
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Vec<Vec3> {
        let at =
            |n: u32| Vec3::new(f64::from(n % 4), f64::from(n / 4 % 4), f64::from(n / 16)) / 3.0;
        (0..64).map(at).collect()
    }

    fn chosen(predicate: impl Fn(Vec3) -> bool) -> (Option<Region>, Vec<Vec3>, Vec<bool>) {
        let points = grid();
        let selected: Vec<bool> = points.iter().map(|p| predicate(*p)).collect();
        let numbers: Vec<u32> = (100..164).collect();
        (region(&points, &numbers, &selected), points, selected)
    }

    /// Whether a region selects a point, by the rules of the scene reference.
    fn selects(region: &Region, point: Vec3) -> bool {
        match region {
            Region::All => true,
            Region::Plane { point: on, normal } => {
                (point - Vec3::from_array(*on)).dot(Vec3::from_array(*normal)) >= 0.0
            }
            Region::Box { min, max } => {
                point.cmpge(Vec3::from_array(*min)).all()
                    && point.cmple(Vec3::from_array(*max)).all()
            }
            Region::Nodes(_) | Region::Group(_) => false,
        }
    }

    #[test]
    fn sides_are_planes_corners_are_boxes_and_the_rest_are_numbers() {
        for axis in 0..3 {
            for low in [true, false] {
                let (region, points, selected) =
                    chosen(|p| if low { p[axis] < 0.1 } else { p[axis] > 0.9 });
                let region = region.unwrap();
                assert!(matches!(region, Region::Plane { .. }), "{region:?}");
                assert!(points.iter().zip(&selected).all(|(p, is)| selects(&region, *p) == *is));
            }
        }
        let (region, points, selected) = chosen(|p| p.max_element() < 0.5);
        let region = region.unwrap();
        assert!(matches!(region, Region::Box { .. }), "{region:?}");
        assert!(points.iter().zip(&selected).all(|(p, is)| selects(&region, *p) == *is));
        let (region, ..) = chosen(|p| p == Vec3::ZERO || p == Vec3::ONE);
        assert_eq!(region, Some(Region::Nodes(vec![100, 163])));
        assert_eq!(chosen(|_| true).0, Some(Region::All));
        assert_eq!(chosen(|_| false).0, None);
    }

    #[test]
    fn short_number_between_two_bounds_has_few_digits() {
        assert_eq!(shortest_number_between(0.991, 0.999), 0.995);
        assert_eq!(shortest_number_between(-0.51, -0.501), -0.51);
        assert_eq!(shortest_number_between(1.2e-7, 1.9e-7), 1.5e-7);
    }
}
