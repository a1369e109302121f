//! Geometric selections: a rule assigns its id to all elements whose centre is inside.

use super::reader::Reader;
use super::unit::Dimension;
use resile_math::{Aabb, Vec3};
use serde_json::Value;

/// Id of elements that no rule selects.
pub(super) const NONE: i64 = i64::MAX;

/// A selection rule.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Selection {
    id: i64,
    shape: SelectedShape,
}

/// Shape that a rule selects.
#[derive(Debug, Clone, PartialEq)]
enum SelectedShape {
    All,
    /// Lowest and highest corner (m).
    Box([Vec3; 2]),
    /// Centre and radius (m).
    Sphere(Vec3, f64),
    /// Ends of the axis and radius (m).
    Cylinder(Vec3, Vec3, f64),
    /// A point of the plane (m), and the normal, which points inward.
    HalfSpace(Vec3, Vec3),
    /// Id of each element, from a file.
    Listed(Vec<i64>),
    /// Sides of the bounding box, within a distance (m); their ids are consecutive from `id + 1` on.
    Sides(Aabb, f64),
}

impl Selection {
    /// Id that the rule assigns to the element `index` with these corners and centroid (m); `None` if it does
    /// not select the element.
    fn assigned_id(&self, index: usize, corners: &[Vec3], centroid: Vec3) -> Option<i64> {
        let is_inside = match &self.shape {
            SelectedShape::All => true,
            SelectedShape::Box([min, max]) => {
                centroid.cmpge(*min).all() && centroid.cmple(*max).all()
            }
            SelectedShape::Sphere(center, radius) => {
                (centroid - *center).length_squared() <= radius * radius
            }
            SelectedShape::Cylinder(from, to, radius) => {
                let axis = *to - *from;
                let fraction = (centroid - *from).dot(axis) / axis.length_squared();
                let offset = centroid - (*from + fraction * axis);
                (0.0..=1.0).contains(&fraction) && offset.length_squared() <= radius * radius
            }
            SelectedShape::HalfSpace(point, normal) => (centroid - *point).dot(*normal) >= 0.0,
            SelectedShape::Listed(ids) => return ids.get(index).copied(),
            SelectedShape::Sides(bounds, threshold) => {
                let is_on = |axis: usize, coordinate: f64| {
                    corners.iter().all(|p| (p[axis] - coordinate).abs() < *threshold)
                };
                // In the order of the format.
                let is_on_side = [
                    is_on(0, bounds.min.x),
                    is_on(1, bounds.min.y),
                    is_on(0, bounds.max.x),
                    is_on(1, bounds.max.y),
                    is_on(2, bounds.max.z),
                    is_on(2, bounds.min.z),
                ];
                // Elements on no side have the id after those of the six sides.
                let side_index = is_on_side.iter().position(|is_on| *is_on).unwrap_or(6);
                return Some(self.id + 1 + side_index as i64);
            }
        };
        is_inside.then_some(self.id)
    }
}

/// Id of the element `index` with these corners (m): that of the first rule that selects it; `None` if no rule does.
pub(super) fn assigned_id(rules: &[Selection], index: usize, corners: &[Vec3]) -> Option<i64> {
    let centroid = corners.iter().sum::<Vec3>() / corners.len() as f64;
    rules.iter().find_map(|rule| rule.assigned_id(index, corners, centroid))
}

/// Reads the rules at a path, for a geometry with these bounds (m).
pub(super) fn read(reader: &mut Reader<'_>, path: &str, bounds: Aabb) -> Vec<Selection> {
    reader.items(path).iter().filter_map(|item| read_rule(reader, item, bounds)).collect()
}

