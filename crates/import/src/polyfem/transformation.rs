//! `transformation`: scale or dimensions, rotation, translation.

use super::reader::Reader;
use crate::pose::{Pose, Turn};
use resile_math::Vec3;
use serde_json::Value;

/// Reads the pose at a path, for a shape with these extents, in the units of the file. `dimensions` take precedence
/// over `scale`. Refuses scales that are not positive and invalid rotations.
pub(super) fn read(reader: &mut Reader<'_>, path: &str, extents: Vec3) -> Pose {
    let mut pose = Pose::default();
    reader.allow_only(path, &["translation", "rotation", "rotation_mode", "scale", "dimensions"]);
    let field_path = |field: &str| format!("{path}/{field}");
    if let Some(dimensions) = per_axis(reader, &field_path("dimensions")) {
        pose.scale = Vec3::from_array([0, 1, 2].map(|axis| match extents[axis] {
            0.0 => 1.0,
            extent => dimensions[axis] / extent,
        }));
    } else if let Some(scale) = per_axis(reader, &field_path("scale")) {
        pose.scale = scale;
    }
    if pose.scale.min_element() <= 0.0 {
        reader.refuse(path, "a scale that mirrors or flattens the shape");
    }
    let mode = reader.text(&field_path("rotation_mode")).unwrap_or("xyz").to_lowercase();
    match reader.get(&field_path("rotation")).map(|rotation| turns(rotation, &mode)) {
        None => {}
        Some(Some(turns)) => pose.turns = turns,
        Some(None) => {
            reader
                .refuse(&field_path("rotation"), format!("this is no rotation of the mode {mode}"));
        }
    }
    if reader
        .get(&field_path("translation"))
        .and_then(Value::as_array)
        .is_some_and(|list| !list.is_empty())
    {
        pose.translation =
            Vec3::from_array(reader.triple(&field_path("translation")).unwrap_or_default());
    }
    pose
}

/// Reads one number for all axes, or one per axis; `None` for a missing value or an empty list.
fn per_axis(reader: &mut Reader<'_>, path: &str) -> Option<Vec3> {
    match reader.get(path)? {
        Value::Array(list) if list.is_empty() => None,
        Value::Array(_) => reader.triple(path).map(Vec3::from_array),
        _ => reader.number(path).map(Vec3::splat),
    }
}

/// Rotations in order of application, without those by zero. `mode` names the meaning of the numbers; angles are in
/// degrees. `None` if the numbers do not fit the mode.
fn turns(value: &Value, mode: &str) -> Option<Vec<Turn>> {
    let numbers = rotation_numbers(value, mode)?;
    let turn = |axis: Vec3, degrees: f64| match axis.length() > 0.0 && degrees != 0.0 {
        true => vec![Turn { axis: axis.to_array(), degrees }],
        false => Vec::new(),
    };
    match (mode, &numbers[..]) {
        (_, []) => Some(Vec::new()),
        ("axis_angle", &[degrees, x, y, z]) => Some(turn(Vec3::new(x, y, z), degrees)),
        // Components in the order x, y, z, w.
        ("quaternion", &[x, y, z, w]) => {
            let axis = Vec3::new(x, y, z);
            Some(turn(axis, 2.0 * libm::atan2(axis.length(), w).to_degrees()))
        }
        ("rotation_vector", &[x, y, z]) => {
            let axis = Vec3::new(x, y, z);
            Some(turn(axis, axis.length()))
        }
        (mode, &[x, y, z]) => {
            let rotation_about = |letter: char| {
                let axis = "xyz".find(letter)?;
                Some(Turn::rotated_about(axis, [x, y, z][axis]))
            };
            let turns: Vec<Turn> = mode.chars().map(rotation_about).collect::<Option<_>>()?;
            Some(turns.into_iter().filter(|turn| turn.degrees != 0.0).collect())
        }
        _ => None,
    }
}

/// Numbers of a rotation: a list, or a single angle about the axis that the mode names. `None` for other values.
fn rotation_numbers(value: &Value, mode: &str) -> Option<Vec<f64>> {
    if let Value::Array(list) = value {
        return list.iter().map(Value::as_f64).collect();
    }
    let axis = "xyz".find(mode).filter(|_| mode.len() == 1)?;
    let mut angles = vec![0.0; 3];
    angles[axis] = value.as_f64()?;
    Some(angles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_math::Mat3;

    fn matrix(text: &str, mode: &str) -> Option<Mat3> {
        let turns = turns(&serde_json::from_str(text).unwrap(), mode)?;
        Some(Pose { turns, ..Pose::default() }.rotation())
    }

    #[test]
    fn equal_rotations_agree_in_all_notations() {
        let expected = Turn { axis: [1.0, 2.0, 2.0], degrees: 90.0 }.matrix();
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let quaternion =
            format!("[{}, {}, {}, {}]", half / 3.0, half * 2.0 / 3.0, half * 2.0 / 3.0, half);
        for (text, mode) in [
            ("[90, 1, 2, 2]", "axis_angle"),
            ("[30, 60, 60]", "rotation_vector"),
            (&quaternion, "quaternion"),
        ] {
            let matrix = matrix(text, mode).unwrap();
            assert!((matrix - expected).abs_diff_eq(Mat3::ZERO, 1e-14), "{mode}: {matrix}");
        }
    }

    #[test]
    fn euler_angles_apply_in_the_order_of_their_letters() {
        let (x, y) = (Turn::rotated_about(0, 90.0).matrix(), Turn::rotated_about(1, 30.0).matrix());
        assert!((matrix("[90, 30, 0]", "xyz").unwrap() - y * x).abs_diff_eq(Mat3::ZERO, 1e-15));
        assert!((matrix("[90, 30, 0]", "yx").unwrap() - x * y).abs_diff_eq(Mat3::ZERO, 1e-15));
        assert!((matrix("90", "x").unwrap() - x).abs_diff_eq(Mat3::ZERO, 1e-15));
        assert_eq!(matrix("[]", "xyz"), Some(Mat3::IDENTITY));
        assert_eq!(matrix("[1, 2]", "xyz"), None);
        assert_eq!(matrix("[1, 2, 3]", "abc"), None);
    }
}
