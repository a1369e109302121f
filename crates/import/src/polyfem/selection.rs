//! Selections: rules that assign ids to elements, faces or nodes, most of them by the position of the centroid.

use super::reader::Reader;
use super::unit::Dimension;
use resile_math::{Aabb, Vec3};
use serde_json::{Map, Value};

/// Threshold of sides in the units of the file, in place of a negative one (`Selection.cpp` of `PolyFEM`).
const DEFAULT_SIDE_THRESHOLD: f64 = 1e-7;
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
    /// An axis-aligned box (m).
    Box {
        min: Vec3,
        max: Vec3,
    },
    /// A ball (m).
    Sphere {
        center: Vec3,
        radius: f64,
    },
    /// A cylinder by the ends of its axis (m) and its radius (m).
    Cylinder {
        ends: [Vec3; 2],
        radius: f64,
    },
    /// A half space by a point of its plane (m) and a normal, which points into it.
    HalfSpace {
        point: Vec3,
        normal: Vec3,
    },
    /// Id of each element, from a file.
    Listed(Vec<i64>),
    /// Sides of a bounding box (m), from which the centroid is less than a distance (m) away. Their ids are consecutive
    /// from `id + 1` on, and the next one is that of elements on no side.
    Sides {
        bounds: Aabb,
        distance: f64,
    },
}

impl Selection {
    /// Ids that the rule can assign.
    pub(super) fn ids(&self) -> Vec<i64> {
        match &self.shape {
            SelectedShape::Listed(ids) => ids.clone(),
            SelectedShape::Sides { .. } => (1..=SIDES + 1).map(|side| self.id + side).collect(),
            _ => vec![self.id],
        }
    }

    /// Id that the rule assigns to the element `index` with this centroid (m); `None` if it does not select the
    /// element.
    fn assigned_id(&self, index: usize, centroid: Vec3) -> Option<i64> {
        let is_inside = match &self.shape {
            SelectedShape::All => true,
            SelectedShape::Box { min, max } => {
                centroid.cmpge(*min).all() && centroid.cmple(*max).all()
            }
            SelectedShape::Sphere { center, radius } => {
                (centroid - *center).length_squared() <= radius * radius
            }
            SelectedShape::Cylinder { ends: [start, end], radius } => {
                let axis = *end - *start;
                let fraction = (centroid - *start).dot(axis) / axis.length_squared();
                let offset = centroid - (*start + fraction * axis);
                (0.0..=1.0).contains(&fraction) && offset.length_squared() <= radius * radius
            }
            SelectedShape::HalfSpace { point, normal } => (centroid - *point).dot(*normal) >= 0.0,
            SelectedShape::Listed(ids) => return ids.get(index).copied(),
            SelectedShape::Sides { bounds, distance } => {
                return Some(self.id + 1 + side_index(bounds, *distance, centroid));
            }
        };
        is_inside.then_some(self.id)
    }
}

/// Number of sides of a bounding box.
const SIDES: i64 = 6;

/// Index of the first side of a bounding box (m) from which a point (m) is less than a distance (m) away, in the order
/// of the format; 6 if there is none.
fn side_index(bounds: &Aabb, distance: f64, point: Vec3) -> i64 {
    let (min, max) = (bounds.min, bounds.max);
    let sides = [(0, min.x), (1, min.y), (0, max.x), (1, max.y), (2, min.z), (2, max.z)];
    let is_near = |(axis, coordinate): &(usize, f64)| (point[*axis] - coordinate).abs() < distance;
    sides.iter().position(is_near).map_or(SIDES, |index| index as i64)
}

/// Id of the element `index` with these corners (m), by the first rule that selects it; `None` if no rule does.
pub(super) fn assigned_id(rules: &[Selection], index: usize, corners: &[Vec3]) -> Option<i64> {
    let centroid = corners.iter().sum::<Vec3>() / corners.len() as f64;
    rules.iter().find_map(|rule| rule.assigned_id(index, centroid))
}

/// Reads the rules at a path, for a geometry with these bounds (m).
pub(super) fn read(reader: &mut Reader<'_>, path: &str, bounds: Aabb) -> Vec<Selection> {
    reader.items(path).iter().filter_map(|item| read_rule(reader, item, bounds)).collect()
}

