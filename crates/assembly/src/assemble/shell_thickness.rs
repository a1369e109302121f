//! Thicknesses of shells by vertex or by group.

use super::element_materials::unknown_group_problem;
use super::error;
use super::painted::positive_factors;
use crate::mesh_file::Groups;
use resile_mesh::read::VertexFields;
use resile_scene::description::{Body, Problem};

/// The thickness of each triangle divided by the `thickness` (m) of the shell; `None` if all triangles have this
/// thickness. `groups` are those of the surface, and `fields` is its vertex data.
pub(super) fn thickness_ratios(
    described: &Body,
    thickness: f64,
    triangles: &[[u32; 3]],
    (groups, fields): (&Groups, &VertexFields),
    path: &str,
) -> Result<Option<Vec<f64>>, Problem> {
    if let Some(map) = &described.thickness_map {
        let factors = positive_factors(map, fields, &format!("{path}.thickness_map"))?;
        let mean_factor = |triangle: &[u32; 3]| {
            triangle.iter().map(|&node| factors[node as usize]).sum::<f64>() / 3.0
        };
        return Ok(Some(triangles.iter().map(mean_factor).collect()));
    }
    if described.group_thickness.is_empty() {
        return Ok(None);
    }
    let mut ratios = vec![None; triangles.len()];
    for (k, part) in described.group_thickness.iter().enumerate() {
        let (group_path, name) = (format!("{path}.group_thickness[{k}].group"), &part.group);
        let group = groups
            .get(name)
            .ok_or_else(|| unknown_group_problem(name, groups.keys(), group_path.clone()))?;
        if group.elements.is_empty() {
            let message = format!("the group \"{name}\" has no triangles");
            return Err(error(group_path, message, "it is of lines or points: name another"));
        }
        for &triangle in &group.elements {
            if ratios[triangle as usize].replace(part.thickness / thickness).is_some() {
                let message = format!(
                    "triangle {triangle} of \"{name}\" is in another group with a thickness"
                );
                return Err(error(
                    group_path,
                    message,
                    "name groups that have no triangle in common",
                ));
            }
        }
    }
    Ok(Some(ratios.into_iter().map(|ratio| ratio.unwrap_or(1.0)).collect()))
}