/// Reads a selection: an id for everything, the name of a file with ids, sides of the bounding box within a
/// threshold, a box, a sphere, a cylinder, or a half space. Lengths are relative to the bounding box with
/// `relative`. Refuses everything else.
fn read_rule(reader: &mut Reader<'_>, path: &str, bounds: Aabb) -> Option<Selection> {
    let value = reader.get(path)?;
    if let Some(id) = value.as_i64() {
        return Some(Selection { id, shape: SelectedShape::All });
    }
    if let Some(name) = value.as_str() {
        return read_list(reader, path, name);
    }
    let Some(fields) = value.as_object() else {
        reader.refuse(path, "this is no selection");
        return None;
    };
    let field_path = |field: &str| format!("{path}/{field}");
    let unit = reader.units.si_value(Dimension::LENGTH);
    if let Some(threshold) = fields.get("threshold").and_then(Value::as_f64) {
        let id = reader.number_or(&field_path("id_offset"), 0.0) as i64;
        return Some(Selection { id, shape: SelectedShape::Sides(bounds, unit * threshold) });
    }
    let Some(id) = fields.get("id").and_then(Value::as_i64) else {
        reader.refuse(path, "a selection has a number, `id`");
        return None;
    };
    let is_relative = reader.flag(&field_path("relative"), false);
    let size = bounds.size();
    let point = |reader: &mut Reader<'_>, field: &str| {
        let point = Vec3::from_array(reader.triple(&field_path(field))?);
        Some(if is_relative { bounds.min + size * point } else { unit * point })
    };
    let length = |value: f64| value * if is_relative { size.length() } else { unit };
    let shape = if fields.contains_key("box") {
        SelectedShape::Box([point(reader, "box/0")?, point(reader, "box/1")?])
    } else if fields.contains_key("center") {
        let radius = reader.number(&field_path("radius"))?;
        SelectedShape::Sphere(point(reader, "center")?, length(radius))
    } else if fields.contains_key("p1") {
        let radius = reader.number(&field_path("radius"))?;
        SelectedShape::Cylinder(point(reader, "p1")?, point(reader, "p2")?, length(radius))
    } else if fields.contains_key("axis") {
        let position = reader.number(&field_path("position"))?;
        let Some((axis, sign)) = parse_axis(&fields["axis"]) else {
            reader.refuse(&field_path("axis"), "an axis is x, y, z or 1, 2, 3, with a sign");
            return None;
        };
        let position =
            if is_relative { bounds.min[axis] + size[axis] * position } else { unit * position };
        let mut direction = Vec3::ZERO;
        direction[axis] = 1.0;
        SelectedShape::HalfSpace(position * direction, sign * direction)
    } else if fields.contains_key("normal") {
        let normal = Vec3::from_array(reader.triple(&field_path("normal"))?);
        let point_on_plane = match fields.contains_key("point") {
            true => point(reader, "point")?,
            false => normal * unit * reader.number_or(&field_path("offset"), 0.0),
        };
        SelectedShape::HalfSpace(point_on_plane, normal)
    } else {
        reader.refuse(path, "this selection is not known");
        return None;
    };
    Some(Selection { id, shape })
}

/// Parses a signed coordinate axis: a letter from `x` to `z` in either case, such as `"-z"` or `"+Y"`, or a number
/// from 1 to 3, such as `-3`. Returns the index of the axis, 0 to 2, and its sign, 1.0 or -1.0; `None` for any other
/// value.
fn parse_axis(value: &Value) -> Option<(usize, f64)> {
    let Value::String(text) = value else {
        let axis_number = value.as_i64()?;
        let axis_index = usize::try_from(axis_number.abs()).ok()?.checked_sub(1)?;
        return (axis_index < 3).then_some((axis_index, axis_number.signum() as f64));
    };
    let (sign, letter) = match text.strip_prefix('-') {
        Some(letter) => (-1.0, letter),
        None => (1.0, text.trim_start_matches('+')),
    };
    let axis_index = ["x", "y", "z"].iter().position(|axis| letter.eq_ignore_ascii_case(axis))?;
    Some((axis_index, sign))
}

/// Maximum length of a file of ids (bytes).
const MAX_LIST_BYTES: u64 = 64 << 20;