/// Reads the rule at a path: an id for everything, the name of a file with ids, sides of the bounding box within a
/// threshold, or a shape with an id. Refuses everything else.
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
    if let Some(threshold) = reader.number(&field_path("threshold")) {
        reader.allow_only(path, &["threshold", "id_offset"]);
        let id = reader.number_or(&field_path("id_offset"), 0.0) as i64;
        let threshold = if threshold < 0.0 { DEFAULT_SIDE_THRESHOLD } else { threshold };
        let distance = reader.units.si_value(Dimension::LENGTH) * threshold;
        return Some(Selection { id, shape: SelectedShape::Sides { bounds, distance } });
    }
    let Some(id) = fields.get("id").and_then(Value::as_i64) else {
        reader.refuse(path, "a selection has a number, `id`");
        return None;
    };
    Some(Selection { id, shape: read_shape(reader, path, fields, bounds)? })
}

/// Fields of each shape beside `id` and `relative`; the first one distinguishes it from the others.
const SHAPE_FIELDS: [&[&str]; 5] = [
    &["box"],
    &["center", "radius"],
    &["p1", "p2", "radius"],
    &["axis", "position"],
    &["normal", "point", "offset"],
];

/// Reader of the lengths of a shape. Relative radii are multiples of the diagonal of the bounding box, and relative
/// points are fractions of its sides.
struct ShapeReader<'a, 'd> {
    reader: &'a mut Reader<'d>,
    /// Path of the rule.
    path: &'a str,
    /// Bounding box of the mesh (m).
    bounds: Aabb,
    /// Value of the unit of length (m).
    unit: f64,
    is_relative: bool,
}

impl ShapeReader<'_, '_> {
    /// Path of a field of the rule.
    fn field_path(&self, field: &str) -> String {
        format!("{}/{field}", self.path)
    }

    /// Reads a point (m). Notes two coordinates, for which the third is zero.
    fn point(&mut self, field: &str) -> Option<Vec3> {
        let path = self.field_path(field);
        let two = self.reader.get(&path).and_then(Value::as_array).filter(|list| list.len() == 2);
        let point = match two {
            Some(_) => {
                self.reader.note(&path, "the third coordinate is missing, and zero here");
                let coordinate = |axis: usize| self.reader.number(&format!("{path}/{axis}"));
                let [x, y] = [0, 1].map(coordinate);
                Vec3::new(x?, y?, 0.0)
            }
            None => Vec3::from_array(self.reader.triple(&path)?),
        };
        Some(match self.is_relative {
            true => self.bounds.min + self.bounds.size() * point,
            false => self.unit * point,
        })
    }

    /// Reads `radius` (m).
    fn radius(&mut self) -> Option<f64> {
        let radius = self.reader.number(&self.field_path("radius"))?;
        Some(radius * if self.is_relative { self.bounds.size().length() } else { self.unit })
    }

    /// Reads the half space beyond the `position` on a signed `axis`.
    fn half_space_of_axis(&mut self, axis: &Value) -> Option<SelectedShape> {
        let position = self.reader.number(&self.field_path("position"))?;
        let Some((axis, sign)) = parse_axis(axis) else {
            let message = "an axis is x, y, z or 1, 2, 3, with a sign";
            self.reader.refuse(&self.field_path("axis"), message);
            return None;
        };
        let coordinate = match self.is_relative {
            true => self.bounds.min[axis] + self.bounds.size()[axis] * position,
            false => self.unit * position,
        };
        let mut direction = Vec3::ZERO;
        direction[axis] = 1.0;
        let (point, normal) = (coordinate * direction, sign * direction);
        Some(SelectedShape::HalfSpace { point, normal })
    }

    /// Reads the half space with a `normal`, through `point` if `has_point`, otherwise at the distance `offset` from the
    /// origin.
    fn half_space_of_normal(&mut self, has_point: bool) -> Option<SelectedShape> {
        let normal_path = self.field_path("normal");
        let normal = Vec3::from_array(self.reader.triple(&normal_path)?);
        let Some(normal) = normal.try_normalize() else {
            self.reader.refuse(&normal_path, "this has no direction");
            return None;
        };
        let point = match has_point {
            true => self.point("point")?,
            false => normal * self.unit * self.reader.number_or(&self.field_path("offset"), 0.0),
        };
        Some(SelectedShape::HalfSpace { point, normal })
    }
}

