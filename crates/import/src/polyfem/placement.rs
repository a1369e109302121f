//! Poses of meshes and of their copies in arrays.

use super::part::Array;
use super::reader::Reader;
use super::transformation;
use super::unit::{Dimension, Unit};
use crate::meshes::ForeignMesh;
use crate::pose::Pose;
use resile_math::{Aabb, Vec3};

/// Positions (m) of the nodes of a mesh at a pose.
pub(super) fn placed_points(mesh: &ForeignMesh, pose: &Pose) -> Vec<Vec3> {
    let rotation = pose.rotation();
    let placed_position = |p: &Vec3| rotation * (pose.scale * *p) + pose.translation;
    mesh.positions().iter().map(placed_position).collect()
}

/// Refuses unknown fields of `advanced` and of the array of the entry at `path`, and what no scene has in them.
fn check_mesh_settings(reader: &mut Reader<'_>, path: &str) {
    let advanced = format!("{path}/advanced");
    let fields =
        ["normalize_mesh", "force_linear_geometry", "refinement_location", "min_component"];
    reader.allow_only(&advanced, &fields);
    reader.allow_only(&format!("{path}/array"), &["offset", "size", "relative"]);
    let smallest_component = format!("{advanced}/min_component");
    if reader.number_or(&smallest_component, -1.0) > 0.0 {
        reader.refuse(&smallest_component, "all components of a surface take part in contact");
    }
    let curves = format!("{path}/curve_selection");
    if reader.get(&curves).is_some() {
        reader.refuse(&curves, "selections of curves cannot be expressed");
    }
}

/// Pose of the mesh of the entry at `path`: conversion of units, optional map to the unit cube at the origin
/// (`normalize_mesh`), then `transformation`.
pub(super) fn mesh_pose(reader: &mut Reader<'_>, path: &str, mesh: &ForeignMesh) -> Pose {
    check_mesh_settings(reader, path);
    let unit_of_length = reader.units.si_value(Dimension::LENGTH);
    let mut normalised =
        Pose::default().scaled(mesh_unit(reader, path).unwrap_or(unit_of_length) / unit_of_length);
    let mesh_bounds = mesh.bounds();
    let [min, max] = [mesh_bounds.min, mesh_bounds.max].map(|corner| normalised.apply(corner));
    if reader.flag(&format!("{path}/advanced/normalize_mesh"), false) {
        let factor = 1.0 / Aabb { min, max }.size().max_element();
        normalised = normalised.translated(-min).scaled(factor);
    }
    let extents = mesh_bounds.size() * normalised.scale;
    let transformation = transformation::read(reader, &format!("{path}/transformation"), extents);
    Pose {
        scale: transformation.scale * normalised.scale,
        translation: transformation.apply(normalised.translation),
        turns: transformation.turns,
    }
    .scaled(unit_of_length)
}

/// Unit of length (m) of the mesh of the entry at `entry_path`, if the entry states one. Refuses other units.
fn mesh_unit(reader: &mut Reader<'_>, entry_path: &str) -> Option<f64> {
    let path = format!("{entry_path}/unit");
    let text = reader.text(&path).filter(|text| !text.is_empty())?;
    let unit = Unit::parse(text).filter(|unit| unit.dimension == Dimension::LENGTH);
    if unit.is_none() {
        reader.refuse(&path, format!("`{text}` is no unit of length"));
    }
    unit.map(|unit| unit.factor)
}

/// Poses of the copies of a mesh in the array of the entry at `path`, each with its array. The first copy has `pose`,
/// and is the only one if there is no array.
pub(super) fn array_poses(
    reader: &mut Reader<'_>,
    path: &str,
    mesh: &ForeignMesh,
    pose: &Pose,
) -> Vec<(Pose, Option<Array>)> {
    let array_path = format!("{path}/array");
    if reader.get(&array_path).is_none() {
        return vec![(pose.clone(), None)];
    }
    let offset = reader.number_or(&format!("{array_path}/offset"), 0.0);
    let size = reader.triple(&format!("{array_path}/size")).unwrap_or([1.0; 3]);
    // Length (m) of which `offset` is a multiple, by axis.
    let offset_unit = match reader.flag(&format!("{array_path}/relative"), false) {
        true => Aabb::of_points(placed_points(mesh, pose)).size(),
        false => Vec3::splat(reader.units.si_value(Dimension::LENGTH)),
    };
    let counts = size.map(|count| count as u32);
    let spacing = offset * offset_unit;
    let mut poses = Vec::new();
    for x in 0..counts[0] {
        for y in 0..counts[1] {
            for z in 0..counts[2] {
                let cell = Vec3::new(f64::from(x), f64::from(y), f64::from(z));
                let is_first = [x, y, z] == [0; 3];
                let array = Array { counts, spacing: spacing.to_array(), is_first };
                poses.push((pose.clone().translated(spacing * cell), Some(array)));
            }
        }
    }
    poses
}
