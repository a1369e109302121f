//! A part of a mesh file as a mesh of its own.

use super::{CellFields, Group, Groups, Mesh, MeshFile};
use resile_math::Vec3;
use resile_mesh::read::VertexFields;
use resile_mesh::{CurvedEdges, Parts, TetMesh, TriMesh};
use std::collections::{BTreeMap, BTreeSet};

/// Largest factor on the displacement of a node at which several faces of an interface meet: `1/cos` of the angle
/// between their normals and the mean normal.
const MAX_MITRE: f64 = 2.0;

/// Elements of a file that make up a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PartChoice {
    /// Those of a group; the faces of a solid if the group has no tetrahedra.
    Group(String),
    /// Those of a connected piece, by its number from 0 in the order of the first elements.
    Piece(usize),
}

/// A file that does not have a part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PartError {
    /// No group has this name.
    #[error("there is no group")]
    UnknownGroup,
    /// The group has neither elements nor faces.
    #[error("the group has nodes alone, and no elements")]
    NoElements,
    /// There are fewer pieces.
    #[error("the mesh has {0} connected pieces, numbered from 0")]
    MissingPiece(usize),
    /// Curves have no parts.
    #[error("the file has lines alone, and no faces")]
    Curves,
}

/// The part of a file, which recedes by half of `gap` (m) where it shares faces with other elements.
///
/// # Errors
/// If the file does not have the part.
pub(crate) fn part_of(
    file: &MeshFile,
    choice: &PartChoice,
    gap: f64,
) -> Result<MeshFile, PartError> {
    let group = match choice {
        PartChoice::Group(name) => Some(file.groups.get(name).ok_or(PartError::UnknownGroup)?),
        PartChoice::Piece(_) => None,
    };
    match &file.mesh {
        Mesh::Curves(_) => Err(PartError::Curves),
        Mesh::Solid(mesh) => {
            if let Some(group) = group.filter(|group| group.elements.is_empty()) {
                let faces = Selection::all(&group.faces, mesh.positions.len())?;
                let mut part = faces.extract(file, |positions, triangles| {
                    Mesh::Surface(TriMesh { positions, triangles })
                });
                // Triangles of a surface are elements.
                part.groups.values_mut().for_each(|group| group.faces.clear());
                return Ok(part);
            }
            let selection = Selection::new(&mesh.tets, mesh.positions.len(), choice, group)?;
            let mut part =
                selection.extract(file, |positions, tets| Mesh::Solid(TetMesh { positions, tets }));
            if gap > 0.0 {
                recede(&mut part, &selection.shared_nodes(&mesh.tets), 0.5 * gap);
            }
            Ok(part)
        }
        Mesh::Surface(mesh) => {
            let selection = Selection::new(&mesh.triangles, mesh.positions.len(), choice, group)?;
            Ok(selection.extract(file, |positions, triangles| {
                Mesh::Surface(TriMesh { positions, triangles })
            }))
        }
    }
}

/// The elements of a part and the nodes of the whole mesh that they have.
struct Selection<const N: usize> {
    /// The elements, by nodes of the whole mesh.
    elements: Vec<[u32; N]>,
    /// For each element of the whole mesh its index in the part.
    element_index: Vec<Option<u32>>,
    /// For each node of the whole mesh its index in the part.
    node_index: Vec<Option<u32>>,
}

impl<const N: usize> Selection<N> {
    /// The elements of `all` that a choice names; `group` is that of the choice, if it is a group.
    fn new(
        all: &[[u32; N]],
        node_count: usize,
        choice: &PartChoice,
        group: Option<&Group>,
    ) -> Result<Self, PartError> {
        let chosen: Vec<u32> = match (choice, group) {
            (_, Some(group)) => group.elements.clone(),
            (PartChoice::Piece(piece), None) => elements_of_piece(all, node_count, *piece)?,
            (PartChoice::Group(_), None) => return Err(PartError::UnknownGroup),
        };
        let elements: Vec<[u32; N]> = chosen.iter().map(|&e| all[e as usize]).collect();
        let mut selection = Self::all(&elements, node_count)?;
        let mut element_index = vec![None; all.len()];
        for (index, &element) in (0..).zip(&chosen) {
            element_index[element as usize] = Some(index);
        }
        selection.element_index = element_index;
        Ok(selection)
    }

