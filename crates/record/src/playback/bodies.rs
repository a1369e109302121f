//! Drawn geometry of each body, from the cells of a file.

use super::Damage;
use super::arrays::{Arrays, Section};
use crate::Role;
use resile_math::Vec3;
use resile_mesh::TetMesh;
use resile_mesh::write::{VTK_LINE, VTK_TETRAHEDRON, VTK_TRIANGLE, VTK_VERTEX};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Drawn geometry of a body; for a solid, its boundary.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayedBody {
    /// Number, unique among bodies, obstacles and planes.
    pub number: u32,
    /// Name in the scene.
    pub name: String,
    /// Role of the body.
    pub role: Role,
    /// Range of its vertices in a frame.
    pub vertices: Range<usize>,
    /// Triangles, by vertices of a frame; those of solids face outward.
    pub triangles: Vec<[u32; 3]>,
    /// Edges between its vertices, such as springs.
    pub edges: Vec<[u32; 2]>,
    /// Radius (m) of rods whose axes are `edges`.
    pub radius: Option<f32>,
    /// Whether its triangles are a sheet, as of a shell, and not the surface of a solid.
    pub is_sheet: bool,
    /// Vertices that are drawn individually.
    pub points: Vec<u32>,
}

impl PlayedBody {
    /// Whether its triangles enclose a solid: they are not a sheet, each half-edge occurs once and has an opposite
    /// half-edge, and the enclosed volume is positive. `positions` are those of all vertices of a frame (m). O(n log n)
    /// in its triangles.
    pub fn encloses_solid(&self, positions: &[[f32; 3]]) -> bool {
        if self.is_sheet {
            return false;
        }
        let half_edges = self.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut half_edges: Vec<[u32; 2]> = half_edges.collect();
        half_edges.sort_unstable();
        let is_duplicate = |pair: &[[u32; 2]]| pair[0] == pair[1];
        let has_reverse = |&[a, b]: &[u32; 2]| half_edges.binary_search(&[b, a]).is_ok();
        if half_edges.windows(2).any(is_duplicate) || !half_edges.iter().all(has_reverse) {
            return false;
        }
        let point = |corner: u32| Vec3::from_array(positions[corner as usize].map(f64::from));
        let volume = |&[a, b, c]: &[u32; 3]| point(a).dot(point(b).cross(point(c)));
        self.triangles.iter().map(volume).sum::<f64>() > 0.0
    }
}

/// The bytes of the cells of a file; all frames of a run have the same.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RawCells {
    connectivity: Vec<u8>,
    offsets: Vec<u8>,
    types: Vec<u8>,
    bodies: Vec<u8>,
}

impl RawCells {
    /// Reads the cells of a file.
    pub(super) fn new(arrays: &Arrays) -> Result<Self, Damage> {
        let cells = |name, kind| arrays.bytes(Section::Cells, name, kind).map(<[u8]>::to_vec);
        Ok(Self {
            connectivity: cells("connectivity", "UInt32")?,
            offsets: cells("offsets", "UInt32")?,
            types: cells("types", "UInt8")?,
            bodies: arrays.bytes(Section::CellData, "body", "UInt32")?.to_vec(),
        })
    }
}

/// Cells of one body, by points of the file.
#[derive(Debug, Default)]
struct CellsOfBody {
    tets: Vec<[u32; 4]>,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    points: Vec<u32>,
}

/// The bodies of a file in the order of their numbers.
#[derive(Debug, Default)]
pub(super) struct BodiesOfFile {
    pub(super) bodies: Vec<PlayedBody>,
    /// For each drawn vertex, body by body, its point of the file.
    pub(super) vertices: Vec<u32>,
    /// Tetrahedra of each body, by file points.
    pub(super) tets: Vec<Vec<[u32; 4]>>,
}