/// Reads the file `name` of the document, which has an id for each element, separated by white space. Refuses the
/// selection at `path` if the file cannot be read.
fn read_list(reader: &mut Reader<'_>, path: &str, name: &str) -> Option<Selection> {
    let file = reader.document.file(name).ok_or_else(|| "there is no such file".to_owned());
    let text = file.and_then(|file| {
        resile_files::read_text(&file, MAX_LIST_BYTES).map_err(|error| error.to_string())
    });
    match text {
        Ok(text) => {
            let numbers = text.split_whitespace().map_while(|word| word.parse::<f64>().ok());
            let ids = numbers.map(|number| number as i64).collect();
            Some(Selection { id: 0, shape: SelectedShape::Listed(ids) })
        }
        Err(reason) => {
            reader.refuse(path, reason);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(place: SelectedShape, point: [f64; 3]) -> bool {
        assigned_id(&[Selection { id: 4, shape: place }], 0, &[Vec3::from_array(point)]) == Some(4)
    }

    #[test]
    fn regions_include_their_boundary_and_nothing_outside() {
        let unit = SelectedShape::Box([Vec3::ZERO, Vec3::ONE]);
        assert!(selected(unit.clone(), [1.0, 0.0, 0.5]) && !selected(unit, [1.001, 0.0, 0.5]));
        let ball = SelectedShape::Sphere(Vec3::ONE, 2.0);
        assert!(selected(ball.clone(), [3.0, 1.0, 1.0]) && !selected(ball, [2.5, 2.5, 1.0]));
        let tube = SelectedShape::Cylinder(Vec3::ZERO, Vec3::new(0.0, 2.0, 0.0), 0.5);
        for (point, inside) in
            [([0.5, 2.0, 0.0], true), ([0.0, 2.1, 0.0], false), ([0.4, 1.0, 0.4], false)]
        {
            assert_eq!(selected(tube.clone(), point), inside, "{point:?}");
        }
        let half = SelectedShape::HalfSpace(Vec3::Y, Vec3::new(0.0, -2.0, 0.0));
        assert!(selected(half.clone(), [9.0, 1.0, 0.0]) && !selected(half, [9.0, 1.1, 0.0]));
    }

    #[test]
    fn first_matching_rule_applies_and_sides_follow_the_order_of_the_format() {
        let rules = [
            Selection { id: 1, shape: SelectedShape::All },
            Selection { id: 2, shape: SelectedShape::All },
        ];
        assert_eq!(assigned_id(&rules, 0, &[Vec3::ZERO]), Some(1));
        let bounds = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        let sides = [Selection { id: 10, shape: SelectedShape::Sides(bounds, 1e-3) }];
        let of = |a: Vec3, b: Vec3| assigned_id(&sides, 0, &[a, b, 0.5 * (a + b)]);
        assert_eq!(of(Vec3::ZERO, Vec3::new(0.0, 1.0, 1.0)), Some(11));
        assert_eq!(of(Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0)), Some(12));
        assert_eq!(of(Vec3::X, Vec3::ONE), Some(13));
        assert_eq!(of(Vec3::Y, Vec3::ONE), Some(14));
        assert_eq!(of(Vec3::new(0.2, 0.2, 1.0), Vec3::new(0.8, 0.7, 1.0)), Some(15));
        assert_eq!(of(Vec3::new(0.2, 0.2, 0.0), Vec3::new(0.8, 0.7, 0.0)), Some(16));
        assert_eq!(of(Vec3::splat(0.2), Vec3::splat(0.4)), Some(17));
    }

    #[test]
    fn element_numbers_of_files_are_in_file_order() {
        let rules = [Selection { id: 0, shape: SelectedShape::Listed(vec![7, 8]) }];
        assert_eq!(assigned_id(&rules, 1, &[Vec3::ZERO]), Some(8));
        assert_eq!(assigned_id(&rules, 2, &[Vec3::ZERO]), None);
    }

    #[test]
    fn axes_are_given_by_letter_or_number() {
        let of = |text: &str| parse_axis(&serde_json::from_str(text).unwrap());
        assert_eq!(of("\"-z\""), Some((2, -1.0)));
        assert_eq!(of("\"+Y\""), Some((1, 1.0)));
        assert_eq!(of("\"x\""), Some((0, 1.0)));
        assert_eq!(of("-1"), Some((0, -1.0)));
        assert_eq!(of("0"), None);
        assert_eq!(of("\"w\""), None);
    }
}
