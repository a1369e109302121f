//! Named parts of a mesh.

use std::collections::BTreeMap;
use std::ops::Range;

/// A named part of a mesh: faces or tetrahedra, or only nodes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Group {
    /// Mesh nodes in ascending order: those of its elements, and those of skipped lines, faces and points of a
    /// solid.
    pub nodes: Vec<u32>,
    /// Indices of triangles of a surface or tetrahedra of a solid, in ascending order.
    pub elements: Vec<u32>,
    /// Faces that the file of a solid has beside the tetrahedra, as triangles of mesh nodes, in the file's
    /// order.
    pub faces: Vec<[u32; 3]>,
}

/// Groups by name. Groups, objects and materials of the same name form one group.
pub type Groups = BTreeMap<String, Group>;

/// One value per tetrahedron, such as a stiffness, by array name.
pub type CellFields = BTreeMap<String, Vec<f64>>;

/// One value per vertex, such as a colour or a weight, by array name.
pub type VertexFields = BTreeMap<String, Vec<f64>>;

/// Maps vertex data of the file to the `count` vertices of the mesh. `vertices` has the mesh vertex of each vertex of
/// the file. A mesh vertex that merges several takes the value of the first. Arrays with another number of vertices are
/// left out.
pub(super) fn fields_of_mesh(
    fields: VertexFields,
    vertices: &[Option<u32>],
    count: usize,
) -> VertexFields {
    let mut first_vertices = vec![None; count];
    for (old, new) in vertices.iter().enumerate() {
        if let Some(vertex) = new.and_then(|new| first_vertices.get_mut(new as usize)) {
            vertex.get_or_insert(old);
        }
    }
    let complete = fields.into_iter().filter(|(_, values)| values.len() == vertices.len());
    let mesh_values = |values: Vec<f64>| {
        first_vertices.iter().map(|old| old.map_or(f64::NAN, |old| values[old])).collect()
    };
    complete.map(|(name, values)| (name, mesh_values(values))).collect()
}

/// Collects groups element by element, with the node numbers of the file.
#[derive(Debug, Clone, Default)]
pub(super) struct RawGroups {
    groups: BTreeMap<String, RawGroup>,
}

/// Nodes, elements and faces of a group, with the node numbers of the file and repetitions.
#[derive(Debug, Clone, Default)]
struct RawGroup {
    nodes: Vec<i64>,
    elements: Vec<u32>,
    /// Elements that are to be divided.
    solids: Vec<u32>,
    faces: Vec<u32>,
}

impl RawGroups {
    /// Adds an element of the mesh and its nodes.
    pub(super) fn add_element(&mut self, name: &str, element: usize, nodes: &[i64]) {
        let group = self.group_mut(name);
        group.elements.push(element as u32);
        group.nodes.extend_from_slice(nodes);
    }

    /// Adds a face of a solid and its nodes.
    pub(super) fn add_face(&mut self, name: &str, face: usize, nodes: &[i64]) {
        let group = self.group_mut(name);
        group.faces.push(face as u32);
        group.nodes.extend_from_slice(nodes);
    }

    /// Adds an element that is to be divided and its nodes.
    pub(super) fn add_solid(&mut self, name: &str, solid: usize, nodes: &[i64]) {
        let group = self.group_mut(name);
        group.solids.push(solid as u32);
        group.nodes.extend_from_slice(nodes);
    }

    /// Replaces divided elements by their tetrahedra.
    pub(super) fn divide(&mut self, tets: impl Fn(u32) -> Range<u32>) {
        for RawGroup { elements, solids, .. } in self.groups.values_mut() {
            elements.extend(std::mem::take(solids).into_iter().flat_map(&tets));
        }
    }

    /// Adds nodes of an element that is skipped.
    pub(super) fn add_nodes(&mut self, name: &str, nodes: &[i64]) {
        self.group_mut(name).nodes.extend_from_slice(nodes);
    }

    /// The group of a name, which is added on first use.
    fn group_mut(&mut self, name: &str) -> &mut RawGroup {
        if !self.groups.contains_key(name) {
            self.groups.insert(name.to_owned(), RawGroup::default());
        }
        self.groups.get_mut(name).expect("a missing group is inserted above")
    }

    /// Renumbers all nodes.
    pub(super) fn renumber(&mut self, number: impl Fn(i64) -> i64) {
        let nodes = self.groups.values_mut().flat_map(|group| &mut group.nodes);
        nodes.for_each(|node| *node = number(*node));
    }

    /// Renumbers elements and faces.
    pub(super) fn renumber_elements(
        &mut self,
        element: impl Fn(u32) -> u32,
        face: impl Fn(u32) -> u32,
    ) {
        for RawGroup { elements, faces, .. } in self.groups.values_mut() {
            elements.iter_mut().for_each(|number| *number = element(*number));
            faces.iter_mut().for_each(|number| *number = face(*number));
        }
    }

    /// Name, faces and nodes of each group.
    pub(super) fn face_groups(&self) -> impl Iterator<Item = (&str, &[u32], &[i64])> {
        self.groups.iter().map(|(name, group)| (&name[..], &group.faces[..], &group.nodes[..]))
    }

    /// Converts to mesh indices. Nodes without a `mesh_index` are dropped, and so are groups without nodes.
    /// `triangles_of_face` returns the triangles of the mesh that make up a face.
    pub(super) fn finish(
        self,
        mesh_index: impl Fn(i64) -> Option<u32>,
        triangles_of_face: impl Fn(u32) -> Vec<[u32; 3]>,
    ) -> Groups {
        let finished = self.groups.into_iter().map(|(name, raw)| {
            let RawGroup { nodes, mut elements, mut faces, .. } = raw;
            let mut nodes: Vec<u32> = nodes.into_iter().filter_map(&mesh_index).collect();
            for list in [&mut nodes, &mut elements, &mut faces] {
                list.sort_unstable();
                list.dedup();
            }
            let faces = faces.into_iter().flat_map(&triangles_of_face).collect();
            (name, Group { nodes, elements, faces })
        });
        finished.filter(|(_, group)| !group.nodes.is_empty()).collect()
    }
}