/// Reads the bodies of a file with this number of points. Bodies without a label have `default_role`. A skin is drawn
/// in place of the body of the same name.
///
/// # Errors
/// If an array is missing or invalid.
pub(super) fn read_bodies(
    arrays: &Arrays,
    point_count: usize,
    default_role: Role,
) -> Result<BodiesOfFile, Damage> {
    let cells_by_body = read_cells(arrays, point_count)?;
    let (labels, radii, sheets) = (read_labels(arrays)?, read_radii(arrays)?, read_sheets(arrays)?);
    let mut contents = BodiesOfFile::default();
    let (mut skins, mut drawn_bodies) = (BTreeMap::new(), Vec::new());
    for (number, cells) in cells_by_body {
        let label = labels.get(&number).cloned();
        let (name, role) =
            label.unwrap_or_else(|| (format!("{} {number}", default_role.word()), default_role));
        match role {
            Role::Skin => drop(skins.insert(name, cells)),
            _ => drawn_bodies.push((number, name, role, cells)),
        }
    }
    for (number, name, role, cells) in drawn_bodies {
        contents.tets.push(cells.tets.clone());
        let cells = skins.remove(&name).unwrap_or(cells);
        let mut body = cells.into_drawn(number, name, role, &mut contents.vertices);
        body.radius = radii.get(&number).copied();
        body.is_sheet = sheets.contains(&number);
        contents.bodies.push(body);
    }
    Ok(contents)
}

impl CellsOfBody {
    /// The drawn geometry of the body: its triangles, edges and points, and the boundary of its tetrahedra. Its points
    /// are appended to `vertices`, the points of all drawn vertices, and its cells refer to the indices in these.
    fn into_drawn(
        self,
        number: u32,
        name: String,
        role: Role,
        vertices: &mut Vec<u32>,
    ) -> PlayedBody {
        let Self { tets, mut triangles, mut edges, mut points } = self;
        triangles.extend(TetMesh { positions: Vec::new(), tets }.surface().triangles);
        let corners = triangles.as_flattened().iter().chain(edges.as_flattened()).chain(&points);
        let points_of_body: Vec<u32> =
            corners.copied().collect::<BTreeSet<_>>().into_iter().collect();
        let first_vertex = vertices.len();
        let vertex = |point: u32| {
            (first_vertex + points_of_body.partition_point(|&other| other < point)) as u32
        };
        triangles.iter_mut().for_each(|corners| *corners = corners.map(vertex));
        edges.iter_mut().for_each(|ends| *ends = ends.map(vertex));
        points.iter_mut().for_each(|point| *point = vertex(*point));
        vertices.extend_from_slice(&points_of_body);
        let vertices = first_vertex..vertices.len();
        PlayedBody {
            number,
            name,
            role,
            vertices,
            triangles,
            edges,
            radius: None,
            is_sheet: false,
            points,
        }
    }
}

/// The cells of a file with this number of points, by body and kind.
///
/// # Errors
/// If an array is missing, their lengths differ, or a cell has an unknown kind, a wrong number of nodes or a point that
/// does not exist.
fn read_cells(arrays: &Arrays, point_count: usize) -> Result<BTreeMap<u32, CellsOfBody>, Damage> {
    let nodes = arrays.numbers(Section::Cells, "connectivity")?;
    let end_offsets = arrays.numbers(Section::Cells, "offsets")?;
    let kinds = arrays.bytes(Section::Cells, "types", "UInt8")?;
    let bodies = arrays.numbers(Section::CellData, "body")?;
    if end_offsets.len() != kinds.len() || bodies.len() != kinds.len() {
        return Err(Damage::format("its arrays of cells have different lengths"));
    }
    let (mut cells, mut start) = (BTreeMap::<u32, CellsOfBody>::new(), 0);
    for (cell, ((&end, &kind), body)) in end_offsets.iter().zip(kinds).zip(bodies).enumerate() {
        let corners = nodes.get(start..end as usize);
        let corners = corners.ok_or_else(|| Damage::format(format!("cell {cell} has no end")))?;
        if let Some(&point) = corners.iter().find(|&&corner| corner as usize >= point_count) {
            return Err(Damage::NoPoint { cell, point, points: point_count });
        }
        let body_cells = cells.entry(body).or_default();
        match (kind, corners) {
            (VTK_VERTEX, &[a]) => body_cells.points.push(a),
            (VTK_LINE, &[a, b]) => body_cells.edges.push([a, b]),
            (VTK_TRIANGLE, &[a, b, c]) => body_cells.triangles.push([a, b, c]),
            (VTK_TETRAHEDRON, &[a, b, c, d]) => body_cells.tets.push([a, b, c, d]),
            _ => {
                let count = corners.len();
                let problem = format!("cell {cell} is of kind {kind} with {count} nodes");
                return Err(Damage::format(problem));
            }
        }
        start = end as usize;
    }
    Ok(cells)
}