    /// All of these elements, which are not elements of the file.
    fn all(elements: &[[u32; N]], node_count: usize) -> Result<Self, PartError> {
        if elements.is_empty() {
            return Err(PartError::NoElements);
        }
        let mut node_index = vec![None; node_count];
        let nodes: BTreeSet<u32> = elements.iter().flatten().copied().collect();
        for (index, node) in (0..).zip(nodes) {
            node_index[node as usize] = Some(index);
        }
        Ok(Self { elements: elements.to_vec(), element_index: Vec::new(), node_index })
    }

    /// The part as a file. `mesh` makes its mesh from positions (m) and elements.
    fn extract(
        &self,
        file: &MeshFile,
        mesh: impl FnOnce(Vec<Vec3>, Vec<[u32; N]>) -> Mesh,
    ) -> MeshFile {
        let positions = match &file.mesh {
            Mesh::Solid(mesh) => &mesh.positions,
            Mesh::Surface(mesh) => &mesh.positions,
            Mesh::Curves(mesh) => &mesh.positions,
        };
        let node = |node: u32| self.node_index.get(node as usize).copied().flatten();
        let edge = |[a, b]: [u32; 2]| Some([node(a)?, node(b)?]);
        let of_nodes = |values: &Vec<f64>| self.chosen_nodes().map(|k| values[k]).collect();
        let new_node = |old: u32| node(old).expect("a node of the part");
        let elements = self.elements.iter().map(|element| element.map(new_node)).collect();
        let middles = file.middles.iter().filter_map(|&(index, ends)| Some((index, edge(ends)?)));
        let curved = file.curved.iter().filter_map(|(ends, x)| Some((edge(*ends)?, *x)));
        let vertices = file.vertices.iter().map(|vertex| vertex.and_then(node)).collect();
        let fields = file.vertex_fields.iter().filter(|(_, v)| v.len() == positions.len());
        MeshFile {
            mesh: mesh(self.chosen_nodes().map(|k| positions[k]).collect(), elements),
            vertices,
            middles: middles.collect(),
            curved: curved.collect::<CurvedEdges>(),
            groups: self.groups(&file.groups),
            fields: self.cell_fields(&file.fields),
            vertex_fields: fields
                .map(|(name, values)| (name.clone(), of_nodes(values)))
                .collect::<VertexFields>(),
            ..file.clone()
        }
    }

    /// The nodes of the part, as indices of the whole mesh in ascending order.
    fn chosen_nodes(&self) -> impl Iterator<Item = usize> {
        (0..self.node_index.len()).filter(|&node| self.node_index[node].is_some())
    }

    /// The groups with what they have in common with the part. The nodes that a part shares with another belong to the
    /// groups of both.
    fn groups(&self, groups: &Groups) -> Groups {
        let node = |node: &u32| self.node_index.get(*node as usize).copied().flatten();
        let element = |e: &u32| self.element_index.get(*e as usize).copied().flatten();
        let face = |face: &[u32; 3]| {
            let [a, b, c] = face.each_ref().map(node);
            Some([a?, b?, c?])
        };
        let common = |(name, group): (&String, &Group)| {
            let common = Group {
                nodes: group.nodes.iter().filter_map(node).collect(),
                elements: group.elements.iter().filter_map(element).collect(),
                faces: group.faces.iter().filter_map(face).collect(),
            };
            (common != Group::default()).then(|| (name.clone(), common))
        };
        groups.iter().filter_map(common).collect()
    }

    /// The cell data of the elements of the part.
    fn cell_fields(&self, fields: &CellFields) -> CellFields {
        let of_elements = |values: &Vec<f64>| {
            let chosen = values.iter().zip(&self.element_index);
            chosen.filter(|(_, index)| index.is_some()).map(|(value, _)| *value).collect()
        };
        let complete = fields.iter().filter(|(_, values)| values.len() == self.element_index.len());
        complete.map(|(name, values)| (name.clone(), of_elements(values))).collect()
    }

    /// The nodes of the part that elements of `all` outside of the part have too, as nodes of the part.
    fn shared_nodes(&self, all: &[[u32; N]]) -> BTreeSet<u32> {
        let others = all.iter().zip(&self.element_index).filter(|(_, index)| index.is_none());
        let nodes = others.flat_map(|(element, _)| element);
        nodes.filter_map(|&node| self.node_index[node as usize]).collect()
    }
}

