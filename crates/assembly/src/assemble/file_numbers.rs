//! Maps from the vertices of mesh files to nodes.

use super::error;
use resile_mesh::QuadraticMesh;
use resile_scene::description::Problem;
use std::collections::BTreeMap;

/// Maps the vertices of a mesh file, including unused ones, to those of the mesh.
#[derive(Debug, Clone)]
pub(super) struct FileVertexMap {
    /// The vertex of the mesh for each vertex of the file; `None` for unused vertices.
    pub(super) vertices: Vec<Option<u32>>,
    /// Midside nodes of the file, each with the end nodes of its edge in the mesh.
    pub(super) middles: Vec<(u32, [u32; 2])>,
}

impl FileVertexMap {
    /// The map for the boundary of a solid, whose nodes are `boundary_nodes` in ascending order.
    pub(super) fn on_boundary(mut self, boundary_nodes: &[u32]) -> Self {
        for vertex in &mut self.vertices {
            *vertex = vertex
                .and_then(|node| boundary_nodes.binary_search(&node).ok())
                .map(|index| index as u32);
        }
        self.middles.clear();
        self
    }

    /// The map for a body with nodes at the midpoints of edges.
    pub(super) fn with_middles(mut self, mesh: &QuadraticMesh) -> Self {
        let middle_of_edge: BTreeMap<[u32; 2], u32> = mesh.middles().collect();
        for (file_index, edge) in std::mem::take(&mut self.middles) {
            if let Some(vertex) = self.vertices.get_mut(file_index as usize) {
                *vertex = middle_of_edge.get(&edge).copied();
            }
        }
        self
    }

    /// The nodes of the body for vertices of the file.
    ///
    /// # Errors
    /// If a vertex does not exist, or is no node of the body.
    pub(super) fn nodes(&self, file_indices: &[u32], path: &str) -> Result<Vec<usize>, Problem> {
        let count = self.vertices.len();
        let node = |&index: &u32| match self.vertices.get(index as usize) {
            Some(Some(node)) => Ok(*node as usize),
            Some(None) => {
                let message = format!("node {index} of the file is no node of the body");
                let help =
                    "nothing in the file uses it, or it is inside of a body that is a surface";
                Err(error(path.to_owned(), message, help))
            }
            None => {
                let help = format!("the file has {count}, from 0, unused ones included");
                Err(error(path.to_owned(), format!("there is no node {index}"), help))
            }
        };
        file_indices.iter().map(node).collect()
    }
}
