//! Vertex data of mesh files at the nodes of a body.

use super::discretisation::{Discretisation, Elastic};
use super::error;
use rayon::prelude::*;
use resile_math::Vec3;
use resile_mesh::read::VertexFields;
use resile_mesh::{QuadraticMesh, TriMesh, TriangleTree};
use resile_scene::description::{Body as Described, PaintedMap, Problem, nearest};

/// Vertex data of a file at the nodes of a body. If the body is the boundary of the solid in the file, `boundary_nodes`
/// has the index in the file of each of its nodes. The midside node of an edge has the mean of both ends.
pub(super) fn node_fields(
    fields: &VertexFields,
    elastic: &Elastic,
    boundary_nodes: Option<&[u32]>,
) -> VertexFields {
    let node_values = |values: &Vec<f64>| -> Vec<f64> {
        if let Elastic::Quadratic(_, elements) = elastic {
            let mesh = QuadraticMesh { positions: Vec::new(), elements: elements.clone() };
            let mut extended = values.clone();
            for ([a, b], node) in mesh.middles() {
                let node = node as usize;
                extended.resize(extended.len().max(node + 1), f64::NAN);
                extended[node] = 0.5 * (values[a as usize] + values[b as usize]);
            }
            return extended;
        }
        match boundary_nodes {
            Some(boundary_nodes) => {
                boundary_nodes.iter().map(|&node| values[node as usize]).collect()
            }
            None => values.clone(),
        }
    };
    fields.iter().map(|(name, values)| (name.clone(), node_values(values))).collect()
}

/// The vertex data of this name.
///
/// # Errors
/// If the mesh has no such data. `path` is the field of the name in the scene.
pub(super) fn values_of<'a>(
    fields: &'a VertexFields,
    name: &str,
    path: &str,
) -> Result<&'a Vec<f64>, Problem> {
    fields.get(name).ok_or_else(|| {
        let quoted_names: Vec<String> = fields.keys().map(|name| format!("\"{name}\"")).collect();
        let similar_name = nearest(name, fields.keys().map(String::as_str));
        let help = match (similar_name, quoted_names.is_empty()) {
            (Some(similar), _) => format!("did you mean \"{similar}\"?"),
            (_, true) => "colours of vertices in `.ply` and `.obj`, other numbers of vertices in `.ply`, and data of points in \
                          `.vtu`, `.vtp` and `.vtk` are read; `sim info` lists them"
                .to_owned(),
            _ => format!("there are {}", quoted_names.join(", ")),
        };
        error(path, format!("the mesh has no data \"{name}\" of its vertices"), help)
    })
}

/// The factors of a map at all nodes, of either sign.
///
/// # Errors
/// If the mesh lacks the vertex data of the map. `path` is the field of the map in the scene.
pub(super) fn map_factors(
    map: &PaintedMap,
    fields: &VertexFields,
    path: &str,
) -> Result<Vec<f64>, Problem> {
    let values = values_of(fields, &map.data, &format!("{path}.data"))?;
    Ok(values.iter().map(|value| map.factor(*value)).collect())
}

/// The factors of a map at all nodes, where they must be positive and finite, as for masses and stiffnesses.
///
/// # Errors
/// As [`map_factors`], and if a factor is not positive and finite.
pub(super) fn positive_factors(
    map: &PaintedMap,
    fields: &VertexFields,
    path: &str,
) -> Result<Vec<f64>, Problem> {
    let factors = map_factors(map, fields, path)?;
    let is_invalid = |factor: &f64| !(factor.is_finite() && *factor > 0.0);
    match factors.iter().position(is_invalid) {
        None => Ok(factors),
        Some(node) => {
            let message = format!(
                "the factor of node {node} would be {}, where \"{}\" is {}",
                factors[node], map.data, fields[&map.data][node]
            );
            let help = "it must be positive: raise `at_zero`, or correct the data";
            Err(error(path, message, help))
        }
    }
}

/// Applies the maps of mass and stiffness of the body `described`, at `path` in the scene, to its discretisation. For
/// tetrahedra the map of stiffness is applied to their materials instead ([`element_factors`]).
pub(super) fn apply_maps(
    described: &Described,
    discretisation: &mut Discretisation,
    path: &str,
) -> Result<(), Problem> {
    if let Some(map) = &described.mass_map {
        let factors = positive_factors(map, &discretisation.fields, &format!("{path}.mass_map"))?;
        discretisation.masses.iter_mut().zip(factors).for_each(|(mass, factor)| *mass *= factor);
    }
    let Some(map) = &described.stiffness_map else { return Ok(()) };
    let factors = positive_factors(map, &discretisation.fields, &format!("{path}.stiffness_map"))?;
    match &mut discretisation.elastic {
        Elastic::Shell(shell) => shell.factors = Some(factors),
        Elastic::Springs(cloth) => cloth.factors = Some(factors),
        Elastic::Rod(rod) => rod.factors = Some(factors),
        _ => {}
    }
    Ok(())
}

/// Vertex data `fields` of a surface at `points` (m) on it or in its interior: the value at the closest point of the
/// surface, interpolated linearly in its triangle. O(log n) per point.
pub(super) fn fields_at_closest_points(
    surface: &TriMesh,
    fields: &VertexFields,
    points: &[Vec3],
) -> VertexFields {
    if fields.is_empty() {
        return VertexFields::new();
    }
    let tree = TriangleTree::of_mesh(surface);
    let closest_point = |p: &Vec3| {
        let triangle = surface.triangles[tree.nearest(*p).1 as usize];
        let corners = triangle.map(|vertex| surface.positions[vertex as usize]);
        (triangle, barycentric(tree.closest(*p).point, corners))
    };
    let closest_points: Vec<([u32; 3], [f64; 3])> = points.par_iter().map(closest_point).collect();
    let values_at_points = |values: &Vec<f64>| {
        let interpolate = |(triangle, weights): &([u32; 3], [f64; 3])| -> f64 {
            triangle.iter().zip(weights).map(|(&vertex, w)| w * values[vertex as usize]).sum()
        };
        closest_points.iter().map(interpolate).collect()
    };
    fields.iter().map(|(name, values)| (name.clone(), values_at_points(values))).collect()
}

/// The barycentric coordinates of the point `p` (m) of a triangle with these corners (m); those of its first corner if
/// the triangle has no area.
fn barycentric(p: Vec3, [a, b, c]: [Vec3; 3]) -> [f64; 3] {
    // Twice the area times the unit normal.
    let normal = (b - a).cross(c - a);
    let squared_length = normal.length_squared();
    if squared_length == 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let area_fraction =
        |x: Vec3, y: Vec3| ((x - p).cross(y - p).dot(normal) / squared_length).clamp(0.0, 1.0);
    let [u, v] = [area_fraction(b, c), area_fraction(c, a)];
    [u, v, (1.0 - u - v).clamp(0.0, 1.0)]
}

/// The factor of the stiffness of each tetrahedron: the mean of those of its corners; `None` if the body
/// `described`, at `path` in the scene, has no map of stiffness.
pub(super) fn element_factors(
    described: &Described,
    fields: &VertexFields,
    tets: &[[u32; 4]],
    path: &str,
) -> Result<Option<Vec<f64>>, Problem> {
    let Some(map) = &described.stiffness_map else { return Ok(None) };
    let factors = positive_factors(map, fields, &format!("{path}.stiffness_map"))?;
    let mean_of_corners =
        |tet: &[u32; 4]| 0.25 * tet.iter().map(|&node| factors[node as usize]).sum::<f64>();
    Ok(Some(tets.iter().map(mean_of_corners).collect()))
}
