//! Choice of concise regions for a set of nodes.

use crate::draft::Region;
use resile_math::{Aabb, Vec3};

/// Margins of planes and boxes around nodes, relative to the extent of all nodes, tried in this order.
const RELATIVE_MARGINS: [f64; 3] = [1e-2, 1e-4, 1e-6];

/// Simplest region that contains the `selected` ones of `points` (m) and no others: all points, a half space along an
/// axis, a box, or a list of their `indices`. `None` if nothing is selected.
pub(crate) fn region(points: &[Vec3], indices: &[u32], selected: &[bool]) -> Option<Region> {
    let points_where = |wanted: bool| {
        let pairs =
            points.iter().zip(selected).filter(move |(_, is_selected)| **is_selected == wanted);
        pairs.map(|(point, _)| *point)
    };
    let bounds = Aabb::around(&points_where(true).collect::<Vec<_>>())?;
    if points_where(false).next().is_none() {
        return Some(Region::All);
    }
    let extent = Aabb::of_points(points.iter().copied()).size().max_element();
    for margin in RELATIVE_MARGINS.map(|margin| margin * extent) {
        let inflated = bounds.inflate(margin);
        for axis in 0..3 {
            let mut normal = [0.0; 3];
            let mut point = [0.0; 3];
            if points_where(false).all(|p| p[axis] < inflated.min[axis]) {
                normal[axis] = 1.0;
                point[axis] =
                    shortest_number_between(inflated.min[axis], bounds.min[axis] - 0.1 * margin);
                return Some(Region::Plane { point, normal });
            }
            if points_where(false).all(|p| p[axis] > inflated.max[axis]) {
                normal[axis] = -1.0;
                point[axis] =
                    shortest_number_between(bounds.max[axis] + 0.1 * margin, inflated.max[axis]);
                return Some(Region::Plane { point, normal });
            }
        }
        let is_inside = |p: Vec3| p.cmpge(inflated.min).all() && p.cmple(inflated.max).all();
        if !points_where(false).any(is_inside) {
            let min = [0, 1, 2]
                .map(|k| shortest_number_between(inflated.min[k], bounds.min[k] - 0.1 * margin));
            let max = [0, 1, 2]
                .map(|k| shortest_number_between(bounds.max[k] + 0.1 * margin, inflated.max[k]));
            return Some(Region::Box { min, max });
        }
    }
    let selected_indices = indices
        .iter()
        .zip(selected)
        .filter(|(_, is_selected)| **is_selected)
        .map(|(index, _)| *index);
    let mut selected_indices: Vec<u32> = selected_indices.collect();
    selected_indices.sort_unstable();
    Some(Region::Nodes(selected_indices))
}

/// Number with the fewest digits in the interval from `low` to `high`.
fn shortest_number_between(low: f64, high: f64) -> f64 {
    for digits in 0..17_usize {
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