/// Reads a shape from the `fields` of the rule at a path: a box, a sphere, a cylinder, a half space, or everything
/// without one. `bounds` is the bounding box of the mesh (m), to which lengths refer with `relative`. Refuses other
/// shapes, and unknown fields.
fn read_shape(
    reader: &mut Reader<'_>,
    path: &str,
    fields: &Map<String, Value>,
    bounds: Aabb,
) -> Option<SelectedShape> {
    let unit = reader.units.si_value(Dimension::LENGTH);
    let is_relative = reader.flag(&format!("{path}/relative"), false);
    let shape_fields = SHAPE_FIELDS.into_iter().find(|names| fields.contains_key(names[0]));
    let Some(shape_fields) = shape_fields else {
        reader.allow_only(path, &["id"]);
        return Some(SelectedShape::All);
    };
    reader.allow_only(path, &[&["id", "relative"], shape_fields].concat());
    let mut shape = ShapeReader { reader, path, bounds, unit, is_relative };
    if fields.contains_key("box") {
        let (min, max) = (shape.point("box/0")?, shape.point("box/1")?);
        Some(SelectedShape::Box { min, max })
    } else if fields.contains_key("center") {
        let radius = shape.radius()?;
        Some(SelectedShape::Sphere { center: shape.point("center")?, radius })
    } else if fields.contains_key("p1") {
        let radius = shape.radius()?;
        let ends = [shape.point("p1")?, shape.point("p2")?];
        Some(SelectedShape::Cylinder { ends, radius })
    } else if let Some(axis) = fields.get("axis") {
        shape.half_space_of_axis(axis)
    } else {
        shape.half_space_of_normal(fields.contains_key("point"))
    }
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

/// Reads the file `name` of the document, which has an id for each element, separated by white space; a word that is not
/// a number ends the list. Refuses the selection at `path` if the file cannot be read.
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

    fn selected(shape: SelectedShape, point: [f64; 3]) -> bool {
        assigned_id(&[Selection { id: 4, shape }], 0, &[Vec3::from_array(point)]) == Some(4)
    }

    #[test]
    fn regions_include_their_boundary_and_nothing_outside() {
        let unit = SelectedShape::Box { min: Vec3::ZERO, max: Vec3::ONE };
        assert!(selected(unit.clone(), [1.0, 0.0, 0.5]) && !selected(unit, [1.001, 0.0, 0.5]));
        let ball = SelectedShape::Sphere { center: Vec3::ONE, radius: 2.0 };
        assert!(selected(ball.clone(), [3.0, 1.0, 1.0]) && !selected(ball, [2.5, 2.5, 1.0]));
        let tube =
            SelectedShape::Cylinder { ends: [Vec3::ZERO, Vec3::new(0.0, 2.0, 0.0)], radius: 0.5 };
        for (point, inside) in
            [([0.5, 2.0, 0.0], true), ([0.0, 2.1, 0.0], false), ([0.4, 1.0, 0.4], false)]
        {
            assert_eq!(selected(tube.clone(), point), inside, "{point:?}");
        }
        let half = SelectedShape::HalfSpace { point: Vec3::Y, normal: Vec3::new(0.0, -2.0, 0.0) };
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
        let sides = [Selection { id: 10, shape: SelectedShape::Sides { bounds, distance: 1e-3 } }];
        let of = |a: Vec3, b: Vec3| assigned_id(&sides, 0, &[a, b, 0.5 * (a + b)]);
        assert_eq!(of(Vec3::ZERO, Vec3::new(0.0, 1.0, 1.0)), Some(11));
        assert_eq!(of(Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0)), Some(12));
        assert_eq!(of(Vec3::X, Vec3::ONE), Some(13));
        assert_eq!(of(Vec3::Y, Vec3::ONE), Some(14));
        assert_eq!(of(Vec3::new(0.2, 0.2, 0.0), Vec3::new(0.8, 0.7, 0.0)), Some(15));
        assert_eq!(of(Vec3::new(0.2, 0.2, 1.0), Vec3::new(0.8, 0.7, 1.0)), Some(16));
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
