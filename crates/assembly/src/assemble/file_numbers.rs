//! Maps from numbers in mesh files to nodes.

use super::error;
use resile_mesh::QuadraticMesh;
use resile_scene::description::Problem;
use std::collections::BTreeMap;

/// Maps the vertices of a mesh file, including unused ones, to those of the mesh.
#[derive(Debug, Clone)]
pub(super) struct FileNumbers {
    /// For each vertex of the file its vertex of the mesh.
    pub(super) vertices: Vec<Option<u32>>,
    /// Vertices of the file at midpoints of edges of the mesh.
    pub(super) middles: Vec<(u32, [u32; 2])>,
}

impl FileNumbers {
    /// The map for the boundary of a solid, whose nodes are `boundary_nodes` in ascending order.
    pub(super) fn on_boundary(mut self, boundary_nodes: &[u32]) -> Self {
        for vertex in &mut self.vertices {
            *vertex = vertex
                .and_then(|node| boundary_nodes.binary_search(&node).ok())
                .map(|place| place as u32);
        }
        self.middles.clear();
        self
    }

    /// The map for a body with nodes at the midpoints of edges.
    pub(super) fn with_middles(mut self, mesh: &QuadraticMesh) -> Self {
        let named: BTreeMap<[u32; 2], u32> = mesh.middles().collect();
        for (number, edge) in std::mem::take(&mut self.middles) {
            if let Some(vertex) = self.vertices.get_mut(number as usize) {
                *vertex = named.get(&edge).copied();
            }
        }
        self
    }

    /// The nodes with these numbers.
    pub(super) fn nodes(&self, numbers: &[u32], path: &str) -> Result<Vec<usize>, Problem> {
        let count = self.vertices.len();
        let node = |&number: &u32| match self.vertices.get(number as usize) {
            Some(Some(node)) => Ok(*node as usize),
            Some(None) => {
                let message = format!("node {number} of the file is no node of the body");
                let help =
                    "nothing in the file uses it, or it is inside of a body that is a surface";
                Err(error(path.to_owned(), message, help))
            }
            None => {
                let help = format!("the file has {count}, from 0, unused ones included");
                Err(error(path.to_owned(), format!("there is no node {number}"), help))
            }
        };
        numbers.iter().map(node).collect()
    }
}