/// Names and roles of bodies by number; empty for files of older versions of the program.
fn read_labels(arrays: &Arrays) -> Result<BTreeMap<u32, (String, Role)>, Damage> {
    if arrays.find_array(Section::FieldData, "body_number").is_none() {
        return Ok(BTreeMap::new());
    }
    let numbers = arrays.numbers(Section::FieldData, "body_number")?;
    let names = arrays.texts(Section::FieldData, "body_name")?;
    let roles = arrays.texts(Section::FieldData, "body_role")?;
    if names.len() != numbers.len() || roles.len() != numbers.len() {
        return Err(Damage::format("it has not one name and one role for each body"));
    }
    let role = |word: &String| {
        Role::from_name(word).ok_or_else(|| Damage::format(format!("a body has the role {word:?}")))
    };
    let roles: Vec<Role> = roles.iter().map(role).collect::<Result<_, _>>()?;
    Ok(numbers.into_iter().zip(names.into_iter().zip(roles)).collect())
}

/// Radii of rods by number.
fn read_radii(arrays: &Arrays) -> Result<BTreeMap<u32, f32>, Damage> {
    if arrays.find_array(Section::FieldData, "body_radius").is_none() {
        return Ok(BTreeMap::new());
    }
    let numbers = arrays.numbers(Section::FieldData, "body_number")?;
    let radii = arrays.doubles(Section::FieldData, "body_radius")?;
    if radii.len() != numbers.len() {
        return Err(Damage::format("it has not one radius for each body"));
    }
    let rods = numbers.into_iter().zip(radii).filter(|(_, radius)| *radius > 0.0);
    Ok(rods.map(|(number, radius)| (number, radius as f32)).collect())
}

/// Numbers of the bodies whose triangles are sheets; empty for files of older versions of the program.
fn read_sheets(arrays: &Arrays) -> Result<BTreeSet<u32>, Damage> {
    if arrays.find_array(Section::FieldData, "body_sheet").is_none() {
        return Ok(BTreeSet::new());
    }
    let numbers = arrays.numbers(Section::FieldData, "body_number")?;
    let sheets = arrays.numbers(Section::FieldData, "body_sheet")?;
    if sheets.len() != numbers.len() {
        return Err(Damage::format("it does not state for each body whether it is a sheet"));
    }
    Ok(numbers.into_iter().zip(sheets).filter(|(_, sheet)| *sheet == 1).map(|(n, _)| n).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_closed_triangles_that_face_outward_enclose_a_solid() {
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let encloses_as = |is_sheet: bool, triangles: Vec<[u32; 3]>| {
            let body = PlayedBody {
                number: 0,
                name: "tetrahedron".to_owned(),
                role: Role::Body,
                vertices: 0..4,
                triangles,
                edges: Vec::new(),
                radius: None,
                is_sheet,
                points: Vec::new(),
            };
            body.encloses_solid(&corners)
        };
        let encloses = |triangles| encloses_as(false, triangles);
        let inward = faces.map(|[a, b, c]| [a, c, b]);
        assert!(encloses(faces.to_vec()));
        assert!(!encloses_as(true, faces.to_vec()), "it is a sheet");
        assert!(!encloses(inward.to_vec()), "it faces inward");
        assert!(!encloses(faces[..3].to_vec()), "it is open");
        assert!(!encloses([faces, inward].concat()), "each edge has four sides");
        assert!(!encloses([&faces[..3], &inward[3..]].concat()), "one face is turned over");
        assert!(!encloses(Vec::new()), "it is empty");
    }
}