/// The elements of a connected piece.
fn elements_of_piece<const N: usize>(
    all: &[[u32; N]],
    node_count: usize,
    piece: usize,
) -> Result<Vec<u32>, PartError> {
    let mut parts = Parts::of_elements(node_count, all);
    let mut number_of_part: BTreeMap<u32, usize> = BTreeMap::new();
    let mut chosen = Vec::new();
    for (index, element) in (0..).zip(all) {
        let next = number_of_part.len();
        let number = *number_of_part.entry(parts.find(element[0])).or_insert(next);
        if number == piece {
            chosen.push(index);
        }
    }
    match chosen.is_empty() {
        true => Err(PartError::MissingPiece(number_of_part.len())),
        false => Ok(chosen),
    }
}

/// Moves the `shared` nodes of a solid inwards, so that the faces between them recede by `distance` (m); midpoints of
/// curved edges follow the ends of their edges.
fn recede(part: &mut MeshFile, shared: &BTreeSet<u32>, distance: f64) {
    let Mesh::Solid(mesh) = &mut part.mesh else { return };
    let surface = mesh.surface();
    let is_shared = |corners: &[u32; 3]| corners.iter().all(|node| shared.contains(node));
    // Normals of the faces of the interface at each of its nodes, by area.
    let mut normals: BTreeMap<u32, Vec<Vec3>> = BTreeMap::new();
    for corners in surface.triangles.iter().filter(|corners| is_shared(corners)) {
        let [a, b, c] = corners.map(|node| mesh.positions[node as usize]);
        let normal = (b - a).cross(c - a);
        corners.iter().for_each(|node| normals.entry(*node).or_default().push(normal));
    }
    let mut displacements: BTreeMap<u32, Vec3> = BTreeMap::new();
    for (node, normals) in normals {
        let mean = normals.iter().sum::<Vec3>().normalize_or_zero();
        let cosine = |normal: &Vec3| mean.dot(normal.normalize_or_zero());
        let least = normals.iter().map(cosine).fold(1.0, f64::min);
        displacements.insert(node, -mean * distance / least.max(1.0 / MAX_MITRE));
    }
    for (node, displacement) in &displacements {
        mesh.positions[*node as usize] += *displacement;
    }
    for (ends, middle) in &mut part.curved {
        let moved = |end: &u32| displacements.get(end).copied().unwrap_or_default();
        *middle += 0.5 * ends.iter().map(moved).sum::<Vec3>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_mesh::generate::BoxGrid;

    /// Two blocks of a bar along x, `left` and `right`, with shared nodes.
    fn bar() -> MeshFile {
        let mesh = BoxGrid { cells: [4, 2, 2], size: Vec3::new(4.0, 2.0, 2.0) };
        let mesh = mesh.build().expect("a grid");
        let center =
            |tet: &[u32; 4]| tet.iter().map(|&n| mesh.positions[n as usize].x).sum::<f64>();
        let side = |is_right: bool| {
            let elements = (0..).zip(&mesh.tets).filter(|(_, tet)| (center(tet) > 0.0) == is_right);
            let elements: Vec<u32> = elements.map(|(index, _)| index).collect();
            let nodes: BTreeSet<u32> =
                elements.iter().flat_map(|&e| mesh.tets[e as usize]).collect();
            Group { nodes: nodes.into_iter().collect(), elements, faces: Vec::new() }
        };
        let count = mesh.positions.len() as u32;
        let stiffness = (0..mesh.tets.len()).map(|e| e as f64).collect();
        let weight = mesh.positions.iter().map(|x| x.x).collect();
        MeshFile {
            groups: [("left".to_owned(), side(false)), ("right".to_owned(), side(true))].into(),
            vertices: (0..count).map(Some).collect(),
            middles: Vec::new(),
            curved: CurvedEdges::new(),
            notes: Vec::new(),
            warnings: Vec::new(),
            second_order: None,
            holes: None,
            fields: [("stiffness".to_owned(), stiffness)].into(),
            vertex_fields: [("weight".to_owned(), weight)].into(),
            unused_vertices: 0,
            collapsed_triangles: 0,
            reoriented: 0,
            mesh: Mesh::Solid(mesh),
        }
    }

    fn solid(file: &MeshFile) -> &TetMesh {
        let Mesh::Solid(mesh) = &file.mesh else { panic!("it is no solid") };
        mesh
    }

    #[test]
    fn groups_of_a_solid_are_solids_with_their_data() {
        let bar = bar();
        let mut volume = 0.0;
        for name in ["left", "right"] {
            let part = part_of(&bar, &PartChoice::Group(name.into()), 0.0).expect("a part");
            let mesh = solid(&part);
            mesh.check().expect("a valid mesh");
            assert_eq!((mesh.positions.len(), mesh.tets.len()), (27, 48));
            volume += mesh.volumes().iter().sum::<f64>();
            let own = &part.groups[name];
            assert_eq!((own.nodes.len(), own.elements.len()), (27, 48));
            let other = &part.groups[if name == "left" { "right" } else { "left" }];
            assert_eq!((other.nodes.len(), other.elements.len()), (9, 0), "the shared nodes");
            for (position, weight) in mesh.positions.iter().zip(&part.vertex_fields["weight"]) {
                assert_eq!(position.x, *weight);
            }
            let first = part.fields["stiffness"][0] as usize;
            let of_file = solid(&bar).tets[first].map(|n| bar.vertices[n as usize]);
            let of_file = of_file.map(|n| part.vertices[n.expect("all are used") as usize]);
            assert_eq!(of_file, mesh.tets[0].map(Some));
        }
        assert!((volume - 16.0).abs() < 1e-12, "{volume}");
    }

    #[test]
    fn parts_recede_from_each_other_by_the_gap() {
        let bar = bar();
        let gap = 0.01;
        let extent = |name: &str| {
            let part = part_of(&bar, &PartChoice::Group(name.into()), gap).expect("a part");
            solid(&part).check().expect("a valid mesh");
            let xs = solid(&part).positions.iter().map(|x| x.x);
            let volume: f64 = solid(&part).volumes().iter().sum();
            assert!((volume - (8.0 - 4.0 * 0.5 * gap)).abs() < 1e-12, "{volume}");
            xs.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)])
        };
        let ([left_start, left_end], [right_start, right_end]) = (extent("left"), extent("right"));
        assert_eq!([left_start, right_end], [-2.0, 2.0]);
        assert!((right_start - left_end - gap).abs() < 1e-15);
    }

    #[test]
    fn pieces_are_numbered_by_their_first_elements() {
        let mut bar = bar();
        let Mesh::Solid(mesh) = &mut bar.mesh else { return };
        // The second piece is a copy of the first, moved.
        let count = mesh.positions.len() as u32;
        mesh.positions.extend_from_within(..);
        mesh.positions[count as usize..].iter_mut().for_each(|x| x.y += 9.0);
        mesh.tets.extend(mesh.tets.clone().iter().map(|tet| tet.map(|n| n + count)));
        bar.vertices = (0..2 * count).map(Some).collect();
        let piece = |piece| part_of(&bar, &PartChoice::Piece(piece), 0.0);
        for (number, height) in [(0, -1.0), (1, 8.0)] {
            let part = piece(number).expect("a part");
            assert_eq!(solid(&part).positions[0].y, height);
            assert_eq!(solid(&part).tets.len(), 96);
        }
        assert_eq!(piece(2), Err(PartError::MissingPiece(2)));
    }

    #[test]
    fn groups_of_faces_are_surfaces() {
        let mut bar = bar();
        let faces = solid(&bar).boundary().triangles.len();
        let triangles = solid(&bar).surface().triangles;
        bar.groups.insert("skin".into(), Group { faces: triangles, ..Group::default() });
        let part = part_of(&bar, &PartChoice::Group("skin".into()), 0.0).expect("a part");
        let Mesh::Surface(mesh) = &part.mesh else { panic!("it is no surface") };
        mesh.check().expect("a valid surface");
        assert_eq!(mesh.triangles.len(), faces);
        let unknown = part_of(&bar, &PartChoice::Group("bolt".into()), 0.0);
        assert_eq!(unknown, Err(PartError::UnknownGroup));
        bar.groups.insert("axis".into(), Group { nodes: vec![1, 2], ..Group::default() });
        let no_elements = part_of(&bar, &PartChoice::Group("axis".into()), 0.0);
        assert_eq!(no_elements, Err(PartError::NoElements));
    }
}
